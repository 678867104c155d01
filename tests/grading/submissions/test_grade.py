"""A class from the honest to the hostile: each submission gets its marks or its reason, and nothing is executed."""

import csv
import io
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from regard.grading.questions.catalogue import asked, read_questions
from regard.grading.reports.marks import marks_csv
from regard.grading.reports.pages import check_report, slugs, write_report
from regard.grading.reports.summary import summarise
from regard.grading.submissions import grade as grading
from regard.grading.submissions.grade import Graded, grade, submissions
from regard.grading.submissions.isolation import Limits
from tests.grading.submissions.classroom import QUESTIONS, fill
from tests.grading.submissions.clumsy import ClumsyMarking, ClumsyReading


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory):
    """All of it in one run, with the folder as the working directory, where modules of a student's lie about."""
    folder, questions = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("own") / "questions.toml"
    questions.write_text(QUESTIONS)
    fill(folder)
    before = sorted(os.listdir(folder))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(grading, "Marking", ClumsyMarking)
        patch.setattr(grading, "Reading", ClumsyReading)
        own = read_questions(questions)
        found = grade(own, folder, limits=Limits(seconds=30, memory=256), jobs=2)
    assert sorted(os.listdir(folder)) == before
    return own, found


@pytest.fixture
def by_name(graded) -> dict[str, Graded]:
    return {each.file.removesuffix(".toml"): each for each in graded[1]}


def test_honest_answers_get_their_points(by_name):
    assert by_name["Ada L"].points == 9
    assert by_name["Ada L"].name == "Ada"
    assert by_name["Ada L"].status == "graded"
    bob = by_name["bob"]
    assert [(mark.id, mark.points, mark.mistake) for mark in bob.marks] == [
        ("q.1", 2, "a bias vector counted as one number"),
        ("q.2", 0, ""),
    ]
    assert dict(bob.marks[0].counterexample.sizes) == {"D": 2}
    assert (bob.marks[0].counterexample.yours, bob.marks[0].counterexample.true) == ("15", "18")
    assert bob.marks[0].counterexample.breakdown == {"weights": "12", "biases": "6"}
    assert bob.notes == ("there is no question 'q.9': did you mean q.4 or q.3 or q.2?",)
    assert bob.given == {"q.1": "3D(D) + 3", "q.2": "O(N^2)"}
    carol = by_name["carol"]
    assert [(part.id, part.points) for part in carol.marks[1].parts] == [("yes", 0), ("letter", 1)]
    assert carol.points == 3


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("crash", "its process was ended by SIGKILL, as when memory runs out"),
        ("deep", "is nested too deeply"),
        ("dots", "q.1 must be answered once: got two answers; delete one"),
        ("folder", "must be a file: got a folder"),
        ("large", "must have at most 256 kB: got 9765"),
        ("latin", "must be UTF-8: got byte 0xeb in line 1"),
        ("link", "must be a file: got a symbolic link"),
        ("nul", "is not TOML"),
        ("pipe", "must be a file: got a pipe"),
        ("utf16", "must be UTF-8: got UTF-16"),
        ("notes.txt", "answers no question: not read, for it stands before the first answer: 'not a submission'"),
        ("sympy.py", "is not read: got .py; hand in .toml or .txt or .json or .csv or .ipynb"),
    ],
)
def test_a_bad_file_is_refused_and_the_others_are_not(name, reason, by_name):
    assert by_name[name].refused.startswith(reason)
    assert by_name[name].marks == ()


def test_an_answer_that_fails_loses_no_other(by_name):
    """Neither by a type that is no answer, nor by a mistake of ours, which ends its process."""
    lists, clumsy = by_name["lists"], by_name["clumsy"]
    assert [(mark.id, mark.points) for mark in lists.marks] == [("q.1", 4)]
    assert set(lists.notes) == {
        "q.3: an answer is text, a number, or rows of numbers: got a number of more than 400 digits",
        "q.4: an answer is text, a number, or rows of numbers: got an empty list",
    }
    assert (clumsy.name, clumsy.points) == ("Ada", 4)
    assert [(mark.id, mark.verdict) for mark in clumsy.marks] == [
        ("q.1", "right"),
        ("q.2", "not read"),
        ("q.3", "not read"),
        ("q.4", "not read"),
    ]
    mistake = "failed with KeyError: 'a mistake', which is a mistake of regard's: please report it"
    assert clumsy.marks[1].feedback == (f"Could not be marked: it {mistake}",)
    assert "ended by SIGKILL" in clumsy.marks[2].feedback[0]
    assert clumsy.written("q.4") == "q.4.yes: raise"


