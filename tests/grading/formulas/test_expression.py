"""Formulas are read in the many ways people write them, and compared exactly."""

from fractions import Fraction
from itertools import islice

import mpmath
import pytest

from regard.grading.formulas.expression import Domain, Undefined, Unreadable, compare, parse

RULES = {
    "D": "positive",
    "H": "divides D",
    "N": "positive",
    "N_h": "positive",
    "D_hid": "positive",
    "n_t": "positive",
    "n_s": "positive",
    "k": "positive",
    "n": "nonnegative",
    "β": "positive real",
    "γ": "real",
}
DOMAIN = Domain.parse(RULES)
SYMBOLS = DOMAIN.symbols
SIZES = {name: Fraction(index + 2) for index, name in enumerate(SYMBOLS)} | {"γ": Fraction(-7, 2)}

# Each line: ways to write one formula, separated by ¦.
SAME = r"""
3D^2+3D ¦ 3D² + 3D ¦ 3*D**2 + 3*D ¦ 3D·(D+1) ¦ 3·D×D + 3D ¦ 3D\left(D+1\right) ¦ 3[D^{2}+D] ¦ 3D\cdot\{D+1\} ¦ 3d² + 3d
D/H ¦ \frac{D}{H} ¦ \dfrac{D}{H} ¦ \tfrac DH ¦ D÷H ¦ DH^{-1} ¦ D H⁻¹ ¦ $\frac{D}{H}$ ¦ \(D/H\) ¦ \[ D / H \]
N_h D_hid ¦ N_{h}D_{hid} ¦ N_{\text{h}} D_{\mathrm{hid}} ¦ NₕD_hid ¦ D_{hid}\,N_h ¦ D_hid N_h
n_t n_s D ¦ n_tn_sD ¦ nₜnₛD ¦ n_{t}n_{s} D
N²D/H ¦ \frac{N^2 D}{H} ¦ N^2*D/H ¦ N·N·D / H ¦ N**2 D / H parameters ¦ cost = N²D/H ¦ T(N) = N²D/H ¦ ≈ N²D/H ¦ N²D/H.
½N² ¦ 0,5 N² ¦ 0,500N^2 ¦ 1,0 N²/2,0 ¦ 1/2 N^2 ¦ \frac12 N² ¦ 0.5N^2 ¦ N²/2 ¦ \frac{1}{2}N^{2} ¦ .5 N² ¦ 5e-1 N²
√D ¦ \sqrt{D} ¦ sqrt(D) ¦ D^{1/2} ¦ D^(1/2) ¦ D^0.5 ¦ \sqrt D ¦ D/√D ¦ D^0,5 ¦ D^{0,5} ¦ np.sqrt(D) ¦ √(D³)/D
e^n ¦ exp(n) ¦ \exp(n) ¦ \mathrm{e}^{n} ¦ exp(n+1)/e ¦ e^{2n}/e^n
log N ¦ ln N ¦ \ln(N) ¦ \log N ¦ log(N²)/2 ¦ ln(2N) − ln 2 ¦ log₂(N)·ln 2 ¦ \log_{10}(N)\ln 10
log₂N ¦ \log_2 N ¦ log_2(N) ¦ log2(N) ¦ ln N/ln 2 ¦ log2 N ¦ log2N ¦ lg N ¦ lg(N) ¦ \log2 N ¦ ln N/ln2
log(2N) ¦ log 2N ¦ ln 2 N ¦ LOG(2N) ¦ ln2 + ln N
log₁₀(N)/2 ¦ log10 N/2 ¦ ½ log10N
min(N, D) ¦ \min\{D, N\} ¦ \operatorname{min}(N, D) ¦ MIN(N, D) ¦ MIN(N;D) ¦ MIN(N, SQRT(D²))
⌈N/2⌉ ¦ ceil(N/2) ¦ math.ceil(N/2) ¦ \lceil N/2 \rceil
⌊N/2⌋ ¦ floor(N/2) ¦ N // 2 ¦ (N)//2 ¦ -(-(N-1)//2) ¦ (N - mod(N, 2))/2 ¦ \left\lfloor \frac{N}{2} \right\rfloor
|γ| ¦ abs(γ) ¦ \lvert\gamma\rvert ¦ abs(-gamma) ¦ √(γ²)
2|γ| + |β| ¦ 2·abs(gamma) + beta ¦ |\beta| + 2|\gamma|
3−D ¦ 3-D ¦ 3–D ¦ -D+3 ¦ ３－D
67,108,864 ¦ 67_108_864 ¦ 67108864 ¦ 2^26 ¦ 67{,}108{,}864 ¦ ６７１０８８６４ ¦ 4^13
5.638e-42 ¦ 5.638·10⁻⁴² ¦ 5.638 × 10^{-42} ¦ 5.638E-42 ¦ 5638·10^-45
(k+1)^n ¦ pow(k+1, n) ¦ at most (k+1)^n ¦ (k+1)^{n} ¦ (1+k)ⁿ ¦ (k+1)^(n+2)/(k+1)²
log² N ¦ (ln N)² ¦ \log^2 N ¦ log(N)^2
\sqrt[3]{N} ¦ ∛N ¦ N^{1/3}
max(N, D) + min(N, D) ¦ N + D ¦ cost ≤ N + D ¦ x* = N + D ¦ k*=N + D ¦ T(n) < N + D ¦ N + D > T(n) ¦ $N+D$.
N + 2D ¦ Var(q·v) = N + 2D ¦ ‖y − b‖ = N + 2D ¦ ∂y/∂z = N + 2D ¦ \frac{\partial y}{\partial z} = N + 2D
N + 3D ¦ = N + 3D ¦ number of heads = N + 3D ¦ The answer is N + 3D. ¦ Total: N + 3D ¦ N + 3D in total
2N + D ¦ 2N (weights) + D (biases) ¦ D + 2N altogether ¦ N^* = D + 2N
N·N ¦ N x N ¦ NxN ¦ N X N ¦ N² attention weights ¦ N² heads. ¦ N² (weights and biases) ¦ N²\text{ MACs} ¦ $N^2$ weights.
3D² − 3D ¦ 3D² weights − 3D biases ¦ 3D² minus 3D ¦ 3 times D² minus 3 x D (weights + biases).
5.64·10⁻⁴² N ¦ 5.64 x 10^-42 N ¦ 5.64e-42 × N
D_hid ¦ D_{\rm hid} ¦ D_{\text{hid}} ¦ D_\mathrm{hid} ¦ D_{ \textrm{hid} } ¦ 1/(1/√D_hid)²
12 345 678 ¦ 12,345,678 ¦ 12345678 ¦ 12.345.678
N² ¦ N squared ¦ the square of N ¦ N to the power of 2 ¦ \boxed{N^2} ¦ **N²** ¦ `N**2` ¦ \mathbf{N}^2
N³ ¦ N cubed ¦ N_{tokens}^3 ¦ N^3, not N ¦ N³ (not N²)
N/D ¦ N over D ¦ N divided by D ¦ N:D ¦ Rational(1, 1)*N/D ¦ x = N/D, since x grows ¦ so N/D
N + 7D ¦ weights: N, biases: 7D, total: N + 7D ¦ N weights and 7D biases ¦ N for the maps + 7D
N + 6D ¦ a = N, b = 6D, so a + b ¦ N + b with b = 6D
sqrt(N) ¦ the square root of N ¦ root N ¦ √N, because N is large ¦ \begin{align*}\sqrt{N}\end{align*}
""".strip().splitlines()


