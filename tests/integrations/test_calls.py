"""What a layer of transformers passes beside q, k and v is used, known to say nothing, or refused by its name."""

import sys

import pytest
import torch
from torch import nn
from transformers.masking_utils import bidirectional_mask_function

from regard import Attention, attend, weights
from regard.attention import Bias, Causal, Content, Dense
from regard.checks import MissingExtra
from regard.integrations.transformers import register
from regard.integrations.transformers.calls import attend_for_module
from regard.integrations.transformers.masks import make_mask

B, H, G, T, D = 2, 4, 2, 7, 8
LEAST = torch.finfo(torch.float32).min


@pytest.fixture
def tensors():
    torch.manual_seed(0)
    return torch.randn(B, H, T, D), torch.randn(B, G, T, D), torch.randn(B, G, T, D)


def test_scaling_and_maps(tensors):
    q, k, v = tensors
    attention = Attention(Content(0.3), Causal())
    out, maps = attend_for_module(nn.Module(), q, k, v, make_mask(B, T, T), scaling=0.3, output_attentions=True)
    torch.testing.assert_close(out, attend(q, k, v, attention).transpose(1, 2))
    torch.testing.assert_close(maps, weights(q, k, attention))
    learnt = torch.tensor(0.3, requires_grad=True)
    out, none = attend_for_module(nn.Module(), q, k, v, make_mask(B, T, T), scaling=learnt)
    torch.testing.assert_close(out, attend(q, k, v, attention).transpose(1, 2))
    out.sum().backward()
    assert none is None
    assert learnt.grad is not None


def test_learnt_queries_are_those_of_all_rows(tensors):
    """As in Granite Speech, whose one row of queries looks at many windows."""
    q, k, v = tensors
    out, _ = attend_for_module(nn.Module(), q[:1], k, v, None)
    torch.testing.assert_close(out, attend(q[:1].expand(B, -1, -1, -1), k, v).transpose(1, 2))


def test_a_position_bias_learns(tensors):
    q, k, v = tensors
    bias = torch.randn(1, H, T, T, requires_grad=True)
    out, _ = attend_for_module(nn.Module(), q, k, v, make_mask(B, T, T), position_bias=bias)
    wanted = attend(q, k, v, Attention(Content() + Bias(bias), Causal())).transpose(1, 2)
    torch.testing.assert_close(out, wanted)
    found, expected = (torch.autograd.grad(x.square().sum(), bias)[0] for x in (out, wanted))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("rows", [1, B])
@pytest.mark.parametrize("queries", [1, T])
def test_a_mask_of_the_model_itself(tensors, rows, queries):
    q, k, v = tensors
    allowed = torch.rand(rows, 1, queries, T) > 0.4
    allowed[..., 0] = True
    wanted = attend(q, k, v, Attention(mask=Dense(allowed.expand(B, 1, T, T)))).transpose(1, 2)
    for mask in (allowed, torch.where(allowed, 0.0, LEAST), torch.where(allowed, 0.0, -torch.inf)):
        torch.testing.assert_close(attend_for_module(nn.Module(), q, k, v, mask)[0], wanted)
    added = torch.where(allowed, torch.randn(rows, 1, queries, T), LEAST)
    logits = (q @ k.repeat_interleave(2, 1).mT / D**0.5 + added).softmax(-1)
    wanted = (logits @ v.repeat_interleave(2, 1)).transpose(1, 2)
    torch.testing.assert_close(attend_for_module(nn.Module(), q, k, v, added)[0], wanted)


def test_no_mask_is_what_the_caller_says(tensors):
    q, k, v = tensors
    module = nn.Module()
    everything, causal = (attend(q, k, v, a).transpose(1, 2) for a in (Attention(), Attention(mask=Causal())))
    torch.testing.assert_close(attend_for_module(module, q, k, v, None)[0], everything)
    torch.testing.assert_close(attend_for_module(module, q, k, v, None, is_causal=True)[0], causal)
    module.is_causal = True
    torch.testing.assert_close(attend_for_module(module, q, k, v, None, is_causal=False)[0], everything)
    with pytest.raises(
        ValueError, match=r"Module is causal but came without a mask.*pass is_causal=True or False.*use attn"
    ):
        attend_for_module(module, q, k, v, None)


