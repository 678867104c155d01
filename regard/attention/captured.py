"""What masks and scores of one's own read besides their fields: variables of the functions around, of modules, classes.

A plan and what is made for a mask are kept by the mask's fields. Such a variable is none, and may be another one in the
next call, so it is looked up anew.
"""

import dis
import functools
import types
from typing import Any

import torch
from torch import Tensor

from regard.attention.value import TENSOR, Value

PLAIN = (int, float, complex, str, bytes, type(None), type(...), torch.dtype, torch.device)
LIBRARIES = ("regard", "torch", "numpy", "math", "operator", "builtins")  # whose functions read nothing that changes


class UnknownError(Exception):
    """Something that may change without a trace."""


def own_parts(structure: Any) -> list[Any]:
    """What in a value's structure is neither of this library nor a plain constant: classes, functions, objects."""
    if not isinstance(structure, tuple):
        return [] if isinstance(structure, PLAIN) else [structure]
    if structure is TENSOR or not structure:
        return []
    kind, *fields = structure
    parts = [] if kind is tuple or _is_of_library(kind) else [kind]
    for field in fields:
        if type(field) is not int:
            parts += own_parts(field)
    return parts


def captured(parts: list[Any]) -> tuple[tuple[Any, ...], tuple[Tensor, ...]] | None:
    """The constants and the tensors that these read besides their fields, as they are now; None where none can tell."""
    found = _Captured()
    try:
        for part in parts:
            found.look(part)
    except UnknownError:
        return None
    return tuple(found.constants), tuple(found.tensors)


class _Captured:
    """What has been found so far; each thing is looked at once."""

    def __init__(self) -> None:
        self.constants: list[Any] = []
        self.tensors: list[Tensor] = []
        self.seen: dict[int, Any] = {}  # which keeps them alive, and their numbers their own

    def look(self, thing: Any) -> None:
        if isinstance(thing, PLAIN):
            self.constants.append((type(thing), thing))
        elif isinstance(thing, Tensor):
            self.tensors.append(thing)
        elif id(thing) not in self.seen:
            self.seen[id(thing)] = thing
            self._look_inside(thing)

    def _look_inside(self, thing: Any) -> None:
        if isinstance(thing, tuple | frozenset):
            parts = list(thing)
        elif isinstance(thing, Value):
            structure, tensors = thing.flatten()
            self.constants.append(structure)
            parts = [*own_parts(structure), *tensors]
        elif isinstance(thing, types.FunctionType):
            parts = [] if _is_of_library(thing) else _read_by(thing)
        elif isinstance(thing, functools.partial):
            parts = [thing.func, *thing.args, *thing.keywords.values()]
        elif isinstance(thing, types.MethodType):
            parts = [thing.__func__, thing.__self__]
        elif isinstance(thing, property):
            parts = [thing.fget]
        elif isinstance(thing, staticmethod | classmethod):
            parts = [thing.__func__]
        elif isinstance(thing, type):
            parts = _of_class(thing) if issubclass(thing, Value) else []
        elif isinstance(thing, types.ModuleType) or (callable(thing) and _is_of_library(thing)):
            parts = []
        else:
            raise UnknownError
        self.constants.append(thing if isinstance(thing, type | types.FunctionType) else len(parts))
        for part in parts:
            self.look(part)


def _read_by(function: types.FunctionType) -> list[Any]:
    """The variables of the functions around it, of its module, and its defaults."""
    parts = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    try:
        parts += [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError as error:  # a variable that is yet to come
        raise UnknownError from error
    return parts + [function.__globals__[name] for name in sorted(_read_names(function.__code__, function.__globals__))]


def _read_names(code: types.CodeType, there: dict[str, Any]) -> set[str]:
    """Of variables of the module that the code and the functions inside it read."""
    found = set(code.co_names).intersection(there)  # attributes among them
    if found:
        found &= {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*[_read_names(part, there) for part in code.co_consts if isinstance(part, types.CodeType)])


def _of_class(kind: type) -> list[Any]:
    """What the methods of a class read, and its attributes that are no fields, up to the classes of this library."""
    parts: list[Any] = []
    for owner in kind.__mro__:
        if not _is_of_library(owner):
            fields = getattr(owner, "__match_args__", ())
            for name, part in vars(owner).items():
                if name == "__call__" or not (name in fields or name.startswith("__") or name == "_abc_impl"):
                    parts.append(part)
    return parts


def _is_of_library(thing: Any) -> bool:
    return str(getattr(thing, "__module__", None) or "").partition(".")[0] in LIBRARIES
