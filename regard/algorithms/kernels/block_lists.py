"""The blocks of pairs that a kernel visits, as lists of numbers on the device."""

import torch
from torch import Tensor


@torch.library.custom_op("regard::list_blocks", mutates_args=())
def list_blocks(some: Tensor, every: Tensor) -> list[Tensor]:
    """Which blocks to visit, as FlexAttention lists them: by query block and by key block, in part and in full.

    An operator of its own, because the sort that torch's compiler makes of a symbolic length reads out of bounds
    (pytorch issue 160018).
    """
    part, full = some & ~every, some & every
    # The kernel takes each list for neighbouring numbers, and `argsort` keeps the strides that it finds.
    return [x.contiguous() for chosen in (part, full, part.mT, full.mT) for x in _listed(chosen.contiguous())]


@list_blocks.register_fake
def _(some: Tensor, every: Tensor) -> list[Tensor]:
    shape = some.shape
    flipped = (*shape[:2], shape[3], shape[2])
    sizes = [size for kind in (shape, shape, flipped, flipped) for size in (kind[:3], kind)]
    return [torch.empty(size, dtype=torch.int32, device=some.device) for size in sizes]


def _listed(chosen: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks each row visits, and their numbers first in the list."""
    return chosen.sum(-1, dtype=torch.int32), chosen.int().argsort(dim=-1, descending=True, stable=True).int()
