"""Padding, dilation and stride of a convolution, by attention."""

import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.analysis import attention_from_conv, cost
from regard.attention import Dense, Everything, Grid, Hard
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.conv.theorem import EXACT, image, miss, random_conv
from regard.claims.findings import agrees, written
from regard.layers import AttentionConv, Stencil

KERNELS = (1, 3, 5, 7)
SIDES = (13, 14)


@dataclass(frozen=True)
class Zeros:
    """How many zero tokens stand on each side of the image, and whether queries see them."""

    count: Callable[..., int]  # of the kernel's size K and the dilation dil
    dilations: tuple[int, ...]  # for which this is said
    pads: str = "visible"


def same_size(stated: Zeros) -> Sequence[Finding]:
    """Sizes of framework convolutions, and attention with the pads that are stated."""
    sizes = [{"K": K, "dil": dil} for K in KERNELS for dil in stated.dilations]
    errors = []
    for at in sizes:
        conv = random_conv(at["K"], size=at["K"], padding=at["dil"] * (at["K"] // 2), dilation=at["dil"])
        errors.append(miss(Padded(conv, stated.count(**at), stated.pads), conv, image(at["K"], sides=SIDES)))
    parts = [(f"{error:.2f}", written(at)) for error, at in zip(errors, sizes, strict=True) if error > EXACT]
    what = f"{parts[0][0]} at {parts[0][1]}" if parts else f"{max(errors):.0e} at most, over {len(sizes)} kernels"
    return [
        agrees("zeros on each side", stated.count, needed, sizes),
        Finding("the convolution", not parts, f"attention with {stated.pads} pads misses the convolution by {what}"),
        *without_zeros(),
    ]


@functools.cache
def needed(K: int, dil: int) -> int:
    """The padding for which a convolution of the framework gives an image of the size that it took; −1 for none."""
    x, kernel = torch.zeros(1, 1, *SIDES), torch.zeros(1, 1, K, K)
    fitting = [p for p in range(dil * K) if 2 * p + min(SIDES) > dil * (K - 1)]
    found = [p for p in fitting if functional.conv2d(x, kernel, padding=p, dilation=dil).shape == x.shape]
    return found[0] if found else -1


class Padded(nn.Module):
    """One-hot heads at the taps of a convolution, on an image with so many zero tokens around, seen or masked."""

    def __init__(self, conv: nn.Conv2d, count: int, pads: str) -> None:
        super().__init__()
        self.layer, self.count, self.pads = attention_from_conv(conv, weighting=Hard())[0], count, pads

    def forward(self, x: Tensor) -> Tensor:
        h, w = x.shape[2:]
        p = self.count
        keys, queries = Grid(h + 2 * p, w + 2 * p, start=(-p, -p)), Grid(h, w)
        tokens = functional.pad(x, (p, p, p, p)).flatten(2).mT
        real = functional.pad(torch.ones(h, w, dtype=torch.bool), (p, p, p, p)).flatten()
        mask = Dense(real.expand(h * w, -1)) if self.pads == "masked" else Everything()
        return self.layer.heads(tokens, keys, queries, mask=mask).mT.unflatten(2, (h, w))


@functools.cache
def without_zeros() -> tuple[Finding, ...]:
    """Masked pads replicate the border, and an even kernel has no padding on both sides alike."""
    conv, x = random_conv(3, padding=1), image(3)
    replicate = random_conv(3, padding=1, padding_mode="replicate")
    masked = Padded(conv, 1, "masked")
    found, zeros = miss(masked, replicate, x), miss(masked, conv, x)
    even = [needed(K, 1) for K in (2, 4)]
    return (
        Finding(
            "masked pads",
            found <= EXACT < zeros,
            f"masked pads make it replicate padding (off by {found:.0e}), not zeros (off by {zeros:.2f})",
        ),
        Finding("odd K", even == [-1, -1], "for K = 2 and 4 no padding alike on both sides keeps the size"),
    )


Dilated = Callable[[Tensor, Tensor], Tensor]  # of the shifts f(h) and the dilation along each axis


def dilation(place: Dilated) -> Sequence[Finding]:
    """Heads at the stated places against dilated convolutions of the framework."""
    drawn, findings = random.Random(0), []
    for seed, size in enumerate((3, 3, 5, 5)):
        step = (drawn.randint(1, 4), drawn.randint(1, 4))
        conv = random_conv(seed, size=size, padding="same", dilation=step)
        layer, _ = attention_from_conv(conv, weighting=Hard())
        layer.place_heads(place(Stencil(size=(size, size)).offsets(), torch.tensor(step)), 1.0)
        error = miss(layer, conv, image(seed, sides=(17, 18)))
        shown = f"{size} × {size} taps, dilation {step[0]} × {step[1]}: off by {error:.1e}"
        findings.append(Finding(f"kernel {seed}", error <= EXACT, shown))
    return findings


@dataclass(frozen=True)
class Stride:
    """By which poolings after a layer of stride 1 a stride is expressed; which share of the work it is without one."""

    poolings: tuple[str, ...]
    work: Callable[..., Fraction] | None = None  # of heads that mix, then project: of the sides h, w and the stride s
    by_axes: Callable[..., Fraction] | None = None  # of heads that mix columns, project, then mix rows


POOLINGS: dict[str, Callable[[Tensor, int], Tensor]] = {
    "subsampling": lambda y, s: y[..., ::s, ::s],
    "max": lambda y, s: functional.max_pool2d(y, s, ceil_mode=True),
    "average": lambda y, s: functional.avg_pool2d(y, s, ceil_mode=True),
}
STRIDES = (2, 3)


def stride(stated: Stride) -> Sequence[Finding]:
    """A layer of stride 1 with each pooling, then heads that attend from the kept pixels alone."""
    findings = []
    for name in stated.poolings:
        errors = [pooled(name, s) for s in STRIDES]
        holds = max(errors) <= EXACT
        shown = f"{name} after the layer: off by {max(errors) if holds else min(errors):.2g} of the convolution's size"
        findings.append(Finding(name, holds, shown, detail=name != "subsampling"))
    ways = {"full": stated.work, "isotropic": stated.by_axes}
    findings += [worked(kind, said) for kind, said in ways.items() if said is not None]
    return [*findings, kept_pixels()]


LAYERS = {"full": "heads of any shape mix, then project", "isotropic": "round heads mix columns, project, mix rows"}
IN, OUT, TAPS = 3, 4, 9


def worked(kind: str, said: Callable[..., Fraction]) -> Finding:
    """The share of the work, as it is stated and as it is counted."""
    sizes = [{"h": h, "w": w, "s": s} for h, w, s in ((9, 10, 2), (7, 11, 3))]
    wrong = [at for at in sizes if said(**at) != Fraction(*counts(kind, **at))]
    at = (wrong or sizes)[0]
    some, whole = counts(kind, **at)
    instead = f", not {said(**at)}" if wrong else ""
    shown = f"{LAYERS[kind]}: {some:,} of {whole:,} FLOPs, {Fraction(some, whole)}{instead}, at {written(at)}"
    return Finding(f"work, {kind}", not wrong, shown)


@functools.cache
def pooled(name: str, s: int) -> float:
    conv = random_conv(s, padding=1)
    strided = random_conv(s, padding=1, stride=s)
    layer, _ = attention_from_conv(conv, weighting=Hard())
    with torch.no_grad():
        x = image(s, sides=(9, 10))
        found, true = POOLINGS[name](layer(x), s), strided(x)
    return float((found - true).abs().max() / true.abs().max()) if found.shape == true.shape else float("inf")


@functools.cache
def kept_pixels() -> Finding:
    """Heads with fewer queries are the strided convolution."""
    convs = [random_conv(s, padding=1, stride=s) for s in STRIDES]
    error = max(miss(attention_from_conv(conv, weighting=Hard())[0], conv, image(3, sides=(9, 10))) for conv in convs)
    return Finding(
        "kept pixels", error <= EXACT, f"heads that attend from the kept pixels alone are off by {error:.1e}"
    )


@functools.cache
def counts(kind: str, h: int, w: int, s: int) -> tuple[int, int]:
    """FLOPs of the library's layer with a stride, and without.

    Only heads whose precision is the same in all directions fall apart into rows and columns: for those the layer finds
    it cheaper to project in between.
    """
    layers = [AttentionConv(IN, OUT, Stencil(size=(3, 3), padding=1, stride=step), kind=kind) for step in (s, 1)]
    some, whole = (cost(layer, torch.empty(1, IN, h, w), backward=False).forward.executed for layer in layers)
    return some, whole


def by_axes(h: int, w: int, s: int) -> int:
    """FLOPs of the way by columns and rows, with one zero on each side."""
    rows, columns = -(-h // s), -(-w // s)
    return 2 * TAPS * (h + 2) * columns * ((w + 2) * IN + IN * OUT + rows * OUT)


CLAIMS = (
    Claim(
        id="conv.e1",
        title="Padding for an output of the same size",
        texts=Texts(
            asks="How many zeros must be added on each side of the image, so that a K × K convolution by attention "
            "keeps its size?",
            derivation="A convolution of stride 1 turns $n + 2p$ pixels into $n + 2p - dil \\cdot (K - 1)$. The size "
            "is kept for $p = dil \\cdot (K - 1)/2$, which is $dil \\cdot \\lfloor K/2 \\rfloor$ for odd $K$ and no "
            "whole number for an even $K$ without dilation.\n\n"
            "For attention the pads must be tokens that are seen and hold zeros: a head whose target is a pad must put "
            "its weight there. If pads are masked, the softmax gives the weight to the nearest pixel: replicate "
            "padding.",
            quantities={
                "$K$": "size of the kernel",
                "$dil$": "dilation; the document has 1",
                "$p$": "pads on each side",
            },
            method="exact sizes of framework convolutions; outputs in float64 to 1e-14, K = 1, 3, 5, 7",
            code=("regard.layers.convolutional:Stencil", "regard.layers.convolutional:AttentionConv"),
        ),
        document=Version("⌊K/2⌋ zeros on each side", r"\lfloor K/2 \rfloor", Zeros(lambda K, dil: K // 2, (1,))),
        ours=Version(
            "dil·⌊K/2⌋ zeros on each side for odd K, as visible tokens",
            r"dil \cdot \lfloor K/2 \rfloor",
            Zeros(lambda K, dil: dil * (K // 2), (1, 2, 3)),
        ),
        twin=Version(
            "⌊K/2⌋ zeros on each side, masked as keys",
            r"\lfloor K/2 \rfloor",
            Zeros(lambda K, dil: K // 2, (1,), "masked"),
        ),
        check=same_size,
        expected=Verdict.HOLDS,
    ),
    Claim(
        id="conv.e2",
        title="Dilation",
        texts=Texts(
            asks="Can attention express a convolution with any dilation?",
            derivation="A dilated convolution is $\\sum_\\delta Z_{q + dil \\cdot \\delta} W^{conv}_\\delta$: the same "
            "taps, further apart. Centres are free, so a head stands at $\\Delta_h = dil \\cdot f(h)$, with the "
            "weights of $f(h)$. The number of heads does not change.",
            quantities={"$dil$": "dilation along each axis", "$f(h)$": "the shift of head h in the kernel"},
            method="float64 against framework convolutions, 3 × 3 and 5 × 5, random dilations 1 … 4 per axis, to 1e-14",
            code=(
                "regard.layers.convolutional:AttentionConv",
                "regard.analysis.convolution.conversion:attention_from_conv",
            ),
        ),
        ours=Version("yes: Δ_h = dil·f(h)", r"\Delta_h = dil \cdot f(h)", lambda shifts, step: shifts * step),
        twin=Version(
            "yes: Δ_h = f(h) + (dil − 1)·sign f(h), one gap around the middle",
            r"\Delta_h = f(h) + (dil - 1) \operatorname{sign} f(h)",
            lambda shifts, step: shifts + (step - 1) * shifts.sign(),
        ),
        check=dilation,
        expected=Verdict.HOLDS,
    ),
    Claim(
        id="conv.e3",
        title="Stride",
        texts=Texts(
            asks="How can a convolution with a stride be expressed by attention?",
            derivation="A stride $s$ keeps the outputs at every $s$-th pixel of a row and of a column. After a layer "
            "of stride 1 that is a *subsampling*. The document says pooling: max and average pooling mix each kept "
            "output with its neighbours and are no strided convolution.\n\n"
            "Better, nothing that is dropped need be computed: queries stand at the kept pixels alone. For heads that "
            "attend by position and mix before they project, both products are proportional to the number of queries, "
            "so the work is $\\lceil h/s \\rceil \\lceil w/s \\rceil / (hw)$ of the layer's.\n\n"
            "Round gaussian heads have a cheaper way, which the library's layer takes: mix along the columns, project, "
            "mix along the rows, $2 N_h (h+2) \\lceil w/s \\rceil \\left( (w+2) D_{in} + D_{in} D_{out} + "
            "\\lceil h/s \\rceil D_{out} \\right)$ FLOPs with one zero on each side. Its first two steps are made "
            "for all rows, so a stride saves a smaller share, of less work: 17/42 against 5/18 for "
            "$h \\times w = 9 \\times 10$ and $s = 2$, but 67,320 FLOPs against 183,600.",
            quantities={
                "$s$": "stride",
                "$h, w$": "sides of the image",
                "$N_h$": "heads, 9 for a 3 × 3 kernel",
                "$D_{in}, D_{out}$": "channels in and out, 3 and 4 here",
            },
            method="float64 against framework convolutions with strides 2 and 3, to 1e-14; FLOPs counted on the "
            "library's layer, as fractions",
            code=("regard.layers.convolutional:AttentionConv", "regard.layers.position_heads:PositionHeads"),
        ),
        document=Version(
            "a layer of stride 1 with a pooling after it",
            r"\operatorname{pool}_s(\text{layer}(Z))",
            Stride(("subsampling", "max", "average")),
        ),
        ours=Version(
            "a layer of stride 1 with subsampling after it; or from the kept pixels alone, ⌈h/s⌉⌈w/s⌉/(hw) of the work "
            "of heads that mix, then project",
            r"\frac{\lceil h/s \rceil \lceil w/s \rceil}{h w}",
            Stride(
                ("subsampling",),
                lambda h, w, s: Fraction(-(-h // s) * -(-w // s), h * w),
                lambda h, w, s: Fraction(by_axes(h, w, s), by_axes(h, w, 1)),
            ),
        ),
        twin=Version(
            "a layer of stride 1 with max pooling after it; from the kept pixels alone 1/s² of the work",
            r"\frac{1}{s^2}",
            Stride(("max",), lambda h, w, s: Fraction(1, s * s), lambda h, w, s: Fraction(1, s * s)),
        ),
        check=stride,
        expected=Verdict.CORRECTED,
    ),
)
