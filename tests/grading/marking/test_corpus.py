"""Some five hundred right answers and as many wrong ones, in the ways people write them, each with its verdict."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from regard.grading import Key, Mark, built_in_questions, compile_key, mark, parse
from regard.grading.formulas.evaluation import same
from regard.grading.marking.formulas import apart, as_counted
from regard.grading.questions.truth import Entry

HERE = Path(__file__).parent
CORPUS: dict[str, Any] = tomllib.loads((HERE / "corpus.toml").read_text("utf-8"), parse_float=str)
ANSWERS = HERE.parent / "corpus" / "answers.txt"  # two thousand, labelled before any was marked
MOST_UNREAD = 0.05
DOCUMENTS: dict[str, Any] = tomllib.loads((HERE / "documents.toml").read_text("utf-8"), parse_float=str)


@pytest.fixture(scope="module")
def key() -> Key:
    return compile_key(built_in_questions())


def leaves(key: Key) -> Iterator[tuple[str, Entry]]:
    """Every question, or part of one, that is answered by itself, but for letters and texts, which `test_kinds` has."""
    for entry in key:
        found = [(f"{entry.id}/{part.id}", part) for part in entry.parts] or [(entry.id, entry)]
        yield from [(name, leaf) for name, leaf in found if leaf.question.kind not in ("text", "select")]


def test_answers_as_students_type_them(key: Key):
    """No right one is marked wrong, no wrong one right, and few right ones are left to a person."""
    entries = {name.replace("/", " "): entry for name, entry in leaves(key)}
    counts: Counter[str] = Counter()
    failed: dict[str, list[str]] = {}
    name = ""
    for line in ANSWERS.read_text("utf-8").splitlines():
        if line.startswith("["):
            name = line[1:-1]
        elif line[:2] in ("+ ", "- "):
            found = mark(entries[name], line[2:].replace("⏎", "\n"))
            verdict = line[0] + ("right" if found.right else "unread" if found.unread else "wrong")
            counts[verdict] += 1
            failed.setdefault(verdict, []).append(f"{name}: {line[2:]}")
    right = counts["+right"] + counts["+wrong"] + counts["+unread"]
    assert not failed.keys() & {"+wrong", "-right"}, (counts, failed.get("+wrong"), failed.get("-right"))
    assert right > 1_000, counts
    assert counts["+unread"] <= MOST_UNREAD * right, (counts, failed.get("+unread"))


def test_the_corpus_covers_every_question(key: Key):
    names = [name for name, _ in leaves(key)]
    assert sorted(CORPUS) == sorted(names)
    right = [answer for table in CORPUS.values() for answer in table["right"]]
    wrong = [answer for table in CORPUS.values() for answer in [*table.get("wrong", []), *table.get("named", [])]]
    assert len(right) >= 160
    assert len(wrong) >= 160
    assert all(
        "right" in table and len(table.get("wrong", [])) + len(table.get("named", [])) for table in CORPUS.values()
    )


def test_right_answers_get_all_points(key: Key):
    failed = {}
    for name, entry in leaves(key):
        for answer in CORPUS[name]["right"]:
            found = mark(entry, answer)
            if not (found.right and found.points == found.out_of and found.read_as):
                failed[name, str(answer)] = found.feedback
    assert failed == {}


def test_wrong_answers_do_not(key: Key):
    failed = {}
    for name, entry in leaves(key):
        for answer in CORPUS[name].get("wrong", []):
            found = mark(entry, answer)
            if (
                found.right
                or not found.points < found.out_of
                or not found.read_as
                or found.mistake
                or not found.feedback
            ):
                failed[name, str(answer)] = found
    assert failed == {}


def test_unread_answers_are_left_to_a_person(key: Key):
    """And nothing else is: what was read and marked is not."""
    failed = {}
    for name, entry in leaves(key):
        table = CORPUS[name]
        read = [*table["right"], *table.get("wrong", []), *[answer for answer, _ in table.get("named", [])]]
        for answer in [*table.get("unread", []), *read]:
            found = mark(entry, answer)
            if found.unread is (answer in read) or (found.unread and (found.points or found.read_as)):
                failed[name, str(answer)] = found.feedback
    assert failed == {}


def test_known_mistakes_are_named(key: Key):
    failed = {}
    for name, entry in leaves(key):
        for answer, mistake in CORPUS[name].get("named", []):
            found = mark(entry, answer)
            if found.right or found.mistake != mistake or not found.points < found.out_of:
                failed[name, str(answer)] = (found.mistake, found.feedback)
    assert failed == {}


def test_every_known_mistake_is_met(key: Key):
    """A mistake that no answer of the corpus makes would be untested."""
    for name, entry in leaves(key):
        met = {mistake for _, mistake in CORPUS[name].get("named", [])}
        assert {mistake.name for mistake in entry.question.mistakes} <= met, name


def test_every_wrong_formula_has_the_smallest_counterexample(key: Key):
    failed = {}
    for name, entry in leaves(key):
        if entry.question.kind == "formula":
            answers = [*CORPUS[name].get("wrong", []), *[answer for answer, _ in CORPUS[name].get("named", [])]]
            for answer in answers:
                if problem := no_counterexample(entry, mark(entry, answer), str(answer)):
                    failed[name, answer] = problem
    assert failed == {}


def no_counterexample(entry: Entry, found: Mark, answer: str) -> str:
    """What is wrong with a counterexample: it must be the first difference, and its values those of the formulas."""
    if found.counterexample is None:
        return "there is none"
    symbols = tuple(entry.question.form.symbols)
    yours, truth = as_counted(entry.question, parse(answer, symbols)), parse(entry.truth, symbols)
    sizes = {symbol: Fraction(size) for symbol, size in found.counterexample.sizes.items()}
    wrong = next((side for side in yours.sides if not same(side.evaluate(sizes), truth.evaluate(sizes))), yours)
    values = found.counterexample.yours, found.counterexample.true
    if values[0] == values[1] or values != apart(wrong.evaluate(sizes), truth.evaluate(sizes)):
        return f"values {found.counterexample}"
    if entry.question.parts and sum(part.evaluate(sizes) for part in map_parts(entry)) != truth.evaluate(sizes):
        return "the parts do not add up"
    for smaller in entry.question.domain.points():
        if smaller == sizes:
            return ""
        if all(same(side.evaluate(smaller), truth.evaluate(smaller)) for side in yours.sides):
            continue
        return f"{found.counterexample.sizes}, though they differ at {smaller}"
    return "outside of the domain"


def map_parts(entry: Entry) -> list[Any]:
    return [parse(text, tuple(entry.question.form.symbols)) for text in entry.question.parts.values()]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_documents_own_wrong_answers_are_caught(document: str, key: Key):
    """Each by a counterexample or by the name of its mistake; a question that is not asked would be an error."""
    for short, given in DOCUMENTS[document].items():
        found = mark(key[f"{document}.{short}"], given)
        wrong = [part for part in found.parts if part.id in given] if found.parts else [found]
        assert wrong, short
        for part in wrong:
            assert not part.right, short
            assert part.points < part.out_of, short
            assert part.counterexample is not None or part.mistake, short
