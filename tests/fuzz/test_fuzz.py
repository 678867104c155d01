"""Ten seconds of the fuzz, and whether it could find anything: seeded, so that a failure is the same everywhere."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.fuzz.case import Case, Drawn, Node, Ref, Sizes
from tests.fuzz.drawing import draw
from tests.fuzz.mistakes import MISTAKES
from tests.fuzz.program import reproduction
from tests.fuzz.running import CHOICE, EQUAL, examine
from tests.fuzz.shrinking import shrink

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.usefixtures("unhooked"),
    pytest.mark.filterwarnings("ignore::UserWarning"),  # torch's own, of kernels that it did not take
]

ORDINARY = Case(
    seed=7,
    device="cpu",
    sizes=Sizes(B=2, H=2, G=1, T=9, S=9, D=8, E=8),
    dtype="float32",
    numbers="normal",
    layouts=("contiguous",) * 3,
    scores=(Node("Content", (None,)),),
    mask=Node("Everything"),
    weighting=Node("Softmax"),
    queries=None,
    keys=None,
    tensors=(),
    learnt="qkv",
    given=True,
    return_lse=False,
    incoming="contiguous",
    poison=None,
    world="plain",
)
BIAS = (Drawn("x0", "t(2, 9, 9)", learnt=True),)
# For every mistake a case in which it is one.
WHERE = {
    "drops_the_mask": replace(ORDINARY, mask=Node("Causal")),
    "widens_windows": replace(ORDINARY, mask=Node("Window", (2, 1))),
    "scales_too_much": ORDINARY,
    "gives_zeros": ORDINARY,
    "forgets_a_gradient": ORDINARY,
    "adds_to_the_log_sum_exp": replace(ORDINARY, return_lse=True),
    "takes_the_first_row_for_all": ORDINARY,
    "reads_hidden_values": replace(ORDINARY, mask=Node("KeyPadding", ("sizes", (5, 7))), poison="nan"),
    "computes_in_half_precision": ORDINARY,
    "forgets_other_terms": replace(ORDINARY, scores=(*ORDINARY.scores, Node("Bias", (Ref("x0"),))), tensors=BIAS),
    "leaves_the_cap_out": replace(ORDINARY, scores=(Node("Content", (None, 2)),)),
    "forgets_the_sink_on_the_way_back": replace(
        ORDINARY, weighting=Node("Softmax", (Ref("x0"),)), tensors=(Drawn("x0", "t(2)", learnt=True),)
    ),
}
# Those that are larger than the roundings of half precision.
COARSE = ("drops_the_mask", "widens_windows", "gives_zeros", "forgets_a_gradient", "reads_hidden_values")
COARSE += ("forgets_the_sink_on_the_way_back",)


PAIRS = [(name, dtype) for name in MISTAKES for dtype in ("float32", "float64")]


@pytest.mark.parametrize(("name", "dtype"), [*PAIRS, *((name, "bfloat16") for name in COARSE)])
def test_a_mistake_is_found(name: str, dtype: str):
    case = replace(WHERE[name], dtype=dtype)
    right = examine(case, only=CHOICE)
    assert right.verdicts[CHOICE] == EQUAL, right.shown
    wrong = examine(case, run=MISTAKES[name], only=CHOICE)
    assert wrong.verdicts[CHOICE] != EQUAL


def test_a_failing_case_prints_a_program_that_shows_it():
    """The text runs by itself, and its result is wrong where the text says so."""
    case = replace(WHERE["drops_the_mask"], learnt="")
    outcome = examine(case, run=MISTAKES["drops_the_mask"], only=CHOICE)
    text = outcome.shown[CHOICE]
    assert "value = Attention(scores=Content(None), mask=Causal())" in text
    assert "# the planner's choice: out[" in text
    names: dict = {}
    exec(text, names)
    assert names["out"].shape == (2, 2, 9, 8)


def test_a_case_is_its_seed():
    assert all(draw(seed) == draw(seed) for seed in range(200))
    assert len({reproduction(draw(seed), None, "", "") for seed in range(200)}) == 200


def test_all_parts_are_drawn():
    """Every world, call and layout comes up, and every mask is drawn as itself and as a parent."""
    cases = [draw(seed) for seed in range(4000)]
    masks = {kind for case in cases for kind in _kinds(case.mask)}
    assert {case.call for case in cases} == {"attend", "weights", "attend_projected", "attend_linear", "cache"}
    assert len({case.world for case in cases}) == 13
    for kind in (
        "Causal",
        "Window",
        "Strided",
        "Blocks",
        "Dilated",
        "GlobalTokens",
        "KeyPadding",
        "Padding",
        "Documents",
        "Prefix",
        "Dense",
    ):
        assert {kind, f"subclass of {kind}"} <= masks
    for kind in ("Neighbours", "Tiles", "Axial", "SameRow", "SameColumn", "Everything"):
        assert {kind, f"subclass of {kind}"} <= masks


def _kinds(node: Node) -> set[str]:
    if node.kind == "Twist":
        return {f"subclass of {node.args[0].kind}"}
    found = {node.kind}
    for child in node.args:
        found |= _kinds(child) if isinstance(child, Node) else set()
    return found


def test_a_failing_case_is_made_smaller(monkeypatch: pytest.MonkeyPatch):
    from tests.fuzz import shrinking

    monkeypatch.setattr(
        shrinking, "examine", lambda case, only: examine(case, run=MISTAKES["drops_the_mask"], only=only)
    )
    large = replace(
        ORDINARY,
        mask=Node("And", (Node("Causal"), Node("KeyPadding", ("sizes", (9, 9))))),
        layouts=("sliced", "contiguous", "columns first"),
        world="autocast",
    )
    verdict = examine(large, run=MISTAKES["drops_the_mask"], only=CHOICE).verdicts[CHOICE]
    small, text = shrink(large, CHOICE, verdict)
    assert small.mask == Node("Causal")
    assert small.layouts == ("contiguous",) * 3
    assert small.world == "plain"
    assert "mask=Causal()" in text


def test_some_seconds(tmp_path: Path, device: torch.device):
    """Every algorithm equals the oracle or refuses, on whatever is drawn."""
    out = tmp_path / "fuzz.json"
    seconds = "3" if device.type == "cpu" else "40"  # a GPU's kernels are compiled
    command = [sys.executable, "-m", "tests.fuzz", "--seconds", seconds, "--processes", "1", "--show", "5"]
    command += ["--seed", "1000000", "--device", device.type, "--out", str(out)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-2000:]
    report = json.loads(out.read_text())
    assert report["cases"] > 0
    assert report["wrong cases"] == 0