def test_unknown_keywords_are_refused_by_name(tensors):
    q, k, v = tensors
    silent = {
        "position_ids": torch.arange(T),
        "use_cache": True,
        "head_mask": None,
        "num_items_in_batch": 3,
        "labels": torch.zeros(T),
        "pixel_values": torch.zeros(1, 3, 4, 4),
        "vision_feature_layer": -1,
    }
    attend_for_module(nn.Module(), q, k, v, make_mask(B, T, T), **silent)
    with pytest.raises(ValueError, match='got head_mask, temperature from Module; use attn_implementation="eager"'):
        attend_for_module(nn.Module(), q, k, v, None, temperature=2.0, head_mask=torch.ones(H))
    with pytest.raises(ValueError, match="got cu_seq_lens_q from Module; pass position_ids that start again"):
        attend_for_module(nn.Module(), q, k, v, make_mask(B, T, T), cu_seq_lens_q=torch.tensor([0, T]))


def test_a_mask_of_a_wrong_form_is_refused(tensors):
    q, k, v = tensors
    with pytest.raises(ValueError, match=r"must be a tensor \(B, 1 or H, 1 or T, S\): got \(2, 7\)"):
        attend_for_module(nn.Module(), q, k, v, torch.ones(B, T))
    with pytest.raises(ValueError, match=r"booleans or numbers to add to the logits: got torch.int64"):
        attend_for_module(nn.Module(), q, k, v, torch.ones(B, 1, T, T, dtype=torch.long))


def test_a_mask_of_other_tokens_is_refused_where_it_hides_any(tensors):
    """DeepSeek V4 appends keys, and tells about them by a tensor alone; Q-Formers take a part of the queries."""
    q, k, v = tensors
    for part in (slice(0, T - 1), slice(1, T)):
        with pytest.raises(ValueError, match="got T=7, S=6 from Module, and a mask made for T=7, S=7; use attn_impl"):
            attend_for_module(nn.Module(), q, k[:, :, part], v[:, :, part], make_mask(B, T, T))
    with pytest.raises(ValueError, match="got T=6, S=7 from Module, and a mask made for T=7, S=7"):
        attend_for_module(nn.Module(), q[:, :, 1:], k, v, make_mask(B, T, T))
    everything = make_mask(B, T, 9, mask_function=bidirectional_mask_function)
    out, _ = attend_for_module(nn.Module(), q[:, :, 1:], k, v, everything)
    torch.testing.assert_close(out, attend(q[:, :, 1:], k, v).transpose(1, 2))


def test_one_token_sees_all_keys_that_its_mask_was_not_told_of(tensors):
    """RecurrentGemma keeps its cache to itself: a mask of one key stands for all, as where it is broadcast."""
    q, k, v = tensors
    out, _ = attend_for_module(nn.Module(), q[:, :, :1], k, v, make_mask(B, 1, 1))
    torch.testing.assert_close(out, attend(q[:, :, :1], k, v).transpose(1, 2))


def test_types_that_autocast_mixes(tensors):
    q, k, v = tensors
    with torch.autocast("cpu", torch.bfloat16):
        out, _ = attend_for_module(nn.Module(), q, k, v.bfloat16(), None)
    assert out.dtype == torch.bfloat16
    wanted = attend(*[x.bfloat16() for x in (q, k, v)]).transpose(1, 2)
    torch.testing.assert_close(out, wanted)


def test_without_transformers_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(
        MissingExtra, match=r"must have transformers 5.22 or newer: got none; use pip install 'regard\[tr"
    ):
        register()
