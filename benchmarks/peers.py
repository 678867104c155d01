"""The contenders: how each is called on a problem, and how its result is read back."""

import functools
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.cases import CAUSAL, NONE, PADDING, Case, Inputs
from regard import attend

BACKENDS = {
    "cuDNN": SDPBackend.CUDNN_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "math": SDPBackend.MATH,
}
QUADRATIC_LIMIT = {"cuda": 16e9, "cpu": 1e9}  # bytes of attention maps beyond which a quadratic contender sits out


class Unavailable(Exception):  # noqa: N818 - a state, not a failure
    """A contender that is not installed, or has no way to take the problem."""


class Call(NamedTuple):
    """A contender ready to run: everything that its user would prepare once is done."""

    forward: Callable[[], Tensor]
    leaves: tuple[Tensor, ...]
    grad: Tensor
    padded: Callable[[Tensor], Tensor]  # from the contender's layout to (B, H, T, D)


Build = Callable[[Case, Inputs], Call]


def regard(algorithm: str | None = None) -> Build:
    def build(case: Case, x: Inputs) -> Call:
        value = case.attention
        return Call(lambda: attend(x.q, x.k, x.v, value, algorithm=algorithm), (x.q, x.k, x.v), x.grad, _same)

    return build


def kernels(device: torch.device, cuda: str, cpu: str) -> dict[str, SDPBackend]:
    """Kernels of sdpa by their names, those for a GPU or those for a CPU."""
    return {name: BACKENDS[name] for name in (cuda if device.type == "cuda" else cpu).split()}


def sdpa_by(backend: SDPBackend, q: Tensor, k: Tensor, v: Tensor, **options: Any) -> Callable[[], Tensor]:
    """A call of one kernel of sdpa."""

    def forward() -> Tensor:
        with sdpa_kernel(backend):
            return scaled_dot_product_attention(q, k, v, **options)

    return forward


def needs_cuda(device: torch.device) -> None:
    if device.type != "cuda":
        raise Unavailable("no backward on the CPU")


def sdpa(backend: SDPBackend, whole_mask: bool = False) -> Build:
    """One kernel of sdpa; it gets the mask as (B, 1, 1, S), or written out as (B, 1, T, S) for those that insist."""

    def build(case: Case, x: Inputs) -> Call:
        check_maps(backend, case.B * case.H * case.T**2, case.dtype, case.device)
        mask, causal = case.sdpa_mask, case.mask == CAUSAL
        if whole_mask and mask is not None:
            mask = mask.expand(-1, -1, case.T, -1).contiguous()
        forward = sdpa_by(backend, x.q, x.k, x.v, attn_mask=mask, is_causal=causal)
        return Call(forward, (x.q, x.k, x.v), x.grad, _same)

    return build


def check_maps(backend: SDPBackend, pairs: int, dtype: torch.dtype, device: torch.device) -> None:
    """Let a quadratic kernel sit out where its maps would not fit."""
    maps = 3.0 * pairs * max(4, dtype.itemsize)
    if backend == SDPBackend.MATH and maps > QUADRATIC_LIMIT[device.type]:
        raise Unavailable(f"quadratic: {maps / 1e9:.0f} GB of maps")


def causal_varlen() -> dict[str, Any]:
    """How torch's variable-length kernel is told of causality: some releases say is_causal, later ones a window."""
    from torch.nn.attention.varlen import varlen_attn

    named = "is_causal" in inspect.signature(varlen_attn).parameters
    return {"is_causal": True} if named else {"window_size": (-1, 0)}


def varlen(case: Case, x: Inputs) -> Call:
    """The variable-length kernel on input that is packed already; the packing is not in its time."""
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError as error:
        raise Unavailable("not in this torch") from error
    if case.device.type != "cuda":
        raise Unavailable("CUDA only")
    if case.mask not in (NONE, CAUSAL, PADDING):
        raise Unavailable(f"takes no {case.mask} mask")
    options = causal_varlen() if case.mask == CAUSAL else {}
    leaves, grad = _packed(case, x)
    offsets, longest = _offsets(case).int(), max(case.lengths or (case.T,))
    call: Any = varlen_attn
    return Call(
        lambda: call(*leaves, offsets, offsets, longest, longest, **options), leaves, grad, lambda y: _unpacked(case, y)
    )


