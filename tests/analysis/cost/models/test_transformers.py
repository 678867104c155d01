"""transformers' models, tiny and without memory, against counts by hand."""

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import pytest
import torch
import transformers
from torch import Tensor, nn

from regard.analysis.cost import cost
from tests.analysis.cost.by_hand import (
    LAYER,
    NORM,
    B,
    C,
    Case,
    D,
    F,
    H,
    S,
    T,
    floats,
    mixed,
    product,
    triangle,
    words,
)

V, P, L, G = 31, 16, 2, 2  # words, positions, layers, heads of keys and values
MAPS = product(B * T, C, 4 * C + 2 * F)  # projections and feed-forward of a layer
SIZES = {"hidden_size": C, "num_hidden_layers": L, "num_attention_heads": H, "intermediate_size": F}


@pytest.fixture(autouse=True)
def quiet():
    transformers.logging.set_verbosity_error()


def meta(make: Callable[[], nn.Module]) -> nn.Module:
    with torch.device("meta"):
        return make()


def bert(implementation: str) -> nn.Module:
    config = transformers.BertConfig(
        vocab_size=V, max_position_embeddings=P, attn_implementation=implementation, **SIZES
    )
    return meta(lambda: transformers.BertModel(config, add_pooling_layer=False))


PADS = torch.ones(B, T, dtype=torch.long)
PADS[1, 4:] = 0


@pytest.mark.parametrize(
    ("implementation", "mask", "pairs"),
    [("sdpa", None, B * T * T), ("sdpa", PADS, T * (T + 4)), ("eager", PADS, T * (T + 4))],
    ids=["sdpa", "sdpa, padded", "eager, padded"],
)
def test_bert(implementation: str, mask: Tensor | None, pairs: int):
    Case(
        make=lambda: bert(implementation),
        inputs=(words(B, T),),
        keywords={} if mask is None else {"attention_mask": mask},
        parameters=V * C + P * C + 2 * C + NORM + L * LAYER,
        forward=L * (MAPS + mixed(H * pairs)),
    ).check()


@pytest.mark.parametrize(("implementation", "padded"), [("sdpa", False), ("sdpa", True), ("eager", True)])
def test_gpt2(implementation: str, padded: bool):
    config = transformers.GPT2Config(
        vocab_size=V, n_positions=P, n_embd=C, n_layer=L, n_head=H, n_inner=F, attn_implementation=implementation
    )
    # The embedding is the head too. Pads stand at the end, and the second row has four words: min(i + 1, 4) keys.
    pairs = triangle(T) + (triangle(T, 4) if padded else triangle(T))
    Case(
        make=lambda: meta(lambda: transformers.GPT2LMHeadModel(config)),
        inputs=(words(B, T),),
        keywords={"attention_mask": PADS} if padded else {},
        parameters=V * C + P * C + L * LAYER + NORM,
        forward=L * (MAPS + mixed(H * pairs)) + product(B * T, C, V),
    ).check()


def test_gpt2_with_a_loss_goes_back_from_the_loss():
    config = transformers.GPT2Config(vocab_size=V, n_positions=P, n_embd=C, n_layer=L, n_head=H, n_inner=F)
    c = cost(meta(lambda: transformers.GPT2LMHeadModel(config)), words(B, T), labels=words(B, T), optimizer=None)
    assert c.forward.flops == L * (MAPS + mixed(B * H * triangle(T))) + product(B * T, C, V)
    assert c.backward.flops == 2 * c.forward.flops
    assert not c.unknown


@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
def test_llama_with_grouped_heads(implementation: str):
    config = transformers.LlamaConfig(
        vocab_size=V, max_position_embeddings=P, num_key_value_heads=G, attn_implementation=implementation, **SIZES
    )
    # keys and values are G·D wide, the feed-forward is three maps, two norms without biases; rotations are elementwise
    layer = 2 * C * C + 2 * C * G * D + 3 * C * F + 2 * C
    maps = product(B * T, C, 2 * C + 2 * G * D + 3 * F)
    Case(
        make=lambda: meta(lambda: transformers.LlamaForCausalLM(config)),
        inputs=(words(B, T),),
        parameters=2 * V * C + L * layer + C,
        forward=L * (maps + mixed(B * H * triangle(T))) + product(B * T, C, V),
    ).check()


def test_t5():
    buckets = 8
    config = transformers.T5Config(
        vocab_size=V, d_model=C, d_kv=D, d_ff=F, num_layers=L, num_heads=H, relative_attention_num_buckets=buckets
    )
    keys = torch.ones(B, S, dtype=torch.long)
    keys[0, 3:] = 0
    seen = 3 + S  # real words of the source
    encoder = 4 * C * C + 2 * C * F + 2 * C
    Case(
        make=lambda: meta(lambda: transformers.T5ForConditionalGeneration(config)),
        keywords={"input_ids": words(B, S), "decoder_input_ids": words(B, T), "attention_mask": keys},
        # one embedding, which is the head; a table of buckets for each side; three norms in a decoder layer
        parameters=V * C + 2 * buckets * H + L * (encoder + encoder + 4 * C * C + C) + 2 * C,
        forward=L * (product(B * S, C, 4 * C + 2 * F) + mixed(H * S * seen))
        + L * (product(B * T, C, 6 * C + 2 * F) + product(B * S, C, 2 * C))
        + L * (mixed(B * H * triangle(T)) + mixed(H * T * seen))
        + product(B * T, C, V),
    ).check()


def test_vit():
    image, patch = 8, 4
    N = (image // patch) ** 2 + 1
    config = transformers.ViTConfig(image_size=image, patch_size=patch, **SIZES)
    patches = product(B * (N - 1), 3 * patch**2, C)
    Case(
        make=lambda: meta(lambda: transformers.ViTModel(config, add_pooling_layer=False)),
        inputs=(floats(B, 3, image, image),),
        parameters=3 * patch**2 * C + C + C + N * C + L * LAYER + NORM,
        forward=patches + L * (product(B * N, C, 4 * C + 2 * F) + mixed(B * H * N * N)),
        unasked=patches,  # images
    ).check()


def test_decoding_behind_a_cache():
    """One new word behind P − 1 cached ones sees P keys; keys of another call count where it was made."""
    config = transformers.GPT2Config(vocab_size=V, n_positions=P, n_embd=C, n_layer=L, n_head=H, n_inner=F)

    class Next(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = transformers.GPT2LMHeadModel(config)

        def forward(self, before: Tensor, x: Tensor) -> Any:
            cache = self.model(before).past_key_values
            return self.model(x, past_key_values=cache).logits

    n = P - 1
    with torch.no_grad():
        both = cost(meta(Next), words(B, n), words(B, 1), optimizer=None)
        first = cost(meta(Next).model, words(B, n), optimizer=None)
    token = L * (product(B, C, 4 * C + 2 * F) + mixed(B * H * P)) + product(B, C, V)
    assert both.forward.flops - first.forward.flops == token
