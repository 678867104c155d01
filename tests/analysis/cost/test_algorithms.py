"""Every algorithm of `attend` by its name: it executes what its plan says, and needs the visible pairs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard import attend, plan
from regard.algorithms.catalogue import PLANNER
from regard.analysis.cost import cost
from regard.attention import (
    Attention,
    BlockMap,
    Blocks,
    Causal,
    Content,
    Elu,
    Grid,
    Hard,
    Kernel,
    KeyPadding,
    Mask,
    Padding,
    Quadratic,
    RelativeTable,
    Strided,
    Tiles,
    Window,
)
from tests.algorithms.test_equivalence import ON_GPUS
from tests.analysis.cost.by_hand import floats, mixed, triangle

B, H, N, D, E = 2, 4, 48, 8, 8
IMAGE = Grid(6, 8)
Value = Callable[..., Attention]


class Attend(nn.Module):
    """One algorithm on content, or on values alone."""

    def __init__(self, value: Value, algorithm: str | None, *parameters: Tensor) -> None:
        super().__init__()
        self.value, self.algorithm = value, algorithm
        self.own = nn.ParameterList(parameters)

    def forward(self, *tensors: Tensor) -> Any:
        q, k, v = (None, None, *tensors)[-3:]
        return attend(q, k, v, self.value(*self.own), algorithm=self.algorithm)


def tokens(count: int = 3) -> tuple[Tensor, ...]:
    return tuple(floats(B, H, N, D, grad=True) for _ in range(count))


# A value of content, its visible pairs in each head of all rows, and the algorithms whose plan says what they execute.
CONTENT: dict[str, tuple[Attention, int, tuple[str, ...]]] = {
    "everything": (Attention(), B * N * N, ("fused", "reference")),
    "causal": (Attention(mask=Causal()), B * triangle(N), ("reference",)),
    "padding": (Attention(mask=Padding([N, 20])), N * N + 20 * 20, ("packed", "reference")),
    "key padding": (Attention(mask=KeyPadding([N, 20])), N * (N + 20), ("packed", "reference")),
    # eleven keys each, less those beyond both ends
    "window": (Attention(mask=Window(5, 5)), B * (11 * N - 2 * (1 + 2 + 3 + 4 + 5)), ("banded", "reference")),
    "blocks": (Attention(mask=Blocks(12)), B * N * 12, ("partitioned", "reference")),
    "tiles": (Attention(mask=Tiles(3, 4), keys=IMAGE), B * N * 12, ("partitioned", "reference")),
    # every eighth key too, of which the window has oneself
    "window or strided": (
        Attention(mask=Window(5, 5) | Strided(8)), B * (11 * N - 30 + N * N // 8 - N), ("merged", "reference"),
    ),
}  # fmt: skip
EXACT = [(name, algorithm) for name, (*_, algorithms) in CONTENT.items() for algorithm in algorithms]
OTHERS = [
    ("causal", "fused"),
    ("causal", "masked"),
    ("causal", "blockwise"),
    ("window", "blockwise"),
    ("everything", "blockwise"),
]


def planned(algorithm: str, *tensors: Tensor | None, value: Attention) -> int:
    (found,) = [c.cost for c in plan(*tensors, value).candidates if c.name == algorithm]  # pyright: ignore[reportArgumentType]
    assert found is not None
    return found.flops


@pytest.mark.parametrize(("name", "algorithm"), EXACT + OTHERS)
def test_content_needs_its_visible_pairs_by_any_algorithm(name: str, algorithm: str):
    value, pairs, _ = CONTENT[name]
    c = cost(Attend(lambda: value, algorithm), *tokens())
    needed = mixed(H * pairs, D, E)
    assert (c.forward.flops, c.backward.flops, c.unknown, c.notes) == (needed, 2 * needed, {}, ())
    executed = c.forward.executed + c.backward.executed
    assert executed >= 3 * needed
    if (name, algorithm) in EXACT:
        assert executed == planned(algorithm, *tokens(), value=value)


@dataclass(frozen=True, eq=False)
class ByRowAndHead(Mask):
    """One's own, of which nothing is known."""

    n: int

    def allows(self, b, h, i, j, places):
        return (b + 2 * h + 3 * i + j) % self.n != 0


class OddWindow(Window):
    def allows(self, b, h, i, j, places):
        return super().allows(b, h, i, j, places) & (j % 2 == 1)


