"""Numbers, vectors and matrices keep the digits that were given, and are judged by them."""

import re
from fractions import Fraction

import numpy as np
import pytest

from regard.grading.formulas.bounds import Unreadable
from regard.grading.reading.numbers import close, parse_matrix, parse_number, parse_vector

SOFTMAX = [0.09003057, 0.24472847, 0.66524096]


@pytest.mark.parametrize(
    ("given", "value", "unit"),
    [
        ("0.450", Fraction(9, 20), Fraction(1, 1000)),
        ("≈ 0.45", Fraction(9, 20), Fraction(1, 100)),
        ("p = 0.45", Fraction(9, 20), Fraction(1, 100)),
        ("$-.5$", Fraction(-1, 2), Fraction(1, 10)),
        ("−3", -3, None),
        ("67,108,864", 67108864, None),
        ("67.1M", 67_100_000, 100_000),
        ("67.1 million", 67_100_000, 100_000),
        ("82.1 %", Fraction(821, 1000), Fraction(1, 1000)),
        (r"82\%", Fraction(82, 100), Fraction(1, 100)),
        ("5.638e-42", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("5.638·10⁻⁴²", Fraction(5638, 10**45), Fraction(1, 10**45)),
        (r"5.638 \times 10^{-42}", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("1/3", Fraction(1, 3), None),
        ("2^{-5}", Fraction(1, 32), None),
        ("1/3 ≈ 0.333", Fraction(1, 3), None),
        ("1/3 = 0.333", Fraction(333, 1000), Fraction(1, 1000)),
        ("25/2 %", Fraction(1, 8), None),
        ("12 MACs", 12, None),
        ("5.638*10^(-42)", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("(5.638e-42)", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("5.638/10^42", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("5.638 * 1e-42.", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("5.638 x 10^-42", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("5,638e-42", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("5,638·10⁻⁴²", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("67.1 * 1000000", 67_100_000, 100_000),
        ("-(6.71·10^(7))/2", -33_550_000, 50_000),
        ("0.5 + 0.25", Fraction(3, 4), None),
        ("0,465", Fraction(465, 1000), Fraction(1, 1000)),
        ("67,1 %", Fraction(671, 1000), Fraction(1, 1000)),
        ("5,638", 5638, None),
        ("67 108 864", 67108864, None),
        ("67.1 MMACs", 67_100_000, 100_000),
        ("67.1 Mio. parameters", 67_100_000, 100_000),
        ("$67.1$ GFLOPs", 67_100_000_000, 100_000_000),
        ("12 heads (attention heads)", 12, None),
        ("minus 10", -10, None),
        ("= 67108864", 67108864, None),
        ("N* = 0.45", Fraction(9, 20), Fraction(1, 100)),
        ("67.108.864", 67108864, None),
        ("67'108'864", 67108864, None),
        ("5.638e–42", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("5.638 E-42", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("5.638 10^-42", Fraction(5638, 10**45), Fraction(1, 10**45)),
        ("Twelve", 12, None),
        ("by a factor of 4", 4, None),
        ("four times", 4, None),
        ("x4", 4, None),
        ("4×", 4, None),
        ("f(x) = 9/20 = 0.45", Fraction(9, 20), Fraction(1, 100)),
        (7, 7, None),
        (0.25, Fraction(1, 4), Fraction(1, 100)),
    ],
)
def test_numbers(given: object, value: Fraction, unit: Fraction | None):
    (entry,) = parse_number(given).entries
    assert (entry.value, entry.unit) == (value, unit)


@pytest.mark.parametrize(
    "given",
    ["(1, 1/2, 0.30)", "[1 1/2 0.30]", "1; 1/2; 0.30", "1\n1/2\n0.30", "v = (1, 1 / 2, 0.30)^T", ["1", "1/2", "0.30"],
     r"\left(1, \frac{1}{2}, 0.30\right)", "u1 = 1, u_2 = 1/2 = 0.5, u3=0.30", "(1, 2/4, 0.300) = (1, 1/2, 0.30)",
     "tensor([1, 0.5, 0.30], dtype=torch.float64)", "np.array([1., 0.5, 0.30])", "⟨1, 1/2, 0.30⟩.",
     "A x = (1, 1/2, 0.30)", "(1; 0,5; 0,30)", "1 0,5 0,30", ["1", "0,5", "0,30"],
     "e = (1, 5.0*10^(-1), 3.0/10) ≈ (1, 0.5, 0.3)", "(1, 1/2, 0.30)^⊤", "[1 1/2 0.30]'", "[1, 1/2, 0.30].T",
     "1 | 1/2 | 0.30", "<1, 1/2, 0.30>", "c(1, 1/2, 0.30)", "100 %; 50 %; 30 %",
     "v = softmax(K q/√d_k) = (1, 1/2, 0.30)",
     r"\begin{pmatrix*}[r] 1 \\[2pt] 1/2 \\ 0.30 \end{pmatrix*}", r"\begin{pmatrix} 1 \\ 1/2 \\ 0.30 \end{pmatrix}"],
)  # fmt: skip
def test_vectors(given: object):
    vector = parse_vector(given)
    assert vector.shape == (3,)
    assert [entry.value for entry in vector.entries] == [1, Fraction(1, 2), Fraction(3, 10)]
    assert vector.entries[2].unit == Fraction(1, 100)


@pytest.mark.parametrize(
    "given",
    ["[[1, -2], [3, 4.50]]", "array([[ 1.,  -2.  ],\n       [ 3.,  4.50]])", r"\langle(1, -2), (3, 4.50)\rangle",
     "1 -2; 3 4.50", "1, -2\n3, 4.50", [["1", -2], [3, "4.50"]], ["1 -2", "3 4.50"],
     "[1, -2]\n[3, 4.50]", "[[1 -2]\n [3 4.50]]", "{{1, -2}, {3, 4.50}}", "W = [1 -2; 3 4.50]",
     "1;-2\n3;4.50", "1 -2;\n3 4.50;",
     "[1 3; -2 4.50]'", "[[1, 3], [-2, 4.50]]^T", "z1 = (1, -2)\nz2 = (3, 4.50)",
     r"\begin{bmatrix} 1 & -2 \\ 3 & 4.50 \end{bmatrix}"],
)  # fmt: skip
def test_matrices(given: object):
    matrix = parse_matrix(given)
    assert matrix.shape == (2, 2)
    assert [entry.value for entry in matrix.entries] == [1, -2, 3, Fraction(9, 2)]
    assert matrix.entries[3].unit == Fraction(1, 100)
    assert re.sub(r"\.(?=[,\]])", "", str(matrix)) == "[[1, -2], [3, 4.50]]"


@pytest.mark.parametrize(
    ("given", "truth", "right", "reason"),
    [
        ("0.667", 2 / 3, True, ""),
        ("0.6667", 2 / 3, True, ""),
        ("2/3", 2 / 3, True, ""),
        ("0.666", 2 / 3, True, "truncated, not rounded: 0.666 should be 0.667"),
        ("-0.666", -2 / 3, True, "truncated, not rounded: -0.666 should be -0.667"),
        ("0.668", 2 / 3, False, "the value differs"),
        ("0.67", 2 / 3, False, "at least 3 significant digits are needed: got 0.67; give more digits"),
        ("0.5", 0.5, True, ""),
        ("1.00", 0.9996, True, ""),
        ("67.1M", 67108864, True, ""),
        ("67100000", 67108864, False, "the value differs: 67100000 is taken as exact; write a rounded number as 671e5"),
        ("67108863", 67108864, False, "the value differs"),
        ("5", 4, False, "the value differs"),
        ("42", 42.3, False, "at least 3 significant digits are needed: got 42; give more digits"),
        ("0", 5.638e-42, False, "at least 3 significant digits are needed: got 0; give more digits"),
        ("5.638e-42", 5.63768e-42, True, ""),
        ("e^{-1}", 0.36787944117144233, True, ""),
        ("0.3333", "1/3", True, ""),
        ("5.638*10^(-42)", 5.63768e-42, True, ""),
        ("5.63/10^42", 5.63768e-42, True, "truncated, not rounded: 5.63/10^42 should be 5.64e-42"),
        (
            "5.6 * 1e-42",
            5.63768e-42,
            False,
            "at least 3 significant digits are needed: got 5.6 * 1e-42; give more digits",
        ),
        ("5,638", 5638, True, ""),
        ("5,638", 5.638, True, "5,638 read as 5.638: write the decimal point as '.'"),
        ("5,638", 7, False, "the value differs (5,638 read as 5638: write the decimal point as '.')"),
        ("10^399/3", Fraction(10**399, 3), True, ""),
        ("6.66e398", Fraction(2 * 10**399, 3), True, "truncated, not rounded: 6.66e398 should be 6.67e+398"),
        ("1/3 ≈ 0.33", 1 / 3, True, ""),
        ("67,109 K", 67108864, True, "67,109 K read as 67109000; write the number without a comma"),
        ("67,109e3", 67108864, True, "67,109e3 read as 67109000; write the number without a comma"),
        ("67,109 M", 67108864, True, ""),
        (
            "67,108 K",
            67108864,
            True,
            "67,108 K read as 67108000; write the number without a comma; truncated, not rounded: "
            "67,108 K should be 67109000",
        ),
        ("67,107 K", 67108864, False, "the value differs (67,107 K read as 67107: write the decimal point as '.')"),
        ("0.66666669", 2 / 3, True, "right to single precision"),
        ("0.6666669", 2 / 3, True, "right to single precision"),
        ("0.6666675", 2 / 3, False, "the value differs"),
        ("0.666668", 2 / 3, False, "the value differs"),  # six digits
        ("67.108865M", 67108864, False, "the value differs"),  # a count
    ],
)
def test_close(given: str, truth: object, right: bool, reason: str):
    result = close(parse_number(given), truth)
    assert (result.right, result.reason) == (right, reason)
    assert right or (result.true is not None)


def test_the_first_entry_that_differs_is_named():
    assert close(parse_vector("0.090 0.245 0.665"), SOFTMAX).right
    assert close(parse_vector("0.090 0.244 0.665"), np.array(SOFTMAX)).reason.startswith("entry 2: truncated")
    wrong = close(parse_vector("0.090 0.254 0.656"), SOFTMAX)
    assert (wrong.right, wrong.reason[:8], wrong.yours) == (False, "entry 2:", Fraction(254, 1000))
    few = close(parse_vector("0.1 0.2 0.7"), SOFTMAX)
    assert few.reason == "entry 1: at least 3 significant digits are needed: got 0.1; give more digits"
    assert close(parse_vector("0.1 0.2 0.7"), SOFTMAX, least_digits=1).right
    cell = close(parse_matrix("1 2; 3 5"), [[1, 2], [3, 4]])
    assert cell.reason == "row 2, column 2: the value differs"
    turned = close(parse_matrix("1 2; 3 4"), [[1, 3], [2, 4]])
    assert turned.transposed
    assert turned.reason == "this is the transposed matrix: rows and columns are exchanged"
    assert not close(parse_matrix("1 2; 3 4"), [[1, 3], [5, 4]]).transposed
    shape = close(parse_vector("1, 2"), [1, 2, 3])
    assert shape.reason == "the shape must be 3 entries: got 2 entries; check rows and columns"
    assert close(parse_vector("1"), [1, 2]).reason == "the shape must be 2 entries: got 1 entry; check rows and columns"
    assert close(parse_vector("5,638; 6,123"), [5.638, 6.123]).right
    assert close(parse_vector("67,108,864, 3"), [67108864, 3]).right
    assert close(parse_vector("0,465, 0,035"), [0.465, 0.035]).right
    assert close(parse_vector("0,50, 0,30"), [0.5, 0.3]).right
    assert close(parse_vector("1/3 = 0.333, 2/3 = 0.667"), [1 / 3, 2 / 3]).right
    assert parse_number("0,465").entries[0].other is None  # there is one reading only
    assert close(parse_matrix("1 0; 0 1"), [[1, 1e-16], [0, 1 - 1e-16]]).right  # a truth with rounding errors


@pytest.mark.parametrize(
    ("read", "given", "message"),
    [
        (parse_number, "abc", "a formula must not be empty: got 'abc'; write a number or a formula"),
        (parse_number, "1/0", "a number must have a value: a division by zero"),
        (parse_number, True, "a number must be a number or text: got bool"),
        (parse_number, float("nan"), "a number must be finite: got nan"),
        (parse_number, "1e99999", "a number may have 400 digits at most: got '1e99999'"),
        (parse_number, "2·3 = 5", "the sides of an equation must agree: got '2·3 = 5'"),
        (parse_number, "1/3 ≈ 0.5", "the sides of an equation must agree: got '1/3 ≈ 0.5'"),
        (parse_number, "16.77.216", "at column 1 of '16.77.216'; write 1677216, or one dot alone"),
        (parse_number, "c < -10", "unexpected '<' at column 3 of 'c < -10'; write what it equals"),
        (parse_number, "e ≥ 0.45", "unexpected '≥' at column 3"),
        (parse_number, "not = 7", "an answer says what is, not what is not"),
        (parse_number, "7 or 8", "one number is asked for: got '7 or 8'"),
        (parse_vector, "w = 0.1, 0.2, x = 0.465, 0.035", "one list is asked for: got 'x' within another"),
        (parse_vector, "0.465/0.035/0.5", "must be separated by ; or ,: got '0.465/0.035/0.5'; write a; b; c"),
        (parse_matrix, "wrong try [[1,2],[3,4]]\nZ = [[1, 2], [3, 5]]", "unknown word 'wrong'"),
        (parse_matrix, "first (1, 2)\nz2 = (3, 4)", "one list is asked for: got 'z' within another"),
        (parse_matrix, "z2 = (1, 2)\nz1 = (3, 4)", "entries must be in their order: got 2, 1"),
        (parse_matrix, "not1 = (1, 2)\nz2 = (3, 4)", "unknown word 'not'"),
        (parse_matrix, "[(1, 2)^T, (3, 4)^T]", "a part of a matrix must not be transposed"),
        (parse_number, "·".join(["10^399"] * 20), "a number may have 400 digits: got '10^399·10^399"),
        (parse_vector, "(9,9,9)=(1,-6,2)", "the sides of an equation must agree: got '(9,9,9)=(1,-6,2)'"),
        (parse_vector, "u2=-6, u1=1", "entries must be in their order: got 2, 1"),
        (parse_vector, "u = ", "an answer must have a value: got 'u = '"),
        (parse_vector, "u1 = , u2 = 3", "an answer must have a value: got 'u1 = , u2 = 3'"),
        (parse_matrix, "z1 = (1, 2)\nz2 = z3", "a comma separates the arguments"),
        (parse_number, "p ≈", "a formula must not be empty: got 'p ≈'"),
        (parse_number, "(1,2)", "a comma separates the arguments of min and max only: got 2 parts"),
        (parse_number, "0.3/0", "a number must have a value: a division by zero"),
        (parse_matrix, "[[9, 9]] = [[1, 2]]", "the sides of an equation must agree"),
        (parse_vector, "", "a vector or matrix must have entries: got none"),
        (parse_vector, [], "a vector must have entries: got none"),
        (parse_vector, 5, "a vector must be a list or text: got int"),
        (parse_vector, "1 2; 3 4", "a vector must be one row or one column: got 2 rows"),
        (parse_matrix, "[[1, 2], [3]]", "a matrix must have rows of one length: got lengths 2, 1"),
        (parse_matrix, [[1], 2], "a row must be a list or text: got int"),
        (parse_vector, "1 " * 20_000, "a vector or matrix may have 20000 characters: got 40000"),
        (parse_vector, ["9" * 400] * 60, "a vector or matrix may have 20000 characters: got 24000"),
        (parse_vector, [1] * 10_001, "a vector or matrix may have 10000 entries: got 10001"),
    ],
)
def test_unreadable(read, given: object, message: str):
    with pytest.raises(Unreadable) as caught:
        read(given)
    assert message in str(caught.value)


def test_integers_that_cannot_be_printed_are_refused():
    for read, given in ((parse_number, int("f" * 5_000, 16)), (parse_vector, [1, -(10**5_000)])):
        with pytest.raises(Unreadable, match="a number may have 400 digits: got more"):
            read(given)
