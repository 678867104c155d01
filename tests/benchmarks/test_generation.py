"""The benchmark of generation runs at tiny sizes, does not time what is wrong, and says where texts part."""

import json

import pytest
import torch

pytest.importorskip("triton")

from benchmarks import generation, generation_kernels
from benchmarks.setting import Setting
from benchmarks.timing import Timing
from regard.algorithms.kernels.tokens import rows

CPU = torch.device("cpu")
TINY = Setting(CPU, "tiny")
WORDS = ["--device", "cpu", "--tiny", "--threads", "1", "--commit", "abc"]


def written(tmp_path, *words: str) -> list[dict]:
    files = tmp_path / "r.json", tmp_path / "r.md"
    generation.main([*WORDS, *words, "--out", str(files[0]), "--markdown", str(files[1])])
    assert files[1].read_text().startswith("# Generation,")
    return json.loads(files[0].read_text())["rows"]


def test_kernels_are_timed(tmp_path):
    found = written(tmp_path, "--only", "kernels")
    assert len(found) == 7
    for row in found:
        assert isinstance(row["cells"]["regard"], dict), row["cells"]
        assert row["ratio"] > 0


def test_a_sweep_names_the_best_tile(tmp_path):
    (row,) = written(tmp_path, "--only", "kernels", "--sweep")
    assert row["cells"]["best"] in row["details"]
    assert len(row["details"]) >= 2


def test_models_are_timed_and_write_the_same(tmp_path):
    found = written(tmp_path, "--only", "decode")
    assert {row["case"] for row in found} == {"llama 1.3B B1", "llama 1.3B B2", "gpt2 B1", "gpt2 B2"}
    for row in found:
        assert row["cells"]["as the general way"] == row["cells"]["as transformers"] == "all"
        assert all(isinstance(row["cells"][name], dict) for name in ("regard", "transformers"))
    assert any("transformers, static" in row["cells"] for row in found)


def test_a_wrong_kernel_is_not_timed(monkeypatch):
    right = rows.project
    monkeypatch.setattr(rows, "project", lambda x, *rest, **options: right(2 * x, *rest, **options))
    row = generation_kernels.race_of(generation_kernels.TINY[2], 1, TINY)
    assert str(row.cells["regard"]).startswith("wrong: off by")
    assert row.ratio is None


def test_the_place_where_texts_part_is_told():
    one, other = torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([[1, 2, 3], [4, 5, 7]])
    assert generation.agreement(one, one) == "all"
    assert generation.agreement(one, other) == "first 2 of 3"


def test_a_peer_that_fails_does_not_hide_the_others():
    def fail(count: int) -> torch.Tensor:
        raise RuntimeError("no cache")

    found = generation.seconds_per_token({"good": lambda count: torch.zeros(1, count), "bad": fail}, 5, TINY)
    assert isinstance(found["good"], Timing)
    assert found["bad"] == "error: RuntimeError: no cache"


GPT_FAST = """
import torch
from torch import nn
from dataclasses import dataclass

@dataclass
class ModelArgs:
    block_size: int
    norm_eps: float
    n_layer: int
    n_head: int
    dim: int
    vocab_size: int
    intermediate_size: int

class Transformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.tok_embeddings = nn.Embedding(config.vocab_size, config.dim)
        self.output = nn.Linear(config.dim, config.vocab_size, bias=False)

    def setup_caches(self, batch, length):
        self.length = length

    def forward(self, idx, input_pos):
        return self.output(self.tok_embeddings(idx))
"""


def test_gpt_fast_is_read_from_its_folder(tmp_path):
    (tmp_path / "model.py").write_text(GPT_FAST)
    _, theirs = generation.both(generation.cases(TINY)[0], TINY)
    weights = generation.gpt_fast_weights(theirs)
    assert len(weights) == 3 + 9
    assert {name for name in weights if name.startswith("layers.0.attention.")} == {
        f"layers.0.attention.w{part}.weight" for part in "qkvo"
    }
    tokens = torch.zeros(2, generation.PROMPT, dtype=torch.int64)
    assert generation.by_gpt_fast(tmp_path, theirs, tokens, 5)(5).shape == (2, 5)
