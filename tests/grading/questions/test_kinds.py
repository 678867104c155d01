"""Select-all and free text: how they are marked, printed and refused; and the questions of experiments."""

import pytest
import torch

from regard.grading import (
    BadQuestion,
    built_in_questions,
    check,
    compile_key,
    mark,
    parse_questions,
    select,
    worksheet_markdown,
    worksheet_toml,
)

SELECT = """
[[question]]
id = "s"
text = "Which are primes?"
kind = "select"
points = 4
choices = { a = "two", b = "four", c = "seven", d = "nine" }
answer = ["a", "c"]
[[question.mistake]]
answer = "d"
name = "odd taken for prime"
hint = "three times three"
"""
TEXT = """
[[question]]
id = "t"
text = "Why?"
kind = "text"
rubric = { "names the cause" = 2, "gives a number" = 1.5 }
"""
PARTS = """
[[question]]
id = "p"
text = "Both."
[[question.part]]
id = "one"
text = "Why?"
kind = "text"
rubric = { "names the cause" = 2 }
[[question.part]]
id = "two"
text = "Is it?"
kind = "truth"
answer = true
"""


def entry(text: str):
    (found,) = compile_key(parse_questions(text, "mine.toml"))
    return found


@pytest.mark.parametrize(
    ("given", "points", "read_as"),
    [
        ("a, c", 4, "a, c"),
        ("C and A", 4, "a, c"),
        ("(a), (c)", 4, "a, c"),
        ("ac", 4, "a, c"),
        (["c", "a"], 4, "a, c"),
        ("a; seven", 4, "a, c"),
        ("a", 2, "a"),
        ("two", 2, "a"),
        ("a b c", 2, "a, b, c"),
        ("a, d", 0, "a, d"),
        ("all", 0, "a, b, c, d"),
        ("b", 0, "b"),
        ("none of them", 0, "none"),
        ([], 0, "none"),
    ],
)
def test_a_wrong_letter_takes_away_what_a_right_one_gives(given, points: float, read_as: str):
    found = mark(entry(SELECT), given)
    assert (found.points, found.read_as, found.unread, found.right) == (points, read_as, False, points == 4)


def test_every_letter_that_is_wrong_is_told():
    found = mark(entry(SELECT), "a, d")
    assert found.feedback == ("Odd taken for prime: three times three.", "c belongs to it; d does not belong to it.")
    assert found.mistake == "odd taken for prime"
    for said in ("a, e", "some of them", "a but not c", 7):
        found = mark(entry(SELECT), said)
        assert found.verdict == "not read", said
        assert f"got {str(said)!r}" in found.feedback[0]


def test_none_can_be_the_answer():
    none = entry(SELECT.replace('["a", "c"]', "[]"))
    assert mark(none, "None.").points == mark(none, []).points == 4
    assert mark(none, "a").points == 0
    assert mark(none, "").verdict == "wrong"


def test_a_text_waits_for_a_person_and_is_never_wrong():
    found = mark(entry(TEXT), "Because of the softmax.\n\nIt is 3.")
    assert (found.verdict, found.points, found.out_of, found.unread) == ("to be marked by hand", 0, 3.5, True)
    both = mark(entry(PARTS), {"one": "so", "two": "true"})
    assert both.verdict == "partly to be marked by hand"
    assert mark(entry(TEXT), " ").feedback == ("Not answered.",)


def test_a_rubric_is_for_the_teacher_alone():
    questions = parse_questions(TEXT + SELECT, "mine.toml")
    students = worksheet_markdown(questions) + worksheet_toml(questions)
    teachers = worksheet_markdown(questions, teacher=True)
    assert "names the cause" not in students
    assert "odd taken for prime" not in students
    assert "- [ ] names the cause (2 points)\n- [ ] gives a number (1.5 points)" in teachers
    assert "Answer: a, c.\n\n- known mistake `d`: odd taken for prime" in teachers
    assert "Some sentences, which a person marks" in students


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SELECT.replace('["a", "c"]', '"a"'), "answer: must be a list of letters, [] for none of them: got 'a'"),
        (SELECT.replace('["a", "c"]', '["a", "x"]'), "answer: must be one of the choices a, b, c, d: got 'x'"),
        (SELECT.replace('["a", "c"]', '[["a"]]'), "answer: must be one of the choices a, b, c, d: got ['a']"),
        (SELECT.replace('answer = "d"', 'answer = "y"'), "mistake 'odd taken for prime': must be one of the choices"),
        (TEXT.replace("rubric", "# "), 'rubric: must be criteria with their points, { "…" = 2 }: got {}; add one'),
        (TEXT.replace("1.5", "-1"), "rubric.gives a number: must be a number from 0: got -1"),
        (TEXT + "points = 3", "points: must be what the rubric adds up to: got 3, not 3.5; leave it out"),
        (TEXT + 'counted = "a.py:b"', "counted: is for what a function can give: the kind is 'text'; leave it out"),
        (
            SELECT.replace("points = 4", "rubric = { x = 1 }"),
            "rubric: is for texts, which are marked by hand: the kind is",
        ),
    ],
)
def test_a_bad_table_is_told(text: str, said: str):
    with pytest.raises(BadQuestion) as raised:
        entry(text)
    assert said in str(raised.value)