@pytest.mark.parametrize("line", SAME, ids=range(len(SAME)))
def test_all_ways_of_writing_one_formula_are_equal(line: str):
    first, *others = (parse(text, SYMBOLS) for text in line.split(" ¦ "))
    value = first.evaluate(SIZES)
    for other in others:
        assert compare(other, first, DOMAIN).equal, other.text
        assert mpmath.almosteq(mpmath.mpf(0) + other.evaluate(SIZES), mpmath.mpf(0) + value), other.text
        again = parse(str(other), SYMBOLS)  # what is shown can be read again
        assert compare(again, first, DOMAIN).equal, str(other)


def test_lines_differ_from_one_another():
    firsts = [parse(line.split(" ¦ ")[0], SYMBOLS) for line in SAME]
    for one, two in zip(firsts, firsts[1:], strict=False):
        result = compare(one, two, DOMAIN)
        assert not result.equal
        assert result.counterexample is not None
        assert DOMAIN.contains(result.counterexample)
        assert result.yours == one.evaluate(result.counterexample)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("3D(D+1)", "3·D² + 3·D"),
        ("1/2D", "D/2"),
        ("N(N+1)/2", "(N² + N)/2"),
        ("D/(H N)", "D/(H·N)"),
        ("1/√D", "√D/D"),
        ("e^{2n}", "(eⁿ)²"),
        ("-D_hid - 1", "−D_hid − 1"),
        ("5.638e-42 N", "5.638·10⁻⁴²·N"),
        ("D − D", "0"),
        ("(D+N+k)^20", "(D + N + k)²⁰"),  # 231 terms: as it was read
    ],
)
def test_shown(text: str, canonical: str):
    assert parse(text, SYMBOLS).canonical() == canonical


