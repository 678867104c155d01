"""Question 1: attention with tokens as columns, its sharpness by β, and what fully connected layers do in its place."""

import functools
import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from regard.algorithms import attend, weights
from regard.analysis import saturation
from regard.attention import Attention, Content, Hard
from regard.claims.chart import Lines, Matrices
from regard.claims.claim import CORRECTED, HOLDS, REFUTED, Finding, Findings, View, claim
from regard.claims.findings import Count, Mean, agrees, equals, mean
from regard.claims.small_runs import drawn

SIZES = [{"d": d, "m": m, "n": n, "t": t} for d, m, n, t in ((1, 2, 3, 4), (3, 5, 4, 2), (8, 6, 6, 8), (4, 9, 1, 7))]
BETAS = (0.3, 1.0, 2.5)
PLAIN, HARD = Attention(), Attention(weighting=Hard())

# The document's tokens are columns, the library's are rows: transposed in the next four functions, and nowhere else.


def rows(x: Tensor) -> Tensor:
    """Turn tokens as columns, (width, tokens), into one row of a batch with one head, (1, 1, tokens, width)."""
    return x.T[None, None]


def output(Q: Tensor, K: Tensor, V: Tensor, attention: Attention = PLAIN) -> Tensor:
    """Compute H, t × n, a column for each query, by `attend`."""
    return attend(rows(Q), rows(K), rows(V), attention)[0, 0].T


def matrix(Q: Tensor, K: Tensor, beta: float) -> Tensor:
    """Compute A, m × n, by `weights`: column j holds the weights of query j over the keys."""
    return weights(rows(Q), rows(K), Attention(Content(beta)))[0, 0].T


def logits(Q: Tensor, K: Tensor, beta: float | None) -> Tensor:
    """Compute the scaled logits, m × n, by `attend`: with one key alone the log-sum-exp of a row is its logit."""
    alone = K.T[:, None, None, :]  # each key in a row of its own of the batch
    queries = Q.T[None, None].expand(len(alone), -1, -1, -1)
    return attend(queries, alone, alone, Attention(Content(beta)), return_lse=True)[1][:, 0]


