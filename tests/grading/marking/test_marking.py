"""What a mark says: points, how the answer was read, where it fails, which mistake it is, and never an exception."""

import json
import pickle
import re
import time
from datetime import date
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from regard.grading import (
    Entry,
    Key,
    built_in_questions,
    check,
    compile_key,
    mark,
    parse_questions,
    select,
)
from regard.grading.marking.feedback import Mark

ASKED = [
    "udl.1a",
    "udl.1c",
    "udl.5",
    "udl.4",
    "udl.7",
    "conv.b2l",
    "conv.c2",
    "conv.a2",
    "nyu.1b",
    "ist.1b",
    "eecs.2e",
    "udl.8",
    "conv.b2a",
    "ist.1p",
    "ist.1a",
    "conv.b1",
]


@pytest.fixture(scope="module")
def key() -> Key:
    return compile_key(select(built_in_questions(), ASKED))


FORMULA = '[[question]]\nid = "q"\ntext = "?"\nkind = "formula"\n'


def own(text: str) -> Entry:
    """The entry of a formula that is asked for here."""
    return compile_key(parse_questions(FORMULA + text, "mine.toml"))["q"]


def test_a_wrong_formula_is_told_where_by_which_mistake_and_what_is_right_in_it(key: Key):
    found = mark(key["udl.1a"], "3D² + 3")
    assert (found.points, found.out_of, found.right, found.read_as) == (2.0, 4.0, False, "3·D² + 3")
    assert found.mistake == "a bias vector counted as one number"
    assert found.counterexample is not None
    assert (found.counterexample.sizes, found.counterexample.yours, found.counterexample.true) == ({"D": 2}, "15", "18")
    assert found.counterexample.breakdown == {"weights": "12", "biases": "6"}
    assert found.feedback == (
        "A bias vector counted as one number: each of the three biases has D entries.",
        "At D = 2 your formula gives 15; the true value is 18 = 12 (weights) + 6 (biases).",
        "Credited: weights; not: biases.",
    )


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        ("2 n_t D² + 2 n_s D²", 2.67),  # two parts of three
        ("2 n_t D² + 7 n_s D² + n_t n_s D", 1.33),
        ("2 n_t D² + 2 n_s D² + 2 n_t n_s D + D", 3.0),  # all parts, and more than that
        ("n_t n_s D", 0.0),
        ("2 (n_t + n_s) D² + 2 n_t n_s D + 1 - 1", 4.0),
    ],
)
def test_parts_are_credited_by_their_coefficients(key: Key, answer: str, points: float):
    assert mark(key["eecs.2e"], answer).points == points


def test_a_known_mistake_is_worth_what_the_question_says():
    mistake = '[[question.mistake]]\nanswer = "N²"\nname = "squared"\npoints = 0.5'
    entry = own(f'points = 2\nsymbols = {{ N = "positive" }}\nanswer = "N"\n{mistake}')
    assert mark(entry, "N^2").points == 0.5
    assert mark(entry, "N^3").points == 0.0


def test_the_other_reading_of_an_ambiguous_fraction_is_accepted_and_said():
    entry = own('symbols = { D = "positive" }\nanswer = "1/(2D)"')
    found = mark(entry, "1/2D")
    assert found.right
    assert "brackets would say so" in found.feedback[0]
    assert not mark(entry, "(1/2)D").right


def test_a_factor_is_named(key: Key):
    assert "It is 2 times the true formula." in mark(key["nyu.1b"], "2/√d").feedback
    found = mark(key["eecs.2e"], "4 n_t D² + 4 n_s D² + 4 n_t n_s D")
    assert found.mistake == "FLOPs instead of multiply-adds"


def test_values_are_shown_with_the_digits_in_which_they_differ(key: Key):
    found = mark(key["ist.1a"].parts[0], "(0.465369, 0.034631, 0.4653694, 0.034631)")
    assert found.feedback[:2] == (
        "Entry 3: the value differs.",
        "Yours is 0.4653694; the true value is 0.4653688.",
    )
    assert (
        "At D = 1 your formula gives 6.0000000001; the true value is 6"
        in mark(key["udl.1a"], "3D²+3D+1e-10").feedback[0]
    )


