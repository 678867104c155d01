"""Attention on the CPU slab by slab, one fused call each; one operator, so that `torch.compile` sees one node."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from regard.algorithms.kernels import slabs
from regard.algorithms.kernels.flash_cpu import flash, flash_backward, refuse_forward_mode
from regard.algorithms.kernels.layouts import widen as widen_to
from regard.algorithms.kernels.slabs import Slab
from regard.attention import Attention, Places
from regard.attention.reference import blank, logits_of, logsumexp, weigh, widen


def attend_by_slabs(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, cut: str, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    """Attention over the slabs of `cut`: the "sequences" of a padded batch, or the "blocks" of a mask."""
    refuse_forward_mode(q, k, v)
    structure, tensors = attention.on(q.device).flatten()
    out, lse = _forward(q, k, v, tensors, repr(structure), cut, return_lse)
    return out, lse if return_lse else None


@torch.library.custom_op("regard::slabs", mutates_args=(), device_types="cpu")
def _forward(
    q: Tensor, k: Tensor, v: Tensor, tensors: list[Tensor], structure: str, cut: str, lse_used: bool
) -> tuple[Tensor, Tensor]:
    attention = Attention.unflatten(structure, tensors)
    places = attention.places(q.shape[2], k.shape[2])
    out = q.new_zeros(*q.shape[:3], v.shape[3])
    lse = torch.full(q.shape[:3], -torch.inf, dtype=torch.promote_types(q.dtype, torch.float32))
    for slab in _slabs(attention, cut, q, k):
        x = _operands(q, k, v, attention, slab, places)
        part, norm = flash(x.q, x.k, x.v, 0.0, slab.causal, attn_mask=x.bias, scale=_beta(attention, q))
        part = part[..., : v.shape[3]]
        if x.empty is not None:
            part = part.masked_fill(x.empty, 0)
            norm = norm.masked_fill(x.empty.squeeze(-1), -torch.inf)
        _put(out, slab.rows, slab.heads, slab.queries, part)
        _put(lse, slab.rows, slab.heads, slab.queries, norm)
    return out, lse


@_forward.register_fake
def _(q: Tensor, k: Tensor, v: Tensor, tensors: list[Tensor], structure: str, cut: str, lse_used: bool):
    exact = torch.promote_types(q.dtype, torch.float32)
    return q.new_empty(*q.shape[:3], v.shape[3]), q.new_empty(q.shape[:3], dtype=exact)


@torch.library.custom_op("regard::slabs_backward", mutates_args=(), device_types="cpu")
def _backward(
    grads: list[Tensor], saved: list[Tensor], tensors: list[Tensor], structure: str, cut: str, wanted: list[int]
) -> list[Tensor]:
    """Gradients of q, k, v, then of the tensors whose numbers are `wanted`. `grads` is that of the output, and perhaps
    that of the log-sum-exp.
    """
    q, k, v, out, lse = saved
    attention = Attention.unflatten(structure, tensors)
    places = attention.places(q.shape[2], k.shape[2])
    targets = (q, k, v, *[tensors[n] for n in wanted])
    leaves = [x.to(torch.promote_types(x.dtype, torch.float32)) for x in targets[3:]]  # slabs add up unrounded
    totals = [torch.zeros_like(x, dtype=torch.promote_types(x.dtype, torch.float32)) for x in targets]

    def with_leaves(*leaves: Tensor) -> Attention:
        return Attention.unflatten(
            structure, [leaves[wanted.index(n)] if n in wanted else x for n, x in enumerate(tensors)]
        )

    for slab in _slabs(attention, cut, q, k):
        groups = slab.groups(q.shape[1] // k.shape[1])
        if wanted:
            parts = _by_definition(grads, q, k, v, attention, slab, with_leaves, leaves)
        else:
            parts = _by_flash(grads, q, k, v, out, lse, attention, slab, places)
        _put(totals[0], slab.rows, slab.heads, slab.queries, parts[0])
        for total, part in zip(totals[1:3], parts[1:3], strict=True):
            if len(slab.heads) > len(groups):
                part = part.unflatten(1, (len(groups), -1)).sum(2)
            _add(total, slab.rows, groups, slab.keys, part)
        for total, part in zip(totals[3:], parts[3:], strict=True):
            total += part
    return [total.to(x.dtype) for total, x in zip(totals, targets, strict=True)]


@_backward.register_fake
def _(grads: list[Tensor], saved: list[Tensor], tensors: list[Tensor], structure: str, cut: str, wanted: list[int]):
    return [torch.empty_like(x) for x in (*saved[:3], *[tensors[n] for n in wanted])]


def _save(ctx, inputs, output) -> None:
    q, k, v, tensors, ctx.structure, ctx.cut, ctx.lse_used = inputs
    ctx.save_for_backward(q, k, v, *output, *tensors)


def _differentiate(ctx, grad: Tensor, grad_lse: Tensor):
    saved, tensors = list(ctx.saved_tensors[:5]), list(ctx.saved_tensors[5:])
    wanted = [n for n, want in enumerate(ctx.needs_input_grad[3]) if want]
    grads = [grad.contiguous(), grad_lse] if ctx.lse_used else [grad.contiguous()]
    results = _backward(grads, saved, tensors, ctx.structure, ctx.cut, wanted)
    by_tensor = [results[3 + wanted.index(n)] if n in wanted else None for n in range(len(tensors))]
    return *results[:3], by_tensor, None, None, None


_forward.register_autograd(_differentiate, setup_context=_save)


def _slabs(attention: Attention, cut: str, q: Tensor, k: Tensor) -> Iterator[Slab]:
    B, H, T, S = *q.shape[:3], k.shape[2]
    if cut == "sequences":
        return slabs.sequences(attention.mask, attention.places(T, S), H)
    # Biases are written out for every row and head of a slab: one block at a time keeps that linear.
    return slabs.blocks(attention.mask, attention.places(T, S), B, H, longest=1 if attention.biases else None)


def _beta(attention: Attention, q: Tensor) -> float:
    return 0.0 if attention.content is None else attention.content.scale(q.shape[3])


class _Operands(NamedTuple):
    """What the kernel gets for one slab: one width, one key head per head, and nothing that nobody sees."""

    q: Tensor
    k: Tensor
    v: Tensor
    bias: Tensor | None
    empty: Tensor | None  # rows that see nothing


def _operands(q: Tensor, k: Tensor, v: Tensor, attention: Attention, slab: Slab, places: Places) -> _Operands:
    heads_per_group = q.shape[1] // k.shape[1]
    groups = slab.groups(heads_per_group)
    q = _take(q, slab.rows, slab.heads, slab.queries)
    k, v = (_take(x, slab.rows, groups, slab.keys) for x in (k, v))
    if len(slab.heads) > len(groups):
        k, v = k.repeat_interleave(heads_per_group, 1), v.repeat_interleave(heads_per_group, 1)
    bias, empty = None, None
    if slab.masked:
        allowed = attention.mask.slab(*slab.index, places)
        live = allowed.any(-1, keepdim=True)
        if not (live.all() and allowed.any(-2).all()):  # mostly there is nothing to blank, and copies cost
            q, k, v = blank(q, k, v, allowed)
            empty = ~live
            allowed = allowed | empty
        bias = q.new_zeros(()).masked_fill(~allowed, -torch.inf)
    if attention.biases:
        wide = torch.promote_types(q.dtype, torch.float32)  # the kernel would round a bias to the type of q
        q, k, v = q.to(wide), k.to(wide), v.to(wide)
        bias = q.new_zeros(()) if bias is None else bias.to(wide)
        for term in attention.biases:
            bias = bias + term.slab(*slab.index, places).to(wide)
        dead = (bias == -torch.inf).all(-1, keepdim=True)
        if dead.any():  # a bias of −∞ can empty a row too
            bias, empty = bias.masked_fill(dead, 0), dead if empty is None else dead | empty
    if bias is not None:
        bias = bias.expand(*q.shape[:3], k.shape[2])
    width = max(q.shape[3], v.shape[3])
    return _Operands(widen_to(q, width), widen_to(k, width), widen_to(v, width), bias, empty)


def _by_flash(
    grads: list[Tensor],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor,
    attention: Attention,
    slab: Slab,
    places: Places,
) -> list[Tensor]:
    """Gradients of one slab's q, k and v by the kernel."""
    D, E = q.shape[3], v.shape[3]
    x = _operands(q, k, v, attention, slab, places)
    out, lse, *grads = (_take(y, slab.rows, slab.heads, slab.queries) for y in (out, lse, *grads))
    if x.empty is not None:
        # At log-sum-exp +∞ every weight of the row is exactly 0, and with it every gradient.
        grads[0] = grads[0].masked_fill(x.empty, 0)
        lse = lse.masked_fill(x.empty.squeeze(-1), torch.inf)
    if len(grads) == 2 and x.empty is not None:
        grads[1] = grads[1].masked_fill(x.empty.squeeze(-1), 0)
    grads[0], out = grads[0].to(x.q.dtype), out.to(x.q.dtype)
    dq, dk, dv = flash_backward(grads, x.q, x.k, x.v, out, lse, slab.causal, x.bias, _beta(attention, q))
    return [dq[..., :D], dk[..., :D], dv[..., :E]]


