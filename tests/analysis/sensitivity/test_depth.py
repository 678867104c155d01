"""What gradients and tokens do on their way through many blocks."""

import math

import pytest
import torch
from torch import nn

from regard.analysis import depth_flow, flow
from regard.analysis.sensitivity.depth import Wired, similarity
from regard.models import Block, BlockConfig, NormConfig
from regard.models.block import EVERYTHING, Around

DEPTHS = (4, 64)


@pytest.mark.parametrize(
    ("residual", "norm", "low", "high", "alike"),
    [
        (False, "none", 1e-19, 1e-16, True),  # vanishes
        (True, "none", 1e15, 1e19, False),  # explodes
        (False, "pre", 1e-3, 0.9, True),  # shrinks, and all tokens are one
        (False, "post", 1e-3, 0.9, True),
        (True, "pre", 0.3, 3, False),
        (True, "post", 0.1, 10, False),
    ],
)
def test_only_a_residual_with_a_norm_keeps_gradient_and_tokens(residual, norm, low, high, alike) -> None:
    found = depth_flow(DEPTHS, residual=residual, norm=norm, seed=1)
    assert low < found.at(64)[0] < high
    assert (1 - found.at(4)[1] < 1e-3) is alike


def test_wider_heads_explode_further() -> None:
    assert depth_flow((64,), residual=True, norm="none", num_heads=4).gradient[0] > 1e60


@pytest.mark.parametrize("first", [True, False])
def test_a_wired_block_with_both_is_the_block_of_the_models(first: bool) -> None:
    torch.manual_seed(0)
    block = Block(BlockConfig(width=8, num_heads=2, norm=NormConfig(first=first)))
    for norm in (block.norm, block.feed_forward_norm):
        nn.init.normal_(norm.weight)  # pyright: ignore[reportArgumentType] - a norm's weight is a parameter
    wired = Wired((block.attention, block.feed_forward), 8, residual=True, norm="pre" if first else "post")
    wired.norms = nn.ModuleList((block.norm, block.feed_forward_norm))
    x = torch.randn(2, 5, 8)
    assert torch.equal(wired(x), block(x, Around(mask=EVERYTHING)))


def test_flow_is_that_of_the_jacobian() -> None:
    torch.manual_seed(0)
    layer, x = nn.Linear(3, 3).double(), torch.randn(2, 5, 3, dtype=torch.float64)
    found = flow([layer, nn.Tanh(), layer], x, (1, 3), last=nn.Softmax(-1), seed=4)
    g = torch.randn(x.shape, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
    whole = nn.Sequential(layer, nn.Tanh(), layer, nn.Softmax(-1))
    jacobian = torch.autograd.functional.jacobian(whole, x)
    expected = torch.tensordot(g, jacobian, 3).norm() / g.norm()  # pyright: ignore[reportArgumentType]
    assert math.isclose(found.gradient[1], expected.item(), rel_tol=1e-12)
    assert math.isclose(found.similarity[1], similarity(whole(x)), rel_tol=1e-12)


def test_similarity_is_the_mean_cosine_of_pairs_however_small_the_tokens() -> None:
    x = torch.randn(3, 4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    pairs = [torch.cosine_similarity(row[i], row[j], dim=0) for row in x for i in range(4) for j in range(4) if i != j]
    expected = torch.stack(pairs).mean().item()
    assert math.isclose(similarity(x), expected, rel_tol=1e-12)
    assert math.isclose(similarity(x * 1e-200), expected, rel_tol=1e-12)


def test_the_global_random_state_stays_and_seeds_matter() -> None:
    state = torch.random.get_rng_state()
    how = {"residual": True, "norm": "pre", "width": 8, "num_heads": 2, "tokens": 4}
    one, same, other = (depth_flow((1, 2), **how, seed=seed) for seed in (0, 0, 1))
    assert one == same != other
    assert torch.equal(torch.random.get_rng_state(), state)


def test_what_cannot_be_followed_is_refused() -> None:
    x, block = torch.randn(1, 2, 3), nn.Identity()
    for depths in ((), (0,), (2, 1), (1, 1), (3,)):
        with pytest.raises(ValueError, match=r"depths must rise within 1…2, the number of blocks: got \("):
            flow([block, block], x, depths)
    with pytest.raises(ValueError, match=r"got 3; use one of \(1, 2\)"):
        flow([block, block], x, (1, 2)).at(3)
    with pytest.raises(ValueError, match=r"norm must be 'none', 'pre' or 'post': got norm='both'"):
        Wired([block], 3, residual=True, norm="both")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match=r"similarity is of two tokens or more: got T=1"):
        similarity(x[:, :1])
    with pytest.raises(ValueError, match=r"width must be a whole number from 1 .* got width=0"):
        depth_flow((1,), residual=True, norm="pre", width=0)
