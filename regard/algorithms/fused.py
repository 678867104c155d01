"""Content softmax without a mask, or causal: torch's `scaled_dot_product_attention`, never its quadratic fallback."""

import contextlib
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import pad, scaled_dot_product_attention

from regard.algorithms.cost import Cost, products, traffic
from regard.algorithms.problem import Problem
from regard.algorithms.visits import band, visited
from regard.attention import Attention, Causal, Content, Hard, Mask, Places

NAME = "fused"


def refuses(problem: Problem) -> str | None:
    if isinstance(problem.attention.weighting, Hard):
        return "computes a softmax, not Hard()"
    if not isinstance(problem.attention.scores, Content):
        return f"scores content alone, not {problem.attention.scores!r}"
    if problem.masks and not starts_causal(problem.masks, problem.places):
        return f"takes no mask, or Causal() with the first query at the first key, not {problem.attention.mask!r}"
    if problem.return_lse:
        return "sdpa returns no log-sum-exp"
    if problem.dropout and not problem.on_cuda:
        return "sdpa with dropout is quadratic in memory on the CPU"
    if problem.on_cuda and problem.dtype == torch.float64:
        return "no CUDA kernel of sdpa takes float64"
    return None


def starts_causal(masks: tuple[Mask, ...], places: Places) -> bool:
    """Query i sees keys 0…i: the one alignment that sdpa's `is_causal` means."""
    return len(masks) == 1 and isinstance(masks[0], Causal) and band(masks, places) == (None, 0)


def cost(problem: Problem) -> Cost:
    """The visible pairs, and one pass over the tensors; a few numbers per row are kept for the way back."""
    shape = problem.shape
    rows = shape.B * shape.H * shape.T
    bytes = traffic(shape, problem.item, problem.backward)
    kept = problem.item * rows * shape.E + 4 * rows
    return Cost(
        flops=products(visited(problem), shape.D, shape.E, problem.backward, recompute=True),
        bytes=bytes,
        memory=kept + (bytes // 3 if problem.backward else 0),
        launches=4 if problem.backward else 1,
    )


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    assert not return_lse
    D, E = q.shape[3], v.shape[3]
    content = attention.content
    assert content is not None
    places = attention.places(q.shape[2], k.shape[2])
    causal = not attention.mask.is_full(places)
    backend = _backend(q, k, v)
    grouped = k.shape[1] != q.shape[1]
    if grouped and backend == SDPBackend.EFFICIENT_ATTENTION:
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        grouped = False
    width_qk, width_v = _kernel_widths(D, E, backend)
    q, k, v = _widen(q, width_qk), _widen(k, width_qk), _widen(v, width_v)
    with _only(backend):
        out = scaled_dot_product_attention(
            q, k, v, dropout_p=dropout, is_causal=causal, scale=content.scale(D), enable_gqa=grouped
        )
    return out[..., :E] if width_v != E else out, None


def _backend(q: Tensor, k: Tensor, v: Tensor) -> SDPBackend:
    """The fastest kernel for these sizes: cuDNN where it can, the memory-efficient one for float32."""
    if not q.is_cuda:
        return SDPBackend.FLASH_ATTENTION
    if q.dtype == torch.float32 or max(q.shape[3], v.shape[3]) > 256:
        return SDPBackend.EFFICIENT_ATTENTION
    if q.shape[2] < 64 or max(q.shape[3], v.shape[3]) > 128:
        return SDPBackend.FLASH_ATTENTION
    return SDPBackend.CUDNN_ATTENTION


def _kernel_widths(D: int, E: int, backend: SDPBackend) -> tuple[int, int]:
    """Widths that the kernel takes: flash wants one for all, the CUDA kernels want multiples of eight."""
    if backend == SDPBackend.FLASH_ATTENTION:
        return max(D, E), max(D, E)
    return -(-D // 8) * 8, -(-E // 8) * 8


def _widen(x: Tensor, width: int) -> Tensor:
    """Zero columns change no dot product, and are cut off the values again."""
    return x if x.shape[3] == width else pad(x, (0, width - x.shape[3]))


@contextlib.contextmanager
def _only(backend: SDPBackend) -> Iterator[None]:
    """Allow one kernel of sdpa, so that it raises where it would otherwise fall back to the quadratic one."""
    with sdpa_kernel(backend):
        yield
