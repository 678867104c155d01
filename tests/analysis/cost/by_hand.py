"""Paper and pencil: sizes, the few formulas that every count is made of, and the check against them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.analysis.cost import cost

# No two products below agree by chance, which would hide errors that cancel.
B, T, S = 2, 7, 5  # rows, queries, keys of another sequence
C, H, D, F = 32, 4, 8, 20  # widths: model, heads, one head (C = H·D), feed-forward

FOUR = 4 * C * C + 4 * C  # parameters of the projections of query, key, value and output
NORM = 2 * C
LAYER = FOUR + (2 * C * F + F + C) + 2 * NORM


def product(n: int, i: int, o: int) -> int:
    """FLOPs of (n, i) by (i, o): two per multiply-add."""
    return 2 * n * i * o


def mixed(pairs: int, D: int = D, E: int | None = None) -> int:
    """FLOPs of logits and mixture over so many visible pairs of all rows and heads."""
    return 2 * pairs * (D + (D if E is None else E))


def triangle(T: int, S: int | None = None) -> int:
    """Pairs j ≤ i: query i sees min(i + 1, S)."""
    return sum(min(i + 1, T if S is None else S) for i in range(T))


def floats(*sizes: int, grad: bool = False) -> Tensor:
    return torch.empty(sizes, device="meta", requires_grad=grad)


def words(*sizes: int) -> Tensor:
    return torch.zeros(sizes, dtype=torch.long)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A call, and what it needs: backward two products for each forward, less the gradients nobody asks for."""

    make: Callable[[], nn.Module]
    inputs: tuple[Any, ...] = ()
    keywords: dict[str, Any] | None = None
    parameters: int
    forward: int
    unasked: int = 0

    def check(self, modes: tuple[bool, ...] = (True, False), **options: Any) -> None:
        """In training and in evaluation mode; without an optimizer's step, which would take the most time."""
        module, options = self.make(), {"optimizer": None} | options
        for training in modes:
            c = cost(module.train(training), *self.inputs, **self.keywords or {}, **options)
            found = (c.parameters, c.forward.flops, c.backward.flops, c.unknown, c.notes)
            needed = (self.parameters, self.forward, 2 * self.forward - self.unasked, {}, ())
            assert found == needed, f"training={training}: counted {found}, needed {needed}"
            assert c.forward.executed >= c.forward.flops
            assert c.backward.executed >= c.backward.flops


class Call(nn.Module):
    """A function as a module, with the parameters it takes beside its inputs."""

    def __init__(self, function: Callable[..., Any], *parameters: nn.Parameter) -> None:
        super().__init__()
        self.function, self.own = function, nn.ParameterList(parameters)

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs, *self.own)
