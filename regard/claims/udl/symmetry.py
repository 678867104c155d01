"""Problems 12.2 and 12.3: layers that stack, and tokens that change places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.algorithms import weights
from regard.attention import Attention, Bias
from regard.attention import Sequence as Line
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import equals
from regard.layers import MultiHead, Widths
from regard.models import BlockConfig, PositionConfig
from regard.models.stack import Stack

WIDTHS = (4, 30)
DEPTHS = (1, 4, 16)
SEEDS = (0, 1, 2)
EXACT = 1e-12


def stacks(out: Callable[[int], int]) -> Sequence[Finding]:
    """Put layers that give the stated width on top of each other, each added to what came in."""
    return [*[stacked(D, out(D)) for D in WIDTHS], blocks_stack()]


def stacked(D: int, out: int) -> Finding:
    """As many layers as one likes of width D to `out`, with residual connections; a gradient must come back."""
    name = f"layers from width {D} to {out}"
    for depth in DEPTHS:
        x = torch.ones(1, 3, D, requires_grad=True)
        y = x
        for number in range(depth):
            layer = MultiHead(Widths(query=D, head=D, out=out), 1, device="meta").to_empty(device="cpu")
            fill(layer, number)
            added = layer(y)
            if added.shape != y.shape:  # a width of 1 would be spread over the others, and an error is torch's affair
                shapes = f"{tuple(added.shape)} for {tuple(y.shape)}, which do not add up entry by entry"
                return Finding(name, False, f"{name}: layer {number + 1} gives {shapes}")
            y = y + added
        y.sum().backward()
        if x.grad is None or not bool(x.grad.isfinite().all()):
            return Finding(name, False, f"{name}: no finite gradient comes back through {depth} of them")
    return Finding(name, True, f"{name}: {', '.join(map(str, DEPTHS))} of them, x + layer(x), keep (1, 3, {D})")


def fill(layer: torch.nn.Module, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in layer.parameters():
            width = parameter.shape[-1]
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype) / width)


def blocks_stack() -> Finding:
    """The model's own stack of blocks, attention and feed-forward, at several depths."""
    shapes = set()
    for depth in DEPTHS:
        stack = Stack(BlockConfig(width=8, num_heads=2), depth, PositionConfig(kind="none"))
        shapes.add(tuple(stack(torch.zeros(2, 5, 8))[0].shape))
    name = "stacks of Transformer blocks"
    return Finding(name, shapes == {(2, 5, 8)}, f"{name}: {', '.join(map(str, DEPTHS))} blocks keep (2, 5, 8)")


@dataclass(frozen=True)
class Permuted:
    """What is said of `Sa[XP]`: the result, the logits, where the softmax's P goes, and which axis holds the tokens."""

    result: Callable[[Callable[[Tensor], Tensor], Tensor, Tensor], Tensor]  # (Sa, X, P) ↦ Sa[XP]
    logits: Callable[[Tensor, Tensor], Tensor]  # (KᵀQ of X, P) ↦ KᵀQ of XP
    axis: int  # of X (D, N): along which tokens lie side by side


def permuted(stated: Permuted) -> Sequence[Finding]:
    """Permute the tokens of a random layer, and compare every step of the derivation with what it computes."""
    D, N = 5, 7
    found = []
    for seed in SEEDS:
        generator = torch.Generator().manual_seed(seed)
        layer = MultiHead(D, 1, bias=False, out_bias=False, dtype=torch.float64)
        fill(layer, seed)
        X = 3 * torch.randn(D, N, generator=generator, dtype=torch.float64)
        P = torch.eye(N, dtype=torch.float64)[torch.randperm(N, generator=generator)]
        A, inner = logits_of(layer, X), stated.logits(logits_of(layer, X), P)

        def attends(x: Tensor, layer: MultiHead = layer) -> Tensor:
            return columns(layer(x.T[None]))

        found += [
            equals("Sa[XP] as stated", attends(X @ P), stated.result(attends, X, P), EXACT),
            entry(logits_of(layer, X @ P), inner, A),
            equals(
                "P past the softmax: P·softmax[logits of XP] = softmax[KᵀQ]·P",
                P @ softmax(inner),
                softmax(A) @ P,
                EXACT,
                detail=True,
            ),
            moved(X, P, stated.axis),
        ]
    names = dict.fromkeys([finding.name for finding in found])
    return [worst([finding for finding in found if finding.name == name]) for name in names]


def entry(found: Tensor, stated: Tensor, before: Tensor) -> Finding:
    """The logits of XP against the stated ones, told by the entry that is furthest off."""
    gap = (found - stated).abs()
    key, query = divmod(int(gap.argmax()), len(gap))
    holds = bool(gap.max() <= EXACT * found.abs().max())
    here, old, said = (logits[key, query].item() for logits in (found, before, stated))
    told = f"is {old:.3f}, and {here:.3f} of the permuted tokens; stated {said:.3f}"
    shown = f"PᵀKᵀQP: the logit of key {key + 1} and query {query + 1} {told}".replace("-", "−")
    return Finding("PᵀKᵀQP as stated", holds, shown, detail=True)


