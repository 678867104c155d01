"""Content softmax without a mask, or causal: torch's `scaled_dot_product_attention`, never its quadratic fallback."""

from typing import Any

import torch
from torch import Tensor
from torch.backends import cuda
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from regard.algorithms.kernels.layouts import multiple_of_eight, widen
from regard.algorithms.planning.cost import Cost, kept, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Attention, Causal, Content, Everything, Mask, Places, Softmax
from regard.attention.masks.visibility import band

NAME = "fused"


def refuses(problem: Problem) -> str | None:
    if not isinstance(problem.attention.weighting, Softmax):
        return f"computes a softmax, not {type(problem.attention.weighting).__name__}()"
    if not isinstance(problem.attention.scores, Content):
        return "scores content alone"
    if problem.masks and not starts_causal(problem.masks, problem.places):
        return "takes no mask but Causal() with the first query at the first key"
    if problem.return_lse:
        return "sdpa returns no log-sum-exp"
    if problem.dropout and not problem.on_cuda:
        return "sdpa with dropout is quadratic in memory on the CPU"
    if problem.on_cuda and problem.dtype == torch.float64:
        return "no CUDA kernel of sdpa takes float64"
    return None


def starts_causal(masks: tuple[Mask, ...], places: Places) -> bool:
    """Query i sees keys 0…i: the one alignment that sdpa's `is_causal` means."""
    return len(masks) == 1 and type(masks[0]) is Causal and band(masks, places) == (None, 0)


def cost(problem: Problem) -> Cost:
    """The visible pairs, and one pass over the tensors; a few numbers per row are kept for the way back."""
    shape = problem.shape
    return Cost(
        flops=products(visited(problem), shape.D, shape.E, problem.backward, recompute=True),
        bytes=traffic(shape, problem.item, problem.backward),
        memory=kept(shape, problem.item, problem.backward),
        launches=4 if problem.backward else 1,
    )


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    assert not return_lse
    D, E = q.shape[3], v.shape[3]
    content = attention.scores
    assert isinstance(content, Content)
    # sdpa takes a bool, and under torch.compile a comparison of sizes becomes one only by a branch.
    causal = True if _is_causal(attention, q.shape[2], k.shape[2]) else False  # noqa: SIM210
    kernel = _kernel(q, v)
    grouped = k.shape[1] != q.shape[1]
    if grouped and kernel == "efficient":
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        grouped = False
    width, value_width = _kernel_widths(D, E, kernel)
    q, k, v = widen(q, width), widen(k, width), widen(v, value_width)
    options = {"dropout_p": dropout, "is_causal": causal, "scale": content.scale(D), "enable_gqa": grouped}
    out = by_kernel(kernel, q, k, v, options)
    return out if value_width == E else out[..., :E], None


def by_kernel(kernel: str, q: Tensor, k: Tensor, v: Tensor, options: dict[str, Any]) -> Tensor:
    """Call sdpa with one kernel, or raise: never its quadratic fallback."""
    if torch.compiler.is_compiling():
        with sdpa_kernel(_BACKENDS[kernel]):
            return scaled_dot_product_attention(q, k, v, **options)
    return _with_only(kernel, q, k, v, options)


def _is_causal(attention: Attention, T: int, S: int) -> bool:
    """Whether the one mask that is not refused hides anything; the two common cases are decided without positions."""
    if isinstance(attention.mask, Everything):
        return False
    if type(attention.mask) is Causal and attention.queries is None and attention.keys is None:
        return T > 1  # the last query stands at the last key and sees everything
    return not attention.mask.is_full(attention.places(T, S))


def _kernel(q: Tensor, v: Tensor) -> str:
    """The fastest kernel of sdpa for these sizes.

    cuDNN is, but it plans for 50 ms whenever it meets new sizes: not for decoding, nor where the kernel takes
    microseconds.
    """
    if not q.is_cuda:
        return "cpu"
    widest = max(q.shape[3], v.shape[3])
    if q.dtype == torch.float32 or widest > 256:
        return "efficient"
    return "flash" if widest > 128 or q.shape[2] < 512 else "cudnn"


def _kernel_widths(D: int, E: int, kernel: str) -> tuple[int, int]:
    """Widths that the kernel takes: flash wants one for all, the CUDA kernels want multiples of eight."""
    if kernel == "cpu":
        return max(D, E), max(D, E)
    if kernel == "flash":
        return multiple_of_eight(max(D, E)), multiple_of_eight(max(D, E))
    return multiple_of_eight(D), multiple_of_eight(E)


_MATH = (cuda.math_sdp_enabled, cuda.enable_math_sdp)
_FLASH = (cuda.flash_sdp_enabled, cuda.enable_flash_sdp)
_EFFICIENT = (cuda.mem_efficient_sdp_enabled, cuda.enable_mem_efficient_sdp)
_CUDNN = (cuda.cudnn_sdp_enabled, cuda.enable_cudnn_sdp)
_SWITCHES = {  # what is turned on, what off: the CPU has two kernels, flash and the quadratic one
    "cpu": (_FLASH, (_MATH,)),
    "flash": (_FLASH, (_MATH, _EFFICIENT, _CUDNN)),
    "efficient": (_EFFICIENT, (_MATH, _FLASH, _CUDNN)),
    "cudnn": (_CUDNN, (_MATH, _FLASH, _EFFICIENT)),
}
_BACKENDS = {
    "cpu": SDPBackend.FLASH_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
}


def _with_only(kernel: str, q: Tensor, k: Tensor, v: Tensor, options: dict[str, Any]) -> Tensor:
    """Call sdpa with one kernel allowed, so that it raises where it would fall back to the quadratic one.

    `sdpa_kernel` says the same and costs 15 µs a call; these are the switches that it sets.
    """
    (is_on, turn), others = _SWITCHES[kernel]
    turned = [] if is_on() else [(turn, False)]
    for enabled, enable in others:
        if enabled():
            turned.append((enable, True))
    for enable, before in turned:
        enable(not before)
    try:
        return scaled_dot_product_attention(q, k, v, **options)
    finally:
        for enable, before in turned:
            enable(before)
