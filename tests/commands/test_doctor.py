"""`regard doctor` prints a table or JSON, and refuses what would have no effect."""

import functools
import json

import pytest
import transformers

from tests.commands.running import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
    transformers.BertConfig(**sizes, vocab_size=50, architectures=["BertForMaskedLM"]).save_pretrained(path)
    return str(path)


regard = functools.partial(run, "doctor")


def test_help_says_how_many_tokens_there_are(folder):
    shown = " ".join(regard("--help").stdout.replace("│", " ").split())
    assert "or 512, or as many as the model has positions" in shown


def test_a_table_and_json(folder):
    shown = regard(folder, "--device", "cpu")
    assert shown.exit_code == 0, shown.stderr
    assert "BertForMaskedLM · B=8 T=512 · float32 · cpu · forward only" in shown.stdout
    assert "[1] 2 ×   fused" in shown.stdout
    told = json.loads(regard(folder, "--device", "h200", "--lengths", "64,32", "--train", "--json").stdout)
    (layer,) = told["layers"]
    assert layer["shape"] | {"B": 2, "T": 64} == layer["shape"]
    assert (layer["dtype"], layer["backward"], layer["device"]) == ("bfloat16", True, "h200")
    assert "Padding(int64[2])" in layer["attention"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--cached", "4", "--train"), "got --train too"),
        (("--lengths", "4,2", "--batch", "3"), "--lengths says how many rows there are: got 2 and --batch 3"),
        (("--lengths", "9,4", "--tokens", "8"), "--tokens must hold the longest length, 9: got 8"),
    ],
)
def test_options_that_contradict_each_other(folder, arguments, says):
    result = regard(folder, *arguments)
    assert (result.exit_code, says in result.stderr) == (2, True), result.stderr
