"""Which pairs unfused attention leaves out: a mask that is added to, or filled into, a product before a softmax.

Tensors carry a role from operation to operation: the logits that a product made, a bias that hides pairs, the weights
that a softmax made. So `softmax(q kᵀ + mask) v`, written with any of torch's operations, is known for what it is.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from regard.analysis.cost.known import known

ADDITIONS = frozenset({"add", "add_", "sub", "sub_"})
FILLS = frozenset({"masked_fill", "masked_fill_", "where"})
SOFTMAXES = frozenset({"_softmax", "_safe_softmax"})
RESHAPES = frozenset({"view", "_unsafe_view", "_reshape_alias", "expand", "unsqueeze", "squeeze"})
ROLE, WEIGHT = "_regard_role", "_regard_weight"  # attributes
MOST_SHARES = 4  # products that logits are the sum of
MOST = 1 << 27  # pairs of a map that is turned and cut with its logits


@dataclass
class Share:
    """How many of the pairs of one product are visible; all of them until a softmax finds a mask."""

    visible: int = 1
    pairs: int = 1
    attends: bool = False  # it makes logits of a softmax, or mixes by its weights


@dataclass(frozen=True)
class Role:
    """What a tensor is to attention; `visible` is broadcast over its sizes, None hides nothing."""

    kind: str  # logits, bias or weights
    products: tuple[tuple[Share, int], ...] = ()  # that it is the sum of, each with its pairs
    visible: Tensor | None = None


def role(x: Any) -> Role | None:
    """The role that a tensor has been given."""
    return getattr(x, ROLE, None) if isinstance(x, Tensor) else None


def give(x: Any, role: Role) -> None:
    """Let a tensor have this role."""
    if isinstance(x, Tensor):
        setattr(x, ROLE, role)


def is_weight(x: Any) -> bool:
    """A parameter, as it is or turned: a product with it projects, and is no logit."""
    return isinstance(x, nn.Parameter) or getattr(x, WEIGHT, False)


def seen(x: Any, sign: int = 1) -> Tensor | None:
    """Where an additive mask, or a boolean one, lets attention pass; None where that is not known or everywhere."""
    value = known(x)
    if value is None:
        held = role(x)
        return held.visible if held is not None and held.kind == "bias" else None
    if value.dtype == torch.bool:
        return value
    if not value.is_floating_point():
        return None
    visible = ~(sign * value <= lowest(value.dtype))
    return None if bool(visible.all()) else visible


def is_understood(x: Tensor) -> bool:
    """Whether it is known what a mask hides, be it nothing."""
    held = role(x)
    return known(x) is not None or x.requires_grad or (held is not None and held.kind == "bias")


def lowest(dtype: torch.dtype) -> float:
    """At or below this a logit hides its pair: −∞, and the large numbers that stand for it.

    exp(−10,000) is 0 in every type.
    """
    return -1e4 if dtype.is_floating_point else 0.0


def count_visible(visible: Tensor, shape: tuple[int, ...]) -> int:
    """Visible pairs of a map of that shape, over which `visible` is broadcast.

    >>> count_visible(torch.ones(3, 3).tril().bool(), (2, 4, 3, 3))
    48
    """
    size = 1
    for n in shape:
        size *= n
    return int(visible.sum()) * (size // max(1, visible.numel()))


def product(name: str, args: tuple[Any, ...], out: Any) -> Share | None:
    """The share of a product of two activations: that of the weights it mixes by, or one to be found by a softmax."""
    if any(map(is_weight, args[-2:])):
        return None
    for x in args[-2:]:
        held = role(x)
        if held is not None and held.kind == "weights":
            visible = x.numel() if held.visible is None else count_visible(held.visible, tuple(x.shape))
            return Share(visible, x.numel(), attends=True)
    share = Share()
    added = seen(args[0]) if name in ("aten.baddbmm", "aten.addmm") else None
    give(out, Role("logits", ((share, out.numel()),), added))
    return share


def follow(func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
    """Hand the roles of the arguments on to the result of an operation, which is no product."""
    if name == "native_dropout":
        out = out[0]  # beside it, which weights were kept
    if not isinstance(out, Tensor):
        return
    if func.is_view and is_weight(args[0]):
        setattr(out, WEIGHT, True)
    if name in ADDITIONS and len(args) > 1:
        _added(-1 if name.startswith("sub") else 1, args, out)
        return
    held = [(x, found) for x in args if (found := role(x)) is not None]
    filled = _filled(name, args) if name in FILLS else None
    if not held:
        if filled is not None:
            give(out, Role("bias", (), filled))
        return
    source, first = next(((x, found) for x, found in held if found.products), held[0])
    if source.shape != out.shape:
        first = _reshaped(func, source, first, args, kwargs, out)
    if first is None or len(first.products) > MOST_SHARES:
        return
    if filled is not None:
        first = replace(first, visible=_together(first.visible, filled))
    if name in SOFTMAXES and first.kind == "logits":
        _settle(first, tuple(out.shape))
        first = replace(first, kind="weights")
    give(out, first)


def _added(sign: int, args: tuple[Any, ...], out: Tensor) -> None:
    """A sum: of logits, of logits and a mask, of a bias and a mask."""
    held = [found for x in args[:2] if (found := role(x)) is not None and found.kind != "weights"]
    # A product that is repeated over rows is computed once: it is needed whole.
    products = tuple(pair for found in held for pair in found.products if pair[1] >= out.numel())
    hidden = [found.visible for found in held if found.kind == "logits"]
    visible = _together(*hidden, seen(args[0]), seen(args[1], sign))
    if len(products) <= MOST_SHARES and (held or visible is not None):
        give(out, Role("logits" if products else "bias", products, visible))


def _reshaped(func: Any, source: Tensor, held: Role, args: Any, kwargs: Any, out: Tensor) -> Role | None:
    """The role of logits that were turned or cut: their map is turned and cut alike."""
    name = func._schema.name.split("::")[1]
    if source is not args[0] or not (func.is_view or name in RESHAPES):
        return None
    if held.visible is None:
        return held
    last = held.visible
    while last.ndim and last.shape[0] == 1:
        last = last[0]
    if name in RESHAPES and source.shape[source.ndim - last.ndim :] == out.shape[out.ndim - last.ndim :]:
        return replace(held, visible=last)  # the sizes that it speaks of are the same
    if source.numel() > MOST:
        return None
    whole = held.visible.expand(source.shape)
    same = name in ("view", "_unsafe_view")
    return replace(held, visible=whole.reshape(out.shape) if same else func(whole, *args[1:], **kwargs))


def _settle(held: Role, shape: tuple[int, ...]) -> None:
    """A softmax has come: what is visible now is what its products were needed for."""
    for share, pairs in held.products:
        count = pairs if held.visible is None else count_visible(held.visible, shape)
        # Logits of two softmaxes are needed where either sees them: as many as the one that sees more.
        share.visible = max(count, share.visible if share.attends else 0)
        share.pairs, share.attends = pairs, True


def _together(*parts: Tensor | None) -> Tensor | None:
    """Visible in all."""
    result = None
    for x in parts:
        result = x if result is None else result if x is None else result & x
    return result


def fills_unknown(name: str, args: tuple[Any, ...]) -> bool:
    """Whether logits are filled by a mask of which nothing is known."""
    condition, logits = (args[0], args[1]) if name == "where" else (args[1], args[0])
    held = role(logits)
    return held is not None and held.kind == "logits" and known(condition) is None


def _filled(name: str, args: tuple[Any, ...]) -> Tensor | None:
    """What `masked_fill(x, mask, −∞)` or `where(mask, x, −∞)` leaves visible."""
    if name == "where":
        condition, yes, no = known(args[0]), known(args[1]), known(args[2])
        if condition is None:
            return None
        if _hides(no):
            return condition
        return ~condition if _hides(yes) else None
    condition = known(args[1])
    value = known(args[2]) if isinstance(args[2], Tensor) else torch.tensor(float(args[2]))
    return None if condition is None or not _hides(value) else ~condition


def _hides(value: Tensor | None) -> bool:
    return value is not None and value.is_floating_point() and bool((value <= lowest(value.dtype)).all())