@pytest.mark.parametrize(
    ("text", "loose", "tight"),
    [("1/2D", "D/2", "1/(2D)"), ("N/2(D+1)", "N(D+1)/2", "N/(2(D+1))"), ("log 2N", "ln(2N)", "N ln 2"),
     ("D^-1/2", "1/(2D)", "1/√D"), ("k^1/2 N", "k N/2", "√k·N"), ("2^-3/2", "1/16", "1/√8"),
     ("lg N", "ln N/ln 2", "ln N/ln 10"), ("log N k", "k ln N", "ln(N k)")],
)  # fmt: skip
def test_two_readings(text: str, loose: str, tight: str):
    read = parse(text, SYMBOLS)
    other = read.tight()
    assert other is not None
    assert compare(read, parse(loose, SYMBOLS), DOMAIN).equal
    assert compare(other, parse(tight, SYMBOLS), DOMAIN).equal
    assert str(read) != str(other)
    for one in ("½D/(2H)", "N^2/2", "N^3/2", "D^(-1)/2", "D⁻¹/2", "N log2"):
        assert parse(one, SYMBOLS).tight() is None, one


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3D + x²", "unknown word 'x' at column 6 of '3D + x²'; the symbols here are D, H, N"),
        ("D_foo", "unknown word 'D_foo' at column 1 of 'D_foo'"),
        ("D_", "unknown subscript at column 2 of 'D_'"),
        ("(D + 1", "'(' is opened and never closed at column 1"),
        ("D + 1)", "')' closes nothing at column 6"),
        ("(D + 1]", "'(' of column 1 is closed by ']' at column 7"),
        ("3D +", "the formula ends too early at column 4"),
        ("3 67 D", "a number follows a factor without a sign at column 3"),
        ("D2", "write ^ for a power or · for a product"),
        ("wrong = N", "an answer says what is, not what is not: got 'wrong = N'"),
        ("The answer is not N", "an answer says what is, not what is not"),
        ("n > 2D", "unexpected '>' at column 3 of 'n > 2D'; write what it equals, or a bound as: name < formula"),
        ("N > D", "unexpected '>' at column 3"),
        (r"N \geq 2D", r"unexpected '\geq' at column 3"),
        ("< N", "unexpected '<' at column 1"),
        ("N D < 5", "unexpected '<' at column 5 of 'N D < 5'"),
        ("k < N < 5", "unexpected '<' at column 3 of 'k < N < 5'"),
        ("weights = 3D²\nbiases = 3D", "one formula is asked for: got 'weights' and 'biases' apart; add the parts"),
        ("N per head", "a condition changes the answer at column 3 of 'N per head'"),
        ("N (per head)", "a condition changes the answer at column 4"),
        ("N?", "an answer must not be a question: got 'N?'"),
        ("3x", "unknown word 'x' at column 2"),
        ("0x10", "a number follows a factor without a sign at column 3"),
        ("biases + N", "unknown word 'biases' at column 1"),
        ("N − everything", "unknown word 'everything' at column 5"),
        ("N foo D", "unknown word 'foo' at column 3"),
        ("12 (mod 5)", "mod needs at least two arguments"),
        ("foo = $N q$ weights.", "unknown word 'q' at column 10 of '…oo = $N q$ weights.'"),
        ("max(64)", "max needs at least two arguments separated by commas: got one; write max(a, b)"),
        ("(D, N)", "a comma separates the arguments of min and max only: got 2 parts"),
        ("D* *N", "unexpected '*' at column 4"),
        ("D²\u200f", "unreadable character U+200F RIGHT-TO-LEFT MARK at column 3"),
        ("N N_h n d D", "unknown word 'd' at column 9"),
        ("O(N)", "an exact formula is asked for, not an order of growth: got O(…)"),
        ("o(N)", "o says less than this order"),
        ("  ", "a formula must not be empty: got '  '"),
        ("log_1 N", "the base of a logarithm must be at least 2: got 1"),
        (r"\frac10", "a fraction needs a denominator that is not zero"),
        ("D^65", "the exponent of a symbol may be 64 at most: got '65'"),
        (3, "a formula must be text: got int"),
    ],
)
def test_unreadable(text: str, message: str):
    with pytest.raises(Unreadable) as caught:
        parse(text, SYMBOLS)
    assert message in str(caught.value)


