"""Configurations: what they check, and how one is varied."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from regard.checks import check_whole, nearest

C = TypeVar("C")


def check_stages(config: object, *names: str) -> None:
    """Raise unless these fields have one whole number from 1 for each stage."""
    fields = {name: getattr(config, name) for name in names}
    for name, sizes in fields.items():
        if not isinstance(sizes, tuple) or not sizes:
            raise ValueError(f"{name} must be a tuple, a number for each stage: got {sizes!r}; use (1, 2) for two")
        for stage, size in enumerate(sizes):
            check_whole(f"{name}[{stage}]", size, 1)
    if len({len(sizes) for sizes in fields.values()}) > 1:
        got = ", ".join([f"{name}={sizes}" for name, sizes in fields.items()])
        raise ValueError(f"{' and '.join(names)} must have as many stages: got {got}; give each stage a number in each")


def check_parts(config: object, **kinds: type) -> None:
    """Raise unless these fields are configurations of their kind."""
    for name, kind in kinds.items():
        if not isinstance(part := getattr(config, name), kind):
            raise ValueError(f"{name} must be a {kind.__name__}: got {part!r}; use {kind.__name__}(…)")


def vary(config: C, **changes: Any) -> C:
    """The same configuration with other values, each put where the field of that name is, however deep.

    >>> from regard.models import PRESETS
    >>> vary(PRESETS["gpt2"], depth=2, width=64, num_heads=4).block.width
    64
    """
    known = _names(config)
    for name in changes:
        if name not in known:
            raise ValueError(f"{type(config).__name__} has no {name!r}: {nearest(name, sorted(known))}")
    return _varied(config, changes)


def _names(config: object) -> set[str]:
    """All fields, of the parts too."""
    parts = [getattr(config, field.name) for field in fields(config)]  # pyright: ignore[reportArgumentType]
    inner = [_names(part) for part in parts if _is_part(part)]
    return {field.name for field in fields(config)}.union(*inner)  # pyright: ignore[reportArgumentType]


def _varied(config: Any, changes: dict[str, Any]) -> Any:
    values = {}
    for field in fields(config):
        part = getattr(config, field.name)
        if field.name in changes:
            values[field.name] = changes[field.name]
        elif _is_part(part):
            values[field.name] = _varied(part, changes)
    return replace(config, **values)


def _is_part(value: object) -> bool:
    """A configuration inside of one; values such as masks are dataclasses too, and are taken whole."""
    return is_dataclass(value) and type(value).__module__.startswith("regard.models.")
