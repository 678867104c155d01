"""The type checks under which `make test` runs catch what jaxtyping's own would."""

from collections.abc import Iterator
from dataclasses import dataclass

import jaxtyping
import pytest
import torch
from beartype import beartype
from jaxtyping import Float, Int, TypeCheckError
from torch import Tensor

from tests.type_checks import jaxtyped

check = jaxtyped(typechecker=beartype)


@check
def mix(weights: Float[Tensor, "T S"], v: Float[Tensor, "S E"] | None, *, times: int = 1) -> Float[Tensor, "T E"]:
    return weights[:, :1] if v is None else (weights @ v).repeat(times, 1)


@check
def count(x: "int", later: "Undefined" = None) -> str:  # noqa: F821  # pyright: ignore
    return x if x > 5 else str(x)  # pyright: ignore[reportReturnType]


@check
def several(n: int) -> Iterator[int]:
    yield from range(n)


@check
@dataclass(frozen=True)
class Pair:
    left: Int[Tensor, " N"]
    right: Int[Tensor, " N"]


@check
def untyped(x):
    return x


def test_what_is_right_passes():
    weights, v = torch.ones(2, 3), torch.ones(3, 5)
    assert mix(weights, v).shape == (2, 5)
    assert mix(weights, None).shape == (2, 1)
    assert mix(torch.ones(4, 7), torch.ones(7, 2)).shape == (4, 2)  # axes are bound anew in every call
    assert count(2, later=object()) == "2"
    assert list(several(3)) == [0, 1, 2]
    assert untyped("x") == "x"
    Pair(torch.arange(3), torch.arange(3))


WRONG = {
    "an axis of another size": lambda: mix(torch.ones(2, 3), torch.ones(4, 5)),
    "too many axes": lambda: mix(torch.ones(2, 3, 4), None),
    "another type of numbers": lambda: mix(torch.ones(2, 3).long(), None),
    "a keyword": lambda: mix(torch.ones(2, 3), torch.ones(3, 5), times=2.5),
    "a result of another shape": lambda: mix(torch.ones(2, 3), torch.ones(3, 5), times=2),
    "an argument": lambda: count("2"),
    "a result": lambda: count(6),
    "an argument of a generator": lambda: several("x"),
    "fields that do not fit": lambda: Pair(torch.arange(3), torch.arange(4)),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_caught(what: str):
    with pytest.raises(TypeCheckError):
        WRONG[what]()
    assert mix(torch.ones(2, 3), torch.ones(3, 5)).shape == (2, 5)  # and leaves no sizes behind


def test_the_message_says_what_the_axes_were():
    with pytest.raises(TypeCheckError, match=r"(?s)v=.*T=2.*S=3"):
        mix(torch.ones(2, 3), torch.ones(4, 5))


@pytest.mark.usefixtures("unhooked")
def test_checks_can_be_switched_off():
    assert jaxtyping.config.jaxtyping_disable
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        mix(torch.ones(2, 3), torch.ones(4, 5))
    assert count(6) == 6
