"""One-hot heads as a convolution: which tap belongs to which head, and how wide the heads must be."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from regard.analysis import (
    attention_as_printed,
    attention_from_conv,
    conv_from_attention,
    thin_attention_from_conv,
    thin_conv,
)
from regard.attention import Grid, Hard
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.layers import AttentionConv, Gaussian, PositionHeads

EXACT = 1e-14  # relative to the convolution's own size
SEEDS = (0, 1, 2)


def random_conv(seed: int, inside: int = 3, out: int = 4, size: int = 3, **options: Any) -> nn.Conv2d:
    """A convolution with a random kernel, without any symmetry, in float64."""
    conv = nn.Conv2d(inside, out, size, **options, dtype=torch.float64)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in conv.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return conv


def image(seed: int, channels: int = 3, sides: tuple[int, int] = (7, 8)) -> Tensor:
    generator = torch.Generator().manual_seed(100 + seed)
    return torch.randn(2, channels, *sides, generator=generator, dtype=torch.float64)


@torch.no_grad()
def miss(layer: nn.Module, conv: nn.Module, x: Tensor) -> float:
    """The largest difference, relative to the convolution's largest output."""
    found, true = layer(x), conv(x)
    return float((found - true).abs().max() / true.abs().max())


@dataclass(frozen=True)
class Taps:
    """Head h attends one-hot to q + `attends`·f(h), and has the weights W^h = W^conv at `tap`·f(h)."""

    attends: int
    tap: int


def built(conv: nn.Conv2d, stated: Taps) -> AttentionConv:
    """One-hot heads at the stated places with the stated weights, f(h) going over the kernel in raster order."""
    layer, _ = attention_from_conv(conv, weighting=Hard())
    taps = layer.taps().detach()  # W^conv at f(h)
    layer.place_heads(stated.attends * layer.stencil.offsets(), 1.0)
    with torch.no_grad():
        ordered = taps if stated.tap == 1 else taps.flip(0)  # −f(h) is tap −1−h of the raster
        layer.heads.value.weight.copy_(ordered.flatten(0, 1).T)
    return layer


def bijection(stated: Taps) -> Sequence[Finding]:
    """Build the heads from kernels with and without symmetry, and read the convolution back from the heads."""
    inside, zeros, back, even = [], [], [], []
    reached = True
    for seed in SEEDS:
        conv, padded = random_conv(seed), random_conv(seed, padding=1)
        layer = built(padded, stated)
        inside.append(miss(built(conv, stated), conv, image(seed)))
        zeros.append(miss(layer, padded, image(seed)))
        found = conv_from_attention(layer)[0]
        reached &= found.kernel_size == (3, 3) and miss(found, layer, image(seed)) <= EXACT
        back.append(float((found.weight - padded.weight).detach().abs().max() / padded.weight.detach().abs().max()))
        padded.weight.data += padded.weight.data.flip(2, 3)
        even.append(miss(built(padded, stated), padded, image(seed)))
    return [
        Finding("a 3 × 3 convolution", reached, "9 one-hot heads on a bijection of shifts are some 3 × 3 convolution"),
        Finding(
            "symmetric kernels", max(even) <= EXACT, f"for kernels with W_δ = W_−δ the layer is off by {max(even):.0e}"
        ),
        Finding(
            "any kernel, inside",
            max(inside) <= EXACT,
            f"heads that look at q {sign(stated.attends)} f(h) with W_{sign(stated.tap)}f(h) miss an asymmetric kernel "
            f"by {shown(inside)} of its size",
            detail=True,
        ),
        Finding(
            "any kernel, zeros",
            max(zeros) <= EXACT,
            f"with zero tokens as keys, at borders too, by {shown(zeros)}",
            True,
        ),
        Finding(
            "the other way",
            max(back) <= EXACT,
            f"the heads' own kernel differs from the given one by {shown(back)}",
            True,
        ),
        *conditions(),
    ]


