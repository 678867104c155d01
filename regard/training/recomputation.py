"""Blocks whose activations are computed again on the way back instead of being kept: less memory, more arithmetic."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from regard.attention.torch_private import BatchNorm


def find_blocks(model: nn.Module, fits: Callable[[nn.Module], bool] = lambda block: True) -> list[nn.Module]:
    """The modules in the lists of a model that have weights, and fit; of those that do not, the ones in their lists.

    >>> [type(one).__name__ for one in find_blocks(nn.ModuleDict({"blocks": nn.ModuleList([nn.Linear(2, 2)])}))]
    ['Linear']
    """
    found: list[nn.Module] = []

    def descend(module: nn.Module, listed: bool) -> None:
        is_list = isinstance(module, nn.ModuleList)
        if listed and not is_list and next(module.parameters(), None) is not None and fits(module):
            found.append(module)
            return
        inside = (is_list or isinstance(module, nn.Sequential)) and module is not model
        for child in module.children():
            descend(child, inside)

    descend(model, False)
    return found


@contextmanager
def recomputing(model: nn.Module, wanted: bool = True) -> Iterator[None]:
    """Let each block of a model keep nothing but its input while it trains; numbers are drawn again as they were.

    Chen et al., *Training Deep Nets with Sublinear Memory Cost*, 2016.
    """
    blocks = find_blocks(model) if wanted else []
    if wanted and not blocks:
        raise ValueError(
            f"blocks are computed again: got {type(model).__name__}, which lists none; leave recompute out"
        )
    for block in blocks:
        if any(isinstance(part, BatchNorm) for part in block.modules()):
            raise ValueError(
                f"blocks that are computed again must have no batch norm, which would count twice: got "
                f"{type(block).__name__}; leave recompute out"
            )
    for block in blocks:
        block.forward = _Again(block)
    try:
        yield
    finally:
        for block in blocks:
            del block.forward


class _Again:
    """The forward pass of a block, which is run again for its gradients."""

    def __init__(self, block: nn.Module) -> None:
        self.block, self.plain = block, block.forward

    def __call__(self, *inputs: Any, **keywords: Any) -> Any:
        if not (self.block.training and torch.is_grad_enabled()):
            return self.plain(*inputs, **keywords)
        return checkpoint(self.plain, *inputs, use_reentrant=False, **keywords)
