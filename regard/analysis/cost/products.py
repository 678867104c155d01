"""Matrix products inside torch's operations, as formulas of the operands' sizes: two FLOPs per multiply-add.

A formula gives what is *needed* (the pairs of attention that a mask leaves; no product twice) and what is *executed*
(whole blocks of a kernel, logits that a backward pass computes again). Sizes are numbers or polynomials.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.algorithms.planning.cost import Count

Sizes = Callable[[Tensor], tuple[Count, ...]]


class Products(NamedTuple):
    """FLOPs of matrix products."""

    needed: Count
    executed: Count

    def __add__(self, other: "Products") -> "Products":  # pyright: ignore[reportIncompatibleMethodOverride]
        return Products(self.needed + other.needed, self.executed + other.executed)

    def times(self, factor: Count) -> "Products":
        """Each so many times."""
        return Products(self.needed * factor, self.executed * factor)


NONE = Products(0, 0)


def both(flops: Count) -> Products:
    """All that is executed is needed."""
    return Products(flops, flops)


class Call(NamedTuple):
    """One operation: its arguments, its results and a way to read sizes."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    out: Any
    sizes: Sizes

    def shape(self, index: int) -> tuple[Count, ...]:
        """Sizes of an argument."""
        return self.sizes(self.args[index])

    def argument(self, index: int, name: str, default: Any = None) -> Any:
        """By place or by name."""
        return self.args[index] if len(self.args) > index else self.kwargs.get(name, default)


def _product(sizes: tuple[Count, ...]) -> Count:
    result: Count = 1
    for size in sizes:
        result = result * size
    return result


def _matmul(call: Call, first: int) -> Products:
    """(…, m, k) by (…, k, n), from that argument on."""
    left, right = call.shape(first), call.shape(first + 1)
    return both(2 * _product(left) * right[-1])


def _matvec(call: Call, first: int) -> Products:
    return both(2 * _product(call.shape(first)))


def _addbmm(call: Call) -> Products:
    return _matmul(call, 1)


def _convolution(call: Call) -> Products:
    """Each output sees kernel × input channels of its group; transposed, each input writes as many."""
    weight = call.shape(1)
    transposed = call.argument(6, "transposed", False)
    ends = call.shape(0) if transposed else call.sizes(call.out)
    # weight is (out, in / groups, …), or transposed (in, out / groups, …)
    return both(2 * _product(ends) * _product(weight[1:]))


def _convolution_backward(call: Call) -> Products:
    """(gradient, input, weight, …, transposed, …, output_mask): as many products as forward for either."""
    gradient, x, weight = call.shape(0), call.shape(1), call.shape(2)
    transposed, wanted = call.args[7], call.args[10]
    once = 2 * _product(x if transposed else gradient) * _product(weight[1:])
    return both(once * (bool(wanted[0]) + bool(wanted[1])))


def _recurrent_layer(call: Call) -> Products:
    """(T, B, in) through one layer whose two weights are (gates·h, in) and (gates·h, h)."""
    rows = _product(call.shape(0)[:-1])
    return both(2 * rows * (_product(call.shape(1)) + _product(call.shape(2))))


def _linear(call: Call) -> Products:
    return both(2 * _product(call.shape(0)) * call.shape(1)[0])


def _grouped(call: Call) -> Products:
    """Rows sorted by group (M, K) by one matrix for each (G, K, N), or the like: every row, or column, meets one."""
    left, right = call.shape(0), call.shape(1)
    groups = left[0] if len(left) == len(right) == 3 else 1
    return both(2 * groups * left[-2] * left[-1] * right[-1])


PRODUCTS: dict[str, Callable[[Call], Products]] = {
    "aten.mm": lambda call: _matmul(call, 0),
    "aten.bmm": lambda call: _matmul(call, 0),
    "aten.addmm": lambda call: _matmul(call, 1),
    "aten.addmm_": lambda call: _matmul(call, 1),
    "aten._addmm_activation": lambda call: _matmul(call, 1),
    "aten.baddbmm": lambda call: _matmul(call, 1),
    "aten.baddbmm_": lambda call: _matmul(call, 1),
    "aten.addbmm": _addbmm,
    "aten.addbmm_": _addbmm,
    "aten._int_mm": lambda call: _matmul(call, 0),
    "aten._scaled_mm": lambda call: _matmul(call, 0),
    "aten._grouped_mm": _grouped,
    "aten.mv": lambda call: _matvec(call, 0),
    "aten.addmv": lambda call: _matvec(call, 1),
    "aten.addmv_": lambda call: _matvec(call, 1),
    "aten.dot": lambda call: _matvec(call, 0),
    "aten.vdot": lambda call: _matvec(call, 0),
    "aten.addr": lambda call: both(2 * call.shape(1)[0] * call.shape(2)[0]),
    "aten.linear": _linear,
    "aten.mkldnn_rnn_layer": _recurrent_layer,
    "aten.convolution": _convolution,
    "aten._convolution": _convolution,
    "aten.cudnn_convolution": lambda call: both(2 * _product(call.sizes(call.out)) * _product(call.shape(1)[1:])),
    "aten.convolution_overrideable": _convolution,
    "aten.convolution_backward": _convolution_backward,
}


class Pairs(NamedTuple):
    """(query, key) pairs of all rows and heads: that may attend, and that a kernel goes over."""

    visible: Count
    visited: Count


def forward_products(pairs: Pairs, D: Count, E: Count) -> Products:
    """`q kᵀ` and `P v`."""
    return Products(2 * pairs.visible * (D + E), 2 * pairs.visited * (D + E))


class Wanted(NamedTuple):
    """Whose gradients are asked for; those of the logits where q, k or a bias are."""

    q: bool = True
    k: bool = True
    v: bool = True
    logits: bool = True

    @classmethod
    def by(cls, q: Tensor, k: Tensor, v: Tensor, *biases: Tensor) -> "Wanted":
        """By these tensors."""
        return cls(q.requires_grad, k.requires_grad, v.requires_grad, any(x.requires_grad for x in (q, k, *biases)))


EVERYTHING = Wanted()


def backward_products(pairs: Pairs, D: Count, E: Count, wanted: Wanted) -> Products:
    """`dP = dO vᵀ`, `dQ`, `dK` and `dV`, those that are wanted; executed are all, and the logits once more."""
    each = (wanted.logits + wanted.v) * E + (wanted.q + wanted.k) * D
    return Products(2 * pairs.visible * each, 2 * pairs.visited * (2 * E + 3 * D))


def triangle(T: Count, S: Count, is_wide: bool) -> Count:
    """Pairs with j ≤ i of T queries and S keys: query i sees min(i + 1, S). `is_wide`: T ≤ S.

    >>> triangle(3, 3, True), triangle(2, 5, True), triangle(4, 2, False)
    (6, 3, 7)
    """
    return half(T * (T + 1)) if is_wide else half(S * (S + 1)) + (T - S) * S


def half(count: Count) -> Count:
    """Exactly: numbers come even, polynomials have fractions."""
    return count // 2 if isinstance(count, int) else count / 2


def is_float(x: Any) -> bool:
    """Whether this is a tensor that can have a gradient."""
    return isinstance(x, Tensor) and (x.is_floating_point() or x.is_complex())


HALF = (torch.float16, torch.bfloat16)
