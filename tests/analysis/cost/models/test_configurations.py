"""Published configurations, as `regard cost config.json` reads them, against counts by hand of every part.

`configurations.json` holds the fields of 38 models that decide sizes. The formulas below know nothing of the code that
is counted: a layer is its matrices, what lies beside them, and its pairs.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import pytest
import torch
import transformers

from regard.analysis.cost import cost
from regard.analysis.cost.count import count_made
from regard.analysis.cost.report import ModelCost
from regard.commands.targets import Request, find_target
from tests.analysis.cost.by_hand import mixed

FIELDS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "configurations.json").read_text())
PUBLISHED = {  # billions of parameters, and those that a token meets, the embedding among them
    "mixtral-8x7b": (46.7, 12.9), "qwen3-30b-a3b": (30.5, 3.4), "qwen3-235b-a22b": (235.1, 22.2),
    "deepseek-v2": (235.7, 21.4), "deepseek-v3": (671.0, 37.6), "olmoe-1b-7b": (6.9, 1.3),
    "llama-4-scout": (107.8, 17.2), "llama-4-maverick": (400.7, 17.2), "phi-3.5-moe": (41.9, 6.6),
    "dbrx": (131.6, 36.5), "gpt-oss-20b": (20.9, 4.2), "gpt-oss-120b": (116.8, 5.7), "minimax-m2": (228.7, 11.0),
}  # fmt: skip
# Whether (query, key, value) and the output have biases.
BIASED = {"qwen2": (1, 0), "qwen2_moe": (1, 0), "glm4_moe": (1, 0), "phimoe": (1, 1), "gpt_oss": (1, 1),
          "starcoder2": (1, 1), "gpt_neox": (1, 1), "gpt2": (1, 1)}  # fmt: skip
# Widths of norms in a layer, where a bias is one more.
NORMS = {"gemma2": 4, "gemma3_text": 4, "phimoe": 4, "starcoder2": 4, "gpt_neox": 4, "gpt2": 4, "falcon": 2}
PLAIN = {"gpt_neox", "gpt2", "starcoder2", "falcon"}  # two matrices in the feed-forward, not three


@dataclass
class Count:
    """Parameters that a token meets, and those that it does not, FLOPs of its pairs, and what is kept of it."""

    beside: int = 0  # embedding, norms, biases: no products
    matrices: int = 0
    idle: int = 0  # of other experts
    mixed: int = 0
    cache: int = 0  # numbers


def renamed(c: dict[str, Any]) -> dict[str, Any]:
    """The fields by one name each."""
    names = {"n_embd": "hidden_size", "d_model": "hidden_size", "n_layer": "num_hidden_layers",
             "n_layers": "num_hidden_layers", "n_head": "num_attention_heads", "n_heads": "num_attention_heads",
             "num_experts": "experts", "num_local_experts": "experts", "n_routed_experts": "experts",
             "moe_num_experts": "experts", "num_experts_per_tok": "chosen", "moe_k": "chosen", "moe_top_k": "chosen",
             "n_shared_experts": "shared", "moe_num_shared_experts": "shared", "kv_n_heads": "num_key_value_heads",
             "first_k_dense_replace": "dense", "moe_layer_start_index": "dense",
             "ffn_hidden_size": "moe_intermediate_size"}  # fmt: skip
    flat = c | c.get("attn_config", {}) | c.get("ffn_config", {})
    return {str(names.get(name, name)): value for name, value in flat.items()}


def pairs_of_layer(c: dict[str, Any], n: int, N: int) -> int:
    """Pairs that layer n leaves: all before, or those of a window."""
    window = c.get("sliding_window")
    everywhere = {"gemma2": n % 2 == 1, "gpt_oss": n % 2 == 1, "gemma3_text": n % 6 == 5}
    if window is None or everywhere.get(c["model_type"], False):
        window = N
    return sum(min(i + 1, window) for i in range(N))


def cached_by_layer(c: dict[str, Any], n: int, N: int) -> int:
    """Tokens of which a layer keeps keys and values: of a window all but the one that leaves it next."""
    return min(N, c["sliding_window"] - 1) if pairs_of_layer(c, n, N + 1) < (N + 1) * (N + 2) // 2 else N


def count_attention(c: dict[str, Any], n: int, B: int, N: int, at: Count) -> None:
    kind, C, H = c["model_type"], c["hidden_size"], c["num_attention_heads"]
    pairs = B * H * pairs_of_layer(c, n, N)
    if "kv_lora_rank" in c:
        rank, rope, D, E = (c[f] for f in ("kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"))
        query, low = H * (D + rope), c["q_lora_rank"]
        at.matrices += C * query if low is None else C * low + low * query
        at.matrices += C * (rank + rope) + rank * H * (D + E) + H * E * C
        at.beside += rank + (low or 0)
        at.mixed += mixed(pairs, D + rope, E)
        at.cache += B * N * (rank + rope)
        return
    G = 1 if c.get("multi_query") else c.get("num_key_value_heads", H)
    D = c.get("head_dim") or C // H
    at.matrices += 2 * C * H * D + 2 * C * G * D
    inner, outer = BIASED.get(kind, (0, 0))
    at.beside += inner * (H + 2 * G) * D + outer * C
    at.beside += {"qwen3": 2 * D, "qwen3_moe": 2 * D, "gemma3_text": 2 * D, "dots1": 2 * D}.get(kind, 0)
    at.beside += (H + G) * D if kind in ("olmo2", "olmoe", "minimax_m2") else 0
    at.beside += H if kind == "gpt_oss" else 0  # sinks
    at.mixed += mixed(pairs, D)
    at.cache += 2 * B * cached_by_layer(c, n, N) * G * D


def count_feed_forward(c: dict[str, Any], n: int, at: Count) -> None:
    kind, C, F = c["model_type"], c["hidden_size"], c.get("intermediate_size") or 4 * c["hidden_size"]
    E = c.get("experts", 0)
    if E and n >= c.get("dense", 0) and (n + 1) % c.get("interleave_moe_layer_step", 1) == 0:
        F, chosen = c.get("moe_intermediate_size", F), c["chosen"]
        biases = 2 * F + C if kind == "gpt_oss" else 0
        at.matrices += chosen * 3 * C * F + C * E
        at.beside += chosen * biases + (E if kind in ("gpt_oss", "ernie4_5_moe") else 0)
        at.idle += (E - chosen) * (3 * C * F + biases)
        at.matrices += 3 * C * F * (1 if kind == "llama4_text" else c.get("shared", 0))
        at.matrices += 3 * C * c["shared_expert_intermediate_size"] + C if kind == "qwen2_moe" else 0
        return
    F = c.get("intermediate_size_mlp", F)
    at.matrices += (2 if kind in PLAIN else 3) * C * F
    at.beside += F + C if kind in PLAIN - {"falcon"} else 0


def by_hand(fields: dict[str, Any], B: int, N: int) -> Count:
    c, at = renamed(fields), Count()
    kind, C, V = c["model_type"], c["hidden_size"], c["vocab_size"]
    for n in range(c["num_hidden_layers"]):
        count_attention(c, n, B, N, at)
        count_feed_forward(c, n, at)
        at.beside += NORMS.get(kind, 2) * C
    at.beside += C * (2 if kind in {"phimoe", *PLAIN} else 1) + (V if kind == "phimoe" else 0)  # its head has a bias
    at.beside += c.get("n_positions", 0) * C
    if not c.get("tie_word_embeddings", kind in ("gpt2", "falcon")):
        at.beside += V * C
    at.matrices += V * C  # the head
    return at


def counted(folder: Path, fields: dict[str, Any], B: int, N: int, dtype: str) -> ModelCost:
    (folder / "config.json").write_text(json.dumps(fields))
    target = find_target(str(folder), dtype)
    return count_made(lambda: target.make(Request(batch=B, tokens=N)), None, "cpu", train=False)


def check(folder: Path, fields: dict[str, Any], B: int, N: int, dtype: str) -> None:
    c, hand = counted(folder, fields, B, N, dtype), by_hand(fields, B, N)
    active = hand.beside + hand.matrices
    needed = 2 * B * N * hand.matrices + hand.mixed
    assert (c.parameters, c.active) == (active + hand.idle, active)
    assert (c.forward.flops, c.backward.flops, c.unknown) == (needed, 2 * needed, {})
    assert all("assumed to be chosen evenly" in note for note in c.notes), c.notes
    assert bool(c.notes) == bool(hand.idle)


def cut(name: str) -> dict[str, Any]:
    """Two layers of a model, or as many as make one of each kind, one of them dense; windows that a test can fill."""
    fields = FIELDS[name] | ({"sliding_window": 50} if FIELDS[name].get("sliding_window") else {})
    depth = next(field for field in ("num_hidden_layers", "n_layers", "n_layer") if field in fields)
    fields |= {depth: 6 if "sliding_window_pattern" in fields else 2}
    return fields | ({"first_k_dense_replace": 1} if "first_k_dense_replace" in fields else {})


QUICK = (
    "gemma-2-2b",
    "gpt-oss-20b",
    "deepseek-v3",
    "llama-4-maverick",
    "qwen1.5-moe-a2.7b",
)


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in FIELDS])
def test_two_layers_at_full_width(name: str, tmp_path: Path) -> None:
    dtype = "bfloat16" if len(name) % 2 else "float32"
    check(tmp_path, cut(name), 1, 60, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("name", FIELDS)
def test_every_layer(name: str, tmp_path: Path) -> None:
    """As it is published, on as many tokens as its window does not hold, where it is short."""
    fields = FIELDS[name]
    check(tmp_path, fields, 2, 200 if (fields.get("sliding_window") or 999) < 200 else 30, "float32")
    kind = getattr(transformers, fields["architectures"][0])
    with torch.device("meta"):
        model = kind(transformers.AutoConfig.from_pretrained(tmp_path))
    hand = by_hand(fields, 1, 1)
    assert sum(p.numel() for p in model.parameters()) == hand.beside + hand.matrices + hand.idle


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_is_published(name: str) -> None:
    hand = by_hand(FIELDS[name], 1, 1)
    active = hand.beside + hand.matrices
    assert (round((active + hand.idle) / 1e9, 1), round(active / 1e9, 1)) == PUBLISHED[name]


@pytest.mark.parametrize(("name", "dtype"), [("gpt-oss-20b", "bfloat16"), ("deepseek-v3", "float32")])
def test_one_more_token_and_its_cache(name: str, dtype: str, tmp_path: Path) -> None:
    """Latents are kept where there are any, and expanded at every step; of a window nothing that it has left."""
    (tmp_path / "config.json").write_text(json.dumps(fields := cut(name)))
    N, itemsize = 60, {"bfloat16": 2, "float32": 4}[dtype]
    made = find_target(str(tmp_path), dtype).next_token(Request(batch=3), N, "h200")
    hand = by_hand(fields, 3, N)
    assert made.cache == hand.cache * itemsize
    active, c = hand.beside + hand.matrices, renamed(fields)
    chosen, E = c["chosen"], c["experts"]
    assert made.parameters == itemsize * (active + hand.idle)
    assert made.active == itemsize * (active + hand.idle * 2 * chosen // (E - chosen))  # three rows, other experts each
    H = c["num_attention_heads"]
    if name == "gpt-oss-20b":
        seen = (N + 1) + 50  # of a full layer and a window
        assert made.cost.forward.flops == 3 * (2 * hand.matrices + mixed(H * seen, c["head_dim"]))
    else:
        again = 2 * 2 * 512 * H * 256 * N  # two layers: keys and values of all that is kept, from latents of 512
        assert made.cost.forward.flops == 3 * (2 * hand.matrices + again + 2 * mixed(H * (N + 1), 192, 128))


@pytest.mark.parametrize(("name", "N"), [("mistral-7b", 32_768), ("gpt-oss-20b", 131_072)])
def test_windows_at_full_length(name: str, N: int, tmp_path: Path) -> None:
    """Masks that are values are counted at any length; one of all pairs would be a map of 1 GB or 17."""
    (tmp_path / "config.json").write_text(json.dumps(fields := FIELDS[name] | {"num_hidden_layers": 2}))
    target = find_target(str(tmp_path), attention="regard")
    c, hand = count_made(lambda: target.make(Request(tokens=N)), None, "cpu", train=False), by_hand(fields, 1, N)
    assert c.forward.flops == 2 * N * hand.matrices + hand.mixed
    assert not any("not known" in note for note in c.notes)


TINY = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "intermediate_size": 48, "vocab_size": 99, "head_dim": 16, "max_position_embeddings": 64}  # fmt: skip
ROUTED: dict[str, dict[str, Any]] = {
    "mixtral": {"num_local_experts": 4, "num_experts_per_tok": 2},
    "gpt_oss": {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 9},
}


@pytest.mark.parametrize(
    ("name", "experts", "attention"),
    [("mixtral", "eager", "sdpa"), ("mixtral", "batched_mm", "eager"), ("gpt_oss", "eager", "eager")],
)
def test_every_path_of_transformers_needs_the_same(name: str, experts: str, attention: str) -> None:
    """Loops over experts, which ask who was chosen, and weights that are gathered for every token."""
    fields = {"model_type": name, **TINY, **ROUTED[name]}
    config = transformers.AutoConfig.for_model(name, **TINY, **ROUTED[name], attn_implementation=attention)
    make: Callable[..., Any] = transformers.AutoModelForCausalLM.from_config
    with torch.device("meta"):
        module = make(config, experts_implementation=experts)
    B, N, hand = 2, 16, by_hand(fields, 2, 16)
    c = cost(module, torch.zeros(B, N, dtype=torch.long), optimizer=None)
    needed = 2 * B * N * hand.matrices + hand.mixed
    assert (c.forward.flops, c.backward.flops, c.active) == (needed, 2 * needed, hand.beside + hand.matrices)


def test_a_run_with_contents_routes_as_it_does() -> None:
    """Whichever experts real numbers choose, as many products are needed; nothing is assumed."""
    fields = {"model_type": "mixtral", **TINY, **ROUTED["mixtral"]}
    config = transformers.AutoConfig.for_model("mixtral", **TINY, **ROUTED["mixtral"])
    module = transformers.AutoModelForCausalLM.from_config(config, experts_implementation="eager")
    hand = by_hand(fields, 1, 16)
    c = cost(module, torch.arange(16)[None], optimizer=None, real=True)
    assert (c.forward.flops, c.active) == (2 * 16 * hand.matrices + hand.mixed, hand.beside + hand.matrices)
    assert c.notes == ("2 of 4 experts for each token",)


def test_one_more_token_where_the_code_asks_for_the_chosen(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(cut("dbrx") | {"vocab_size": 99, "d_model": 96, "n_heads": 48}))
    made = find_target(str(tmp_path)).next_token(Request(), 8, "cpu")
    assert made.cache == 2 * 2 * 8 * 8 * 2 * 4  # two layers, keys and values, tokens, heads of width 2
