"""Attention of tokens that lie on several processes: by a ring of shards, or with all keys gathered."""

import torch
from torch import Tensor

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.kept import Prepared, look, recall_from, remember
from regard.algorithms.planning.machines import table, table_of
from regard.algorithms.planning.planner import Plan
from regard.algorithms.planning.problem import Flags, bind, check_tensors, check_types, outlined, traits
from regard.algorithms.sharded.context import Context
from regard.algorithms.sharded.pairs import keys_within, schedule
from regard.algorithms.sharded.ring import attend_by_ring
from regard.algorithms.sharded.routes import Spread, candidates, choose
from regard.attention import Attention, Shape
from regard.attention.positions.positions import Cut
from regard.attention.torch_private import uncompiled, without_modes


def attend_sharded(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attention: Attention,
    context: Context,
    *,
    dropout: float,
    return_lse: bool,
    name: str | None,
    prepared: Prepared,
) -> tuple[Tensor, Tensor | None]:
    """Output and log-sum-exp of this process's queries against the keys of all; the value is that of the whole."""
    if torch.compiler.is_compiling():  # a graph ends where processes speak
        return _uncompiled(
            q, k, v, attention, context, dropout=dropout, return_lse=return_lse, name=name, prepared=prepared
        )
    context.check_group()
    structure, tensors = attention.flatten()
    key = ("route", name, dropout > 0, return_lse, *context.key, structure, *traits(q, k, v, tensors))
    shape = whole_shape(q, k, v, context)
    recall_from(tensors, ("checked", structure, shape), lambda: attention.check(shape) or True)
    route = look(key)
    if route is None:
        check_types(q, attention)
        with without_modes():
            route = remember(key, choose(_spread(q, k, v, attention, context, dropout, return_lse, None), name))
    if route == "gathered":
        return _attend_gathered(q, k, v, attention, context, dropout, return_lse, prepared)
    found = schedule(attention.mask, attention.places(shape.T, shape.S), context)
    out, lse = attend_by_ring(q, k, v, attention, context, found, prepared)
    return out, lse if return_lse else None


_uncompiled = uncompiled(attend_sharded)


def plan_sharded(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attention: Attention,
    context: Context,
    *,
    dropout: float,
    return_lse: bool,
    device: str | None,
) -> Plan:
    """Which route `attend` would take, what both cost, and what is sent."""
    attention.check(whole_shape(q, k, v, context))
    spread = _spread(q, k, v, attention, context, dropout, return_lse, device)
    return Plan(spread.problem, choose(spread, None), candidates(spread))


def _spread(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attention: Attention,
    context: Context,
    dropout: float,
    return_lse: bool,
    device: str | None,
) -> Spread:
    grads, shape = torch.is_grad_enabled(), whole_shape(q, k, v, context)
    biases = [x for term in attention.biases for x in term.flatten()[1]]
    bias_backward = any([x.requires_grad for x in (*biases, *attention.weighting.flatten()[1])])
    backward = bias_backward or any([x.requires_grad for x in (q, k, v)])
    machine = table_of(q.device) if device is None else table(device)
    flags = Flags(dropout > 0, return_lse, grads and backward, grads and bias_backward, attention.sink is not None)
    outline = outlined(shape, attention, q.dtype, machine, flags, len(attention.flatten()[1]) > 0)
    return Spread(bind(outline, attention, dropout), context)


def whole_shape(q: Tensor, k: Tensor, v: Tensor, context: Context) -> Shape:
    """The sizes of the whole, of tensors that are this process's part."""
    shape = check_tensors(q, k, v)
    for name, x, held, n in (
        ("q", q, context.held(), context.tokens),
        ("k", k, context.held(memory=True), context.num_keys),
    ):
        if x.shape[2] != held:
            raise ValueError(
                f"{name} must have the {held} tokens that process {context.rank} of {context.count} holds of {n}: "
                f"got {x.shape[2]}; use context.split(x, 2)"
            )
    return Shape(shape.B, shape.H, shape.G, context.tokens, context.num_keys, shape.D, shape.E)


def _attend_gathered(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attention: Attention,
    context: Context,
    dropout: float,
    return_lse: bool,
    prepared: Prepared,
) -> tuple[Tensor, Tensor | None]:
    """All keys and values on every process, which attends to them from its own queries, a run at a time."""
    D = k.shape[3]
    whole = attention.places(context.tokens, context.num_keys)
    joined = context.join(torch.cat((k, v), 3), 2, memory=True)
    structure, tensors = attention.mask.flatten()
    outs, sums, first = [], [], 0
    for run in context.runs():
        some = q[:, :, first : first + len(run)]
        first += len(run)
        keys = keys_within(attention.mask, whole, run) or range(1)  # a row that sees nothing is asked all the same
        cut = Cut(whole, run, keys)
        mask = prepared.recall_from(tensors, ("piece", structure, run, keys), lambda cut=cut: attention.mask.piece(cut))
        places = cut.places
        value = Attention(attention.scores.piece(cut), mask, attention.weighting, places.queries, places.keys)
        seen = joined[:, :, keys.start : keys.stop]
        out, lse = PLANNER.solve(
            some, seen[..., :D], seen[..., D:], value, dropout=dropout, return_lse=return_lse, prepared=prepared
        )
        outs.append(out)
        sums.append(lse)
    return torch.cat(outs, 2), torch.cat(sums, 2) if return_lse else None
