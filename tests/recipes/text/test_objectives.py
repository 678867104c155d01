"""The recipe `objectives`: what is trained, probed and told; real text; mistakes."""

from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from regard.commands.app import app
from regard.recipes import start_run
from regard.recipes.recipe import Resources
from regard.recipes.text.objectives import RECIPES, TRAINED, Objectives, make_source, measure_gain, trainings

SMOKE = RECIPES["objectives"].smoke


def test_each_alone_and_together_from_every_seed(tmp_path: Path):
    made = trainings(SMOKE, Resources(tmp_path))
    assert len(made) == 2 * (4 + 2)
    task = made["all-1"].task
    assert isinstance(task, Objectives)
    assert task.names == ("words", "next", "order", "inference")
    batch = task.batch(torch.arange(64), torch.Generator())
    assert {name: len(examples.tokens) for name, examples in batch.items()} == dict.fromkeys(task.names, 16)
    assert made["all-1"].settings.seed == 1


def test_a_run_tells_every_probe_with_its_error(tmp_path: Path):
    plan = start_run("objectives", tmp_path / "run", size="smoke")
    outcome = plan.train()
    numbers = outcome.claims["objectives"]
    for trained in TRAINED:
        for probed in (*TRAINED["all"], "average"):
            assert 0 <= numbers[f"{trained} on {probed}"] <= 1
            assert f"{trained} on {probed} error" in numbers
    assert numbers["both over words"] == pytest.approx(numbers["both on average"] - numbers["words on average"])
    assert not (plan.run.folder / "claims.json").exists(), "a smoke test leaves nothing for claims"
    text = (plan.run.folder / "report.md").read_text()
    assert "a seeded grammar of 43 words" in text
    assert f"{numbers['all on order']:.3f} ± {numbers['all on order error']:.3f}" in text


def test_seeds_are_compared_in_pairs():
    shares = {"a": {"x": [0.1, 0.9], "y": [0.3, 0.7]}, "b": {"x": [0.0, 0.8], "y": [0.2, 0.6]}}
    gain, error = measure_gain(shares, "a", "b")
    assert gain == pytest.approx(0.1)
    assert error == pytest.approx(0.0), "whatever the seeds themselves differ by"


def test_real_text_is_read(tmp_path: Path):
    pytest.importorskip("tokenizers")
    (tmp_path / "play.txt").write_text("".join([f"One:\nfirst {n}\nsecond {n}\n\n" for n in range(30)]))
    (tmp_path / "captions.txt").write_text("".join([f"A young man and {n} dogs in a red car.\n" for n in range(60)]))
    changes = {"data": str(tmp_path), "lines": "play.txt", "captions": "captions.txt", "pieces": 300}
    config = type(SMOKE)(**{**vars(SMOKE), **changes})
    source = make_source(config, Resources(tmp_path))
    assert source.vocabulary == 300
    assert source.fingerprint() == make_source(config, Resources(tmp_path)).fingerprint()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "objectives reads two texts: got none; use --data FOLDER with tinyshakespeare/input.txt and"),
        (("--data", "."), "text is read from a file of UTF-8, .gz or not: got nothing at"),
        (("--set", "num_heads=5"), "num_heads must divide width: got width=128, num_heads=5"),
        (("--set", "training.batch=3"), "batch must hold a text of each objective: got 3"),
        (("--set", "seeds=1"), "seeds must be a whole number from 2"),
        (("--set", "probed=1,5"), "probed must be two numbers of texts, from 2 on: got probed=(1, 5)"),
    ],
)
def test_mistakes_are_named(words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["train", "objectives", *words, "--runs", "runs"])
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())
