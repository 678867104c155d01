"""One module by several paths: compiled, checkpointed, in half precision, by einsum, for another device."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint, checkpoint_sequential, set_checkpoint_early_stop
from torch.utils.flop_counter import FlopCounterMode

from regard.analysis.cost import cost
from tests.analysis.cost.by_hand import LAYER, B, C, D, F, H, T, floats, mixed, product

X = floats(B, T, C)
UP, DOWN = product(B * T, C, F), product(B * T, F, C)


def feed_forward() -> nn.Sequential:
    return nn.Sequential(nn.Linear(C, F), nn.ReLU(), nn.Linear(F, C))


class Projected(nn.Module):
    """Attention by einsum between Linear layers, or between bare parameters."""

    def __init__(self, bare: bool) -> None:
        super().__init__()
        self.bare = bare
        self.weights = nn.ParameterList([torch.zeros(C, H, D) for _ in range(4)] if bare else [])
        self.linears = nn.ModuleList([] if bare else [nn.Linear(C, C, bias=False) for _ in range(4)])

    def forward(self, x: Tensor) -> Tensor:
        if self.bare:
            q, k, v = (torch.einsum("btc,chd->bhtd", x, w) for w in self.weights[:3])
        else:
            q, k, v = (w(x).unflatten(-1, (H, D)).transpose(1, 2) for w in self.linears[:3])
        weights = torch.einsum("bhtd,bhsd->bhts", q, k).mul(D**-0.5).softmax(-1)
        out = torch.einsum("bhts,bhsd->bhtd", weights, v)
        if self.bare:
            return torch.einsum("bhtd,chd->btc", out, self.weights[3])
        return self.linears[3](out.transpose(1, 2).flatten(2))


@pytest.mark.parametrize("bare", [False, True], ids=["Linear", "parameters"])
def test_einsum(bare: bool):
    c = cost(Projected(bare), X)
    assert c.parameters == 4 * C * C
    assert c.forward.flops == c.forward.executed == product(B * T, C, 4 * C) + mixed(B * H * T * T)
    assert c.backward.flops == c.backward.executed == 2 * c.forward.flops - product(B * T, C, 3 * C)


def compiled_inside() -> nn.Sequential:
    net = feed_forward()
    net[2] = torch.compile(net[2], backend="eager")
    return net


def compiled_in_place() -> nn.Sequential:
    net = feed_forward()
    net.compile(backend="eager")
    return net


COMPILED: dict[str, Callable[[], nn.Module]] = {
    "whole": lambda: torch.compile(feed_forward(), backend="eager"),  # pyright: ignore[reportReturnType]
    "inside": compiled_inside,
    "in place": compiled_in_place,
}


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")  # the compiler's own look
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_modules(name: str):
    module = COMPILED[name]()
    c = cost(module, X)
    assert (c.parameters, c.forward.flops, c.backward.flops) == (2 * C * F + F + C, UP + DOWN, 2 * (UP + DOWN) - UP)
    assert [part.name for part in c.modules] == ["", "0", "1", "2"]
    assert (c["0"].backward.flops, c["2"].backward.flops) == (UP, 2 * DOWN)
    torch.compiler.reset()
    assert module(torch.zeros(1, C)).shape == (1, C)  # and it still compiles and runs


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_compiled_by_the_usual_compiler():
    c = cost(torch.compile(feed_forward()), X)
    assert (c.forward.flops, c.backward.flops) == (UP + DOWN, 2 * (UP + DOWN) - UP)


class Checkpointed(nn.Module):
    """Layers of which nothing is kept, each as a module or inside of a function."""

    def __init__(self, depth: int, reentrant: bool, function: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList([feed_forward() for _ in range(depth)])
        self.reentrant, self.function = reentrant, function

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            what = (lambda x, layer=layer: x + layer(x)) if self.function else layer
            x = checkpoint(what, x, use_reentrant=self.reentrant)  # pyright: ignore[reportAssignmentType]
        return x


@pytest.mark.parametrize("function", [False, True], ids=["module", "function"])
@pytest.mark.parametrize("reentrant", [False, True], ids=["saved tensors", "reentrant"])
@pytest.mark.parametrize("early", [False, True], ids=["to the end", "early stop"])
def test_what_a_checkpoint_computes_again_is_executed_and_not_needed(reentrant: bool, function: bool, early: bool):
    x = floats(B, T, C, grad=True)
    with set_checkpoint_early_stop(early):
        c = cost(Checkpointed(3, reentrant, function), x)
    once = UP + DOWN
    assert (c.forward.flops, c.forward.executed) == (3 * once, 3 * once)
    assert c.backward.flops == 2 * 3 * once
    # Without reentrance it ends when all is there that is kept: the input of the last map, so that map is not done.
    again = UP if early and not reentrant else once
    assert c.backward.executed == 2 * 3 * once + 3 * again
    # Work back belongs to the layer that it was done for.
    assert c["layers.1"].backward.flops == 2 * once
    assert c["layers.1"].forward.flops == once


def test_a_checkpointed_attention_layer():
    layer = nn.TransformerEncoderLayer(C, H, F, batch_first=True, dropout=0.0)

    class Once(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: Tensor) -> Any:
            return checkpoint(self.layer, x, use_reentrant=False)

    plain, again = cost(layer, X), cost(Once(), X)
    assert (again.parameters, again.forward.flops) == (LAYER, plain.forward.flops)
    assert again.backward.flops == plain.backward.flops
    assert again.backward.executed == plain.backward.executed + plain.forward.executed
    assert again.memory.activations < plain.memory.activations


def test_checkpointed_pieces_of_a_sequence():
    net = nn.Sequential(*[nn.Linear(C, C) for _ in range(6)])
    once = product(B * T, C, C)

    class Pieces(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, x: Tensor) -> Any:
            return checkpoint_sequential(self.net, 3, x, use_reentrant=False)

    c = cost(Pieces(), X)
    assert (c.forward.flops, c.backward.flops) == (6 * once, 12 * once - once)
    # Three pieces of two; the last is not checkpointed, of the others the second map is not done again.
    assert c.backward.executed == 12 * once - once + 2 * once


def test_a_gradient_taken_inside_of_the_forward_pass():
    class Forces(nn.Module):
        """Energies of a network, and forces, which are their gradient."""

        def __init__(self) -> None:
            super().__init__()
            self.map = nn.Linear(C, C)

        def forward(self, x: Tensor) -> Tensor:
            energy = self.map(x).pow(3).sum()
            return torch.autograd.grad(energy, x, create_graph=True)[0]

    c = cost(Forces(), floats(B, T, C, grad=True))
    once = product(B * T, C, C)
    # There: x·W and g·W. Back: to g and to W, then through the first product to x and to W again.
    assert (c.forward.flops, c.backward.flops) == (2 * once, 4 * once)


def test_autocast_halves_bytes_and_no_flops():
    net = feed_forward()
    plain = cost(net, X)
    with torch.autocast("cpu", torch.bfloat16):
        half = cost(net, X)
    assert (half.forward.flops, half.backward.flops) == (plain.forward.flops, plain.backward.flops)
    assert 2 * half.operations["forward"]["addmm"].bytes == plain.operations["forward"]["addmm"].bytes
    assert half.parameters == plain.parameters


def test_half_precision_moves_half_of_the_bytes():
    net = nn.Linear(C, F, bias=False)
    whole = cost(net, X)
    half = cost(net.bfloat16(), X.bfloat16())
    # x, weight and result once each
    assert whole.forward.bytes == 4 * (B * T * C + C * F + B * T * F) == 2 * half.forward.bytes


def test_elementwise_work_stands_apart():
    c = cost(nn.Sequential(nn.ReLU(), nn.Linear(C, F, bias=False)), X)
    assert c["0"].forward.elementwise == B * T * C
    assert (c["0"].forward.flops, c["0"].forward.bytes) == (0, 2 * 4 * B * T * C)


@pytest.mark.parametrize("device", ["h200", "cpu"])
def test_for_another_device(device: str):
    layer = nn.TransformerEncoderLayer(C, H, F, batch_first=True)
    c, here = cost(layer, X, device=device), cost(layer, X)
    assert (c.forward.flops, c.backward.flops) == (here.forward.flops, here.backward.flops)
    # A kernel that keeps no map computes q·kᵀ again on the way back.
    q = floats(B, H, T, 8, grad=True)

    class Plain(nn.Module):
        def forward(self, q: Tensor) -> Tensor:
            return nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=0.1)

    fused = cost(Plain(), q, device=device)
    square = mixed(B * H * T * T, 8)
    assert (fused.forward.flops, fused.backward.flops) == (square, 2 * square)
    again = square // 2 if device == "h200" else 0  # on the CPU dropout takes the unfused way, which keeps the map
    assert fused.backward.executed == 2 * square + again


PLAIN: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "multi-head": (lambda: SelfAttention(), (B, T, C)),
    "encoder layer": (lambda: nn.TransformerEncoderLayer(C, H, F, batch_first=True, dropout=0.0), (B, T, C)),
    "einsum": (lambda: Projected(True), (B, T, C)),
    "convolutions": (lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.ConvTranspose2d(4, 2, 2, stride=2)), (B, 3, 9, 9)),
    "cells": (lambda: Steps(), (T, B, C)),
}


class SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(C, H, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x, need_weights=False)[0]


class Steps(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(C, F)

    def forward(self, x: Tensor) -> Tensor:
        state = x.new_zeros(B, F)
        for step in x:
            state = self.cell(step, state)
        return state


@pytest.mark.parametrize("name", PLAIN)
def test_executed_is_what_torch_counts_where_torch_is_right(name: str):
    make, sizes = PLAIN[name]
    module, x = make(), torch.randn(sizes)
    with sdpa_kernel(SDPBackend.MATH):
        with FlopCounterMode(display=False) as forward:
            out = module(x)
        with FlopCounterMode(display=False) as backward:
            out.sum().backward()
        c = cost(module, x)
    assert c.forward.executed == c.forward.flops == forward.get_total_flops() > 0
    assert c.backward.executed == c.backward.flops == backward.get_total_flops() > 0


def test_a_real_run_counts_the_same():
    module, x = nn.TransformerEncoderLayer(C, H, F, batch_first=True, dropout=0.0), torch.randn(B, T, C)
    fake, real = cost(module, x), cost(module, x, real=True)
    assert (real.parameters, real.forward, real.backward) == (fake.parameters, fake.forward, fake.backward)
