"""The sweep over the number of heads: names that the claim reads, the same numbers after a stop, bad settings."""

import json
import statistics
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from regard.claims import Verdict, experiments, judge
from regard.claims.nyu import head_counts
from regard.recipes import start_run
from regard.recipes.heads import HeadsConfig, NeighbourTask
from regard.tasks.neighbours import Neighbours, Ring
from regard.training import Metrics, Recording, train
from tests.recipes.running import read_by_claims, stop_at


def test_the_claim_reads_what_a_stopped_and_resumed_sweep_found(tmp_path: Path):
    plan = start_run("heads", tmp_path / "runs/a", size="smoke")
    stop_at(plan, 15, "heads-2-seed-1")
    whole = replace(plan, run=replace(plan.run, smoke=False)).train()
    stopped = plan.trainings["heads-2-seed-1"]
    train(stopped.task, stopped.settings, tmp_path / "unstopped")
    lines = [Metrics(tmp_path / f"{folder}/metrics.jsonl").read() for folder in ("runs/a/heads-2-seed-1", "unstopped")]
    assert lines[0] == lines[1]
    assert set(whole.figures) == {"accuracy", "training", "maps"}
    assert len(whole.headline) <= 100

    last = [Metrics(tmp_path / f"runs/a/heads-8-seed-{seed}/metrics.jsonl").read()[-1]["accuracy"] for seed in (0, 1)]
    said = [whole.numbers[f"{name}accuracy of 8"] for name in ("", "lowest ", "highest ")]
    assert said == [statistics.mean(last), min(last), max(last)]
    assert last[0] != last[1], "seeds differ"
    kept = Recording(tmp_path / "runs/a/heads-8-seed-0/recording").read(20)
    assert (kept["maps.ring.0"].shape, kept["inputs.ring"].shape) == ((8, 6, 6), (6,))

    with read_by_claims(tmp_path / "runs"):
        found, result = head_counts.accuracies()
    assert found == {H: whole.numbers[f"accuracy of {H}"] for H in (1, 2, 8)}
    assert not result.is_small
    assert json.loads((tmp_path / "runs/a/claims.json").read_text())["heads"]["numbers"] == whole.numbers


@pytest.mark.slow
def test_the_small_version_bears_the_claim_out():
    with read_by_claims():
        judgement = judge(head_counts.sweep)
    assert (judgement.verdict, judgement.source) == (Verdict.BORNE_OUT, experiments.SMALL)


def test_a_neighbour_has_a_head_where_one_looks_at_it():
    config = HeadsConfig(heads=(2,), tokens=6, neighbours=(-1, 1, 2), validated=2)
    ahead, back = torch.eye(6).roll(1, 1), torch.eye(6).roll(-1, 1)  # at the next place, and at the one before

    def held(*maps: torch.Tensor) -> int:
        model = SimpleNamespace(
            maps=lambda words: torch.stack(maps).expand(len(words), -1, -1, -1),
            parameters=lambda: iter([torch.zeros(1)]),
        )
        return NeighbourTask(config, 2).count_held(model)

    assert held(ahead, back) == 2
    assert held(ahead, ahead) == 1
    assert held(torch.eye(6), torch.full((6, 6), 1 / 6)) == 0, "itself is not asked for, and a mean is no look"


def test_a_model_that_names_the_neighbours_is_right():
    ring = Ring(words=5, tokens=7, neighbours=(-2, 3))
    words = ring.draw(4, torch.Generator().manual_seed(0))
    asked = [[[row[(t - 2) % 7], row[(t + 3) % 7]] for t in range(7)] for row in words.tolist()]
    right = torch.nn.functional.one_hot(torch.tensor(asked), 5) * 50.0
    assert ring.accuracy(lambda words: right, words) == 1
    assert ring.loss(lambda words: right, words).item() < 1e-6
    assert ring.accuracy(lambda words: right.flip(2), words) < 0.5, "the other neighbour"
    assert Neighbours(ring, width=8, num_heads=2)(words).shape == right.shape


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"heads": (1, 3)}, "heads must divide width: got width=32, heads=3; use 1, 2 or 4"),
        ({"heads": (4, 2)}, r"heads must be one or more rising numbers: got heads=\(4, 2\)"),
        ({"seeds": 0}, "seeds must be a whole number from 1 .* got seeds=0"),
        ({"neighbours": (1, -15)}, r"must be different positions of a ring of 16: got neighbours=\(1, -15\)"),
    ],
)
def test_bad_settings_are_named(wrong: dict[str, object], says: str):
    with pytest.raises(ValueError, match=says):
        HeadsConfig(**wrong)  # pyright: ignore[reportArgumentType]