def nested(case: Case, x: Inputs) -> Call:
    """Sdpa on nested tensors in the jagged layout, made of packed input."""
    if case.mask not in (NONE, PADDING):
        raise Unavailable(f"not compared for a {case.mask} mask")
    leaves, grad = _packed(case, x)
    offsets = _offsets(case)
    lengths = case.lengths or (case.T,)

    def forward() -> Tensor:
        q, k, v = (
            torch.nested.nested_tensor_from_jagged(
                leaf, offsets, min_seqlen=min(lengths), max_seqlen=max(lengths)
            ).transpose(1, 2)
            for leaf in leaves
        )
        return scaled_dot_product_attention(q, k, v).transpose(1, 2).values()

    return Call(forward, leaves, grad, lambda y: _unpacked(case, y))


def flex(ready: bool) -> Build:
    """FlexAttention, compiled; its block mask made once before, or in every call."""

    def build(case: Case, x: Inputs) -> Call:
        needs_cuda(case.device)
        if case.mask == NONE and not ready:
            raise Unavailable("has no block mask to make")
        attend_by_flex, make = _compiled_flex()
        predicate = _flex_predicate(case.mask, case.lengths, case.device)
        mask = _block_mask(case.mask, case.lengths, case.T, case.device)
        rows = case.B if case.lengths else None

        def forward() -> Tensor:
            block_mask = mask if ready else make(predicate, rows, None, case.T, case.T, device=str(case.device))
            return attend_by_flex(x.q, x.k, x.v, block_mask=block_mask)

        return Call(forward, (x.q, x.k, x.v), x.grad, _same)

    return build


@functools.cache
def _compiled_flex() -> tuple[Any, Any]:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    # Automatic dynamic shapes: with dynamic=False the ninth shape falls to the dense path without a word.
    return torch.compile(flex_attention, fullgraph=True), torch.compile(create_block_mask)


@functools.cache
def _flex_predicate(mask: str, lengths: tuple[int, ...], device: torch.device) -> Any:
    if mask == NONE:
        return None
    if mask == CAUSAL:
        return lambda b, h, i, j: i >= j
    if mask == PADDING:
        real = torch.tensor(lengths, device=device)
        return lambda b, h, i, j: (i < real[b]) & (j < real[b])
    raise Unavailable(f"not compared for a {mask} mask")


@functools.cache
def _block_mask(mask: str, lengths: tuple[int, ...], T: int, device: torch.device) -> Any:
    """Made once and kept: at 16k tokens it takes seconds and gigabytes."""
    from torch.nn.attention.flex_attention import create_block_mask

    predicate = _flex_predicate(mask, lengths, device)
    if predicate is None:
        return None
    return create_block_mask(predicate, len(lengths) or None, None, T, T, device=str(device))


def sdpa_contenders(device: torch.device, whole_mask: bool = False) -> dict[str, Build]:
    """Each kernel of sdpa that the device has."""
    backends = kernels(device, cuda="cuDNN efficient flash math", cpu="flash math")
    suffix = " (B,1,T,S)" if whole_mask else ""
    return {f"sdpa {name}{suffix}": sdpa(backend, whole_mask) for name, backend in backends.items()}


def checked_out(folder: Path, name: str) -> Any:
    """The `model.py` of a peer's checkout, as a module of this name."""
    spec = importlib.util.spec_from_file_location(name, folder / "model.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def installed() -> dict[str, str]:
    """The versions of the peers that are not part of torch's core."""
    import importlib.metadata

    versions = {}
    for name in ("triton", "transformers", "x-transformers"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _same(y: Tensor) -> Tensor:
    return y


def _packed(case: Case, x: Inputs) -> tuple[tuple[Tensor, ...], Tensor]:
    """Real tokens of all rows one after the other, (tokens, H, D): leaves, and the gradient of the output."""
    *leaves, grad = (y.detach().transpose(1, 2)[case.real].contiguous() for y in x)
    return tuple(leaf.requires_grad_() for leaf in leaves), grad


def _unpacked(case: Case, y: Tensor) -> Tensor:
    padded = y.new_zeros(case.B, case.T, case.H, case.D)
    padded[case.real] = y
    return padded.transpose(1, 2)


def _offsets(case: Case) -> Tensor:
    lengths = torch.tensor((0, *(case.lengths or (case.T,) * case.B)), device=case.device)
    return lengths.cumsum(0)