def test_flops_are_twice_as_many_as_multiply_adds(key: Key):
    said = "Read as FLOPs, of which one multiply-add takes two."
    assert mark(key["eecs.2e"], "4D²(n_t + n_s) + 4n_t n_s D FLOPs").feedback == (said,)
    assert mark(key["eecs.2e"], "2D²(n_t + n_s) + 2n_t n_s D MACs").feedback == ()
    wrong = mark(key["eecs.2e"], "2D²(n_t + n_s) + 2n_t n_s D FLOPs")
    assert (wrong.right, wrong.mistake) == (False, "multiply-adds called FLOPs")


def test_a_foreign_symbol_or_an_order_is_wrong_with_a_reason(key: Key):
    for given, reason in (("3D² + 3X", "Unknown word 'X'"), ("O(D²)", "An exact formula is asked for")):
        found = mark(key["udl.1a"], given)
        assert (found.right, found.unread) == (False, False)
        assert found.feedback[0].startswith(reason)


def test_orders_name_what_is_missing_too_much_or_not_needed(key: Key):
    entry = key["conv.b2l"]
    assert mark(entry, "O(ND²)").feedback[0] == "Missing: N²·D, as N → ∞ with D fixed."
    assert mark(entry, "O(N³ + N D²)").feedback[0].startswith("Too much: N³")
    right = mark(entry, "O(4ND² + N²D + N)")
    assert right.right
    assert "the factor 4" in right.feedback[0]
    assert mark(entry, "Ω(ND² + N²D)").feedback == ("Ω says at least; at least and at most is Θ.",)


def test_numbers_say_which_entry_and_how_many_digits(key: Key):
    wrong = "[[-0.752, -1.507], [-2.296, -6.578], [-1.071, -2.476], [-0.748, -1.497]]"
    found = mark(key["ist.1b"], wrong)
    assert found.feedback[0] == "Row 2, column 2: the value differs."
    assert found.counterexample is not None
    assert (found.counterexample.yours, found.counterexample.true) == ("-6.578", "-6.58686")
    turned = mark(key["ist.1b"], "[[-0.752, -2.296, -1.071, -0.748], [-1.507, -6.587, -2.476, -1.497]]")
    assert turned.feedback == ("This is the transposed matrix: rows and columns are exchanged.",)
    assert mark(key["udl.4"], "5.63e-42").feedback == ("Truncated, not rounded: 5.63e-42 should be 5.64e-42.",)


@pytest.mark.parametrize(
    ("id", "part", "given"),
    [("ist.1p", 0, "(0.6, 0.0, 0.4, 0.0)"), ("ist.1a", 0, "(0.5, 0.0, 0.5, 0.0)"), ("udl.4", None, "5.6e-42")],
)
def test_a_rounded_truth_is_no_mistake(key: Key, id: str, part: int | None, given: str):
    """Both the truth and a known mistake round to these digits."""
    found = mark(key[id] if part is None else key[id].parts[part], given)
    assert (found.points, found.mistake) == (0.0, "")
    assert found.feedback == ("Right as far as it goes, but too few digits: give at least 3 significant digits.",)
    assert mark(key["ist.1a"].parts[0], "(0.495, 0.00549, 0.495, 0.00549)").mistake == "logits not divided by √3"


@pytest.mark.parametrize(
    ("answer", "points", "credit"),
    [
        ("8D(2D-1)", 1.33, "Credited: eight matrix-vector products; not: four dot products and sum of four terms."),
        ("8D - 4 + 3", 2.67, "Credited: four dot products and sum of four terms; not: eight matrix-vector products."),
        ("16D² - 4", 2.67, "Credited: eight matrix-vector products and four dot products; not: sum of four terms."),
        ("16D² + 1000", 0.0, ""),
        ("16D² - 4D - 4", 0.0, ""),
        ("16D²", 0.0, ""),
    ],
)
def test_parts_that_share_monomials_are_credited_by_their_sums(key: Key, answer: str, points: float, credit: str):
    found = mark(key["conv.b2a"], answer)
    assert found.points == points
    assert [line for line in found.feedback if line.startswith("Credited")] == ([credit] if credit else [])


