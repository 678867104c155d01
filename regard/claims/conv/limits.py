"""Sharper and sharper gaussian heads: where their weight goes, how fast, and the square that says so."""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from regard.algorithms import attend, weights
from regard.analysis import attention_from_conv
from regard.analysis.convolution.certificate import theta
from regard.attention import Attention, Grid, Quadratic
from regard.claims.chart import Lines
from regard.claims.claim import CORRECTED, HOLDS, Finding, Findings, View, claim
from regard.claims.conv.layer import ALPHAS, CENTRES, GRID, by_vector, remaining_term, symbols, tabulate
from regard.claims.conv.theorem import draw_conv, draw_image, miss
from regard.claims.findings import equals
from regard.formulas import write_sympy

Pixel = tuple[float, float]
Targets = Callable[[Pixel, Pixel, tuple[int, int]], set[Pixel]]  # of a query and a centre in an image of these sides
Gap = Callable[[float], Any]  # of α, in mpmath's digits
SHARP, SIDES = 64.0, (7, 8)
OVER = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # α
CASES: dict[str, list[tuple[Pixel, Pixel]]] = {
    "a pixel inside": [((3.0, 3.0), (1.0, -2.0)), ((0.0, 5.0), (0.0, 0.0)), ((6.0, 1.0), (2.0, 1.0))],
    "outside the image": [((0.0, 0.0), (1.0, 1.0)), ((3.0, 0.0), (0.0, 2.0)), ((6.0, 7.0), (-3.0, 1.0))],
    "between pixels": [((3.0, 3.0), (0.3, -0.4)), ((3.0, 3.0), (0.5, 0.0)), ((4.0, 4.0), (1.5, 0.5))],
}


def find_nearest(query: Pixel, centre: Pixel, sides: tuple[int, int]) -> set[Pixel]:
    """The pixels of the image nearest to q − Δ: two or four of them where it lies half way."""
    lines = []
    for q, c, n in zip(query, centre, sides, strict=True):
        at = min(max(q - c, 0.0), n - 1.0)
        lines.append({math.ceil(at - 0.5), math.floor(at + 0.5)})
    return {(float(row), float(column)) for row, column in itertools.product(*lines)}


def weigh_pixels(query: Pixel, centre: Pixel, alpha: float, sides: tuple[int, int]) -> dict[Pixel, float]:
    """The weights of all pixels from one query; in the document's sign the head stands at q − Δ."""
    term = Quadratic(-torch.tensor([centre], dtype=torch.float64), torch.tensor([alpha], dtype=torch.float64))
    place = Grid(1, 1, start=(int(query[0]), int(query[1])))
    found = weights(None, None, Attention(term, queries=place, keys=Grid(*sides)))[0, 0, 0].tolist()
    return dict(zip(itertools.product(map(float, range(sides[0])), map(float, range(sides[1]))), found, strict=True))


def add_others(found: dict[Pixel, float], pixels: set[Pixel]) -> float:
    """What the other pixels get, added up without them: 1 minus a weight would lose its digits."""
    return sum(weight for pixel, weight in found.items() if pixel not in pixels)


@functools.cache
def gap_at(alpha: float, place: str) -> float:
    """What the other pixels get: seen from the middle of 61 × 61 pixels, or for a target in the corner of 9 × 9."""
    if place == "middle":
        return add_others(weigh_pixels((30.0, 30.0), (1.0, 0.0), alpha, (61, 61)), {(29.0, 30.0)})
    return add_others(weigh_pixels((2.0, 2.0), (2.0, 2.0), alpha, (9, 9)), {(0.0, 0.0)})


def bound_gap(alpha: float, axes: int = 2) -> Any:
    """`1 − θ(α)^−axes`, in mpmath's digits."""
    import mpmath

    return 1 - mpmath.jtheta(3, 0, mpmath.exp(-mpmath.mpf(alpha))) ** -axes


def draw_gap() -> Lines:
    """The gap and its bound over α."""
    return Lines(
        title="What a head of precision α leaves to the other pixels",
        x=OVER,
        y={
            "bound 1 − θ(α)⁻²": [1 - theta(alpha) ** -2 for alpha in OVER],
            "target in the middle": [gap_at(alpha, "middle") for alpha in OVER],
            "target in a corner": [gap_at(alpha, "corner") for alpha in OVER],
            "4e^−α": [4 * math.exp(-alpha) for alpha in OVER],
        },
        x_label="α",
        y_label="1 − a",
        log_x=True,
        log_y=True,
    )


@claim(
    "conv.d1",
    CORRECTED,
    document={"targets": lambda q, c, sides: {(q[0] - c[0], q[1] - c[1])}, "gap": None},
    twin={"gap": lambda alpha: bound_gap(alpha, axes=1)},
    chart=draw_gap,
    view=View("heads", "Make a head sharper, and see what it leaves to other pixels"),
)
def limit(targets: Targets = find_nearest, gap: Gap | None = bound_gap) -> Findings:
    """Sharp heads at whole, outer and fractional targets, the gap over α, and a whole layer at the border."""
    for words, cases in CASES.items():
        yield check_targets(targets, words, cases)
    if gap is not None:
        yield from check_gap(gap)
    conv, x = draw_conv(0, padding=1, padding_mode="replicate"), draw_image(0)
    layer, _ = attention_from_conv(conv, sharpness=SHARP)
    with torch.no_grad():
        error = float((move_pixels(conv, x, targets) - layer(x)).abs().max())
    shown = f"a layer without pads, by these targets: off by {error:.0e}"
    yield Finding("the whole layer", error < 1e-12, shown, detail=True)
    same, zeros = miss(layer, conv, x), miss(layer, draw_conv(0, padding=1), x)
    shown = f"without pads it is the convolution with replicate padding ({same:.0e}), not with zeros ({zeros:.2f})"
    yield Finding("replicate padding", same < 1e-12 < zeros, shown)


