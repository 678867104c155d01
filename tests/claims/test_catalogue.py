"""All 77 rows: each verdict is the catalogue's, each false twin is refuted, each text and figure can be shown."""

import importlib
import math
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from regard.claims import Bars, Claim, Matrices, Verdict, catalogue, judge, select
from regard.claims.drawing import svg
from regard.claims.prose import KNOWN, PARTS, mathml, unicode_of
from regard.claims.running import grouped, question_of
from regard.claims.terminal import in_characters
from regard.training import limit_threads

# The truth of the catalogue, written here a second time: a claim that changes its mind must do so in two places.
TRUTH = {
    Verdict.HOLDS: "conv.a1 conv.b2b conv.c1 conv.d2 conv.e1 conv.e2 nyu.1a nyu.1cfc nyu.1fc nyu.1g nyu.3a nyu.4ad "
    "nyu.4d nyu.5a udl.1b udl.2 udl.4c eecs.2b eecs.2c eecs.2d eecs.3a ist.1a ist.1b ist.1c ist.1p",
    Verdict.CORRECTED: "conv.a2 conv.b1 conv.b2r conv.c2 conv.c2r conv.d1 conv.e3 nyu.1b nyu.2a nyu.3b nyu.3c nyu.3d "
    "nyu.4a nyu.4c nyu.5d udl.3 udl.6 eecs.1a eecs.2a eecs.3b ist.2",
    Verdict.REFUTED: "conv.b2a nyu.1c nyu.1d nyu.1e nyu.1e2 nyu.1f nyu.2b nyu.3def nyu.4b nyu.4bn nyu.5b udl.1a udl.1c "
    "udl.4 udl.5 udl.7",
    Verdict.ANSWERED: "udl.8 udl.9 udl.10",
    Verdict.BUILT: "eecs.0 eecs.1 eecs.2 ist.3m",
}
EXPECTED = {name: verdict for verdict, names in TRUTH.items() for name in names.split()}
EXPERIMENTS = ["conv.q2", "nyu.3h", "nyu.4lr", "nyu.5c", "udl.6b", "ist.3a", "ist.3b", "ist.3c"]
ROWS = {"conv": 15, "nyu": 29, "udl": 14, "eecs": 10, "ist": 9}
TRAINED = ("conv-vs-vit",)  # of which no run is recorded: small versions train
CLAIMS = catalogue()


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """As `regard claims` runs them: what they compute is small."""
    with limit_threads(1):
        yield


def questions() -> list[Any]:
    """The claims question by question, as they share what they compute; questions that train go to make test-all."""
    groups = [select(names) for names in grouped(CLAIMS)]
    parameters = []
    for group in groups:
        trained = [claim for claim in group if claim.recipe in TRAINED]
        quick = [claim for claim in group if claim not in trained]
        name = question_of(group[0].id)
        if quick:
            parameters.append(pytest.param(quick, id=name))
        if trained:
            parameters.append(pytest.param(trained, id=f"{name}-trained", marks=pytest.mark.slow))
    return parameters


def test_every_row_is_there_once() -> None:
    names = [claim.id for claim in CLAIMS]
    assert len(names) == len(set(names)) == len(EXPECTED) + len(EXPERIMENTS) == 77
    assert set(names) == {*EXPECTED, *EXPERIMENTS}
    assert {key: sum(name.startswith(f"{key}.") for name in names) for key in ROWS} == ROWS
    assert {claim.id: claim.expected for claim in CLAIMS if claim.kind != "experiment"} == EXPECTED


@pytest.mark.parametrize("claims", questions())
def test_the_verdicts_are_the_catalogues(claims: list[Claim]) -> None:
    for claim in claims:
        judgement = judge(claim, chart=True)
        assert judgement.verdict is claim.expected, f"{claim.id}: {judgement.line}"
        assert any(not finding.holds for finding in judgement.twin), f"{claim.id}: the false twin is refuted"
        for finding in (*judgement.ours, *judgement.document, *judgement.twin):
            assert type(finding.holds) is bool
            assert finding.name
            assert 8 < len(finding.shown) <= 220, finding.shown
        if (chart := judgement.chart) is not None:
            ElementTree.fromstring(svg(chart, claim.id))
            assert chart.title in str(in_characters(chart))
            assert len(chart.title) <= 100, "fits above the figure"


@pytest.mark.parametrize("claim", [pytest.param(claim, id=claim.id) for claim in CLAIMS])
def test_the_text_can_be_typeset(claim: Claim) -> None:
    texts = claim.texts
    versions = [version for version in (claim.ours, claim.document, claim.twin) if version is not None]
    prose = [texts.asks, texts.derivation, texts.method, *texts.quantities, *texts.quantities.values()]
    written = [
        part[1:-1] for text in (*prose, *[v.text for v in versions]) for part in PARTS.split(text) if part[:1] == "$"
    ]
    for formula in (*written, *[version.formula for version in versions if version.formula]):
        ElementTree.fromstring(mathml(formula))
        assert not set(re.findall(r"\\([A-Za-z]+)", formula)) - KNOWN, f"{formula}: a terminal cannot show it"
        assert "\\" not in unicode_of(formula)
    assert all(text.count("$") % 2 == 0 for text in prose)
    assert len(texts.derivation) > 150, "a derivation, not a remark"
    assert texts.code, "says where to read"
    for place in texts.code:
        module, _, name = place.partition(":")
        assert getattr(importlib.import_module(module), name)


def test_what_is_no_number_is_shown_as_such():
    bars = Bars(title="", names=["a", "b", "c"], groups={"one": [2.0, math.inf, math.nan]}, y_label="")
    assert str(in_characters(bars)).split()[:5] == ["a", "█" * 40, "2", "b", "inf"]
    found = Matrices(title="", panels={"one": [[1.0, math.nan, 0.0]]}, row_label="", column_label="")
    assert "██?   ▏" in str(in_characters(found))