def test_terms_of_no_part_are_said_unless_the_mistake_says_what_they_are(key: Key):
    assert "Credited: weights; not: biases; some terms belong to no part." in mark(key["udl.1a"], "3D² + D³").feedback
    assert "Credited: weights; not: biases." in mark(key["udl.1a"], "3D² + 3").feedback


def test_the_other_reading_of_an_order_is_accepted_and_said():
    text = (
        FORMULA.replace("formula", "order") + 'symbols = { N = "positive", D = "positive" }\nanswer = "Θ(N log(N D))"'
    )
    entry = compile_key(parse_questions(text, "mine.toml"))["q"]
    found = mark(entry, "O(N log ND)")
    assert found.right
    assert found.feedback[0].startswith("Read as O(N·log(N·D)); brackets would say so")
    assert not mark(entry, "O(N (log N) D)").right


def test_a_known_mistake_is_named_in_its_other_reading():
    mistake = '[[question.mistake]]\nanswer = "1/(2D)"\nname = "halved"'
    entry = own(f'symbols = {{ D = "positive" }}\nanswer = "1/D"\n{mistake}')
    found = mark(entry, "1/2D")
    assert found.mistake == "halved"
    assert found.counterexample is not None
    assert (found.counterexample.sizes, found.counterexample.yours) == ({"D": 1}, "0.5")


def test_an_exponential_may_be_a_known_mistake():
    mistake = '[[question.mistake]]\nanswer = "O(2^N)"\nname = "all subsets"'
    text = FORMULA.replace("formula", "order") + 'symbols = { N = "positive" }\nanswer = "Θ(N)"\n' + mistake
    assert mark(compile_key(parse_questions(text, "mine.toml"))["q"], "O(2^N)").mistake == "all subsets"


def test_parts_that_are_answered_one_by_one_are_added_up(key: Key):
    found = mark(key["udl.7"], {"weights": "N + 1", "work": "4D² + 2ND", "more": "1"})
    assert [part.id for part in found.parts] == ["weights", "work"]
    assert found.points == 2.0 + found.parts[1].points
    assert found.out_of == 5.0
    assert not found.right
    assert found.mistake == "the new token's own key forgotten"
    assert found.feedback == ("There is no part 'more'; the parts are weights, work.",)
    assert (
        mark(key["udl.7"], "N + 1").feedback[0].startswith("Could not be read: it has 2 parts: write udl.7.weights = …")
    )
    assert mark(key["udl.7"], {"weights": "N + 1", "work": "?"}).unread
    nothing = mark(key["udl.7"], None)
    assert not nothing.unread
    assert [part.feedback for part in nothing.parts] == [("Not answered.",)] * 2


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("udl.1a", "3D² + foo + 3", "unknown word 'foo'"),
        ("udl.1a", "3D² +", "column"),
        ("udl.1a", ["3D²"], "a formula is one line of text: got a list; write it in quotes"),
        ("udl.1a", True, "got a bool"),
        ("udl.1a", {"a": 1}, "got a dict"),
        ("conv.c2", "e", "one of the letters a, b, c, d: got 'e'"),
        ("conv.c2", ["a"], "one of the letters"),
        ("conv.a2", "maybe", "true or false: got 'maybe'"),
        ("ist.1b", "abc", ""),
        ("udl.4", "many", ""),
    ],
)
def test_what_cannot_be_read_says_why(key: Key, id: str, given: Any, said: str):
    found = mark(key[id], given)
    assert (found.points, found.right, found.read_as) == (0.0, False, "")
    assert found.unread
    assert found.json()["unread"]
    assert found.feedback[0].startswith("Could not be read: ")
    assert said in found.feedback[0]


