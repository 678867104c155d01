"""What every part of an attention value has in common: it prints, and it can be taken apart and put together again."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch
from torch import Tensor

from regard.attention.torch_private import register_tree

V = TypeVar("V", bound="Value")
Structure = tuple[Any, ...]
TENSOR = ("tensor",)  # stands for one in a structure
FLAT, ABOUT = "_flat", "_about"  # where a value keeps itself taken apart, and what of that choices depend on


class Value:
    """A frozen dataclass whose fields are numbers, tuples, tensors or other values: to torch, a tree of its tensors."""

    __match_args__: ClassVar[tuple[str, ...]] = ()  # the fields, set by dataclass

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        register_tree(cls, _children, unflatten)

    def on(self: V, device: torch.device) -> V:
        """The same value with its tensors on `device`; itself when nothing moves."""
        names = type(self).__match_args__
        fields = [getattr(self, name) for name in names]
        moved = [_on(field, device) for field in fields]
        if all([new is old for new, old in zip(moved, fields, strict=True)]):
            return self
        return type(self)(*moved)

    def flatten(self) -> tuple[Structure, tuple[Any, ...]]:
        """The value as a tree of constants that can be compared, and its tensors in order; see `unflatten`."""
        if torch.compiler.is_compiling():
            return _flatten(self)
        found = self.__dict__.get(FLAT)
        if found is None:
            found = _flatten(self)
            self.__dict__[FLAT] = found  # a value is frozen, and asked this in every call
        return found

    def about(self) -> Structure:
        """The structure, of whose lists of numbers only the count and the size of the sum are left.

        Choices are made by it: lengths and documents that are as many and about as long are chosen for alike.
        """
        found = self.__dict__.get(ABOUT)
        if found is None:
            found = self.__dict__[ABOUT] = _about(self.flatten()[0])
        return found


def _about(structure: Any) -> Any:
    """Without the numbers themselves.

    >>> _about(("Padding", (tuple, 5, 2, 6))) == _about(("Padding", (tuple, 4, 1, 7)))
    True
    """
    if not isinstance(structure, tuple):
        return structure
    if structure and structure[0] is tuple and _are_numbers(structure[1:]):
        return (int, len(structure) - 1, sum(structure[1:]).bit_length())  # no structure begins so: it is for no value
    parts = tuple([_about(part) for part in structure])
    return structure if parts == structure else parts


def _are_numbers(items: tuple[Any, ...]) -> bool:
    return len(items) > 0 and all([type(item) is int for item in items])


def _flatten(value: Value) -> tuple[Structure, tuple[Any, ...]]:
    tensors: list[Any] = []
    structure = _structure(value, tensors)
    return structure, tuple(tensors)


def _children(value: Value) -> tuple[list[Tensor], Structure]:
    structure, tensors = value.flatten()
    return list(tensors), structure


def unflatten(tensors: Iterable[Any], structure: Structure) -> Any:
    """The value of such a structure with these tensors, whatever stands for them."""
    return _rebuild(structure, iter(tensors))


def _on(field: Any, device: torch.device) -> Any:
    if isinstance(field, Tensor | Value):
        return field.to(device) if isinstance(field, Tensor) else field.on(device)
    if isinstance(field, tuple) and not _are_numbers(field):
        moved = tuple([_on(item, device) for item in field])
        return field if all([new is old for new, old in zip(moved, field, strict=True)]) else moved
    return field


def _structure(field: Any, tensors: list[Any]) -> Any:
    if isinstance(field, Value):
        kind = type(field)
        parts = [getattr(field, name) for name in kind.__match_args__]
        return (kind, *[part if part is None else _structure(part, tensors) for part in parts])
    if isinstance(field, np.generic):
        return field.item()  # kernels know Python's own numbers alone
    if isinstance(field, Tensor):
        tensors.append(field)
        return TENSOR
    if isinstance(field, tuple):
        return (tuple, *(field if _are_numbers(field) else [_structure(item, tensors) for item in field]))
    return field


def check_state(value: Any) -> None:
    """Raise unless all that a value knows is in its positional fields, and can be compared: a plan is kept by them."""
    if isinstance(value, tuple):
        for item in value:
            check_state(item)
    elif isinstance(value, Value):
        kind = type(value)
        lost = [name for name in value.__dict__ if name not in (*kind.__match_args__, FLAT, ABOUT)]
        if lost:
            raise ValueError(
                f"a {kind.__name__} must keep all it knows in positional fields: got {', '.join(lost)} besides; "
                "make it a @dataclass(frozen=True, eq=False)"
            )
        parameters = getattr(kind, "__dataclass_params__", None)
        if parameters is not None and not parameters.frozen:
            raise ValueError(
                f"a {kind.__name__} must not change: got a dataclass that may; make it a "
                "@dataclass(frozen=True, eq=False)"
            )
        for name in kind.__match_args__:
            check_state(getattr(value, name))
    elif not isinstance(value, Tensor) and type(value).__hash__ is None:
        raise ValueError(f"a value holds numbers, tuples and tensors: got {value!r}; use a tuple or torch.tensor(…)")


def _rebuild(structure: Any, tensors: Iterator[Any]) -> Any:
    if not isinstance(structure, tuple):
        return structure
    if structure is TENSOR or structure == TENSOR:
        return next(tensors)
    kind, *fields = structure
    parts = [_rebuild(field, tensors) for field in fields]
    if kind is tuple:
        return tuple(parts)
    value = object.__new__(kind)  # it was checked when it was made
    for name, part in zip(kind.__match_args__, parts, strict=True):
        object.__setattr__(value, name, part)
    return value


def show(field: Any) -> str:
    """How a field prints inside a value: tensors by their shape, everything else as Python writes it."""
    if isinstance(field, Tensor):
        return f"{str(field.dtype).removeprefix('torch.')}{list(field.shape)}"
    return repr(field)