def test_what_could_not_be_read_is_not_called_wrong(by_name):
    found = by_name["unsure"]
    assert [(mark.id, mark.verdict) for mark in found.marks] == [
        ("q.1", "right"),
        ("q.2", "not read"),
        ("q.4", "partly not read"),
    ]
    assert list(found.unread) == found.json()["unread"] == ["q.2", "q.4.yes"]
    assert found.status == "graded; not read, to be marked by hand: q.2, q.4.yes"
    assert found.given["q.4.yes"] == "perhaps"
    assert not any(mark.reading for _, mark in found.answers)
    assert [mark.verdict for mark in by_name["bob"].marks] == ["partly right", "wrong"]


@pytest.mark.parametrize("name", ["evil", "long", "strings", "tower"])
def test_hostile_answers_are_worth_nothing_and_told_why(name, by_name):
    found = by_name[name]
    assert found.refused == ""
    assert found.points == 0
    assert found.marks
    for mark in found.marks:
        assert mark.feedback
        assert all("\x1b" not in line and len(line) <= 1001 for line in mark.feedback)
    assert len(by_name["keys"].notes) == 21


def test_the_table_cannot_compute(graded):
    text = marks_csv(*graded)
    rows = {row["file"]: row for row in csv.DictReader(io.StringIO(text))}
    assert list(rows["bob.toml"]) == [
        *("file", "student", "name", "q.1", "q.2", "q.3", "q.4", "q.4.yes", "q.4.letter"),
        *("total", "out of", "not read", "by hand", "status"),
    ]
    assert list(rows["bob.toml"].values())[:13] == ["bob.toml", "", "Bob", "2", "0", *[""] * 4, "2", "9", "0", "0"]
    assert [rows["carol.toml"][id] for id in ("q.4", "q.4.yes", "q.4.letter")] == ["1", "0", "1"]
    assert rows["unsure.toml"]["not read"] == "2"
    assert len(rows) == len(graded[1])  # two long names begin alike
    assert rows["evil.toml"]["name"].startswith("'=cmd|")
    assert rows["pipe.toml"]["total"] == ""
    assert rows["pipe.toml"]["status"].startswith("refused: must be a file")
    assert not any(cell.startswith(tuple("=+-@")) for row in rows.values() for cell in row.values())


