"""Each check that everybody uses: what passes, and the message of what does not, with the value in it."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from regard.checks import (
    check_divides,
    check_known,
    check_probability,
    check_sizes,
    check_tensor,
    check_whole,
    nearest,
)


def refused(message: str) -> AbstractContextManager[Any]:
    return pytest.raises(ValueError, match=f"^{re.escape(message)}$")


@pytest.mark.parametrize("number", [2, 3, 2**62 - 1])
def test_whole_numbers(number: int):
    check_whole("size", number, 2)


@pytest.mark.parametrize("number", [1, -1, 2**62, 2.0, True, "2", None, np.int64(2)])
def test_what_is_no_whole_number(number: object):
    with refused(f"size must be a whole number from 2 to below 2^62: got size={number!r}; use 2 or more"):
        check_whole("size", number, 2)


def test_sizes_of_a_configuration():
    config = SimpleNamespace(width=8, depth=0, hidden=None)
    check_sizes(config, "width")
    check_sizes(config, "width", "hidden", optional=True)
    with refused("depth must be a whole number from 1 to below 2^62: got depth=0; use 1 or more"):
        check_sizes(config, "width", "depth", optional=True)
    with refused("hidden must be a whole number from 1 to below 2^62: got hidden=None; use 1 or more"):
        check_sizes(config, "width", "hidden")


@pytest.mark.parametrize(
    ("width", "heads", "use"),
    [(100, 8, "4, 5 or 10"), (8, 0, "1, 2 or 4"), (7, 3, "1 or 7"), (1, 2, "1"), (0, 0, "1"), (8, -2, "1, 2 or 4")],
)
def test_what_does_not_divide(width: int, heads: int, use: str):
    check_divides("width", 100, "heads", 10)
    with refused(f"heads must divide width: got width={width}, heads={heads}; use {use}"):
        check_divides("width", width, "heads", heads)


@pytest.mark.parametrize("value", [1, 1.0, -0.1, float("nan"), float("inf"), True, "0.1", None])
def test_what_is_no_probability_below_one(value: object):
    for fine in (0, 0.0, 0.1, 0.999):
        check_probability("dropout", fine)
    with refused(f"dropout is a probability below 1: got dropout={value!r}; use 0.0 for none"):
        check_probability("dropout", value)


@pytest.mark.parametrize("value", [[1.0], (1.0,), np.ones(1), 1.0, None])
def test_what_is_no_tensor(value: object):
    check_tensor("Slopes", torch.nn.Parameter(torch.ones(1)))
    with refused(f"Slopes needs a tensor: got {type(value).__name__}; use torch.tensor(…)"):
        check_tensor("Slopes", value)
    with refused(f"Dense needs a map of True and False: got {type(value).__name__}; use torch.tensor(…)"):
        check_tensor("Dense", value, "a map of True and False")


@pytest.mark.parametrize(
    ("name", "tail"),
    [("gelo", "did you mean gelu?"), ("elu", "did you mean relu or gelu?"), ("tanh", "use one of gelu, relu")],
)
@pytest.mark.parametrize("kind", [list, tuple, dict.fromkeys])
def test_unknown_names(name: str, tail: str, kind: Callable[[list[str]], Any]):
    known = kind(["gelu", "relu"])
    check_known("activation", "gelu", known)
    assert nearest(name, known) == tail
    with refused(f"unknown activation {name!r}: {tail}"):
        check_known("activation", name, known)


@pytest.mark.parametrize("name", [3, None, ["gelu"]])
def test_what_is_no_name(name: object):
    with refused(f"unknown activation {name!r}: use one of relu, silu"):
        check_known("activation", name, ["relu", "silu"])


def test_other_advice_where_no_name_is_near():
    assert nearest("udl.1c", ["udl.1a"], "see regard questions") == "did you mean udl.1a?"
    assert nearest("tanh", ["gelu"], "see regard questions") == "see regard questions"
    assert nearest("tanh", [], "there is none") == "there is none"
