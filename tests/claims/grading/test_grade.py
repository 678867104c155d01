"""A class from the honest to the hostile: each submission gets its marks or its reason, and nothing is executed."""

import csv
import io
import os
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from regard.claims.answers.catalogue import read_questions
from regard.claims.grading.grade import Graded, grade, submissions
from regard.claims.grading.isolation import Limits
from regard.claims.grading.marks import marks_csv
from regard.claims.grading.pages import write_report
from regard.claims.grading.sheet import asked
from regard.claims.grading.summary import summarise
from tests.claims.grading.classroom import QUESTIONS, fill


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory):
    """All of it in one run, with the folder as the working directory, where modules of a student's lie about."""
    folder, questions = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("own") / "questions.toml"
    questions.write_text(QUESTIONS)
    fill(folder)
    before = sorted(os.listdir(folder))
    here = Path.cwd()
    start = time.monotonic()
    try:
        os.chdir(folder)
        own = read_questions(questions)
        found = grade(own, folder, limits=Limits(seconds=3, memory=256), jobs=2)
    finally:
        os.chdir(here)
    assert time.monotonic() - start < 60
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
    assert bob.marks[0].breakdown == {"weights": "12", "biases": "6"}
    assert bob.notes == ("there is no question 'q.9': nearest is q.4 or q.3 or q.2",)
    assert bob.given == {"q.1": "3D(D) + 3", "q.2": "O(N^2)"}
    carol = by_name["carol"]
    assert [(part.id, part.points) for part in carol.marks[1].parts] == [("yes", 0), ("letter", 1)]
    assert carol.points == 3


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("crash", "took longer than 3 s"),
        ("deep", "is nested too deeply"),
        ("dots", "is not TOML: Cannot overwrite a value"),
        ("folder", "must be a file: got a folder"),
        ("large", "must have at most 256 kB: got 9765"),
        ("latin", "must be UTF-8: got byte 0xeb in line 1"),
        ("link", "must be a file: got a symbolic link"),
        ("nul", "is not TOML"),
        ("pipe", "must be a file: got a pipe"),
        ("utf16", "must be UTF-8: got UTF-16"),
    ],
)
def test_a_bad_file_is_refused_and_the_others_are_not(name, reason, by_name):
    assert by_name[name].refused.startswith(reason)
    assert by_name[name].marks == ()


@pytest.mark.parametrize("name", ["evil", "long", "strings", "tower"])
def test_hostile_answers_are_wrong_and_told_why(name, by_name):
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
    assert list(rows["bob.toml"]) == ["file", "name", "q.1", "q.2", "q.3", "q.4", "total", "out of", "status"]
    assert list(rows["bob.toml"].values())[:8] == ["bob.toml", "Bob", "2", "0", "", "", "2", "9"]
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
    assert sorted(index.links) == sorted([f"submissions/{name}" for name in pages if name != "index.html"])
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pages["evil.html"]
    assert "a bias vector counted as one number" in pages["index.html"]
    assert "At D = 2 your formula gives 15; the true value is 18" in pages["bob.html"]


def test_a_class_in_short(graded):
    own, found = graded
    summary = summarise(own, found)
    assert (summary.graded, summary.refused, summary.out_of) == (8, 10, 9)
    assert sum(each.count for each in summary.bins) == 8
    assert summary.bins[-1].count == 1
    first = summary.questions[0]
    assert (first.id, first.answered, first.right) == ("q.1", 8, 1)
    top = next(each for each in summary.wrong if each.id == "q.1" and each.mistake)
    assert (top.count, top.mistake) == (2, "a bias vector counted as one number")  # in two notations
    assert "15" in top.feedback
    assert summary == summarise(own, found[::-1])


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
