"""`regard questions` and `regard grade`: a worksheet, one submission, a folder of them, and one line for bad input."""

import contextlib
import csv
import errno
import io
import json
import os
import tomllib
from pathlib import Path

import pytest

from regard.grading.submissions import grade, isolation
from regard.grading.submissions.isolation import Isolation, Limits
from tests.commands.running import check_refused
from tests.commands.running import run as regard
from tests.grading.submissions.classroom import EVIL, QUESTIONS, RIGHT


@pytest.fixture(scope="module")
def helper():
    with Isolation() as started:
        yield started


@pytest.fixture(autouse=True)
def one_helper(helper: Isolation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A helper that all commands share: each would start its own, for more than a second."""

    def shared(limits: Limits):
        helper.limits = limits
        return contextlib.nullcontext(helper)

    monkeypatch.setattr(grade, "Isolation", shared)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "questions.toml"
    path.write_text(QUESTIONS)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "class"
    made.mkdir()
    (made / "ada.toml").write_text(RIGHT)
    (made / "bob.toml").write_text("q.1 = '3D² + 3'")
    (made / "evil.toml").write_text(EVIL)
    (made / "bad.toml").write_text("q.1 = ")
    return made


def test_a_worksheet_and_a_file_to_fill_in(own: Path, tmp_path: Path):
    sheet = regard("questions", "--own", own)
    assert sheet.exit_code == 0, sheet.stderr
    assert "How many parameters have three linear maps of width D, with biases?" in sheet.stdout
    assert "3D² + 3D" not in sheet.stdout
    blank = tmp_path / "blank.toml"
    assert regard("questions", "q.1", "q.4", "--own", own, "--toml", "--out", blank).stdout == ""
    assert "q" in tomllib.loads(blank.read_text()) or "q.1" in tomllib.loads(blank.read_text())
    assert "How many parameters" in blank.read_text()
    made = json.loads(regard("questions", "q.3", "q.4", "--own", own, "--json").stdout)
    assert [each["id"] for each in made] == ["q.3", "q.4"]
    assert made[0] == {
        "id": "q.3",
        "text": "One third?",
        "points": 1.0,
        "kind": "number",
        "symbols": {},
        "choices": {},
    }
    assert [part["id"] for part in made[1]["parts"]] == ["yes", "letter"]
    assert "answer" not in json.dumps(made)


def test_the_built_in_questions():
    made = json.loads(regard("questions", "udl", "--json").stdout)
    assert len(made) >= 5
    assert all(each["id"].startswith("udl.") for each in made)


def test_a_blank_sheet_is_graded(own: Path, tmp_path: Path):
    """What `questions` writes, `grade` reads; one submission may be a link, for somebody named it."""
    blank, link = tmp_path / "blank.toml", tmp_path / "link.toml"
    regard("questions", "--own", own, "--toml", "--out", blank)
    link.symlink_to(blank)
    made = regard("grade", link, "--own", own, "--json")
    assert made.exit_code == 0, made.stderr
    found = json.loads(made.stdout)
    assert (found["status"], found["points"], found["out_of"], found["marks"]) == ("graded", 0, 9, [])


def test_one_submission(own: Path, folder: Path):
    made = regard("grade", folder / "bob.toml", "--own", own)
    assert made.exit_code == 0, made.stderr
    lines = " ".join(made.stdout.split())
    assert "q.1 2 of 4 partly right" in lines
    assert "A bias vector counted as one number" in lines
    assert "At D = 2 your formula gives 15; the true value is 18 = 12 (weights) + 6 (biases)." in lines
    assert lines.endswith("2 of 4 points; 3 more questions are worth 5")
    (folder / "unsure.toml").write_text("q.1 = 'much'\nq.4.yes = 'perhaps'\nq.4.letter = 'b'")
    lines = " ".join(regard("grade", folder / "unsure.toml", "--own", own).stdout.split())
    assert "q.1 0 of 4 not read q.4 1 of 2 partly not read letter: b: that" in lines
    assert "q.4.yes: perhaps Could not be read: it must be true or false" in lines
    assert lines.endswith("2 answers wait for a person, to be marked by hand: q.1, q.4.yes")


def test_a_folder_with_a_table_and_pages(own: Path, folder: Path, tmp_path: Path):
    table, pages = tmp_path / "marks.csv", tmp_path / "pages"
    made = regard("grade", folder, "--own", own, "--csv", table, "--report", pages, "--jobs", "2")
    assert made.exit_code == 0, made.stderr
    assert made.stdout.startswith("3 graded, 1 refused; mean 3.67, median 2 of 9 points\n")
    assert "bad.toml: refused: is not TOML" in " ".join(made.stdout.split())
    assert "\x1b" not in made.stdout
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert [(row["file"], row["total"]) for row in rows] == [
        ("ada.toml", "9"),
        ("bad.toml", ""),
        ("bob.toml", "2"),
        ("evil.toml", "0"),
    ]
    names = sorted(path.name for path in pages.rglob("*.html"))
    assert [name[:-14] for name in names] == ["ada", "bad", "bob", "evil", ""]
    assert names[-1] == "index.html"
    assert "3 answers wait for a person, to be marked by hand" in made.stdout
    assert "evil.toml, q.3: __import__('os').system('touch pwned')" in made.stdout


@pytest.mark.parametrize("form", ["toml", "txt"])
def test_answers_that_only_leaves_out_are_passed_over(own: Path, tmp_path: Path, form: str):
    mark = "'" if form == "toml" else ""
    text = f"q.1 = {mark}3D² + 3D{mark}\nq.2 = {mark}4{mark}"
    (tmp_path / f"answers.{form}").write_text(text)
    made = regard("grade", tmp_path / f"answers.{form}", "--own", own, "--only", "q.1", "--json")
    found = json.loads(made.stdout)
    assert found["given"] == {"q.1": "3D² + 3D"}
    assert found["notes"] == []


def test_bad_input_is_one_line_and_exit_code_2(own: Path, folder: Path, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    ada, file = folder / "ada.toml", tmp_path / "file"
    file.touch()
    for arguments, line in {
        ("grade", folder / "bad.toml", "--own", own): f"{folder / 'bad.toml'} is not TOML: ",
        ("grade", tmp_path / "none"): f"{tmp_path / 'none'} must be a file of answers or a folder of them",
        (
            "grade",
            tmp_path / "empty",
        ): "a folder must hold submissions, files that end in .toml, .txt, .json, .csv, .ipynb: got none in ",
        ("grade", ada, "--recursive"): f"--recursive looks into a folder: got the file {ada}; leave it out",
        ("grade", ada, "--seconds", "0"): "seconds must be more than 0 and at most 3600: got 0; use 10",
        ("grade", ada, "--memory", "1"): "memory must be 16 to 1048576 MiB: got 1; use 512",
        ("grade", ada, "--csv", tmp_path / "no" / "x.csv"): "--csv must name a file in a folder that exists: got ",
        ("grade", ada, "--report", file): f"--report must be a folder: got the file {file}; name another",
        ("grade", ada, "--own", own, "--only", "q.77"): "'q.77'",
        (
            "questions",
            "--toml",
            "--json",
        ): "one form is printed: got two of --toml, --json and --teacher; use one of them",
        ("questions", "nonsense"): "no question or document is called 'nonsense': see regard questions\n",
        ("questions", "UDL"): "did you mean udl",
        ("questions", "--own", tmp_path / "none.toml"): "none.toml",
    }.items():
        check_refused(regard(*arguments), line)


def test_a_system_without_a_limit_on_memory_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(isolation, "STATM", Path("nowhere"))
    made = regard("grade", folder / "bad.toml", "--seconds", "0")
    assert "regard: this system does not limit a process's memory, so only time is limited\n" in made.stderr


def test_a_file_that_was_filled_in_is_not_overwritten(own: Path, tmp_path: Path):
    answers = tmp_path / "answers.toml"
    assert regard("questions", "--own", own, "--toml", "--out", answers).exit_code == 0
    answers.write_text(RIGHT)
    made = regard("questions", "--own", own, "--toml", "--out", answers)
    assert made.exit_code == 2
    assert "--out must not overwrite answers: got" in made.stderr
    assert answers.read_text() == RIGHT


@pytest.mark.parametrize("text", ["", "# nothing", "name = 'Ada'"])
def test_a_file_without_answers_is_refused(own: Path, tmp_path: Path, text: str):
    (tmp_path / "empty.toml").write_text(text)
    made = regard("grade", tmp_path / "empty.toml", "--own", own)
    assert made.exit_code == 2
    assert "answers no question: got no answers at all; fill in what regard questions --toml prints" in made.stderr


def test_a_full_disk_leaves_no_pages(own: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(path: Path, text: str, **options: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        made = regard("grade", folder, "--own", own, "--report", tmp_path / "pages")
    assert made.exit_code == 2
    assert made.stderr == f"regard: {tmp_path / 'pages'} could not be written: No space left on device\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class", "questions.toml"]


TEXT = '\n[[question]]\nid = "q.5"\ntext = "Why?"\nkind = "text"\nrubric = { "names the softmax" = 2 }\n'


def test_marks_by_hand_from_start_to_end(own: Path, folder: Path, tmp_path: Path):
    """What waits is written, filled in, read back and shown; a later file is asked behind it; a stale mark is told."""
    own.write_text(QUESTIONS + TEXT)
    (folder / "bob.toml").write_text("id = 's2'\nq.1 = '3D² + 3'\nq.5 = 'Softmax.'")
    (folder / "eve.txt").write_text("id: s2\nq.5: Softmax.")
    waits, table, pages = tmp_path / "by-hand.toml", tmp_path / "marks.csv", tmp_path / "pages"
    command = ("grade", folder, "--own", own, "--csv", table, "--report", pages)
    made = regard(*command, "--unread", waits)
    assert made.exit_code == 0, made.stderr
    assert "2 submissions of student s2: bob.toml, eve.txt" in made.stdout
    text = waits.read_text()
    assert text.count('question = "q.5"') == 1
    assert "#   2: names the softmax" in text
    head, mark, rest = text.partition('question = "q.5"')
    filled = head + mark + rest.replace('points = ""', "points = 1.5").replace('by = ""', 'by = "EM"')
    waits.write_text(filled)
    refused = regard(*command, "--unread", waits)
    assert f"--unread must not overwrite marks: got {waits}, which exists; read it too by --marks" in refused.stderr
    (folder / "fay.toml").write_text("q.5 = 'Attention.'")
    beside = tmp_path / "class.marks.toml"
    beside.write_text("[[mark]]\nsubmission = 'ada.toml'\nquestion = 'q.2'\npoints = 1\nremark = 'no reason given'")
    made = regard(*command, "--marks", waits, "--unread", waits)
    assert made.exit_code == 0, made.stderr
    assert waits.read_text().startswith(filled)
    assert waits.read_text().count("[[mark]]") == filled.count("[[mark]]") + 1
    rows = {row["file"]: row for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8")))}
    found = {file: (row["student"], row["q.5"], row["total"], row["by hand"]) for file, row in rows.items()}
    assert found["bob.toml"] == ("s2", "1.5", "3.5", "1")
    assert found["eve.txt"] == ("s2", "1.5", "1.5", "1")
    assert found["fay.toml"] == ("", "0", "0", "0")
    assert found["ada.toml"] == ("", "", "8", "1")
    page = next(pages.glob("submissions/ada-*.html")).read_text()
    assert "1 of 2, partly right, by hand" in page
    assert "Marked by hand; the machine gave 2." in page
    assert "no reason given" in page
    (folder / "bob.toml").write_text("q.1 = '3D² + 3'\nq.5 = 'Something else.'")
    made = json.loads(regard("grade", folder / "bob.toml", "--own", own, "--marks", waits, "--json").stdout)
    assert made["points"] == 2
    (warning,) = [line for line in made["warnings"] if line.startswith("bob.toml")]
    assert warning.endswith("but the answer has changed since: mark it anew")


def test_feedback_and_identifiers_are_chosen(own: Path, folder: Path, tmp_path: Path):
    handed_in = folder / "Ada Lovelace_4711_assignsubmission_file_"
    handed_in.mkdir()
    (handed_in / "bob.toml").write_text("q.1 = '3D² + 3'")
    (handed_in / "report.pdf").write_text("%PDF")
    made = regard(
        "grade", folder, "--own", own, "--json", "--recursive", "--students", "moodle", "--feedback", "verdict"
    )
    found = {each["file"]: each for each in json.loads(made.stdout)["submissions"]}
    ours = found[f"{handed_in.name}/bob.toml"]
    assert (ours["student"], ours["name"]) == ("4711", "Ada Lovelace")
    assert (ours["marks"][0]["points"], ours["marks"][0]["feedback"]) == (2, [])
    assert found[f"{handed_in.name}/report.pdf"]["status"].startswith("refused: is not read: got .pdf; hand in .toml")
    assert "18" not in json.dumps(ours)


def test_results_for_gradescope_and_an_autograder(own: Path, folder: Path, tmp_path: Path):
    results = tmp_path / "results.json"
    assert regard("grade", folder / "ada.toml", "--own", own, "--gradescope", results).exit_code == 0
    assert json.loads(results.read_text())["score"] == 9
    assert regard("grade", folder / "bad.toml", "--own", own, "--gradescope", results).exit_code == 0
    assert json.loads(results.read_text())["output"].startswith("bad.toml is not TOML: ")
    assert regard("grade", folder, "--own", own, "--gradescope", results).exit_code == 0
    assert "got ada.toml, bad.toml, bob.toml, evil.toml; delete all" in json.loads(results.read_text())["output"]
    made = regard("autograder", tmp_path / "a.zip", "--own", own, "--only", "q.1")
    assert made.stdout == f"1 question, 4 points: {tmp_path / 'a.zip'}\n"
    wrong = regard("autograder", tmp_path / "a.tar", "--own", own)
    assert "OUT must name a file that ends in .zip: got" in wrong.stderr
    assert "'q.7'" in regard("autograder", tmp_path / "b.zip", "--own", own, "--only", "q.7").stderr
    assert not (tmp_path / "b.zip").exists()


def test_a_sheet_for_the_teacher_has_the_answers(own: Path):
    assert "Answer: 3D² + 3D." in regard("questions", "--own", own, "--teacher").stdout
