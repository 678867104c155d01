"""Heads on the grid: recorded heads come as they were written, and what they make is what the library says."""

import itertools
import json
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from regard.algorithms import weights
from regard.analysis.convolution.conversion import conv_from_attention
from regard.analysis.convolution.heads import duplicates, ellipses, examine, nearest_kernel, query_map
from regard.attention import Attention, Grid, Quadratic
from regard.explore.api import Empty
from regard.explore.views import heads as view
from regard.explore.views.heads import (
    HeadsHeader,
    HeadsRequest,
    KernelHeader,
    KernelRequest,
    Values,
    compute_kernel,
    list_recorded,
    read_heads,
)
from regard.explore.workspace import Workspace
from regard.layers import Gaussian
from regard.recipes import plan_run
from regard.training import Metrics, Recording

RUN, TRAINING = "digits-gaussian", "seed-0"
TAPS = list(itertools.product((-1.0, 0.0, 1.0), repeat=2))


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace()


@pytest.fixture(scope="module")
def kept(workspace: Workspace) -> dict[str, torch.Tensor]:
    return Recording(workspace.run(RUN).folder / TRAINING / "recording").read(660)


def answer(workspace: Workspace, **asked: Any) -> tuple[KernelHeader, np.ndarray]:
    found = compute_kernel(workspace, KernelRequest(**({"h": 8, "w": 8, "query": (4, 4)} | asked)))
    assert isinstance(found.header, KernelHeader)
    return found.header, np.frombuffer(found.data, "<f4").reshape(-1, found.header.h, found.header.w)


def asked_of(kept: dict[str, torch.Tensor], layer: int) -> dict[str, Any]:
    return {
        "centres": kept[f"heads.{layer}.centre"].tolist(),
        "precisions": kept[f"heads.{layer}.precision"][:, None].tolist(),
    }


def test_only_trainings_with_gaussian_heads_are_listed(workspace: Workspace) -> None:
    (one,) = list_recorded(workspace, Empty()).trainings
    assert (one.run, one.training) == (RUN, TRAINING)
    assert (one.steps, one.layers, one.heads, one.side) == (31, 3, 9, 8)
    assert one.has_values


def test_heads_come_as_they_were_recorded(workspace: Workspace, kept: dict[str, torch.Tensor]) -> None:
    found = read_heads(workspace, HeadsRequest(run=RUN, training=TRAINING))
    head = found.header
    assert isinstance(head, HeadsHeader)
    count = len(head.steps) * head.layers * head.heads
    numbers = np.frombuffer(found.data[: 12 * count], "<f4")
    centres, precisions = numbers[: 2 * count].reshape(-1, 3, 9, 2), numbers[2 * count :].reshape(-1, 3, 9)
    for layer in range(3):
        assert np.array_equal(centres[-1, layer], kept[f"heads.{layer}.centre"].numpy())
        assert np.array_equal(precisions[-1, layer], kept[f"heads.{layer}.precision"].numpy())
    assert not np.array_equal(centres[0], centres[-1])
    assert found.data[12 * count :] == kept["inputs.image-0"].numpy().tobytes()
    folder = workspace.run(RUN).folder / TRAINING
    said = {line["step"]: line["accuracy"] for line in Metrics(folder / "metrics.jsonl").read() if "accuracy" in line}
    assert head.curves["accuracy"] == [said.get(step) for step in head.steps]


def test_many_steps_are_thinned_to_the_first_the_last_and_some_between(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "MAX_STEPS", 4)
    head = read_heads(Workspace(), HeadsRequest(run=RUN, training=TRAINING)).header
    assert isinstance(head, HeadsHeader)
    assert head.steps == [0, 220, 440, 660]


def test_what_heads_make_is_what_the_library_says(workspace: Workspace, kept: dict[str, torch.Tensor]) -> None:
    found, maps = answer(workspace, **asked_of(kept, 2), query=(0, 7))
    term = Quadratic(kept["heads.2.centre"], kept["heads.2.precision"])
    fit, places = nearest_kernel(term), Grid(8, 8)
    assert [one.half_axes for one in found.heads] == [
        [pytest.approx(axes) for axes in one.half_axes] for one in ellipses(term)
    ]
    assert np.allclose(maps, query_map(term, places, (0, 7)).maps, atol=1e-7)
    assert [one.tap for one in found.heads] == list(fit.taps)
    assert [one.softness for one in found.heads] == pytest.approx(fit.softness)
    assert [one.kinds for one in found.heads] == [list(one.kinds) for one in examine(term, places)]
    assert found.alike == [list(one) for one in duplicates(term, places).classes] == [[2, 6]]
    assert not found.is_bijection


