"""What kernels ask of a tensor's last dimension."""

from torch import Tensor
from torch.nn.functional import pad


def widen(x: Tensor, width: int) -> Tensor:
    """The tensor with zero columns up to `width`, each row in one piece: zeros change no dot product.

    Kernels read a row as neighbouring numbers, some without checking.
    """
    if x.shape[3] != width:
        return pad(x, (0, width - x.shape[3]))
    return x if x.stride(3) == 1 else x.contiguous()


def multiple_of_eight(width: int) -> int:
    """The next width that the CUDA kernels take."""
    return -(-width // 8) * 8
