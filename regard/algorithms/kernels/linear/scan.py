"""Causal linear attention in one pass over the tokens.

    o_i = g(q_i)ᵀ S_i / g(q_i)ᵀ z_i        [S_i, z_i] = Σ_{j ≤ i} g(k_j) [v_j, 1]ᵀ

A program walks over the chunks of one head with the state in registers. Where there are too few heads to fill the GPU,
their sequences are cut into segments: each program first sums up its own keys and values, adds what the program of the
segment before it has published, publishes the result for the next one, and then walks over its tokens, which are still
in the cache. Programs take numbers in the order in which they start, so nobody waits for one that has not begun.

Two numbers, on an H200 with 8 rows of 16384 tokens, 16 heads of width 64, bfloat16: 69 GFLOP over 771 TFLOP/s are
0.09 ms, q, k, v and o over 4.27 TB/s are 0.25 ms. It takes 0.26 ms without feature map and denominator, 0.43 ms with
`Elu` and denominator, whose exponentials and extra products the loads do not hide. Going back: 0.23 ms and 0.50 ms
where everything is read once, 0.63 ms by two passes; it takes 0.67 and 1.64 ms. In 2 rows of 65536 tokens keys and
values are read twice, 0.38 ms; it takes 0.42 and 0.46 ms, and 0.99 and 1.70 ms going back.
"""

from typing import Any, NamedTuple

import torch
import triton.language as tl
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import pad
from torch.utils.flop_counter import register_flop_formula

from regard.algorithms.kernels.launch import current
from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.kernels.linear import causal_sums
from regard.algorithms.kernels.linear import scan_programs as programs
from regard.algorithms.kernels.tiles import shared_memory
from regard.algorithms.planning.machines import table_of
from regard.attention import Content, Elu, Exp, Features, Identity, Kernel, Own, Relu, SquaredRelu
from regard.attention.torch_private import is_dispatched
from regard.attention.weighting.weighting import divided

# Tokens of a chunk, whose pairs are computed by the quadratic form; warps; loads in flight; tiles as wide as values.
TUNED = {"forward": (64, 4, 4, 1), "queries": (64, 4, 4, 2), "keys": (64, 4, 4, 2)}
MEMORY = 230_000  # bytes of shared memory at most
STATE = 1 << 14  # numbers of a state that registers hold
WIDE_ROOM = 140_000  # bytes of shared memory without which products of float32 take half of it
SEGMENT = 2048  # tokens at most; longer ones leave the cache before they are read again
SHORTEST = 256  # tokens of a segment
FEW = 100  # heads that leave a GPU idle: to read keys and values twice costs less
MANY = 264  # programs that fill a GPU, two to a processor: where features are computed, one waits too often

MAPS = {"": 0, "Identity": 0, "Elu": 1, "Relu": 2, "SquaredRelu": 3, "Exp": 4}
FEATURES: dict[str, Features] = {
    "": Own(lambda x: x),
    "Identity": Identity(),
    "Elu": Elu(),
    "Relu": Relu(),
    "SquaredRelu": SquaredRelu(),
    "Exp": Exp(),
}


def _block(width: int) -> int:
    """Columns of a tile."""
    return max(16, 1 << (width - 1).bit_length())


