"""Windows: a band of diagonals, computed as a batch of short attentions.

Queries are cut into blocks, and each block meets the keys around it and no others: one fused call on the CPU over
overlapping runs of keys.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.kernels.sdpa import attend_by, attend_with_lse, flash_gradients
from regard.algorithms.planning.algorithm import Algorithm, refuses_softmax
from regard.algorithms.planning.cost import Cost, inputs, kept, output, products, traffic
from regard.algorithms.planning.kept import recall
from regard.algorithms.planning.problem import Problem
from regard.attention import Facts, Places
from regard.attention.eager import given, is_eager, once, refuse_forward_mode
from regard.attention.masks.visibility import index_band
from regard.attention.positions.sizes import Count, least, most, number, surely
from regard.attention.torch_private import flash_cpu

KEPT = 16 << 20  # bytes of a mask that is kept for the next call
PIECE = 20 << 20  # bytes of queries at a time on the CPU
SIZES = (128, 256)  # queries in a block on the CPU, for narrow windows and for those wider than the larger one


@dataclass(frozen=True)
class Band:
    """Queries first_q…last_q meet keys first_k…last_k, query i those with `low ≤ j − i ≤ high`, counted from these."""

    first_q: int
    last_q: int
    first_k: int
    last_k: int
    low: int
    high: int

    @property
    def num_queries(self) -> int:
        return self.last_q - self.first_q + 1

    @property
    def num_keys(self) -> int:
        return self.last_k - self.first_k + 1

    @property
    def width(self) -> int:
        """Keys that a query in the middle sees."""
        return self.high - self.low + 1

    @property
    def size(self) -> int:
        """Queries in a block on the CPU: few waste few pairs at its corners, many read keys and values less often."""
        return SIZES[0] if surely(self.width <= SIZES[1]) else SIZES[1]


def find(facts: tuple[Facts, ...], places: Places) -> Band | None:
    """The band of windows and causal masks, without the queries that see nothing and the keys that nobody sees."""
    low, high = index_band(facts, places)
    if low is None or high is None or not all([fact.interval for fact in facts]):
        return None
    T, S = places.queries.count, places.keys.count
    first_q, last_q = most(0, -high), least(T - 1, S - 1 - low)
    if surely(number(last_q) < number(first_q)) or surely(number(high) < number(low)):
        return None
    first_k, last_k = most(0, first_q + low), least(S - 1, last_q + high)
    shift = first_q - first_k
    return Band(first_q, last_q, first_k, last_k, low + shift, high + shift)


class Banded(Algorithm):
    """A window with an end on either side."""

    name = "banded"

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if problem.on_cuda:
            return "lays blocks side by side in memory: on the CPU alone"
        if not problem.content_alone:
            return "needs Content() as the only score term"
        if problem.dropout:
            return "has no dropout"
        found = find(problem.facts, problem.places) if problem.masks else None
        if found is None:
            return "needs a window with an end on either side, and positions known without reading a tensor"
        return None

    def cost(self, problem: Problem) -> Cost:
        """Every block of queries against the keys around it."""
        shape = problem.shape
        found = find(problem.facts, problem.places)
        assert found is not None
        size = found.size
        rows = shape.B * shape.H * -(-found.num_queries // size) * size
        keys = found.width + size - 1
        copies, launches = _copies(problem, found), 25
        return Cost(
            flops=products(rows * keys, shape.D, shape.E, problem.backward, recompute=True),
            bytes=traffic(shape, problem.item, problem.backward) + copies * (3 if problem.backward else 1),
            memory=kept(shape, problem.item, problem.backward) + copies,
            launches=launches * (3 if problem.backward else 1),
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        found = find(problem.facts, problem.places)
        assert found is not None
        beta, T = problem.beta, q.shape[2]
        q = q[:, :, found.first_q : found.last_q + 1]
        k, v = (x[:, :, found.first_k : found.last_k + 1] for x in (k, v))
        out, lse = _by_heads(q, k, v, found, beta, problem.return_lse)
        rest = (found.first_q, T - 1 - found.last_q)
        if not (surely(rest[0] == 0) and surely(rest[1] == 0)):
            out = pad(out, (0, 0, *rest))
            lse = lse if lse is None else pad(lse, rest, value=-torch.inf)
        return out, lse


def _copies(problem: Problem, found: Band) -> Count:
    """Blocks written side by side: queries and outputs once, keys and values as often as windows overlap; the mask."""
    shape, item = problem.shape, problem.item
    blocks = -(-found.num_queries // found.size)
    run = found.width + found.size - 1
    keys = item * shape.B * shape.H * blocks * run * (shape.D + shape.E)
    return 2 * keys + inputs(shape, item) + 2 * output(shape, item) + 4 * blocks * found.size * run


def _by_heads(
    q: Tensor, k: Tensor, v: Tensor, found: Band, beta: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    """So many heads at a time that their tensors are memory which the allocator hands out again, not fresh pages."""
    if torch.compiler.is_compiling():
        band = [found.first_q, found.last_q, found.first_k, found.last_k, found.low, found.high]
        out, lse = _operator(q, k, v, band, beta, return_lse)
        return out, lse if return_lse else None
    G = k.shape[1]
    groups, bias = max(1, min(G, PIECE * G // max(1, q.nbytes))), _bias(found, q)  # one for all pieces
    if groups == G:
        return _by_blocks(q, k, v, found, bias, beta, return_lse)
    heads = groups * q.shape[1] // G
    pieces = zip(q.split(heads, 1), k.split(groups, 1), v.split(groups, 1), strict=True)
    outs, sums = zip(*[_by_blocks(*piece, found, bias, beta, return_lse) for piece in pieces], strict=True)
    return torch.cat(outs, 1), torch.cat(sums, 1) if return_lse else None


def _by_blocks(
    q: Tensor, k: Tensor, v: Tensor, found: Band, bias: Tensor, beta: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    (B, _, T, _), E = q.shape, v.shape[3]
    q, k, v = _side_by_side(q, k, v, found)
    lse = None
    if return_lse:
        refuse_forward_mode(q, k, v)
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        out, lse = attend_with_lse(q, k, v, bias, beta)
        lse = _in_line(lse, B, T)
    else:
        out = attend_by("cpu", q, k, v, beta=beta, bias=bias)
    return _in_line(out, B, T)[..., :E], lse


def _side_by_side(q: Tensor, k: Tensor, v: Tensor, found: Band) -> tuple[Tensor, Tensor, Tensor]:
    """Blocks of queries, and the keys and values that each meets, of one width: (blocks, B·H, size or run, width)."""
    width = max(q.shape[3], v.shape[3])
    size, blocks = found.size, -(-found.num_queries // found.size)
    run = size + found.width - 1
    # Block n meets keys n·size + low … (n + 1)·size − 1 + high: zeros stand for those that do not exist.
    before, after = -found.low, (blocks - 1) * size + run + found.low - found.num_keys
    k, v = (runs(pad(x, (0, width - x.shape[3], before, after)).contiguous(), run, size) for x in (k, v))
    return _blocks(q, found, width), k, v


def _blocks(x: Tensor, found: Band, width: int) -> Tensor:
    """(B, H, T, D) → (blocks, B·H, size, width), with zeros for rows and columns that do not exist."""
    rest = -found.num_queries % found.size
    x = pad(x, (0, width - x.shape[3], 0, rest)) if rest or width > x.shape[3] else x
    return x.unflatten(2, (-1, found.size)).permute(2, 0, 1, 3, 4).flatten(1, 2)


def _in_line(x: Tensor, B: int, T: int) -> Tensor:
    """(blocks, B·H, size, …) → (B, H, T, …)."""
    return x.unflatten(1, (B, -1)).movedim(0, 2).flatten(2, 3)[:, :, :T]


def runs(x: Tensor, length: int, step: int) -> Tensor:
    """Overlapping runs of `length` tokens, `step` apart, (B, G, S, D) → (runs, B·G, length, D), not copied."""
    if is_eager(x):
        return _Runs.apply(x, length, step)
    return _runs(x, length, step)


def _runs(x: Tensor, length: int, step: int) -> Tensor:
    return x.flatten(0, 1).unfold(1, length, step).permute(1, 0, 3, 2)


class _Runs(torch.autograd.Function):
    """Going back, the gradients of runs that overlap add up: step by step, which `unfold` does number by number."""

    @staticmethod
    @given
    def forward(ctx: Any, x: Tensor, length: int, step: int) -> Tensor:
        ctx.size, ctx.step = x.shape, step
        return _runs(x, length, step)

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        B, G, S, _ = ctx.size
        return _added(grad, S, ctx.step).unflatten(0, (B, G)), None, None


@torch.library.custom_op("regard::added_runs", mutates_args=())
def _added(parts: Tensor, S: int, step: int) -> Tensor:
    """The sum of overlapping runs, (runs, B·G, length, D) → (B·G, S, D).

    It is one operator for the counter of costs, which takes it apart once for all calls that are alike.
    """
    count, rows, length, D = parts.shape
    whole = parts.new_zeros(rows, max(S, count * step + length), D)
    for first in range(0, length, step):
        part = parts[:, :, first : first + step].transpose(0, 1)  # (B·G, runs, ≤ step, D)
        target = whole[:, first : first + count * step].unflatten(1, (count, step))
        target[:, :, : part.shape[2]] += part
    return whole[:, :S]


@_added.register_fake
def _(parts: Tensor, S: int, step: int) -> Tensor:
    count, rows, length, D = parts.shape
    return parts.new_empty(rows, max(S, count * step + length), D)[:, :S]


@torch.library.custom_op("regard::banded", mutates_args=(), device_types="cpu")
def _operator(q: Tensor, k: Tensor, v: Tensor, band: list[int], beta: float, wants_lse: bool) -> tuple[Tensor, Tensor]:
    """All blocks for a compiler, which would make other graphs for one block, and for blocks that are full.

    Its band is `Band`, field by field. The log-sum-exp is always given, and has a gradient where it is wanted.
    """
    found, (B, _, T, _), E = Band(*band), q.shape, v.shape[3]
    blocks = [laid_out(x) for x in _side_by_side(q, k, v, found)]
    bias = _bias(found, q).expand(*blocks[0].shape[:3], -1)
    out, lse = flash_cpu(blocks[0], blocks[1], blocks[2], 0.0, False, attn_mask=bias, scale=beta)
    return _in_line(out, B, T)[..., :E].contiguous(), _in_line(lse, B, T).contiguous()


@_operator.register_fake
def _(q: Tensor, k: Tensor, v: Tensor, band: list[int], beta: float, wants_lse: bool) -> tuple[Tensor, Tensor]:
    exact = torch.promote_types(q.dtype, torch.float32)
    return q.new_empty(*q.shape[:3], v.shape[3]), q.new_empty(q.shape[:3], dtype=exact)


@torch.library.custom_op("regard::banded_backward", mutates_args=(), device_types="cpu")
def _operator_backward(grads: list[Tensor], saved: list[Tensor], band: list[int], beta: float) -> list[Tensor]:
    (q, k, v, out, lse), found = saved, Band(*band)
    (B, H, T, D), G, size = q.shape, k.shape[1], found.size
    blocks = _side_by_side(q, k, v, found)
    width, repeated = blocks[0].shape[3], [x.repeat_interleave(H // G, 1) for x in blocks[1:]]
    # Rows of padding have gradients of zero, and a log-sum-exp of zero then does no harm.
    rows = [_blocks(x[..., None], found, 1)[..., 0] for x in (lse, *grads[1:])]
    grads = [_blocks(grads[0], found, width), *rows[1:]]
    bias = _bias(found, q).expand(*blocks[0].shape[:3], -1)
    dq, *parts = flash_gradients(
        grads, blocks[0], repeated[0], repeated[1], _blocks(out, found, width), rows[0], False, bias, beta
    )
    found_grads = [_in_line(dq, B, T)[..., :D]]
    for part, x in zip(parts, (k, v), strict=True):
        part = part[..., : x.shape[3]].unflatten(1, (B * G, -1)).sum(2)
        whole = _added(part, found.num_keys - found.low, size)[:, -found.low :]
        found_grads.append(whole.unflatten(0, (B, G)))
    return [grad.to(x.dtype).contiguous() for grad, x in zip(found_grads, (q, k, v), strict=True)]


@_operator_backward.register_fake
def _(grads: list[Tensor], saved: list[Tensor], band: list[int], beta: float) -> list[Tensor]:
    return [x.new_empty(x.shape) for x in saved[:3]]


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    q, k, v, ctx.band, ctx.beta, ctx.wants_lse = inputs
    ctx.save_for_backward(q, k, v, *output)


def _differentiate(ctx: Any, grad: Tensor, grad_lse: Tensor) -> tuple[Tensor | None, ...]:
    grads = [grad, grad_lse] if ctx.wants_lse else [grad]
    return *_operator_backward(grads, list(ctx.saved_tensors), ctx.band, ctx.beta), None, None, None


_operator.register_autograd(_differentiate, setup_context=_save)


def _bias(found: Band, q: Tensor) -> Tensor:
    """0 where a query of a block sees a key of its run, −∞ elsewhere: (blocks, 1, size, run)."""
    if found.num_queries * (found.size + found.width) * q.itemsize > KEPT:
        return _made_bias(found, q.dtype, q.device)
    return recall(("band", found, q.dtype, q.device), lambda: _made_bias(found, q.dtype, q.device))


def _made_bias(found: Band, dtype: torch.dtype, device: torch.device) -> Tensor:
    size = found.size
    blocks, run = -(-found.num_queries // size), size + found.width - 1
    n, i, j = (torch.arange(count, device=device) for count in (blocks, size, run))
    n, i = n[:, None, None, None], i[:, None]
    key = n * size + found.low + j
    seen = (j >= i) & (j - i < found.width) & (key >= 0) & (key < found.num_keys)
    seen = seen | (n * size + i >= found.num_queries)  # a row of padding sees zeros rather than nothing
    return torch.zeros((), dtype=dtype, device=device).masked_fill(~seen, -torch.inf)
