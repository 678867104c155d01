"""What every part of an attention value has in common: it prints, and it can be taken apart and put together again."""

import ast
from typing import Any, ClassVar, TypeVar

import torch
from torch import Tensor

V = TypeVar("V", bound="Value")


class Value:
    """A frozen dataclass whose fields are numbers, tuples, tensors or other values."""

    kinds: ClassVar[dict[str, type["Value"]]] = {}
    tag: ClassVar[str]
    __match_args__: ClassVar[tuple[str, ...]] = ()  # the fields, set by dataclass

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        # The number keeps two classes of one name apart: a notebook may define its own `Causal`, twice.
        cls.tag = f"{cls.__name__}.{len(Value.kinds)}"
        Value.kinds[cls.tag] = cls

    def on(self: V, device: torch.device) -> V:
        """The same value with its tensors on `device`; itself when nothing moves."""
        names = type(self).__match_args__
        fields = [getattr(self, name) for name in names]
        moved = [_on(field, device) for field in fields]
        if all(new is old for new, old in zip(moved, fields, strict=True)):
            return self
        return type(self)(*moved)

    def flatten(self) -> tuple[tuple[Any, ...], list[Tensor]]:
        """The value as a tree of constants, and its tensors in order; `unflatten` is the inverse."""
        tensors: list[Tensor] = []
        return _structure(self, tensors), tensors

    @classmethod
    def unflatten(cls: type[V], structure: str, tensors: list[Tensor]) -> V:
        """Rebuild a value from `repr` of its structure: a custom operator carries text and tensors, not objects."""
        value = _rebuild(ast.literal_eval(structure), tensors)
        assert isinstance(value, cls)
        return value


_SOUND: set[type] = set()  # dataclasses all of whose fields are positional


def check_state(value: Any) -> None:
    """Raise unless all that a value knows is in its positional fields: only these are kept when it is rebuilt."""
    if isinstance(value, Value):
        if type(value) not in _SOUND:
            _check_kind(value)
        for name in type(value).__match_args__:
            check_state(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            check_state(item)


def _check_kind(value: Value) -> None:
    kind = type(value)
    lost = [name for name in value.__dict__ if name not in kind.__match_args__ and name != "flat"]
    if lost:
        raise ValueError(
            f"a {kind.__name__} must keep all it knows in positional fields: got {', '.join(lost)} besides; "
            "make it a @dataclass(frozen=True, eq=False)"
        )
    fields = kind.__dict__.get("__dataclass_fields__")
    if fields is not None and len(fields) == len(kind.__match_args__):
        _SOUND.add(kind)


def _on(field: Any, device: torch.device) -> Any:
    if isinstance(field, Tensor | Value):
        return field.to(device) if isinstance(field, Tensor) else field.on(device)
    if isinstance(field, tuple):
        moved = tuple([_on(item, device) for item in field])
        return field if all(new is old for new, old in zip(moved, field, strict=True)) else moved
    return field


def _structure(field: Any, tensors: list[Tensor]) -> Any:
    if field is None or isinstance(field, int | float):
        return field
    if isinstance(field, Value):
        names = type(field).__match_args__
        return (field.tag, *[_structure(getattr(field, name), tensors) for name in names]) if names else (field.tag,)
    if isinstance(field, Tensor):
        tensors.append(field)
        return ("tensor", len(tensors) - 1)
    if isinstance(field, tuple):
        return ("tuple", *[_structure(item, tensors) for item in field])
    return field


def _rebuild(structure: Any, tensors: list[Tensor]) -> Any:
    if not isinstance(structure, tuple):
        return structure
    tag, *fields = structure
    if tag == "tensor":
        return tensors[fields[0]]
    parts = [_rebuild(field, tensors) for field in fields]
    return tuple(parts) if tag == "tuple" else Value.kinds[tag](*parts)


def show(field: Any) -> str:
    """How a field prints inside a value: tensors by their shape, everything else as Python writes it."""
    if isinstance(field, Tensor):
        return f"{str(field.dtype).removeprefix('torch.')}{list(field.shape)}"
    return repr(field)
