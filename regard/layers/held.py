"""A value that a module holds: its tensors are the module's own, so that they are saved, moved and trained with it."""

from typing import Any

from torch import nn

from regard.attention.value import Value, unflatten


def hold(module: nn.Module, name: str, value: Any) -> None:
    """Keep a value; its tensors become parameters or buffers `name_0`, `name_1`, …"""
    structure, tensors = value.flatten() if isinstance(value, Value) else (None, [])
    for n, x in enumerate(tensors):
        if isinstance(x, nn.Parameter):
            module.register_parameter(f"{name}_{n}", x)
        else:
            module.register_buffer(f"{name}_{n}", x)
    module.__dict__[f"_{name}"] = (structure, len(tensors)) if tensors else (value, 0)


def held(module: nn.Module, name: str) -> Any:
    """The value, with the tensors that the module has now."""
    kept, count = module.__dict__[f"_{name}"]
    return unflatten([getattr(module, f"{name}_{n}") for n in range(count)], kept) if count else kept
