"""What the built layers compute, counted: patches against channels, groups, windows, and sparse patterns."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

from regard import attend, plan
from regard.attention import (
    Attention,
    Axial,
    Blocks,
    Dilated,
    Everything,
    GlobalTokens,
    Grid,
    Mask,
    Neighbours,
    Positions,
    SameColumn,
    SameRow,
    Sequence,
    Strided,
    Tiles,
    Window,
)
from regard.layers import ChannelAttention, MultiHead, PooledMultiHead, WindowAttention

N, C = 256, 512  # 16×16 patches, 512 channels
IMAGE = Grid(16, 16)

Call = tuple[Tensor, Tensor, Tensor, Attention]


@contextmanager
def attending(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Call]]:
    """The calls of `attend` that layers make, all that they do between their projections."""
    calls: list[Call] = []

    def spy(q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, **how: Any) -> Tensor:
        calls.append((q, k, v, attention))
        return attend(q, k, v, attention, dropout=dropout, **how)

    with monkeypatch.context() as patch:
        for method in (MultiHead.mix, ChannelAttention.forward):
            patch.setitem(inspect.unwrap(method).__globals__, "attend", spy)
        yield calls


def sdpa_on_cpu(q: torch.Size, k: torch.Size, v: torch.Size, *_args: object, **_options: object) -> int:
    """Torch counts its CUDA kernels, and takes that of the CPU for free."""
    return sdpa_flop_count(q, k, v)


CPU_KERNEL = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: sdpa_on_cpu}


def multiply_adds(compute: Callable[[], object]) -> int:
    with FlopCounterMode(display=False, custom_mapping=CPU_KERNEL) as counter, torch.no_grad():
        compute()
    return counter.get_total_flops() // 2


def counted(layer: nn.Module, monkeypatch: pytest.MonkeyPatch, **call: object) -> tuple[int, int, int]:
    """Multiply-adds of the projections, of logits and mixing by torch's counter, and the latter by the plan."""
    x = torch.randn(1, N, C)
    with attending(monkeypatch) as calls:
        total = multiply_adds(lambda: layer(x, **call))
    (given,) = calls
    attended = multiply_adds(lambda: attend(*given))
    with torch.no_grad():
        answer = plan(*given)
    (planned,) = [c.cost.flops for c in answer.candidates if c.name == answer.chosen and c.cost is not None]
    return total - attended, attended, planned // 2


@pytest.mark.parametrize("num_heads", [1, 8])
def test_between_patches(num_heads: int, monkeypatch: pytest.MonkeyPatch):
    layer = MultiHead(C, num_heads)
    projections, attended, planned = counted(layer, monkeypatch)
    assert projections == 4 * N * C**2 == 268_435_456
    assert attended == planned == 2 * N**2 * C == 67_108_864
    assert layer.weights(torch.randn(1, N, C)).shape == (1, num_heads, N, N)


@pytest.mark.parametrize(("num_groups", "million"), [(1, 134.2), (16, 8.4)])
def test_between_channels(num_groups: int, million: float, monkeypatch: pytest.MonkeyPatch):
    layer = ChannelAttention(C, num_groups)
    projections, attended, planned = counted(layer, monkeypatch)
    assert projections == 4 * N * C**2
    assert attended == planned == 2 * C**2 * N // num_groups
    assert round(attended / 1e6, 1) == million
    assert layer.weights(torch.randn(1, N, C)).numel() == C**2 // num_groups


def test_channels_against_patches(monkeypatch: pytest.MonkeyPatch):
    """Twice as much between the projections, a fifth more with them, four times the entries of the softmax."""
    projections, patches, _ = counted(MultiHead(C, 1), monkeypatch)
    _, channels, _ = counted(ChannelAttention(C), monkeypatch)
    assert channels / patches == C / N == 2
    assert (projections + channels) / (projections + patches) == pytest.approx(1.2)
    x = torch.randn(1, N, C)
    assert ChannelAttention(C).weights(x).numel() / MultiHead(C, 1).weights(x).numel() == (C / N) ** 2


