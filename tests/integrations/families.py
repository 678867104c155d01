"""Small random models of the families of transformers, once with `eager` and once with `regard`."""

import copy
from typing import Any

import torch
import transformers
from torch import Tensor

from regard.integrations.transformers import register

register()

B, T, V = 3, 10, 61
GROUPED = {"num_key_value_heads": 2}
HEADS = {"head_dim": 8, **GROUPED}
EXPERTS = {"num_experts_per_tok": 2, "num_local_experts": 4, "num_experts": 4, "moe_intermediate_size": 16}
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "vocab_size": V,
    "initializer_range": 0.3,  # so that maps are far from uniform
    **TOKENS,
}
LAYERS = ["sliding_attention", "full_attention"]
IMAGE = {"image_size": 12, "patch_size": 4}
VISION = {
    name: SIZES[name] for name in ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
}
WRITERS: dict[str, dict[str, Any]] = {
    "Llama": GROUPED,
    "Mistral": {"sliding_window": 4, **GROUPED},
    "Mixtral": {"sliding_window": 4, **GROUPED, "num_local_experts": 4},
    "Qwen2": {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1, **GROUPED},
    "Qwen3": HEADS,
    "Qwen3Moe": {**HEADS, **EXPERTS},
    "Gemma2": {"sliding_window": 4, "query_pre_attn_scalar": 8, "attn_logit_softcapping": 2.0, **HEADS},
    "Gemma3Text": {"sliding_window": 4, "query_pre_attn_scalar": 8, "layer_types": LAYERS, **HEADS},
    "Phi3": {"sliding_window": 4, **GROUPED},
    "GptOss": {"sliding_window": 4, **HEADS, **EXPERTS},
    "Olmo2": {},
    "GPTNeoX": {},
    "Falcon": {},
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
    "OPT": {"ffn_dim": 32, "word_embed_proj_dim": 32},
    "Llama4Text": {
        "attention_chunk_size": 4, "num_local_experts": 2, "intermediate_size_mlp": 32,
        "no_rope_layers": [1, 0], **HEADS,
    },
}  # fmt: skip
READERS: dict[str, dict[str, Any]] = {
    "Bert": {},
    "Roberta": {},
    "ModernBert": {"local_attention": 6, "global_attn_every_n_layers": 2, "cls_token_id": 1, "sep_token_id": 2},
    "DistilBert": {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 32},
    "Electra": {"embedding_size": 32},
}
TRANSLATORS: dict[str, dict[str, Any]] = {
    "T5": {"d_model": 32, "d_kv": 8, "num_layers": 2, "num_heads": 4, "d_ff": 32, "decoder_start_token_id": 1},
    "Bart": {
        "d_model": 32, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "decoder_start_token_id": 0,
    },
}  # fmt: skip
DOORS = {"writes": "AutoModelForCausalLM", "reads": "AutoModelForMaskedLM", "translates": "AutoModelForSeq2SeqLM"}
KINDS = {
    **dict.fromkeys(WRITERS, "writes"),
    **dict.fromkeys(READERS, "reads"),
    **dict.fromkeys(TRANSLATORS, "translates"),
}


def configuration(family: str, **options: Any) -> Any:
    own = {**WRITERS, **READERS, **TRANSLATORS}[family]
    sizes = {**TOKENS, "vocab_size": V} if family == "T5" else SIZES
    return getattr(transformers, f"{family}Config")(**{**sizes, **own, **options})


def pair(config: Any, door: str, against: str = "eager") -> tuple[Any, Any]:
    """The same weights under both implementations."""
    auto = getattr(transformers, door)
    torch.manual_seed(0)
    theirs = auto.from_config(copy.deepcopy(config), attn_implementation=against).eval()
    ours = auto.from_config(copy.deepcopy(config), attn_implementation="regard").eval()
    ours.load_state_dict(theirs.state_dict())
    return theirs, ours


def models(family: str, **options: Any) -> tuple[Any, Any]:
    theirs, ours = pair(configuration(family, **options), DOORS[KINDS[family]])
    if family == "T5":  # tied to random embeddings, its head repeats the last token for ever
        theirs.lm_head.weight = ours.lm_head.weight = torch.nn.Parameter(torch.randn(V, 32))
    return theirs, ours


def real_tokens(side: str) -> Tensor:
    """Full, half and short rows, their pads at one side."""
    lengths = torch.tensor([T, 6, 2])[:, None]
    return torch.arange(T) < lengths if side == "right" else torch.arange(T) >= T - lengths


def inputs(family: str, real: Tensor) -> dict[str, Tensor]:
    ids = torch.randint(3, V, tuple(real.shape), generator=torch.Generator().manual_seed(1))
    given = {"input_ids": ids, "attention_mask": real.long()}
    return given | ({"decoder_input_ids": ids.flip(1)} if KINDS[family] == "translates" else {})
