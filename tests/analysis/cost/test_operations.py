"""What cannot be counted is named; what is written in known operations is counted."""

import json

import pytest
import torch
from torch import Tensor, nn

from regard.analysis.cost import cost
from tests.analysis.cost.by_hand import B, C, Call, F, T, floats, product

X = floats(B, C, C, grad=True)


@pytest.fixture(scope="module", autouse=True)
def operations():
    """Operations of somebody else: one that nobody can look into, one that is made of torch's own."""
    with torch.library._scoped_library("costs_of_others", "FRAGMENT") as library:
        library.define("opaque(Tensor x, Tensor w) -> Tensor")
        library.impl("opaque", lambda x, w: x @ w, "CPU")
        torch.library.register_fake(
            "costs_of_others::opaque", lambda x, w: x.new_empty(*x.shape[:-1], w.shape[1]), lib=library
        )
        library.define("made(Tensor x, Tensor w) -> Tensor")
        library.impl("made", lambda x, w: (x @ w).relu(), "CompositeImplicitAutograd")
        yield


def test_an_operation_of_torch():
    c = cost(Call(torch.inverse), X)
    assert sum(c.unknown.values()) >= 1
    assert any("inv" in name for name in c.unknown)
    # The way back is made of products, which are counted: −x⁻ᵀ g x⁻ᵀ.
    assert c.backward.flops == 2 * B * product(C, C, C)
    assert json.loads(c.json())["unknown"] == c.unknown


@pytest.mark.parametrize(
    "function", [torch.linalg.svdvals, torch.linalg.qr, torch.cholesky_inverse], ids=["svd", "qr", "cholesky"]
)
def test_decompositions(function):
    assert cost(Call(function), floats(B, C, C)).unknown


def test_a_custom_operation_is_named_and_nothing_else_is_lost():
    net = nn.Sequential(nn.Linear(C, F), Call(lambda x: torch.ops.costs_of_others.opaque(x, x.mT)))
    c = cost(net, floats(T, C), backward=False)
    assert list(c.unknown) == ["costs_of_others.opaque.default"]
    assert c.forward.flops == product(T, C, F)
    assert "costs_of_others.opaque" in str(c)


def test_an_operation_made_of_others_is_counted():
    weight = nn.Parameter(torch.zeros(C, F))
    c = cost(Call(torch.ops.costs_of_others.made, weight), floats(T, C))
    assert (c.forward.flops, c.backward.flops, c.unknown) == (product(T, C, F), product(T, C, F), {})


@torch.library.custom_op("costs_of_others::decorated", mutates_args=())
def decorated(x: Tensor) -> Tensor:
    return x @ x.mT


@decorated.register_fake
def _(x: Tensor) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[0])


def test_a_decorated_custom_operation_is_named():
    c = cost(Call(lambda x: decorated(x)), floats(T, C))
    assert list(c.unknown) == ["costs_of_others.decorated.default"]


def test_a_function_with_its_own_way_back():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x, w)
            return x @ w

        @staticmethod
        def backward(ctx, g):
            x, _ = ctx.saved_tensors
            return None, x.mT @ g

    weight = nn.Parameter(torch.zeros(C, F))
    c = cost(Call(Square.apply, weight), floats(T, C))
    assert (c.forward.flops, c.backward.flops, c.unknown) == (product(T, C, F), product(T, C, F), {})


def test_ordinary_operations_are_all_known():
    """Norms, activations, losses, pooling, sorting, indexing: nothing is unknown, and none of it is a product."""

    def several(x: Tensor) -> Tensor:
        y = nn.functional.layer_norm(x, (C,)).cumsum(-1).sort(-1).values
        y = nn.functional.group_norm(y, 2).topk(3).values.flip(-1).roll(1, -1)
        y = torch.cat([y, y.logsumexp(-1, keepdim=True), y.amax(-1, keepdim=True)], -1)
        y = nn.functional.pad(y, (1, 2)).unfold(-1, 3, 1).std(-1).nan_to_num().clamp(-1, 1)
        return nn.functional.cross_entropy(y.flatten(0, 1), torch.zeros(B * C, dtype=torch.long))

    c = cost(Call(several), X)
    assert (c.unknown, c.forward.flops, c.backward.flops) == ({}, 0, 0)
    assert c.forward.elementwise > 0
