"""Orders of growth are compared as classes in several sizes."""

import pytest

from regard.grading.formulas.bounds import Unreadable
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.orders import OrderComparison, compare_orders, parse_order

DOMAIN = Domain.parse({"N": "positive", "D": "positive", "H": "divides D", "n": "at most N"})


def compared(answer: str, truth: str) -> OrderComparison:
    return compare_orders(parse_order(answer, DOMAIN.symbols), parse_order(truth, DOMAIN.symbols), DOMAIN)


@pytest.mark.parametrize(
    "text",
    [
        "O(N²D)",
        "Θ(N²D)",
        r"\Theta(N^2 D)",
        r"\mathcal{O}(N^2 D)",
        r"$\mathcal{O}\left(N^{2} D\right)$",
        "theta(N*N*D)",
        "Ω[N²D]",
        "big-O(N²D)",
        "T(N) = O(N²D)",
        "O(N²D) + O(N²)",
        "O(N²D) operations",
        "big-O of N²D",
        "N²D",
        "N^2 D = D N^2",
        "O(N D·N) = O(N² D)",
        "= O(N²D).",
        "O(N x N x D)",
    ],
)
def test_written_in_many_ways(text: str):
    order = parse_order(text, DOMAIN.symbols)
    assert order.canonical().endswith("(N²·D)")
    assert order.letter == {"$": "O", "T": "O", "=": "O", "\\": order.letter, "b": "O", "t": "Θ", "N": ""}.get(
        text[0], text[0]
    )
    assert compared(text, "N²D").equal


@pytest.mark.parametrize(
    ("answer", "truth", "redundant"),
    [
        ("O(4N²D + ND)", "N²D", ("N·D, which N²·D covers", "the factor 4")),
        ("N² + ND + D²", "N² + D²", ("N·D, which N² + D² covers",)),  # the geometric mean
        ("N D^(3/2)·N + N³D", "N²D^(3/2) + N³D", ()),
        ("N log N", "N log₂(N³)", ()),
        ("O(N D log2 N + N D²)", "N D log N + N D²", ()),
        ("N log10 N", "N lg N", ()),
        ("N log 2N", "N log N + N", ()),
        ("N log N + N", "N log N", ("N, which N·log(N) covers",)),
        ("N log(N D)", "N log N + N log D", ()),
        ("D + H", "D", ("H, which D covers",)),
        ("n N + n²", "N n", ("n², which N·n covers",)),
        ("max(N, D)²", "N² + D²", ()),
        ("(N + D)^8", "max(N^8, D^8)", ()),
        ("N(N−1)/2", "N²", ("the factor 1/2",)),
        ("⌈N/D⌉", "N/D + 1", ()),
        ("√N·√N", "N", ()),
        ("3·2^N", "2^N", ()),
        ("O(7)", "O(1)", ("the factor 7",)),
    ],
)
def test_equal_classes_name_what_is_redundant(answer: str, truth: str, redundant: tuple[str, ...]):
    result = compared(answer, truth)
    assert (result.equal, result.missing, result.excess) == (True, (), ())
    assert result.redundant == redundant


@pytest.mark.parametrize(
    ("answer", "truth", "missing", "excess"),
    [
        ("N²", "N²D", ("N²·D, as D → ∞ with N fixed",), ()),
        ("N³", "N²", (), ("N³, as N → ∞",)),
        ("N log N", "N", (), ("N·log(N), as N → ∞",)),
        ("N", "N log N", ("N·log(N), as N → ∞",), ()),
        ("N D", "N² + D²", ("N², as N → ∞ with D fixed", "D², as D → ∞ with N fixed"), ()),
        ("N² D²", "N² + D²", (), ("N²·D², as N = D → ∞",)),
        ("N + D", "N√D", ("N·D^(1/2), as N = D → ∞",), ("D, as D → ∞ with N fixed",)),
        ("D²/H", "D²", ("D², as D = H → ∞",), ()),
        ("n N", "N²", ("N², as N → ∞ with n fixed",), ()),
        ("N³ + D³", "N³ + D³ + N²D²", ("N²·D², as N = D → ∞",), ()),
        ("N^4 + D", "N^4 + D + N²D^(2/3)", ("N²·D^(2/3), as N = D^(1/4), D → ∞",), ()),
    ],
)
def test_different_classes_name_the_direction(answer: str, truth: str, missing: tuple, excess: tuple):
    result = compared(answer, truth)
    assert not result.equal
    assert (result.missing, result.excess) == (missing, excess)


def test_every_side_must_be_of_the_order():
    wrong = compared("O(1) = O(N²D + N D²)", "N²D + N D²")
    assert (wrong.equal, wrong.side) == (False, 0)
    assert compared("O(N D (N + D)) = O(2 N² D + N D²)", "N²D + N D²").redundant == ("the factor 2",)
    assert compared("T = 3·2^N", "2^N").equal  # a lone name
    with pytest.raises(Unreadable, match="can only be equal to the same formula"):
        compared("N² = 3·2^N", "2^N")


def test_the_hull_decides_and_not_the_terms_alone():
    assert compared("N^4 + D^4 + N D³", "N^4 + D^4").equal
    assert compared("N^4 + D² + N²D", "N^4 + D²").equal
    assert not compared("N^4 + D² + N²D + N³D", "N^4 + D²").equal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("min(N, D)", "an order must be built of powers, products, sums, logarithms and max: got min"),
        ("N − D", "an order must be a sum of growing terms: got −D"),
        ("N² − N n", "got −N·n, which no other term outgrows"),
        ("N − N", "an order must have a term: got N − N, which is zero"),
        ("N/(N+D)", "a denominator of an order must be one positive term: got 2 terms"),
        ("3^N", "an order with a size in an exponent can only be equal to the same formula"),
        ("log(N/D)", "the logarithm of an order must be that of a growing term"),
        ("O(N", "'(' is opened and never closed at column 2 of 'O(N'"),
        ("O(N q)", "unknown word 'q' at column 5 of 'O(N q)'"),
        ("(N+D+H+n)^3(N−D)^9(N−H)^9(N−n)^9", "an order may have 1000 terms"),
        ("N^π", "an exponent of an order must be rational"),
    ],
)
def test_refused_orders(text: str, message: str):
    with pytest.raises(Unreadable) as caught:
        compared(text, "2^N" if text == "3^N" else "N²")
    assert message in str(caught.value)


def test_the_other_reading():
    order = parse_order("O(N log N D)", DOMAIN.symbols)
    other = order.tight()
    assert other is not None
    assert (order.canonical(), other.canonical()) == ("O(N·log(N)·D)", "O(N·log(D) + N·log(N))")
    assert parse_order("O(N)", ["N"]).tight() is None
