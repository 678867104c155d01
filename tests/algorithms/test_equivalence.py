"""Every algorithm equals the definition, outputs and gradients, or refuses with a reason."""

import itertools
import zlib
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.kernels import slabs
from regard.algorithms.kernels.linear import causal_sums
from regard.attention import Shape
from tests.algorithms.cases import DTYPES, TABLES, Case, build, cases, is_meant
from tests.algorithms.harness import EQUAL, REFUSED, verdicts, wrong
from tests.algorithms.kernels import KERNELS
from tests.budget import examples


def sampled(with_slow: bool) -> list[Any]:
    """Every move alone, and one in 24 of the combinations, always the same; `make test-all` takes the others."""
    moved = {case: len([f for f in fields(case) if getattr(case, f.name) != f.default]) for case in cases()}
    usual = {case for case, count in moved.items() if count < 2 or zlib.crc32(str(case).encode()) % 24 == 0}
    slow = [pytest.param(case, marks=pytest.mark.slow) for case in moved if case not in usual]
    return [*(case for case in moved if case in usual), *(slow if with_slow else ())]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Leave out the slow cases before they are made: collecting thousands takes longer than running what is wanted."""
    if metafunc.function is test_each_move_and_all_pairs:
        with_slow = "not slow" not in metafunc.config.getoption("markexpr")
        metafunc.parametrize("case", sampled(with_slow), ids=str)


def test_each_move_and_all_pairs(case: Case, device):
    problems = wrong(build(case, device))
    assert problems == {}


@st.composite
def sizes(draw: st.DrawFn, one_length: bool, narrowest: int) -> Shape:
    """Small and odd sizes; T = S where the mask is of one sequence."""
    G, shared = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    S = draw(st.integers(1, 70))
    T = S if one_length else draw(st.integers(1, 70))
    D, E = draw(st.integers(narrowest, 33)), draw(st.integers(narrowest, 33))
    return Shape(draw(st.integers(1, 4)), G * shared, G, T, S, D, E)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Case, Shape, int]:
    """A case with any number of its fields moved, at any size."""
    case = Case(**{field: draw(st.sampled_from(list(table))) for field, table in TABLES.items() if field != "shape"})
    if draw(st.booleans()):
        case = replace(case, weighting="softmax")
    elif case.weighting in KERNELS:  # most scores are nothing to them
        case = replace(case, scores="content", wanted="output")
    one_length = not is_meant(Case(mask=case.mask, shape="fewer keys"))
    # A half-precision kernel goes back from the rounded output; over few columns that one rounding is no mean of many.
    narrowest = 8 if DTYPES[case.dtype].itemsize == 2 else 1
    return case, draw(sizes(one_length, narrowest)), draw(st.integers(0, 2**16))


@settings(max_examples=examples(120))
@given(drawn=calls().filter(lambda drawn: is_meant(drawn[0])))
def test_any_moves_at_any_size(drawn: tuple[Case, Shape, int], device):
    case, shape, seed = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slabs, "SIZE", 16)  # many blocks in few tokens
        patch.setattr(causal_sums, "CHUNK", 16)
        patch.setattr(causal_sums, "PIECE", 128)
        problems = wrong(build(case, device, shape, seed))
    assert problems == {}


GRID = Case(positions="grid")
RUNS = {
    "reference": [Case(weighting="hard", mask="not both", scores="bias alone", wanted="output")],
    "fused": [Case(), Case(mask="causal"), Case(shape="grouped heads", dtype="bfloat16"), Case(shape="narrow values")],
    "decode": [
        *[
            Case(mask=mask, shape=shape, dtype=dtype, wanted="output and log-sum-exp", learnt="nothing")
            for mask in ("everything", "causal", "key lengths", "key lengths as sizes")
            for shape in ("one query", "fewer queries")
            for dtype in ("float32", "bfloat16", "float16")
        ],
        *[
            Case(mask=mask, positions=positions, shape="fewer queries", learnt="nothing")
            for mask in ("causal", "lopsided window", "causal key lengths")
            for positions in ("queries from 5", "start per row")
        ],
        *[
            Case(mask="causal", layout=layout, shape="fewer queries", learnt="nothing")
            for layout in ("transposed", "every other column", "one head for all")
        ],
    ],
    "tiled": [
        *[
            Case(mask=mask, dtype=dtype, wanted="output and log-sum-exp")
            for mask in ("everything", "causal", "key lengths", "lengths", "causal lengths", "causal window")
            for dtype in ("float16", "bfloat16")
        ],
        *[Case(mask=mask, dtype="bfloat16") for mask in ("documents", "causal documents", "prefix", "key map")],
        Case(scores="slopes", mask="causal", dtype="bfloat16"),
        Case(scores="gaussian", positions="grid", dtype="bfloat16"),
        Case(scores="full gaussian", positions="grid", dtype="float16"),
    ],
    "packed": [
        Case(mask=mask, dtype=dtype)
        for mask in (
            "lengths",
            "lengths as sizes",
            "map",
            "causal lengths",
            "key lengths",
            "documents",
            "documents of each row as sizes",
            "causal documents as sizes",
            "causal documents by ids",
        )
        for dtype in ("bfloat16", "float16")
    ],
    "gather": [
        replace(GRID, scores=scores, weighting="hard", positions=grid, mask=mask)
        for scores in ("gaussian alone", "full gaussian alone", "bounded table alone")
        for grid in ("grid", "strided grid")
        for mask in ("everything", "neighbours")
    ],
    "separable": [
        replace(GRID, scores=scores, mask=mask, dtype=dtype, wanted="output and log-sum-exp")
        for scores in ("gaussian alone", "diagonal gaussian alone", "table of rows and of columns alone")
        for mask in ("everything", "neighbours")
        for dtype in DTYPES
    ],
    "convolution": [
        replace(GRID, scores="bounded table alone", positions=positions, mask=mask, wanted="output and log-sum-exp")
        for positions, mask in (
            ("grid", "everything"),
            ("strided grid", "everything"),
            ("grid", "neighbours"),
            ("strided grid", "neighbours"),
            ("no positions", "causal"),
            ("queries from 5", "lopsided window"),
        )
    ],
    "toeplitz": [
        *[
            replace(
                GRID, scores="bounded table alone", positions=positions, shape=shape, wanted="output and log-sum-exp"
            )
            for positions in ("grid", "strided grid", "no positions")
            for shape in ("32 tokens", "63 tokens of width 60", "fewer queries", "grouped heads", "one key head")
        ],
        *[replace(GRID, scores="bounded table alone", dtype=dtype) for dtype in DTYPES],
        replace(GRID, scores="bounded table alone", mask="neighbours"),
        Case(scores="bounded table alone", mask="causal"),
        Case(scores="bounded table alone", positions="queries from 5", mask="lopsided window"),
    ],
    "augmented": [
        replace(GRID, scores="gaussian of known width", dtype="bfloat16"),
        replace(GRID, scores="gaussian of known width", dtype="bfloat16", positions="strided grid"),
        Case(scores="gaussian of known width", dtype="bfloat16"),
    ],
    "shared": [
        replace(GRID, scores=scores, mask=mask, dtype=dtype)
        for scores in ("full gaussian alone", "gaussian and tables alone", "bias alone")
        for mask in ("everything", "neighbours but one", "dense per head")
        for dtype in ("float32", "bfloat16")
    ],
    "linear": [
        Case(weighting=kernel, mask=mask, shape=shape, dtype=dtype)
        for kernel in KERNELS
        for mask, shape, dtype in (
            ("everything", "several blocks", "float32"),
            ("everything", "fewer keys", "bfloat16"),
            ("key lengths", "grouped heads", "float64"),
            ("two paddings", "several blocks", "float32"),
            ("causal", "one query", "float16"),
        )
    ],
    "chunked": [
        Case(weighting=kernel, mask=mask, shape=shape, positions=positions, dtype=dtype)
        for kernel in KERNELS
        for mask, shape, positions, dtype in (
            ("causal", "several blocks", "no positions", "float32"),
            ("causal", "several blocks of keys", "no positions", "bfloat16"),
            ("causal", "fewer keys", "both from 0", "float16"),
            ("causal", "several blocks of keys", "queries from 5", "float64"),
            ("causal", "several blocks", "steps 2", "float32"),
            ("causal key lengths", "several blocks of keys", "both from 0", "float32"),
            ("causal map", "several blocks", "no positions", "bfloat16"),
            ("causal lengths", "several blocks", "queries from 5", "float32"),
        )
    ],
    "banded": [
        *[
            Case(mask=mask, shape=shape, dtype=dtype)
            for mask in ("window", "lopsided window", "causal window", "window of oneself")
            for shape in ("several blocks", "several blocks of keys", "grouped heads", "wide values")
            for dtype in ("bfloat16", "float16")
        ],
        Case(mask="window", positions="both from 0", shape="fewer keys", dtype="bfloat16"),
    ],
    "partitioned": [
        *[
            Case(mask=mask, shape=shape, dtype=dtype)
            for mask in ("blocks", "causal blocks", "strided", "dilated", "blocks of key lengths")
            for shape in ("several blocks", "63 tokens of width 60", "grouped heads")
            for dtype in ("float32", "bfloat16")
        ],
        *[
            replace(GRID, mask=mask, positions=grid, scores=scores)
            for mask in ("tiles", "shifted tiles", "same row", "same column")
            for grid in ("grid", "strided grid")
            for scores in ("content", "gaussian", "table", "full gaussian alone")
        ],
        Case(mask="dilated", weighting="hard"),
        Case(mask="blocks", positions="both from 0", shape="fewer queries", wanted="output and log-sum-exp"),
    ],
    "merged": [
        *[
            Case(mask=mask, shape="several blocks", dtype=dtype, wanted="output and log-sum-exp")
            for mask in ("window or global tokens", "causal window or strided", "window or strided")
            for dtype in ("float32", "bfloat16")
        ],
        replace(GRID, mask="axial"),
        replace(GRID, mask="axial", scores="gaussian"),
        Case(mask="causal or lengths", scores="bias with gradient"),
    ],
    "masked": [
        *[
            Case(mask=mask, dtype=dtype)
            for mask in ("not both", "dense per row and head", "causal window", "causal or lengths")
            for dtype in ("float32", "bfloat16")
        ],
        Case(mask="dense per row and head", shape="grouped heads"),
        Case(mask="causal window", scores="bias"),
        Case(scores="bias"),
        Case(scores="bias", positions="start per row"),
        Case(mask="window", positions="both from 0", shape="fewer keys"),
    ],
    "blockwise": [
        Case(mask="not both", scores="bias and slopes"),
        Case(mask="dense per row and head"),
        Case(mask="causal window", shape="several blocks", wanted="output and log-sum-exp"),
    ],
}

ON_CPUS = ("banded", "packed")
ON_GPUS = ("decode", "tiled")  # whose kernels are tested on the CPU by themselves, in Triton's interpreter


@pytest.mark.parametrize("name", [algorithm.name for algorithm in PLANNER.algorithms])
def test_an_algorithm_may_not_refuse_what_it_is_for(name: str, device):
    """An algorithm that refuses everything would be equal everywhere; so a new one needs a row in `RUNS`."""
    wanted = REFUSED if name in (ON_GPUS if device.type == "cpu" else ON_CPUS) else EQUAL
    assert [verdicts(build(case, device), [name])[name] for case in RUNS[name]] == [wanted] * len(RUNS[name])


def test_augmented_refuses_what_it_cannot_promise(device):
    """Squares cancel: what is lost depends on the order in which a library adds, unless it adds in a wider type."""
    for scores, dtype in itertools.product(("gaussian of known width", "gaussian"), ("float32", "float64")):
        assert verdicts(build(replace(GRID, scores=scores, dtype=dtype), device))["augmented"] == REFUSED


def test_refusals_are_exercised(device):
    assert verdicts(build(Case(weighting="hard"), device))["fused"] == REFUSED