def test_symbols_are_spelt_longest_first_and_other_case_only_when_clear():
    assert parse("nd", ["n", "d"]).canonical() == "n·d"
    assert parse("nd", ["n", "d", "nd"]).canonical() == "nd"
    assert parse("ln", ["l", "n"]).canonical() == "l·n"
    assert parse("2e^3", ["e"]).canonical() == "2·e³"
    assert parse("2e3", []).canonical() == "2000"
    assert parse("N D", ["n", "d"]).canonical() == "n·d"
    assert parse("W_1 + W₁ + W1", ["W1"]).canonical() == "3·W1"
    assert parse(r"\lambda_{max} + λ_max + lambda_max", ["λ_max"]).canonical() == "3·λ_max"
    assert parse("N MAC", ["N", "M", "A", "C"]).canonical() == "N·M·A·C"  # a unit only where it is no product
    assert parse("N\u2062N\u200b\ufeff\u00ad", ["N"]).canonical() == "N²"
    assert parse("N x N", ["N", "x"]).canonical() == "N²·x"
    assert parse("LN(N)", ["L", "N"]).canonical() == "L·N²"
    with pytest.raises(Unreadable, match="unknown word 'n'"):
        parse("n", ["n_t"])
    with pytest.raises(ValueError, match="a symbol must be letters, perhaps with a subscript: got '2x'"):
        parse("x", ["2x"])


def test_every_side_of_a_chain_must_be_right():
    truth = parse("3D² + 3D", SYMBOLS)
    assert compare(parse("P = 3(D²+D) = 3D² + 3D", SYMBOLS), truth, DOMAIN).equal
    wrong = compare(parse("3D(D+1) = 3D² + 3", SYMBOLS), truth, DOMAIN)
    assert (wrong.equal, wrong.side, wrong.yours, wrong.true) == (False, 1, 15, 18)
    assert len(parse("N D = D N", SYMBOLS).sides) == 2  # a product of symbols is a side, not a name
    assert not compare(parse("N D = N²", SYMBOLS), parse("N²", SYMBOLS), DOMAIN).equal


