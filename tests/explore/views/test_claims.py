"""Claims as the page asks for them: the library's own verdicts and numbers, and marks as `regard grade` gives them."""

import json
import re
import threading
from pathlib import Path

import pytest

from regard.attention.notation import parse_mask, parse_weighting
from regard.claims import Bars, Lines, Matrices, judge, select
from regard.claims import catalogue as claims
from regard.explore import cancellation
from regard.explore.api import Empty
from regard.explore.requests import STATES
from regard.explore.views import claims as view
from regard.explore.views.claims import AnswerRequest, ClaimRequest, chart_data, mark_answer
from regard.explore.views.maps import list_models
from regard.explore.views.playground import PlaygroundRequest, compute_playground, give_example
from regard.explore.workspace import SHIPPED, Workspace
from regard.grading import built_in_questions, compile_key, mark
from regard.grading import select as questions

TAG = re.compile(r"p|code|em|math|m(row|i|o|n|text|space|frac|sqrt|sup|sub|subsup|over|under|underover|table|tr|td)")
PLAIN = {"xmlns", "display", "mathvariant", "stretchy", "fence", "form", "accent", "width"}


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(roots=(SHIPPED,))


def test_the_catalogue_is_the_librarys(workspace: Workspace) -> None:
    found = view.list_claims(workspace, Empty())
    assert [(row.id, row.title, row.verdict) for row in found.rows] == [
        (claim.id, claim.title, claim.expected.value.split(":")[0]) for claim in claims()
    ]
    by_claim = {row.id: row.num_questions for row in found.rows}
    leaves = [question.claim for question in built_in_questions() for _ in question.subquestions or (question,)]
    assert by_claim == {claim.id: leaves.count(claim.id) for claim in claims()}
    assert {row.document for row in found.rows} == set(found.documents)


def test_a_claim_is_judged(workspace: Workspace) -> None:
    found = view.judge_claim(workspace, ClaimRequest(id="nyu.1e"))
    (claim,) = select(["nyu.1e"])
    judgement = judge(claim, chart=True)
    assert (found.verdict, found.evidence) == (judgement.verdict.value, judgement.line)
    told = {one.role: [(each.holds, each.shown) for each in one.findings] for one in found.versions}
    for role in ("document", "ours", "twin"):
        assert told[role] == [(each.holds, each.shown) for each in getattr(judgement, role)], role
    assert isinstance(judgement.chart, Matrices)
    assert found.chart is not None
    assert found.chart["kind"] == "matrices"
    assert found.chart["panels"] == {name: [list(row) for row in rows] for name, rows in judgement.chart.panels.items()}
    assert view.judge_claim(workspace, ClaimRequest(id="nyu.1e")).seconds == found.seconds, "it is not judged again"
    with pytest.raises(ValueError, match=r"'nyu\.1x'; did you mean"):
        view.judge_claim(workspace, ClaimRequest(id="nyu.1x"))
    with pytest.raises(ValueError, match="got the document 'nyu'"):
        view.judge_claim(workspace, ClaimRequest(id="nyu"))


def test_figures_are_plain_numbers() -> None:
    curves = Lines(title="", x=[1, 2], y={"a": [3, 0.5]}, bands={"a": ([2, 0.25], [4, 1])}, x_label="", y_label="")
    lines = chart_data(curves)
    assert (lines["kind"], lines["x"], lines["y"]) == ("lines", [1, 2], {"a": [3, 0.5]})
    assert lines["bands"] == {"a": [[2, 0.25], [4, 1]]}
    bars = chart_data(Bars(title="", names=["a", "b"], groups={"one": [1, float("inf")]}, y_label=""))
    assert (bars["kind"], bars["groups"]) == ("bars", {"one": [1, None]})
    one = Matrices(title="", panels={"a": [[0.0, float("nan")], [-2.0, 0.5]]}, row_label="", column_label="")
    found = chart_data(one)
    assert (found["panels"], found["signed"], found["limit"]) == ({"a": [[0, None], [-2, 0.5]]}, True, 2.0)


def test_texts_are_markup_that_runs_nothing() -> None:
    for claim in claims():
        found = view._describe(claim, None)
        texts = [found.asks, found.why, found.method, *[part for pair in found.quantities for part in pair]]
        texts += [part for one in found.versions for part in (one.text, one.formula)]
        for text in texts:
            tags = re.findall(r"<\s*/?\s*([^\s>/]+)([^>]*)>", text)
            assert all(TAG.fullmatch(name) for name, _ in tags), claim.id
            assert set(re.findall(r"([\w-]+)=", " ".join(rest for _, rest in tags))) <= PLAIN, claim.id