# Right and wrong answers to the questions of experiments and specifications.
ANSWERS = {
    "nyu.3h.same": ({"a,b,d": 3}, {"a,b": 2, "a,b,c,d": 2, "a b c d e": 1, "none": 0}),
    "nyu.4lr.first": ({"2n-1": 2, "n + (n-1)": 2}, {"2n": 0, "n": 1, "n - 1": 1}),
    "nyu.4lr.mean": ({"n": 2}, {"2n-1": 0, "n/2": 0, "n+1": 0}),
    "nyu.5c.fair": ({"a, b, c, e": 4}, {"a, b, c, d, e": 3, "abc": 3, "d, f": 0}),
    "eecs.2.fold": ({"a and d": 3}, {"a": 1.5, "a, b": 0, "a, d, e": 1.5}),
    "eecs.2.mask": ({"a": 2}, {"b": 0, "c": 0}),
    "ist.3a.strings": ({"0.114": 2, "11.4 %": 2, "0.821^11": 2}, {"0.821": 0, "82.1%": 0, "9.03": 0}),
    "ist.3a.characters": ({"0.982": 2, "98.2 %": 2, "0.821^(1/11)": 2}, {"0.0746": 0, "0.114": 0}),
    "ist.3a.missing": ({"a,b,c,e": 3}, {"a,b,e": 2.25, "a,b,c,d,e": 2.25, "d": 0}),
    "ist.3b.true": ({"a,c,e": 3}, {"a,c": 2, "a,b,c,d,e": 1, "d": 0}),
}
TEXTS = {"conv.q2", "nyu.3h.experiment", "nyu.4lr.experiment", "nyu.5c.why", "udl.6b", "ist.3b.cause"}


@pytest.mark.parametrize("id", ANSWERS)
def test_right_and_wrong_answers_to_experiments(id: str):
    right, wrong = ANSWERS[id]
    for given, points in (right | wrong).items():
        found = check(id, given)
        assert (found.points, found.right, found.unread) == (points, given in right, False), (id, given, found)


def test_free_texts_have_rubrics_that_add_up():
    leaves = {
        f"{question.id}.{part.id}" if part is not question else part.id: part
        for question in built_in_questions()
        for part in question.subquestions or (question,)
    }
    assert {id for id, leaf in leaves.items() if leaf.kind == "text"} == TEXTS
    for id in TEXTS:
        assert len(leaves[id].truth.rubric) >= 3
        assert sum(leaves[id].truth.rubric.values()) == leaves[id].points
        assert check(id, "I would train both.").verdict == "to be marked by hand"


def test_the_lines_that_fold_heads_do_as_the_question_says():
    n, t, H, d = 2, 3, 4, 5
    q = torch.arange(n * t * H * d).view(n, t, H * d)
    mask = torch.arange(n * t).view(n, t)
    names = {"q": q, "mask": mask, "n": n, "t": t, "H": H, "d": d, "stack": torch.stack, "cat": torch.cat}
    (question,) = select(built_in_questions(), ["eecs.2"])
    fold, masks = question.subquestions
    wanted = torch.stack([q[i, :, h * d : (h + 1) * d] for i in range(n) for h in range(H)])
    made = {letter: eval(line, names) for letter, line in fold.form.choices.items()}
    assert [letter for letter, rows in made.items() if torch.equal(rows, wanted)] == fold.truth.answer
    rows = [eval(masks.form.choices[letter], names) for letter in "abd"]
    wanted = torch.stack([mask[i] for i in range(n) for _ in range(H)])
    assert [torch.equal(each, wanted) for each in rows] == [True, False, False]