def logits_of(layer: MultiHead, X: Tensor) -> Tensor:
    """`KᵀQ` of tokens in columns: one row for each key."""
    with torch.no_grad():
        q, k = columns(layer.query(X.T[None])), columns(layer.key(X.T[None]))
    return k.T @ q / len(q) ** 0.5


def columns(x: Tensor) -> Tensor:
    return x.detach()[0].T


def softmax(logits: Tensor) -> Tensor:
    """The weights of given logits, a query in each column, by the library."""
    n = len(logits)
    value = Attention(scores=Bias(logits.T.reshape(1, 1, n, n)), queries=Line(n), keys=Line(n))
    return weights(None, None, value)[0, 0].T


def moved(X: Tensor, P: Tensor, axis: int) -> Finding:
    """Whether XP has the tokens of X, in another order, if they lie along this axis."""
    kind = ("rows", "columns")[axis]
    before, after = (list(map(tuple, x.movedim(axis, 0).tolist())) for x in (X, X @ P))
    kept = sum(token in before for token in after)
    shown = f"XP has {kept} of the {len(before)} {kind} of X, which is {X.shape[0]} × {X.shape[1]}"
    return Finding("tokens that P permutes", kept == len(before), shown, detail=True)


def worst(findings: Sequence[Finding]) -> Finding:
    """The first that fails, or the last."""
    return next((finding for finding in findings if not finding.holds), findings[-1])


CLAIMS = (
    Claim(
        id="udl.2",
        title="Layers that stack",
        texts=Texts(
            asks="Why should a Transformer layer give tokens of the size that it takes?",
            derivation="A residual connection adds what came in: $x + f(x)$ exists only where $f(x)$ has the shape of "
            "$x$. With $f: \\mathbb{R}^{N \\times D} \\to \\mathbb{R}^{N \\times D}$ the sum has that shape again, so "
            "the same kind of layer can follow, as often as one likes.\n\n"
            "Inside, widths may differ: heads and the hidden part of the feed-forward layer are of any size, and an "
            "output matrix leads back to $D$.",
            quantities={"N": "tokens", "D": "width of a token"},
            method="built at two widths and at depths 1, 4 and 16, forward and backward",
            code=("regard.models.stack:Stack", "regard.models.block:Block"),
        ),
        ours=Version("output width D", r"f: \mathbb{R}^{N \times D} \to \mathbb{R}^{N \times D}", lambda D: D),
        twin=Version("output width D/2", r"f: \mathbb{R}^{N \times D} \to \mathbb{R}^{N \times D/2}", lambda D: D // 2),
        check=stacks,
        expected=Verdict.HOLDS,
    ),
    Claim(
        id="udl.3",
        title="Self-attention and permutations",
        texts=Texts(
            asks="The tokens are the columns of X. Show that Sa[XP] = Sa[X]P for every permutation matrix P.",
            derivation="Write $A = K^\\top Q$ for the logits of $X$, a query in each column. The tokens $XP$ have "
            "queries $QP$, keys $KP$ and values $VP$, so their logits are $P^\\top A P$. This is $A$ with rows and "
            "columns in another order, and not $A$.\n\n"
            "The softmax works on each column and does not mind the order inside it: "
            "$\\operatorname{softmax}[P^\\top A P] = P^\\top \\operatorname{softmax}[A] P$.\n\n"
            "Hence $Sa[XP] = VP \\cdot P^\\top \\operatorname{softmax}[A] P = V \\operatorname{softmax}[A] P = "
            "Sa[X]P$, because $PP^\\top = I$. A derivation that keeps $A$ inside would need "
            "$P \\operatorname{softmax}[A] = \\operatorname{softmax}[A] P$, which is false.",
            quantities={
                "X": "tokens, D × N, one in each column",
                "P": "permutation matrix, N × N",
                "Q, K, V": "queries, keys and values of X, in columns",
            },
            method="float64, tolerance 1e-12, three random layers and permutations (seeds 0 to 2), D = 5, N = 7",
            code=("regard.layers.multihead:MultiHead", "regard.algorithms.attend:weights"),
        ),
        document=Version(
            "Sa[XP] = Sa[X]P, since PᵀKᵀQP = KᵀQ and P moves past the softmax; tokens in rows",
            r"P^\top K^\top Q P = K^\top Q",
            Permuted(lambda attends, X, P: attends(X) @ P, lambda A, P: A, axis=0),
        ),
        ours=Version(
            "Sa[XP] = Sa[X]P, since softmax[PᵀAP] = Pᵀ softmax[A] P; tokens in columns",
            r"\operatorname{softmax}[P^\top A P] = P^\top \operatorname{softmax}[A] P",
            Permuted(lambda attends, X, P: attends(X) @ P, lambda A, P: P.T @ A @ P, axis=1),
        ),
        twin=Version(
            "Sa[XP] = Sa[X]: the order of the tokens does not matter at all",
            r"Sa[XP] = Sa[X]",
            Permuted(lambda attends, X, P: attends(X), lambda A, P: P.T @ A @ P, axis=1),
        ),
        check=permuted,
        expected=Verdict.CORRECTED,
    ),
)
