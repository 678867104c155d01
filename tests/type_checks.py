"""The type checks of jaxtyping's hook, at a tenth of their cost.

jaxtyping's own decorator binds the signature anew in every call, and checks the arguments twice. Ours lets beartype
check arguments and result in one call, and keeps the sizes of axes only for functions whose signature names axes.
"""

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, get_args

import jaxtyping
import jaxtyping._decorator as decorator
import jaxtyping._storage as storage
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import AbstractArray, TypeCheckError


def jaxtyped(fn: Any = None, *, typechecker: Callable[..., Any]) -> Any:
    """In place of `jaxtyping.jaxtyped`, for functions and dataclasses."""
    if fn is None:
        return functools.partial(jaxtyped, typechecker=typechecker)
    if inspect.isclass(fn):
        if dataclasses.is_dataclass(fn) and getattr(fn.__init__, "__globals__", None) is not globals():
            fn.__init__ = jaxtyped(fn.__init__, typechecker=typechecker)
        return fn
    if not isinstance(fn, types.FunctionType) or inspect.isgeneratorfunction(fn):  # what it yields comes later
        return decorator.jaxtyped(fn, typechecker=typechecker)
    if not fn.__annotations__:
        return fn
    return _checked(fn, typechecker)


def _checked(fn: types.FunctionType, typechecker: Callable[..., Any]) -> Any:
    copy = types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    copy.__kwdefaults__, copy.__module__, copy.__qualname__ = fn.__kwdefaults__, fn.__module__, fn.__qualname__
    hints = {name: decorator._destring_annotation(hint, fn.__globals__) for name, hint in fn.__annotations__.items()}
    copy.__annotations__ = hints
    checked, config = typechecker(copy), jaxtyping.config
    names_axes = any(map(_names_axes, hints.values()))

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if config.jaxtyping_disable:
            return fn(*args, **kwargs)
        memos = storage.push_shape_memo({}) if names_axes else None
        try:
            return checked(*args, **kwargs)
        except BeartypeCallHintViolation as error:
            raise TypeCheckError(f"{error}\n{storage.shape_str(memos) if memos else ''}") from None
        finally:
            if memos:
                storage.pop_shape_memo()

    return wrapped


def _names_axes(hint: Any) -> bool:
    """Whether a type speaks of an array's shape, itself or inside."""
    return (inspect.isclass(hint) and issubclass(hint, AbstractArray)) or any(map(_names_axes, get_args(hint)))
