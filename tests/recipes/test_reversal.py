"""String reversal: what is measured, and that the claims read it under the names that they ask for."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from regard.claims import Verdict, experiments, judge
from regard.claims.ist import reversal as written
from regard.claims.nyu import transformer
from regard.recipes import Outcome, plan_run, read_run, start_run
from regard.recipes.reversal import WORD, mass_beside
from regard.tasks import reversal
from regard.training import Recording, expand
from tests.recipes.running import read_by_claims

CLAIMS = (written.without_attention, written.with_attention, written.band, transformer.fall)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    folder = tmp_path_factory.mktemp("runs") / "a"
    plan = start_run("reversal", folder, size="smoke", changes=["training.steps=40"])
    return folder, replace(plan, run=replace(plan.run, smoke=False)).train()


def test_claims_read_a_run_under_the_names_that_it_writes(trained: tuple[Path, Outcome]):
    folder, outcome = trained
    with read_by_claims(folder.parent):
        found = written.run()
        judgements = [judge(claim) for claim in CLAIMS]
    assert written.lengths(found) == [3, 5]
    assert found.is_changed, "its settings are not the recipe's, whose numbers are not asked of it"
    for name in ("plain", "attention"):
        assert written.curve(found, name, "forced") == [outcome.numbers[f"{name} forced {n}"] for n in (3, 5)]
        assert written.curve(found, name, "characters") == [outcome.numbers[f"{name} characters {n}"] for n in (3, 5)]
    assert [judgement.source for judgement in judgements] == ["run a"] * 4


@pytest.mark.slow
def test_the_small_version_bears_the_claims_out():
    with read_by_claims():
        judgements = [judge(claim) for claim in CLAIMS]
    assert {judgement.verdict for judgement in judgements} <= {Verdict.BORNE_OUT, Verdict.PARTLY_BORNE_OUT}
    assert {judgement.source for judgement in judgements} == {experiments.SMALL}


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