@pytest.mark.parametrize(
    ("answer", "truth", "proof"),
    [
        ("(N²−1)/(N−1)", "N+1", "identity"),
        ("√(D H)", "√D·√H", "identity"),
        ("1/(1+√N)", "(√N−1)/(N−1)", "identity"),
        ("(2k)^n", "2^n·k^n", "identity"),
        ("4^n", "2^(2n)", "identity"),
        ("2^(n/2)", "√(2^n)", "identity"),
        ("√(γ²)", "|γ|", "identity"),
        ("exp(n·log(k+1))", "(k+1)^n", "identity"),
        ("⌊(N+k−1)/k⌋", "⌈N/k⌉", "identity"),
        ("⌊N/2⌋ + ⌈N/2⌉", "N", "cases"),
        ("(N + k − |N − k|)/2", "min(N, k)", "cases"),
        ("|N − 10^6| + 10^6", "max(N, 2·10^6 − N)", "cases"),
        ("max(D, H)", "D", "cases"),  # because H divides D
    ],
)
def test_what_an_equality_rests_on(answer: str, truth: str, proof: str):
    result = compare(parse(answer, SYMBOLS), parse(truth, SYMBOLS), DOMAIN)
    assert (result.equal, result.proof) == (True, proof)


@pytest.mark.parametrize(
    ("answer", "at"), [("N + max(0, N − 10^6)", 10**6 + 1), ("N + ⌊N/10^9⌋", 10**9), ("min(N, 10^50)", 10**50 + 1)]
)
def test_a_far_threshold_is_found(answer: str, at: int):
    result = compare(parse(answer, SYMBOLS), parse("N", SYMBOLS), DOMAIN)
    assert not result.equal
    assert result.counterexample is not None
    assert result.counterexample["N"] == at


@pytest.mark.parametrize(
    ("answer", "truth"),
    [
        ("(D+N+k+n+H)^40/(D+N+k+n+H)^39", "D+N+k+n+H"),  # too large to multiply out
        ("N + max(0, ⌊√N/10^40⌋)", "N"),
        ("N + max(0, log(N) − 10^4)", "N"),
    ],
)
def test_agreement_at_many_sizes_proves_nothing(answer: str, truth: str):
    with pytest.raises(Unreadable, match="which proves nothing"):
        compare(parse(answer, SYMBOLS), parse(truth, SYMBOLS), DOMAIN)


def test_counterexamples_are_the_smallest_sizes():
    domain = Domain.parse({"D": "even", "H": "divides D"})

    def differ(answer: str, truth: str):
        return compare(parse(answer, domain.symbols), parse(truth, domain.symbols), domain)

    assert differ("D²", "D·H").counterexample == {"D": 2, "H": 1}
    assert differ("D(D−2)(H−1)", "0").counterexample == {"D": 4, "H": 2}
    assert differ("6D", "3D").factor == 2
    near = differ("0.3333333333D", "D/3")
    assert (near.factor, near.hint) == (None, "0.3333333333 is rounded; write 1/3")
    assert (differ("0.34D", "D/3").factor, differ("0.34D", "D/3").hint) == (Fraction(51, 50), "")
    assert differ("1/√(H−1)", "1").yours is None  # the answer has no value at H = 1
    roots = compare(parse("√(γ²)", ["γ"]), parse("γ", ["γ"]), Domain.parse({"γ": "real"}))
    assert (roots.counterexample, roots.yours, roots.true) == ({"γ": -1}, 1, -1)
    with pytest.raises(ValueError, match="every symbol needs a rule: got none for N"):
        compare(parse("N", ["N"]), parse("1", []), domain)


def test_an_identity_holds_where_the_truth_has_a_value():
    domain = Domain.parse({"x": "real", "y": "real"})
    product, apart = parse("√(x y)", ["x", "y"]), parse("√x·√y", ["x", "y"])
    with pytest.raises(Unreadable, match="which proves nothing"):
        compare(product, apart, domain)
    wrong = compare(apart, product, domain)  # both negative: the product has a root, its factors have none
    assert (wrong.equal, wrong.yours) == (False, None)
    assert not compare(parse("√(1−x)", ["x"]), parse("√(x−1)", ["x"]), Domain.parse({"x": "real"})).equal


def test_a_finite_domain_is_tried_as_a_whole():
    domain = Domain.parse({"K": "odd, at most 5"})
    result = compare(parse("(K−1)(K−3)(K−5)", ["K"]), parse("0", ["K"]), domain)
    assert (result.equal, result.proof) == (True, "all 3 sizes")
    half = Domain.parse({"K": "odd, at most 5", "N": "positive"})
    result = compare(parse("N(K−1)(K−3)(K−5)", half.symbols), parse("0", half.symbols), half)
    assert (result.equal, result.proof) == (True, "cases")  # different polynomials, equal here


