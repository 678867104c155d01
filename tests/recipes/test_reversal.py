"""String reversal: what is measured, and that the claims read it under the names that they ask for."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from regard.claims import experiments
from regard.claims.ist import reversal as written
from regard.claims.nyu import long_range
from regard.recipes import Outcome, plan_run, read_run, start_run
from regard.recipes.reversal import WORD, mass_beside
from regard.tasks import reversal
from regard.training import Recording, expand


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    folder = tmp_path_factory.mktemp("runs") / "a"
    plan = start_run("reversal", folder, smoke=True, changes=["training.steps=40"])
    return folder, replace(plan, run=replace(plan.run, smoke=False)).train()


def test_claims_read_letters_given_the_true_ones_and_strings_written_freely(trained: tuple[Path, Outcome]):
    folder, outcome = trained
    token = experiments.runs.set(folder.parent)
    try:
        letters, strings = long_range.accuracies("letters"), long_range.accuracies("strings")
        found = written.run()
    finally:
        experiments.runs.reset(token)
    for name in ("plain", "attention"):
        assert letters[name] == {length: outcome.numbers[f"{name} forced {length}"] for length in (3, 5)}
        assert strings[name] == {length: outcome.numbers[f"{name} strings {length}"] for length in (3, 5)}
        assert written.curve(found, name, "characters") == [outcome.numbers[f"{name} characters {n}"] for n in (3, 5)]


def test_numbers_are_those_of_the_models(trained: tuple[Path, Outcome]):
    folder, outcome = trained
    again, made = plan_run(read_run(folder), ["validated=7", "lengths=4"]).evaluate()
    assert "plain characters 4" in again.numbers, "other lengths can be measured later"
    assert "plain characters 5" not in again.numbers
    batch = reversal.batch_of([WORD])
    (weights,) = made["attention"].model(batch.source, batch.target, maps=True).maps["cross"]
    told = [[outcome.numbers[f"map {i} {j}"] for j in range(len(WORD))] for i in range(len(WORD))]
    torch.testing.assert_close(torch.tensor(told), weights[0, 0], rtol=1e-5, atol=1e-6)
    kept = Recording(folder / "attention" / "recording")
    assert kept.steps() == [0, 10, 20, 30, 40]
    torch.testing.assert_close(expand(kept.read(40)["maps.word.0"])[0], weights[0, 0], rtol=0, atol=5e-3)
    assert kept.read(40)["inputs.word"].tolist() == batch.source[0].tolist()
    assert not Recording(folder / "plain" / "recording").steps(), "what has no attention has no maps"


def test_mass_counts_one_place_to_each_side():
    maps = torch.zeros(1, 4, 4)
    maps[0, 0, 3], maps[0, 1, 1], maps[0, 2, 3], maps[0, 3, 1] = 1, 1, 1, 1  # off by 0, 1, 2 and 1
    assert mass_beside(maps) == 0.75