def _by_definition(
    grads: list[Tensor],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attention: Attention,
    slab: Slab,
    with_leaves: Callable[..., Attention],
    leaves: list[Tensor],
) -> list[Tensor]:
    """Gradients of one slab by the definition, computed again: the kernel has none for biases or the log-sum-exp."""
    groups = slab.groups(q.shape[1] // k.shape[1])
    places = attention.places(q.shape[2], k.shape[2])
    q = _take(q, slab.rows, slab.heads, slab.queries)
    k, v = (_take(x, slab.rows, groups, slab.keys) for x in (k, v))
    if slab.causal:
        allowed = torch.ones(len(slab.queries), len(slab.keys), dtype=torch.bool).tril()
    else:
        allowed = attention.mask.slab(*slab.index, places)
    q, k, v = blank(*widen(q, k, v), allowed)

    def definition(q: Tensor, k: Tensor, v: Tensor, *leaves: Tensor) -> list[Tensor]:
        logits = logits_of(q, k, with_leaves(*leaves), slab.index, places).masked_fill(~allowed, -torch.inf)
        return [weigh(logits, attention) @ v, logsumexp(logits).expand(q.shape[:3])][: len(grads)]

    pull_back = torch.func.vjp(definition, q, k, v, *leaves)[1]
    return list(pull_back([_take(grad, slab.rows, slab.heads, slab.queries).to(q.dtype) for grad in grads]))


def _take(x: Tensor, rows: range, heads: range, tokens: Tensor) -> Tensor:
    """Read x at these rows, heads and tokens: a view where the tokens are a run."""
    x = x[rows[0] : rows[-1] + 1, heads[0] : heads[-1] + 1]
    return x[:, :, _run(tokens)] if _run(tokens) else x.index_select(2, tokens)


def _put(x: Tensor, rows: range, heads: range, tokens: Tensor, part: Tensor) -> None:
    target = x[rows[0] : rows[-1] + 1, heads[0] : heads[-1] + 1]
    if _run(tokens):
        target[:, :, _run(tokens)] = part
    else:
        target.index_copy_(2, tokens, part.to(x.dtype))


def _add(x: Tensor, rows: range, heads: range, tokens: Tensor, part: Tensor) -> None:
    target = x[rows[0] : rows[-1] + 1, heads[0] : heads[-1] + 1]
    if _run(tokens):
        target[:, :, _run(tokens)] += part
    else:
        target.index_add_(2, tokens, part.to(x.dtype))


def _run(tokens: Tensor) -> slice | None:
    """The slice that these increasing token numbers are, when they leave none out."""
    first, last = int(tokens[0]), int(tokens[-1])
    return slice(first, last + 1) if last - first + 1 == len(tokens) else None
