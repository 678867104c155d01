"""Marks by hand: a round trip that loses nothing, overrides that keep both, stale marks, duplicates, withheld truth."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from regard.grading import compile_key, mark, parse_questions
from regard.grading.marking.feedback import withhold
from regard.grading.submissions.grade import Graded
from regard.grading.submissions.hand import apply_marks, hash_of, marks_beside, read_marks, unread_toml
from regard.grading.submissions.students import duplicates
from tests.grading.submissions.classroom import QUESTIONS

TEXT = """
[[question]]
id = "q.5"
text = "Why?"
kind = "text"
[question.rubric]
"names the softmax" = 2
"gives a \\"number\\"" = 1
"""
OWN = parse_questions(QUESTIONS + TEXT, "own.toml")
KEY = compile_key(OWN)
ESSAY = "Because \"softmax\" \\ saturates.\n\n# It's 3 — no, '''4'''."


def graded(file: str, student: str = "", **given: object) -> Graded:
    """As a child marks it: `q5` is q.5, `q4yes` the part yes of q.4."""
    by_id: dict[str, object] = {}
    for name, answer in given.items():
        if len(name) > 2:
            by_id.setdefault(f"q.{name[1]}", {})[name[2:]] = answer  # type: ignore[index]
        else:
            by_id[f"q.{name[1]}"] = answer
    written = {f"q.{name[1]}" + (f".{name[2:]}" if name[2:] else ""): str(each) for name, each in given.items()}
    marks = tuple([mark(entry, by_id[entry.id]) for entry in KEY if entry.id in by_id])
    return Graded(file=file, student=student, given=written, marks=marks)


CLASS = [
    graded("ada.toml", "s1", q1="3D² + 3", q5=ESSAY, q4yes="perhaps"),
    graded("bob.toml", "s2", q1="about 3D²?", q5=ESSAY),
    graded("cy.toml", "s3", q1="about  3D²?", q5="No idea."),
]


def write(path: Path, text: str):
    path.write_text(text, encoding="utf-8")
    return read_marks(path, OWN)


def test_a_round_trip_loses_nothing(tmp_path: Path):
    text = unread_toml(OWN, CLASS)
    tables = tomllib.loads(text)["mark"]
    assert [(each["question"], each["given_by"]) for each in tables] == [
        ("q.1", ["bob.toml", "cy.toml"]),
        ("q.4.yes", ["ada.toml"]),
        ("q.5", ["ada.toml", "bob.toml"]),
        ("q.5", ["cy.toml"]),
    ]
    assert tables[2]["answer"] == ESSAY
    assert "#   2: names the softmax" in text
    filled = text.replace('points = ""', "points = 1", 3).replace('remark = ""', 'remark = "näh \\\\ "')
    filled = filled.replace('by = ""', "by = 'EM'")
    marks = write(tmp_path / "m.toml", filled)
    found, warnings = apply_marks(OWN, CLASS, marks)
    assert warnings == []
    assert [list(each.unread) for each in found] == [[], [], ["q.5"]]
    assert [each.by_hand for each in found] == [["q.4.yes", "q.5"], ["q.1", "q.5"], ["q.1"]]
    assert [each.points for each in found] == [2 + 1 + 1, 1 + 1, 1]
    essay = found[0].marks[-1]
    assert list(essay.lines) == ["q.5: partly right, 1 of 3 points", "Marked by hand (EM).", "näh \\ "]
    assert essay.json()["hand"] == {"by": "EM", "remark": "näh \\ ", "machine": None}
    assert found[0].marks[1].verdict == "partly right"  # one of its two parts was not answered
    # What still waits is written behind what is there, and what is there is not asked again.
    assert unread_toml(OWN, found, marks) == ""
    again = graded("dan.toml", q5="Something else.")
    more = unread_toml(OWN, [*found, again], marks)
    assert [each["given_by"] for each in tomllib.loads(filled + more)["mark"]][4:] == [["dan.toml"]]
    assert apply_marks(OWN, CLASS, read_marks(tmp_path / "m.toml", OWN)) == (found, warnings)


def test_an_override_keeps_what_the_machine_gave(tmp_path: Path):
    marks = write(
        tmp_path / "m.toml",
        "[[mark]]\nsubmission = 's1'\nquestion = 'q.1'\npoints = 4\nremark = 'meant it'\nby = 'EM'\n"
        "[[mark]]\nsubmission = 'cy.toml'\nquestion = 'q.2'\npoints = 0.5\n"
        "[[mark]]\nsubmission = 'cy.toml'\nquestion = 'q.4.letter'\npoints = 1\n",
    )
    found, _ = apply_marks(OWN, CLASS, marks)
    first = found[0].marks[0]
    assert (first.points, first.right, first.hand.machine) == (4, True, 2)
    assert first.said_by_hand == ("Marked by hand (EM); the machine gave 2.", "meant it")
    assert first.feedback == CLASS[0].marks[0].feedback
    assert "marked by hand: q.1" in found[0].status
    # Questions that were not answered have a place too, in the order of the questions.
    assert [(each.id, each.points) for each in found[2].marks] == [("q.1", 0), ("q.2", 0.5), ("q.4", 1), ("q.5", 0)]
    whole = write(tmp_path / "w.toml", "[[mark]]\nsubmission = 'ada.toml'\nquestion = 'q.4'\npoints = 2")
    assert [(each.id, each.points) for each in apply_marks(OWN, CLASS, whole)[0][0].marks][1] == ("q.4", 2)


def test_a_mark_for_an_answer_that_has_changed_is_told_and_not_applied(tmp_path: Path):
    marks = write(
        tmp_path / "m.toml",
        f"[[mark]]\nsubmission = 'ada.toml'\nquestion = 'q.1'\nhash = '{hash_of('3D² + 3')}'\npoints = 4\n"
        f"[[mark]]\nquestion = 'q.5'\nanswer = 'No idea.'\ngiven_by = ['cy.toml']\npoints = 0\n"
        "[[mark]]\nsubmission = 'eve.toml'\nquestion = 'q.1'\npoints = 4\n",
    )
    unknown = "marks by hand for 'eve.toml', which is not among the submissions"
    found, warnings = apply_marks(OWN, CLASS, marks)
    assert (found[0].points, warnings) == (4, [unknown])
    changed = [graded("ada.toml", "s1", q1="3D² + 4"), graded("cy.toml", "s3", q5="An idea.")]
    found, warnings = apply_marks(OWN, changed, marks)
    assert found == changed
    stale = "marked by hand ({}, mark {}), but the answer has changed since: mark it anew"
    file = tmp_path / "m.toml"
    assert warnings == [
        unknown,
        f"ada.toml, q.1: {stale.format(file, 1)}",
        f"cy.toml, q.5: {stale.format(file, 2)}",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "unknown key 'x' beside the marks: each one is a table [[mark]]"),
        ("[[mark]", "is not TOML: "),
        ("[[mark]]\npoint = 1", "mark 1, point: unknown key; did you mean points?"),
        (
            "[[mark]]\nquestion = 'q.7'",
            "mark 1, question: must be a question, or a part of one: got 'q.7'; did you mean",
        ),
        ("[[mark]]\nquestion = 'q.1'\npoints = 5", "mark 1, points: must be a number from 0 to 4: got 5; correct it"),
        ("[[mark]]\nquestion = 'q.1'\npoints = '3'", "points: must be a number from 0 to 4: got '3'; correct it"),
        ("[[mark]]\nquestion = 'q.1'\npoints = 3", "must say which answer it is for: got no hash and no submission"),
        ("[[mark]]\nquestion = 1", "mark 1, question: must be a text: got 1; put it in quotes"),
        (
            "[[mark]]\nquestion = 'q.1'\ngiven_by = 'ada'",
            "given_by: must be a list of files: got 'ada'; leave it as it was",
        ),
    ],
)
def test_a_bad_file_of_marks_names_table_and_key(text: str, said: str, tmp_path: Path):
    with pytest.raises(ValueError) as raised:
        write(tmp_path / "m.toml", text)
    assert said in str(raised.value)
    assert str(tmp_path / "m.toml") in str(raised.value)


def test_two_marks_for_one_answer_are_refused(tmp_path: Path):
    one = "[[mark]]\nsubmission = 'ada.toml'\nquestion = 'q.1'\npoints = {}\n"
    marks = write(tmp_path / "m.toml", one.format(1) + one.format(2))
    with pytest.raises(
        ValueError, match=r"ada.toml, q.1: must have one mark by hand: got .*mark 1 and .*mark 2; delete"
    ):
        apply_marks(OWN, CLASS, marks)
    with pytest.raises(
        ValueError, match=r"--marks must be a file of marks below 16 MiB: got .*none.toml; see --unread"
    ):
        read_marks(tmp_path / "none.toml", OWN)


def test_marks_lie_beside_the_folder_where_no_student_writes(tmp_path: Path):
    (tmp_path / "class").mkdir()
    beside = tmp_path.resolve() / "class.marks.toml"
    assert marks_beside(tmp_path / "class") == marks_beside(tmp_path / "class" / "ada.toml") == beside


def test_duplicates_are_told():
    same = {"q1": "3D²", "q2": "N", "q3": "1"}
    ada, eve = graded("a.toml", "s1", **same), graded("e.toml", "s5", **same)
    assert list(duplicates([ada, eve, graded("f.toml", "s6", q1="3D²")])) == [
        "the same answers, letter for letter, in a.toml, e.toml"
    ]
    assert list(duplicates([ada, graded("b.toml", "s1", q1="1"), replace(ada, file="c.toml", refused="no")])) == [
        "2 submissions of student s1: a.toml, b.toml"
    ]
    assert list(duplicates([replace(ada, student=""), graded("b.toml", q1="1")])) == []


@pytest.mark.parametrize(
    ("id", "given", "hints"),
    [
        ("q.1", "3D² + 3", ("A bias vector counted as one number.", "It is wrong at D = 2.")),
        ("q.2", "N", ()),
        ("q.3", "0.4", ()),
    ],
)
def test_feedback_can_withhold_what_is_true(id: str, given: str, hints: tuple[str, ...]):
    full = mark(KEY[id], given)
    some, none = withhold(full, "hints"), withhold(full, "verdict")
    assert withhold(full, "full") == full
    assert (some.feedback, none.feedback) == (hints, ())
    assert (some.points, none.points, none.verdict) == (full.points, full.points, full.verdict)
    assert (some.counterexample, none.counterexample, none.mistake) == (None, None, "")
    unread = withhold(mark(KEY["q.1"], "about 3?"), "verdict")
    assert unread.feedback[0].startswith("Could not be read")
    parts = withhold(mark(KEY["q.4"], {"yes": "no", "letter": "b"}), "hints")
    assert [part.feedback for part in parts.parts] == [(), ()]
