"""Which pairs attention leaves out, found while every other tensor is fake.

Two things are followed from operation to operation. **Contents**: a mask decides how much of attention is needed, so
whatever is made from constants, positions, lengths and the user's own integer and boolean tensors is computed for real.
**Roles**: the logits that a product made, a bias that hides pairs, the weights that a softmax made; so
`softmax(q kᵀ + mask) v`, written with any of torch's operations, is known for what it is.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch._guards import detect_fake_mode
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.utils._pytree import tree_flatten, tree_map_only, tree_unflatten

# Attributes of fake tensors: their contents, whether they are random numbers alone, their role, the parameter.
KNOWN, NOISE, ROLE, WEIGHT = "_regard_known", "_regard_noise", "_regard_role", "_regard_weight"
MAX_BYTES = 1 << 29  # of one result that is computed for real
MAX_BYTES_UNREAD = 1 << 22  # the same where no mask is read: lists of blocks and of tokens, to go on by
HIDES = -1e4  # a logit at or below it hides its pair, as exp(−10,000) is 0 in every type
ADDITIONS = frozenset({"add", "add_", "sub", "sub_"})
FILLS = frozenset({"masked_fill", "masked_fill_", "where"})
SOFTMAXES = frozenset({"_softmax", "_safe_softmax"})
CASTS = frozenset({"_to_copy", "clone"})
RESHAPES = frozenset({"view", "_unsafe_view", "_reshape_alias", "expand", "unsqueeze", "squeeze"})
MAX_PRODUCTS = 4  # that logits are the sum of
MAX_PAIRS = 1 << 27  # of a map that is turned and cut with its logits


class Origin:
    """One memory that several views share: writing something unknown into it spoils them all."""

    def __init__(self) -> None:
        self.is_valid = True


def known(x: Any) -> Tensor | None:
    """The contents of a tensor, where they are known."""
    if not isinstance(x, FakeTensor):
        return x if isinstance(x, Tensor) and x.device.type != "meta" else None
    held = x.__dict__.get(KNOWN)
    return held[0] if held is not None and held[1].is_valid else None


def remember(x: Tensor, value: Tensor, origin: Origin | None = None) -> None:
    """Store what a fake tensor holds."""
    setattr(x, KNOWN, (value, origin or Origin()))


def fake_with_contents(real: Any) -> Any:
    """Fake tensors in place of real ones, however nested; their contents are remembered."""
    mode = detect_fake_mode()
    assert mode is not None

    def fake(x: Tensor) -> Tensor:
        result = mode.from_tensor(x)
        remember(result, x)
        return result

    return tree_map_only(Tensor, fake, real)


def known_arguments(func: Any, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
    """The arguments with contents in place of fakes, or None where one is not known or there is nothing to know."""
    schema = func._schema
    if torch.Tag.nondeterministic_seeded in func.tags or schema.name.startswith(("aten::empty", "aten::new_empty")):
        return None
    if args and isinstance(args[0], FakeTensor) and known(args[0]) is None:
        return None  # most operations: no need to look at the others
    flat, structure = tree_flatten((args, kwargs))
    values = []
    for x in flat:
        if isinstance(x, Tensor):
            value = known(x)
            if value is None or (schema.is_mutable and not isinstance(x, FakeTensor)):
                return None
            values.append(value)
        else:
            values.append(torch.device("cpu") if isinstance(x, torch.device) else x)
    return tree_unflatten(values, structure)


def compute(func: Any, contents: tuple[Any, Any]) -> Any:
    """Run the operation for real, on the CPU."""
    args, kwargs = contents
    with unset_fake_temporarily(), torch.no_grad():
        return func(*args, **kwargs)


def keep_contents(func: Any, args: Any, out: Any, contents: tuple[Any, Any], max_bytes: int) -> None:
    """Compute and remember the contents of results that are small enough; a view shares its base's fate."""
    fakes = tree_flatten(out)[0]
    if not any(isinstance(x, FakeTensor) for x in fakes):
        return
    if any(isinstance(x, Tensor) and x.numel() * x.element_size() > max_bytes for x in fakes):
        return
    base = args[0] if func.is_view or func._schema.is_mutable else None
    shares = isinstance(base, FakeTensor) and KNOWN in base.__dict__
    origin = base.__dict__[KNOWN][1] if shares else None
    for fake, value in zip(fakes, tree_flatten(compute(func, contents))[0], strict=True):
        if isinstance(fake, FakeTensor):
            remember(fake, value, origin)


