"""The peers of sparse and linear attention: sdpa with a mask and without, FlexAttention, fla's kernels."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend
from torch.nn.functional import elu

from benchmarks.grid_cases import Inputs
from benchmarks.grid_contest import Build, Call, Contender
from benchmarks.grid_peers import compiled, content
from benchmarks.peers import Unavailable, check_maps, kernels, needs_cuda, sdpa_by
from benchmarks.sparse_cases import CAUSAL, EVERYTHING, Case, Pattern

Predicate = Callable[[Any, Any, Any, Any], Any]


def case_of(case: Any) -> Case:
    """The machinery knows grids; these contenders know patterns."""
    if not isinstance(case, Case):
        raise Unavailable("needs a pattern")
    return case


def sdpa_with_mask(backend: SDPBackend) -> Build:
    """One kernel of sdpa, given the pattern as a boolean map that was made once."""

    def build(case: Any, x: Inputs) -> Call:
        case = case_of(case)
        q, k = _softmax_of(case, x)
        check_maps(backend, case.B * case.H * case.N**2, case.dtype, case.device)
        return Call(sdpa_by(backend, q, k, x.v, attn_mask=case.dense[None, None]), x.leaves(case), x.grad, case)

    return build


def sdpa(backend: SDPBackend) -> Build:
    """The softmax that linear attention stands for, and is checked as what it is: another function."""

    def build(case: Any, x: Inputs) -> Call:
        case = case_of(case)
        if case.pattern not in (CAUSAL, EVERYTHING):
            raise Unavailable(f"not compared for {case.pattern.name}")
        check_maps(backend, case.B * case.H * case.N**2, case.dtype, case.device)
        meant = replace(case, linear=False)
        forward = sdpa_by(backend, *content(x), x.v, is_causal=case.pattern is CAUSAL)
        return Call(forward, x.leaves(meant), x.grad, meant)

    return build


def flex(case: Any, x: Inputs) -> Call:
    """FlexAttention compiled for these sizes, its block mask made once before."""
    case = case_of(case)
    needs_cuda(case.device)
    q, k = _softmax_of(case, x)
    run = compiled(attend_by_flex, case, case.pattern.name)
    blocks = _block_mask(case.pattern, case.h, case.w, case.device)
    return Call(lambda: run(q, k, x.v, blocks), x.leaves(case), x.grad, case)


def attend_by_flex(q: Tensor, k: Tensor, v: Tensor, blocks: Any) -> Tensor:
    from torch.nn.attention.flex_attention import flex_attention

    out = flex_attention(q, k, v, block_mask=blocks)
    assert isinstance(out, Tensor)
    return out


def predicate(pattern: Pattern, w: int) -> Predicate:
    """The pattern as FlexAttention wants it."""
    sees = pattern.sees
    return lambda b, h, i, j: sees(i, j, w)


@functools.lru_cache(maxsize=4)
def _block_mask(pattern: Pattern, h: int, w: int, device: torch.device) -> Any:
    from torch.nn.attention.flex_attention import create_block_mask

    return create_block_mask(predicate(pattern, w), None, None, h * w, h * w, device=str(device))


def fla(case: Any, x: Inputs) -> Call:
    """The kernels of flash-linear-attention, where they are installed."""
    case = case_of(case)
    if not case.linear or case.pattern is not CAUSAL:
        raise Unavailable("takes causal linear attention")
    if case.device.type != "cuda":
        raise Unavailable("CUDA only")
    try:
        from fla.ops.linear_attn import chunk_linear_attn  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise Unavailable("not installed") from error
    q, k = content(x)

    def forward() -> Tensor:
        features = ((elu(y) + 1).transpose(1, 2) for y in (q, k))
        return chunk_linear_attn(*features, x.v.transpose(1, 2), scale=1.0, normalize=True)[0].transpose(1, 2)

    return Call(forward, x.leaves(case), x.grad, case)


def mask_peers(device: torch.device, flex_compiles: bool) -> dict[str, Contender]:
    """For a pattern; `flex_compiles` lets FlexAttention sit out where time is short."""
    peers = {"flex": Contender(flex, flex_compiles)} if device.type == "cuda" else {}
    backends = kernels(device, cuda="cuDNN efficient", cpu="flash math")  # flash takes a map on the CPU alone
    return peers | {f"sdpa + mask, {name}": Contender(sdpa_with_mask(one)) for name, one in backends.items()}


def linear_peers(device: torch.device) -> dict[str, Contender]:
    backends = kernels(device, cuda="cuDNN flash", cpu="flash")
    peers = {f"sdpa {name}": Contender(sdpa(backend)) for name, backend in backends.items()}
    return peers | {"flash-linear-attention": Contender(fla)}


def _softmax_of(case: Case, x: Inputs) -> tuple[Tensor, Tensor]:
    if case.linear:
        raise Unavailable("computes a softmax")
    return content(x)
