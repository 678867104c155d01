"""What one logit and a whole layer cost, with absolute and with general relative encodings."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from regard.algorithms import attend
from regard.analysis import formulas
from regard.analysis.cost.scalars import count_operations
from regard.attention import Attention, Bias, Content, Grid, Places
from regard.attention import Sequence as Line
from regard.claims.chart import Lines
from regard.claims.claim import CORRECTED, REFUTED, Finding, Findings, claim
from regard.claims.findings import Count, agrees, equals
from regard.claims.small_runs import drawn
from regard.formulas import Polynomial, order
from regard.layers import MultiHead

N, D, P, S = (Polynomial.symbol(name) for name in "NDPS")
FLOPS = {  # by hand: projections of values and outputs, of queries and keys, then logits and mixing
    "absolute, once": 4 * N * D * D + 4 * N * D * D + 4 * N * N * D,
    "absolute, each pair": 4 * N * D * D + 4 * 4 * N * N * D * D + (4 + 1) * 2 * N * N * D,
    "relative, once": 4 * N * D * D + 4 * N * D * D + 2 * S * D * P + 2 * N * S * D + 4 * N * N * D,
    "relative, each pair": 4 * N * D * D + 4 * 2 * N * N * D * D + 2 * 2 * N * N * D * P + (4 + 1) * 2 * N * N * D,
}
Growth = Callable[..., Any]  # of N and D, or of D alone: a polynomial whose order is meant


class Projections(nn.Module):
    """The projections of a layer of width D, of encodings of width P, and two learned vectors, all drawn."""

    def __init__(self, D: int, P: int = 1) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(D, D, False, dtype=torch.float64) for _ in range(4))
        self.position = nn.Linear(P, D, False, dtype=torch.float64)
        self.u, self.v = (nn.Parameter(torch.empty(D, dtype=torch.float64)) for _ in range(2))
        with torch.no_grad():
            for seed, parameter in enumerate(self.parameters()):
                parameter.copy_(drawn(*parameter.shape, seed=seed) / 2)

    def mix(self, logits: Tensor, x: Tensor) -> Tensor:
        places = Line(len(x))
        heads = attend(
            None, None, self.value(x)[None, None], Attention(Bias(logits[None]), queries=places, keys=places)
        )
        return self.out(heads[0, 0])


class AbsolutePairs(Projections):
    """Attention that scores every pair of pixels from scratch: both are projected anew for each pair and term."""

    def forward(self, x: Tensor, p: Tensor) -> Tensor:
        def score(i: Tensor, j: Tensor) -> Tensor:
            return inner(self.query(i[:, None].expand(-1, len(j), -1)), self.key(j.expand(len(i), -1, -1)))

        return self.mix(score(x, x) + score(x, p) + score(p, x) + score(p, p), x + p)


class RelativePairs(Projections):
    """The same with the encoding r_δ (N, N, P) of each pair in the place of p."""

    def forward(self, x: Tensor, r: Tensor) -> Tensor:
        i, j = x[:, None].expand(-1, len(x), -1), x.expand(len(x), -1, -1)
        by_content = inner(self.query(i), self.key(j)) + inner(self.u.expand_as(j), self.key(j))
        by_position = inner(self.query(i), self.position(r)) + inner(self.v.expand_as(i), self.position(r))
        return self.mix(by_content + by_position, x)


class Tabulated(Projections):
    """General relative attention with every projection made once: of each token, and of each shift's encoding."""

    def forward(self, x: Tensor, encodings: Tensor, shift: Tensor) -> Tensor:
        """Encodings (S, P) of all shifts, and the number of each pair's shift, (N, N)."""
        query = self.query(x)
        by_shift = (query + self.v) @ self.position(encodings).T  # (N, S)
        q, k, v = (y[None, None] for y in (query + self.u, self.key(x), self.value(x)))
        return self.out(attend(q, k, v, Attention(Content(1.0) + Bias(by_shift.gather(1, shift)[None])))[0, 0])


def inner(a: Tensor, b: Tensor) -> Tensor:
    return (a[..., None, :] @ b[..., :, None])[..., 0, 0]


@functools.cache
def count_layer(name: str) -> Polynomial:
    """Forward FLOPs of a built layer, one head as wide as the model."""

    def empty(*sizes: int) -> Tensor:
        return torch.empty(*sizes, dtype=torch.float64)

    made: dict[str, tuple[Any, dict[str, Any]]] = {
        "absolute, once": (lambda N, D: (MultiHead(D, 1, bias=False), (torch.empty(1, N, D),)), {}),
        "absolute, each pair": (lambda N, D: (AbsolutePairs(D), (empty(N, D), empty(N, D))), {}),
        "relative, once": (
            lambda N, D, P, S: (Tabulated(D, P), (empty(N, D), empty(S, P), torch.zeros(N, N, dtype=torch.long))),
            {"P": 4, "S": 20},
        ),
        "relative, each pair": (lambda N, D, P: (RelativePairs(D, P), (empty(N, D), empty(N, N, P))), {"P": 4}),
    }
    make, sizes = made[name]
    return formulas(make, N=6, D=8, **sizes).forward


