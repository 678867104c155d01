"""Models in half precision are as far from float32 as they are with `eager`: sinks, caps, biases and windows too.

On the GPU other algorithms run than on the CPU; tests/gpu.py runs this file there.
"""

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.integrations.families import DOORS, KINDS, configuration, inputs, pair, real_tokens

# Wide enough for a GPU's kernels. All experts take every token, and no unit has an edge: both would jump.
WIDE = {"hidden_size": 128, "intermediate_size": 64, "initializer_range": 0.1, "max_position_embeddings": 128}
OWN: dict[str, dict[str, Any]] = {
    "Llama": WIDE,
    "Mistral": WIDE,
    "Gemma2": {**WIDE, "head_dim": 32, "query_pre_attn_scalar": 32},
    "GptOss": {**WIDE, "head_dim": 32, "num_experts_per_tok": 4},
    "Falcon": WIDE,
    "Bert": WIDE,
    "ModernBert": WIDE,
    "T5": {"d_model": 128, "d_kv": 32, "d_ff": 64, "feed_forward_proj": "gated-gelu"},
}
CASES = [(family, "right", torch.bfloat16) for family in OWN]
CASES += [(family, "left", torch.float16) for family in ("Gemma2", "GptOss", "T5")]


def result(model: Any, keep: Tensor, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """Logits at real tokens, and every gradient of a loss on them."""
    logits = model(**given).logits[keep].float()
    logits.log_softmax(-1)[:, 0].mean().backward()
    found = {name: p.grad.float() for name, p in model.named_parameters() if p.grad is not None}
    model.zero_grad()
    return {"logits": logits.detach(), **found}


@pytest.mark.parametrize(("family", "side", "dtype"), CASES, ids=str)
def test_half_precision_is_as_near_as_eager(family: str, side: str, dtype: torch.dtype, device: torch.device):
    theirs, ours = (model.to(device) for model in pair(configuration(family, **OWN[family]), DOORS[KINDS[family]]))
    real = real_tokens(side).repeat_interleave(7, 1)
    given = {name: x.to(device) for name, x in inputs(family, real).items()}
    keep = (torch.ones_like(real) if KINDS[family] == "translates" else real).to(device)
    exact, single = (result(model, keep, given) for model in (theirs, ours))
    half, found = (result(model.to(dtype), keep, given) for model in (theirs, ours))
    assert found.keys() == single.keys() == half.keys() == exact.keys()
    gradients = torch.cat([x.flatten() for name, x in exact.items() if name != "logits"]).norm()
    for name, wanted in exact.items():
        # Of a gradient that is zero but for rounding, as of a bias of keys, the size of the others is the measure.
        size = wanted.norm() + (0 if name == "logits" else 0.02 * gradients)
        assert (single[name] - wanted).norm() < 1e-4 * size, name
        assert (found[name] - wanted).norm() < 1.5 * (half[name] - wanted).norm() + 4e-3 * size, name
