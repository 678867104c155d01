"""A file of answers is read in every notation of its ids, and refused with a reason in every way that it can be bad."""

import os
import re
import socket
import time
from pathlib import Path

import pytest

from regard.grading.submissions.submission import LARGEST, parse_submission, printable, read_submission

ASKED = {"udl.1a": (), "udl.1b": (), "nyu.3": (), "udl.2": ("weights", "biases")}


def write(folder: Path, data: bytes | str) -> Path:
    path = folder / "answers.toml"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "udl.1a = '3D²'\nudl.1b = 7",
        "\"udl.1a\" = '3D²'\n'udl.1b' = 7",
        "[udl]\n1a = '3D²'\n1b = 7",
        "udl = { 1a = '3D²', 1b = 7 }",
        "\ufeffname = 'Ada'\r\nudl.1a = '3D²'\r\n[udl]\r\n1b = 7\r\n",
    ],
)
def test_ids_are_written_in_several_ways(text: str, tmp_path: Path):
    if text.startswith("\ufeff"):  # TOML itself forbids a table after a dotted key that made it
        text = text.replace("udl.1a", '"udl.1a"')
    found = read_submission(write(tmp_path, text), ASKED)
    assert dict(found.answers) == {"udl.1a": "3D²", "udl.1b": 7}
    assert found.notes == ()


def test_answers_stay_as_they_are_written():
    text = r"""
name = "Ada \u202e \u001b[31mLovelace"
udl.1a = 0.450
udl.1b = "\frac{D}{H} \times \beta \tau \theta \right"
nyu.3 = [[1, 2.50], ["1/2", 3]]
udl.2.weights = "3D²"
"udl.2.biases" = 3
"""
    found = parse_submission(text, ASKED)
    assert found.answers == {
        "udl.1a": "0.450",
        "udl.1b": r"\frac{D}{H} \times \beta \tau \theta \right",
        "nyu.3": [[1, "2.50"], ["1/2", 3]],
        "udl.2": {"weights": "3D²", "biases": 3},
    }
    assert parse_submission("udl.1a = ''\nudl.2.biases = ''\nnyu.3 = 0", ASKED).answers == {"nyu.3": 0}
    assert found.name == "Ada � �[31mLovelace"


@pytest.mark.parametrize("letter", "\u061c\u200b\u200e\u2028\u2029\u2066\ufeff\U000e0041\x7f\x9b")
def test_a_name_steers_nothing(letter: str):
    assert printable(f"Ada{letter}Lovelace", 80) == "Ada�Lovelace"
    assert printable("Zoë\xa0مهر\u200cداد 李", 80) == "Zoë\xa0مهر\u200cداد 李"  # people are called so


def test_what_cannot_be_used_is_noted_and_the_rest_is_kept():
    text = """
udl.1a = '3D²'
udl.1b = 2024-01-01
udl.1c = '4D²'
udl.1b2.x.y.z = 1
nyu.3 = [[[1]]]
udl.2.weights = [12:00:00]
udl.2.biases = []
udl.2.x = 1
name = 12
"<script>\\u001b" = 1
"""
    found = parse_submission(text, ASKED)
    assert found.answers == {"udl.1a": "3D²"}
    usable = "an answer is text, a number, or rows of numbers: got"
    assert set(found.notes) == {
        f"udl.1b: {usable} a date or a time",
        'name must be text: got a number; write name = "…"',
        f"udl.2.biases: {usable} an empty list",
        f"nyu.3: {usable} lists in lists in lists",
        f"udl.2.weights: {usable} a date or a time",
        "there is no question 'udl.2.x': did you mean udl.2 or udl.1b or udl.1a?",
        "there is no question 'udl.1c': did you mean udl.1b or udl.1a or udl.2?",
        "there is no question 'udl.1b2': did you mean udl.1b or udl.2 or udl.1a?",
        "there is no question '<script>�': see regard questions",
    }


def test_many_unknown_ids_are_told_shortly():
    start = time.thread_time()
    text = "udl.1a = 1\n" + "\n".join([f"k{n}{'x' * 40} = 1" for n in range(5000)])
    notes = parse_submission(text, ASKED).notes
    assert len(notes) == 21
    assert notes[-1] == "and 4980 more like these"
    long = parse_submission(f"udl.1a = 1\n{'k' * 200_000} = 1", ASKED).notes
    assert long == (f"there is no question '{'k' * 60}…': see regard questions",)
    assert time.thread_time() - start < 5