def test_values():
    assert parse("2/3 N", ["N"]).evaluate({"N": 2}) == Fraction(4, 3)
    assert parse("√N", ["N"]).evaluate({"N": Fraction(9, 4)}) == Fraction(3, 2)
    with mpmath.workdps(50):
        assert abs(parse("√2", []).evaluate({}) - mpmath.sqrt(2)) < mpmath.mpf(10) ** -49
    assert parse("log_2 N", ["N"]).evaluate({"N": 2**40}) == 40
    assert parse("⌊√2·√2⌋", []).evaluate({}) == 2
    for text, what in [("1/(N−1)", "zero"), ("√(−N)", "negative"), ("ln(1−N)", "logarithm"), ("(1-N)^(-1)", "zero")]:
        with pytest.raises(Undefined, match=what):
            parse(text, ["N"]).evaluate({"N": 1 if "√" not in text else 2})
    with pytest.raises(Undefined, match="N needs a size: got sizes for D"):
        parse("N", ["N"]).evaluate({"D": 1})


def test_domains():
    domain = Domain.parse({"D": "multiple of H", "H": "H >= 2", "K": "odd, at most 3"})
    sizes = [tuple(map(int, at.values())) for _, at in zip(range(6), domain.points(), strict=False)]
    assert sizes == [(2, 2, 1), (2, 2, 3), (3, 3, 1), (4, 2, 1), (3, 3, 3), (4, 2, 3)]
    spread = domain.sample(60)
    assert len(spread) == 60
    assert all(domain.contains(at) for at in spread)
    assert max(at["D"] for at in spread) > 100
    assert not domain.contains({"D": 3, "H": 2, "K": 1})
    for rules, sizes in [
        ({"p": "below 1/2"}, "1/4 1/6 1/3 1/8 3/8"),
        ({"p": "between 0 and 0.5"}, "1/4 1/6 1/3 1/8 3/8"),
        ({"p": "positive real, p < 1"}, "1/2 1/3 2/3 1/4 3/4"),
        ({"p": "between -1 and 1"}, "0 -1/3 1/3 -1/2 1/2"),
        ({"p": "at least 1/2"}, "3/2 1 5/2 5/6 2"),
        ({"n": "above 3, n < 9, even"}, "4 6 8"),
        ({"n": "multiple of 1000003"}, "1000003 2000006 3000009 4000012 5000015"),
    ]:
        domain = Domain.parse(rules)
        assert " ".join(str(at) for sizes in islice(domain.points(), 5) for at in sizes.values()) == sizes
        assert len(domain.sample(60)) == (3 if "even" in str(rules) else 60)
        assert all(map(domain.contains, domain.sample(60)))
    far = Domain.parse({"n": "multiple of 1000003", "m": "multiple of 1000033"})
    assert [tuple(at.values()) for at in islice(far.points(), 2)] == [(1000003, 1000033), (2000006, 1000033)]
    chance = Domain.parse({"p": "below 1/2"})
    assert compare(parse("√(p²)", ["p"]), parse("p", ["p"]), chance).proof == "identity"
    assert compare(parse("|1−2p|", ["p"]), parse("1−2p", ["p"]), chance).equal
    assert compare(parse("p", ["p"]), parse("1/2", ["p"]), chance).counterexample == {"p": Fraction(1, 4)}
    for rules, message in [
        ({"p": "below 1/0"}, "a bound must be a number: got '1/0'"),
        ({"p": "between 1/2 and 0"}, "a domain must hold some sizes: got none for p: between 1/2 and 0"),
        ({"D": "prime"}, "the rule of D must be one of positive, .*: got 'prime'"),
        ({"H": "divides X"}, "the rule of H must be .*: got 'divides X'"),
        ({"K": "odd, even"}, "a domain must hold some sizes: got none for K: odd, even"),
    ]:
        with pytest.raises(ValueError, match=message):
            Domain.parse(rules)
