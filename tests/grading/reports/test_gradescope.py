"""Gradescope: results that its published format admits, and an autograder that runs where Gradescope lays it out."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema_rs
import pytest

from regard.grading import compile_key, mark, parse_questions
from regard.grading.reports.gradescope import autograder_zip, refusal_json, results_json, the_one
from regard.grading.submissions.grade import Graded
from tests.grading.submissions.classroom import QUESTIONS, RIGHT

TEXT = '\n[[question]]\nid = "q.5"\ntext = "Why?"\nkind = "text"\nrubric = { "names the softmax" = 2 }\n'
COUNTED = """
[[question]]
id = "c.1"
text = "How many numbers has a table of n rows and two columns?"
kind = "formula"
symbols = { n = "positive" }
answer = "2n"
counted = "tables.py:numbers"
"""

# The format of results.json as Gradescope publishes it: no other keys, these types, and a score somewhere.
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
TEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        **{name: {"type": "number"} for name in ("score", "max_score")},
        **{name: {"type": "string"} for name in ("name", "number", "output")},
        **dict.fromkeys(("name_format", "output_format"), FORMAT),
        "status": {"enum": ["passed", "failed"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "visibility": VISIBILITY,
        "extra_data": {"type": "object"},
    },
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        **{name: {"type": "number"} for name in ("score", "execution_time")},
        "output": {"type": "string"},
        **dict.fromkeys(("output_format", "test_output_format", "test_name_format"), FORMAT),
        **dict.fromkeys(("visibility", "stdout_visibility"), VISIBILITY),
        "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": TEST},
        "leaderboard": {"type": "array", "items": {"type": "object", "required": ["name", "value"]}},
    },
    "anyOf": [
        {"required": ["score"]},
        {"properties": {"tests": {"minItems": 1, "items": {"required": ["score"]}}}, "required": ["tests"]},
    ],
}


def valid(text: str) -> dict:
    found = json.loads(text)
    jsonschema_rs.validate(SCHEMA, found)
    return found


def test_results_have_a_test_for_every_part_and_no_score_for_what_waits():
    own = parse_questions(QUESTIONS + TEXT, "own.toml")
    key = compile_key(own)
    given = {"q.1": "3D² + 3", "q.4": {"yes": "true", "letter": "perhaps"}, "q.5": "So."}
    marks = tuple([mark(key[id], answer) for id, answer in given.items()])
    found = valid(results_json(own, Graded(file="a.toml", marks=marks, notes=("there is no question 'q.9'",))))
    assert found["score"] == 3
    assert found["output"] == "there is no question 'q.9'\nTo be marked by hand: q.4.letter, q.5."
    assert [
        (test["name"], test.get("score"), test.get("max_score"), test.get("status")) for test in found["tests"]
    ] == [
        ("q.1 (partly right)", 2, 4, "failed"),
        ("q.2 (wrong)", 0, 2, "failed"),
        ("q.3 (wrong)", 0, 1, "failed"),
        ("q.4.yes (right)", 1, 1, "passed"),
        ("q.4.letter (not read)", None, None, None),
        ("q.5 (to be marked by hand)", None, None, None),
    ]
    assert "At D = 2 your formula gives 15" in found["tests"][0]["output"]
    assert found["tests"][1]["output"] == "Not answered."
    refused = valid(results_json(own, Graded(file="a.pdf", refused="is not read")))
    assert (refused["score"], refused["output"]) == (0, "a.pdf is not read")
    assert valid(refusal_json("no file"))["tests"] == []


def test_the_schema_refuses_what_gradescope_does():
    for bad in ({}, {"score": "3"}, {"score": 1, "marks": []}, {"tests": [{"name": "x"}]}):
        with pytest.raises(jsonschema_rs.ValidationError):
            jsonschema_rs.validate(SCHEMA, bad)


def test_one_file_is_handed_in(tmp_path: Path):
    (tmp_path / "a.toml").touch()
    (tmp_path / "report.pdf").touch()
    assert the_one(tmp_path) == tmp_path / "a.toml" == the_one(tmp_path / "a.toml")
    (tmp_path / "b.txt").touch()
    with pytest.raises(
        ValueError, match=r"one file of answers must be handed in: got a.toml, b.txt; delete all but one"
    ):
        the_one(tmp_path)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as Gradescope's image has it at /autograder."""
    made, home = tmp_path_factory.mktemp("autograder"), tmp_path_factory.mktemp("teacher")
    (home / "own.toml").write_text(QUESTIONS)
    (home / "counted.toml").write_text(COUNTED)
    (home / "tables.py").write_text("def numbers(n):\n    return 2 * n\n")
    data = autograder_zip(
        [home / "own.toml", home / "counted.toml"], ["--feedback", "hints", "--only", "q", "--only", "c.1"]
    )
    assert data == autograder_zip(
        [home / "own.toml", home / "counted.toml"], ["--feedback", "hints", "--only", "q", "--only", "c.1"]
    )
    archive = made / "autograder.zip"
    archive.write_bytes(data)
    with zipfile.ZipFile(archive) as files:
        assert {"setup.sh", "run_autograder", "questions/2/tables.py"} <= set(files.namelist())
        assert not [name for name in files.namelist() if "explore/" in name and not name.startswith("regard/commands")]
        assert all(files.getinfo(name).external_attr >> 16 & 0o111 for name in ("setup.sh", "run_autograder"))
        files.extractall(made / "source")
    (made / "run_autograder").write_bytes((made / "source" / "run_autograder").read_bytes())
    (made / "submission").mkdir()
    return made


def run(root: Path) -> dict:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"AUTOGRADER_ROOT": str(root), "AUTOGRADER_PYTHON": sys.executable}
    done = subprocess.run(["bash", root / "run_autograder"], env=environment, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return valid((root / "results" / "results.json").read_text())


def test_the_autograder_marks_what_is_handed_in_and_runs_none_of_it(root: Path):
    assert "files that end in .toml, .txt, .json, .csv, .ipynb: got none" in run(root)["output"]
    (root / "submission" / "answers.toml").write_text(RIGHT.replace("3D^2 + 3D'", "3D^2 + 3'\nc.1 = '2n'"))
    for module in ("sympy", "regard", "torch"):
        (root / "submission" / f"{module}.py").write_text("raise SystemExit('the code of a student ran')\n")
    found = run(root)
    assert found["score"] == 8
    assert [test["name"] for test in found["tests"]][-1] == "c.1 (right)"
    assert found["tests"][0]["output"].endswith("It is wrong at D = 2.")  # a hint, and nothing true


def test_the_scripts_of_the_archive_are_shell(root: Path):
    for name in ("setup.sh", "run_autograder"):
        assert subprocess.run(["bash", "-n", root / "source" / name]).returncode == 0
    setup = (root / "source" / "setup.sh").read_text()
    assert "'torch>=2.11'" in setup
    assert "lark" in setup
    assert "matplotlib" not in setup
