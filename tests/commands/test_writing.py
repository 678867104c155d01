"""`regard generate` and `regard translate`: what the library writes, as it comes; errors in one line."""

import json
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from regard import models
from tests.commands.running import check_refused
from tests.commands.running import run as regard
from tests.generation.test_writing import letters, small
from tests.models.published import EAGER, T5, bert, copied, saved
from tests.models.shaking import shaken


def shown(*arguments: str | Path, stdin: str | None = None) -> str:
    result = regard(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A decoder, a T5, a BERT, and a decoder without a tokenizer."""
    place = tmp_path_factory.mktemp("writers")
    torch.manual_seed(0)
    models.save(small(vocabulary=256, context=120).float(), place / "gpt2")
    models.save(small().float(), place / "mute")
    ids = {"decoder_start_token_id": 0, "eos_token_id": 4, "pad_token_id": 0}
    tasks = {"task_specific_params": {"translation_en_to_de": {"prefix": "to German: "}}}
    config = transformers.T5Config(**T5 | {"vocab_size": 256}, **ids, **tasks, **EAGER)
    saved(shaken(transformers.T5ForConditionalGeneration(config)), place / "t5")
    saved(shaken(bert("BertModel")), place / "bert")
    for name in ("gpt2", "t5"):
        letters().save(str(place / name / "tokenizer.json"))
    return place


def test_a_text_goes_on_from_its_prompt(place: Path):
    model = models.load(place / "gpt2")
    want = model.generate("Once upon", max_new=9).text
    assert shown("generate", place / "gpt2", "Once upon", "--max-new", "9") == f"Once upon{want}\n"
    assert shown("generate", place / "gpt2", "--max-new", "9", stdin="Once upon\n") == f"Once upon{want}\n"
    drawn = model.generate("Once upon", max_new=9, temperature=0.8, top_p=0.9, seed=3).text
    words = ("--max-new", "9", "--temperature", "0.8", "--top-p", "0.9", "--seed", "3")
    assert shown("generate", place / "gpt2", "Once upon", *words) == f"Once upon{drawn}\n"


def test_a_text_beyond_the_positions_of_training_is_told(place: Path, tmp_path: Path):
    models.save(small("llama-7b", hidden=48, vocabulary=256, context=16).float(), tmp_path)
    letters().save(str(tmp_path / "tokenizer.json"))
    beyond, within = (regard("generate", tmp_path, "Once", "--max-new", str(new)) for new in (14, 13))
    told = "warning: the model was made for 16 tokens: got a prompt of 4 and up to 14 new ones"
    assert (beyond.stderr.startswith(told), beyond.stderr.count("\n"), within.stderr) == (True, 1, "")


def test_several_prompts_and_beams_for_programs(place: Path):
    prompts = ("Once upon", "A")
    want = models.load(place / "gpt2").generate(list(prompts), max_new=5, beams=3, length_penalty=0.5, stop=("x",))
    words = ("--max-new", "5", "--beams", "3", "--length-penalty", "0.5", "--stop", "x")
    made = shown("generate", place / "gpt2", *prompts, *words, "--json").splitlines()
    for line, prompt, written in zip(made, prompts, want, strict=True):
        facts = json.loads(line)
        assert facts == {
            "prompt": prompt,
            "text": written.text,
            "tokens": list(written.tokens),
            "reason": written.reason,
            "score": written.score,
        }
    plain = shown("generate", place / "gpt2", *prompts, *words)
    assert plain == "".join(f"{prompt}{written.text}\n" for prompt, written in zip(prompts, want, strict=True))


def test_a_chat_goes_on(place: Path):
    session = models.load(place / "gpt2").session(120)
    first, second = session.generate("Hello", max_new=6).text, session.generate("\nWhy?", max_new=6).text
    assert (
        shown("generate", place / "gpt2", "--chat", "--max-new", "6", stdin="Hello\n\nWhy?\n") == f"{first}\n{second}\n"
    )


def test_lines_are_translated_in_their_order(place: Path):
    model = models.load(place / "t5")
    sources = ["A house by the sea.", "", "Yes", "Two dogs"]
    want = [
        model.generate(f"to German: {line}", beams=2, max_new=6).text.split("\n") if line else [""] for line in sources
    ]
    words = ("--task", "translation_en_to_de", "--beams", "2", "--max-new", "6", "--batch", "2")
    made = shown("translate", place / "t5", *words, stdin="\n".join(sources) + "\n")
    assert made == "".join(f"{' '.join(line)}\n" for line in want)
    one = shown("translate", place / "t5", "Yes", "--prefix", "to German: ", "--beams", "1", "--max-new", "6")
    assert one == f"{model.generate('to German: Yes', max_new=6).text}\n"
    facts = [json.loads(line) for line in shown("translate", place / "t5", "Yes", "No", *words, "--json").splitlines()]
    assert [line["prompt"] for line in facts] == ["Yes", "No"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("generate nowhere a", "a model is loaded from a folder with config.json"),
        ("generate gpt2 a --top-k 3", "top_k is for drawing tokens: got top_k=3 with temperature=0"),
        ("generate gpt2 a --temperature 1 --top-p 2", "top_p must lie in 0…1, above 0: got 2.0"),
        ("generate gpt2 a --max-new 500", "a prompt of 1 tokens and max_new=500, where there is room for 120"),
        ("generate gpt2 a --chat", "--chat reads lines and shows text"),
        ("generate gpt2 a --device nowhere", "--device must name a device of this machine: got 'nowhere'"),
        ("generate mute a", "text needs a tokenizer"),
        ("generate bert a", "writing takes a decoder or an encoder-decoder: got an Encoder"),
        ("generate t5 --chat", "got an EncoderDecoder"),
        ("translate gpt2 a", "translating takes an encoder-decoder: got a Decoder"),
        ("translate t5 a --task x", "--task must be one of config.json's: got 'x'; it has translation_en_to_de"),
        ("translate t5 a --beams 1 --length-penalty 2", "--length-penalty is for beams: got 2.0 with --beams 1"),
    ],
)
def test_bad_input_is_one_line(place: Path, monkeypatch: pytest.MonkeyPatch, words: str, says: str):
    monkeypatch.chdir(place)
    check_refused(regard(*words.split()), says)


def test_an_empty_prompt_is_refused(place: Path):
    result = regard("generate", place / "gpt2", "")
    assert result.exit_code == 2
    assert "a prompt must have a token or more: got ''" in result.stderr
    assert result.stdout == ""


def test_help_has_examples():
    for command in ("generate", "translate"):
        assert "Examples" in shown(command, "--help")


@pytest.mark.parametrize("options", [(), ("--temperature", "1"), ("--beams", "2"), ("--json",)], ids=str)
def test_weights_that_are_no_numbers_write_nothing(place: Path, tmp_path: Path, options: tuple[str, ...]):
    folder = copied(place / "gpt2", tmp_path / "gpt2")
    weights = load_file(folder / "model.safetensors")
    weights["transformer.ln_f.weight"][:] = torch.nan
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    result = regard("generate", folder, "Once upon", "--max-new", "3", *options)
    assert result.exit_code == 2
    assert "scores of the next token must be finite: got NaN or infinity" in result.stderr


def test_a_run_is_named_by_itself(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    run = tmp_path / "runs" / "language-1"
    run.mkdir(parents=True)
    (run / "run.json").write_text("{}")
    refused = regard("generate", "language-1", "Once upon", "--max-new", "3")
    assert refused.exit_code == 2
    assert "runs/language-1 has no model that can be loaded" in refused.stderr
    copied(place / "gpt2", run / "model")
    want = shown("generate", place / "gpt2", "Once upon", "--max-new", "3")
    for name in ("language-1", "runs/language-1", run / "model"):
        assert shown("generate", name, "Once upon", "--max-new", "3") == want
