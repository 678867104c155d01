"""A sequence in pieces of any length equals the whole, outputs and gradients, whatever the kernel and the pads."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from regard import Attention, attend
from regard.algorithms import Refused, attend_linear
from regard.algorithms.kernels.linear import causal_sums
from regard.attention import (
    Causal,
    Content,
    Elu,
    Exp,
    Kernel,
    KeyPadding,
    LinearState,
    Mask,
    Padding,
    RandomFeatures,
    Relu,
    Sequence,
    SquaredRelu,
    Window,
)
from tests.budget import examples

B, D, E = 3, 4, 3
KERNELS: dict[str, Kernel] = {
    "elu": Kernel(Elu()),
    "relu": Kernel(Relu()),
    "squared relu, not normalised": Kernel(SquaredRelu(), normalise=False),
    "exp": Kernel(Exp()),
    "random": Kernel(RandomFeatures.draw(9, D, dtype=torch.float64)),
    "a function": Kernel(lambda x: torch.cat((x, -x), -1).sigmoid()),
}
VALUE = Attention(mask=Causal(), weighting=KERNELS["elu"])


@dataclass(frozen=True)
class Drawn:
    """A sequence, where it is cut, and which of its tokens are real."""

    kernel: str
    cuts: tuple[int, ...]  # the lengths of the pieces
    heads: tuple[int, int]
    pads: str
    chunk: int
    seed: int

    def tensors(self, grad: bool = True) -> tuple[Tensor, Tensor, Tensor]:
        N, (H, G) = sum(self.cuts), self.heads
        generator = torch.Generator().manual_seed(self.seed)
        sizes = ((B, H, N, D), (B, G, N, D), (B, G, N, E))
        q, k, v = (torch.randn(*size, generator=generator, dtype=torch.float64) for size in sizes)
        return q.requires_grad_(grad), k.requires_grad_(grad), v.requires_grad_(grad)

    @property
    def real(self) -> Tensor:
        """(B, N); the last row is all pads."""
        generator = torch.Generator().manual_seed(self.seed)
        N = sum(self.cuts)
        if self.pads == "lengths":
            return torch.arange(N) < torch.tensor([N, N // 2, 0])[:, None]
        real = torch.rand(B, N, generator=generator) < 0.6
        real[2] = False
        return real

    def mask(self, first: int, last: int) -> Mask:
        """That of the tokens from first to last."""
        real = self.real[:, first:last]
        if self.pads == "lengths":
            return Padding(real.sum(1)) & Causal()
        return {"none": Causal(), "keys": Causal() & KeyPadding(real), "map": Causal() & Padding(real)}[self.pads]


@st.composite
def sequences(draw: st.DrawFn) -> Drawn:
    cuts = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=5)))
    heads = draw(st.sampled_from([(1, 1), (2, 2), (4, 2), (3, 1)]))
    pads = draw(st.sampled_from(["none", "lengths", "keys", "map"]))
    kernel = draw(st.sampled_from(list(KERNELS)))
    return Drawn(kernel, cuts, heads, pads, draw(st.integers(1, 6)), draw(st.integers(0, 2**16)))


def in_pieces(drawn: Drawn, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, LinearState]:
    state, outs, first = None, [], 0
    for size in drawn.cuts:
        piece = slice(first, first + size)
        value = Attention(mask=drawn.mask(first, first + size), weighting=KERNELS[drawn.kernel])
        out, state = attend_linear(q[:, :, piece], k[:, :, piece], v[:, :, piece], value, state=state)
        outs.append(out)
        first += size
    assert state is not None
    return torch.cat(outs, 2), state


# Sums of some forty float64 numbers in two orders; a row whose denominator is small multiplies their roundings.
CLOSE = {"rtol": 1e-8, "atol": 1e-9}


@settings(max_examples=examples(200))
@given(drawn=sequences())
def test_pieces_equal_the_whole(drawn: Drawn):
    q, k, v = drawn.tensors()
    kernel = KERNELS[drawn.kernel]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(causal_sums, "CHUNK", drawn.chunk)
        patch.setattr(causal_sums, "PIECE", 32)
        out, state = in_pieces(drawn, q, k, v)
        grad = torch.randn_like(out)
        grads = torch.autograd.grad(out, (q, k, v), grad, retain_graph=True)
    N = sum(drawn.cuts)
    whole = attend(q, k, v, Attention(mask=drawn.mask(0, N), weighting=kernel), algorithm="reference")
    torch.testing.assert_close(out, whole, **CLOSE)
    for mine, other in zip(grads, torch.autograd.grad(whole, (q, k, v), grad), strict=True):
        torch.testing.assert_close(mine, other, **CLOSE)
    real = None if drawn.pads == "none" else drawn.real
    by_steps = LinearState.empty(kernel, B, drawn.heads[1], D, E, dtype=torch.float64).step(k, v, real)
    for name, x in state.tensors().items():
        torch.testing.assert_close(x, by_steps.tensors()[name], **CLOSE)


ORDINARY = Drawn("elu", (5, 1, 7), (4, 2), "none", 3, 0)


def test_without_the_state_pieces_are_not_the_whole():
    """The check above would see a state that is dropped, or carried on without its gradient."""
    q, k, v = ORDINARY.tensors()
    whole, _ = attend_linear(q, k, v, VALUE)
    last = slice(5, 13)
    alone, _ = attend_linear(q[:, :, last], k[:, :, last], v[:, :, last], VALUE)
    assert not torch.allclose(alone, whole[:, :, last], atol=1e-3)
    _, state = attend_linear(q[:, :, :5], k[:, :, :5], v[:, :, :5], VALUE)
    cut = LinearState(state.kernel, state.sum_kv.detach(), state.sum_k.detach(), state.lengths)
    out, _ = attend_linear(q[:, :, last], k[:, :, last], v[:, :, last], VALUE, state=cut)
    torch.testing.assert_close(out, whole[:, :, last])
    mine, other = (torch.autograd.grad(y.sum(), k, retain_graph=True)[0] for y in (out, whole[:, :, last]))
    assert not torch.allclose(mine, other, atol=1e-3)


def test_tokens_one_by_one_are_steps_and_reads():
    q, k, v = ORDINARY.tensors(grad=False)
    whole, _ = attend_linear(q, k, v, VALUE)
    state = LinearState.empty(KERNELS["elu"], B, 2, D, E, dtype=torch.float64)
    for n in range(13):
        token = slice(n, n + 1)
        state = state.step(k[:, :, token], v[:, :, token])
        torch.testing.assert_close(state.read(q[:, :, token]), whole[:, :, token])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_pieces_of_other_types(dtype: torch.dtype):
    drawn = replace(ORDINARY, cuts=(70, 1, 129))
    q, k, v = (x.detach().to(dtype) for x in drawn.tensors())
    out, state = in_pieces(drawn, q, k, v)
    assert out.dtype == dtype
    assert state.sum_k.dtype == torch.float32
    whole = attend(q.double(), k.double(), v.double(), VALUE, algorithm="reference")
    # One rounding of the result, and of two hundred float32 sums.
    torch.testing.assert_close(out.double(), whole, rtol=torch.finfo(dtype).eps, atol=2e-6)


@pytest.mark.parametrize("pads", ["keys", "map"])
def test_what_pads_hold_does_not_matter(pads: str):
    drawn = replace(ORDINARY, pads=pads)
    tensors = drawn.tensors(grad=False)
    hidden = ~drawn.real[:, None, :, None]
    spoilt = [x.masked_fill(hidden, torch.nan) for x in tensors]
    blind = drawn.real.cumsum(1)[:, None, :, None] == 0
    spoilt[0] = tensors[0].masked_fill(blind, torch.nan) if pads == "keys" else spoilt[0]
    clean, dirty = (in_pieces(drawn, *inputs) for inputs in (tensors, spoilt))
    assert torch.equal(clean[0], dirty[0])
    assert torch.equal(clean[1].sums, dirty[1].sums)


def test_a_pad_query_that_may_ask_sees_what_came_before():
    """Under KeyPadding a piece of pads alone still reads the state."""
    q, k, v = ORDINARY.tensors(grad=False)
    _, state = attend_linear(q, k, v, VALUE)
    piece = q[:, :, :2], k[:, :, :2], v[:, :, :2]
    masked = Attention(mask=Causal() & KeyPadding([0, 0, 0]), weighting=KERNELS["elu"])
    out, after = attend_linear(*piece, masked, state=state)
    torch.testing.assert_close(out, state.read(piece[0]))
    assert torch.equal(after.sums, state.sums)


def piece(n: int = 5, dtype: torch.dtype = torch.float32, heads: int = 2) -> tuple[Tensor, ...]:
    sizes = ((B, 4, n, D), (B, heads, n, D), (B, heads, n, E))
    return tuple(torch.zeros(*size, dtype=dtype) for size in sizes)


def state(kernel: Kernel, **options: Any) -> LinearState:
    return LinearState.empty(kernel, **{"B": B, "G": 2, "D": D, "E": E} | options)


def called(value: Attention = VALUE, tensors: tuple[Tensor, ...] | None = None, **options: Any) -> Callable[[], Any]:
    return lambda: attend_linear(*(tensors or piece()), value, **options)


RANDOM = Kernel(RandomFeatures.draw(9, D))
BAD: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "no kernel": (called(Attention(mask=Causal())), ("refuses", "Kernel, not Softmax()")),
    "no order": (called(Attention(weighting=KERNELS["elu"])), ("refuses", "Causal()", "got mask=Everything()")),
    "a window": (
        called(Attention(mask=Causal() & Window(3), weighting=KERNELS["elu"])),
        ("refuses", "no single keys", "Window(before=3, after=0)"),
    ),
    "positions": (called(replace(VALUE, keys=Sequence(5))), ("refuses", "takes no positions")),
    "fewer queries": (called(tensors=(piece(3)[0], *piece(5)[1:])), ("refuses", "T=3, S=5")),
    "scores": (called(replace(VALUE, scores=Content(0.5))), ("no β", "beta=0.5")),
    "lengths beyond the piece": (
        called(Attention(mask=Causal() & Padding([6, 1, 1]), weighting=KERNELS["elu"])),
        ("0…S=5", "6"),
    ),
    "another kernel": (called(state=state(Kernel(Relu()))), ("same kernel and β", "Kernel(Relu())", "Kernel(Elu())")),
    "another normalisation": (called(state=state(Kernel(Elu(), normalise=False))), ("same kernel", "normalise=False")),
    "other directions": (
        called(Attention(mask=Causal(), weighting=RANDOM), state=state(Kernel(RandomFeatures.draw(9, D, seed=1)))),
        ("same kernel", "state=None"),
    ),
    "another β": (
        called(Attention(Content(0.3), Causal(), RANDOM), state=state(RANDOM)),
        ("same kernel and β", "beta=0.3"),
    ),
    "another batch": (called(state=state(KERNELS["elu"], B=2)), ("B=2", "(3, 2, 5, 4)")),
    "other heads": (called(state=state(KERNELS["elu"], G=1)), ("G=1", "(3, 2, 5, 4)")),
    "another width": (called(state=state(KERNELS["elu"], D=5)), ("5 features", "D=4")),
    "another value width": (called(state=state(KERNELS["elu"], E=7)), ("E=7", "(3, 2, 5, 3)")),
    "another type": (called(state=state(KERNELS["elu"], dtype=torch.float64)), ("torch.float64", "torch.float32")),
    "bad tensors": (called(tensors=(*piece(5)[:2], piece(4)[2])), ("one length", "S=5 and 4")),
}


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("name", BAD)
def test_what_would_not_equal_the_whole_is_refused(name: str):
    call, parts = BAD[name]
    with pytest.raises(ValueError) as error:
        call()
    assert all(part in str(error.value) for part in parts), str(error.value)
    assert isinstance(error.value, Refused) == ("refuses" in parts)


def test_equal_kernels_made_twice_are_the_same():
    """A layer makes its value anew in every forward pass."""
    tensors = tuple(x.detach() for x in ORDINARY.tensors())
    for make in (lambda: Kernel(Elu()), lambda: Kernel(RandomFeatures.draw(9, D, dtype=torch.float64))):
        _, first = attend_linear(*tensors, Attention(mask=Causal(), weighting=make()))
        attend_linear(*tensors, Attention(mask=Causal(), weighting=make()), state=first)


def test_autocast_changes_neither_type_nor_precision():
    q, k, v = (x.detach().float() for x in ORDINARY.tensors())
    plain, _ = attend_linear(q, k, v, VALUE)
    with torch.autocast("cpu", torch.bfloat16):
        cast, _ = attend_linear(q, k, v, VALUE)
    assert torch.equal(cast, plain)