class Tags(HTMLParser):
    """The tags of a page, and the policy in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.policy = ""
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        found = dict(attrs)
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""
        if tag == "a":
            self.links.append(found["href"] or "")


def page_of(folder: Path, stem: str) -> str:
    (page,) = folder.glob(f"submissions/{stem}-????????.html")
    return page.read_text()


def test_pages_run_nothing_and_lead_to_each_other(graded, tmp_path: Path):
    own, found = graded
    write_report(tmp_path / "out", own, found, summarise(own, found))
    pages = {path.name: path.read_text() for path in (tmp_path / "out").rglob("*.html")}
    assert len(pages) == len(found) + 1
    assert all(re.fullmatch(r"[a-z0-9-]+\.html", name) for name in pages)
    for text in pages.values():
        page = Tags(text)
        assert not page.tags & {"script", "img", "b", "iframe", "form", "link"}
        assert not {name for name in page.attributes if name.startswith("on") or name == "style"}
        assert page.policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in page.policy
    index = Tags(pages["index.html"])
    assert set(index.links) == {f"submissions/{name}" for name in pages if name != "index.html"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page_of(tmp_path / "out", "evil")
    assert "a bias vector counted as one number" in pages["index.html"]
    assert "At D = 2 your formula gives 15; the true value is 18" in page_of(tmp_path / "out", "bob")


def test_pages_tell_what_was_asked_and_what_was_not_read(graded, tmp_path: Path):
    own, found = graded
    write_report(tmp_path, own, found, summarise(own, found))
    page, index = page_of(tmp_path, "unsure"), (tmp_path / "index.html").read_text()
    for said in (
        '<article class="not read">\n<h2>q.2 <span class="quiet">0 of 2, not read</span>',
        '<h2>q.4 <span class="quiet">1 of 2, partly not read</span></h2>\n<p class="quiet">Both of them.</p>',
        '<h3>yes <span class="quiet">0 of 1, not read</span></h3>\n<p class="quiet">Is it so?</p>\n\n'
        "<p>Answer <code>perhaps</code></p>\n<p>Could not be read: it must be true or false",
        '<p class="quiet">Which?</p>\n<ul class="quiet">\n<li>a: this</li>\n<li>b: that</li>\n</ul>',
        "To be marked by hand: q.2, q.4.yes.",
    ):
        assert said in page
    assert "15 answers wait for a person" in index
    assert 'unsure.toml</a></td><td>q.4.yes</td><td class="words"><code>perhaps</code></td>' in index


def test_a_page_keeps_its_name_and_goes_with_its_submission(graded, tmp_path: Path):
    assert list(slugs(["ada.toml"])) == list(slugs(["Ada.toml", "ada.toml"]))[1:]
    own, found = graded
    write_report(tmp_path, own, found, summarise(own, found))
    inner = tmp_path / "submissions"
    page = next(inner.glob("bob-*.html"))
    others = [inner / "bob-00000000.html", inner / "notes.html", inner / "carol.html"]
    others[0].write_text("of somebody else")
    others[1].write_text(page.read_text())  # a copy that somebody keeps under another name
    others[2].symlink_to(page)
    check_report(tmp_path)
    write_report(tmp_path, own, found[:1], summarise(own, found[:1]))
    assert {path.name for path in inner.iterdir()} == {*slugs([found[0].file]), *[path.name for path in others]}
    (tmp_path / "index.html").write_text("of somebody else")
    with pytest.raises(ValueError, match=r"--report must not overwrite a page of others: got .*index.html; name anot"):
        check_report(tmp_path)


def test_a_class_in_short(graded):
    own, found = graded
    summary = summarise(own, found)
    assert (summary.graded, summary.refused, summary.out_of) == (13, 16, 9)
    assert sum(each.count for each in summary.bins) == 13
    assert summary.bins[-1].count == 3
    first = summary.questions[0]
    assert (first.id, first.answered, first.right) == ("q.1", 13, 6)
    assert (summary.num_unread, first.unread, summary.questions[3].unread) == (15, 4, 2)
    assert [each.id for each in summary.unread if each.file == "unsure.toml"] == ["q.2", "q.4.yes"]
    assert not [each for each in summary.wrong if "read" in each.reading]
    top = next(each for each in summary.wrong if each.id == "q.1" and each.mistake)
    assert (top.count, top.mistake) == (2, "a bias vector counted as one number")  # in two notations
    assert "15" in top.feedback
    assert summary == summarise(own, found[::-1])


def test_a_very_long_answer_loses_no_other(tmp_path: Path):
    (tmp_path / "questions.toml").write_text(QUESTIONS)
    answers = {"q.1": "3D(D+1)", "q.2": 1_900_000 * "ü"}
    cells = [{"cell_type": "markdown", "metadata": {"tags": [id]}, "source": said} for id, said in answers.items()]
    (tmp_path / "ada.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}, ensure_ascii=False), "utf-8")
    (found,) = grade(read_questions(tmp_path / "questions.toml"), tmp_path / "ada.ipynb")
    assert [mark.verdict for mark in found.marks] == ["right", "not read"], found.refused
    assert found.given["q.2"].startswith("üü")


def test_folders_within_the_folder_only_when_asked(tmp_path: Path):
    with pytest.raises(ValueError, match=r"got none in .*; use --recursive to look into its folders"):
        submissions(tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x.TOML").touch()
    (tmp_path / "a" / "away").symlink_to("/")
    assert submissions(tmp_path, recursive=True) == [tmp_path / "a" / "b" / "x.TOML"]


def test_questions_are_chosen_by_how_their_id_begins(tmp_path: Path):
    own = tmp_path / "q.toml"
    own.write_text(QUESTIONS.replace('"q.2"', '"q.10"'))
    assert [question.id for question in asked([own], ["q.1", "q.4"])] == ["q.1", "q.4"]
    assert len(asked([own], ["q"])) == len(asked([own])) == 4
    with pytest.raises(ValueError, match=r"'q\.7'"):
        asked([own], ["q.7"])
    with pytest.raises(ValueError, match=r"an id must belong to one question: got 'q\.1' in two files; rename one"):
        asked([own, own])
