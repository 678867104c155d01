"""One way to write formulas: polynomials, SymPy's expressions, cases, and what their names collide with."""

import pytest
import sympy

import regard.analysis
from regard.formulas import Polynomial, order, write_sympy

N, D, H = (Polynomial.symbol(name) for name in "NDH")


@pytest.mark.parametrize(
    ("polynomial", "text"),
    [
        (N * (N + 1) / 2, "N²/2 + N/2"),
        (-3 * D / (2 * H) + 1, "1 − 3·D/(2·H)"),
        (D / H, "D/H"),
        (D / D, "1"),
        (Polynomial.of(-2) / 3, "−2/3"),
        (N - D, "−D + N"),
        (N - N, "0"),
        (N * N / (D * D), "N²/D²"),
    ],
)
def test_polynomials(polynomial: Polynomial, text: str):
    assert str(polynomial) == text
    assert sympy.expand(polynomial.sympy() - sympy.parse_expr(read_back(text), positive())) == 0


def read_back(text: str) -> str:
    return text.replace("−", "-").replace("·", "*").replace("²", "**2")


def positive() -> dict[str, sympy.Symbol]:
    return {name: sympy.Symbol(name, positive=True) for name in "NDH"}


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("Min(i, 256*n) + 1", "min(i, 256·n) + 1"),
        ("ceiling((N - 1)/(K - 1))", "⌈(N − 1)/(K − 1)⌉"),
        ("-(x - 1)**2/3", "−(x − 1)²/3"),
        ("D - sqrt(D*H)/2", "D − √(D·H)/2"),
        ("2**n*k**(-3)", "2ⁿ/k³"),
        ("Mod(i + 3, 8)*alpha*delta_1**2", "α·δ₁²·mod(i + 3, 8)"),
        ("oo", "oo"),
    ],
)
def test_expressions_of_sympy(expression: str, text: str):
    assert write_sympy(sympy.parse_expr(expression, {"N": sympy.Symbol("N")})) == text


def test_cases():
    n, i, h = sympy.symbols("n i h", integer=True, positive=True)
    cases = sympy.Piecewise((h + 1, sympy.Eq(n, 1)), (h**2, sympy.Or(n > 2, i < 3)), (h, True))
    assert write_sympy(cases) == "h + 1 if n = 1; h² if n > 2 or i < 3; h otherwise"


def test_an_order_leaves_out_what_another_term_bounds():
    assert order(2 * N * N - 5 * N * D + D / H) == "Θ(N² + D/H)"
    assert order(Polynomial({})) == "Θ(1)"


def test_functions_are_not_hidden_by_modules_of_their_names():
    assert all(callable(getattr(regard.analysis, name)) for name in ("cost", "formulas", "reach"))
