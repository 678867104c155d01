"""Padding, dilation and stride of a convolution, by attention."""

import functools
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, conv2d, max_pool2d, pad

from regard.analysis import attention_from_conv, cost
from regard.attention import Dense, Everything, Grid, Hard
from regard.claims.claim import CORRECTED, HOLDS, Finding, Findings, View, claim
from regard.claims.conv.theorem import EXACT, draw_conv, draw_image, miss
from regard.claims.findings import Count, agrees, written
from regard.layers import AttentionConv, Stencil

SIDES = (8, 9)


@functools.cache
def needed_zeros(K: int, dil: int) -> int:
    """The padding for which a convolution of the framework gives an image of the size that it took; −1 for none."""
    x, kernel = torch.zeros(1, 1, *SIDES), torch.zeros(1, 1, K, K)
    fitting = [p for p in range(dil * K) if 2 * p + min(SIDES) > dil * (K - 1)]
    found = [p for p in fitting if conv2d(x, kernel, padding=p, dilation=dil).shape == x.shape]
    return found[0] if found else -1


def library_zeros(K: int, dil: int) -> int:
    """The pads of the library's layer for an output of the same size; −1 where they are not alike on all sides."""
    (found, *others) = {n for pair in Stencil(size=(K, K), dilation=dil, padding="same").pads for n in pair}
    return -1 if others else found


def attend_padded(conv: nn.Conv2d, count: int, pads: str, x: Tensor) -> Tensor:
    """What one-hot heads at the taps of a convolution see in an image with so many zero tokens around, or masked."""
    layer, _ = attention_from_conv(conv, weighting=Hard())
    (h, w), around = x.shape[2:], (count,) * 4
    keys, queries = Grid(h + 2 * count, w + 2 * count, start=(-count, -count)), Grid(h, w)
    real = pad(torch.ones(h, w, dtype=torch.bool), around).flatten()
    mask = Dense(real.expand(h * w, -1)) if pads == "masked" else Everything()
    return layer.heads(pad(x, around).flatten(2).mT, keys, queries, mask=mask).mT.unflatten(2, (h, w))


