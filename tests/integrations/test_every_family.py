"""Every family of transformers that writes or fills in text: equal to `eager`, or refused with a reason."""

import inspect
from typing import Any

import pytest
import torch
from transformers import CONFIG_MAPPING
from transformers.models.auto import modeling_auto

from tests.integrations.families import EXPERTS, HEADS, SIZES, TOKENS, B, T, V, pair, real_tokens

DOORS = {
    "AutoModelForCausalLM": modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    "AutoModelForMaskedLM": modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    "AutoModelForSeq2SeqLM": modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
}
FAMILIES = {family: door for door, families in reversed(DOORS.items()) for family in families}
LARGEST = 3_000_000  # parameters that a family may have under the usual names of sizes
# What configurations call their sizes.
NAMES = {
    **{"d_model": 32, "n_embd": 32, "dim": 32, "embedding_size": 32, "word_embed_proj_dim": 32},
    **{"encoder_layers": 2, "decoder_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2},
    **{"encoder_attention_heads": 4, "decoder_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4},
    **{"encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "ffn_dim": 32, "d_ff": 32, "hidden_dim": 32, "d_kv": 8},
    **{"n_positions": 64, "rotary_dim": 8, "sliding_window": 4, "decoder_start_token_id": 1},
    **{"q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 4},
    **{"n_routed_experts": 4, "n_shared_experts": 1, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1},
}
REFUSALS = (
    "regard takes no keyword",
    "a mask of regard is for layers",
    "'regard'",
    "came without a mask",
    "and no mask from",
)


def small_models(family: str) -> tuple[Any, Any]:
    """A small model of a family under both implementations, where the usual names make one."""
    import transformers

    kind = CONFIG_MAPPING[family]
    fields = {*inspect.signature(kind.__init__).parameters, *getattr(kind, "__dataclass_fields__", ()), *TOKENS}
    usual = {**SIZES, **HEADS, **EXPERTS, **NAMES, "initializer_range": 0.1}  # deep ones blow roundings up
    sizes = {name: size for name, size in usual.items() if name in fields}
    if "kv_lora_rank" in sizes:  # latent attention: head_dim is that of the rotated part, all heads have keys
        sizes |= {"head_dim": 8, "num_key_value_heads": 4}
    try:
        config = kind(**sizes)
        with torch.device("meta"):
            size = sum([p.numel() for p in getattr(transformers, FAMILIES[family]).from_config(config).parameters()])
    except Exception as error:
        pytest.skip(f"cannot be made from the usual sizes: {error}")
    if size > LARGEST:
        pytest.skip(f"has {size} parameters at the usual sizes")
    try:
        return pair(kind(**sizes), FAMILIES[family])
    except KeyError as error:
        check_refused(error)
        raise


def check_refused(error: Exception) -> None:
    """End the test where the error is a refusal of ours, or a table that has no class of that name."""
    if any([reason in str(error) for reason in REFUSALS]):
        pytest.skip(f"refused: {error}")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", FAMILIES)
def test_equal_to_eager_or_refused(family):
    theirs, ours = small_models(family)
    real, ids = real_tokens("right"), torch.randint(3, V, (B, T))
    given = {"input_ids": ids, "attention_mask": real.long()}
    if FAMILIES[family] == "AutoModelForSeq2SeqLM":
        given["decoder_input_ids"], real = ids.flip(1), torch.ones_like(real)
    try:
        with torch.no_grad():
            wanted = theirs(**given).logits[real]
    except Exception as error:
        pytest.skip(f"does not run at the usual sizes: {error}")
    try:
        with torch.no_grad():
            found = ours(**given).logits[real]
    except (ValueError, AttributeError) as error:
        check_refused(error)
        raise
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-5 * max(1.0, wanted.abs().max().item()))