DEEP = "[" * 20_000 + "]" * 20_000
BAD: dict[str, tuple[bytes | str, str]] = {
    "not TOML": (
        "udl.1a = [3D²",
        "(at line 1, column 12); answers stand in single quotes, each id once: udl.1a = '3D^2'",
    ),
    "latin-1": (
        "udl.1a = '3'\nname = 'Zoë'".encode("latin-1"),
        "must be UTF-8: got byte 0xeb in line 2; save it as UTF-8",
    ),
    "UTF-16": ("udl.1a = '3'".encode("utf-16"), "must be UTF-8: got UTF-16; save it as UTF-8"),
    "NUL": ("udl.1a = '3\0'", r"'\x00' (at line 1, column 12)"),
    "duplicated key": ("udl.1a = 1\nudl.1a = 2", "udl.1a must be answered once: got two answers; delete one"),
    "two ways, one id": ('udl.1a = 1\n"udl.1a" = 2', "udl.1a must be answered once: got two answers; delete one"),
    "a whole and its part": ('"udl.2" = 1\n"udl.2.biases" = 2', "udl.2.biases must be answered once: got two"),
    "deep": (f"udl.1a = {DEEP}", "is nested too deeply"),
    "large": (b"#" * (LARGEST + 1), "must have at most 256 kB: got 256; send the answers alone"),
    "10 MB of parentheses": (b"udl.1a = '" + b"(" * 10_000_000 + b"'", "must have at most 256 kB: got 9765"),
    "an endless number in base 16": (f"udl.1a = 0x{'f' * 6000}", "udl.1a: an answer is text, a number, or rows of"),
    "one in a matrix": (f"nyu.3 = [[1, -{'9' * 401}]]", "got a number of more than 400 digits"),
    "no known id": ("udl.7 = 1", "answers no question: there is no question 'udl.7': did you mean udl.2"),
    "a name without its quote": (
        "name = 'Ada",
        "got no answers at all, and name: taken as text, though the quote before it is not closed",
    ),
    "a table for a name": ("[name]\nx = 1", 'name must be text: got a table; write name = "…"'),
    "an answer as a table": (
        "[udl.1a]\nx = 1",
        "answers no question: udl.1a: an answer is text, a number, or rows of numbers: got a table",
    ),
    "an include": (
        "include = '/etc/passwd'",
        "answers no question: there is no question 'include': see regard questions",
    ),
}


@pytest.mark.parametrize(("data", "reason"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_says_why(data: bytes | str, reason: str, tmp_path: Path):
    with pytest.raises(ValueError, match=re.escape(reason)) as raised:
        read_submission(write(tmp_path, data), ASKED)
    assert len(str(raised.value)) < 500


def test_only_a_file_is_opened(tmp_path: Path):
    real = write(tmp_path, "udl.1a = 1")
    folder, link, pipe, away = [tmp_path / f"{name}.toml" for name in ("folder", "link", "pipe", "away")]
    folder.mkdir()
    link.symlink_to(real)
    os.mkfifo(pipe)
    away.symlink_to("/etc/passwd")
    found = {}
    for path in (folder, link, pipe, away, Path("/dev/zero"), tmp_path / "none.toml"):
        with pytest.raises(ValueError) as raised:
            read_submission(path, ASKED)
        found[path.stem] = str(raised.value)
    rest = "; put the file itself there"
    assert found == {
        "folder": f"must be a file: got a folder{rest}",
        "link": f"must be a file: got a symbolic link{rest}",
        "pipe": f"must be a file: got a pipe{rest}",
        "away": f"must be a file: got a symbolic link{rest}",
        "zero": f"must be a file: got a device{rest}",
        "none": "cannot be read: No such file or directory",
    }
    assert read_submission(link, ASKED, follow=True).answers == {"udl.1a": 1}
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s.toml"))
        with pytest.raises(ValueError, match="got a socket"):
            read_submission(tmp_path / "s.toml", ASKED)
