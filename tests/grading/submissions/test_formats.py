"""The formats of submissions: the same answers from each, one bad answer that spoils no other, and reasons."""

import contextlib
import json
import re
import time
from pathlib import Path

import pytest

from regard.grading.submissions.submission import LARGEST, parse_submission, read_submission

ASKED = {"udl.1a": (), "udl.1b": (), "nyu.3": (), "udl.2": ("weights", "biases"), "t": ()}
ANSWERS = {"udl.1a": "3D² + 3D", "nyu.3": "0.450", "udl.2": {"weights": "3D²"}, "t": "Because of\nthe softmax."}


def cell(source: str | list[str], kind: str = "markdown", *tags: str) -> dict:
    return {"cell_type": kind, "source": source, "metadata": {"tags": list(tags)}, "outputs": ["udl.1b: 7"]}


NOTEBOOK = {
    "cells": [
        cell("# Homework\nname: Ada\nid: s1"),
        cell("name: Ada\nid: s1"),
        cell("## udl.1a\n3D² + 3D"),
        cell(["# nyu.3\n", "# a comment\n", "0.450"], "code"),
        cell("3D²", "raw", "hide", "udl.2.weights"),
        cell("Because of\nthe softmax.", "markdown", "t"),
        cell("import os; os.system('touch pwned')", "code"),
        {"cell_type": "code"},
        7,
    ]
}
FILES = {
    ".toml": "name = 'Ada'\nid = 's1'\nudl.1a = '3D² + 3D'\nnyu.3 = 0.450\nudl.2.weights = '3D²'\n"
    "t = '''Because of\nthe softmax.'''",
    ".json": '{"name": "Ada", "id": "s1", "udl.1a": "3D² + 3D", "nyu": {"3": 0.450}, "udl.1b": null, '
    '"udl.2": {"weights": "3D²"}, "t": "Because of\\nthe softmax."}',
    ".txt": "name: Ada\nid: s1\n# a comment\nudl.1a = '3D² + 3D'\n**nyu.3**: 0.450\nudl.2.weights: 3D²\n"
    "t:\nBecause of\nthe softmax.\n",
    ".csv": "question,answer\nname,Ada\nid,s1\nudl.1a,3D² + 3D\nnyu.3,0.450\nudl.2.weights,3D²\n"
    't,"Because of\nthe softmax."\n',
    ".ipynb": json.dumps(NOTEBOOK),
}


@pytest.mark.parametrize("ending", FILES)
def test_the_same_answers_from_each(ending: str, tmp_path: Path):
    path = tmp_path / f"answers{ending.upper()}"
    path.write_text(FILES[ending], encoding="utf-8")
    found = read_submission(path, ASKED)
    assert (found.answers, found.name, found.student) == (ANSWERS, "Ada", "s1")
    assert found.notes == ()


def test_a_row_of_ids_and_a_row_of_answers():
    text = "name;udl.1a;udl.2.weights\nAda;3D² + 3D;(1, 2)\n"
    assert parse_submission(text, ASKED, ".csv").answers == {"udl.1a": "3D² + 3D", "udl.2": {"weights": "(1, 2)"}}
    assert parse_submission("udl.1a,(1, 2)", ASKED, ".csv").answers == {"udl.1a": "(1, 2)"}  # a comma without quotes


SPOILT = r'''
name = "Ada"
udl.1a = "\sqrt{d} + \frac{D}{H}"

# udl.1b (2 points)
# How many are N = 3?
udl.1b = 3D²   # without quotes
nyu.3 = [1, 2
t = """never
closed
[udl.2]
weights = "3D²"
biases = '3D
'''


def test_one_bad_answer_spoils_no_other():
    found = parse_submission(SPOILT, ASKED)
    assert found.name == "Ada"
    assert found.answers == {
        "udl.1a": r"\sqrt{d} + \frac{D}{H}",
        "udl.1b": "3D²",
        "udl.2": {"weights": "3D²", "biases": "3D"},
    }
    assert found.notes[:2] == (
        "udl.1a: taken with its backslashes as they are; LaTeX stands in single quotes",
        "udl.1b: taken as text, which stands in single quotes",
    )
    assert re.match(r"nyu.3 is not read: Unclosed array \(at ", found.notes[2])
    assert found.notes[3].startswith("t is not read: ")
    assert (
        found.notes[4]
        == "udl.2.biases: taken as text, though the quote before it is not closed; write a second one behind it"
    )


def test_an_unknown_id_in_a_text_does_not_run_on_into_the_answer_before():
    found = parse_submission("Homework 3\nudl.1a: 3D²\nudl.9x: 7\nt: so:\n1: first\nudl is a book", ASKED, ".txt")
    assert found.answers == {"udl.1a": "3D²", "t": "so:\n1: first\nudl is a book"}
    assert found.notes == (
        "not read, for it stands before the first answer: 'Homework 3'",
        "there is no question 'udl.9x': did you mean udl.2 or udl.1b or udl.1a?",
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.pdf", "%PDF", "is not read: got .pdf; hand in .toml or .txt or .json or .csv or .ipynb"),
        ("a.docx", "PK", "is not read: got .docx; hand in"),
        ("answers", "udl.1a = 1", "is not read: got no ending; hand in"),
        ("a.json", "[1]", 'must be an object of answers: got something else; write {"udl.1a": "3D^2"}'),
        ("a.json", '{"t": "\\sqrt"}', "is not JSON: Invalid \\escape: line 1 column 8 (char 7); write"),
        ("a.json", '{"t": 1, "t": 2}', "each id must stand there once: got one twice; delete one"),
        ("a.json", "[" * 100_000, "is nested too deeply"),
        (
            "a.csv",
            "name,t,nyu.3\nA,x,1\nB,y,2",
            "must be the answers of one person: got 2 rows of them; make a file for",
        ),
        ("a.csv", f"t,{'x' * 200_000}", "is not CSV: field larger than field limit (131072); write a row for each"),
        ("a.txt", "t: one\nt: two", "t must be answered once: got two answers; delete one"),
        ("a.txt", "3D²", "answers no question: not read, for it stands before the first answer: '3D²'"),
        ("a.ipynb", "{}", "must be a notebook of format 4, with cells: got none; save it anew in Jupyter"),
        ("a.ipynb", '{"cells": [{"source": "3D²"}]}', "answers no question: got no answers at all"),
        ("a.ipynb", "x" * (16 * LARGEST + 1), "must have at most 4096 kB: got 4096; send the answers alone"),
    ],
)
def test_what_cannot_be_read_says_why(name: str, text: str, said: str, tmp_path: Path):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError) as raised:
        read_submission(tmp_path / name, ASKED)
    assert said in str(raised.value)


@pytest.mark.parametrize("ending", [".toml", ".txt", ".csv"])
@pytest.mark.parametrize("piece", ["a.", "_", " ", "a_ ", "'", '"', "[", "=", "t = \\\n", "udl.x:\n", "#\n", "\t-"])
def test_no_text_takes_long(ending: str, piece: str):
    start = time.thread_time()
    with contextlib.suppress(ValueError):
        parse_submission("t = x\n" + piece * (LARGEST // len(piece)), ASKED, ending)
    assert time.thread_time() - start < 8
