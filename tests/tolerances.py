"""How equal is equal: every tolerance of the suite, each with its reason.

An algorithm is compared with the float64 reference, and allowed a multiple of the error that the *reference itself*
makes in the type at hand, plus a few roundings of the accumulation type. Two norms are bounded: the largest error
finds one wrong entry, the root mean square finds a small error of all of them (β off by 1 % is below the rounding of a
single bfloat16 number, and far above that of their mean).
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Allowance:
    """Multiples of the reference's own error: of the largest entry's, and of the root mean square."""

    largest: float
    mean: float


# Half precision: the reference rounds its result once. A kernel also rounds the weights (and, going back, their
# gradients) before the second product: two or three errors of one size, independent, so about √3 in the mean, and as
# much again where many queries or grouped heads sum rounded gradients. The largest of thousands strays further.
# float32, float64: the reference's error is that of sums of S terms in one order. A kernel sums in another, rescales
# as the maximum moves, and uses an exponential that is good to a few units in the last place.
ALLOWANCES = {
    torch.float16: Allowance(largest=6, mean=3.5),
    torch.bfloat16: Allowance(largest=6, mean=3.5),
    torch.float32: Allowance(largest=12, mean=12),
    torch.float64: Allowance(largest=12, mean=12),
}

# Where the reference happens to be exact (one key: weight 1, gradient 0) a kernel still subtracts two rounded numbers
# of the size of the others: so many roundings of the accumulation type, of the largest result of its kind.
ROUNDINGS = 16

# A half-precision kernel's exponentials are good to 14 bits, and so is their sum; the error of its logarithm, a
# float32, is the relative error of the sum, whatever the size of the logarithm.
HALF_LSE = 2**-13

# The reference rounds its result once to the type (half a unit of the last place of the largest number) and
# accumulates in float32 or wider: above this it would be the yardstick of its own mistakes.
OWN_ROUNDINGS = 64

# The gradient of a float32 score term under half-precision values is a sum, over all pairs, of products of
# half-precision numbers. The reference multiplies them in float32; an algorithm that mixes in half precision rounds the
# map, and the mixed values between two steps: so many units in the last place of the half type, of the largest gradient
# of its kind.
HALF_TERM = 3

# The gradient of a precision is a logit over that precision: of the precisions in the cases this is the least.
LEAST_PRECISION = 0.1

# Numbers of size 1 in float32, by two ways of few steps: a GPU's kernels sum in orders of their own.
NEAR = {"cpu": 2e-6, "cuda": 2e-5}

Results = dict[str, Tensor]


@dataclass(frozen=True)
class Sizes:
    """How large the numbers are that a call adds up; what cancels among them is lost to their rounding.

    `incoming` is the size of the gradients that come back, the least that counts as the size of a gradient. `depth` is
    that of the log-sum-exp: a logit of size L is known to L roundings, and so are its exponential and its gradient.
    `parts` is the size of the parts that cancel in a gradient: a kernel's quotient has one through its numerator and
    one through its denominator, each the larger the smaller the denominator is, and with one key they are opposite.
    """

    incoming: float
    depth: float = 0.0
    parts: float = 0.0


def mismatches(got: Results, own: Results, exact: Results, sizes: Sizes) -> list[str]:
    """What in `got` is not as good as `own`, the reference in the same type; both against the float64 `exact`."""
    incoming, depth = sizes.incoming, sizes.depth
    half = own["out"].dtype.itemsize == 2
    largest = [_largest(x) for name, x in exact.items() if name.startswith("gradient")]
    gradients = max(incoming, sizes.parts, *largest) if largest else incoming
    problems = []
    for name, x in exact.items():
        scale = gradients if name.startswith("gradient") else _largest(x)
        term = name.startswith("gradient of term")
        if term:  # a sum over rows, queries and columns, of which the reference may cancel each before it adds them
            scale = max(scale, incoming * exact["out"][:, 0].numel() ** 0.5)
        rounding = torch.finfo(torch.promote_types(own[name].dtype, torch.float32)).eps * scale
        size = depth / LEAST_PRECISION if term else depth
        floor = (ROUNDINGS + size) * rounding
        floor = max(floor, HALF_LSE) if half and name == "lse" else floor
        if half and term and own[name].dtype.itemsize > 2:
            floor += HALF_TERM * torch.finfo(own["out"].dtype).eps * max(incoming, _largest(x))
        own_limit = (torch.finfo(own[name].dtype).eps / 2) * scale + (OWN_ROUNDINGS + size) * rounding
        problems += [f"{name}: {problem}" for problem in _compare(got[name], own[name], x, own_limit, floor)]
    return problems


def _largest(x: Tensor) -> float:
    """The largest finite number."""
    return float(x.abs().masked_fill(~x.isfinite(), 0).max())


def _compare(got: Tensor, own: Tensor, exact: Tensor, own_limit: float, floor: float) -> list[str]:
    if got.shape != own.shape or got.dtype != own.dtype:
        return [f"must be {own.dtype} of shape {tuple(own.shape)}, got {got.dtype} of shape {tuple(got.shape)}"]
    infinite = exact.isinf()  # the log-sum-exp of an empty row
    if not torch.equal(got[infinite].double(), exact[infinite]):
        return ["must be −∞ in the empty rows"]
    seen = ~infinite
    if not seen.any():
        return []
    if not got[seen].isfinite().all():
        return [f"{int((~got[seen].isfinite()).sum())} of {got.numel()} numbers are not finite"]
    error, own_error = ((x[seen].double() - exact[seen]).abs() for x in (got, own))
    return _bounded(error, own_error, own_limit, floor, got.dtype)


def _bounded(error: Tensor, own_error: Tensor, own_limit: float, floor: float, dtype: torch.dtype) -> list[str]:
    allowance = ALLOWANCES[dtype]
    bounds = (
        ("the reference itself is off by", own_error.max(), own_limit),
        ("largest error", error.max(), allowance.largest * own_error.max() + floor),
        ("mean error", _rms(error), allowance.mean * _rms(own_error) + floor),
    )
    return [f"{what} {float(size):.3g}, at most {float(limit):.3g}" for what, size, limit in bounds if size > limit]


def _rms(x: Tensor) -> Tensor:
    return x.square().mean().sqrt()


# Two computations of one model or layer, both in one type. Each rounds every number that it makes, in an order of its
# own. How much that matters is a property of the problem: how far the exact results move when every weight is off by
# one unit in the last place. Either computation comes within 1.7 of that for the models of the suite, whatever the
# order of summation; so they lie at most so many times that apart.
APART = 4


def apart(module: nn.Module, run: Callable[[nn.Module], Results]) -> dict[str, float]:
    """How far two computations of each result of `run` may lie apart, by the conditioning of the problem.

    Where a result does not depend on a weight, or its gradient cancels, a rounding of the largest of its kind is left.
    """
    unit = torch.finfo(next(module.parameters()).dtype).eps
    exact = copy.deepcopy(module).double()
    found = {name: x.detach() for name, x in run(exact).items()}
    moved = dict.fromkeys(found, 0.0)
    for seed in range(3):
        generator = torch.Generator().manual_seed(seed)
        other = copy.deepcopy(exact)
        with torch.no_grad():
            for weight in other.parameters():
                weight *= 1 + unit * torch.randn(weight.shape, generator=generator, dtype=weight.dtype)
        for name, x in run(other).items():
            moved[name] = max(moved[name], float((x.detach() - found[name]).abs().max()))
    gradients = max([_largest(x) for name, x in found.items() if name.startswith("gradient")], default=0.0)
    sizes = {name: gradients if name.startswith("gradient") else _largest(x) for name, x in found.items()}
    return {name: APART * (moved[name] + unit * sizes[name]) for name in found}


def assert_together(got: Results, wanted: Results, limits: dict[str, float]) -> None:
    """Every result of one computation is as near to that of the other as their limits say."""
    assert got.keys() == wanted.keys() == limits.keys()
    for name, limit in limits.items():
        torch.testing.assert_close(
            got[name], wanted[name], rtol=0, atol=limit, msg=lambda told, name=name: f"{name}: {told}"
        )


# FlexAttention without a compiler computes in float32 by plain operations, in another order than the reference.
TORCH_EAGER_FLEX = {"rtol": 1e-5, "atol": 1e-5}

# Gradients of a sum of squares over thousands of tokens, in float32 on both sides: sums of thousands of terms.
LONG = {"rtol": 2e-4, "atol": 2e-4}

# Cached pieces against the whole, both in float64: sums of some twenty numbers of size 1 in two orders.
PIECES = {"rtol": 0.0, "atol": 1e-12}

# One query against a cache by a kernel, outputs of size 1: its roundings as above, or of half precision one of the
# result and one of the weights.
ONE_QUERY = {torch.float32: ROUNDINGS * 2**-23, torch.bfloat16: 2 * 2**-7}


def near(device: torch.device) -> dict[str, float]:
    """For `assert_close` of two float32 results."""
    return {"rtol": 0.0, "atol": NEAR[device.type]}
