"""The built-in questions: what they cover, what they are counted on, how they are printed, how long they take."""

import pickle
import re
import subprocess
import sys
import time
import tomllib
from collections import Counter

import pytest

from regard.grading import (
    Domain,
    Question,
    built_in_questions,
    compile_key,
    mark,
    parse,
    select,
    worksheet_markdown,
    worksheet_toml,
)
from regard.grading.questions.key import Key
from regard.grading.questions.truth import CHECKED

CATALOGUE = {
    "conv": "a1 a2 b1 b2a b2r b2b c1 c2 c2r d1 d2 e1 e2 e3 q2",
    "nyu": "1a 1b 1c 1cfc 1d 1fc 1e 1e2 1f 1g 2a 2b 3def 3a 3h 3b 3c 3d 4a 4ad 4b 4lr 4c 4d 4bn 5a 5b 5d 5c",
    "udl": "1a 1b 1c 2 3 4 4c 5 6 6b 7 8 9 10",
    "eecs": "0 1 1a 2 2a 2b 2c 2d 3a 3b",
    "ist": "1a 1b 1c 1p 2 3a 3b 3m 3c",
}
ROWS = {f"{document}.{row}" for document, rows in CATALOGUE.items() for row in rows.split()}


@pytest.fixture(scope="module")
def seconds() -> list[float]:
    return []


@pytest.fixture(scope="module")
def key(seconds: list[float]) -> Key:
    start = time.thread_time()
    made = compile_key(built_in_questions())
    seconds.append(time.thread_time() - start)
    return made


def leaves() -> list[Question]:
    return [leaf for question in built_in_questions() for leaf in question.subquestions or (question,)]


def test_every_row_is_asked():
    assert len(ROWS) == 77
    assert {question.claim for question in built_in_questions()} == ROWS


def test_ids_begin_with_their_document_and_none_is_the_beginning_of_another():
    ids = [question.id for question in built_in_questions()]
    assert all(re.fullmatch(r"(conv|nyu|udl|eecs|ist)\.[a-z0-9]+", id) for id in ids)
    assert all(question.claim.split(".")[0] == question.id.split(".")[0] for question in built_in_questions())
    names = {f"{question.id}.{leaf.id}" for question in built_in_questions() for leaf in question.subquestions} | set(
        ids
    )
    assert len(names) == len(ids) + sum(len(question.subquestions) for question in built_in_questions())
    assert not [(one, two) for one in ids for two in ids if two.startswith(one + ".")]


def test_a_sheet_that_is_filled_in_is_toml_with_a_place_for_every_answer(key: Key):
    """Ids that begin with one another would have no two places there."""
    sheet = tomllib.loads(worksheet_toml(built_in_questions()))
    for entry in key:
        document, name = entry.id.split(".")
        place = sheet[document][name]
        assert place == ({part.id: "" for part in entry.parts} if entry.parts else ""), entry.id


def test_counterexamples_are_sizes_that_can_be(key: Key):
    """Weights of one softmax are below 1 in all, and so is the weight beside a target."""
    for id, names in (("nyu.1e", ("a", "b")), ("udl.4c", ("y_i", "y_j"))):
        points = key[id].parts[0].question.domain.sample(60)
        assert len(points) == 60
        assert all(all(size[name] > 0 for name in names) for size in points)
        assert all(sum(size[name] for name in names) < 1 for size in points)
    symbol, answer = key["conv.d1"].question.form.symbols, parse(key["conv.d1"].truth, ["α"])
    assert all(answer.evaluate(size) < 1 / 2 for size in Domain.parse(symbol).sample(60))


def test_counts_are_counted_on_what_is_built(key: Key):
    """Parameters, multiply-adds, weights; formulas that are not counted say no count."""
    by_count = Counter(leaf.truth.count for leaf in leaves() if leaf.truth.counted is not None)
    assert by_count["parameters"] >= 8
    assert by_count["multiply-adds"] >= 11
    assert by_count["value"] >= 25
    for leaf in leaves():
        if leaf.truth.counted is None and leaf.kind == "formula":
            assert not re.search("how many (parameters|multiply-adds|attention weights)", leaf.text, re.IGNORECASE)
    entry = key["eecs.2e"]
    assert len(entry.counts) == sum(CHECKED["multiply-adds"])
    first = entry.counts[0]
    n_t, n_s, D = first.sizes.values()
    assert len({n_t, n_s, D}) == 3
    assert first.parts == {
        "query": n_t * D * D,
        "key": n_s * D * D,
        "value": n_s * D * D,
        "out": n_t * D * D,
        "logits and mixing": 2 * n_t * n_s * D,
    }


def test_a_question_says_all_that_is_needed():
    for leaf in leaves():
        assert leaf.points > 0
        assert all(mistake.hint for mistake in leaf.mistakes), leaf.id
    for question in built_in_questions():
        said = question.text + " ".join(part.text for part in question.subquestions)
        symbols = {symbol for leaf in question.subquestions or (question,) for symbol in leaf.form.symbols}
        silent = [symbol for symbol in symbols if not re.search(rf"(?<![A-Za-z_]){symbol}(?![a-z])", said)]
        assert silent == ([] if question.id != "nyu.2b" else ["D_out"]), question.id  # there it is a wrong answer's


def test_the_true_answer_of_every_question_is_right(key: Key):
    for entry in key:
        for part in entry.parts or (entry,):
            truth = part.question.truth.answer
            assert mark(part, truth).right or part.question.kind == "text", (entry.id, part.id)


def test_worksheets_have_every_question_and_no_answer():
    chosen = select(built_in_questions(), ["udl"])
    page, sheet = worksheet_markdown(chosen), worksheet_toml(chosen)
    for question in chosen:
        assert f"## {question.id} (" in page
        for leaf in question.subquestions or (question,):
            assert leaf.text in page
            assert not any(mistake.hint and mistake.hint in page + sheet for mistake in leaf.mistakes)
    answers = tomllib.loads(sheet)
    assert answers["name"] == ""
    assert set(answers["udl"]) == {question.id.split(".")[1] for question in chosen}
    assert answers["udl"]["9"] == {"patches": "", "channels": "", "groups": "", "windows": ""}
    assert max(map(len, sheet.splitlines())) <= 120


def test_select_takes_ids_and_documents():
    questions = built_in_questions()
    assert select(questions, []) == questions
    assert [question.id for question in select(questions, ["udl.1a", "ist.2"])] == ["udl.1a", "ist.2"]
    assert {question.id.split(".")[0] for question in select(questions, ["eecs"])} == {"eecs"}
    with pytest.raises(ValueError, match=r"no question or document is called 'udl.1d': did you mean udl.1"):
        select(questions, ["udl.1d"])


def test_a_key_is_plain_data(key: Key):
    """A process that marks needs no torch module, and no function of a teacher."""
    data = pickle.dumps(key)
    assert b"torch" not in data
    assert pickle.loads(data) == key


def test_the_package_is_light():
    program = """
import sys
import regard.grading
print(*[name for name in ("torch", "sympy", "lark", "regard.analysis") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "\n"


def test_the_key_is_made_quickly(key: Key, seconds: list[float]):
    assert seconds[0] < 8  # the bar is 3 s on an idle machine; this one may run other tests
