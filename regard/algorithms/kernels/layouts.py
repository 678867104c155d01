"""How tensors lie in memory when a kernel gets them. Kernels read what they were promised, some without checking."""

import torch
from torch import Tensor
from torch.nn.functional import pad

ALIGNED = 16  # bytes: GPU kernels load so many at once


def laid_out(x: Tensor, width: int | None = None) -> Tensor:
    """The tensor (B, H, T, D) as every kernel is promised it, copied only where it does not lie so already.

    Its rows are neighbouring numbers, with zero columns up to `width`, which change no dot product. No number stands
    for several, as in an expanded tensor. On a GPU every row begins at a multiple of 16 bytes.
    """
    if width is None or x.shape[3] == width:
        if not x.is_cuda and x.is_contiguous() and x.stride(3) == 1:
            return x
    else:
        x = pad(x, (0, width - x.shape[3]))  # it keeps heads innermost where they are
    return x if _is_laid_out(x) else x.clone(memory_format=torch.contiguous_format)


def _is_laid_out(x: Tensor) -> bool:
    strides, sizes = x.stride(), x.shape
    if strides[3] != 1:  # `contiguous` would leave a single column as it is
        return False
    if torch.compiler.is_compiling():
        return True  # what follows is of addresses, which the compiler chooses
    for stride, size in zip(strides, sizes, strict=True):
        if size > 1 and stride == 0:
            return False
    if not x.is_cuda:
        return True
    each = ALIGNED // x.itemsize
    if x.storage_offset() % each:
        return False
    return all([size == 1 or stride % each == 0 for stride, size in zip(strides[:3], sizes[:3], strict=True)])


def multiple_of_eight(width: int) -> int:
    """The next width that the CUDA kernels take."""
    return -(-width // 8) * 8