HOSTILE: list[Any] = [
    *("", " ", None, [], {}, 0, -1, 1e400, float("nan"), b"bytes", object(), [[[]]], {"weights": {"weights": []}}),
    *(
        "9^9^9^9^9",
        "(" * 3000,
        "1/0",
        "1/(D-D)",
        "D/(N-N)",
        "√(-1)",
        "__import__('os')",
        "{D}",
        "%s" * 50,
        "\x00",
        "𝔻²",
    ),
    *("∞", "-∞", "D!", "D=D=D", "=", "0^0", "log(0)", "e^(e^(e^D))", "a" * 100_000),
    *(
        "10^399/3",
        "10^399 D/3",
        "10^-399/3",
        "√2·10^350",
        "e^(999 D)",
        10**399,
        16**6000,
        [16**6000],
        {"work": 16**6000},
    ),
    *([["1", "2"], ["3"]], "[[1,2],[3]]", "O(", "O()", "O(0)", "O(-N)", "Θ(1/0)"),
]


def test_no_answer_raises_or_takes_long(key: Key):
    for entry in key:
        for given in HOSTILE:
            start = time.perf_counter()
            found = mark(entry, given)
            assert time.perf_counter() - start < 2
            assert isinstance(found, Mark)
            assert 0 <= found.points <= found.out_of
            assert not found.right, (entry.id, given)
            json.dumps(found.json())


SIGNS = "0123456789.,;:()[]{}+-*/^=<>≤√²⁻½·×→∞βΘO %$\\_|'!NDHdnabctrue \n"
TEXT = st.text(SIGNS, max_size=30) | st.text(max_size=20)
HUGE = st.integers(3600, 6000).map(lambda digits: 16**digits)  # more digits than `str` writes
HOSTILE_TEXT = st.sampled_from([text for text in HOSTILE if isinstance(text, str) and len(text) < 1000])
SCALAR = TEXT | HOSTILE_TEXT | HUGE | st.booleans() | st.integers() | st.floats() | st.just(date(2024, 2, 29))
VALUES = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["weights", "work", "x"]), inner),
    max_leaves=8,
)


@hypothesis.settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@hypothesis.given(answer=VALUES)
def test_no_value_of_a_toml_file_raises(key: Key, answer: Any):
    for id in ("udl.1a", "conv.b2a", "udl.4", "udl.7", "conv.b2l", "conv.c2", "conv.a2", "ist.1b", "conv.b1"):
        found = mark(key[id], answer)
        assert 0 <= found.points <= found.out_of
        json.dumps(found.json())


def test_marks_are_the_same_every_time_and_in_another_process(key: Key):
    again = pickle.loads(pickle.dumps(key))
    for id, given in (
        ("udl.1a", "3D²+3"),
        ("conv.b2l", "O(N²D²)"),
        ("ist.1b", [["1", "2"]] * 4),
        ("udl.7", {"work": "D²"}),
    ):
        assert mark(key[id], given).json() == mark(key[id], given).json() == mark(again[id], given).json()


def test_a_key_knows_its_questions(key: Key):
    assert len(key) == len(ASKED)
    assert [entry.id for entry in key] == [question.id for question in select(built_in_questions(), ASKED)]
    assert "udl.1a" in key
    assert key.points == sum(entry.points for entry in key)
    with pytest.raises(ValueError, match=r"no question is called 'udl.1x': did you mean udl.1"):
        key["udl.1x"]


def test_one_call_marks_an_answer_and_prints_itself(tmp_path: Path):
    found = check("udl.1a", "3D² + <b>")
    assert found.verdict == "not read"
    assert "&lt;b&gt;" in found._repr_html_()
    assert found._repr_html_().startswith("<strong>udl.1a: not read, 0 of 4 points</strong><br>")
    assert check("udl.9.patches", "67.1M")._repr_markdown_() == "**patches: right, 2 of 2 points**\n\n- Read as 67.1M"
    (tmp_path / "mine.toml").write_text('[[question]]\nid = "m"\ntext = "?"\nkind = "truth"\nanswer = true\n')
    assert check("m", "yes", own=tmp_path / "mine.toml").right
    for id, said in {
        "udl.1d": "did you mean udl.1",
        "udl.9.x": "did you mean udl.9",
        "m": "see regard questions",
    }.items():
        with pytest.raises(ValueError, match=rf"no question is called '{re.escape(id)}': {said}"):
            check(id, "1")
