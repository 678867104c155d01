"""torch's own attention modules, on every path through them, against counts by hand."""

import csv
import io
import json
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.analysis.cost import cost
from tests.analysis.cost.by_hand import FOUR, LAYER, NORM, B, C, Case, F, H, S, T, floats, mixed, product, triangle

X, MEMORY = floats(B, T, C), floats(B, S, C)
PROJECTED = product(B * T, C, 4 * C)
INPUTS = product(B * T, C, 3 * C)  # back to a sequence that asks for no gradient
SQUARE = mixed(B * H * T * T)
PADS = torch.zeros(B, T, dtype=torch.bool)
PADS[1, 4:] = True  # rows of 7 and 4 real keys
REAL = T + 4
CAUSAL = nn.Transformer.generate_square_subsequent_mask(T)


def attention(**options: Any) -> nn.MultiheadAttention:
    return nn.MultiheadAttention(C, H, batch_first=True, **options)


def zeros_of(mask: Tensor) -> Tensor:
    """The same mask as floats: −∞ where a pair is hidden."""
    return torch.zeros(mask.shape).masked_fill(mask, -torch.inf)


CALLS: dict[str, tuple[dict[str, Any], int]] = {
    "with weights": ({}, SQUARE),
    "weights of each head": ({"average_attn_weights": False}, SQUARE),
    "without weights": ({"need_weights": False}, SQUARE),
    "pads": ({"key_padding_mask": PADS}, mixed(H * T * REAL)),
    "pads, without weights": ({"key_padding_mask": PADS, "need_weights": False}, mixed(H * T * REAL)),
    "pads as floats": ({"key_padding_mask": zeros_of(PADS), "need_weights": False}, mixed(H * T * REAL)),
    "causal": ({"attn_mask": CAUSAL.bool()}, mixed(B * H * triangle(T))),
    "causal, without weights": ({"attn_mask": CAUSAL.bool(), "need_weights": False}, mixed(B * H * triangle(T))),
    "causal as floats": ({"attn_mask": CAUSAL}, mixed(B * H * triangle(T))),
    "causal by its hint": ({"attn_mask": CAUSAL, "is_causal": True, "need_weights": False}, mixed(B * H * triangle(T))),
    # the second row sees min(i + 1, 4) keys
    "causal and pads": (
        {"attn_mask": CAUSAL.bool(), "key_padding_mask": PADS},
        mixed(H * (triangle(T) + triangle(T, 4))),
    ),
    "a mask for each head": (
        {"attn_mask": torch.cat([PADS[1].expand(1, T, T)] + [torch.zeros(1, T, T).bool()] * (B * H - 1))},
        mixed((B * H - 1) * T * T + 4 * T),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_multi_head_attention(name: str):
    keywords, needed = CALLS[name]
    Case(
        make=attention, inputs=(X, X, X), keywords=keywords,
        parameters=FOUR, forward=PROJECTED + needed, unasked=INPUTS,
    ).check()  # fmt: skip
    if name in ("with weights", "pads, without weights"):  # the fast paths of inference need the same
        for quiet in (torch.no_grad(), torch.inference_mode()):
            with quiet:
                c = cost(attention().eval(), X, X, X, **keywords)
            assert (c.forward.flops, c.backward.flops) == (PROJECTED + needed, 0)


def test_multi_head_attention_of_other_widths():
    k, v = floats(B, S, 10), floats(B, S, 6, grad=True)
    Case(
        make=lambda: attention(kdim=10, vdim=6),
        inputs=(X, k, v),
        parameters=FOUR + C * (10 - C) + C * (6 - C),
        # query and output of T tokens, keys of width 10 and values of width 6 of S
        forward=product(B * T, C, 2 * C) + product(B * S, 10, C) + product(B * S, 6, C) + mixed(B * H * T * S),
        unasked=product(B * T, C, C) + product(B * S, 10, C),
    ).check()


def test_multi_head_attention_to_keys_that_it_adds():
    # one key more, of zeros
    Case(
        make=lambda: attention(add_zero_attn=True), inputs=(X, X, X),
        parameters=FOUR, forward=PROJECTED + mixed(B * H * T * (T + 1)), unasked=INPUTS,
    ).check()  # fmt: skip
    # one key more that is learnt, of width C, and its value
    Case(
        make=lambda: attention(add_bias_kv=True), inputs=(X, X, X), keywords={"key_padding_mask": PADS},
        parameters=FOUR + 2 * C, forward=PROJECTED + mixed(H * T * (REAL + B)), unasked=INPUTS,
    ).check()  # fmt: skip


def test_sequence_first_without_a_batch_and_without_biases():
    x = floats(T, B, C)
    Case(
        make=lambda: nn.MultiheadAttention(C, H, bias=False), inputs=(x, x, x),
        parameters=4 * C * C, forward=PROJECTED + SQUARE, unasked=INPUTS,
    ).check()  # fmt: skip
    x = floats(T, C)
    Case(
        make=attention, inputs=(x, x, x),
        parameters=FOUR, forward=(PROJECTED + SQUARE) // B, unasked=INPUTS // B,
    ).check()  # fmt: skip


FEED = product(B * T, C, 2 * F)


def encoder_layer(**options: Any) -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(C, H, F, batch_first=True, **options)


@pytest.mark.parametrize("first", [False, True], ids=["post-norm", "pre-norm"])
@pytest.mark.parametrize(
    ("keywords", "needed"),
    [
        ({}, SQUARE),
        ({"src_key_padding_mask": PADS}, mixed(H * T * REAL)),
        ({"src_mask": CAUSAL, "is_causal": True}, mixed(B * H * triangle(T))),
    ],
    ids=["all", "pads", "causal"],
)
def test_encoder_layer(first: bool, keywords: dict[str, Any], needed: int):
    forward = PROJECTED + FEED + needed
    # Before the first norm x is only added: the norm's weight learns, so the gradient goes on to it.
    unasked = 0 if first else INPUTS
    make = lambda: encoder_layer(norm_first=first)  # noqa: E731
    Case(make=make, inputs=(X,), keywords=keywords, parameters=LAYER, forward=forward, unasked=unasked).check()
    for quiet in (torch.no_grad(), torch.inference_mode()) if keywords else ():  # the fast path, in one operation
        with quiet:
            assert cost(make().eval(), X, **keywords).forward.flops == forward


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("quiet", [False, True], ids=["training", "nested tensors"])
def test_encoder(quiet: bool):
    encoder = nn.TransformerEncoder(encoder_layer(), 2, nn.LayerNorm(C))
    with torch.no_grad() if quiet else nullcontext():
        c = cost(encoder.train(not quiet), X, src_key_padding_mask=PADS)
    forward = PROJECTED + FEED + mixed(H * T * REAL)
    assert c.parameters == 2 * LAYER + NORM
    assert c.forward.flops == 2 * forward
    assert c.backward.flops == (0 if quiet else 4 * forward - INPUTS)
    assert c["layers.1"].forward.flops == forward
    assert c["layers.1.self_attn"].attention == mixed(H * T * REAL)
    assert not c.unknown


DECODER = LAYER + FOUR + NORM
# causal self-attention; queries and output of T, keys and values of S, T·S pairs; feed-forward
DECODED = (
    PROJECTED
    + mixed(B * H * triangle(T))
    + product(B * T, C, 2 * C)
    + product(B * S, C, 2 * C)
    + mixed(B * H * T * S)
    + FEED
)
MEMORISED = product(B * S, C, 2 * C)


def test_decoder_layer():
    Case(
        make=lambda: nn.TransformerDecoderLayer(C, H, F, batch_first=True),
        inputs=(X, MEMORY),
        keywords={"tgt_mask": CAUSAL, "tgt_is_causal": True},
        parameters=DECODER,
        forward=DECODED,
        unasked=INPUTS + MEMORISED,
    ).check()
    pads = torch.zeros(B, S, dtype=torch.bool)
    pads[0, 2:] = True
    Case(
        make=lambda: nn.TransformerDecoderLayer(C, H, F, batch_first=True),
        inputs=(X, MEMORY),
        keywords={"memory_key_padding_mask": pads},
        parameters=DECODER,
        forward=DECODED + mixed(B * H * (T * T - triangle(T))) - mixed(H * T * 3),
        unasked=INPUTS + MEMORISED,
    ).check()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
def test_transformer():
    source, target = floats(B, S, C), X
    encoded = product(B * S, C, 4 * C + 2 * F) + mixed(B * H * S * S)
    Case(
        make=lambda: nn.Transformer(C, H, 2, 3, F, batch_first=True),
        inputs=(source, target),
        keywords={"tgt_mask": CAUSAL, "tgt_is_causal": True},
        parameters=2 * LAYER + NORM + 3 * DECODER + NORM,
        forward=2 * encoded + 3 * DECODED,
        unasked=product(B * S, C, 3 * C) + INPUTS,  # source and target; the memory's gradient is asked for
    ).check(modes=(True,))


def test_the_count_as_json_and_csv():
    c = cost(encoder_layer(), X)
    lines = list(csv.DictReader(io.StringIO(c.csv())))
    parsed = json.loads(c.json())
    assert [line["module"] for line in lines] == [part["name"] for part in parsed["modules"]]
    forward = PROJECTED + FEED + SQUARE
    assert int(lines[0]["forward flops"]) == parsed["forward"]["flops"] == c.forward.flops == forward
    assert parsed["memory"]["parameters"] == c.memory.parameters
    assert sum(work.flops for work in c.operations["forward"].values()) == forward
    assert sum(work.flops for work in c.operations["backward"].values()) == c.backward.flops


def test_attention_stands_beside_projections():
    c = cost(encoder_layer(), X)
    assert c["self_attn"].attention == c[""].attention == SQUARE
    assert c["linear1"].forward.flops == product(B * T, C, F)
    assert c["linear1"].backward.flops == 2 * product(B * T, C, F)
    assert c["self_attn"].backward.flops == 2 * (PROJECTED + SQUARE) - INPUTS
    with pytest.raises(KeyError, match="no module 'linear': did you mean linear"):
        c["linear"]