def test_an_experiment_waits_to_be_asked_for(tmp_path: Path) -> None:
    assert all(claim.recipe for claim in claims() if claim.kind == "experiment")
    unrun = view.judge_claim(Workspace(roots=(tmp_path,)), ClaimRequest(id="ist.3c"))
    assert unrun.verdict is None
    assert not any(one.findings for one in unrun.versions)

    numbers = {f"map {i} {j}": float(i + j == 10) for i in range(11) for j in range(11)}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "claims.json").write_text(json.dumps({"reversal": {"command": "", "numbers": numbers}}))
    recorded = view.judge_claim(Workspace(roots=(tmp_path, SHIPPED)), ClaimRequest(id="ist.3c"))
    assert (recorded.verdict, recorded.source) == ("experiment: borne out", "run mine")
    assert recorded.chart is not None
    assert recorded.chart["kind"] == "matrices"


def test_a_training_ends_when_nobody_waits(tmp_path: Path) -> None:
    workspace = Workspace(roots=(tmp_path,))  # without the runs that come with the package
    gone = threading.Event()
    gone.set()
    token = cancellation._stop.set(gone)
    try:
        with pytest.raises(cancellation.Cancelled):
            view.judge_claim(workspace, ClaimRequest(id="udl.6b", run=True))
    finally:
        cancellation._stop.reset(token)
    assert view.judge_claim(workspace, ClaimRequest(id="udl.6b")).verdict is None


def test_answers_are_marked_as_by_grade(workspace: Workspace) -> None:
    key = compile_key(questions(built_in_questions(), ["udl.1a", "conv.a1"]))
    for text, word in {"3D² + 3": "partly right", "3D(D+1)": "right", "import os": "not read"}.items():
        found = mark_answer(workspace, AnswerRequest(question="udl.1a", answer=text))
        own = mark(key["udl.1a"], text)
        assert (found.word, found.feedback) == (word, list(own.feedback))
        sizes = own.counterexample and dict(own.counterexample.sizes)
        assert (found.counterexample and found.counterexample.sizes) == sizes
    found = mark_answer(workspace, AnswerRequest(question="conv.a1", part="output", answer="D_o D_out"))
    assert (found.word, found.mistake) == ("wrong", mark(key["conv.a1"].parts[1], "D_o D_out").mistake)
    assert found.counterexample is not None
    with pytest.raises(ValueError, match="part must be one of heads, output"):
        mark_answer(workspace, AnswerRequest(question="conv.a1", answer="1"))
    with pytest.raises(ValueError, match="got the document 'conv'"):
        mark_answer(workspace, AnswerRequest(question="conv", answer="1"))

    helper = view.MARKER._isolation
    assert helper is not None
    helper._helper.kill()
    with pytest.raises(ValueError, match="try again"):
        mark_answer(workspace, AnswerRequest(question="udl.1a", answer="3"))


def test_examples_can_be_read() -> None:
    key = compile_key(questions(built_in_questions(), ["udl.5", "nyu.1g", "ist.1b"]))
    for claim in ("udl.5", "nyu.1g", "ist.1b"):
        for one in view._list_exercises(claim):
            if one.question in key:
                entry = key[one.question]
                leaf = next((part for part in entry.parts if part.id == one.part), entry)
                marks = [mark(leaf, text) for text in one.examples]
                assert not any(each.unread for each in marks), one.question
                assert sum(each.right for each in marks) == 1


def test_every_link_leads_to_a_view_in_a_state_that_it_has(workspace: Workspace) -> None:
    begin = give_example(workspace, Empty()).problem
    links = [(claim.id, claim.view) for claim in claims() if claim.view is not None]
    assert len(links) > 40
    for id, link in links:
        name, state, words = link.name, link.state, link.words
        assert set(state) <= set(STATES[name]), f"{id}: {name} has no such state"
        assert words[0].isupper()
        assert not words.endswith(".")
        assert state.get("run", "reversal") in workspace.runs()
        if name == "maps":
            assert state["model"] in [one.name for one in list_models(workspace, Empty()).models]
        parse_mask(state.get("mask", "everything"))
        parse_weighting(state.get("weighting", "softmax"), 8, 64)
        if name == "playground":
            own = {key: value for key, value in state.items() if key in PlaygroundRequest.model_fields}
            compute_playground(workspace, PlaygroundRequest(**begin.model_dump() | own))