def shown(errors: list[float]) -> str:
    return f"{max(errors):.0e}" if max(errors) <= EXACT else f"{min(errors):.2f} and more"


def sign(number: int) -> str:
    return "+" if number > 0 else "−"


@functools.cache
def conditions() -> tuple[Finding, ...]:
    """What the theorem needs: zero tokens at the border, an odd kernel; and the sign that the document means."""
    padded, x = random_conv(0, padding=1), image(0)
    without = random_conv(0, padding=1, padding_mode="replicate")  # heads that see the image alone
    layer, _ = attention_from_conv(without, weighting=Hard())
    border = miss(layer, padded, x)
    true_pair = miss(built(padded, Taps(-1, -1)), padded, x)
    library = [
        miss(built(padded, Taps(-1, 1)), attention_as_printed(padded, weighting=Hard()), x),
        miss(built(padded, Taps(-1, -1)), attention_from_conv(padded, weighting=Hard(), sign="query − key")[0], x),
    ]
    offsets = attention_from_conv(random_conv(0, size=2))[0].stencil.offsets().tolist()
    mirrored = [[-row, -column] for row, column in offsets]
    return (
        Finding("zero tokens are needed", border > 0.1, f"without zero tokens the border is off by {border:.2f}"),
        Finding("q − f(h)", max(true_pair, *library) <= EXACT, "heads at q − f(h) need W_−f(h): then they are right"),
        Finding("odd K", sorted(offsets) != sorted(mirrored), "for K = 2 the shifts are not those of the mirror image"),
    )


@dataclass(frozen=True)
class LeastWidth:
    """The least value width D_o at which heads can be any kernel, D_in × D_out at each of its taps.

    `one_hot` is for one-hot heads, one per shift; `others` for several heads per shift, or for soft ones; `heads` is
    how many soft heads that takes.
    """

    one_hot: Callable[[int, int], int]
    others: Callable[[int, int], int]
    heads: Callable[[int, int], int] | None = None


CHANNELS = ((3, 4), (4, 2), (3, 3))


class Measured(NamedTuple):
    """What a kernel of these channels needs, and what the constructions with heads of width one miss."""

    narrowest: int
    below: float  # the miss of the best one-hot heads that are thinner by one
    several: float
    soft: float
    num_soft: int


@functools.cache
def measured(inside: int, out: int) -> Measured:
    conv, x = random_conv(inside, inside, out, padding=1), image(out, inside)
    width, several, soft = narrowest(conv), several_heads(conv), thin_attention_from_conv(conv)
    assert rank_of(several) == 1
    errors = [miss(several, conv, x), miss(soft, conv, x)]
    return Measured(width, best_of_width(conv, width - 1, x), errors[0], errors[1], len(soft.logits))


def least_width(stated: LeastWidth) -> Sequence[Finding]:
    """Heads of each width at their best, then several thin heads per shift, then thin soft ones."""
    findings = []
    for inside, out in CHANNELS:
        true, said = measured(inside, out), stated.one_hot(inside, out)
        needs = f"need D_o = {true.narrowest} (at {true.narrowest - 1} they miss by {true.below:.2f})"
        shown = f"{inside} → {out} channels: one-hot heads, one per shift, {needs}; stated {said}"
        findings.append(Finding(f"one-hot, {inside} → {out}", said == true.narrowest, shown))
    for inside, out in CHANNELS:
        true, said = measured(inside, out), stated.others(inside, out)
        is_exact = max(true.several, true.soft) <= 10 * EXACT
        ways = f"several heads per shift are off by {true.several:.0e}, {true.num_soft} soft ones by {true.soft:.0e}"
        shown = f"{inside} → {out} channels: D_o = 1 will do, {ways}; stated {said}"
        findings.append(Finding(f"others, {inside} → {out}", is_exact and said == 1, shown, detail=True))
        if stated.heads is not None:
            count = stated.heads(inside, out)
            shown = f"{true.num_soft} soft heads for {inside} → {out} channels; stated {count}"
            findings.append(Finding("heads", count == true.num_soft, shown))
    return findings


