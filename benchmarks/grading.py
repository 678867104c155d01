"""A class of 500 with 50 answers each, right and wrong, in many notations: how long `regard grade` takes on two cores.

`python -m benchmarks.grading --out FILE --markdown FILE` writes the submissions, runs the command as a user does, and
checks every mark against what the answer was made to be before it tells the time.
"""

import csv
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from benchmarks import record
from benchmarks.record import Bar, Row
from regard.grading.questions.catalogue import built_in_questions
from regard.grading.questions.key import Key, compile_key
from regard.grading.questions.truth import Entry

STUDENTS, ANSWERS, CORES = 500, 50, 2
RIGHT = 0.6  # of the answers
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

Write = Callable[[str], str]


def _powers(text: str, form: str) -> str:
    return re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda found: form % found.group().translate(SUPERSCRIPTS), text)


NOTATIONS: tuple[Write, ...] = (
    lambda text: text,
    lambda text: _powers(text, "^%s" if "⁻" not in text else "^(%s)"),
    lambda text: _powers(text, "^{%s}").replace("·", r"\cdot "),
    lambda text: f"${_powers(text, '^{%s}')}$",
    lambda text: _powers(text, "**%s" if "⁻" not in text else "**(%s)").replace("·", "*"),
    lambda text: text.replace(" ", ""),
    lambda text: text.replace("-", "−").replace("(", "( ").replace(")", " )"),
)
WRONG: tuple[Write, ...] = (
    lambda text: f"{text} + 1",
    lambda text: f"3({text})",
    lambda text: f"({text})/2 + 7",
    lambda text: f"({text})^2 + 1",
)


def answer(entry: Entry, right: bool, draw: random.Random) -> tuple[Any, float | None]:
    """An answer as a student would write it, right or wrong as wished, and its points; None: not all, but some may be.

    A wrong answer to a question with summands has all of them but one, which is worth their share.
    """
    if entry.parts:
        wrong = draw.randrange(len(entry.parts))
        given = {part.id: answer(part, right or n != wrong, draw) for n, part in enumerate(entry.parts)}
        points = [each for _, each in given.values() if each is not None]
        return {id: each for id, (each, _) in given.items()}, sum(points) if len(points) == len(given) else None
    if right:
        return _written(entry, True, draw), entry.points
    mistakes, parts = entry.question.mistakes, list(entry.question.parts.values())
    if len(parts) > 1 and draw.random() < 0.5:
        parts.pop(draw.randrange(len(parts)))
        text = draw.choice(NOTATIONS)(" + ".join(parts))
        return text, round(entry.points * len(parts) / (len(parts) + 1), 2)
    if mistakes and draw.random() < 0.5:
        mistake = draw.choice(mistakes)
        return mistake.answer, None if parts else mistake.points or 0
    return _written(entry, False, draw), None if parts else 0


def _written(entry: Entry, right: bool, draw: random.Random) -> Any:
    truth = entry.truth
    match entry.question.kind:
        case "formula":
            text = str(truth)
            return draw.choice(NOTATIONS)(text if right else draw.choice(WRONG)(text))
        case "order":
            inner = re.sub(r"^[OΘΩ]\((.*)\)$", r"\1", str(truth))
            symbol = draw.choice(list(entry.question.form.symbols))
            letter = draw.choice(["O(%s)", "Θ(%s)", r"\Theta(%s)", r"\mathcal{O}(%s)", "%s"])
            return letter % draw.choice(NOTATIONS[:3])(inner if right else f"({inner})·{symbol}")
        case "choice":
            letters = [letter for letter in entry.question.form.choices if (letter == truth) == right]
            return draw.choice(["%s", "(%s)", "%s."]) % draw.choice(letters)
        case "select":
            letters = [letter for letter in entry.question.form.choices if (letter in truth) == right]
            return draw.choice([", ", " and ", ""]).join(letters) or "none"
        case "truth":
            return truth if right else not truth
        case _:
            return _numbers(truth, right, draw)


