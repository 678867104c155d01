"""`regard cost`: numbers, formulas, a step of decoding, a picture, and one clear line for what it cannot use."""

import csv
import functools
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sympy

from regard.analysis.cost import count
from tests.commands.running import check_refused, run

GPT2 = 24 * 12 * 768**2 * 128 + 2 * 12 * 768 * 128 * 129 + 2 * 768 * 50257 * 128  # layers, triangles, head

MODEL = """
from torch import nn

def build():
    return nn.TransformerEncoderLayer(64, 4, 256, batch_first=True)

def sized(N=8):
    import torch
    return nn.Linear(4, 4), (torch.empty(N, 4),)

def wide(D=64, N=32):
    import torch
    return nn.Linear(D, D), (torch.empty(N, D),)

def number():
    return 3

def three():
    return 1, 2, 3

def fails():
    raise KeyError("no such key")

def asserts():
    assert False, "width must divide"

class Asks(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) if x.sum() > -1e9 else x
"""


regard = functools.partial(run, "cost")


def counted(*arguments: str) -> dict:
    result = regard("--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "my_model.py"
    path.write_text(MODEL)
    return str(path)


def test_a_preset() -> None:
    made = counted("gpt2", "--tokens", "128")
    assert made["parameters"] == 124_439_808
    assert made["forward"]["flops"] == GPT2
    assert made["backward"]["flops"] == 2 * GPT2
    assert made["unknown"] == {}
    rows = list(csv.DictReader(io.StringIO(regard("gpt2", "--tokens", "128", "--csv").stdout)))
    assert (rows[0]["module"], int(rows[0]["forward flops"])) == ("", GPT2)
    lines = regard("gpt2", "--tokens", "128", "--depth", "4").stdout.splitlines()
    assert lines[0].strip() == "124,439,808 parameters"
    assert any("0 … 11  Block × 12, each" in line for line in lines)  # twelve blocks that are alike are one line
    assert max(map(len, lines)) <= 80
    (title,) = [line for line in lines if line.startswith("module")]
    assert title.split() == ["module", "parameters", "forward", "attention", "backward", "executed"]


def test_a_module_in_a_file(model: str) -> None:
    N, D = 16, 64
    needed = 2 * (24 * N * D * D + 4 * N * N * D)
    made = counted(f"{model}:build", "--input", f"2x{N}x{D}")
    assert made["forward"]["flops"] == needed
    assert (
        counted(f"{model}:build", "--input", f"BxNx{D}", "--batch", "2", "--tokens", "16")["forward"]["flops"] == needed
    )
    assert counted(f"{model}:sized")["forward"]["flops"] == 2 * 8 * 16
    assert counted(f"{model}:wide", "--at", "D=128", "--tokens", "8")["forward"]["flops"] == 2 * 8 * 128**2
    assert counted(f"{model}:Asks", "--input", "3x4", "--real")["forward"]["flops"] == 2 * 3 * 16


def test_formulas(model: str) -> None:
    made = counted(f"{model}:build", "--input", "BxNx64", "--symbolic")
    B, N = sympy.symbols("B N")
    assert sympy.sympify(made["forward"], {"B": B, "N": N}).equals(256 * B * N**2 + 24 * 64**2 * B * N)
    shown = " ".join(regard(f"{model}:build", "--input", "BxNx64", "--symbolic").stdout.split())
    assert "attention costs more beyond N* = 128" in shown
    assert "attention costs more beyond N* = 384" in shown
    assert "N → ∞ Θ(B·N²)" in shown


def test_the_rate_says_of_what(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    layer = [f"{tmp_path / 'model.py'}:build", "--input", "2x128x64", "--device", "cpu"]
    assert counted(*layer)["time"]["tokens"] == 2 * 128
    assert "tokens/s" in regard(*layer).stdout
    assert "images/s" in regard("vit-base", "--batch", "2", "--device", "cpu").stdout
    shown = regard("llama-7b", "--decode", "8", "--device", "cpu").stdout.splitlines()
    at = next(number for number, line in enumerate(shown) if "tokens/s" in line)
    assert re.search(r" 0\.\d\d? +\d", shown[at + 1]), shown[at + 1]


def test_blocks_that_are_computed_again() -> None:
    found = counted("gpt2", "--tokens", "64", "--recompute")
    (note,) = [note for note in found["notes"] if note.startswith("blocks computed again")]
    assert re.search(r"activations \S+ MB instead of \S+ MB, .*; \d+% more FLOPs executed", note), note


def test_one_more_token() -> None:
    made = counted("gpt2", "--decode", "512", "--device", "h200", "--dtype", "bfloat16")
    assert made["cache"] == 12 * 2 * 768 * 513 * 2
    assert made["cost"]["forward"]["flops"] == 24 * 12 * 768**2 + 12 * 4 * 768 * 513 + 2 * 768 * 50257
    assert made["cost"]["backward"]["flops"] == 0
    shown = regard("gpt2", "--decode", "512", "--depth", "1").stdout
    assert shown.startswith("one more token behind 512, 1 row: cache 37.8 MB, parameters 498 MB")


def test_a_configuration_of_hugging_face(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(
        n_embd=32, n_layer=2, n_head=4, vocab_size=64, n_positions=32, bos_token_id=0, eos_token_id=0
    )
    config.architectures = ["GPT2LMHeadModel"]
    config.save_pretrained(tmp_path)
    N = 8
    needed = 3 * (2 * (24 * N * 32**2 + 2 * N * (N + 1) * 32) + 2 * N * 32 * 64)
    assert counted(str(tmp_path), "--tokens", "8", "--batch", "3")["forward"]["flops"] == needed
    assert counted(str(tmp_path / "config.json"), "--tokens", "8", "--batch", "3")["forward"]["flops"] == needed
    step = counted(str(tmp_path), "--decode", "7")
    assert step["cost"]["forward"]["flops"] == 2 * (24 * 32**2 + 4 * 8 * 32) + 2 * 32 * 64
    assert step["cache"] == 2 * 2 * 7 * 32 * 4


@pytest.mark.parametrize("architecture", ["pipeline", "NoSuchModel", "GPT2Config"])
def test_a_configuration_runs_no_code_of_its_own(tmp_path: Path, architecture: str) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt2", "architectures": [architecture]}))
    result = regard(str(tmp_path))
    assert result.exit_code == 2
    assert f"has no model '{architecture}'" in result.stderr


def test_a_model_of_foreign_code_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "theirs.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\nclass C: pass\n")
    config = {"model_type": "theirs", "auto_map": {"AutoConfig": "theirs.C"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    result = regard(tmp_path, stdin="y\n")
    assert result.exit_code == 2
    assert not (tmp_path / "ran").exists()


def test_a_picture(model: str, tmp_path: Path) -> None:
    path = tmp_path / "cost.svg"
    result = regard(f"{model}:build", "--input", "BxNx64", "--plot", str(path))
    assert result.exit_code == 0, result.stderr
    assert "attention" in " ".join(ElementTree.parse(path).getroot().itertext())


def test_exponents_are_fitted_from_runs(model: str) -> None:
    made = counted(f"{model}:sized", "--tokens", "64", "--measure")
    assert made["growth"]["exponent"] == 1.0
    assert made["growth"]["time_exponent"] is not None
    assert made["cost"]["parameters"] == 20


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["GPT2"], "unknown model 'GPT2': did you mean gpt2"),
        (["gpt3"], "unknown model 'gpt3': did you mean gpt2"),
        (["gpt2", "--device", "h300"], "no table for device 'h300': use one of cpu, h200, a100"),
        (["gpt2", "--attention", "regard"], "--attention is for a config.json of Hugging Face: got 'regard' for gpt2"),
        (["FOLDER/negative", "--attention", "flash"], "unknown attention 'flash': use one of eager, sdpa, regard"),
        (["gpt2", "--optimizer", "adm"], "unknown optimizer 'adm': did you mean adam"),
        (["gpt2", "--input", "2x3"], "gpt2 makes its own inputs: got --input 2x3"),
        (["gpt2", "--tokens", "2000"], "positions must lie among the 1024 that are learned"),
        (["bert-base", "--decode", "5"], "--decode takes decoders, such as gpt2 or llama-7b: got bert-base"),
        (
            ["gpt2", "--symbolic", "--decode", "5"],
            "--symbolic gives formulas of a whole call: got --decode too; leave it out",
        ),
        (["FILE:buld", "--input", "2x4"], "has no function 'buld': did you mean build?"),
        (["FILE", "--input", "2x4"], "a model in a file is a function"),
        (["FILE:build"], "gives no inputs: got no --input either; use --input 2x128x512"),
        (["FILE:build", "--input", "2y3"], "an input is its sizes, and its kind if not float: got '2y3'"),
        (["FILE:build", "--input", "2x8xD"], "the size 'D' of --input is unknown"),
        (["FILE:build", "--input", "2x8xD", "--at", "D=x"], "sizes are written as D=64,H=8: got 'D=x'"),
        (["FILE:build", "--input", "2x4x5"], "rejects the call: "),
        (["FILE:number", "--input", "2x4"], "must give a torch.nn.Module: got int"),
        (["FILE:Asks", "--input", "3x4"], "Asks asks for the contents of a tensor, which has none here"),
        (["FILE:Asks", "--input", "3x4"], "run (--real), evaluation mode"),
        (["FILE:three"], "must give a module, or a module and its inputs: got 3 values"),
        (["FILE:fails", "--input", "2x4"], "rejects the call: KeyError: 'no such key'"),
        (["FILE:build", "--input", "2x8x64", "--symbolic"], "formulas need letters for sizes: got --input 2x8x64"),
        (["FILE:sized", "--at", "K=3"], "sized takes the size K: got --at K=3; leave it out"),
        (["gpt2", "--json", "--csv"], "one form is printed: got --json and --csv"),
        (["gpt2", "--decode", "5", "--tokens", "3"], "--decode counts one token: got --tokens too"),
        (
            ["gpt2", "--recompute", "--compiled"],
            "--recompute compares two counts of an eager training step: got --compiled",
        ),
        (["gpt2", "--decode", "5", "--plot", "x.svg"], "--decode counts one token: got --plot too"),
        (["gpt2", "--symbolic", "--real"], "--symbolic gives formulas of a whole call: got --real too"),
        (["gpt2", "--csv", "--measure"], "--csv prints a line per module: got --measure too; leave it out"),
        (["gpt2", "--at", "D=7"], "nothing of gpt2 takes the size D: got --at D=7; leave it out"),
        (["gpt2", "--symbolic", "--optimizer", "nosuch"], "--symbolic gives formulas of a whole call: got --optimizer"),
        (["gpt2", "--symbolic", "--device", "nosuch"], "--symbolic gives formulas of a whole call: got --device too"),
        (["gpt2", "--symbolic", "--eval"], "--symbolic gives formulas of a whole call: got --train or --eval too"),
        (["gpt2", "--decode", "5", "--optimizer", "nosuch"], "--decode counts one token: got --optimizer too"),
        (["gpt2", "--decode", "5", "--device", "nosuch"], "no table for device 'nosuch'"),
        (["FOLDER"], "a folder of Hugging Face must have config.json: got"),
        (["FOLDER/config.json"], "a configuration must exist: got"),
        (["FOLDER/broken.py:build"], "broken.py, line 1, is not Python: invalid syntax"),
        (["FOLDER/absent.py:build"], "absent.py cannot be imported: ModuleNotFoundError: No module named 'nosuch'"),
        (["FOLDER/negative"], "rejects the call: RuntimeError: Trying to create tensor with negative dimension -5"),
        (["FOLDER/negative", "--plot", "FOLDER/a.svg"], "negative dimension -5"),
        (["FOLDER/negative", "--decode", "5"], "negative dimension -5"),
        (["FILE:asserts", "--input", "2x4"], "asserts rejects the call: AssertionError: width must divide"),
        (["vit-base", "--symbolic", "--tokens", "7"], "vit-base takes images of its own size: got --tokens 7"),
        (["nowhere.py:build"], "no file 'nowhere.py'; a model is path/to/file.py:function"),
    ],
)
def test_bad_input_is_one_line(model: str, arguments: list[str], says: str) -> None:
    folder = Path(model).parent
    (folder / "broken.py").write_text("def build(:")
    (folder / "absent.py").write_text("import nosuch")
    (folder / "negative").mkdir()
    facts = {"model_type": "llama", "hidden_size": -5, "num_hidden_layers": 1, "num_attention_heads": 1}
    (folder / "negative" / "config.json").write_text(json.dumps(facts))
    words = [word.replace("FILE", model).replace("FOLDER", str(folder)) for word in arguments]
    check_refused(regard(*words), says)


def test_a_mistake_of_ours_is_not_blamed_on_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "Watch", lambda: None)
    result = regard("gpt2", "--tokens", "8")
    assert isinstance(result.exception, AttributeError)
    assert "rejects the call" not in result.stderr
