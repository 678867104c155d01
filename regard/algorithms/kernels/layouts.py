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
        if not x.is_cuda:
            if x.is_contiguous() and x.stride(3) == 1:
                return x
        elif not torch.compiler.is_compiling():  # the usual case, in few steps: of a size of 1 the stride may be odd
            by_row, by_head, by_token, by_column = x.stride()
            off = (by_row | by_head | by_token | int(x.storage_offset())) & (ALIGNED // x.itemsize - 1)
            if by_column == 1 and off == 0 and by_row and by_head and by_token:
                return x
    else:
        x = pad(x, (0, width - x.shape[3]))  # it keeps heads innermost where they are
    return x if _is_laid_out(x) else x.clone(memory_format=torch.contiguous_format)


def _is_laid_out(x: Tensor) -> bool:
    (by_row, by_head, by_token, by_column), (B, H, T, _) = x.stride(), x.shape
    if by_column != 1:  # `contiguous` would leave a single column as it is
        return False
    if torch.compiler.is_compiling():
        return True  # what follows is of addresses, which the compiler chooses
    if (by_row == 0 and B > 1) or (by_head == 0 and H > 1) or (by_token == 0 and T > 1):
        return False
    if not x.is_cuda:
        return True
    each = ALIGNED // x.itemsize
    aligned = (B == 1 or by_row % each == 0) and (H == 1 or by_head % each == 0) and (T == 1 or by_token % each == 0)
    return aligned and x.storage_offset() % each == 0


def multiple_of_eight(width: int) -> int:
    """The next width that the CUDA kernels take."""
    return -(-width // 8) * 8
