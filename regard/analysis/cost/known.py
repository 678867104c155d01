"""Values of masks, while everything else has none: what is made from sizes and integers alone is computed beside.

A mask decides how much of attention is needed, so its contents must be known although tensors are fake. Whatever comes
from constants, positions, lengths and the user's own integer and boolean tensors is small and is computed for real.
"""

from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.utils._pytree import tree_flatten, tree_unflatten

KNOWN = "_regard_known"  # the attribute that holds contents
MOST = 1 << 29  # bytes of one value that is computed


class Origin:
    """One memory that several views share: a write of something unknown spoils them all."""

    def __init__(self) -> None:
        self.is_valid = True


def known(x: Any) -> Tensor | None:
    """The contents of a tensor, where they are known."""
    if not isinstance(x, FakeTensor):
        return x if isinstance(x, Tensor) and x.device.type != "meta" else None
    held = x.__dict__.get(KNOWN)
    return held[0] if held is not None and held[1].is_valid else None


def remember(x: Tensor, value: Tensor, origin: Origin | None = None) -> None:
    """Say what a fake tensor holds."""
    setattr(x, KNOWN, (value, origin or Origin()))


class Values:
    """Runs an operation on what is known, beside its run on fake tensors."""

    def contents(self, func: Any, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
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

    def compute(self, func: Any, contents: tuple[Any, Any]) -> Any:
        """The operation for real, on the CPU."""
        args, kwargs = contents
        with unset_fake_temporarily(), torch.no_grad():
            return func(*args, **kwargs)

    def keep(self, func: Any, args: Any, out: Any, real: Any) -> None:
        """Remember the results; a view shares its base's fate."""
        base = args[0] if func.is_view or func._schema.is_mutable else None
        origin = None
        if isinstance(base, FakeTensor) and KNOWN in base.__dict__:
            origin = base.__dict__[KNOWN][1]
        for fake, value in zip(tree_flatten(out)[0], tree_flatten(real)[0], strict=True):
            if isinstance(fake, FakeTensor):
                remember(fake, value, origin)

    def spoil(self, func: Any, args: Any, kwargs: Any) -> None:
        """A write of something unknown."""
        if not func._schema.is_mutable:
            return
        for argument, x in zip(func._schema.arguments, args, strict=False):
            if argument.alias_info is not None and argument.alias_info.is_write:
                for tensor in tree_flatten(x)[0]:
                    if isinstance(tensor, FakeTensor) and KNOWN in tensor.__dict__:
                        tensor.__dict__[KNOWN][1].is_valid = False


def small(out: Any) -> bool:
    """Whether results may be computed for real."""
    return all(not isinstance(x, Tensor) or x.numel() * x.element_size() <= MOST for x in tree_flatten(out)[0])
