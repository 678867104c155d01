"""Sharper and sharper gaussian heads: where their weight goes, and how fast."""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.algorithms import weights
from regard.analysis import attention_from_conv
from regard.analysis.convolution.certificate import theta
from regard.attention import Attention, Grid, Quadratic
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.conv.theorem import image, miss, random_conv

Pixel = tuple[float, float]
SHARP = 64.0
ALPHAS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


@dataclass(frozen=True)
class Limit:
    """Which pixels share the weight as α → ∞, for a query and a centre Δ in an image of these sides; and how fast.

    The document's sign: the logit is −α‖δ − Δ‖² with δ = q − k. `gap` bounds what all other pixels get, for a
    target that is a pixel.
    """

    pixels: Callable[[Pixel, Pixel, tuple[int, int]], set[Pixel]]
    gap: Callable[[float], Any] | None = None


def as_written(query: Pixel, centre: Pixel, sides: tuple[int, int]) -> set[Pixel]:
    return {(query[0] - centre[0], query[1] - centre[1])}


def nearest(query: Pixel, centre: Pixel, sides: tuple[int, int]) -> set[Pixel]:
    """The pixels of the image nearest to q − Δ: two or four of them where it lies half way."""
    lines = []
    for q, c, n in zip(query, centre, sides, strict=True):
        at = min(max(q - c, 0.0), n - 1.0)
        lines.append({math.ceil(at - 0.5), math.floor(at + 0.5)})
    return {(float(row), float(column)) for row, column in itertools.product(*lines)}


def row(query: Pixel, centre: Pixel, alpha: float, sides: tuple[int, int]) -> dict[Pixel, float]:
    """The weights of all pixels from one query."""
    term = Quadratic(-torch.tensor([centre], dtype=torch.float64), torch.tensor([alpha], dtype=torch.float64))
    place = Grid(1, 1, start=(int(query[0]), int(query[1])))
    found = weights(None, None, Attention(term, queries=place, keys=Grid(*sides)))[0, 0, 0].tolist()
    return dict(zip(itertools.product(map(float, range(sides[0])), map(float, range(sides[1]))), found, strict=True))


def outside_of(found: dict[Pixel, float], pixels: set[Pixel]) -> float:
    """What the other pixels get, added up without them: 1 minus a weight would lose its digits."""
    return sum(weight for pixel, weight in found.items() if pixel not in pixels)


CASES: dict[str, list[tuple[Pixel, Pixel]]] = {
    "whole": [((3.0, 3.0), (1.0, -2.0)), ((0.0, 5.0), (0.0, 0.0)), ((6.0, 1.0), (2.0, 1.0))],
    "outside": [((0.0, 0.0), (1.0, 1.0)), ((3.0, 0.0), (0.0, 2.0)), ((6.0, 7.0), (-3.0, 1.0))],
    "between": [((3.0, 3.0), (0.3, -0.4)), ((3.0, 3.0), (0.5, 0.0)), ((4.0, 4.0), (1.5, 0.5))],
}


def limit(stated: Limit) -> Sequence[Finding]:
    """Sharp heads at whole, outer and fractional targets, the gap over α, and a whole layer at the border."""
    findings = [where(stated, "whole", "a pixel inside", False)]
    if stated.gap is not None:
        findings += gaps(stated.gap)
    findings += [where(stated, "outside", "outside the image", True), where(stated, "between", "between pixels", True)]
    conv = random_conv(0, padding=1, padding_mode="replicate")
    layer, _ = attention_from_conv(conv, sharpness=SHARP)
    x = image(0)
    with torch.no_grad():
        error = float((moved(conv, x, stated) - layer(x)).abs().max())
    same, zeros = miss(layer, conv, x), miss(layer, random_conv(0, padding=1), x)
    return [
        *findings,
        Finding("the whole layer", error < 1e-12, f"a layer without pads, by these targets: off by {error:.0e}", True),
        Finding(
            "replicate padding",
            same < 1e-12 < zeros,
            f"without pads it is the convolution with replicate padding ({same:.0e}), not with zeros ({zeros:.2f})",
        ),
    ]


def where(stated: Limit, name: str, words: str, detail: bool) -> Finding:
    """Whether the stated pixels share all the weight of a sharp head, in equal parts."""
    for query, centre in CASES[name]:
        pixels, found = stated.pixels(query, centre, (7, 8)), row(query, centre, SHARP, (7, 8))
        rest, said = outside_of(found, pixels), [found.get(pixel, 0.0) for pixel in pixels]
        if rest > 1e-5 or max(said) - min(said) > 1e-12:
            most = max(found, key=found.__getitem__)
            target = ", ".join(map(_at, sorted(pixels)))
            shown = f"{words}: from {_at(query)} with Δ = {_at(centre)} the weight goes to {_at(most)}, not {target}"
            return Finding(words, False, shown, detail)
    return Finding(words, True, f"target {words}: the stated pixels share the weight at α = {SHARP:g}", detail)


def _at(pixel: Pixel) -> str:
    return f"({pixel[0]:g}, {pixel[1]:g})".replace("-", "−")


@functools.cache
def gap_at(alpha: float, where: str) -> float:
    """What the other pixels get: seen from the middle of 61 × 61 pixels, or for a target in the corner of 9 × 9."""
    if where == "middle":
        return outside_of(row((30.0, 30.0), (1.0, 0.0), alpha, (61, 61)), {(29.0, 30.0)})
    return outside_of(row((2.0, 2.0), (2.0, 2.0), alpha, (9, 9)), {(0.0, 0.0)})


