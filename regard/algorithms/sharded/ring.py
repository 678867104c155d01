"""Shards of keys and values on their way round: each process attends to one while the next is on its way.

    o = Σ_r exp(l_r − l) · o_r        l = log Σ_r exp(l_r)

o_r and l_r are the output and the log-sum-exp against the shard of process r alone, by whatever algorithm is cheapest
for that piece of the value. Going back the shards go round once more: with l known, the gradients that reach o_r and
l_r are

    do_r = exp(l_r − l) · do        dl_r = exp(l_r − l) · (⟨do, o_r⟩ − ⟨do, o⟩ + dl)

and each shard's own gradient is sent to its owner. A sink is a shard of its own, whose output is 0. Kernels of sdpa go
back by o and l themselves; any other algorithm computes o_r and l_r once more. A `Kernel` has no log-sum-exp: its
numerators and denominators add up. Two shards are in memory at a time, and nothing of other processes is kept between
the passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.kernels.sdpa import fastest, prepared_for
from regard.algorithms.planning.algorithm import refusal
from regard.algorithms.planning.kept import Prepared, recall
from regard.algorithms.planning.machines import Machine, table_of
from regard.algorithms.planning.problem import Flags, bind, outlined
from regard.algorithms.planning.recording import recorder
from regard.algorithms.sharded.context import Context
from regard.algorithms.sharded.exchange import Passing
from regard.algorithms.sharded.pairs import Pair, Schedule
from regard.attention import Attention, Kernel, Mask, Places, Shape, Softmax
from regard.attention.eager import given, is_eager, once
from regard.attention.positions.positions import Cut
from regard.attention.value import Structure, unflatten
from regard.attention.weighting.weighting import divided


@dataclass(frozen=True)
class Direct:
    """A kernel of sdpa that computes a pair of runs, there and back."""

    kernel: str
    beta: float
    causal: bool

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Output and log-sum-exp."""
        from regard.algorithms.kernels.sdpa_with_sink import forward_by

        E = v.shape[3]
        q, k, v, _ = prepared_for(self.kernel, q, k, v, None)
        out, lse = forward_by(self.kernel, q, k, v, None, self.beta, self.causal)
        return out[..., :E], lse

    def backward(self, parts: tuple[Tensor, ...], grad: Tensor, out: Tensor, lse: Tensor) -> list[Tensor]:
        """The gradients of q, k and v, by the output and the log-sum-exp of all keys."""
        from regard.algorithms.kernels.sdpa_with_sink import backward_by

        q, k, v, _ = prepared_for(self.kernel, parts[0], parts[1], parts[2], None)
        grad, out = (laid_out(x.to(q.dtype), v.shape[3]) for x in (grad, out))
        found = backward_by(self.kernel, grad, q, k, v, None, out, lse.contiguous(), self.beta, self.causal)
        found = [x[..., : part.shape[3]] for x, part in zip(found, parts, strict=True)]
        G = parts[1].shape[1]  # the kernel may want a key head for each head
        return [found[0], *[x if x.shape[1] == G else x.unflatten(1, (G, -1)).sum(2) for x in found[1:]]]


def direct(value: Attention, shape: Shape, dtype: torch.dtype, machine: Machine) -> Direct | None:
    """The kernel of sdpa that computes this, where one does."""
    structure, tensors = value.flatten()
    if tensors or machine.kind == "other":
        return None
    key = ("direct", structure, shape, dtype, machine.name)
    return recall(key, lambda: (_direct(value, shape, dtype, machine),))[0]


def _direct(value: Attention, shape: Shape, dtype: torch.dtype, machine: Machine) -> Direct | None:
    flags = Flags(dropout=False, return_lse=False, backward=True, bias_backward=False)
    problem = bind(outlined(shape, value, dtype, machine, flags, holds_tensors=False), value, 0.0)
    causal = len(problem.masks) > 0
    if refusal(PLANNER.named("fused"), problem) is not None or (causal and shape.T != shape.S):
        return None
    like = [torch.empty(shape.B, n, t, w, dtype=dtype, device="meta") for n, t, w in _sizes(shape)]
    return Direct(fastest(like[0], like[1], machine), problem.beta, causal)


def _sizes(shape: Shape) -> tuple[tuple[int, int, int], ...]:
    return (shape.H, shape.T, shape.D), (shape.G, shape.S, shape.E)