def written(func: Any, args: tuple[Any, ...]) -> list[Tensor]:
    """The arguments that an operation writes to."""
    written: list[Any] = []
    for argument, value in zip(func._schema.arguments, args, strict=False):
        if argument.alias_info is not None and argument.alias_info.is_write:
            written += tree_flatten(value)[0]
    return [x for x in written if isinstance(x, Tensor)]


def forget_contents(func: Any, args: Any) -> None:
    """Something unknown is written: forget what the memory held."""
    if func._schema.is_mutable:
        for x in written(func, args):
            if KNOWN in x.__dict__:
                x.__dict__[KNOWN][1].is_valid = False


def follow_noise(func: Any, args: Any, out: Any) -> None:
    """Mark what is made of freshly drawn parameters alone, by the operation that made it."""
    if not isinstance(out, Tensor):
        return
    draws = torch.Tag.nondeterministic_seeded in func.tags
    sources = [x for x in args[1 if func is torch.ops.aten.copy_.default else 0 :] if isinstance(x, Tensor)]
    if (draws and func._schema.is_mutable) or (sources and all(hasattr(x, NOISE) for x in sources)):
        setattr(out, NOISE, func._schema.name)


def asks_to_redraw(x: Any) -> bool:
    """Whether this boolean says that `any` of some random numbers is rejected: truncated distributions draw again."""
    return getattr(x, NOISE, "") == "aten::any"


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
    sinks: int = 0  # columns beside those of the keys


def role_of(x: Any) -> Role | None:
    """The role that a tensor has been given."""
    return getattr(x, ROLE, None) if isinstance(x, Tensor) else None


def set_role(x: Any, role: Role) -> None:
    """Give a tensor this role."""
    if isinstance(x, Tensor):
        setattr(x, ROLE, role)


def weight_of(x: Any) -> nn.Parameter | None:
    """The parameter that this is, or of which it is a view: a product with it projects, and makes no logits."""
    return x if isinstance(x, nn.Parameter) else getattr(x, WEIGHT, None)


def read_mask(x: Any, sign: int = 1) -> Tensor | None:
    """Where an additive mask, or a boolean one, lets attention pass; None where that is not known or everywhere."""
    value = known(x)
    if value is None:
        held = role_of(x)
        return held.visible if held is not None and held.kind == "bias" else None
    if value.dtype == torch.bool:
        return value
    if not value.is_floating_point():
        return None
    visible = ~(sign * value <= HIDES)
    return None if bool(visible.all()) else visible


def is_understood(x: Tensor) -> bool:
    """Whether it is known what a mask hides, be it nothing."""
    held = role_of(x)
    return known(x) is not None or x.requires_grad or (held is not None and held.kind == "bias")


