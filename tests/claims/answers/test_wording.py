"""Choices and true or false, in the ways people say them, and what is left to a person."""

import pytest

from regard.claims.answers import Entry, Form, Key, Question, Truth, built_in_questions, compile_key, mark, select


@pytest.fixture(scope="module")
def key() -> Key:
    return compile_key(select(built_in_questions(), ["conv.a2", "conv.c1", "conv.c2", "nyu.1fc"]))


@pytest.mark.parametrize("id", ["nyu.1fc", "conv.c1"])
def test_a_wrong_choice_always_says_so(key: Key, id: str):
    found = mark(key[id], {"nyu.1fc": "false", "conv.c1": "c"}[id])
    assert (found.right, found.unread, found.mistake) == (False, False, "")
    assert found.feedback == ({"nyu.1fc": "The statement is true.", "conv.c1": "c is not the right choice."}[id],)


def test_a_letter_is_read_before_a_text():
    """Such choices are refused when they are read; made in Python they are still read by their letters."""
    form = Form(kind="choice", choices={"a": "D", "b": "H", "c": "B"})
    entry = Entry(question=Question(id="q", text="?", points=1, form=form, truth=Truth(answer="b")), truth="b")
    assert [mark(entry, given).read_as for given in ("b", "B", "c", "H")] == ["b: H", "b: H", "c: B", "b: H"]


CHOSEN = [
    "b",
    "B",
    "b)",
    "(b)",
    "b.",
    "b,",
    "[B]",
    "option b",
    "Answer: b",
    "the answer is b",
    "b, because of the sign",
]
TEXTS = ["b: W_h = C_{−f(h)}", "b) W_h=C_{-f(h)}", "W_h = C_{-f(h)}", "w_h=c_{–f(h)}", "b - W_h = C_{−f(h)}"]


@pytest.mark.parametrize("given", [*CHOSEN, *TEXTS])
def test_a_choice_is_read_in_many_ways(key: Key, given: str):
    assert mark(key["conv.c2"], given).right


@pytest.mark.parametrize(
    "given", ["a: W_h = C_{−f(h)}", "a, b", "a or b", "both a and b", "not b", "b? no, a", "bb", "b: x"]
)
def test_a_choice_that_is_not_clear_is_left_to_a_person(key: Key, given: str):
    assert mark(key["conv.c2"], given).unread


@pytest.mark.parametrize(
    "given", ["true, because q is enough", "It is true", "T", "yes", "correct", "True.", "not false"]
)
def test_true_is_said_in_many_ways(key: Key, given: str):
    assert mark(key["conv.a2"], given).right


@pytest.mark.parametrize(
    "given", ["false", "It is false, as true rows differ", "F", "no", "wrong", "not true", "It is not true"]
)
def test_and_so_is_false(key: Key, given: str):
    found = mark(key["conv.a2"], given)
    assert (found.read_as, found.right) == ("false", False)


@pytest.mark.parametrize("given", ["true or false", "no, it is true", "True. False.", "truely", "not"])
def test_neither_is_left_to_a_person(key: Key, given: str):
    assert mark(key["conv.a2"], given).unread
