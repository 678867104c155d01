"""Whatever is handed in is read or refused, in bounded time and memory, and never run."""

import resource
import time
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regard.formulas import (
    Call,
    E,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    decimal,
    write,
)
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.evaluation import evaluate, same
from regard.grading.formulas.expression import Expression, Undefined, Unreadable, compare, parse
from regard.grading.formulas.orders import compare_orders, parse_order
from regard.grading.reading.numbers import parse_matrix, parse_number, parse_vector

DOMAIN = Domain.parse({"D": "positive", "H": "divides D", "N": "positive"})
SYMBOLS = DOMAIN.symbols
TRUTH = parse("3D² + 3D", SYMBOLS)
MEGABYTES = 100
REFUSED = {
    "10 MB of brackets": "(" * 10_000_000,
    "10 MB of digits": "9" * 10_000_000,
    "brackets": "(" * 900 + "D" + ")" * 900,
    "fractions": r"\frac{" * 300 + "D",
    "nested fractions": r"\frac{1}{" * 200 + "D" + "}" * 200,
    "absolute bars": "|" * 1_999,
    "roots": "√" * 1_999 + "D",
    "signs": "-" * 1_999 + "D",
    "quotients": "D" + "/D" * 900,
    "sums": "D" + "+D" * 900,
    "powers": "D" + "^D" * 900,
    "small powers": "2" + "^2" * 500,
    "tower": "9^9^9^9",
    "tower of a symbol": "D^D^D^D",
    "negative tower": "2^-9^9^9",
    "root of a tower": "(9^9^9^9)^(1/9^9^9)",
    "exponential tower": "e^e^e^e^e",
    "exp of exp": "exp(exp(exp(exp(9))))",
    "exponent": "D^999999999999",
    "computed exponent": "D^(10^9)",
    "power of a power": "((D+1)^64)^64",
    "right power of a power": "(D+1)^64^64",
    "product of powers": "D^60·" * 6 + "D",
    "scientific": "1e999999999",
    "tiny": "1e-999999999",
    "long exponent": "1e" + "9" * 1_000,
    "digits": "9" * 401,
    "combining": "D\u0301\u0302\u0303",
    "stacked": "D" + "\u0301" * 1_000,
    "nul": "D\x00",
    "right to left": "D\u202e+1",
    "zero width joiner": "D\u200d+1",
    "surrogate": "D\ud800",
    "private use": "\ue000",
    "attribute": "D.__class__",
    "dunder": "__import__('os')",
    "format": "{0.__init__.__globals__}",
    "percent": "%s%n%x",
    "path": "../../etc/passwd",
    "web": "http://example.org/",
    "code": "[x for x in range(9**9)]",
    "lambda": "(lambda: 0)()",
    "latex input": r"\input{/etc/passwd}",
    "latex macro": r"\def\x{\x\x}\x",
    "html": "<script>alert(1)</script>",
    "string": "'D'",
    "factorial": "D!!!!!!",
    "words": "word " * 399,
    "joined words": "a" * 1_900 + " = 1=",
    "equals": "=" * 1_999,
    "approximately": "≈" * 1_999,
    "thousands": "1" + ",000" * 400,
    "unclosed": "min(" * 300,
    "superscripts": "D" + "⁽" * 900,
    "emoji": "🙂" * 500,
    "other digits": "٣D",
    "spaces": " " * 2_000,
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_refused_quickly(text: str):
    for read in (parse, parse_order):  # the first answer of a process makes the parser
        read("D", SYMBOLS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.thread_time()
    for read in (parse, parse_order):
        with pytest.raises(Unreadable) as caught:
            read(text, SYMBOLS)
        message = str(caught.value)
        assert len(message) < 400
        assert message.isprintable()
    with pytest.raises(Unreadable):
        parse_number(text)
    for listed in (parse_vector, parse_matrix):
        with suppress(Unreadable):  # 1,000,000 is a vector of three
            listed(text)
    assert time.thread_time() - started < 3  # milliseconds; without the bounds it would be minutes
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEGABYTES * 1024


def test_runs_of_one_sign_are_read_in_one_pass():
    pieces = [*" \n1,(\\x", "1 ", "1, ", "a=", "weights ", "(the ", r"\begin{matrix}", "O ", "0,5 ", "1.1."]
    for piece in pieces:
        for before, after in (("1", "1"), ("u = (1 weights", "x")):
            for read, size in ((parse_vector, 19_900), (parse_number, 1_900), (formula, 1_900)):
                text = before + piece * (size // len(piece)) + after
                started = time.thread_time()
                with suppress(Unreadable):
                    read(text)
                assert time.thread_time() - started < 10, (piece, before, read)  # 0.1 s on a quiet machine


def formula(text: str) -> None:
    with suppress(Unreadable):
        parse_order(text, SYMBOLS)
    parse(text, SYMBOLS).tight()


def test_large_numbers_are_shown():
    large = "·".join(["10^399"] * 11)
    for text in (f"{large}/3 D", f"(10^399/7 + 1)·(10^399/7 + 2)·D/{large}", "10^399/3"):
        answer = parse(text, SYMBOLS)
        assert not compare(answer, TRUTH, DOMAIN).equal
        assert len(answer.canonical()) < 3_000
        assert parse(str(answer), SYMBOLS).trees
    assert decimal(Fraction(-2 * 10**5_000, 3)) == "−6.66667·10⁴⁹⁹⁹"
    assert decimal(Fraction(3**9_000 + 1, 3**9_000)) == "1.0"
    order = compare_orders(parse_order(f"{large} D", SYMBOLS), parse_order("D", SYMBOLS), DOMAIN)
    assert order.redundant == ("the factor 1.0·10⁴³⁸⁹",)


# These can be read; to compare them must be bounded too.
COSTLY = {
    "expansion": "(D+H+N+1)^64",
    "products": "(D+1)(H+1)(N+1)" * 20,
    "quotients": "+".join(f"1/(D+{k}H+N)" for k in range(60)),
    "roots": "+".join(f"√(D+{k}H)" for k in range(70)),
    "nested roots": "√(D+" * 19 + "H" + ")" * 19,
    "factored": "√(" + "(D+H+1)(D+N+2)(N+H+3)(D+H+N+5)" + ")",
    "logarithms": "log(" * 18 + "D" + ")" * 18,
    "symbolic powers": "·".join(f"(D+{k})^N" for k in range(60)),
    "tower": "(D+1)^(N^H)",
    "numbers": "·".join(["(2^1300/3^800)"] * 60),
    "powers of numbers": "((1.0001^64)^64)^N",
    "floors": "+".join(f"⌊N/{k}⌋" for k in range(2, 90)),
    "zero of high degree": "·".join(f"(D−{k})" for k in range(1, 100)) + " + 3D²+3D",
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
def test_compared_in_bounded_time(text: str):
    answer = parse(text, SYMBOLS)
    started = time.thread_time()
    with suppress(Undefined):  # where no sizes are small enough for (D+1)^(N^H)
        assert not compare(answer, TRUTH, DOMAIN).equal
        assert compare(answer, answer, DOMAIN).equal
    answer.canonical()
    answer.tight()
    assert time.thread_time() - started < 3
    started = time.thread_time()
    with suppress(Unreadable):
        compare_orders(parse_order(text, SYMBOLS), parse_order("D²", SYMBOLS), DOMAIN)
    assert time.thread_time() - started < 3


def test_a_typical_answer_takes_a_millisecond():
    def once() -> float:
        started = time.perf_counter()
        compare(parse("3D(D+1) + N²D/H − N²D/H", SYMBOLS), TRUTH, DOMAIN)
        return time.perf_counter() - started

    once()
    assert min(once() for _ in range(20)) < 5e-3  # 0.6 ms on a quiet machine


ALPHABET = st.sampled_from(
    [
        *"DHNdn0123456789+-−·×*/^()[]{}|,.=_ ²³⁻√⌈⌉⌊⌋½≈$%\\'\"\x00\u0301\u200f",
        "\\frac",
        "\\sqrt",
        "log",
        "min",
        "e",
        "**",
    ]
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(ALPHABET, max_size=30).map("".join))
def test_random_text_is_read_or_refused(text: str):
    for read in (lambda: parse(text, SYMBOLS), lambda: parse_order(text, SYMBOLS)):
        try:
            expression = read()
        except Unreadable:
            continue
        shown = parse(" = ".join(map(write, expression.trees)), SYMBOLS)
        at = {"D": Fraction(6), "H": Fraction(3), "N": Fraction(5)}
        assert agree(expression.trees[-1], shown.trees[-1], at)
    for listed in (parse_number, parse_vector, parse_matrix):
        with suppress(Unreadable):
            listed(text)


def agree(one: Node, two: Node, at: dict[str, Fraction]) -> bool:
    values = []
    for tree in (one, two):
        try:
            values.append(evaluate(tree, at))
        except Undefined:
            values.append(None)
    return values[0] is values[1] is None or (None not in values and same(*values))


LEAVES = st.one_of(
    st.fractions(min_value=-20, max_value=20, max_denominator=12).map(Number),
    st.sampled_from([Symbol(name) for name in SYMBOLS] + [E]),
)


def larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        several.map(Sum),
        several.map(Product),
        st.builds(Quotient, inner, inner),
        inner.map(Negative),
        st.builds(Power, inner, st.sampled_from([Number(Fraction(n, d)) for n in (-1, 2, 3) for d in (1, 2)])),
        st.builds(
            lambda name, one: Call(name, (one,)), st.sampled_from(["sqrt", "log", "abs", "ceil", "floor"]), inner
        ),
        st.builds(lambda name, parts: Call(name, parts), st.sampled_from(["min", "max"]), several),
    )


@settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.recursive(LEAVES, larger, max_leaves=8))
def test_what_is_printed_reads_back_to_the_same_value(tree: Node):
    at = {"D": Fraction(6), "H": Fraction(3), "N": Fraction(5)}
    text = write(tree)
    assert agree(tree, parse(text, SYMBOLS).tree, at), text
    written = Expression(text="", symbols=SYMBOLS, trees=(tree,))
    normal = parse(written.canonical(), SYMBOLS).tree
    try:
        evaluate(tree, at)
    except Undefined:
        return  # a normal form may have a value where the formula has none: D/D at 0
    assert agree(tree, normal, at), written.canonical()