def four_terms(query: Any, key: Any, x: Any, p: Any, y: Any, r: Any) -> Any:
    """A logit from scratch, vectors first."""

    def term(a: Any, b: Any) -> Any:
        return (query @ a) @ (key @ b)

    return term(x, y) + term(x, r) + term(p, y) + term(p, r)


def four_terms_by_matrix(query: Any, key: Any, x: Any, p: Any, y: Any, r: Any) -> Any:
    """The same, with the product of the two matrices first."""

    def term(a: Any, b: Any) -> Any:
        return a @ ((query.T @ key) @ b)

    return term(x, y) + term(x, r) + term(p, y) + term(p, r)


@functools.cache
def count_logit(evaluate: Callable[..., Any], D: int) -> tuple[int, float]:
    """The operations of one logit, counted one by one, and its distance from the library's.

    The log-sum-exp over a single key is the logit itself.
    """
    query, key, x, p, y, r = (drawn(*sizes, seed=seed) for seed, sizes in enumerate([(D, D)] * 2 + [(D,)] * 4))
    operations, value = count_operations(evaluate, query, key, x, p, y, r)
    q, k = (query @ (x + p)).view(1, 1, 1, D), (key @ (y + r)).view(1, 1, 1, D)
    true = attend(q, k, torch.ones_like(k), Attention(Content(1.0)), return_lse=True)[1]
    return operations, abs(value - float(true))


def growth_of(counts: list[int]) -> str:
    """The order of a polynomial in D by its values at 1, 2, 3, …: its degree is how often differences are not zero.

    >>> growth_of([2 * D**3 + D for D in range(1, 7)])
    'Θ(D³)'
    """
    degree = -1
    while any(counts):
        counts, degree = [b - a for a, b in zip(counts, counts[1:], strict=False)], degree + 1
    return order(Polynomial({(("D", degree),): 1}))


def draw_orders() -> Lines:
    """FLOPs of the layer against the number of pixels, from the counted polynomials."""
    pixels = [4**k for k in range(1, 8)]
    names = {"absolute, each pair": "every pair from scratch", "absolute, once": "projected once"}
    return Lines(
        title="The same layer in two orders of evaluation, D = 64",
        x=pixels,
        y={words: [float(count_layer(name)(N=n, D=64)) for n in pixels] for name, words in names.items()},
        x_label="pixels N",
        y_label="FLOPs",
        log_x=True,
        log_y=True,
        marks={"N = 2D: attention = projections": 128.0},
    )


@claim(
    "conv.b2a",
    REFUTED,
    document={
        "logit": lambda D: D * D * D,
        "operations": lambda D: 16 * D * D - 4 * D - 4,
        "layer": lambda N, D: N * N * D * D + N * N * D + N * D * D,
    },
    twin={"operations": lambda D: 16 * D * D, "layer": lambda N, D: N * N * D},
    chart=draw_orders,
)
def absolute(
    logit: Growth = lambda D: D * D,
    operations: Count = lambda D: 16 * D * D - 1,
    layer: Growth = lambda N, D: N * D * D + N * N * D,
    from_scratch: Growth = lambda N, D: N * N * D * D + N * N * D + N * D * D,
) -> Findings:
    """Count a logit and two ways to compute the layer, and compare the orders."""
    ways = [growth_of([count_logit(way, D)[0] for D in range(1, 7)]) for way in (four_terms, four_terms_by_matrix)]
    said, few = order(logit(D)), [count_logit(four_terms, D)[0] for D in (4, 8)]
    shown = f"one logit takes {few[0]:,} operations at D = 4, {few[1]:,} at D = 8: it grows as {ways[0]}"
    yield Finding("one logit", ways[0] == said, f"{shown}{'' if ways[0] == said else f', not {said}'}")
    shown = f"only with W_qᵀW_k multiplied first, for each logit anew, it grows as {ways[1]}"
    yield Finding("matrices first", ways[1] == "Θ(D³)", shown)
    sizes = [{"D": D} for D in (1, 2, 3, 5, 8)]
    yield agrees("operations of the four terms", operations, lambda D: count_logit(four_terms, D)[0], sizes)
    ends = {"once": ("projected once per token", layer), "each pair": ("with every pair from scratch", from_scratch)}
    for way, (words, stated) in ends.items():
        counted, said = count_layer(f"absolute, {way}"), order(stated(N, D))
        shown = f"{words}, the layer takes {counted} FLOPs, {order(counted)}; stated {said}"
        yield Finding(words, said == order(counted) and counted == FLOPS[f"absolute, {way}"], shown)
    box = order(from_scratch(N, D))
    fits = order(from_scratch(N, D) + N * N * logit(D)) == box
    shown = f"N² logits of {order(logit(D))} {'fit' if fits else 'do not fit'} in {box}, stated for the layer"
    yield Finding("both together", fits, shown)
    yield from same_absolute()


