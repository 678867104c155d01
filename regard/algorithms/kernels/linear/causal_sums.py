"""Sums over all earlier keys, by chunks: `o_i = Σ_{j ≤ i} (g(q_i)·g(k_j)) v_j`, in products of small matrices.

Inside a chunk the quadratic form under a triangle, between chunks the running state `Σ g(k) [v, 1]ᵀ`. The column of
ones gives the denominator in the same products.

A piece is a run of chunks: q (b, n, r, C, F) in n chunks of C tokens and r heads to a group, k (b, n, C, F),
v (b, n, C, E) and the state before it (b, F, E + 1), where b counts rows and groups.
"""

from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import pad

from regard.attention import Content, Kernel
from regard.attention.eager import is_eager
from regard.attention.positions.sizes import Count, is_open, least, surely
from regard.attention.weighting.weighting import divided

CHUNK = 64  # tokens: shorter ones write more states, longer ones compute more pairs
PIECE = 1 << 13  # tokens of all heads whose features, maps and states are made at once, on the CPU
WIDEST = 256  # features that the GPU kernel of `scan` takes

Both = tuple[Tensor, Tensor]


def attended(
    q: Float[Tensor, "B H N D"],
    k: Float[Tensor, "B G N D"],
    v: Float[Tensor, "B G N E"],
    live: Bool[Tensor, "B N"] | None,
    real: Bool[Tensor, "B N"] | None,
    sums: Float[Tensor, "B G F E1"] | None,
    kernel: Kernel,
    content: Content,
) -> tuple[Float[Tensor, "B H N E"], Float[Tensor, "B G F E1"]]:
    """Outputs where query i sees the keys up to i and all that `sums` holds, and the sums after the last key.

    Queries that are not `live` get zeros, tokens that are not `real` are no keys; a NaN in either reaches nothing.
    """
    B, G, N = k.shape[:3]
    q, k, v = blanked(q, live), blanked(k, real), blanked(v, real)
    if sums is None:
        sums = empty_sums(k, v, kernel)
    if is_open(N):
        q, k, v, real = _filled(q, k, v, real)
    state, outs = sums.flatten(0, 1), []
    for some, C in _cut(q, k, v, real):
        n = some[1].shape[2] // C
        queries = kernel.map(_chunks(some[0].unflatten(1, (G, -1)), n).transpose(2, 3).flatten(0, 1), content)
        keys = kernel.map(_chunks(some[1], n).flatten(0, 1), content)
        values = _chunks(some[2], n).flatten(0, 1).to(keys.dtype)
        there = None if real is None else some[3].unflatten(1, (n, -1)).repeat_interleave(G, 0)
        out, state = causal_piece(queries, keys, values, there, state, kernel.normalise)
        outs.append(out.unflatten(0, (B, G)).transpose(2, 3).reshape(B, q.shape[1], n * C, -1))
    out = outs[0] if len(outs) == 1 else torch.cat(outs, 2)
    return blanked(out[:, :, :N] if is_open(N) else out, live), state.unflatten(0, (B, G))


def empty_sums(k: Tensor, v: Tensor, kernel: Kernel) -> Float[Tensor, "B G F E1"]:
    """The sums before the first key."""
    shape = (*k.shape[:2], kernel.features.width(k.shape[3]), v.shape[3] + 1)
    return k.new_zeros(shape, dtype=torch.promote_types(v.dtype, torch.float32))


def blanked(x: Tensor, there: Tensor | None) -> Tensor:
    """Zeros in place of tokens that are not there: a NaN in them must not reach anything."""
    return x if there is None else x.masked_fill(~there[:, None, :, None], 0)