def test_in_windows(monkeypatch: pytest.MonkeyPatch):
    projections, attended, planned = counted(WindowAttention(C, 8, window=8, tables=False), monkeypatch, keys=IMAGE)
    assert projections == 4 * N * C**2
    assert attended == planned == 2 * N * 64 * C == 16_777_216


@pytest.mark.parametrize("tables", [False, True])
def test_tables_add_no_pairs(tables: bool):
    maps = WindowAttention(16, 2, window=8, tables=tables).weights(torch.randn(1, N, 16), keys=IMAGE)
    assert int((maps > 0).sum()) == 2 * N * 64


def test_pooled(monkeypatch: pytest.MonkeyPatch):
    """Tiles of four pixels: a quarter of logits and mixing, and of the projections of keys and values."""
    layer = PooledMultiHead(C, 8, pool=2)
    projections, attended, planned = counted(layer, monkeypatch, keys=IMAGE)
    assert attended == planned == 2 * N**2 * C // 4
    assert projections == 2 * N * C**2 + 2 * N * C**2 // 4
    assert layer.weights(torch.randn(1, N, C), keys=IMAGE).shape == (1, 8, N, N // 4)


PATTERNS: dict[str, tuple[Mask, Positions, int]] = {
    "everything": (Everything(), IMAGE, N**2),
    "tiles": (Tiles(8, 8), IMAGE, N * 64),
    "shifted tiles": (Tiles(8, 8, 4, 4), IMAGE, (2 * 4**2 + 8**2) ** 2),
    "neighbours": (Neighbours(3, 3), IMAGE, (7 * 16 - 2 * (1 + 2 + 3)) ** 2),
    "rows": (SameRow(), IMAGE, N * 16),
    "columns": (SameColumn(), IMAGE, N * 16),
    "axial": (Axial(), IMAGE, N * (16 + 16 - 1)),
    "a window": (Window(3, 3), Sequence(N), 7 * N - 2 * (1 + 2 + 3)),
    "blocks": (Blocks(64), Sequence(N), N * 64),
    "dilated": (Dilated(4, 3, 3), Sequence(N), 7 * N - 2 * 4 * (1 + 2 + 3)),
    "strided": (Strided(16), Sequence(N), N * N // 16),
    # A row and a column of the map for the first token, less the seven pairs that the window has already.
    "global tokens": (Window(3, 3) | GlobalTokens(1), Sequence(N), 7 * N - 12 + 2 * N - 1 - 7),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_visible_pairs(name: str):
    """By going through all pairs, and as what the layer's map leaves above zero."""
    mask, positions, pairs = PATTERNS[name]
    i = torch.arange(N)
    places = Attention(keys=positions).places(N, N)
    allowed = torch.as_tensor(mask.allows(0, 0, i[:, None], i, places)).expand(N, N)
    assert int(allowed.sum()) == pairs
    maps = MultiHead(16, 2).weights(torch.randn(1, N, 16), mask=mask, keys=positions)
    assert torch.equal(maps > 0, allowed.expand(1, 2, N, N))


@pytest.mark.parametrize("name", ["everything", "tiles", "shifted tiles", "rows", "columns", "blocks", "strided"])
def test_cells_cost_their_visible_pairs_and_no_more(name: str):
    """By their own algorithm; the planner may find a quicker one for so few pixels that counts more."""
    mask, positions, pairs = PATTERNS[name]
    algorithm = "fused" if name == "everything" else "partitioned"
    q = torch.randn(1, 8, N, C // 8)
    value = Attention(mask=mask, keys=positions)
    attended = multiply_adds(lambda: attend(q, q, q, value, algorithm=algorithm))
    with torch.no_grad():
        (planned,) = [one.cost.flops for one in plan(q, q, q, value).candidates if one.name == algorithm and one.cost]
    assert attended == planned // 2 == 2 * pairs * C