def narrowest(conv: nn.Conv2d) -> int:
    """The least width of one-hot heads, one per tap, that misses nothing."""
    widths = range(1, max(conv.in_channels, conv.out_channels) + 1)
    return next(width for width in widths if thin_conv(conv, width)[1] <= 1e-12)


def best_of_width(conv: nn.Conv2d, width: int, x: Tensor) -> float:
    """What the best heads of this width miss: by Eckart and Young, those of the largest singular values."""
    layer, _ = attention_from_conv(thin_conv(conv, width)[0], weighting=Hard())
    assert rank_of(layer.heads) == width
    return miss(layer, conv, x)


def rank_of(layer: nn.Module) -> int:
    """The largest rank of a head's W^h, which its value width cannot be below."""
    heads = next(part for part in layer.modules() if isinstance(part, PositionHeads))
    blocks = heads.value.weight.detach().T.unflatten(0, (heads.num_heads, -1))
    return int(torch.linalg.matrix_rank(blocks, rtol=1e-10).max())


class SeveralHeads(nn.Module):
    """One-hot heads on a padded image, whose W^h are given."""

    def __init__(self, centres: Tensor, blocks: Tensor, bias: Tensor) -> None:
        super().__init__()
        heads, inside, out = blocks.shape
        position = Gaussian(heads, dtype=torch.float64)
        position.set(centres.double(), torch.ones(heads, dtype=torch.float64))
        options = {"out_width": out, "project": False, "weighting": Hard(), "dtype": torch.float64}
        self.heads = PositionHeads(inside, position, **options)
        with torch.no_grad():
            self.heads.value.weight.copy_(blocks.flatten(0, 1).T)
            assert self.heads.value.bias is not None
            self.heads.value.bias.copy_(bias)

    def forward(self, x: Tensor) -> Tensor:
        h, w = x.shape[2:]
        padded = nn.functional.pad(x, (1, 1, 1, 1)).flatten(2).mT
        y = self.heads(padded, Grid(h + 2, w + 2, start=(-1, -1)), Grid(h, w))
        return y.mT.unflatten(2, (h, w))


def several_heads(conv: nn.Conv2d) -> SeveralHeads:
    """As many heads per tap as its rank, each of width one: the terms of the singular value decomposition."""
    one, _ = attention_from_conv(conv, weighting=Hard())
    left, values, right = torch.linalg.svd(one.taps().detach(), full_matrices=False)
    terms = (left * values[:, None]).mT[..., None] * right[:, :, None]  # (taps, rank, C_in, C_out)
    centres = one.stencil.offsets().repeat_interleave(terms.shape[1], 0)
    assert conv.bias is not None
    return SeveralHeads(centres, terms.flatten(0, 1), conv.bias.detach())