class Sizes(NamedTuple):
    """Of tiles and of segments."""

    BF: int
    BE: int
    heads: int
    segments: int
    length: int

    @classmethod
    def of(cls, heads: int, N: int, F: int, E: int, few: int) -> "Sizes":
        """Sequences are cut where there are fewer heads than `few`."""
        BF, BE = _block(F), _block(E)
        if heads >= few or N <= SHORTEST:
            return cls(BF, BE, heads, 1, N)
        even = -(-N * heads // (MANY * 64)) * 64
        length = min(SEGMENT, max(SHORTEST, even))
        return cls(BF, BE, heads, -(-N // length), length)

    def shared(self, device: torch.device) -> tuple[Tensor | None, Tensor | None]:
        """Room for the states between segments, and flags that say which of them are there."""
        if self.segments == 1:
            return None, None
        number = self.heads * self.segments
        sums = torch.empty(number * self.BF * (self.BE + 1), dtype=torch.float32, device=device)
        return sums, torch.zeros(number + 1, dtype=torch.int32, device=device)

    def options(self, kernel: str, q: Tensor, v: Tensor) -> dict[str, Any]:
        """What all kernels are compiled for."""
        BF, BE, (chunk, warps, stages, tiles), N = self.BF, self.BE, TUNED[kernel], v.shape[2]
        # float16 cannot hold sums of many tokens: its numbers are multiplied in tf32, which has as many digits.
        half = v.dtype == torch.bfloat16 and v.is_cuda
        wide = BF * BE > 64 * 64
        # As many loads in flight as shared memory has room for, beside operands that are computed: of two programs
        # where there are many, of one where there are few.
        operands = 2 * BF * (BE + chunk) if half else 4 * BF * (BE + 2 * chunk)
        room = min(MEMORY, shared_memory(v.device) - 1024) // (1 if wide or self.segments == 1 else 2) - operands
        each = chunk * (2 * BF * q.itemsize + tiles * BE * v.itemsize)
        return {
            "BF": BF,
            "BE": BE,
            "C": chunk,
            "DOT": tl.bfloat16 if half else tl.float32,
            "PRECISION": {torch.float32: "tf32x3", torch.float16: "tf32", torch.bfloat16: "ieee"}[v.dtype],
            "SEGMENTED": self.segments > 1,
            "EVEN": N % chunk == 0 and self.length % chunk == 0,
            "ON_GPU": v.is_cuda,
            "STAGES": max(1, min(stages, room // each)),
            "num_warps": 8 if wide else warps,
        }


class Given(NamedTuple):
    """What a call knows beside its tensors."""

    map: str  # of `MAPS`; none where q and k are features already
    normalise: bool
    wants_end: bool
    wide: bool  # the output is float32, whatever the type of the values


def _contiguous(x: Tensor | None) -> Tensor | None:
    return x if x is None else x.contiguous()


def _run_forward(
    q: Tensor, k: Tensor, v: Tensor, live: Tensor | None, real: Tensor | None, start: Tensor | None, given: Given
) -> tuple[Tensor, Tensor]:
    (B, H, N, F), (G, E) = q.shape, (k.shape[1], v.shape[3])
    q, k, v = _readable(q), _readable(k), _readable(v)
    live, real, start = _contiguous(live), _contiguous(real), _contiguous(start)
    sizes = Sizes.of(B * H, N, F, E, FEW)
    out = _empty_output(q, v, given)
    end = _empty_end(k, v, given)
    sums, flags = sizes.shared(q.device)
    forward: Any = programs.forward
    with current(q.device):
        forward[(sizes.heads * sizes.segments,)](
            q, k, v, live, real, start, out, end, sums, flags,
            *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out.stride()[:3],
            N, B, H, G, sizes.segments, sizes.length,
            F=F, E=E, MAP=MAPS[given.map], NORMALISE=given.normalise,
            HAS_LIVE=live is not None, HAS_REAL=real is not None, HAS_START=start is not None, HAS_END=given.wants_end,
            **sizes.options("forward", q, v),
        )  # fmt: skip
    return out, end


def _run_backward(
    grad: Tensor,
    grad_end: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    given: Given,
    wanted: list[bool],
) -> list[Tensor]:
    """The gradients of q, k, v and the start that are wanted."""
    live, real, start, grad_end = (_contiguous(x) for x in (live, real, start, grad_end))
    (B, H, N, F), (G, E) = q.shape, (k.shape[1], v.shape[3])
    grad, q, k, v = _readable(grad), _readable(q), _readable(k), _readable(v)
    dq, dk, dv = _empty_like(q), _empty_like(k), _empty_like(v)
    grad_start = None if start is None else torch.empty_like(start)
    inverse, slopes = (q.new_empty((2, B, H, N) if given.normalise else (2, 1), dtype=torch.float32)).unbind(0)
    common = {
        "F": F,
        "E": E,
        "MAP": MAPS[given.map],
        "NORMALISE": given.normalise,
        "HAS_LIVE": live is not None,
        "HAS_REAL": real is not None,
        "HAS_START": start is not None,
    }
    few = MANY if MAPS[given.map] or given.normalise else FEW
    strides = (*grad.stride()[:3], *q.stride()[:3], *k.stride()[:3], *v.stride()[:3])
    if wanted[0] or given.normalise:
        sizes = Sizes.of(B * H, N, F, E, few)
        backward: Any = programs.differentiate_queries
        with current(q.device):
            backward[(sizes.heads * sizes.segments,)](
                grad, q, k, v, live, real, start, dq, inverse, slopes, *sizes.shared(q.device),
                *strides, *dq.stride()[:3], N, B, H, G, sizes.segments, sizes.length,
                **common, **sizes.options("queries", q, v),
            )  # fmt: skip
    if any(wanted[1:]):
        sizes = Sizes.of(B * G, N, F, E, few)
        backward_keys: Any = programs.differentiate_keys
        with current(q.device):
            backward_keys[(sizes.heads * sizes.segments,)](
                grad, q, k, v, live, real, grad_end, inverse, slopes, dk, dv, grad_start, *sizes.shared(q.device),
                *strides, *dk.stride()[:3], *dv.stride()[:3], N, B, H, G, sizes.segments, sizes.length,
                R=H // G, HAS_END=grad_end is not None, **common, **sizes.options("keys", q, v),
            )  # fmt: skip
    found = (dq, dk, dv, grad_start)
    return [x for x, want in zip(found, wanted, strict=True) if want and x is not None]


def _readable(x: Tensor) -> Tensor:
    return x if x.stride(3) == 1 else laid_out(x)


def _empty_like(x: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.preserve_format if x.stride(3) == 1 else torch.contiguous_format)


def _empty_output(q: Tensor, v: Tensor, given: Given) -> Tensor:
    """Heads lie side by side where those of q do, so that merging them is free."""
    (B, H, N, _), E, dtype = q.shape, v.shape[3], torch.float32 if given.wide else v.dtype
    if q.stride(1) < q.stride(2):
        return q.new_empty(B, N, H, E, dtype=dtype).transpose(1, 2)
    return q.new_empty(B, H, N, E, dtype=dtype)


def _empty_end(k: Tensor, v: Tensor, given: Given) -> Tensor:
    shape = (*k.shape[:2], k.shape[3], v.shape[3] + 1) if given.wants_end else (0,)
    return k.new_empty(shape, dtype=torch.float32)


def attended(
    q: Float[Tensor, "B H N F"],
    k: Float[Tensor, "B G N F"],
    v: Float[Tensor, "B G N E"],
    live: Bool[Tensor, "B N"] | None,
    real: Bool[Tensor, "B N"] | None,
    start: Float[Tensor, "B G F E1"] | None,
    map: str,
    normalise: bool,
    wants_end: bool,
) -> tuple[Float[Tensor, "B H N E"], Float[Tensor, "B G F E1"] | None]:
    """Outputs in the type of v where query i sees the keys up to i and all that `start` holds, and the sums after them.

    `map` is one of `MAPS`, "" where q and k are features already. Tokens that are not `live` ask nothing and get zeros,
    those that are not `real` are no keys; nothing of either is read.
    """
    machine = table_of(v.device)
    small = machine.kind == "cuda" and machine.shared < WIDE_ROOM and v.dtype != torch.bfloat16
    E, most = v.shape[3], (STATE // 2 if small else STATE) // _block(k.shape[3])
    if most >= E:
        out, end = _scanned(q, k, v, live, real, start, Given(map, normalise, wants_end, wide=False))
        return out, end if wants_end else None
    # A state too large for registers: slices of [v, 1], each with a state of its own.
    values = pad(v, (0, 1), value=1.0) if normalise else v
    starts = [None] * len(values.split(most, 3))
    if start is not None:
        ones = torch.cat((start[..., :E], start[..., E:]), -1) if normalise else start[..., :E]
        starts = [torch.cat((part, start[..., E:]), -1) for part in ones.split(most, 3)]
    given = Given(map, normalise=False, wants_end=wants_end, wide=True)
    parts = [
        _scanned(q, k, part, live, real, first, given)
        for part, first in zip(values.split(most, 3), starts, strict=True)
    ]
    out = torch.cat([out for out, _ in parts], 3)
    out = divided(out[..., :E], out[..., E:]) if normalise else out
    if not wants_end:
        return out.to(v.dtype), None
    sums = torch.cat([end[..., :-1] for _, end in parts], 3)[..., :E]
    return out.to(v.dtype), torch.cat((sums, parts[0][1][..., -1:]), 3)


def _scanned(
    q: Tensor, k: Tensor, v: Tensor, live: Tensor | None, real: Tensor | None, start: Tensor | None, given: Given
) -> tuple[Tensor, Tensor]:
    if torch.compiler.is_compiling() or is_dispatched():
        return _operator(q, k, v, live, real, start, given.map, given.normalise, given.wants_end, given.wide)
    out, end = _Scan.apply(q, k, v, live, real, start, given)  # pyright: ignore[reportGeneralTypeIssues]
    return out, end


class _Scan(torch.autograd.Function):
    """Quicker to call than an operator. States are computed again on the way back."""

    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        live: Tensor | None,
        real: Tensor | None,
        start: Tensor | None,
        given: Given,
    ) -> tuple[Tensor, Tensor]:
        out, end = _run_forward(q, k, v, live, real, start, given)
        ctx.save_for_backward(q, k, v, live, real, start)
        ctx.set_materialize_grads(False)
        ctx.settings = given
        return out, end

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, grad_end: Tensor | None) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        q, k, v, live, real, start = ctx.saved_tensors
        given: Given = ctx.settings
        wanted = [bool(ctx.needs_input_grad[n]) for n in (0, 1, 2, 5)]
        if grad is None and grad_end is None:
            return (None,) * 7
        if torch.is_grad_enabled():  # somebody will differentiate the gradient itself
            found = _gradients_by_products(grad, grad_end, q, k, v, live, real, start, given, wanted, create_graph=True)
        else:
            grad = _empty_output(q, v, given).zero_() if grad is None else grad
            found = _run_backward(grad, grad_end, q, k, v, live, real, start, given, wanted)
        left = iter(found)
        dq, dk, dv, dstart = (next(left) if want else None for want in wanted)
        return dq, dk, dv, None, None, dstart, None


def by_products(
    q: Tensor, k: Tensor, v: Tensor, live: Tensor | None, real: Tensor | None, start: Tensor | None, given: Given
) -> tuple[Tensor, Tensor]:
    """The same by torch's products: what the kernels are compared with, counted by and differentiated twice by."""
    kernel = Kernel(FEATURES[given.map], given.normalise)
    out, end = causal_sums.attended(q, k, v, live, real, start, kernel, Content())
    return out if given.wide else out.to(v.dtype), end if given.wants_end else end.new_empty(0)


def _gradients_by_products(
    grad: Tensor | None,
    grad_end: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    given: Given,
    wanted: list[bool],
    create_graph: bool = False,
) -> list[Tensor]:
    with torch.enable_grad():
        leaves = [x if create_graph or x is None else x.detach().requires_grad_() for x in (q, k, v, start)]
        outputs = by_products(leaves[0], leaves[1], leaves[2], live, real, leaves[3], given)  # pyright: ignore[reportArgumentType]
        pairs = [(x, seed) for x, seed in zip(outputs, (grad, grad_end), strict=True) if seed is not None]
        inputs = [x for x, want in zip(leaves, wanted, strict=True) if want and x is not None]
        found = torch.autograd.grad(
            [x for x, _ in pairs],
            inputs,
            [seed for _, seed in pairs],
            create_graph=create_graph,
            materialize_grads=True,
        )
    return list(found)


@torch.library.custom_op("regard::linear_scan", mutates_args=())
def _operator(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    map: str,
    normalise: bool,
    wants_end: bool,
    wide: bool,
) -> tuple[Tensor, Tensor]:
    given = Given(map, normalise, wants_end, wide)
    return (by_products if is_dispatched() else _run_forward)(q, k, v, live, real, start, given)


@_operator.register_fake
def _(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    map: str,
    normalise: bool,
    wants_end: bool,
    wide: bool,
) -> tuple[Tensor, Tensor]:
    given = Given(map, normalise, wants_end, wide)
    return _empty_output(q, v, given), _empty_end(k, v, given)


@torch.library.custom_op("regard::linear_scan_backward", mutates_args=())
def _operator_backward(
    grad: Tensor,
    grad_end: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    map: str,
    normalise: bool,
    wants_end: bool,
    wide: bool,
    wanted: list[bool],
) -> list[Tensor]:
    run = _gradients_by_products if is_dispatched() else _run_backward
    return run(grad, grad_end, q, k, v, live, real, start, Given(map, normalise, wants_end, wide), wanted)


@_operator_backward.register_fake
def _(
    grad: Tensor,
    grad_end: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    map: str,
    normalise: bool,
    wants_end: bool,
    wide: bool,
    wanted: list[bool],
) -> list[Tensor]:
    like = [_empty_like(q), _empty_like(k), _empty_like(v), None if start is None else torch.empty_like(start)]
    return [x for x, want in zip(like, wanted, strict=True) if want and x is not None]


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    *tensors, map, normalise, wants_end, wide = inputs
    ctx.save_for_backward(*tensors)
    ctx.settings = Given(map, normalise, wants_end, wide)


def _differentiate(ctx: Any, grad: Tensor, grad_end: Tensor) -> tuple[Tensor | None, ...]:
    wanted = [bool(ctx.needs_input_grad[n]) for n in (0, 1, 2, 5)]
    grad_end_or_none = grad_end if ctx.settings.wants_end else None
    left = iter(_operator_backward(grad, grad_end_or_none, *ctx.saved_tensors, *ctx.settings, wanted))
    dq, dk, dv, dstart = (next(left) if want else None for want in wanted)
    return dq, dk, dv, None, None, dstart, None, None, None, None


_operator.register_autograd(_differentiate, setup_context=_save)


@register_flop_formula(torch.ops.regard.linear_scan)
def _flops(q: Any, k: Any, v: Any, *_: Any, **__: Any) -> int:
    return q[0] * k[1] * causal_sums.flops(q[2], q[1] // k[1], q[3], v[3], backward=False)


@register_flop_formula(torch.ops.regard.linear_scan_backward)
def _flops_backward(grad: Any, grad_end: Any, q: Any, k: Any, v: Any, *_: Any, **__: Any) -> int:
    N, r, F, E = q[2], q[1] // k[1], q[3], v[3]
    both, forward = (causal_sums.flops(N, r, F, E, backward) for backward in (True, False))
    return q[0] * k[1] * (both - forward)
