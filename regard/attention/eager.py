"""Whether tensors are what they seem: numbers in memory, neither traced, nor transformed, nor fake."""

import torch
from torch import Tensor
from torch.autograd import forward_ad


def is_eager(x: Tensor) -> bool:
    """Whether hand-written gradients may be used: no compiler, no functorch transform, no forward-mode derivative."""
    return not (
        torch.compiler.is_compiling()
        or torch._C._are_functorch_transforms_active()  # the public API has no word for it
        or forward_ad._current_level >= 0
    )


def may_keep(x: Tensor) -> bool:
    """Whether tensors made beside x may be kept for later calls.

    Not what a compiler or a transform has in its hands, not fake tensors, and nothing made while a CUDA graph is
    captured, whose memory belongs to the graph.
    """
    if not is_eager(x) or type(x) not in (Tensor, torch.nn.Parameter) or x.is_meta:
        return False
    return not (x.is_cuda and torch.cuda.is_current_stream_capturing())