@dataclass(frozen=True, eq=False)
class Round:
    """What one call needs on its way there and back, but for tensors that learn."""

    context: Context
    schedule: Schedule
    structure: Structure  # of scores and weighting
    mask: Mask
    whole: Places
    prepared: Prepared

    def pieces(self, source: int) -> tuple[Pair, ...]:
        """What this process computes with the keys of another."""
        step = (self.context.rank - source) % self.context.count
        return self.schedule.pairs[self.context.rank][self.schedule.steps.index(step)]

    def value(self, pair: Pair, tensors: tuple[Tensor, ...]) -> Attention:
        """The mechanism of a pair of runs; layers with one mask share its pieces."""
        cut = Cut(self.whole, pair.queries, pair.keys)
        structure, held = self.mask.flatten()
        key = ("piece", structure, pair.queries, pair.keys)
        mask = self.prepared.recall_from(held, key, lambda: self.mask.piece(cut))
        scores, weighting = unflatten(tensors, self.structure)
        return Attention(scores.piece(cut), mask, weighting, cut.places.queries, cut.places.keys)

    def direct(self, value: Attention, q: Tensor, k: Tensor, v: Tensor) -> Direct | None:
        """The kernel of sdpa for a pair, unless somebody counts what is computed."""
        (B, H, T, D), (G, S), E = q.shape, k.shape[1:3], v.shape[3]
        known = recorder() is None and is_eager(q) and isinstance(value.weighting, Softmax)
        return direct(value, Shape(B, H, G, T, S, D, E), q.dtype, table_of(q.device)) if known else None

    def solve(self, value: Attention, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        """Output and log-sum-exp by the cheapest algorithm; of a `Kernel` its sums."""
        sums = isinstance(value.weighting, Softmax)
        return PLANNER.solve(q, k, v, value, return_lse=sums, prepared=self.prepared)


def attend_by_ring(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, context: Context, schedule: Schedule, prepared: Prepared
) -> tuple[Tensor, Tensor | None]:
    """Output and log-sum-exp of this process's queries."""
    whole = attention.places(context.tokens, context.num_keys)
    kernel = attention.weighting if isinstance(attention.weighting, Kernel) else None
    weighting = Softmax() if kernel is None else Kernel(kernel.features, normalise=False)
    wide = torch.promote_types(q.dtype, torch.float32)
    dtype, E = v.dtype, v.shape[3]
    if kernel is not None:  # sums are rounded once, at the end
        q, k, v = q.to(wide), k.to(wide), v.to(wide)
        v = torch.cat((v, torch.ones_like(v[..., :1])), -1) if kernel.normalise else v
    scores, weighing = attention.scores.flatten(), weighting.flatten()
    structure, tensors = (tuple, scores[0], weighing[0]), scores[1] + weighing[1]
    around = Round(context, schedule, structure, attention.mask, whole, prepared)
    sink = None if attention.sink is None else attention.sink.to(q.device)
    out, lse = _Ring.apply(around, q, k, v, sink, *tensors)
    if kernel is None:
        return out, lse
    return (divided(out[..., :E], out[..., E:]) if kernel.normalise else out).to(dtype), None


class _Ring(torch.autograd.Function):
    @staticmethod
    @given
    def forward(
        ctx: Any, around: Round, q: Tensor, k: Tensor, v: Tensor, sink: Tensor | None, *tensors: Tensor
    ) -> tuple[Tensor, Tensor]:
        wide = torch.promote_types(q.dtype, torch.float32)
        out = q.new_zeros(*q.shape[:3], v.shape[3], dtype=wide)
        lse = q.new_full(q.shape[:3], -torch.inf, dtype=wide)
        D = k.shape[3]
        if sink is not None:
            lse = sink.to(wide)[:, None].expand_as(lse).clone()
        for source, shard in _round(around.context, around.schedule.steps, torch.cat((k, v), 3)):
            for pair in around.pieces(source):
                some, value = shard[:, :, pair.answers], around.value(pair, tensors)
                parts = (q[:, :, pair.asks], some[..., :D], some[..., D:])
                kernel = around.direct(value, *parts)
                more, more_lse = around.solve(value, *parts) if kernel is None else kernel.forward(*parts)
                if more_lse is None:
                    out[:, :, pair.asks] += more
                else:
                    _merge(out[:, :, pair.asks], lse[:, :, pair.asks], more, more_lse)
        out = out.to(v.dtype)
        ctx.around = around
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(q, k, v, sink, out, lse, *tensors)
        return out, lse

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor | None, grad_lse: Tensor | None) -> tuple[Any, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        q, k, v, sink, out, lse, *tensors = ctx.saved_tensors
        around: Round = ctx.around
        context, D = around.context, k.shape[3]
        learnt = [n for n, wanted in enumerate(ctx.needs_input_grad[5:]) if wanted]
        own = torch.cat((k, v), 3)
        grad_q, grad_own = (torch.zeros_like(x, dtype=lse.dtype) for x in (q, own))
        grad_terms = [torch.zeros_like(tensors[n], dtype=lse.dtype) for n in learnt]
        back = Back.of(grad, grad_lse, out, lse)
        passing = None
        for source, shard in _round(context, around.schedule.steps, own):
            grad_shard = torch.zeros_like(shard, dtype=lse.dtype)
            for pair in around.pieces(source):
                some = shard[:, :, pair.answers]
                parts = (q[:, :, pair.asks], some[..., :D], some[..., D:])
                of_q, of_k, of_v, *of_terms = back.go(around, pair, parts, tensors, learnt)
                grad_q[:, :, pair.asks] += of_q
                grad_shard[:, :, pair.answers] += torch.cat((of_k, of_v), 3)
                for total, more in zip(grad_terms, of_terms, strict=True):
                    total += more
            if passing is not None:
                grad_own += passing.arrived()
            if source == context.rank:
                grad_own += grad_shard
            else:
                asker = (2 * context.rank - source) % context.count  # who computed with this process's shard meanwhile
                passing = Passing(grad_shard.to(own.dtype), source, own.new_empty(own.shape), asker, context.group)
        if passing is not None:
            grad_own += passing.arrived()
        grads = {n: total.to(tensors[n].dtype) for n, total in zip(learnt, grad_terms, strict=True)}
        of_k, of_v = grad_own.to(own.dtype).split((D, v.shape[3]), 3)
        return None, grad_q.to(q.dtype), of_k, of_v, back.to_sink(sink), *[grads.get(n) for n in range(len(tensors))]


@dataclass(frozen=True, eq=False)
class Back:
    """What comes back to a process's queries."""

    grad: Tensor
    row: Tensor  # ⟨do, o⟩ − dl
    out: Tensor
    lse: Tensor
    by_output: bool  # no gradient comes by the log-sum-exp

    @classmethod
    def of(cls, grad: Tensor | None, grad_lse: Tensor | None, out: Tensor, lse: Tensor) -> "Back":
        grad = torch.zeros_like(out, dtype=lse.dtype) if grad is None else grad.to(lse.dtype)
        row = (grad * out).sum(3)
        return cls(grad, row if grad_lse is None else row - grad_lse, out, lse, grad_lse is None)

    def to_sink(self, sink: Tensor | None) -> Tensor | None:
        """The gradient of a shard without an output."""
        if sink is None:
            return None
        share = _share(sink.to(self.lse.dtype)[:, None].expand_as(self.lse), self.lse)
        return -(share * self.row).sum((0, 2)).to(sink.dtype)

    def go(
        self, around: Round, pair: Pair, parts: tuple[Tensor, ...], tensors: list[Tensor], learnt: list[int]
    ) -> tuple[Tensor, ...] | list[Tensor]:
        """The gradients of a pair's queries, keys and values, and of the terms that learn."""
        grad, full, total = (x[:, :, pair.asks] for x in (self.grad, self.out, self.lse))
        if self.by_output and not learnt:
            kernel = around.direct(around.value(pair, tuple(tensors)), *parts)
            if kernel is not None:
                return kernel.backward(parts, grad, full, total)
        with torch.enable_grad():
            leaves = [x.detach().requires_grad_() for x in parts]
            terms = [x.detach().requires_grad_(n in learnt) for n, x in enumerate(tensors)]
            out, lse = around.solve(around.value(pair, tuple(terms)), *leaves)
        outs, seeds = [out], [grad.to(out.dtype)]
        if lse is not None:
            share = _share(lse.detach(), total)
            outs, seeds = [out, lse], [(share[..., None] * grad).to(out.dtype)]
            seeds.append(share * ((grad * out.detach()).sum(3) - self.row[:, :, pair.asks]))
        outs, seeds = zip(*[(x, seed) for x, seed in zip(outs, seeds, strict=True) if x.requires_grad], strict=True)
        wanted = [*leaves, *[terms[n] for n in learnt]]
        return torch.autograd.grad(outs, wanted, seeds, allow_unused=True, materialize_grads=True)


def _round(context: Context, steps: tuple[int, ...], own: Tensor) -> Iterator[tuple[int, Tensor]]:
    """The shard of each process that is `step` before this one, while the next is on its way."""
    passing = None
    for n, step in enumerate(steps):
        current = own if passing is None else passing.arrived()
        if n + 1 < len(steps):
            to, source = (context.rank + steps[n + 1]) % context.count, (context.rank - steps[n + 1]) % context.count
            empty = own.new_empty(*own.shape[:2], context.held(source, memory=True), own.shape[3])
            passing = Passing(own, to, empty, source, context.group)
        yield (context.rank - step) % context.count, current


def _merge(out: Tensor, lse: Tensor, more: Tensor, more_lse: Tensor) -> None:
    """Join what more keys give, in place."""
    total = torch.logaddexp(lse, more_lse)
    out.mul_(_share(lse, total)[..., None]).add_(_share(more_lse, total)[..., None] * more)
    lse.copy_(total)


def _share(part: Tensor, total: Tensor) -> Tensor:
    """`exp(part − total)`, and 0 where both are −∞."""
    return (part - total.masked_fill(total == -torch.inf, 0)).exp()
