"""The recipe `translation`: BLEU by hand, what is learnt from, an interrupted run, mistakes."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from regard.commands.app import app
from regard.recipes import Plan, Run, start_run
from regard.recipes.recipe import Resources
from regard.recipes.text.translation import BEGIN, END, PAD, RECIPES, Translation, measure_bleu, trainings
from regard.training import Metrics, train
from tests.recipes.running import stop_at

pytest.importorskip("sacrebleu")
SMOKE = RECIPES["translation"].smoke
CHANGES = ("models=transformer,attention", "sentences=120", "training.steps=6", "training.evaluate_every=3")


def planned(folder: Path, *changes: str) -> Plan:
    return start_run("translation", folder, size="smoke", changes=[*CHANGES, *changes])


def task_of(folder: Path, kind: str = "transformer") -> Translation:
    made = trainings(SMOKE, Resources(folder))[kind].task
    assert isinstance(made, Translation)
    return made


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One that was interrupted, and went on."""
    plan = planned(tmp_path_factory.mktemp("runs") / "whole")
    stop_at(plan, 4, "attention")
    plan.train()
    return plan.run


def test_a_run_tells_what_was_written(trained: Run):
    numbers, text = trained.result, (trained.folder / "report.md").read_text()
    assert numbers is not None
    assert f"| {numbers['transformer BLEU']:.2f} ± " in text
    assert "tok:13a" in text
    assert {"maps-0.svg", "maps-1.svg", "lengths.svg", "training.svg"} <= {
        path.name for path in trained.folder.iterdir()
    }
    written, reference = (
        (trained.folder / "translations" / f"{name}.txt").read_text().splitlines()
        for name in ("transformer", "reference")
    )
    assert len(written) == len(reference) == 12
    assert measure_bleu(written, reference).score == pytest.approx(numbers["transformer BLEU"])
    assert numbers["en-de attention BLEU"] == numbers["attention BLEU"]


def test_interrupted_and_resumed_it_is_the_same(trained: Run, tmp_path: Path):
    training = planned(tmp_path / "other").trainings["attention"]
    train(training.task, training.settings, tmp_path / "attention")
    lines = [
        Metrics(folder / "metrics.jsonl").read() for folder in (trained.folder / "attention", tmp_path / "attention")
    ]
    assert lines[0] == lines[1]


def test_bleu_by_hand():
    """Four of five words right, in order: precisions 4/5, 3/4, 2/3, 1/2, no brevity."""
    found = measure_bleu(["a b c d x"], ["a b c d e"])
    assert found.score == pytest.approx(100 * math.exp(sum(map(math.log, (4 / 5, 3 / 4, 2 / 3, 1 / 2))) / 4))
    assert found.signature == "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    assert measure_bleu(["Zwei Hunde."] * 3, ["Zwei Hunde."] * 3).half == pytest.approx(0.0)
    assert measure_bleu(["Zwei Hunde laufen im Gras."], ["zwei hunde laufen im gras."]).score < 100, "case counts"


def test_the_loss_is_that_of_real_tokens_alone(tmp_path: Path):
    task = task_of(tmp_path)
    model = task.build().eval()
    source, lengths, target = task.batch(torch.tensor([0]), torch.Generator().manual_seed(0))
    with torch.no_grad():
        loss = task.loss(model, (source, lengths, target), torch.Generator())
        noisy = torch.where(torch.arange(source.shape[1]) < lengths[:, None], source, 7)
        more = torch.nn.functional.pad(target, (0, 3), value=PAD)
        assert task.loss(model, (noisy, lengths, more), torch.Generator()).item() == pytest.approx(
            loss.item(), rel=1e-5
        )
        smooth = replace(task, config=replace(task.config, smoothing=0.0))
        assert smooth.loss(model, (source, lengths, target), torch.Generator()) != loss


def test_pairs_are_encoded_whole(tmp_path: Path):
    task = task_of(tmp_path)
    split = task.splits["train"]
    for row in range(5):
        source = split.source.tokens[row, : split.source.lengths[row]].tolist()
        target = split.target.tokens[row, : split.target.lengths[row]].tolist()
        assert task.text(source) == split.pairs.source[row]
        assert (target[0], target[-1]) == (BEGIN, END)
        assert task.text(target[1:-1]) == split.pairs.target[row]
    texts = [set(task.splits[name].pairs.source) for name in ("train", "validation", "test")]
    assert all(texts), "all three are there"


def test_what_is_written_is_in_the_order_of_the_sources(tmp_path: Path):
    """Beams of one are the likeliest tokens, each sentence alone as all together."""
    task = task_of(tmp_path)
    torch.manual_seed(0)
    model, test = task.build().eval(), task.splits["test"].source
    together = task.translate(model, test, beams=2)
    one = model.generate(test.tokens[3, : test.lengths[3]].tolist(), max_new=len(together[3]) + 1, beams=2,
        length_penalty=1.0, ends=(END,), start=BEGIN)  # fmt: skip
    assert [token for token in one.tokens if token != END][: len(together[3])] == together[3]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "translation reads a folder of parallel text: got none; use --data FOLDER"),
        (("--data", "."), "must have one of train.en or train.en.gz (none there)"),
        (("--set", "training.batch=8"), "got training.batch=8; leave it at 1, and change tokens_per_batch=8192"),
        (("--set", "models=gru"), "models must be some of transformer, attention, plain: got ['gru']"),
        (("--set", "transformer.num_heads=5"), "num_heads must divide width: got width=128, num_heads=5"),
    ],
)
def test_mistakes_are_named(words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["train", "translation", *words, "--runs", "runs"])
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())