def count_visible(visible: Tensor, shape: tuple[int, ...]) -> int:
    """Visible pairs of a map of that shape, over which `visible` is broadcast.

    >>> count_visible(torch.ones(3, 3).tril().bool(), (2, 4, 3, 3))
    48
    """
    return int(visible.sum()) * (math.prod(shape) // max(1, visible.numel()))


def follow_product(name: str, args: tuple[Any, ...], out: Any) -> Share | None:
    """The visible share of a product of two activations: known if it mixes by weights, else left to a softmax."""
    if any(weight_of(x) is not None for x in args[-2:]):
        return None
    for x in args[-2:]:
        held = role_of(x)
        if held is not None and held.kind == "weights":
            visible = x.numel() if held.visible is None else count_visible(held.visible, tuple(x.shape))
            return Share(visible, x.numel(), attends=True)
    share = Share()
    added = read_mask(args[0]) if name in ("aten.baddbmm", "aten.addmm") else None
    set_role(out, Role("logits", ((share, out.numel()),), added))
    return share


def follow_roles(func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
    """Hand the roles of the arguments on to the result of an operation that is no product."""
    if name == "native_dropout":
        out = out[0]  # beside it, which weights were kept
    if not isinstance(out, Tensor):
        return
    if (func.is_view or name in CASTS) and (weight := weight_of(args[0])) is not None:
        setattr(out, WEIGHT, weight)
    if name == "cat":
        _add_sinks(args, kwargs, out)
        return
    if name in ADDITIONS and len(args) > 1:
        _add(-1 if name.startswith("sub") else 1, args, out)
        return
    held = [(x, found) for x in args if (found := role_of(x)) is not None]
    filled = _read_fill(name, args) if name in FILLS else None
    if not held:
        if filled is not None:
            set_role(out, Role("bias", (), filled))
        return
    source, first = next(((x, found) for x, found in held if found.products), held[0])
    if source.shape != out.shape:
        first = _reshape_role(func, source, first, args, kwargs, out)
    if first is None or len(first.products) > MAX_PRODUCTS:
        return
    if filled is not None:
        first = replace(first, visible=_intersect(first.visible, filled))
    if name in SOFTMAXES and first.kind == "logits":
        _settle(first, tuple(out.shape))
        first = replace(first, kind="weights")
    set_role(out, first)


def _add(sign: int, args: tuple[Any, ...], out: Tensor) -> None:
    """Give a role to a sum of logits, of logits and a mask, or of a bias and a mask."""
    held = [found for x in args[:2] if (found := role_of(x)) is not None and found.kind != "weights"]
    sinks = max((found.sinks for found in held), default=0)
    pairs = math.prod(out.shape[:-1]) * (out.shape[-1] - sinks) if sinks else out.numel()
    # A product that is repeated over rows is computed once: it is needed whole.
    products = tuple(pair for found in held for pair in found.products if pair[1] >= pairs)
    hidden = [found.visible for found in held if found.kind == "logits"]
    visible = _intersect(*hidden, read_mask(args[0]), read_mask(args[1], sign))
    if len(products) <= MAX_PRODUCTS and (held or visible is not None):
        set_role(out, Role("logits" if products else "bias", products, visible, sinks))


def _add_sinks(args: tuple[Any, ...], kwargs: dict[str, Any], out: Tensor) -> None:
    """Give a role to logits with columns beside them that take weight and give nothing."""
    parts, dim = args[0], args[1] if len(args) > 1 else kwargs.get("dim", 0)
    found = [(n, held) for n, x in enumerate(parts) if (held := role_of(x)) is not None and held.kind == "logits"]
    if len(found) != 1 or dim % out.ndim != out.ndim - 1:
        return
    (place, held), sizes = found[0], [x.shape[-1] for x in parts]
    visible, sinks = held.visible, out.shape[-1] - sizes[place]
    if visible is not None:
        whole = visible.expand(*visible.shape[:-1], sizes[place])
        visible = nn.functional.pad(whole, (sum(sizes[:place]), sum(sizes[place + 1 :])), value=True)
    set_role(out, replace(held, visible=visible, sinks=held.sinks + sinks))


def _reshape_role(func: Any, source: Tensor, held: Role, args: Any, kwargs: Any, out: Tensor) -> Role | None:
    """The role of logits that were transposed or sliced: their map is transposed and sliced alike."""
    name = func._schema.name.split("::")[1]
    if source is not args[0] or not (func.is_view or name in RESHAPES):
        return None
    if held.sinks and source.shape[-1] - out.shape[-1] == held.sinks:
        held = replace(held, sinks=0)
    if held.visible is None:
        return held
    last = held.visible
    while last.ndim and last.shape[0] == 1:
        last = last[0]
    if name in RESHAPES and source.shape[source.ndim - last.ndim :] == out.shape[out.ndim - last.ndim :]:
        return replace(held, visible=last)  # the sizes that it speaks of are the same
    if name == "slice" and (dim := (args[1] if len(args) > 1 else 0) % source.ndim - source.ndim) >= -last.ndim:
        return replace(held, visible=last if last.shape[dim] == 1 else func(last, dim, *args[2:], **kwargs))
    if source.numel() > MAX_PAIRS:
        return None
    whole = held.visible.expand(source.shape)
    same = name in ("view", "_unsafe_view")
    return replace(held, visible=whole.reshape(out.shape) if same else func(whole, *args[1:], **kwargs))


def _settle(held: Role, shape: tuple[int, ...]) -> None:
    """Tell the products that a softmax has come: what is visible now is what they were needed for."""
    for share, pairs in held.products:
        sinks = held.sinks * math.prod(shape[:-1])
        count = pairs if held.visible is None else count_visible(held.visible, shape) - sinks
        # Logits of two softmaxes are needed where either sees them: as many as the one that sees more.
        share.visible = max(count, share.visible if share.attends else 0)
        share.pairs, share.attends = pairs, True


def _intersect(*parts: Tensor | None) -> Tensor | None:
    """The pairs that are visible in all."""
    result = None
    for x in parts:
        result = x if result is None else result if x is None else result & x
    return result


def fills_unknown(name: str, args: tuple[Any, ...]) -> bool:
    """Whether logits are filled by a mask of which nothing is known."""
    condition, logits = (args[0], args[1]) if name == "where" else (args[1], args[0])
    held = role_of(logits)
    return held is not None and held.kind == "logits" and known(condition) is None


def _read_fill(name: str, args: tuple[Any, ...]) -> Tensor | None:
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
    return value is not None and value.is_floating_point() and bool((value <= HIDES).all())
