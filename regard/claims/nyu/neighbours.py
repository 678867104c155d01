"""Question 3: self-attention among neighbours beside a convolution."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.analysis import attention_from_conv
from regard.attention import Sequence as Line
from regard.attention import Window
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import equals
from regard.claims.small_runs import seeded
from regard.layers import MultiHead, PositionHeads, Tables

TAPS, TOKENS, WIDTH = 5, 12, 4
SIDE = TAPS // 2
NEAR = Window(before=SIDE, after=SIDE)


@dataclass(frozen=True)
class Local:
    """The kernel of one head by its weights a over taps and its matrix W; heads of a general one; what is additive."""

    kernel: Callable[[Tensor, Tensor], Tensor]  # (K,), (Co, Ci) → (Co, Ci, K)
    heads: Callable[[int], int]
    additive: frozenset[str]


def tokens(seed: int) -> Tensor:
    return torch.randn(1, TOKENS, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def layers() -> tuple[PositionHeads, MultiHead]:
    """A head that attends by position alone, and one that compares contents."""
    with seeded(37):
        table = Tables(1, SIDE, dtype=torch.float64)
        nn.init.normal_(table.tables[0])
        by_position = PositionHeads(WIDTH, table, project=False, bias=False, dtype=torch.float64)
        return by_position, MultiHead(WIDTH, 1, bias=False, out_bias=False, dtype=torch.float64)


def outputs(kind: str, x: Tensor) -> Tensor:
    by_position, by_content = layers()
    with torch.no_grad():
        return by_position(x, Line(x.shape[1]), mask=NEAR) if kind == "position" else by_content(x, mask=NEAR)


def defect(kind: str) -> float:
    """How far the output of a sum is from the sum of the outputs, relative."""
    x, y = tokens(1), tokens(2)
    apart = outputs(kind, x) + outputs(kind, y)
    return ((outputs(kind, x + y) - apart).norm() / apart.norm()).item()


def spread(kernel: Tensor, rank: int) -> float:
    """What the best sum of `rank` products a ⊗ W leaves of a kernel, relative."""
    over_taps = kernel.permute(2, 0, 1).flatten(1)  # (K, Co·Ci)
    values = torch.linalg.svdvals(over_taps)
    return (values[rank:].norm() / values.norm()).item()


def neighbours(stated: Local) -> Sequence[Finding]:
    """One head as a convolution, a general kernel as heads, and what content does."""
    by_position, _ = layers()
    x, inner = tokens(0), slice(SIDE, TOKENS - SIDE)
    a = by_position.weights(Line(TOKENS), mask=NEAR)[0, 0, SIDE, :TAPS].detach()
    W = by_position.value.weight.detach()
    conv = functional.conv1d(x.mT, stated.kernel(a, W)).mT
    with seeded(38):
        general = nn.Conv1d(WIDTH, WIDTH, TAPS, padding="same", dtype=torch.float64)
    heads = stated.heads(TAPS)
    left, fewer = (spread(general.weight.detach(), n) for n in (heads, TAPS - 1))
    with torch.no_grad():
        built, _ = attention_from_conv(general)
        same = equals(f"{built.heads.num_heads} heads as a convolution of {TAPS}", built(x.mT), general(x.mT), 1e-12)
    content = []
    for kind in ("position", "content"):
        gap = defect(kind)
        shown = f"a window with {kind} alone as logits: f(x + y) is off f(x) + f(y) by {gap:.1e}"
        holds = (kind in stated.additive) == (gap < 1e-12)
        content.append(Finding(f"additive by {kind}", holds, shown, detail=kind == "content"))
    return [
        equals("one head by position, inside the line", outputs("position", x)[:, inner], conv, 1e-13),
        Finding(
            "heads of a general kernel",
            left < 1e-12 and heads <= TAPS,
            f"a random kernel of {TAPS} taps: {heads} head{'s' * (heads != 1)} a_δ·W leave{'s' * (heads == 1)} "
            f"{100 * left:.0f} % of it unmade, {TAPS - 1} heads {100 * fewer:.0f} %",
            detail=True,
        ),
        same,
        *content,
    ]


def product(a: Tensor, W: Tensor) -> Tensor:
    return W[:, :, None] * a


CLAIMS = (
    Claim(
        id="nyu.3d",
        title="Self-attention among neighbours",
        texts=Texts(
            asks="If each token attends to its neighbours alone, does self-attention behave as a convolution?",
            derivation="A head that attends *by position* has weights $a_\\delta$ that depend on the offset alone, "
            "inside the line, where the window is whole: $y_q = \\sum_\\delta a_\\delta W x_{q+\\delta}$. This is the "
            "convolution with the kernel $W_\\delta = a_\\delta W$: all taps are one matrix times positive numbers "
            "that sum to 1, rank one over the taps.\n\n"
            "A general kernel of $K$ taps has rank $\\min(K, D_{in} D_{out})$ over them, which is $K$ for $D_{in} "
            "D_{out} \\ge K$, as in every usual layer. A sum of $K$ heads, one sharp head for each tap, gives it; "
            "fewer one-layer heads with weights that do not depend on the content cannot.\n\n"
            "A window with *content* logits is no convolution: its weights depend on $x$, so that it is not even "
            "additive, $f(x + y) \\neq f(x) + f(y)$.",
            quantities={
                "K": "taps",
                "D_in, D_out": "widths",
                "δ": "offset of key from query",
                "a": "weights of the head over the offsets",
            },
            method="float64, 12 tokens, 5 taps, width 4; equality to 1e-13",
            code=(
                "regard.layers.position_heads:PositionHeads",
                "regard.analysis.convolution.conversion:attention_from_conv",
            ),
        ),
        document=Version(
            "self-attention restricted to neighbours behaves as a convolution",
            r"y_q = \sum_\delta W_\delta x_{q+\delta}",
            Local(product, lambda K: 1, frozenset({"position", "content"})),
        ),
        ours=Version(
            "one position-only head is the convolution a_δ·W; a general kernel needs K heads (for D_in·D_out ≥ K); "
            "content breaks it",
            r"W_\delta = \sum_{h \le K} a^h_\delta W^h",
            Local(product, lambda K: K, frozenset({"position"})),
        ),
        twin=Version(
            "one position-only head is a convolution with its taps in reverse order",
            r"W_\delta = a_{-\delta} W",
            Local(lambda a, W: product(a.flip(0), W), lambda K: K, frozenset({"position"})),
        ),
        check=neighbours,
        expected=Verdict.CORRECTED,
    ),
)