def check_targets(targets: Targets, words: str, cases: list[tuple[Pixel, Pixel]]) -> Finding:
    """Whether the stated pixels share all the weight of a sharp head, in equal parts."""

    def write(pixel: Pixel) -> str:
        return f"({pixel[0]:g}, {pixel[1]:g})".replace("-", "−")

    detail = words != "a pixel inside"
    for query, centre in cases:
        pixels, found = targets(query, centre, SIDES), weigh_pixels(query, centre, SHARP, SIDES)
        said = [found.get(pixel, 0.0) for pixel in pixels]
        if add_others(found, pixels) > 1e-5 or max(said) - min(said) > 1e-12:
            most, stated = write(max(found, key=found.__getitem__)), ", ".join(map(write, sorted(pixels)))
            place = f"from {write(query)} with Δ = {write(centre)}"
            return Finding(words, False, f"{words}: {place} the weight goes to {most}, not {stated}", detail)
    return Finding(words, True, f"target {words}: the stated pixels share the weight at α = {SHARP:g}", detail)


def check_gap(bound: Gap) -> Findings:
    """The gap under the bound, its attainment on a large grid, and its size for large α, to 50 digits."""
    import mpmath

    with mpmath.workdps(50):
        bounds = {alpha: float(bound(alpha)) for alpha in OVER}
        ratio = float(bound(40) / (4 * mpmath.exp(-40)))
        library = max(abs(float(bound_gap(alpha, 1)) - 1 + 1 / theta(alpha)) for alpha in OVER)
    worst = max(gap_at(alpha, place) / bounds[alpha] for alpha in OVER for place in ("middle", "corner"))
    near = min(gap_at(alpha, "middle") / bounds[alpha] for alpha in OVER)
    yield Finding("the bound", worst <= 1 + 1e-9, f"the gap is at most {worst:.6f} of its bound for α from 0.25 to 16")
    shown = f"in the middle of 61 × 61 pixels it is {near:.6f} of the bound or more"
    yield Finding("attained", near >= 1 - 1e-6, shown)
    yield Finding("4e^−α", abs(ratio - 1) < 1e-9, f"at α = 40 the bound is {ratio:.9f} of 4e^−α (50 digits)")
    shown = f"the library's θ(α) is that to 50 digits, off by {library:.0e}"
    yield Finding("θ of the library", library < 1e-14, shown)


def move_pixels(conv: nn.Conv2d, x: Tensor, targets: Targets) -> Tensor:
    """The layer by the stated targets: each head moves its pixels, a target that is no pixel gives nothing."""
    h, w = x.shape[2:]
    assert conv.bias is not None
    total = conv.bias[:, None, None].expand(len(x), -1, h, w).clone()
    for i, j, y, z in itertools.product(range(3), range(3), range(h), range(w)):
        centre = (1.0 - i, 1.0 - j)  # the document's sign: q − Δ is the pixel of tap (i, j)
        for row, column in targets((float(y), float(z)), centre, (h, w)):
            if 0 <= row < h and 0 <= column < w:
                total[:, :, y, z] += x[:, :, int(row), int(column)] @ conv.weight[:, :, i, j].T
    return total


@claim("conv.d2", HOLDS, twin={"constant": lambda c1, c2: c1**2 + c2**2})
def complete_square(constant: Callable[[Any, Any], Any] = lambda c1, c2: -(c1**2 + c2**2)) -> Findings:
    """`v·r_δ = −α(‖δ − Δ‖² + c)` in symbols, and c from the log-sum-exps of the two mechanisms."""
    import sympy

    def vector(a: Any, c1: Any, c2: Any) -> tuple[Any, Any, Any]:
        return -a, 2 * a * c1, 2 * a * c2

    a, d1, d2, c1, c2 = symbols()
    away = (d1 - c1) ** 2 + (d2 - c2) ** 2
    rest = sympy.factor(sympy.expand(remaining_term(vector(a, c1, c2), d1, d2) + a * (away + constant(c1, c2))))
    yield Finding("in symbols", rest == 0, f"v·r_δ + α(‖δ − Δ‖² + c) is {write_sympy(rest)}")
    ones = torch.ones(1, 1, GRID.count, 1, dtype=torch.float64)
    heads, said = Attention(Quadratic(CENTRES, ALPHAS), keys=GRID), -ALPHAS * constant(CENTRES[:, 0], CENTRES[:, 1])
    made = attend(None, None, ones, tabulate(by_vector(vector)), return_lse=True)[1]
    for algorithm in ("reference", "shared", "separable"):
        found = made[0] - attend(None, None, ones, heads, return_lse=True, algorithm=algorithm)[1][0]
        words = f"−αc, the difference of log-sum-exps, with heads by {algorithm!r}"
        yield equals(words, found, said[:, None].expand_as(found), 1e-11)
