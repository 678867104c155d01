"""The recipe `language`: its numbers by hand, what is learnt from and what is not, its folder, its mistakes."""

import io
import json
import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from regard.commands.app import app
from regard.models import Decoder, load
from regard.recipes import Plan, Run, plan_run, start_run
from regard.recipes.recipe import Resources
from regard.recipes.text.language import (
    RECIPES,
    Language,
    LanguageConfig,
    ModelConfig,
    baselines,
    maps_figure,
    places_figure,
    save_model,
    trainings,
)
from regard.tasks.text import read_vocabulary
from regard.training import Metrics, Recording, Trained, train
from tests.recipes.running import stop_at

SMOKE = RECIPES["language"].smoke
TEXT = "".join([f"{n} bottles größer… 瓶子\n" for n in range(200)])
GPT2 = ("model.positions=learned", "model.norm.rms=false", "model.gated=false", "model.bias=true")


def planned(folder: Path, *changes: str) -> Plan:
    return start_run("language", folder, size="smoke", changes=[*changes, "training.steps=20", "written=40"])


def task_of(text: str, folder: Path, **changes: Any) -> Language:
    """The task of a text, with contexts of seven tokens."""
    (folder / "text.txt").write_text(text)
    given = {"data": str(folder / "text.txt"), "model": ModelConfig(width=8, depth=1, num_heads=2, context=7)}
    made = trainings(replace(SMOKE, **(given | changes)), Resources(folder))["decoder"].task
    assert isinstance(made, Language)
    return made


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One that was interrupted, and went on."""
    plan = planned(tmp_path_factory.mktemp("runs") / "whole")
    stop_at(plan, 15)
    assert not (plan.run.folder / "model").exists()
    plan.train()
    return plan.run


@pytest.fixture(scope="module")
def trained_pairs(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """As GPT-2 is, its batches made by another process."""
    plan = planned(
        tmp_path_factory.mktemp("runs") / "pairs", "tokens=300", *GPT2, "training.execution.workers=1", "prompt=bee é"
    )
    plan.train()
    return plan.run


@pytest.mark.parametrize(("kind", "of"), [("trained", "Llama"), ("trained_pairs", "GPT-2")])
def test_a_run_tells_of_its_model_and_leaves_it(kind: str, of: str, request: pytest.FixtureRequest):
    run: Run = request.getfixturevalue(kind)
    numbers, text = run.result, (run.folder / "report.md").read_text()
    assert numbers is not None
    assert f"| Transformer | {numbers['bits per character']:.3f} | {numbers['perplexity']:.2f} |" in text
    assert f"as a {of} that" in text
    assert len(run.headline or "") <= 100
    assert numbers["bits per character"] < numbers["uniform bits per character"]
    assert numbers["tokens seen"] == 20 * 8 * 32
    assert {"places.svg", "maps.svg", "training.svg"} <= {path.name for path in run.folder.iterdir()}
    assert all(f"({name}.svg)" in text for name in ("places", "maps", "training"))

    model, vocabulary = load(run.folder / "model"), read_vocabulary(run.folder / "model" / "vocabulary.json")
    assert isinstance(model, Decoder)
    assert model.ends() == (), "no token ends a text"
    assert json.loads((run.folder / "model" / "config.json").read_text())["eos_token_id"] is None
    prompt = "bee é" if kind == "trained_pairs" else "slowly clever"
    assert model.encode_prompt(prompt) == vocabulary.encode(prompt)
    written = model.generate(prompt, max_new=12)
    assert written.text == vocabulary.decode(written.tokens)
    if kind == "trained":
        with pytest.raises(ValueError, match="text must be of what the tokenizer knows: got 'é'"):
            model.encode_prompt("é")
    if kind == "trained_pairs":
        assert f"    {prompt}{written.text}".splitlines()[0] in text, "the sample is what the saved model writes"
    told = CliRunner().invoke(app, ["generate", str(run.folder / "model"), prompt, "--max-new", "12"])
    assert told.stdout == f"{prompt}{written.text}\n"

    kept = Recording(run.folder / "decoder" / "recording")
    assert kept.steps() == [0, 10, 20]
    last = kept.read(20)
    shown = last["inputs.text"]
    maps = model(shown[None], maps=True).maps["self"]
    for layer, weights in enumerate(maps):
        root = 255 * weights[0].detach().sqrt()
        assert (last[f"maps.text.{layer}"].float() - root).abs().max() < 0.51 + 255e-6


def test_the_folder_is_written_once_and_by_training_alone(trained: Run):
    weights = trained.folder / "model" / "model.safetensors"
    before = weights.stat().st_mtime_ns
    words = ["evaluate", str(trained.folder), "--set", "validated=4", "--json"]
    found = json.loads(CliRunner().invoke(app, words).stdout)["numbers"]
    assert found["characters validated on"] == 4 * 32
    assert weights.stat().st_mtime_ns == before


def test_a_model_is_kept_when_a_folder_can_say_it_and_its_training_is_over(tmp_path: Path):
    task = task_of(TEXT, tmp_path, model=ModelConfig(width=8, depth=1, num_heads=2, context=7, positions="buckets"))
    made = Trained(task, SMOKE.training, tmp_path / "a", task.build(), 30, 30, True)
    said, save = save_model(made, task.text.vocabulary)
    save(tmp_path)
    assert "in its checkpoints alone: a folder of gpt2 must say all of a configuration: got gated=True" in said
    task = task_of(TEXT, tmp_path)
    made = Trained(task, SMOKE.training, tmp_path / "a", task.build(), 29, 29, False)
    said, save = save_model(made, task.text.vocabulary)
    save(tmp_path)
    assert said == "The model will be saved when its training is over."
    assert not (tmp_path / "model").exists()


def test_interrupted_and_resumed_it_is_the_same(trained: Run, tmp_path: Path):
    training = plan_run(trained).trainings["decoder"]
    whole = train(training.task, training.settings, tmp_path)
    lines = [Metrics(folder / "metrics.jsonl").read() for folder in (trained.folder / "decoder", tmp_path)]
    assert lines[0] == lines[1]
    assert "minus bits per character" in lines[0][-1]
    save_model(whole, training.task.text.vocabulary)[1](tmp_path)
    for name in ("model.safetensors", "tokenizer.json", "vocabulary.json"):
        assert (trained.folder / "model" / name).read_bytes() == (tmp_path / "model" / name).read_bytes()


@pytest.mark.parametrize("tokens", ["characters", "270"])
def test_a_model_that_knows_nothing_needs_the_bits_of_its_vocabulary(tokens: str, tmp_path: Path):
    """log₂ V · tokens / characters, where characters are those that begin in what is predicted."""
    task = task_of(TEXT, tmp_path, tokens=tokens, validated=10**6)
    model = task.build().eval()
    assert isinstance(model, Decoder)
    with torch.no_grad():
        model.embedding.weight.zero_()  # it is the head, too
        found = task.evaluate(model)
    predicted = task.validation[:, 1:].flatten().tolist()  # they lie side by side
    characters = len(task.text.vocabulary.decode(predicted).strip("\N{REPLACEMENT CHARACTER}"))
    assert abs(task.characters - characters) <= (tokens != "characters"), "of the last, a part may be left out"
    bits = math.log2(len(task.text.vocabulary)) * len(predicted) / task.characters
    assert found["bits per character"] == pytest.approx(bits, rel=1e-6)
    assert found["minus bits per character"] == -found["bits per character"]
    assert found["perplexity"] == pytest.approx(len(task.text.vocabulary), rel=1e-5)
    if tokens == "characters":
        assert task.characters == len(predicted)
    else:
        whole = sum([len(task.text.vocabulary.decode(row)) for row in task.validation[:, 1:].tolist()])
        assert task.characters < whole, "characters that lie in two contexts are counted once"


def test_counts_by_hand():
    """Of a b a b c: c(a) = c(b) = 2, c(c) = 1; as the first of a pair a 2, b 2, c 0; ab 2, ba 1, bc 1."""
    found = baselines(np.array([0, 1, 0, 1, 2], dtype="<u2"), torch.tensor([[0, 1, 2], [2, 2, 0]]), 3)
    unigram = -sum(map(math.log, (3 / 8, 2 / 8, 2 / 8, 3 / 8))) / 4  # of b, c; c, a
    bigram = -sum(map(math.log, (3 / 5, 2 / 5, 1 / 3, 1 / 3))) / 4  # ab, bc; cc, ca, which never came
    assert found == pytest.approx({"uniform": math.log(3), "unigram": unigram, "bigram": bigram})


def test_what_is_validated_on_is_never_learnt_from(tmp_path: Path):
    text = "abcdefghi\n" * 90 + "ABCDEFGHI\n" * 10
    task = task_of(text, tmp_path)
    assert task.text.vocabulary.decode(task.text.train.tokens.tolist()) == "abcdefghi\n" * 90
    generator = torch.Generator().manual_seed(0)
    assert task.count == (900 - 7) // 7
    drawn = [task.batch(torch.arange(task.count), generator) for _ in range(20)]
    again = task.batch(torch.arange(task.count), torch.Generator().manual_seed(0))
    assert again.equal(drawn[0]), "in another process, too"
    learnt = {task.text.vocabulary.decode(row) for block in drawn for row in block.tolist()}
    assert len(learnt) == 10, "contexts begin everywhere"
    assert "".join(learnt).islower()
    assert task.text.vocabulary.decode(task.validation.flatten().tolist()).isupper()
    assert len(task.validation) == (100 - 1) // 7, "all of it, as there are fewer than are asked for"
    few = task_of(text, tmp_path, validated=3)
    assert few.validation.tolist() == [task.validation[n].tolist() for n in (0, 4, 9)], "evenly spread"


def test_a_short_text_still_fills_a_batch(tmp_path: Path):
    task = task_of("abcdefg hi\n" * 2 + "jklmnopq\n", tmp_path, share=0.3)
    assert task.count >= SMOKE.training.batch
    block = task.batch(torch.arange(task.count), torch.Generator())
    assert block.shape == (task.count, 8)


def test_losses_by_place_are_grouped_by_doubling():
    figure = places_figure([5.0, 3.0, 1.0, 3.0, 8.0, 0.0], {"bigram": 2.0, "unigram": 4.0})
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    assert np.asarray(lines["Transformer"].get_ydata()).tolist() == [5.0, 3.0, 2.0, 4.0]
    assert np.asarray(lines["bigrams"].get_ydata()).tolist() == [2.0, 2.0]


def test_maps_of_any_tokens_can_be_drawn():
    figure, file = maps_figure([torch.eye(3)[None]], ["$x_$", "\f\0", "<&>"]), io.BytesIO()
    figure.savefig(file, format="svg")
    texts = [each.text for each in ElementTree.fromstring(file.getvalue()).iter("{http://www.w3.org/2000/svg}text")]
    assert texts == 2 * ["$x_$", "··", "<&>"] + ["layer 0, head 0"]


@pytest.mark.parametrize(
    ("content", "words", "says"),
    [
        (None, (), "language reads a text: got none; use --data book.txt"),
        (None, ("--data", "missing.txt"), "text is read from a file of UTF-8, .gz or not: got nothing at"),
        (None, ("--data", "."), "text is read from a file of UTF-8, .gz or not: got a folder at"),
        (b"one\n\xff\n", ("--data", "book.txt"), "text must be UTF-8: got byte 0xff at offset 4 (line 2)"),
        (b"", ("--data", "book.txt"), "a text must have two lines or more"),
        (b"one line\n", ("--data", "book.txt"), "validated on: got one of 9 characters in"),
        (
            b"a line\n" * 100,
            ("--data", "book.txt"),
            "got 630 to learn from and 70 to validate on in {}, and model.context=128; use a longer text, or "
            "model.context=35",
        ),
        (
            b"a line\n" * 1000,
            ("--data", "book.txt", "--set", "prompt=lime?"),
            "all characters must be in the vocabulary: got 'm' at 2",
        ),
        (
            b"a line\n" * 1000,
            ("--data", "book.txt", "--set", f"prompt={'line ' * 30}"),
            "prompt must have at most model.context=128 tokens: got 149; use a shorter one",
        ),
        (None, ("--set", "prompt="), "prompt must have a character or more: got none"),
        (
            None,
            ("--set", "tokens=50"),
            "tokens must be characters, or a number of byte pairs from 256 on: got tokens=5",
        ),
        (None, ("--set", "tokens=words"), "got tokens=words; use tokens=1000"),
        (None, ("--set", "model.positions=absolute"), "must be learned or sinusoidal or rotary or buckets or none"),
        (None, ("--set", "model.num_heads=5"), "num_heads must divide width: got width=128, num_heads=5"),
        (None, ("--set", "validated=0"), "validated must be"),
    ],
)
def test_mistakes_are_named(
    content: bytes | None, words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("book.txt").write_bytes(content)
    result = CliRunner().invoke(app, ["train", "language", *words, "--runs", "runs"])
    assert result.exit_code == 2
    told = " ".join(result.output.split())
    assert says.format(tmp_path / "book.txt") in told or says in told


def test_preparing_is_told(tmp_path: Path):
    told: list[tuple[str, int, int]] = []
    (tmp_path / "book.txt").write_text(TEXT)
    config = LanguageConfig(data=str(tmp_path / "book.txt"), tokens="270")
    made = partial(trainings, config, Resources(tmp_path, lambda *said: told.append(said)))
    made()
    assert {what for what, _, _ in told} == {"tokens of book.txt"}
    assert told[-1][1] == told[-1][2] > len(TEXT), "pairs are counted, then tokens are made"
    told.clear()
    made()
    assert not told, "what was prepared is there"
