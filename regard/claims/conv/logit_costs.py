"""What one logit and a whole layer cost, with absolute and with general relative encodings."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from regard.algorithms import attend
from regard.analysis import cost, formulas
from regard.analysis.formulas import Polynomial, raise_text
from regard.attention import Attention, Content, Grid, Places
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.conv.counting import Powers, Tally, drawn, inner, leading, numbers, order, slope, times, written
from regard.claims.conv.pair_layers import EachPair, OneLogit, Tabulated
from regard.claims.findings import agrees, equals
from regard.layers import MultiHead

SIZES = [{"D": D} for D in (1, 2, 3, 5, 8)]
PAIRED_SIZES = [{"D": 3, "P": 3}, {"D": 4, "P": 2}, {"D": 5, "P": 7}]


@dataclass(frozen=True)
class Absolute:
    """What is said of absolute encodings: one logit's exponent and operations, and orders of the layer.

    `scratch` is the layer that scores every pair from scratch, `layer` the best order of evaluation.
    """

    exponent: int
    operations: Callable[[int], int]
    scratch: frozenset[Powers]
    layer: frozenset[Powers]


def operations(D: int) -> int:
    """Multiplications and additions of the four terms, counted one by one."""
    return counted_logit(D)[0]


@functools.cache
def counted_logit(D: int) -> tuple[int, float]:
    tally = Tally()
    query, key = (numbers(drawn(D, D, seed=seed), tally) for seed in (0, 1))
    x, p, y, r = (numbers(drawn(D, seed=seed), tally) for seed in (2, 3, 4, 5))
    terms = [inner(times(query, a), times(key, b)) for a, b in ((x, y), (x, r), (p, y), (p, r))]
    total = terms[0] + terms[1] + terms[2] + terms[3]
    return tally.operations, total.value


def true_logit(D: int) -> float:
    """The logit of the library: the log-sum-exp over a single key is the logit itself."""
    query, key, x, p, y, r = (drawn(*n, seed=seed) for seed, n in enumerate([(D, D)] * 2 + [(D,)] * 4))
    q, k = ((matrix @ a)[None, None, None] for matrix, a in ((query, x + p), (key, y + r)))
    return float(attend(q, k, torch.ones_like(k), Attention(Content(1.0)), return_lse=True)[1])


@functools.cache
def logit_flops(D: int, vectors_first: bool) -> int:
    vectors = [torch.empty(D, device="meta") for _ in range(4)]
    return cost(OneLogit(D, vectors_first), *vectors, backward=False).forward.flops


@functools.cache
def polynomial(name: str) -> Polynomial:
    """Forward FLOPs of a built layer as a polynomial, one head as wide as the model."""

    def once(N: int, D: int) -> Any:
        return MultiHead(D, 1, bias=False), (torch.empty(1, N, D),)

    def each(N: int, D: int) -> Any:
        return EachPair(D), [torch.empty(N, D, dtype=torch.float64)] * 2

    def each_relative(N: int, D: int, P: int) -> Any:
        return EachPair(D, P), [torch.empty(N, *more, dtype=torch.float64) for more in ((D,), (N, P))]

    def tabulated(N: int, D: int, P: int, S: int) -> Any:
        x, r = (torch.empty(*n, dtype=torch.float64) for n in ((N, D), (S, P)))
        return Tabulated(D, P), (x, r, torch.zeros(N, N, dtype=torch.long))

    made = {
        "absolute, once": (once, {}),
        "absolute, each pair": (each, {}),
        "relative, once": (tabulated, {"P": 4, "S": 20}),
        "relative, each pair": (each_relative, {"P": 4}),
    }
    make, sizes = made[name]
    return formulas(make, N=6, D=8, **sizes).forward


def absolute(stated: Absolute) -> Sequence[Finding]:
    """Count a logit and two ways to compute the layer, and compare the orders."""
    by_vectors, by_matrices = (slope(logit_flops(512, way), logit_flops(1024, way), 2) for way in (True, False))
    each_pair, projected = polynomial("absolute, each pair"), polynomial("absolute, once")
    scratch, once = order(each_pair), order(projected)
    is_small = abs(by_vectors - stated.exponent) < 0.05
    few = f"one logit takes {operations(4):,} operations at D = 4, {operations(8):,} at D = 8: it grows as"
    ways = f"{few} {raised(by_vectors)}{'' if is_small else f', not {raised(stated.exponent)}'}"
    pairs = (2, stated.exponent)
    is_within = leading([*stated.scratch, pairs]) == leading(stated.scratch)
    said = written(leading(stated.layer))
    return [
        Finding("one logit", is_small, ways),
        Finding(
            "matrices first",
            abs(by_matrices - 3) < 0.05,
            f"only with W_qᵀW_k multiplied first, for each logit anew, it grows as {raised(by_matrices)}",
        ),
        agrees("operations of the four terms", stated.operations, operations, SIZES),
        Finding(
            "the layer",
            leading(stated.layer) == once,
            f"projected once per token, it takes {projected} FLOPs, {written(once)}; stated {said}",
        ),
        Finding(
            "every pair from scratch",
            leading(stated.scratch) == scratch,
            f"with every pair from scratch it takes {each_pair}: {written(scratch)}; "
            f"stated {written(leading(stated.scratch))}",
        ),
        Finding(
            "both together",
            is_within,
            f"N² logits of {raised(stated.exponent)} {'fit' if is_within else 'do not fit'} in "
            f"{written(leading(stated.scratch))}, stated for the layer",
        ),
        *same_results(),
    ]


def raised(exponent: float) -> str:
    """A power of D, as D³ where it is whole."""
    whole = round(exponent)
    return f"D{raise_text(str(whole))}" if abs(exponent - whole) < 0.05 else f"D^{exponent:.2f}"


@functools.cache
def same_results() -> tuple[Finding, ...]:
    """Both orders of evaluation give the same numbers."""
    N, D = 6, 5
    each, once = EachPair(D), MultiHead(D, 1, bias=False, out_bias=False, beta=1.0, dtype=torch.float64)
    with torch.no_grad():
        for seed, name in enumerate(("query", "key", "value", "out")):
            for layer in (each, once):
                getattr(layer, name).weight.copy_(drawn(D, D, seed=seed) / 2)
        x, p = drawn(N, D, seed=7), drawn(N, D, seed=8)
        layers = equals("the layer in both orders", once((x + p)[None])[0], each(x, p), 1e-12)
    gap = max(abs(counted_logit(D)[1] - true_logit(D)) for D in (1, 3, 8))
    return layers, Finding("the counted logit", gap < 1e-12, f"the counted logit is the library's: off by {gap:.0e}")


@dataclass(frozen=True)
class Relative:
    """What is said of relative encodings: powers of N and D beyond the absolute layer, and each term's operations.

    `shifts` is the number of offsets for which W̃_k r_δ is made, on an h × w grid.
    """

    beyond: Powers
    terms: Sequence[Callable[[int, int], int]]  # of D and P = D_p
    shifts: Callable[[int, int], int] | None = None


TERMS = ("xᵀW_qᵀW_k y", "xᵀW_qᵀW̃_k r_δ", "uᵀW_k y", "vᵀW̃_k r_δ")


@functools.cache
def term_operations(term: int, D: int, P: int) -> int:
    """Multiplications and additions of one of the four terms, counted one by one."""
    tally = Tally()
    query, key, position = (numbers(drawn(D, n), tally) for n in (D, D, P))
    x, y, r, u, v = (numbers(drawn(n), tally) for n in (D, D, P, D, D))
    left = [lambda: times(query, x), lambda: times(query, x), lambda: u, lambda: v][term]
    right = [lambda: times(key, y), lambda: times(position, r), lambda: times(key, y), lambda: times(position, r)][term]
    inner(left(), right())
    return tally.operations


def counted_shifts(h: int, w: int) -> int:
    """Distinct offsets of an h × w grid."""
    places = Places(Grid(h, w), Grid(h, w))
    i = torch.arange(h * w)
    rows, columns = places.offsets(torch.tensor(0), i[:, None], i[None], "offsets")
    return len(torch.unique(rows * 1000 + columns))


def relative(stated: Relative) -> Sequence[Finding]:
    """Count the four terms, the tabulated layer and the one that scores every pair from scratch."""
    once = order(polynomial("relative, once"), S="N", P="D")  # S < 4N shifts, and P ≤ D
    each = order(polynomial("relative, each pair"), P="D")
    findings = []
    for way, counted, base in (("once", once, "absolute, once"), ("each pair", each, "absolute, each pair")):
        absolute = order(polynomial(base))
        said = frozenset((n + stated.beyond[0], d + stated.beyond[1]) for n, d in absolute)
        flops = f"{way}: {polynomial(f'relative, {way}')} FLOPs, {written(counted)}"
        shown = f"{flops}; absolute encodings {written(absolute)}; stated {written(said)}"
        findings.append(Finding(f"the layer, {way}", said == counted, shown))
    for number, (name, term) in enumerate(zip(TERMS, stated.terms, strict=True)):
        count = functools.partial(term_operations, number)
        findings.append(agrees(f"operations of {name}", term, count, PAIRED_SIZES, detail=True))
    if stated.shifts is not None:
        grids = [{"h": h, "w": w} for h, w in ((1, 1), (2, 3), (5, 5), (4, 9))]
        findings.append(agrees("shifts", stated.shifts, counted_shifts, grids))
        share = max(counted_shifts(**grid) / (grid["h"] * grid["w"]) for grid in grids)
        findings.append(Finding("fewer than 4N", share < 4, f"at most {share:.2f}·N shifts, fewer than 4N"))
    return [*findings, same_relative()]


@functools.cache
def same_relative() -> Finding:
    """The tabulated layer and the one from scratch give the same numbers, on a 2 × 3 grid."""
    D, P, grid = 5, 3, Grid(2, 3)
    N, i = grid.count, torch.arange(grid.count)
    rows, columns = Places(grid, grid).offsets(torch.tensor(0), i[:, None], i[None], "offsets")
    shift = (rows + grid.h - 1) * (2 * grid.w - 1) + columns + grid.w - 1
    each, once, encodings = EachPair(D, P), Tabulated(D, P), drawn(15, P, seed=9)
    with torch.no_grad():
        for seed, name in enumerate(("query", "key", "value", "out", "position")):
            for layer in (each, once):
                getattr(layer, name).weight.copy_(drawn(D, P if name == "position" else D, seed=seed) / 2)
        for seed, name in enumerate(("u", "v")):
            for layer in (each, once):
                getattr(layer, name).copy_(drawn(D, seed=seed + 5))
        x = drawn(N, D, seed=7)
        return equals("both relative layers", once(x, encodings, shift), each(x, encodings[shift]), 1e-12)


def both_orders() -> Lines:
    """FLOPs of the layer against the number of pixels, from the counted polynomials."""
    names = {"absolute, each pair": "every pair from scratch", "absolute, once": "projected once"}
    N = [4**k for k in range(1, 8)]
    curves: dict[str, Sequence[float]] = {
        words: [float(polynomial(name)(N=n, D=64)) for n in N] for name, words in names.items()
    }
    return Lines(
        title="The same layer in two orders of evaluation, D = 64",
        x=N,
        y=curves,
        x_label="pixels N",
        y_label="FLOPs",
        log_x=True,
        log_y=True,
        marks={"N = 2D: attention = projections": 128.0},
    )


BOX: frozenset[Powers] = frozenset({(2, 2), (2, 1), (1, 2)})
BEST: frozenset[Powers] = frozenset({(2, 1), (1, 2)})

CLAIMS = (
    Claim(
        id="conv.b2a",
        title="Cost of absolute encodings",
        texts=Texts(
            asks="Absolute position encodings p are added to the tokens, which makes four terms of each logit. With "
            "all widths D, what does one logit cost, and what a layer of N pixels?",
            derivation="A term $a^\\top W_q^\\top W_k b$ from scratch is two products of a matrix with a vector and an "
            "inner product. An inner product of $D$ entries takes $D$ multiplications and $D - 1$ additions, so the "
            "term takes $2 D (2D - 1) + 2D - 1 = 4D^2 - 1$ operations, four of them with 3 more additions "
            "$16 D^2 - 1$. That is $O(D^2)$; only who multiplies $W_q^\\top W_k$ first, for each logit anew, pays "
            "$O(D^3)$.\n\n"
            "A layer that scores each of its $N^2$ pairs so takes $O(N^2 D^2 + N^2 D + N D^2)$, the document's total: "
            "it contradicts $O(D^3)$ a logit, which would make $O(N^2 D^3)$. Nobody computes it so. The projections of "
            "a token are the same in all its pairs; made once they take $O(N D^2)$, and the logits and the mixing "
            "$O(N^2 D)$.",
            quantities={"$N$": "pixels", "$D$": "width of tokens, queries, keys and values"},
            method="exact: operations counted one by one at D = 1 … 8, FLOPs of built layers as polynomials, exponents "
            "between D = 512 and 1024",
            code=("regard.analysis.cost.symbolic:formulas", "regard.claims.conv.counting:Number"),
        ),
        document=Version(
            "one logit costs O(D³), its four terms 16D² − 4D − 4 operations, the layer O(N²D² + N²D + ND²)",
            r"O(D^3), \quad O(N^2 D^2 + N^2 D + N D^2)",
            Absolute(3, lambda D: 16 * D * D - 4 * D - 4, BOX, BOX),
        ),
        ours=Version(
            "one logit costs O(D²), exactly 16D² − 1 operations; the layer O(ND² + N²D) with projections made once",
            r"16 D^2 - 1, \quad O(N D^2 + N^2 D)",
            Absolute(2, lambda D: 16 * D * D - 1, BOX, BEST),
        ),
        twin=Version(
            "one logit costs O(D²), 16D² operations; the layer O(N²D)",
            r"16 D^2, \quad O(N^2 D)",
            Absolute(2, lambda D: 16 * D * D, BOX, frozenset({(2, 1)})),
        ),
        check=absolute,
        expected=Verdict.REFUTED,
        chart=both_orders,
    ),
    Claim(
        id="conv.b2r",
        title="Cost of general relative encodings",
        texts=Texts(
            asks="In the relative logit the position terms hold the encoding r_δ of an offset and two learned vectors "
            "u, v. What does a layer cost, compared with absolute encodings, and why?",
            derivation="The four terms are not those of absolute encodings: $u$ and $v$ are fixed vectors that no "
            "matrix projects, and $r_\\delta$ has the width $D_p$. They take $4D^2 - 1$, $2D^2 + 2DD_p - 1$, $2D^2 + D "
            "- 1$ and $2DD_p + D - 1$ operations.\n\n"
            "The order is the same all the same. An $h \\times w$ grid has $(2h-1)(2w-1) < 4N$ shifts; "
            "$\\tilde W_k r_\\delta$ made once for each takes $O(N D D_p)$, its products with all queries $O(N^2 D)$. "
            "For $D_p \\le D$ the layer is $O(ND^2 + N^2D)$, as with absolute encodings; from scratch for every pair "
            "both are $O(N^2D^2)$.",
            quantities={
                "$N$": "pixels",
                "$D$": "width of tokens, queries and keys",
                "$D_p$": "width of an encoding, P in the code",
                "$S$": "shifts of the grid, fewer than 4N",
                "$u, v$": "learned vectors of width D",
            },
            method="exact: operations of each term counted one by one, FLOPs of built layers as polynomials",
            code=("regard.analysis.cost.symbolic:formulas", "regard.attention.scores.term:Bias"),
        ),
        document=Version(
            "it costs what absolute encodings cost, having four terms of the same sizes",
            r"4 \times (4D^2 - 1)",
            Relative((0, 0), [lambda D, P: 4 * D * D - 1] * 4),
        ),
        ours=Version(
            "the same order, O(ND² + N²D) with W̃_k r_δ tabulated; the four terms are of different sizes",
            r"(4D^2 - 1) + (2D^2 + 2DD_p - 1) + (2D^2 + D - 1) + (2DD_p + D - 1)",
            Relative(
                (0, 0),
                [
                    lambda D, P: 4 * D * D - 1,
                    lambda D, P: 2 * D * D + 2 * D * P - 1,
                    lambda D, P: 2 * D * D + D - 1,
                    lambda D, P: 2 * D * P + D - 1,
                ],
                shifts=lambda h, w: (2 * h - 1) * (2 * w - 1),
            ),
        ),
        twin=Version(
            "a factor D more: every pair must project its own r_δ",
            r"O(N D^3 + N^2 D^2)",
            Relative((0, 1), [lambda D, P: 4 * D * D - 1] * 4),
        ),
        check=relative,
        expected=Verdict.CORRECTED,
    ),
)