def _numbers(truth: Any, right: bool, draw: random.Random) -> Any:
    if isinstance(truth, tuple):
        wrong = draw.randrange(len(truth))
        return [_numbers(each, right or n != wrong, draw) for n, each in enumerate(truth)]
    value = truth if right else truth * 2 + 1
    return str(value) if isinstance(value, int) or draw.random() < 0.2 else f"{float(value):.6g}"


def submission(key: Key, draw: random.Random) -> tuple[str, dict[str, float | None]]:
    """A file of answers, and what each is worth; free texts are left out, for nothing can mark them."""
    lines, points = [], {}
    marked = [entry for entry in key if "text" not in [leaf.question.kind for leaf in entry.parts or (entry,)]]
    for entry in random.Random(0).sample(marked, min(ANSWERS, len(marked))):  # the same for all
        given, points[entry.id] = answer(entry, draw.random() < RIGHT, draw)
        if isinstance(given, dict):
            lines += [f"{_toml(f'{entry.id}.{name}')} = {_toml(each)}" for name, each in given.items()]
        else:
            lines.append(f"{_toml(entry.id)} = {_toml(given)}")
    return "\n".join(lines) + "\n", points


def _toml(given: Any) -> str:
    return json.dumps(given, ensure_ascii=False)  # a text, a number or a list is written alike in TOML


def run(folder: Path, *options: str | Path) -> float:
    """Seconds of the command from its start to its end, on two cores."""
    command = [sys.executable, "-m", "regard", "grade", str(folder), "--jobs", str(CORES), *map(str, options)]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def check(table: Path, key: Key, expected: dict[str, dict[str, float | None]]) -> tuple[float, float]:
    """Every mark must be what the answer was made to be worth; the shares of those with all and with some points."""
    full = some = 0
    with table.open(encoding="utf-8", newline="") as text:
        rows = {row["file"]: row for row in csv.DictReader(text)}
    for file, worth in expected.items():
        if rows[file]["not read"] != "0":
            raise ValueError(f"{file}: every answer must be read: got {rows[file]['status']}")
        for id, points in worth.items():
            got, most = float(rows[file][id]), round(key[id].points, 2)
            if got != round(points, 2) if points is not None else got >= most:
                wanted = f"less than {most}" if points is None else f"{points} of {most}"
                raise ValueError(f"{file}, {id}: must be worth {wanted}: got {got}")
            full += got == most
            some += 0 < got < most
    answers = sum(len(each) for each in expected.values())
    return full / answers, some / answers


def measure(folder: Path, students: int) -> list[Row]:
    key = compile_key(built_in_questions())
    draw, expected = random.Random(0), {}
    submissions = folder / "submissions"
    submissions.mkdir()
    for number in range(students):
        text, expected[f"s{number:03}.toml"] = submission(key, draw)
        (submissions / f"s{number:03}.toml").write_text(text, encoding="utf-8")
    answers = sum(len(each) for each in expected.values())
    table = folder / "marks.csv"
    seconds = run(submissions, "--csv", table, "--report", folder / "pages")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    full, some = check(table, key, expected)
    one = run(submissions / "s000.toml")
    cells = {
        "seconds": seconds,
        "answers/s": answers / seconds,
        "CPU s": used.ru_utime + used.ru_stime,
        "peak MiB": used.ru_maxrss // 1024,
        "right": f"{full:.0%}",
        "partly": f"{some:.0%}",
        "one file, s": one,
    }
    case = f"{students} submissions, {answers} answers"
    return [Row("grading", case, "table and pages", cells, seconds, "", Bar("≤", 60), None, " s")]


def main() -> None:
    parser = record.parser("benchmarks.grading", __doc__)
    parser.add_argument("--students", type=int, default=STUDENTS)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    report = record.machine(torch.device("cpu"), options.commit, "benchmarks.grading")
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder), options.students)
    print(record.write(options, report, rows, "Grading"))


if __name__ == "__main__":
    main()
