"""Question 1: how sharp the weights are, by the width of the keys and by β."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.algorithms import attend, weights
from regard.analysis import saturation
from regard.attention import Attention, Content, Hard
from regard.claims.chart import Lines, Numbers
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import Mean, mean
from regard.claims.nyu.columns import drawn

WIDTHS = (4, 16, 64, 256)
KEYS = 16
DRAWS = 500
NEAR = 0.1  # how far a mean weight may be from a stated one, which leaves out how the logits scatter

Largest = Callable[[int, int], float]  # of the width d and the number of keys m


@dataclass(frozen=True)
class Scale:
    """β by the width, and the largest weight that it should lead to: for independent keys, with one key = query."""

    beta: Callable[[int], float]
    independent: Largest
    aligned: Largest


@functools.cache
def logits(width: int, beta: float) -> Mean:
    """The mean of squared logits of independent q and k: one key alone, where log-sum-exp is the logit."""
    draws = min(20_000, (1 << 20) // width)
    q, k = (drawn(draws, 1, 1, width, seed=seed, dtype=torch.float32) for seed in (width, width + 1))
    return mean(attend(q, k, k, Attention(Content(beta)), return_lse=True)[1].square())


@functools.cache
def largest(width: int, beta: float) -> tuple[Mean, Mean]:
    """The mean of a query's largest weight, over keys drawn independently of it, and with the query one of them."""
    q = drawn(DRAWS, 1, 1, width, seed=2 * width, dtype=torch.float32)
    k = drawn(DRAWS, 1, KEYS, width, seed=2 * width + 1, dtype=torch.float32)
    aligned = torch.cat((q, k[:, :, 1:]), 2)
    independent, with_query = (mean(weights(q, x, Attention(Content(beta))).amax(-1)) for x in (k, aligned))
    return independent, with_query


def widths(stated: Scale) -> Sequence[Finding]:
    """The logits' variance and the mean largest weight against the width."""
    found = {width: logits(width, stated.beta(width)) for width in WIDTHS}
    off = next((width for width in WIDTHS if not found[width].admits(1.0)), None)
    shown = f"variance of β·qᵀk: {found[4]} at d = 4, {found[256]} at d = 256 (99 %)"
    if off is not None:
        shown = f"variance of β·qᵀk: {found[off]} at d = {off} leaves out 1 (99 %)"
    return [
        Finding("the logits' variance is 1 at every width", off is None, shown),
        follows("independent keys", stated, stated.independent, aligned=False),
        follows("one key = the query", stated, stated.aligned, aligned=True),
    ]


def follows(name: str, stated: Scale, curve: Largest, aligned: bool) -> Finding:
    """Whether the mean largest weight is near the stated one at every width."""
    found = {width: largest(width, stated.beta(width))[aligned] for width in WIDTHS}
    gaps = {width: abs(found[width].value - curve(width, KEYS)) for width in WIDTHS}
    worst = max(gaps, key=lambda width: gaps[width])
    values = " ".join(f"{found[width].value:.2f}" for width in WIDTHS)
    shown = f"{name}: mean largest weight {values} at d = 4…256; stated {curve(worst, KEYS):.2f} at d = {worst}"
    return Finding(f"largest weight, {name}", gaps[worst] <= NEAR, shown, detail=aligned)


@functools.cache
def expected_largest(width: int, keys: int) -> float:
    """The mean largest weight for logits that are independent, of mean zero and variance one, whatever the width."""
    return saturation(drawn(20_000, keys, seed=0)).largest.mean().item()


def aligned_largest(width: int, keys: int) -> float:
    """One logit of √d against m − 1 of variance one, whose exponentials have mean √e."""
    return 1 / (1 + (keys - 1) * math.exp(0.5 - math.sqrt(width)))