def flops(N: Count, r: Count, F: Count, E: Count, backward: bool) -> Count:
    """Of the products over N keys and r times as many queries.

    Forward: `g(q)g(k)ᵀ` and its product with the values; the states and their product with g(q). Going back each of
    these has two gradients, and both `g(q)g(k)ᵀ` and the states are made again.
    """
    inside = 2 * r * (N // CHUNK * CHUNK**2 + (N % CHUNK) ** 2)
    state = 2 * F * (E + 1)
    forward = inside * (F + E + 1) + (1 + r) * N * state
    return forward + inside * (3 * F + 2 * E + 2) + (3 + 2 * r) * N * state if backward else forward


def _filled(q: Tensor, k: Tensor, v: Tensor, real: Tensor | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Tokens that are not there up to whole chunks, and a chunk more: a compiler makes another graph for one alone."""
    B, N = k.shape[0], k.shape[2]
    more = (1 - (-N // CHUNK)) * CHUNK - N
    real = torch.ones(B, N, dtype=torch.bool, device=k.device) if real is None else real
    q, k, v = (pad(x, (0, 0, 0, more)) for x in (q, k, v))
    return q, k, v, pad(real, (0, more), value=False)


def _cut(q: Tensor, k: Tensor, v: Tensor, real: Tensor | None) -> Iterator[tuple[list[Tensor], int]]:
    """Pieces of q, k, v and `real`, each with the length of its chunks: all that fill some, and what is left over.

    On the CPU pieces are small: memory that stays in the cache, and is used again, is several times faster.
    """
    N = q.shape[2]
    whole = N // CHUNK * CHUNK
    sizes, left = [], whole
    if q.is_cpu and not torch.compiler.is_compiling():
        longest = longest_piece(q.shape[0] * q.shape[1])
        sizes, left = [longest] * (whole // longest), whole % longest
    sizes += [size for size in (left, N - whole) if not surely(size == 0)]
    tensors = [q, k, v] if real is None else [q, k, v, real]
    # The gradient of a split is one concatenation; that of slices would be as many additions of whole tensors.
    parts = [x.split(sizes, min(2, x.ndim - 1)) if len(sizes) > 1 else (x,) for x in tensors]
    for n, size in enumerate(sizes):
        yield [part[n] for part in parts], least(CHUNK, size)


def longest_piece(num_heads: int) -> int:
    """Tokens of a piece on the CPU: whole chunks."""
    return max(CHUNK, PIECE // num_heads // CHUNK * CHUNK)


def _chunks(x: Tensor, n: int) -> Tensor:
    """Tokens (…, N, D) in n chunks."""
    return x.unflatten(-2, (n, -1))


def causal_piece(
    q: Float[Tensor, "b n r C F"],
    k: Float[Tensor, "b n C F"],
    v: Float[Tensor, "b n C E"],
    real: Bool[Tensor, "b n C"] | None,
    state: Float[Tensor, "b F E1"],
    normalise: bool,
) -> tuple[Float[Tensor, "b n r C E"], Float[Tensor, "b F E1"]]:
    """Outputs of one piece and the state after it, from features q and k; v is zero where `real` is not."""
    if not is_eager(q):
        return _by_definition(q, k, v, real, state, normalise)
    out, end = _Piece.apply(q, k, v, real, state, normalise)  # pyright: ignore[reportGeneralTypeIssues]
    return out, end


def with_ones(v: Tensor, real: Tensor | None) -> Tensor:
    """`[v, 1]`, and `[v, 0]` for keys that are not there."""
    return pad(v, (0, 1), value=1.0) if real is None else torch.cat((v, real[..., None].to(v.dtype)), -1)


def _by_definition(
    q: Tensor, k: Tensor, v: Tensor, real: Tensor | None, state: Tensor, normalise: bool
) -> tuple[Tensor, Tensor]:
    """The same by operations that autograd, compilers and transforms follow."""
    values, r = with_ones(v, real), q.shape[2]
    q = q.flatten(2, 3)
    inside = _triangle(q @ k.mT, r)
    states = torch.cat((state[:, None], k.mT @ values), 1).cumsum(1)
    sums = (inside @ values + q @ states[:, :-1]).unflatten(2, (r, -1))
    top, bottom = sums[..., :-1], sums[..., -1:]
    return divided(top, bottom) if normalise else top, states[:, -1].clone()  # not a view of them all


def _triangle(products: Tensor, r: int) -> Tensor:
    """Products (b, n, r·C, C) of keys at or before the query alone."""
    return products.unflatten(2, (r, -1)).tril().flatten(2, 3)


class _Piece(torch.autograd.Function):
    """The piece with a hand-written way back, which keeps features and outputs and computes the rest again.

    Kept maps and states would be as large as all inputs together, and fresh memory costs more than the products.
    """

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, real: Tensor | None, state: Tensor, normalise: bool) -> Both:
        values, r = with_ones(v, real), q.shape[2]
        rows = q.flatten(2, 3)
        states, end = _exclusive(_times(k.mT, values), state)
        sums = _times(_triangle_(_times(rows, k.mT), r), values)
        sums = _add(sums, rows, states).unflatten(2, (r, -1))
        top, bottom = sums[..., :-1], sums[..., -1:].clone()
        bottom.masked_fill_(bottom == 0, torch.inf)  # as `divided` has it
        out = top / bottom if normalise else top.contiguous()
        ctx.normalise = normalise
        ctx.save_for_backward(q, k, v, real, state, out, bottom)
        return out, end

    @staticmethod
    def backward(ctx: Any, grad: Tensor, grad_end: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        q, k, v, real, state, out, bottom = ctx.saved_tensors
        if torch.is_grad_enabled():  # somebody will differentiate the gradient itself
            inputs = [x for x, wanted in zip((q, k, v, state), _wanted(ctx), strict=True) if wanted]
            outputs = _by_definition(q, k, v, real, state, ctx.normalise)
            found = iter(torch.autograd.grad(outputs, inputs, (grad, grad_end), create_graph=True))
            dq, dk, dv, dstate = (next(found) if wanted else None for wanted in _wanted(ctx))
            return dq, dk, dv, None, dstate, None
        grads = _grad_sums(grad, out, bottom, ctx.normalise)
        dq, dk, dv, dstate = _gradients(grads, q, k, with_ones(v, real), state, grad_end, _wanted(ctx))
        return dq, dk, dv, None, dstate, None


def _wanted(ctx: Any) -> list[bool]:
    return [ctx.needs_input_grad[n] for n in (0, 1, 2, 4)]


def _grad_sums(grad: Tensor, out: Tensor, bottom: Tensor, normalise: bool) -> Tensor:
    """The gradient of numerators and denominators, (b, n, r·C, E + 1)."""
    sums = grad.new_empty(*grad.shape[:-1], grad.shape[-1] + 1)
    top = sums[..., :-1]
    if not normalise:
        top.copy_(grad)
        sums[..., -1] = 0
        return sums.flatten(2, 3)
    torch.div(grad, bottom, out=top)
    torch.sum(top * out, -1, out=sums[..., -1]).neg_()
    return sums.flatten(2, 3)


def _gradients(
    grads: Tensor, q: Tensor, k: Tensor, values: Tensor, state: Tensor, grad_end: Tensor, wanted: list[bool]
) -> list[Tensor | None]:
    """The gradients of q, k, v and the state, from those of the sums."""
    r = q.shape[2]
    rows = q.flatten(2, 3)
    dq, dk, dv, dstate = None, None, None, None
    if wanted[0] or wanted[1]:
        inside = _triangle_(_times(grads, values.mT), r)
        if wanted[0]:
            states, _ = _exclusive(_times(k.mT, values), state)
            dq = _add(_times(inside, k), grads, states.mT).unflatten(2, (r, -1))
            del states
        if wanted[1]:
            dk = _times(inside.mT, rows)
        del inside
    if wanted[1] or wanted[2] or wanted[3]:
        behind, dstate = _exclusive(_times(rows.mT, grads), grad_end, backwards=True)
        if dk is not None:
            _add(dk, values, behind.mT)
        if wanted[2]:
            inside = _triangle_(_times(rows, k.mT), r)
            dv = _add(_times(inside.mT, grads), k, behind)[..., :-1]
    return [dq, dk, dv, dstate]


def _times(a: Tensor, b: Tensor) -> Tensor:
    """A batch of products. Its batch is flat: `@` on four dimensions takes three more calls."""
    return torch.bmm(a.flatten(0, 1), b.flatten(0, 1)).unflatten(0, a.shape[:2])


def _add(total: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """`total + a b`, in place."""
    total.flatten(0, 1).baddbmm_(a.flatten(0, 1), b.flatten(0, 1))
    return total


def _triangle_(products: Tensor, r: int) -> Tensor:
    products.unflatten(2, (r, -1)).tril_()
    return products


def _exclusive(parts: Tensor, start: Tensor, backwards: bool = False) -> Both:
    """For each chunk the sum of the start and all parts before it, or after it, and the sum of them all."""
    if parts.is_cuda:  # a scan: a launch for every chunk would take longer than the chunk
        ordered = parts.flip(1) if backwards else parts
        sums = torch.cat((start[:, None], ordered), 1).cumsum(1)
        return sums[:, :-1].flip(1) if backwards else sums[:, :-1].contiguous(), sums[:, -1].clone()
    order = range(parts.shape[1])[:: -1 if backwards else 1]
    before = torch.empty_like(parts)
    before[:, order[0]] = start
    for n, after in zip(order, order[1:], strict=False):
        torch.add(before[:, n], parts[:, n], out=before[:, after])
    return before, before[:, order[-1]] + parts[:, order[-1]]
