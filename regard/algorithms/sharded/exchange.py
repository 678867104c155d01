"""What processes send each other: all tokens to everybody, or one process's tokens to another while both compute."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch import distributed as dist
from torch.nn.functional import pad

from regard.attention.eager import once

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

Runs = list[tuple[range, ...]]  # of each process


class Gathered(torch.autograd.Function):
    """The tokens of all processes in their order, along the first dimension; their gradients go back to the owners."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, runs: Runs, group: "ProcessGroup | None") -> Tensor:
        ctx.runs, ctx.group, ctx.given = runs, group, [x] if x.requires_grad else []
        ctx.rank = 0 if group is None else dist.get_rank(group)
        if len(runs) == 1:
            return x.clone()
        most = max([_count(own) for own in runs])
        own = pad(x, (*((0, 0) * (x.ndim - 1)), 0, most - x.shape[0])).contiguous()
        parts = [torch.empty_like(own) for _ in runs]
        dist.all_gather(parts, own, group=group)
        return _in_order(parts, runs)

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        runs, rank = ctx.runs, ctx.rank
        if len(runs) == 1:
            return grad, None, None
        # Each process adds up what all say of its tokens itself: in float32, whatever is sent.
        sent = torch.cat([grad[run.start : run.stop] for own in runs for run in own])
        counts = [_count(own) for own in runs]
        found = grad.new_empty(counts[rank] * len(runs), *grad.shape[1:])
        dist.all_to_all_single(found, sent, [counts[rank]] * len(runs), counts, group=ctx.group)
        wide = torch.promote_types(grad.dtype, torch.float32)
        return found.unflatten(0, (len(runs), -1)).sum(0, dtype=wide).to(grad.dtype), None, None


def _count(runs: tuple[range, ...]) -> int:
    return sum([len(run) for run in runs])


def _in_order(parts: list[Tensor], runs: Runs) -> Tensor:
    pieces = []
    for part, own in zip(parts, runs, strict=True):
        first = 0
        for run in own:
            pieces.append((run.start, part[first : first + len(run)]))
            first += len(run)
    return torch.cat([piece for _, piece in sorted(pieces, key=lambda piece: piece[0])])


class Passing:
    """A tensor under way to one process, and another from one: `arrived` waits for it."""

    def __init__(self, sent: Tensor, to: int, empty: Tensor, source: int, group: "ProcessGroup | None") -> None:
        self.sent, self.empty = sent.contiguous(), empty  # both must stay until they are done
        operations = [
            dist.P2POp(dist.isend, self.sent, group=group, group_peer=to),
            dist.P2POp(dist.irecv, self.empty, group=group, group_peer=source),
        ]
        self.works = dist.batch_isend_irecv(operations)

    def arrived(self) -> Tensor:
        for work in self.works:
            work.wait()
        return self.empty
