"""Which pairs unfused attention leaves out: a mask that is added to, or filled into, a product before a softmax.

Tensors carry a role from operation to operation: the logits that a product made, a bias that hides pairs, the weights
that a softmax made. So `softmax(q kᵀ + mask) v`, written with any of torch's operations, is known for what it is.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from regard.analysis.costs.known import known

ADDITIONS = frozenset({"add", "add_", "sub", "sub_"})
FILLS = frozenset({"masked_fill", "masked_fill_", "where"})
SOFTMAXES = frozenset({"_softmax", "_safe_softmax"})

MOST_SHARES = 4  # terms of one product each that logits are made of


@dataclass
class Share:
    """How many of the pairs of one product are visible; all of them until a softmax finds a mask."""

    visible: int = 1
    pairs: int = 1


@dataclass(frozen=True)
class Role:
    """What a tensor is to attention."""

    kind: str  # logits, bias or weights
    shares: tuple[Share, ...] = ()
    visible: Tensor | None = field(default=None)


def role(x: Any) -> Role | None:
    """The role that a tensor has been given."""
    return x.__dict__.get("_regard_role") if isinstance(x, Tensor) else None


def give(x: Any, role: Role) -> None:
    """Let a tensor have this role."""
    if isinstance(x, Tensor):
        vars(x)["_regard_role"] = role


def seen(x: Any) -> Tensor | None:
    """Where an additive mask, or a boolean one, lets attention pass; None where that is not known or everywhere."""
    held = role(x)
    if held is not None and held.kind == "bias":
        return held.visible
    value = known(x)
    if value is None:
        return None
    if value.dtype == torch.bool:
        return value
    if not value.is_floating_point():
        return None
    visible = value > lowest(value.dtype)
    return None if bool(visible.all()) else visible


def is_understood(x: Tensor) -> bool:
    """Whether it is known what a mask hides, be it nothing."""
    held = role(x)
    return known(x) is not None or x.requires_grad or (held is not None and held.kind == "bias")


def lowest(dtype: torch.dtype) -> float:
    """At or below this a logit hides its pair: −∞, and the large numbers that stand for it."""
    return max(torch.finfo(dtype).min / 2, -1e9) if dtype != torch.float16 else -3e4


def count_visible(visible: Tensor, shape: tuple[int, ...]) -> int:
    """Visible pairs of a map of that shape, over which `visible` is broadcast.

    >>> count_visible(torch.ones(3, 3).tril().bool(), (2, 4, 3, 3))
    48
    """
    size = 1
    for n in shape:
        size *= n
    return int(visible.sum()) * (size // max(1, visible.numel()))


def follow(name: str, args: tuple[Any, ...], out: Any) -> None:
    """Hand the roles of the arguments on to the result of the operation of that name, which is no product."""
    if not isinstance(out, Tensor):
        return
    held = [x for x in (role(arg) for arg in args) if x is not None]
    if name in ADDITIONS and len(args) > 1:
        visible = _together(*(seen(arg) for arg in args[:2]))
        if held or visible is not None:
            shares = tuple(share for x in held for share in x.shares)
            kind = "logits" if shares else "bias"
            give(out, Role(kind, shares, visible if visible is not None else _inherited(held)))
        return
    filled = _filled(name, args) if name in FILLS else None
    if not held:
        if filled is not None:
            give(out, Role("bias", (), filled))
        return
    first = next((x for x in held if x.shares), held[0])
    if len(first.shares) > MOST_SHARES:  # no logits: a sum of many layers
        return
    if filled is not None:
        first = replace(first, visible=_together(first.visible, filled))
    if name in SOFTMAXES and first.kind == "logits":
        if first.visible is not None:
            for share in first.shares:
                share.visible, share.pairs = count_visible(first.visible, tuple(out.shape)), out.numel()
        first = replace(first, kind="weights")
    give(out, first)


def _inherited(held: list[Role]) -> Tensor | None:
    return next((x.visible for x in held if x.visible is not None), None)


def _together(*parts: Tensor | None) -> Tensor | None:
    """Visible in all."""
    given = [x for x in parts if x is not None]
    if not given:
        return None
    if len(given) == 1:
        return given[0]
    left, right = given
    return left & right


def _filled(name: str, args: tuple[Any, ...]) -> Tensor | None:
    """What `masked_fill(x, mask, −∞)` or `where(mask, x, −∞)` leaves visible."""
    if name == "where":
        condition, yes, no = known(args[0]), known(args[1]), known(args[2])
        if condition is None:
            return None
        if no is not None and no.is_floating_point() and bool((no <= lowest(no.dtype)).all()):
            return condition
        if yes is not None and yes.is_floating_point() and bool((yes <= lowest(yes.dtype)).all()):
            return ~condition
        return None
    condition = known(args[1])
    value = known(args[2]) if isinstance(args[2], Tensor) else torch.tensor(float(args[2]))
    if condition is None or value is None or float(value) > lowest(torch.float32):
        return None
    return ~condition