@claim(
    "conv.e1",
    HOLDS,
    document={"zeros": lambda K, dil: K // 2, "dilations": (1,)},
    twin={"zeros": lambda K, dil: K // 2, "dilations": (1,), "pads": "masked"},
    view=View("heads", "See heads at the image's corner", {"query": [0, 0]}),
)
def same_size(
    zeros: Count = lambda K, dil: dil * (K // 2), dilations: Sequence[int] = (1, 2, 3), pads: str = "visible"
) -> Findings:
    """Sizes of framework convolutions and of the library's layer, and attention with the pads that are stated."""
    sizes = [{"K": K, "dil": dil} for K in (1, 3, 5, 7) for dil in dilations]
    yield agrees("zeros on each side", zeros, needed_zeros, sizes)
    yield agrees("zeros that the library's layer adds", zeros, library_zeros, sizes)
    errors = {}
    for at in sizes:
        conv, x = draw_conv(at["K"], size=at["K"], padding="same", dilation=at["dil"]), draw_image(at["K"], sides=SIDES)
        errors[written(at)] = miss(functools.partial(attend_padded, conv, zeros(**at), pads), conv, x)
    wrong = [f"{error:.2f} at {at}" for at, error in errors.items() if not error <= EXACT]
    by = wrong[0] if wrong else f"{max(errors.values()):.0e} at most, over {len(sizes)} kernels"
    yield Finding("the convolution", not wrong, f"attention with {pads} pads misses the convolution by {by}")
    yield from other_pads()


@functools.cache
def other_pads() -> tuple[Finding, ...]:
    """The library's layer sees its pads, masked ones replicate the border, and an even kernel has none alike."""
    conv, x = draw_conv(3, padding="same", dilation=(1, 2)), draw_image(3)
    replicate = draw_conv(3, padding=(1, 2), padding_mode="replicate", dilation=(1, 2))
    masked = functools.partial(attend_padded, conv, 2, "masked")
    own = miss(attention_from_conv(conv, weighting=Hard())[0], conv, x)
    found, zeros = miss(masked, replicate, x), miss(masked, conv, x)
    even = [needed_zeros(K, 1) for K in (2, 4)]
    masking = f"masked pads make it replicate padding (off by {found:.0e}), not zeros (off by {zeros:.2f})"
    return (
        Finding(
            "the library's layer", own <= EXACT, f"the library's layer, which adds them itself, misses by {own:.0e}"
        ),
        Finding("masked pads", found <= EXACT < zeros, masking),
        Finding("odd K", even == [-1, -1], "for K = 2 and 4 no padding alike on both sides keeps the size"),
    )


@claim("conv.e2", HOLDS, twin={"place": lambda shifts, step: shifts + (step - 1) * shifts.sign()})
def dilation(place: Callable[[Tensor, Tensor], Tensor] = lambda shifts, step: shifts * step) -> Findings:
    """Heads at the stated places, which must be the library's, against dilated convolutions of the framework."""
    drawn = random.Random(0)
    for seed, size in enumerate((3, 3, 5, 5)):
        step, line = (drawn.randint(1, 4), drawn.randint(2, 4)), torch.arange(size) - size // 2
        conv, x = draw_conv(seed, size=size, padding="same", dilation=step), draw_image(seed, sides=(17, 18))
        layer, _ = attention_from_conv(conv, weighting=Hard())
        stated = place(torch.cartesian_prod(line, line), torch.tensor(step))
        same = torch.equal(layer.position.centre.detach(), stated.double())
        own = miss(layer, conv, x)
        layer.place_heads(stated, 1.0)
        error = miss(layer, conv, x)
        shown = f"{size} × {size} taps, dilation {step[0]} × {step[1]}: off by {error:.1e}; the library's heads, "
        shown += f"{'at these' if same else 'not at these'} places, by {own:.1e}"
        yield Finding(f"kernel {seed}", same and max(error, own) <= EXACT, shown)


POOLINGS: dict[str, Callable[[Tensor, int], Tensor]] = {
    "subsampling": lambda y, s: y[..., ::s, ::s],
    "max": lambda y, s: max_pool2d(y, s, ceil_mode=True),
    "average": lambda y, s: avg_pool2d(y, s, ceil_mode=True),
}
LAYERS = {"full": "heads of any shape mix, then project", "isotropic": "round heads mix columns, project, mix rows"}
IN, OUT, TAPS = 3, 4, 9
Share = Callable[..., Fraction]  # of the sides h, w and the stride s


def count_by_axes(h: int, w: int, s: int) -> int:
    """FLOPs of the way by columns and rows, with one zero on each side."""
    rows, columns = -(-h // s), -(-w // s)
    return 2 * TAPS * (h + 2) * columns * ((w + 2) * IN + IN * OUT + rows * OUT)


@functools.cache
def count_flops(kind: str, h: int, w: int, s: int) -> int:
    """FLOPs of the library's layer.

    Only heads whose precision is the same in all directions fall apart into rows and columns: for those the layer finds
    it cheaper to project in between.
    """
    layer = AttentionConv(IN, OUT, Stencil(size=(3, 3), padding=1, stride=s), kind=kind)
    return int(cost(layer, torch.empty(1, IN, h, w), backward=False).forward.executed)


@functools.cache
def miss_of_stride(pooling: str) -> list[float]:
    """What a layer of stride 1 with a pooling misses of convolutions with a stride; without one, the strided layer."""
    found = []
    for s in (2, 3):
        strided, x = draw_conv(s, padding=1, stride=s), draw_image(s, sides=(9, 10))
        if pooling:
            layer, _ = attention_from_conv(draw_conv(s, padding=1), weighting=Hard())
            found.append(miss(lambda x, layer=layer, s=s: POOLINGS[pooling](layer(x), s), strided, x))
        else:
            found.append(miss(attention_from_conv(strided, weighting=Hard())[0], strided, x))
    return found


@claim(
    "conv.e3",
    CORRECTED,
    document={"poolings": ("subsampling", "max", "average"), "work": None, "by_axes": None},
    twin={
        "poolings": ("max",),
        "work": lambda h, w, s: Fraction(1, s * s),
        "by_axes": lambda h, w, s: Fraction(1, s * s),
    },
)
def stride(
    poolings: Sequence[str] = ("subsampling",),
    work: Share | None = lambda h, w, s: Fraction(-(-h // s) * -(-w // s), h * w),
    by_axes: Share | None = lambda h, w, s: Fraction(count_by_axes(h, w, s), count_by_axes(h, w, 1)),
) -> Findings:
    """A layer of stride 1 with each pooling, then heads that attend from the kept pixels alone, and their work."""
    for name in poolings:
        errors = miss_of_stride(name)
        holds = max(errors) <= EXACT
        shown = f"{name} after the layer: off by {max(errors) if holds else min(errors):.2g} of the convolution's size"
        yield Finding(name, holds, shown, detail=name != "subsampling")
    sizes = [{"h": h, "w": w, "s": s} for h, w, s in ((9, 10, 2), (7, 11, 3))]
    for kind, said in (("full", work), ("isotropic", by_axes)):
        if said is None:
            continue
        counts = [(count_flops(kind, **at), count_flops(kind, **at | {"s": 1})) for at in sizes]
        wrong = [n for n, at in enumerate(sizes) if said(**at) != Fraction(*counts[n])]
        (some, whole), at = (counts[n := (wrong or [0])[0]], sizes[n])
        instead = f", not {said(**at)}" if wrong else ""
        shown = f"{LAYERS[kind]}: {some:,} of {whole:,} FLOPs, {Fraction(some, whole)}{instead}, at {written(at)}"
        yield Finding(f"work, {kind}", not wrong, shown)
    error = max(miss_of_stride(""))
    shown = f"heads that attend from the kept pixels alone are off by {error:.1e}"
    yield Finding("kept pixels", error <= EXACT, shown)
