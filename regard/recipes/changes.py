"""Configurations as words and as JSON: `training.steps=100` is put where it belongs, in the type of its field."""

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from typing import Any, Literal, TypeVar, get_args, get_origin

from regard.checks import nearest

Config = TypeVar("Config")


def changed(config: Config, changes: Sequence[str]) -> Config:
    """The configuration with these changes, each `name=value` or `part.name=value`.

    >>> from regard.training import Settings
    >>> settings = changed(Settings(steps=10, batch=4), ["steps=100", "descent.rate=3e-3", "patience=none"])
    >>> settings.steps, settings.descent.rate, settings.patience
    (100, 0.003, None)
    """
    tree: dict[str, Any] = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"a change must be name=value: got {change!r}; write training.steps=100")
        *parts, last = name.strip().split(".")
        own, place = config, tree
        for part in parts:
            own, place = _part(own, part, change), place.setdefault(part, {})
        place[last] = _value(own, last, text.strip(), change)
    return _changed(config, tree)


def plain(config: Any) -> dict[str, Any]:
    """The configuration as JSON."""
    return asdict(config)


def rebuilt(kind: type[Config], values: Mapping[str, Any]) -> Config:
    """A configuration from what `plain` made of it; names that it does not have are errors."""
    hints = typing.get_type_hints(kind)
    unknown = [name for name in values if name not in hints]
    if unknown:
        raise ValueError(f"{kind.__name__} has no {unknown[0]!r}: {nearest(unknown[0], sorted(hints))}")
    if missing := [field.name for field in fields(kind) if field.name not in values]:  # pyright: ignore[reportArgumentType]
        raise ValueError(f"{kind.__name__} must have all of its settings: got no {missing[0]!r}")
    return kind(**{name: _restored(hints[name], value) for name, value in values.items()})


def _restored(hint: Any, value: Any) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        return rebuilt(hint, value)
    return tuple(value) if isinstance(value, list) else value


def _changed(config: Any, tree: Mapping[str, Any]) -> Any:
    """All at once, so that two changes may need each other."""
    parts = {name: getattr(config, name) for name in tree}
    return replace(
        config,
        **{name: _changed(part, tree[name]) if is_dataclass(part) else tree[name] for name, part in parts.items()},
    )


def _part(config: Any, name: str, change: str) -> Any:
    value = getattr(config, _known(config, name))
    if not is_dataclass(value):
        raise ValueError(f"{name!r} has no parts: got {change!r}; write {name}={change.partition('=')[2].strip()}")
    return value


def _value(config: Any, name: str, text: str, change: str) -> Any:
    value = getattr(config, _known(config, name))
    if is_dataclass(value):
        inner = ", ".join(field.name for field in fields(value))
        raise ValueError(f"{name!r} has the parts {inner}: got {change!r}; write {name}.{fields(value)[0].name}=…")
    return _read(typing.get_type_hints(type(config))[name], text, change)


def _known(config: Any, name: str) -> str:
    names = sorted(field.name for field in fields(config))
    if name not in names:
        raise ValueError(f"{type(config).__name__} has no {name!r}: {nearest(name, names)}")
    return name


def _read(hint: Any, text: str, change: str) -> Any:
    """The text as a value of this type."""
    if isinstance(hint, types.UnionType) or get_origin(hint) is typing.Union:
        kinds = get_args(hint)
        if text.lower() == "none" and type(None) in kinds:
            return None
        hint = next(kind for kind in kinds if kind is not type(None))
    if get_origin(hint) is Literal:
        if text not in get_args(hint):
            raise ValueError(f"must be {' or '.join(map(str, get_args(hint)))}: got {change!r}")
        return text
    if get_origin(hint) is tuple:
        kinds, texts = get_args(hint), [part for part in text.split(",") if part.strip()]
        if Ellipsis not in kinds and len(texts) != len(kinds):
            raise ValueError(f"must be {len(kinds)} values with commas between: got {change!r}")
        return tuple(_read(get_args(hint)[0], part.strip(), change) for part in text.split(",") if part.strip())
    if hint is bool:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise ValueError(f"must be true or false: got {change!r}")
        return text.lower() in ("true", "yes")
    if hint is str:
        return text
    try:
        return int(text.replace("_", "")) if hint is int else float(text)
    except ValueError as error:
        kind = "a whole number" if hint is int else "a number"
        raise ValueError(f"must be {kind}: got {change!r}") from error