def test_the_certificate_holds_and_the_worst_input_is_the_worst(
    workspace: Workspace, kept: dict[str, torch.Tensor]
) -> None:
    found, _ = answer(workspace, **asked_of(kept, 0))
    one = found.convolution
    assert one is not None
    assert one.worst is not None
    assert one.measured is not None
    assert 0.1 < one.measured <= one.worst <= one.bound
    # Independently of the layer and of the convolution: the maps, less one-hot ones at the nearest pixel.
    places, centre = Grid(8, 8), kept["heads.0.centre"].double()
    maps = weights(
        None, None, Attention(Quadratic(centre, kept["heads.0.precision"].double()), None, None, places, places)
    )
    row, column = (torch.arange(64)[:, None] // 8, torch.arange(64)[:, None] % 8)
    near = (centre - 0.5).ceil().long()
    target = (row + near[:, 0]).clamp(0, 7) * 8 + (column + near[:, 1]).clamp(0, 7)
    taps = torch.nn.functional.one_hot(target, 64).double().mean(1)
    assert one.worst == pytest.approx(float((maps[0].mean(0) - taps).abs().sum(1).max()))


def test_values_as_trained_are_those_of_the_last_checkpoint(
    workspace: Workspace, kept: dict[str, torch.Tensor]
) -> None:
    found, _ = answer(workspace, **asked_of(kept, 1), values=Values(run=RUN, training=TRAINING, layer=1))
    layer = plan_run(workspace.run(RUN)).load(TRAINING).model.blocks[1].attention.double()
    _, certificate = conv_from_attention(layer, norm=1.0)
    assert found.convolution is not None
    assert found.convolution.bound == pytest.approx(certificate.bound(), rel=1e-5)
    assert 0 < (found.convolution.measured or 0) <= found.convolution.bound
    assert found.convolution.worst is None


def test_sharp_heads_on_the_taps_become_the_convolution(workspace: Workspace) -> None:
    bounds = []
    for sharpness in (0.5, 4.0, 30.0):
        found, _ = answer(workspace, centres=TAPS, precisions=[[sharpness]] * 9)
        assert found.is_bijection
        assert found.convolution is not None
        assert found.convolution.size == (3, 3)
        bounds.append(found.convolution.bound)
    assert bounds[0] > 1 > bounds[1] > 0.1 > 1e-11 > bounds[2]
    off, _ = answer(workspace, centres=[*TAPS[:-1], (0.0, 1.0)], precisions=[[30.0]] * 9)
    assert not off.is_bijection
    assert off.convolution is not None
    assert off.convolution.taps == 8


def test_a_full_covariance_has_a_turned_ellipse_and_a_certificate_inside(workspace: Workspace) -> None:
    matrix = [1.0, 0.6, 0.6, 2.0]
    found, _ = answer(workspace, centres=[(1.0, 2.0)], precisions=[matrix])
    (same,) = ellipses(Quadratic(torch.tensor([[1.0, 2.0]]), torch.tensor(matrix).view(1, 2, 2)))
    assert found.heads[0].angle == pytest.approx(same.angle)
    assert found.heads[0].half_axes[1] == pytest.approx(same.half_axes[1])
    assert found.convolution is not None
    assert found.convolution.scope == "inside"


def test_what_is_tried_is_where_the_certificate_holds(workspace: Workspace) -> None:
    turned = {"precisions": [[20.0, 3.0, 3.0, 20.0]] * 2, "h": 7, "w": 7}
    one = answer(workspace, centres=[(0.0, 3.0), (0.0, 0.0)], **turned)[0].convolution
    assert one is not None
    assert one.worst is not None
    assert one.measured is not None
    assert (one.scope, one.pixels) == ("inside", 7 * 4)
    assert 1e-9 < one.measured <= one.worst <= one.bound < 1e-7
    none = answer(workspace, centres=[(0.0, 4.0), (0.0, -4.0)], **turned)[0].convolution
    assert none is not None
    assert (none.pixels, none.worst, none.measured) == (0, None, None)
    assert "leaves the image" in (none.untried or "")


@pytest.mark.parametrize(("numbers", "left_out"), [(1.0, "untried"), (0.01, "bound")])
def test_many_turned_heads_are_answered_in_a_moment(workspace: Workspace, numbers: float, left_out: str) -> None:
    centres = [(row / 2, column / 3) for row in range(6) for column in range(6)]
    began = time.thread_time()
    found, _ = answer(workspace, centres=centres, precisions=[[numbers, 0.0, 0.0, 2 * numbers]] * 36, h=32, w=32)
    assert time.thread_time() - began < 4  # it was 15 seconds
    assert "36 heads" in (found.unexamined or "")
    if left_out == "bound":
        assert "36 such wide heads" in (found.reason or "")
    else:
        assert found.convolution is not None
        assert found.convolution.measured is None
        assert "36 turned heads" in (found.convolution.untried or "")


def test_what_makes_no_convolution_says_why(workspace: Workspace) -> None:
    found, _ = answer(workspace, centres=[(150.0, 149.0), (149.0, 150.0)], precisions=[[1.0], [1.0]])
    assert found.convolution is None
    assert "65536" in (found.reason or "")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"precisions": [[1.0]] * 8}, "each of 9 heads"),
        ({"precisions": [[1.0]] * 8 + [[1.0, 1.0]]}, "1, 2 or 4 numbers"),
        ({"precisions": [[0.0]] * 9}, "at least 0.000001"),
        ({"precisions": [[1.0, 2.0, 2.0, 1.0]] * 9}, "got -1"),
        ({"query": (4, 8)}, r"got \(4, 8\)"),
    ],
)
def test_what_cannot_be_asked_is_said(workspace: Workspace, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        answer(workspace, **({"centres": TAPS, "precisions": [[1.0]] * 9} | asked))


def _heads_of(count: int = 4) -> dict[str, torch.Tensor]:
    return {"heads.0.centre": torch.zeros(count, 2), "heads.0.precision": torch.ones(count)}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (b"", "damaged file at step 5"),
        (b"\x40\0\0\0\0\0\0\0{", "damaged file at step 5"),
        ({"heads.0.centre": torch.zeros(0, 2), "heads.0.precision": torch.zeros(0)}, "1 to 36 heads"),
        ({"heads.0.centre": torch.zeros(4, 2)}, "heads.0.precision is missing"),
        (_heads_of() | {"heads.0.centre": torch.full((4, 2), torch.nan)}, "got NaN"),
        (_heads_of() | {"heads.0.precision": torch.ones(3)}, "for each of 4 heads"),
        (_heads_of() | {"heads.0.centre": torch.full((4, 2), 1e9)}, "at most 32 × 32"),
        (_heads_of(3), "1 × 4 of 1 at step 0, 1 × 3 of 1 at step 5"),
        (_heads_of() | {"inputs.image-0": torch.zeros(1, 8, 8, dtype=torch.uint8)}, "a patch of 0"),
    ],
)
def test_a_broken_recording_is_left_out_and_says_why(
    workspace: Workspace, tmp_path: Path, wrong: bytes | dict[str, torch.Tensor], said: str
) -> None:
    for name in ("whole", "broken"):
        shutil.copytree(workspace.run(RUN).folder, tmp_path / name, ignore=shutil.ignore_patterns("seed-*"))
        Recording(tmp_path / name / TRAINING / "recording").write(0, _heads_of())
    kept = json.loads((tmp_path / "broken/run.json").read_text())
    kept["config"]["model"]["patch"] = 0
    (tmp_path / "broken/run.json").write_text(json.dumps(kept))
    folder = tmp_path / "broken" / TRAINING / "recording"
    if isinstance(wrong, bytes):
        (folder / "step-000000005.safetensors").write_bytes(wrong)
    else:
        Recording(folder).write(5, wrong)
    own = Workspace(roots=(tmp_path,))
    assert [one.run for one in list_recorded(own, Empty()).trainings] == ["whole"]
    with pytest.raises(ValueError, match=said) as raised:
        read_heads(own, HeadsRequest(run="broken", training=TRAINING))
    assert str(tmp_path) not in str(raised.value)


def test_recordings_are_found_by_name_alone(workspace: Workspace) -> None:
    with pytest.raises(ValueError, match=r"must have recorded '\.\./seed-0'"):
        read_heads(workspace, HeadsRequest(run=RUN, training="../seed-0"))
    with pytest.raises(ValueError, match="must have recorded gaussian heads"):
        read_heads(workspace, HeadsRequest(run="reversal", training="attention"))


def test_gaussian_keeps_what_is_asked() -> None:
    asked = KernelRequest(centres=[(0.5, -1.0)], precisions=[[0.25, 2.0]], h=4, w=4, query=(0, 0))
    position = view._make_gaussian(asked)
    assert isinstance(position, Gaussian)
    assert position.precision.tolist() == [pytest.approx([0.25, 2.0])]