def width_chart() -> Lines:
    """Variance and mean largest weight against d."""
    root = [1 / math.sqrt(width) for width in WIDTHS]
    return Lines(
        title=f"Sharpness against the width, {KEYS} keys",
        x=WIDTHS,
        y={
            "variance of a logit, β = 1": [logits(width, 1.0).value for width in WIDTHS],
            "variance of a logit, β = 1/√d": [logits(d, beta).value for d, beta in zip(WIDTHS, root, strict=True)],
            "largest weight, β = 1": [largest(width, 1.0)[0].value for width in WIDTHS],
            "largest weight, β = 1/√d": [largest(d, beta)[0].value for d, beta in zip(WIDTHS, root, strict=True)],
            "largest weight, β = 1/√d, one key = query": [
                largest(d, beta)[1].value for d, beta in zip(WIDTHS, root, strict=True)
            ],
        },
        x_label="width d of queries and keys",
        y_label="variance; mean largest weight",
        log_x=True,
        log_y=True,
    )


@dataclass(frozen=True)
class OneHot:
    """Along which β the weights become one-hot, and the larger weight of two equal largest logits then."""

    beta: Callable[[int], float]
    tied: float


def scene(tied: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """A query, eight keys and values, one of the logits the largest by far, or two exactly."""
    q, v = drawn(1, 1, 1, 4, seed=5), drawn(1, 1, 8, 3, seed=6)
    k = drawn(1, 1, 8, 4, seed=7)
    best = int((q @ k.mT).argmax())
    if tied:
        k[0, 0, (best + 1) % 8] = k[0, 0, best]
    return q, k, v


STEPS = 16  # β is followed to 2^16 or 2^−16


def one_hot(stated: OneHot) -> Sequence[Finding]:
    """The argmax itself, the largest weight along the stated β, and a tie."""
    q, k, v = scene()
    best = int((q @ k.mT).argmax())
    hard = attend(q, k, v, Attention(weighting=Hard()))
    beta = stated.beta(STEPS)
    a = weights(q, k, Attention(Content(beta)))
    rest = saturation(weights=a).rest.item()
    gap = (attend(q, k, v, Attention(Content(beta))) - v[:, :, best]).abs().max().item()
    other = weights(q, k, Attention(Content(1 / beta))).amax().item()
    shown = f"at β = {beta:.2g} the largest of 8 weights is {a.amax().item():.4f}, h is {gap:.1g} from v_i"
    shown += f"; at β = {1 / beta:.2g} it is {other:.4f}"
    twice = weights(*scene(tied=True)[:2], Attention(Content(2.0**STEPS))).amax().item()
    return [
        Finding("argmax gives v_i", hard.equal(v[:, :, best : best + 1]), f"Hard() gives v_{best} exactly"),
        Finding("the weights become one-hot along this β", rest < 1e-9 and gap < 1e-9, shown),
        Finding(
            "two equal largest logits",
            abs(twice - stated.tied) < 1e-12,
            f"two equal largest logits share: {twice:.4f} each at β = 2^{STEPS}, stated {stated.tied:g}",
            detail=True,
        ),
    ]


@dataclass(frozen=True)
class Soft:
    """Along which β the weights spread out evenly."""

    beta: Callable[[int], float]


def spread(stated: Soft) -> Sequence[Finding]:
    """How many of eight keys are attended to at the end of the stated β, as exp(entropy); and h against the mean."""
    q, k, v = scene()
    beta = stated.beta(STEPS)
    a = weights(q, k, Attention(Content(beta)))
    many, uneven = saturation(weights=a).entropy.exp().item(), (a - 1 / 8).abs().max().item()
    opposite = saturation(weights=weights(q, k, Attention(Content(1 / beta)))).entropy.exp().item()
    shown = f"at β = {beta:.2g} exp(entropy) is {many:.3f} of 8 keys, at β = {1 / beta:.2g} {opposite:.3f}"
    gap = (attend(q, k, v, Attention(Content(beta))) - v.mean(2, keepdim=True)).abs().max().item()
    return [
        Finding("the weights become even along this β", uneven < 1e-4 and many > 8 - 1e-6, shown),
        Finding("h becomes the mean of the values", gap < 1e-3, f"at β = {beta:.2g} h is {gap:.1g} from their mean"),
    ]


def curves(measure: Callable[[Tensor], Tensor], betas: Numbers) -> dict[str, Numbers]:
    """A measure of the weights along β, with one largest logit and with two."""
    scenes = {"one largest logit": scene(), "two equal largest logits": scene(tied=True)}
    return {
        name: [measure(weights(q, k, Attention(Content(beta)))).item() for beta in betas]
        for name, (q, k, _) in scenes.items()
    }


def beta_chart() -> Lines:
    betas = [2 ** (step / 2) for step in range(-16, 17)]
    return Lines(
        title="One-hot for β → ∞, uniform for β → 0; a tie is shared",
        x=betas,
        y=curves(lambda a: a.amax(), betas),
        x_label="β, the factor of the logits",
        y_label="largest of 8 weights",
        log_x=True,
    )


def count_chart() -> Lines:
    betas = [2 ** (step / 2) for step in range(-16, 17)]
    return Lines(
        title="How many of 8 keys are attended to, against β",
        x=betas,
        y=curves(lambda a: saturation(weights=a).entropy.exp(), betas),
        x_label="β, the factor of the logits",
        y_label="exp(entropy of the weights)",
        log_x=True,
    )


CLAIMS = (
    Claim(
        id="nyu.1b",
        title="What β = 1/√d keeps constant",
        texts=Texts(
            asks="Why is β = 1/√d a usual choice for queries and keys of width d?",
            derivation="Let the entries of $q$ and $k$ be independent with mean 0 and variance 1. Then $q^\\top k = "
            "\\sum_{c=1}^d q_c k_c$ has mean 0 and variance $d$, and $\\beta q^\\top k$ has variance $\\beta^2 d$: "
            "exactly 1 for $\\beta = 1/\\sqrt d$. The logits keep their spread, and with it the softmax its sharpness."
            "\n\n"
            "It is the *variance of independent* logits that stays. If one key is the query itself, its logit is "
            "$\\beta \\lVert q \\rVert^2 \\approx \\sqrt d$ while the others keep variance 1, so its weight is about "
            "$1 / (1 + (m - 1) e^{1/2 - \\sqrt d})$: with 16 keys 0.23 at $d = 4$ and 1.00 at $d = 256$. Measured is "
            "the mean of the *largest* weight, 0.31 at $d = 4$, where another key may be ahead, and 1.00 at 256. What "
            "training aligns gets sharper with the width.",
            quantities={
                "d": "width of queries and keys",
                "m": "number of keys, 16",
                "β": "the factor of the logits",
                "q, k": "a query and a key, entries independent, mean 0, variance 1",
            },
            method="Monte-Carlo at d = 4…256: 4,096 to 20,000 logits and 500 queries a width, 99 % intervals for the "
            "variance, 0.1 for the mean largest weight",
            code=("regard.attention.scores.term:Content", "regard.analysis.sensitivity.jacobians:saturation"),
        ),
        document=Version(
            "β = 1/√d keeps the sharpness constant across widths",
            r"\beta = 1/\sqrt{d}",
            Scale(lambda d: 1 / math.sqrt(d), expected_largest, expected_largest),
        ),
        ours=Version(
            "β = 1/√d keeps the variance of independent logits at 1; a key equal to the query gets sharper with d",
            r"\operatorname{Var}(q^\top k / \sqrt{d}) = 1",
            Scale(lambda d: 1 / math.sqrt(d), expected_largest, aligned_largest),
        ),
        twin=Version(
            "β = 1 keeps the variance of independent logits at 1",
            r"\operatorname{Var}(q^\top k) = 1",
            Scale(lambda d: 1.0, expected_largest, aligned_largest),
        ),
        check=widths,
        expected=Verdict.CORRECTED,
        chart=width_chart,
    ),
    Claim(
        id="nyu.1c",
        title="When attention gives one of the values",
        texts=Texts(
            asks="For which weights is the output one of the values, h = v_i, and how does β lead there?",
            derivation="$h = \\sum_j a_j v_j$ is $v_i$ for every choice of the values exactly when $a_i = 1$ and the "
            "other weights are 0: an argmax in place of the softmax, called hard attention.\n\n"
            "The weights' ratios are $a_j / a_i = e^{-\\beta (s_i - s_j)}$. With $s_i$ the one largest logit they "
            "vanish as $\\beta \\to \\infty$. $\\beta$ multiplies the logits, it is an *inverse* temperature: for "
            "$\\beta \\to 0$ every ratio tends to 1 and the weights to $1/m$. Two equal largest logits have ratio 1 "
            "for every $\\beta$ and share: $\\frac12, \\frac12$.",
            quantities={
                "s": "the logits of one query before β, s_i the largest",
                "a": "its weights",
                "β": "the factor of the logits",
                "m": "number of keys, 8",
            },
            method="float64 at β = 2^16 or 2^−16; one-hot means that the other weights sum to less than 1e-9",
            code=("regard.attention.weighting.weighting:Hard", "regard.attention.scores.term:Content"),
        ),
        document=Version(
            "weights are one-hot by argmax, or by a small β",
            r"\beta \to 0 \Rightarrow a \to e_i",
            OneHot(lambda step: 2.0**-step, 1.0),
        ),
        ours=Version(
            "weights are one-hot by argmax, or for β → ∞ if one logit is the largest; two equal ones get ½ each",
            r"\beta \to \infty \Rightarrow a \to e_i",
            OneHot(lambda step: 2.0**step, 0.5),
        ),
        twin=Version(
            "weights are one-hot for β → 2", r"\beta \to 2 \Rightarrow a \to e_i", OneHot(lambda s: 2 - 2.0**-s, 0.5)
        ),
        check=one_hot,
        expected=Verdict.REFUTED,
        chart=beta_chart,
    ),
    Claim(
        id="nyu.1d",
        title="When attention is spread out",
        texts=Texts(
            asks="Which β spreads the attention over all keys (soft attention)?",
            derivation="$a_j = e^{\\beta s_j} / \\sum_l e^{\\beta s_l}$. At $\\beta = 0$ every term is 1 and $a_j = "
            "1/m$; near it $a_j = \\frac1m (1 + \\beta (s_j - \\bar s)) + O(\\beta^2)$. So $\\beta \\to 0$ gives the "
            "mean of the values, whatever the query.\n\n"
            "A *big* $\\beta$ does the opposite: it lets the largest logit take everything.",
            quantities={
                "s": "the logits of one query before β, s̄ their mean",
                "a": "its weights; exp(entropy) of them is how many keys are attended to",
                "β": "the factor of the logits",
                "m": "number of keys, 8",
            },
            method="float64 at β = 2^−16 or 2^16; even means within 1e-4 of 1/8",
            code=("regard.analysis.sensitivity.jacobians:saturation", "regard.attention.scores.term:Content"),
        ),
        document=Version(
            "attention is spread out for big β", r"\beta \to \infty \Rightarrow a \to 1/m", Soft(lambda step: 2.0**step)
        ),
        ours=Version(
            "attention is spread out for β → 0", r"\beta \to 0 \Rightarrow a \to 1/m", Soft(lambda step: 2.0**-step)
        ),
        twin=Version(
            "attention is spread out for β → 1", r"\beta \to 1 \Rightarrow a \to 1/m", Soft(lambda s: 1 + 2.0**-s)
        ),
        check=spread,
        expected=Verdict.REFUTED,
        chart=count_chart,
    ),
)