def gaps(bound: Callable[[float], Any]) -> list[Finding]:
    """The gap under the bound, its attainment on a large grid, and its size for large α, to 50 digits."""
    import mpmath

    with mpmath.workdps(50):
        bounds = {alpha: float(bound(alpha)) for alpha in ALPHAS}
        ratio = float(bound(40) / (4 * mpmath.exp(-40)))
        library = max(abs(float(1 - mpmath.jtheta(3, 0, mpmath.exp(-a)) ** -1) - 1 + 1 / theta(a)) for a in ALPHAS)
    worst = max(gap_at(alpha, place) / bounds[alpha] for alpha in ALPHAS for place in ("middle", "corner"))
    near = min(gap_at(alpha, "middle") / bounds[alpha] for alpha in ALPHAS)
    return [
        Finding("the bound", worst <= 1 + 1e-9, f"the gap is at most {worst:.6f} of its bound for α from 0.25 to 16"),
        Finding("attained", near >= 1 - 1e-6, f"in the middle of 61 × 61 pixels it is {near:.6f} of the bound or more"),
        Finding("4e^−α", abs(ratio - 1) < 1e-9, f"at α = 40 the bound is {ratio:.9f} of 4e^−α (50 digits)"),
        Finding("θ of the library", library < 1e-14, f"the library's θ(α) is that to 50 digits, off by {library:.0e}"),
    ]


def moved(conv: nn.Conv2d, x: Tensor, stated: Limit) -> Tensor:
    """The layer by the stated targets: each head moves its pixels, a target that is no pixel gives nothing."""
    h, w = x.shape[2], x.shape[3]
    assert conv.bias is not None
    total = conv.bias[:, None, None].expand(len(x), -1, h, w).clone()
    for i, j in itertools.product(range(3), range(3)):
        centre = (1.0 - i, 1.0 - j)  # the document's sign: q − Δ is the pixel of tap (i, j)
        for y, z in itertools.product(range(h), range(w)):
            for at in stated.pixels((float(y), float(z)), centre, (h, w)):
                if 0 <= at[0] < h and 0 <= at[1] < w:
                    total[:, :, y, z] += x[:, :, int(at[0]), int(at[1])] @ conv.weight[:, :, i, j].T
    return total


def gap_chart() -> Lines:
    """The gap and its bound over α."""
    return Lines(
        title="What a head of precision α leaves to the other pixels",
        x=ALPHAS,
        y={
            "bound 1 − θ(α)⁻²": [1 - theta(alpha) ** -2 for alpha in ALPHAS],
            "target in the middle": [gap_at(alpha, "middle") for alpha in ALPHAS],
            "target in a corner": [gap_at(alpha, "corner") for alpha in ALPHAS],
            "4e^−α": [4 * math.exp(-alpha) for alpha in ALPHAS],
        },
        x_label="α",
        y_label="1 − a",
        log_x=True,
        log_y=True,
    )


def two_axes(alpha: float) -> Any:
    """`1 − θ(α)⁻²`, in mpmath's digits."""
    import mpmath

    return 1 - mpmath.jtheta(3, 0, mpmath.exp(-mpmath.mpf(alpha))) ** -2


def one_axis(alpha: float) -> Any:
    import mpmath

    return 1 - mpmath.jtheta(3, 0, mpmath.exp(-mpmath.mpf(alpha))) ** -1


CLAIMS = (
    Claim(
        id="conv.d1",
        title="Sharp heads become one-hot",
        texts=Texts(
            asks="The logit is −α‖δ − Δ‖² with δ = q − k. What does the softmax tend to as α → ∞?",
            derivation="For a whole $\\Delta$ inside the image the pixel $q - \\Delta$ has logit 0 and every other one "
            "at most $-\\alpha$. Over all of $\\mathbb{Z}^2$ the weights are $e^{-\\alpha(n^2 + m^2)}$, whose sum is "
            "$\\theta(\\alpha)^2$ with $\\theta(\\alpha) = \\sum_{n \\in \\mathbb{Z}} e^{-\\alpha n^2}$; an image is a "
            "part of it, so $1 - a \\le 1 - \\theta(\\alpha)^{-2} \\approx 4 e^{-\\alpha}$, attained in the limit of a "
            "large image.\n\n"
            "The document leaves out when. If $q - \\Delta$ is no pixel, it gets no weight. Between pixels it goes to "
            "the nearest one, or in equal parts to the two or four nearest. Outside the image the largest logit is "
            "that of the nearest pixel of the border: without pad tokens the layer becomes the convolution with "
            "*replicate* padding, not with zeros.",
            quantities={
                "$\\alpha$": "precision of the head",
                "$\\Delta$": "its centre; in the document's sign the target is q − Δ",
                "$a$": "the weight of the target",
                "$\\theta$": "a sum over the whole numbers",
            },
            method="weights in float64 at α = 0.25 … 64 on up to 61 × 61 pixels; the bound with 50 digits; the layer "
            "to 1e-12",
            code=("regard.attention.scores.relative:Quadratic", "regard.analysis.convolution.certificate:theta"),
        ),
        document=Version(
            "the one-hot at q − Δ",
            r"\lim_{\alpha \to \infty} \operatorname{softmax} = 1[k = q - \Delta]",
            Limit(as_written),
        ),
        ours=Version(
            "the one-hot at q − Δ for a whole Δ inside, within 1 − θ(α)⁻² ≈ 4e^−α; else the nearest pixels share it",
            r"1 - a \le 1 - \theta(\alpha)^{-2} \approx 4 e^{-\alpha}",
            Limit(nearest, two_axes),
        ),
        twin=Version(
            "the same, within 1 − θ(α)⁻¹",
            r"1 - a \le 1 - \theta(\alpha)^{-1}",
            Limit(nearest, one_axis),
        ),
        check=limit,
        expected=Verdict.CORRECTED,
        chart=gap_chart,
    ),
)
