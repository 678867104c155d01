"""Choices and true or false, in the ways people say them, and what is left to a person."""

import pytest

from regard.grading import Entry, Form, Key, Question, Truth, built_in_questions, compile_key, mark, select


@pytest.fixture(scope="module")
def key() -> Key:
    ids = ["conv.a2", "conv.c1", "conv.c2", "nyu.1fc", "nyu.1a", "nyu.1c", "udl.3", "udl.6", "eecs.2b"]
    return compile_key(select(built_in_questions(), ids))


def part(key: Key, id: str) -> Entry:
    """The entry of a question, or of a subquestion: `udl.6/masked`."""
    whole, _, name = id.partition("/")
    return next(entry for entry in (key[whole], *key[whole].parts) if entry.id == (name or whole))


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


@pytest.mark.parametrize("given", ["true, because q is enough", "It is true", "T", "yes", "correct", "True."])
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


SAID = {
    "nyu.1c": [
        *(
            "b (β → ∞)",
            "b (beta -> inf).",
            "(b) (β→∞)",
            "b!",
            "**b**",
            "*b*",
            "“b”",
            "**b)** β→∞",
            "the answer is β → ∞",
        ),
        *("Beta -> Infinity", "BETA → ∞", "β→+∞", r"$\beta \to +\infty$", "β tends to infinity"),
    ],
    "nyu.1a/map": ["m by n", "M by N", "(m × n)"],
    "nyu.1a/output": ["(t × n)", "b (t × n)."],
    "udl.3/layer": ["Sa[X]·P", "Sa[X] * P", r"$\mathrm{Sa}[X]P$", r"\(\mathrm{Sa}[\mathbf X] \cdot P\)"],
    "udl.3/softmax": [r"P^\top \mathrm{softmax}[A] P", r"P^\top\mathrm{softmax}[A]P", r"P^{\mathrm{T}} \softmax[A] P"],
    "udl.6/masked": ["a (generative)", "A (Generative)"],
    "eecs.2b/encoder": ["padding-mask", "the padding mask", "b: The padding-mask."],
    "eecs.2b/cross": ["padding mask of the encoder’s tokens", "‘padding mask of the encoder’s tokens’"],
}


@pytest.mark.parametrize(("id", "given"), [(id, given) for id, several in SAID.items() for given in several])
def test_the_text_of_a_choice_is_read_in_other_signs_and_words(key: Key, id: str, given: str):
    assert mark(part(key, id), given).right


DOUBTFUL = {
    "nyu.1c": [
        *("b (β → 0)", "b (not a)", "b (or a)", "b?", "a b", "β → −∞", "∞", "a or b", "neither a nor b", "both"),
        *("**a** or **b**", "not β → ∞", "β → 0 or β → ∞"),
    ],
    "nyu.1a/map": ["mn", "m + n", "m by n by d"],
    "nyu.1a/output": ["(t)(n)"],
    "udl.3/layer": ["Sa[X] + P", "Sa[X]-P", "(Sa[X] P)^T"],
    "udl.6/masked": ["a (contrastive)", "a contrastive", "not generative", "neither"],
    "eecs.2b/encoder": ["padding", "a padding mask", "not the padding mask", "the padding mask or the causal mask"],
    "eecs.2b/cross": ["padding mask"],
}


@pytest.mark.parametrize(("id", "given"), [(id, given) for id, several in DOUBTFUL.items() for given in several])
def test_a_text_of_no_choice_or_of_two_is_left_to_a_person(key: Key, id: str, given: str):
    assert mark(part(key, id), given).unread


def test_the_order_of_a_product_counts(key: Key):
    found = mark(part(key, "udl.3/layer"), "P·Sa[X]")
    assert (found.read_as, found.right) == ("c: P Sa[X]", False)


def test_both_is_read_where_it_is_the_text_of_a_choice(key: Key):
    assert mark(part(key, "eecs.2b/encoder"), "both").read_as == "d: both"


@pytest.mark.parametrize(
    "given", ["this statement is true", "The answer is: true", "=TRUE()", "“True” as q is enough", "yes, not false"]
)
def test_true_is_said_in_sentences_and_in_sheets(key: Key, given: str):
    assert mark(key["conv.a2"], given).right


FALSE = [
    *("The answer is false", "the answer: false", "statement is false", "Answer: false, because rows differ"),
    *("isn't true", "It isn’t true", "not true", "not correct", "“false”", "**False**", "=FALSE"),
    *("False as true rows differ", "False → rows differ", "False=>rows differ", "false -- rows differ", "false--rows"),
]


@pytest.mark.parametrize("given", FALSE)
def test_false_is_said_in_sentences_and_in_sheets(key: Key, given: str):
    assert mark(key["conv.a2"], given).read_as == "false"


@pytest.mark.parametrize(
    "given",
    [
        *("not false", "isn't false", "(not wrong)", "no, not false", "not sure", "not always true", "both", "neither"),
        *("true → false", "true -- false", "true as false", "true as well as false", "true as long as β > 0"),
        *("n → ∞", "f -> g", "t as in time", "is it true?", "false = true", "the answer is", "()"),
    ],
)
def test_a_doubtful_truth_is_left_to_a_person(key: Key, given: str):
    assert mark(key["conv.a2"], given).unread
