"""What kernels ask of a tensor's last dimension."""

import torch
from torch import Tensor
from torch.nn.functional import pad


def widen(x: Tensor, width: int) -> Tensor:
    """The tensor with zero columns up to `width`, each row in one piece: zeros change no dot product.

    Kernels read a row as neighbouring numbers, some without checking.
    """
    if x.shape[3] != width:
        return pad(x, (0, width - x.shape[3]))
    # `contiguous` would leave a single column as it is.
    return x if x.stride(3) == 1 else x.clone(memory_format=torch.contiguous_format)


def multiple_of_eight(width: int) -> int:
    """The next width that the CUDA kernels take."""
    return -(-width // 8) * 8