@dataclass(frozen=True, eq=False)
class Hesitant(ByRowAndHead):
    """Its `blocks` are on the safe side."""

    def blocks(self, places, size, device):
        ones = torch.ones(1, 1, -(-N // size), -(-N // size), dtype=torch.bool, device=device)
        return BlockMap(ones, ~ones)


OWN_MASKS = [ByRowAndHead(3), ~ByRowAndHead(4), ByRowAndHead(5) & Causal() | OddWindow(3), OddWindow(9, 2), Hesitant(3)]


@pytest.mark.parametrize("mask", [*OWN_MASKS, Hesitant(4) & KeyPadding([N, 20])], ids=repr)
def test_a_mask_of_ones_own_is_asked_about_every_pair(mask: Mask):
    c = cost(Attend(lambda: Attention(mask=mask), None), *tokens())
    b, h, i, j = torch.meshgrid(*[torch.arange(n) for n in (B, H, N, N)], indexing="ij")
    allowed = mask.allows(b, h, i, j, Attention().places(N, N))
    needed = 2 * int(allowed.sum()) * (D + E)
    assert (c.forward.flops, c.backward.flops, c.unknown, c.notes) == (needed, 2 * needed, {}, ())


def test_a_kernel_by_its_sums():
    value = Attention(weighting=Kernel(Elu()))
    c = cost(Attend(lambda: value, "linear"), *tokens())
    # keys by values, queries by that and by the sum of the keys: D features in each head
    assert c.forward.flops == B * H * 2 * N * D * (E + E + 1)
    assert c.backward.flops == 2 * c.forward.flops
    assert c.forward.executed + c.backward.executed == planned("linear", *tokens(), value=value)


def test_a_causal_kernel_executes_what_its_plan_says():
    value = Attention(mask=Causal(), weighting=Kernel(Elu()))
    c = cost(Attend(lambda: value, "chunked"), *tokens())
    assert c.forward.executed + c.backward.executed == planned("chunked", *tokens(), value=value)


def gaussians(centre: Tensor, precision: Tensor) -> Attention:
    return Attention(Quadratic(centre, precision), keys=IMAGE)


def tables(table: Tensor) -> Attention:
    return Attention(RelativeTable(table, bound=1.0), keys=IMAGE)


def hard(centre: Tensor, precision: Tensor) -> Attention:
    return Attention(Quadratic(centre, precision), weighting=Hard(), keys=IMAGE)


PAIRS = 2 * B * H * N * N * E  # one product of the whole map with the values
# along rows (6, 6) by 8 columns, then along columns (8, 8) for each of the 6 rows
AXES = 2 * B * H * E * (6 * 6 * 8 + N * 8)
POSITION: list[tuple[Value, tuple[Tensor, ...], str, int, int]] = [
    # the last two: forward, and how many such products in all: to values, and to the map where it learns
    (gaussians, (torch.zeros(H, 2), torch.ones(H)), "separable", AXES, 3),
    (gaussians, (torch.zeros(H, 2), torch.ones(H)), "shared", PAIRS, 3),
    (gaussians, (torch.zeros(H, 2), torch.ones(H)), "reference", PAIRS, 3),
    (tables, (torch.zeros(H, 11, 15),), "shared", PAIRS, 3),
    (hard, (torch.zeros(H, 2), torch.ones(H)), "shared", PAIRS, 2),
    (hard, (torch.zeros(H, 2), torch.ones(H)), "gather", 0, 0),
]


@pytest.mark.parametrize(("value", "own", "algorithm", "forward", "passes"), POSITION)
def test_positions_alone(value: Value, own: tuple[Tensor, ...], algorithm: str, forward: int, passes: int):
    parameters = [nn.Parameter(x) for x in own]
    c = cost(Attend(value, algorithm, *parameters), *tokens(1))
    assert (c.forward.flops, c.forward.flops + c.backward.flops) == (forward, passes * forward)
    assert c.forward.executed + c.backward.executed == planned(
        algorithm, None, None, *tokens(1), value=value(*parameters)
    )
    assert c.parameters == sum(x.numel() for x in own)


def test_content_and_gaussians_need_no_more_pairs():
    centre, precision = torch.zeros(H, 2), torch.ones(H)
    needed = mixed(B * H * N * N, D, E)
    for algorithm in ("reference", "blockwise"):
        c = cost(
            Attend(lambda *own: Attention(Content() + Quadratic(*own), keys=IMAGE), algorithm, centre, precision),
            *tokens(),
        )
        assert (c.forward.flops, c.backward.flops) == (needed, 2 * needed)
        assert c.forward.executed + c.backward.executed >= 3 * needed


def test_every_algorithm_was_counted():
    """FFTs are no matrix products, Toeplitz blocks have denominators beside the plan's products, and kernels of GPUs
    are counted by their own tests.
    """
    seen = {algorithm for _, algorithm in EXACT + OTHERS} | {algorithm for _, _, algorithm, *_ in POSITION}
    seen |= {"linear", "chunked", "augmented"}
    assert {algorithm.name for algorithm in PLANNER.algorithms} - seen == {"convolution", "toeplitz", *ON_GPUS}
    c = cost(Attend(tables, "toeplitz", torch.zeros(H, 11, 15)), *tokens(1))
    assert c.forward.executed >= PAIRS
    assert not c.unknown


def test_gradients_that_nobody_asks_for():
    """Values alone: dV. Queries alone: dP and dQ."""
    q, k, v = (floats(B, H, N, D) for _ in range(3))
    one = 2 * B * H * N * N * D
    assert cost(Attend(Attention, None), q, k, v.clone().requires_grad_()).backward.flops == one
    assert cost(Attend(Attention, None), q.clone().requires_grad_(), k, v).backward.flops == 2 * one
    assert cost(Attend(Attention, None), q, k, v).backward.flops == 0