CLAIMS = (
    Claim(
        id="conv.c2",
        title="One-hot heads are a convolution",
        texts=Texts(
            asks="Each of K² heads attends one-hot to the pixel at a shift f(h) from the query, and f is a bijection "
            "onto the shifts of a K × K kernel. Show that the layer is a convolution, and give its weights.",
            derivation="If head $h$ puts all its weight on pixel $q + f(h)$, then "
            "$\\sum_h \\operatorname{softmax}(A^{(h)}) Z W^{(h)} = \\sum_h Z_{q + f(h)} W^{(h)}$. A convolution is "
            "$\\sum_{\\delta} Z_{q + \\delta} W^{conv}_\\delta$ over the shifts $\\delta$ of its kernel; as $f$ is a "
            "bijection, $W^{(h)} = W^{conv}_{f(h)}$ makes the two equal.\n\n"
            "The document lets the heads attend to $q - f(h)$ and then exchanges the sign *by symmetry of the shifts*. "
            "The set of shifts is symmetric, the terms are not: $Z_{q - f(h)} W^{conv}_{f(h)}$ is another term of the "
            "sum than $Z_{q + f(h)} W^{conv}_{f(h)}$. What it derives is the convolution with the flipped kernel. With "
            "its sign the weights are $W^{(h)} = W^{conv}_{-f(h)}$.\n\n"
            "It needs an odd K (shifts centred on the query), and pixels to look at: inside the image, or zero tokens "
            "as keys around it.",
            quantities={
                "$f(h)$": "the shift of head h",
                "$W^{conv}_\\delta$": "the kernel's matrix at shift δ, D_in × D_out",
                "$W^{(h)}$": "the head's value and output projections in one",
            },
            method="float64, three random 3 × 3 kernels, error relative to the convolution's largest output, to 1e-14",
            code=(
                "regard.analysis.convolution.conversion:attention_from_conv",
                "regard.analysis.convolution.conversion:attention_as_printed",
                "regard.layers.convolutional:AttentionConv",
            ),
        ),
        document=Version(
            "a convolution with W^h = W_f(h), by heads that attend to q − f(h)",
            r"\sum_h Z_{q - f(h)} W^{conv}_{f(h)}",
            Taps(-1, 1),
        ),
        ours=Version(
            "a convolution with W^h = W_f(h), by heads that attend to q + f(h); at q − f(h) it is W_−f(h)",
            r"\sum_h Z_{q + f(h)} W^{conv}_{f(h)}",
            Taps(1, 1),
        ),
        twin=Version(
            "a convolution with W^h = W_−f(h), by heads that attend to q + f(h)",
            r"\sum_h Z_{q + f(h)} W^{conv}_{-f(h)}",
            Taps(1, -1),
        ),
        check=bijection,
        expected=Verdict.CORRECTED,
    ),
    Claim(
        id="conv.c2r",
        title="How wide the heads must be",
        texts=Texts(
            asks="Which value width D_o do heads need, so that the layer can be any convolution from D_in to D_out "
            "channels?",
            derivation="A head's $W^{(h)} = W_v^{(h)} W_{out}[h]$ goes through $D_o$ numbers, so its rank is at most "
            "$D_o$. A kernel's entry may have rank $\\min(D_{in}, D_{out})$. With one one-hot head per shift that is "
            "the least width; a thinner head misses the next singular value at least, for some input.\n\n"
            "It is no law of attention. Several one-hot heads at one shift add up their ranks: heads of width 1, as "
            "many per shift as the entry's rank, are the singular value decomposition. And soft heads of width 1 can "
            "be any kernel: for each pair of channels the positive entries, divided by their sum, are a softmax over "
            "the shifts; so are the negative ones. These are $2 D_{in} D_{out}$ heads, however large the kernel.",
            quantities={"$D_o$": "width of a head's values", "$D_{in}, D_{out}$": "channels in and out"},
            method="float64, random kernels of 3 → 4, 4 → 2 and 3 → 3 channels; exact means 1e-13 of the output's size",
            code=(
                "regard.analysis.convolution.conversion:thin_conv",
                "regard.analysis.convolution.conversion:thin_attention_from_conv",
                "regard.layers.convolutional:ThinHeads",
            ),
        ),
        document=Version(
            "D_o ≥ min(D_in, D_out) for any kernel",
            r"D_o \ge \min(D_{in}, D_{out})",
            LeastWidth(min, min),
        ),
        ours=Version(
            "min(D_in, D_out) for one-hot heads, one per shift; 1 in general, as by 2·D_in·D_out soft heads",
            r"D_o \ge \operatorname{rank} W^{(h)}; \quad D_o = 1 \text{ with } 2 D_{in} D_{out} \text{ soft heads}",
            LeastWidth(min, lambda a, b: 1, lambda a, b: 2 * a * b),
        ),
        twin=Version("D_o ≥ max(D_in, D_out)", r"D_o \ge \max(D_{in}, D_{out})", LeastWidth(max, lambda a, b: 1)),
        check=least_width,
        expected=Verdict.CORRECTED,
    ),
)