@functools.cache
def same_absolute() -> tuple[Finding, ...]:
    """Both orders of evaluation give the same numbers."""
    each, once = AbsolutePairs(5), MultiHead(5, 1, bias=False, out_bias=False, beta=1.0, dtype=torch.float64)
    once.load_state_dict({name: value for name, value in each.state_dict().items() if name in once.state_dict()})
    x, p = drawn(6, 5, seed=10), drawn(6, 5, seed=11)
    with torch.no_grad():
        layers = equals("the layer in both orders", once((x + p)[None])[0], each(x, p), 1e-12)
    gap = max(count_logit(way, D)[1] for way in (four_terms, four_terms_by_matrix) for D in (1, 3, 6))
    return layers, Finding("the counted logit", gap < 1e-12, f"the counted logit is the library's: off by {gap:.0e}")


TERMS: dict[str, Callable[..., Any]] = {
    "xᵀW_qᵀW_k y": lambda query, key, position, x, y, r, u, v: (query @ x) @ (key @ y),
    "xᵀW_qᵀW̃_k r_δ": lambda query, key, position, x, y, r, u, v: (query @ x) @ (position @ r),
    "uᵀW_k y": lambda query, key, position, x, y, r, u, v: u @ (key @ y),
    "vᵀW̃_k r_δ": lambda query, key, position, x, y, r, u, v: v @ (position @ r),
}


def count_term(name: str, D: int, P: int) -> int:
    """Multiplications and additions of one of the four terms, counted one by one."""
    sizes = [(D, D), (D, D), (D, P), (D,), (D,), (P,), (D,), (D,)]
    return count_operations(TERMS[name], *[drawn(*size, seed=seed) for seed, size in enumerate(sizes)])[0]


def number_shifts(h: int, w: int) -> Tensor:
    """The number of each pair's offset on an h × w grid, in raster order of the offsets."""
    i = torch.arange(h * w)
    rows, columns = Places(Grid(h, w), Grid(h, w)).offsets(torch.tensor(0), i[:, None], i[None], "offsets")
    return (rows + h - 1) * (2 * w - 1) + columns + w - 1


def count_shifts(h: int, w: int) -> int:
    return len(number_shifts(h, w).unique())


SAME = (lambda D, P: 4 * D * D - 1,) * 4


@claim(
    "conv.b2r",
    CORRECTED,
    document={"terms": SAME, "shifts": None},
    twin={"beyond": lambda N, D: D, "terms": SAME, "shifts": None},
)
def relative(
    beyond: Growth = lambda N, D: 1,
    terms: tuple[Count, ...] = (
        lambda D, P: 4 * D * D - 1,
        lambda D, P: 2 * D * D + 2 * D * P - 1,
        lambda D, P: 2 * D * D + D - 1,
        lambda D, P: 2 * D * P + D - 1,
    ),
    shifts: Count | None = lambda h, w: (2 * h - 1) * (2 * w - 1),
) -> Findings:
    """Count the four terms, the tabulated layer and the one that scores every pair from scratch."""
    for way in ("once", "each pair"):
        counted, absolute = count_layer(f"relative, {way}"), count_layer(f"absolute, {way}")
        found = order(counted.replace("S", N).replace("P", D))  # S < 4N shifts, and P ≤ D
        said = order(beyond(N, D) * absolute)
        shown = f"{way}: {counted} FLOPs, {found}; absolute encodings {order(absolute)}; stated {said}"
        yield Finding(f"the layer, {way}", said == found and counted == FLOPS[f"relative, {way}"], shown)
    sizes = [{"D": 3, "P": 3}, {"D": 4, "P": 2}, {"D": 5, "P": 7}]
    for name, stated in zip(TERMS, terms, strict=True):
        yield agrees(f"operations of {name}", stated, functools.partial(count_term, name), sizes, detail=True)
    if shifts is not None:
        grids = [{"h": h, "w": w} for h, w in ((1, 1), (2, 3), (5, 5), (4, 9))]
        yield agrees("shifts", shifts, count_shifts, grids)
        share = max(count_shifts(**grid) / (grid["h"] * grid["w"]) for grid in grids)
        yield Finding("fewer than 4N", share < 4, f"at most {share:.2f}·N shifts, fewer than 4N")
    yield same_relative()


@functools.cache
def same_relative() -> Finding:
    """The tabulated layer and the one from scratch give the same numbers, on a 2 × 3 grid."""
    x, encodings, shift = drawn(6, 5, seed=10), drawn(15, 3, seed=11), number_shifts(2, 3)
    with torch.no_grad():
        once, each = Tabulated(5, 3)(x, encodings, shift), RelativePairs(5, 3)(x, encodings[shift])
    return equals("both relative layers", once, each, 1e-12)
