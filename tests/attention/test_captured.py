"""What a class of one's own reads besides its fields is looked up anew in every call, or refused: never forgotten."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from regard import attend, plan
from regard.attention import Attention, Causal, Content, Grid, Mask, Sequence, Term, Window
from regard.attention.captured import captured, own_parts
from tests.fuzz.found import defined

N = 9
STEP = 2
REAL = torch.ones(N, dtype=torch.bool)


@dataclass(frozen=True, eq=False)
class OfFunction(Mask):
    function: Callable[..., Any]

    def allows(self, b, h, i, j, places):
        return self.function(i, j)


class OfModule(Mask):
    def allows(self, b, h, i, j, places):
        return (i == i) & (j % STEP == 0)


class OfModuleTensor(Mask):
    def allows(self, b, h, i, j, places):
        return (i == i) & REAL[j]


class OfClass(Mask):
    step = 2

    def allows(self, b, h, i, j, places):
        return (i == i) & (j % self.step == 0)


def nearest(i: Tensor, j: Tensor, steps: list[int]) -> Tensor:
    return (i - j).abs() % steps[0] == 0


def write(name: str, value: Any) -> None:
    globals()[name] = value


def closure() -> tuple[Mask, Callable[[], None], Callable[[Tensor, Tensor], Tensor]]:
    real = torch.arange(N) < 4

    def invert() -> None:
        nonlocal real
        real = ~real

    return OfFunction(lambda i, j: (i == i) & real[j]), invert, lambda i, j: (i == i) & real[j]


def written() -> tuple[Mask, Callable[[], None], Callable[[Tensor, Tensor], Tensor]]:
    real = torch.arange(N) < 4
    return OfFunction(lambda i, j: (i == i) & real[j]), real.logical_not_, lambda i, j: (i == i) & real[j]  # pyright: ignore[reportReturnType]


def list_of_a_partial() -> tuple[Mask, Callable[[], None], Callable[[Tensor, Tensor], Tensor]]:
    steps = [2]
    mask = OfFunction(functools.partial(nearest, steps=steps))
    return mask, lambda: steps.__setitem__(0, 3), lambda i, j: (i - j).abs() % steps[0] == 0


CASES = {
    "a closure": closure,
    "a closure's tensor": written,
    "a list": list_of_a_partial,
    "a number of the module": lambda: (
        OfModule(),
        lambda: write("STEP", STEP + 1),
        lambda i, j: (i == i) & (j % STEP == 0),
    ),
    "a tensor of the module": lambda: (OfModuleTensor(), lambda: write("REAL", ~REAL), lambda i, j: (i == i) & REAL[j]),
    "a number of the class": lambda: (
        OfClass(),
        lambda: setattr(OfClass, "step", OfClass.step + 1),
        lambda i, j: (i == i) & (j % OfClass.step == 0),
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("around", [lambda mask: mask, lambda mask: ~(mask & Causal()) | Window(1)])
def test_what_a_mask_reads_may_change(name: str, around: Callable[[Mask], Mask]):
    mask, change, truth = CASES[name]()
    q, k, v = torch.randn(3, 2, 2, N, 4, dtype=torch.float64)
    i, j = torch.arange(N)[:, None], torch.arange(N)
    for _ in range(3):
        value, allowed = Attention(mask=around(mask)), truth(i, j)
        if type(value.mask) is not type(mask):
            allowed = ~(allowed & (j <= i)) | ((j <= i) & (i - j <= 1))
        for algorithm in (None, "masked", "blockwise"):
            out = attend(q, k, v, value, algorithm=algorithm)
            torch.testing.assert_close(out, defined(q, k, v, allowed))
        change()


def test_what_can_be_told_is_kept():
    read = lambda mask: captured(own_parts(mask.flatten()[0]))  # noqa: E731
    assert own_parts((Causal() & Window(3)).flatten()[0]) == []
    assert read(OfModule()) == read(OfModule())
    assert read(OfModuleTensor())[1] == (REAL,)
    assert read(CASES["a list"]()[0]) is None


@dataclass(frozen=True, eq=False)
class OfLayer(Term):
    layer: torch.nn.Module

    def at(self, b, h, i, j, places):
        return self.layer((i - j)[..., None].double())[..., 0]


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("learns", ["the layer alone", "q too"])
def test_a_layer_inside_of_a_term_learns(learns: str):
    """No kernel knows of it: all but the definition refuse, and its gradient is right."""
    layer = torch.nn.Linear(1, 1, bias=False).double()
    q, k, v = torch.randn(3, 2, 2, N, 4, dtype=torch.float64)
    q.requires_grad_(learns == "q too")
    value = Attention(Content() + OfLayer(layer), Causal())
    refusals = {one.name: one.refusal for one in plan(q, k, v, value).candidates}
    assert [name for name, refusal in refusals.items() if refusal is None] == ["reference"]
    assert refusals["blockwise"] == "gives gradients to fields: a score term learns from what is none of its own"
    i, j = torch.arange(N)[:, None], torch.arange(N)
    exact = defined(q, k, v, j <= i, layer.weight[0, 0] * (i - j))
    out = attend(q, k, v, value)
    torch.testing.assert_close(out, exact)
    weights = [layer.weight, *([q] if learns == "q too" else [])]
    for got, must in zip(*(torch.autograd.grad(x.square().sum(), weights) for x in (out, exact)), strict=True):
        torch.testing.assert_close(got, must)
    with torch.no_grad():
        assert plan(q, k, v, value).chosen != "reference"
        torch.testing.assert_close(attend(q, k, v, value), exact)


class Squared(Content):
    def logits(self, q, k):
        return super().logits(q, k).square()


@pytest.mark.parametrize("beta", [None, -0.5])
def test_a_class_derived_from_content_is_asked(beta: float | None):
    q, k, v = torch.randn(3, 2, 2, N, 4, dtype=torch.float64)
    scale = 0.5 if beta is None else beta
    exact = defined(q, k, v, torch.ones(N, N, dtype=torch.bool), (scale * q @ k.mT).square(), content=False)
    torch.testing.assert_close(attend(q, k, v, Attention(Squared(beta))), exact)
    refusals = {one.name: one.refusal for one in plan(q, k, v, Attention(Squared(beta))).candidates}
    assert refusals["fused"] == "knows what Content() says, not Squared()"


class Backwards(Sequence):
    def at(self, b, i):
        return -i


class Turned(Grid):
    def at(self, b, i):
        return i % self.w, i // self.w


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("places", [Backwards(N), Turned(3, 3)])
def test_positions_of_ones_own_are_refused(places: Any):
    with pytest.raises(ValueError, match=rf"must be Sequence or Grid positions: got {type(places).__name__}\("):
        Attention(keys=places)