def problem(d: int, m: int, n: int, t: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw Q, K and V of these sizes, tokens as columns."""
    return drawn(d, n, seed=1), drawn(d, m, seed=2), drawn(t, m, seed=3)


def softargmax(x: Tensor, beta: float, dim: int = 0) -> Tensor:
    """The document's `softargmax_β`: down each column."""
    return torch.softmax(beta * x, dim)


def flat(tensors: Iterable[Tensor]) -> Tensor:
    """All their numbers in a row, so that one finding compares several cases."""
    return torch.cat([x.flatten() for x in tensors])


def draw_maps() -> Matrices:
    Q, K, _ = problem(3, 5, 4, 2)
    return Matrices(
        title="Every column of A is a query's weights and sums to 1",
        panels={f"β = {beta:g}": matrix(Q, K, beta).tolist() for beta in BETAS},
        row_label="key",
        column_label="query",
    )


@claim(
    "nyu.1a",
    HOLDS,
    twin={"A": lambda Q, K, beta: softargmax(K.T @ Q, beta, dim=1)},
    chart=draw_maps,
    view=View("playground", "See every number of a small sequence"),
)
def definition(
    A: Callable[..., Tensor] = lambda Q, K, beta: softargmax(K.T @ Q, beta),
    height: Count = lambda d, m, n, t: t,
    width: Count = lambda d, m, n, t: n,
) -> Findings:
    """Compare A with `weights` and V·A with `attend`, count H, and add up each column of A."""
    cases = [(*problem(**at), beta) for at in SIZES for beta in BETAS]
    outputs = flat(output(Q, K, V, Attention(Content(b))) for Q, K, V, b in cases)
    yield equals("H = V·A against attend", outputs, flat(V @ A(Q, K, b) for Q, K, V, b in cases), 1e-13)
    maps = [matrix(Q, K, b) for Q, K, _, b in cases]
    yield equals("A against weights", flat(maps), flat(A(Q, K, b) for Q, K, _, b in cases), 1e-13)
    yield agrees("rows of H", height, lambda **at: output(*problem(**at)).shape[0], SIZES)
    yield agrees("columns of H", width, lambda **at: output(*problem(**at)).shape[1], SIZES)
    off, (m, n) = max((x.sum(0) - 1).abs().max().item() for x in maps), maps[len(BETAS)].shape
    shown = f"for m = 5, n = 4 the map A is {m} × {n}; all columns sum to 1 within {off:.0e}"
    yield Finding("A is m × n, its columns sum to 1", off < 1e-14 and (m, n) == (5, 4), shown)


WIDTHS = (4, 16, 64, 256)
KEYS, DRAWS = 16, 500
NEAR = 0.1  # how far a mean weight may be from a stated one, which leaves out how the logits scatter


@functools.cache
def squared_logits(width: int, beta: float) -> Mean:
    """The mean of squared logits of independent q and k: one key alone, where log-sum-exp is the logit."""
    draws = min(20_000, (1 << 20) // width)
    q, k = (drawn(draws, 1, 1, width, seed=seed, dtype=torch.float32) for seed in (width, width + 1))
    return mean(attend(q, k, k, Attention(Content(beta)), return_lse=True)[1].square())


@functools.cache
def largest(width: int, beta: float, aligned: bool = False) -> Mean:
    """The mean of a query's largest weight over independent keys, of which one is the query where `aligned`."""
    q = drawn(DRAWS, 1, 1, width, seed=2 * width, dtype=torch.float32)
    k = drawn(DRAWS, 1, KEYS, width, seed=2 * width + 1, dtype=torch.float32)
    k = torch.cat((q, k[:, :, 1:]), 2) if aligned else k
    return mean(weights(q, k, Attention(Content(beta))).amax(-1))


@functools.cache
def expect_independent(width: int) -> float:
    """The mean largest weight for logits that are independent, of mean zero and variance one, whatever the width."""
    return saturation(drawn(20_000, KEYS, seed=0)).largest.mean().item()


def expect_aligned(width: int) -> float:
    """One logit of √d against m − 1 of variance one, whose exponentials have mean √e."""
    return 1 / (1 + (KEYS - 1) * math.exp(0.5 - math.sqrt(width)))


def draw_widths() -> Lines:
    roots = [(d, 1 / math.sqrt(d)) for d in WIDTHS]
    curves = {
        "variance of a logit, β = 1": [squared_logits(d, 1.0) for d in WIDTHS],
        "variance of a logit, β = 1/√d": [squared_logits(d, beta) for d, beta in roots],
        "largest weight, β = 1": [largest(d, 1.0) for d in WIDTHS],
        "largest weight, β = 1/√d": [largest(d, beta) for d, beta in roots],
        "largest weight, β = 1/√d, one key = query": [largest(d, beta, aligned=True) for d, beta in roots],
    }
    return Lines(
        title=f"Sharpness against the width, {KEYS} keys",
        x=WIDTHS,
        y={name: [found.value for found in means] for name, means in curves.items()},
        x_label="width d of queries and keys",
        y_label="variance; mean largest weight",
        log_x=True,
        log_y=True,
    )


@claim(
    "nyu.1b",
    CORRECTED,
    document={"aligned": expect_independent},
    twin={"beta": lambda d: 1.0},
    chart=draw_widths,
    view=View("playground", "Turn β, and see how sharp the weights are", {"beta": 1.0}),
)
def scale(
    beta: Callable[[int], float] = lambda d: 1 / math.sqrt(d),
    independent: Callable[[int], float] = expect_independent,
    aligned: Callable[[int], float] = expect_aligned,
) -> Findings:
    """Measure the logits' variance and the mean largest weight against the width; look up the library's default β."""
    found = {d: squared_logits(d, beta(d)) for d in WIDTHS}
    off = next((d for d in WIDTHS if not found[d].admits(1.0)), None)
    shown = (
        f"{found[4]} at d = 4, {found[256]} at d = 256" if off is None else f"{found[off]} at d = {off} leaves out 1"
    )
    yield Finding("the logits' variance is 1 at every width", off is None, f"variance of β·qᵀk: {shown} (99 %)")
    for name, curve, with_query in (("independent keys", independent, False), ("one key = the query", aligned, True)):
        weight = {d: largest(d, beta(d), with_query).value for d in WIDTHS}
        worst = max(WIDTHS, key=lambda d: abs(weight[d] - curve(d)))
        values = " ".join(f"{weight[d]:.2f}" for d in WIDTHS)
        shown = f"{name}: mean largest weight {values} at d = 4…256; stated {curve(worst):.2f} at d = {worst}"
        holds = abs(weight[worst] - curve(worst)) <= NEAR
        yield Finding(f"largest weight, {name}", holds, shown, detail=with_query)
    pairs = {d: problem(d, 5, 4, 1)[:2] for d in (3, 64)}
    default, said = (flat(logits(*x, b(d)) for d, x in pairs.items()) for b in (lambda d: None, beta))
    yield equals("logits of the library's default β at d = 3 and 64", default, said, 1e-13)


STEPS = 16  # β is followed to 2^16 or 2^−16


def scene(tied: bool = False) -> tuple[Tensor, Tensor, Tensor, int]:
    """A query, eight keys and values, and the key of the largest logit, which the next key shares where `tied`."""
    q, v, k = drawn(1, 1, 1, 4, seed=5), drawn(1, 1, 8, 3, seed=6), drawn(1, 1, 8, 4, seed=7)
    best = int((q @ k.mT).argmax())
    assert best < 7
    if tied:
        k[0, 0, best + 1] = k[0, 0, best]
    return q, k, v, best


def draw_betas(title: str, measure: Callable[[Tensor], Tensor], y_label: str) -> Lines:
    """Draw a measure of the weights along β, with one largest logit and with two."""
    betas = [2 ** (step / 2) for step in range(-16, 17)]
    scenes = {"one largest logit": scene()[:2], "two equal largest logits": scene(tied=True)[:2]}
    return Lines(
        title=title,
        x=betas,
        y={name: [measure(weights(*x, Attention(Content(b)))).item() for b in betas] for name, x in scenes.items()},
        x_label="β, the factor of the logits",
        y_label=y_label,
        log_x=True,
    )


@claim(
    "nyu.1c",
    REFUTED,
    document={"beta": lambda step: 2.0**-step, "tied": 1.0},
    twin={"beta": lambda step: 2 - 2.0**-step},
    chart=lambda: draw_betas(
        "One-hot for β → ∞, uniform for β → 0; a tie is shared", lambda a: a.amax(), "largest of 8 weights"
    ),
    view=View("playground", "See one value come out as β grows", {"beta": 20.0}),
)
def one_hot(beta: Callable[[int], float] = lambda step: 2.0**step, tied: float = 0.5) -> Findings:
    """Take the argmax itself, the largest weight at the end of the stated β, and both with a tie."""
    q, k, v, best = scene()
    hard = attend(q, k, v, HARD).equal(v[:, :, best : best + 1])
    yield Finding("argmax gives v_i", hard, f"Hard() gives v_{best + 1} exactly, of the largest of 8 logits")
    b = beta(STEPS)
    a, opposite = (weights(q, k, Attention(Content(x))) for x in (b, 1 / b))
    gap = (attend(q, k, v, Attention(Content(b))) - v[:, :, best]).abs().max().item()
    shown = f"at β = {b:.2g} the largest of 8 weights is {a.amax().item():.4f}, h is {gap:.1g} from v_i"
    shown += f"; at β = {1 / b:.2g} it is {opposite.amax().item():.4f}"
    sharp = saturation(weights=a).rest.item() < 1e-9 and gap < 1e-9
    yield Finding("the weights become one-hot along this β", sharp, shown)
    q, k, v, best = scene(tied=True)
    twice = weights(q, k, Attention(Content(2.0**STEPS)))[0, 0, 0, best : best + 2]
    shown = f"two equal largest logits share: {twice[0].item():.4f} each at β = 2^{STEPS}, stated {tied:g}"
    yield Finding("two equal largest logits", bool((twice - tied).abs().max() < 1e-12), shown, detail=True)
    chosen = weights(q, k, HARD)[0, 0, 0]
    first = chosen.argmax().item() == best and chosen.sum().item() == 1 and attend(q, k, v, HARD).equal(v[:, :, [best]])
    shown = (
        f"of keys {best + 1} and {best + 2} with equal logits Hard() takes key {int(chosen.argmax()) + 1}, the first"
    )
    yield Finding("an argmax takes the first of equals", first, shown if first else f"{shown} stated")


@claim("nyu.1cfc", HOLDS, twin={"S": lambda K, Q, targets: softargmax(K.T @ Q, 50.0)})
def selection(
    S: Callable[..., Tensor] = lambda K, Q, targets: nn.functional.one_hot(targets, K.shape[1]).T.to(K),
) -> Findings:
    """Compare H = V·S with hard attention whose queries ask for these keys, and ask other queries."""
    K, V = torch.eye(6, dtype=torch.float64), drawn(4, 6, seed=3)
    for name, targets in (("H = V·I", torch.arange(6)), ("a selection with repeats", torch.tensor([2, 2, 0, 5, 1, 2]))):
        Q, others = K[:, targets], K.flip(1)

        def answer(asked: Tensor, targets: Tensor = targets) -> Tensor:
            """V·S by torch's fully connected layer, which mixes the m columns of V into n."""
            matrix = S(K, asked, targets)
            layer = nn.Linear(*matrix.shape, bias=False, device="meta")
            return torch.func.functional_call(layer, {"weight": matrix.T}, (V,))

        hard, elsewhere = (output(asked, K, V, HARD) for asked in (Q, others))
        yield equals(f"{name} against hard attention", hard, answer(Q), 1e-12)
        slopes = torch.autograd.functional.jacobian(answer, Q)
        assert isinstance(slopes, Tensor)
        moved, theirs = (answer(others) - answer(Q)).abs().max().item(), (elsewhere - hard).abs().max().item()
        shown = f"{name}: other queries move the layer's H by {moved:.2g} (attention's by {theirs:.2f}); "
        shown += f"|∂H/∂Q| ≤ {slopes.abs().max().item():.1g}"
        same = moved == 0 and theirs > 1 and not bool(slopes.any())
        yield Finding(f"{name} is the same for every query", same, shown)


@claim(
    "nyu.1d",
    REFUTED,
    document={"beta": lambda step: 2.0**step},
    twin={"beta": lambda step: 1 + 2.0**-step},
    chart=lambda: draw_betas(
        "How many of 8 keys are attended to, against β",
        lambda a: saturation(weights=a).entropy.exp(),
        "exp(entropy of the weights)",
    ),
    view=View("playground", "See the weights spread as β falls", {"beta": 0.05}),
)
def spread(beta: Callable[[int], float] = lambda step: 2.0**-step) -> Findings:
    """Count the keys attended to at the end of the stated β, as exp(entropy); compare h with the values' mean."""
    q, k, v, _ = scene()
    b = beta(STEPS)
    a, opposite = (weights(q, k, Attention(Content(x))) for x in (b, 1 / b))
    many, few = (saturation(weights=x).entropy.exp().item() for x in (a, opposite))
    even = bool((a - 1 / 8).abs().max() < 1e-4) and abs(many - 8) < 1e-6 and abs(few - 1) < 1e-6
    shown = f"at β = {b:.2g} exp(entropy) is {many:.3f} of 8 keys, at β = {1 / b:.2g} {few:.3f}"
    yield Finding("the weights become even along this β", even, shown)
    gap = (attend(q, k, v, Attention(Content(b))) - v.mean(2, keepdim=True)).abs().max().item()
    yield Finding("h becomes the mean of the values", gap < 1e-3, f"at β = {b:.2g} h is {gap:.1g} from their mean")
    s, small = q @ k.mT, 2.0**-STEPS
    slope = (8 * weights(q, k, Attention(Content(small))) - 1) / small
    yield equals("(m·a − 1)/β at β = 2^−16 against s − s̄", slope, s - s.mean(), 1e-3)


@claim("nyu.1fc", HOLDS, twin={"activation": lambda x, beta: beta * softargmax(x, 1.0)})
def two_layers(activation: Callable[[Tensor, float], Tensor] = softargmax) -> Findings:
    """Compare two built layers, without biases, with `attend`."""
    cases = [(*problem(**at), beta) for at, beta in zip(SIZES, (*BETAS, 4.0), strict=True)]
    H = []
    for Q, K, V, beta in cases:
        first, second = (nn.Linear(*widths, bias=False, device="meta") for widths in (K.shape, V.T.shape))
        hidden = torch.func.functional_call(first, {"weight": K.T}, (Q.T,)).T
        H.append(torch.func.functional_call(second, {"weight": V}, (activation(hidden, beta).T,)).T)
    outputs = flat(output(Q, K, V, Attention(Content(beta))) for Q, K, V, beta in cases)
    yield equals("two layers at four sizes with β from 0.3 to 4 against attend", outputs, flat(H), 1e-13)
