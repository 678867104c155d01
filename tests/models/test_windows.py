"""A decoder that attends through a window keeps no more than the window in its caches."""

import pytest
import torch

from regard.analysis.cost import masks
from regard.analysis.cost.count import count_next_token
from regard.attention import Window
from regard.commands.targets import step_by_caches
from regard.models import BlockConfig, Decoder, DecoderConfig, Mechanism, PositionConfig


def decoder(before: int) -> Decoder:
    torch.manual_seed(0)
    block = BlockConfig(width=32, num_heads=4, num_groups=2, mechanism=Mechanism(mask=Window(before)))
    positions = PositionConfig(kind="rotary", context=64)
    return Decoder(DecoderConfig(vocabulary=50, depth=2, block=block, positions=positions)).double().eval()


def test_decoding_through_a_window_equals_the_whole() -> None:
    model, tokens = decoder(before=4), torch.randint(50, (2, 40))
    caches = model.caches(2, 40)
    assert [cache.window for cache in caches] == [5, 5]
    with torch.no_grad():
        whole = model(tokens).logits
        pieces = [model(piece, caches=caches).logits for piece in tokens.split([13, 1, 1, 20, 5], 1)]
    assert torch.allclose(torch.cat(pieces, 1), whole, atol=1e-10)
    assert decoder(before=30).caches(2, 40)[0].capacity == 40  # a window that saves nothing


def test_the_next_token_costs_the_window() -> None:
    model = decoder(before=4)
    found = count_next_token(model, 39, 1, step_by_caches(39, 1), "cpu")
    heads, kept = 4 * 8, 2 * 5  # twice the window is room
    assert found.cache == 2 * 2 * kept * 2 * 8 * 8  # two blocks, keys and values, two groups of width 8, float64
    layers = 2 * (2 * 32 * (2 * 32 + 2 * 16) + 2 * 8 * 32 * 32 + 4 * 5 * heads)
    assert found.cost.forward.flops == layers + 2 * 32 * 50


def test_the_caches_of_the_next_token_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, compute = [], masks.compute

    def computed(func, contents):
        out = compute(func, contents)
        taken.append(out.nbytes if isinstance(out, torch.Tensor) else 0)
        return out

    monkeypatch.setattr(masks, "compute", computed)
    cached = 1 << 16
    found = count_next_token(decoder(before=cached), cached, 1, step_by_caches(cached, 1), "cpu")
    assert found.cache > 4 * masks.MAX_BYTES_UNREAD  # keys and values of two blocks, which are zeros at first
    assert 0 < max(taken) <= masks.MAX_BYTES_UNREAD
