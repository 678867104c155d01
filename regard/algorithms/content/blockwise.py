"""Any mask and any score term, visiting only the blocks that may hold a visible pair."""

import functools
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from regard.algorithms.kernels import slabs
from regard.algorithms.kernels.slabs import Cut, Pairs, Slab, Work, Written, attend_by_slabs, may_ask
from regard.algorithms.planning.algorithm import Algorithm, predicted, refuses_softmax, refuses_triton
from regard.algorithms.planning.cost import Cost, idle, inputs, kept, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import BlockMap, Grid, Mask, Places, Sequence, Term, TermFacts
from regard.attention.eager import is_eager, may_keep
from regard.attention.masks.mask import has_blocks
from regard.attention.masks.visibility import index_band
from regard.attention.positions.sizes import Count, is_symbol, least, most, number
from regard.attention.torch_private import is_dispatched
from regard.attention.value import Structure, unflatten

ROWS = 64  # queries of a tile on the GPU
SINGLE = 3.0  # times as long as the rate of float32 says: without tensor cores
CALLS = 30  # of torch for a slab on the CPU, and half as many for each score term
WIDE_ROOM = 140_000  # bytes of shared memory that the kernel of bits needs for heads wider than 128
MOST_BITS = 1 << 28  # bytes of a mask's bits on the GPU: one map of 32,768 tokens
ATOMIC = 2.4e-9  # seconds for one addition to a tensor of one number, by many threads at once; less by √numbers


class Blockwise(Algorithm):
    """FlexAttention on the GPU, slabs of fused calls on the CPU."""

    name = "blockwise"
    takes_cap = True

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if problem.dropout and problem.on_cuda:
            return "has no dropout on the GPU"
        if problem.on_cuda and problem.dtype == torch.float64:
            return "FlexAttention takes no float64"
        if problem.on_cuda and refuses_triton(problem) is not None:
            return refuses_triton(problem)
        if problem.on_cuda and problem.bias_backward and not all([term.reads_once for term in problem.terms]):
            return "FlexAttention differentiates score terms that say of themselves that they read each tensor once"
        return None

    def cost(self, problem: Problem) -> Cost:
        """The visited blocks whole; a block's mask and biases are made when it is visited."""
        shape = problem.shape
        calls, extra = _on_cuda(problem) if problem.on_cuda else _on_cpu(problem)
        pairs = visited(problem, slabs.SIZE)
        if _makes_map(problem):  # products take the last blocks as long as they are
            pairs = pairs * (shape.T * shape.S) // (_whole_blocks(shape.T) * _whole_blocks(shape.S))
        drops = dropping(problem, pairs)
        return Cost(
            flops=products(pairs, shape.D, shape.E, problem.backward, recompute=True),
            bytes=traffic(shape, problem.item, problem.backward) + _bias_gradients(problem) + drops.bytes,
            memory=kept(shape, problem.item, problem.backward) + extra + drops.memory,
            launches=calls,
        )

    def seconds(self, problem: Problem) -> float:
        """FlexAttention has a rate and a host's price of its own."""
        name = "flex" if problem.on_cuda and not by_bits(problem) else self.name
        return predicted(problem, name, self.expected(problem), problem.dtype)

    def expected(self, problem: Problem) -> Cost:
        cost, shape = self.cost(problem), problem.shape
        if problem.on_cuda and by_bits(problem):
            slower = SINGLE if problem.dtype == torch.float32 else 1.0
            share = 1.0 if is_symbol(shape.T) else shape.T / _whole_blocks(shape.T)  # counted as whole blocks
            return replace(cost, flops=cost.flops * slower * share * idle(shape, ROWS))
        if problem.on_cuda or _makes_map(problem) or is_symbol(cost.flops):
            return cost
        share = (shape.T * shape.S) / (_whole_blocks(shape.T) * _whole_blocks(shape.S))  # the last blocks are shorter
        return replace(cost, flops=cost.flops * share * real_share(problem))

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        if q.is_cuda:
            if q.device.index == torch.cuda.current_device():
                return _run_on_cuda(problem, q, k, v)
            with torch.cuda.device(q.device):  # where Triton launches
                return _run_on_cuda(problem, q, k, v)
        attention, places = problem.attention, problem.places
        terms = attention.biases
        structure, leaves = _flat(terms)
        if may_ask(q):
            visible, blocks = problem.made("blocks", q.device, lambda: _visible(problem, q.device))
            cut = Cut(tuple(blocks))
            pairs: Pairs = Asked(visible, places, structure, problem.terms, q.shape[1], problem.wide)
        else:
            index = [torch.arange(n, device=q.device) for n in (*q.shape[:3], k.shape[2])]
            mask = attention.mask.slab(index[0], index[1], index[2], index[3], places) if problem.masks else None
            biases = [term.slab(index[0], index[1], index[2], index[3], places).to(problem.wide) for term in terms]
            leaves = [_whole(functools.reduce(torch.add, biases), q, k)] if terms else []
            cut, pairs = Cut(()), Written(mask)
        finite = all([facts.finite for facts in problem.terms])
        work = Work(cut, pairs, problem.beta, len(terms) > 0, problem.return_lse, finite, problem.dropout, problem.cap)
        return attend_by_slabs(work, q, k, v, tuple(leaves))


def _makes_map(problem: Problem) -> bool:
    """Whether the CPU makes the map piece by piece, for its kernel has neither dropout nor a cap."""
    return problem.dropout > 0 or (problem.cap is not None and not problem.on_cuda)


def _run_on_cuda(problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
    """By the bits of the mask where they are few enough, else by FlexAttention."""
    if problem.masks and not problem.terms and problem.cap is None and is_eager(q) and not is_dispatched():
        (decided,) = problem.made("bits", q.device, lambda: (_decided(problem, q.device),))
        if decided is not None:
            from regard.algorithms.kernels.block_sparse import attend_by_blocks

            out, lse = attend_by_blocks(q, k, v, decided, problem.beta)
            return out, lse if problem.return_lse else None
    from regard.algorithms.kernels.flex import attend_by_flex

    return attend_by_flex(problem, q, k, v)


def _decided(problem: Problem, device: torch.device) -> Any:
    """The mask's blocks and bits on the GPU, or None. Where it holds no data the host may wait for what to keep."""
    if not by_bits(problem):
        return None
    from regard.algorithms.kernels.block_sparse import decide

    mask, shape = problem.attention.mask, problem.shape
    return decide(mask, problem.places, shape.B, shape.H, device, MOST_BITS, _by_sizes(problem) and may_keep())


def by_bits(problem: Problem) -> bool:
    """Whether the pairs of a mask over content are decided once, and their bits read.

    Not where data change the mask and its blocks are known without a map of pairs, nor for few queries of long rows.
    """
    if torch.compiler.is_compiling() or not problem.masks or not problem.content_alone or not problem.has_positive_beta:
        return False
    if problem.cap is not None:
        return False
    shape = problem.shape
    B, H, T, S, D, E = (number(size) for size in (shape.B, shape.H, shape.T, shape.S, shape.D, shape.E))
    busy = B * H * -(-T // slabs.SIZE) >= 64 or S <= 8192
    widest = 256 if problem.machine.shared >= WIDE_ROOM else 128
    if not busy or max(D, E) > widest or T * S > 4 * MOST_BITS:
        return False
    maps = [x for x in problem.attention.mask.flatten()[1] if x.numel() >= T * S]
    return _by_sizes(problem) or len(maps) > 0 or not has_blocks(problem.attention.mask, problem.places)


def _by_sizes(problem: Problem) -> bool:
    """Whether no data change the mask: numbers that were sent to the device are none."""
    return problem.places.is_static and not problem.outline.holds_tensors


def real_share(problem: Problem) -> float:
    """The share of the work that one may expect where lengths are data: batches are about half pads."""
    pads = [facts.real for facts in problem.facts if facts.real is not None and facts.real.lengths is None]
    return 0.6 if pads else 1.0


def _visible(problem: Problem, device: torch.device) -> tuple[Mask, BlockMap]:
    """The mask with all it needs at these places, and its blocks."""
    mask = problem.attention.mask.placed(problem.places, device)
    return mask, mask.blocks(problem.places, slabs.SIZE, device)


def dropping(problem: Problem, pairs: Count) -> Cost:
    """What dropout or a cap adds to the products of a CPU's slabs.

    A softmax, random bits or a tanh and some passes over a map that stays in a cache take the time of so many bytes for
    a pair. Pieces of three maps are held at once, and the bits.
    """
    if problem.on_cuda or not _makes_map(problem):
        return Cost(0, 0, 0, 0)
    wide = problem.wide.itemsize
    piece = least(pairs, most(slabs.PIECE, slabs.SIZE * problem.shape.S))
    each = 9 if problem.backward else 4
    return Cost(flops=0, bytes=each * wide * pairs, memory=(3 * wide + 2) * piece, launches=0)


def _whole_blocks(n: Count) -> Count:
    """The length of all blocks, where the last counts as a whole one."""
    return -(-n // slabs.SIZE) * slabs.SIZE


@dataclass(frozen=True, eq=False)
class Asked(Pairs):
    """Mask and score terms as values, asked about one slab after the other."""

    mask: Mask
    places: Places
    terms: Structure
    facts: tuple[TermFacts, ...]
    num_heads: int
    wide: torch.dtype

    def allowed(self, slab: Slab) -> Tensor:
        return self.mask.slab(*slab.index, self.places)

    def bias(self, slab: Slab, leaves: tuple[Tensor, ...]) -> Tensor | None:
        terms: tuple[Term, ...] = unflatten(list(leaves), self.terms)
        if not terms:
            return None
        piece = self._piece(slab)
        parts = []
        for term, facts in zip(terms, self.facts, strict=True):
            if piece is not None and facts.positional and not facts.rows:
                parts.append(term.whole(piece, len(slab.heads), self.wide, slab.queries.device)[None])
            else:
                parts.append(term.slab(*slab.index, self.places).to(self.wide))
        return functools.reduce(torch.add, parts)

    def _piece(self, slab: Slab) -> Places | None:
        """The places of a slab of all heads, all keys and a run of queries, of whole rows on a grid; else None."""
        queries, keys = self.places.queries, self.places.keys
        first, n = int(slab.queries[0]), len(slab.queries)
        whole = len(slab.keys) == keys.count and len(slab.heads) == self.num_heads and self.places.is_static
        if not whole or int(slab.queries[-1]) - first != n - 1:
            return None
        if isinstance(queries, Sequence):
            return Places(Sequence(n, queries.at(0, first), queries.step), keys)
        if first % queries.w or n % queries.w:
            return None
        start = (queries.at(0, first)[0], queries.start[1])
        return Places(Grid(n // queries.w, queries.w, start, queries.step), keys)


def _flat(terms: tuple[Term, ...]) -> tuple[Structure, list[Tensor]]:
    structures, tensors = [], []
    for term in terms:
        structure, own = term.flatten()
        structures.append(structure)
        tensors += own
    return (tuple, *structures), tensors


def _whole(bias: Tensor, q: Tensor, k: Tensor) -> Tensor:
    """With four dimensions, of which rows may be one and heads too."""
    bias = bias[(None,) * (4 - bias.ndim)]
    return bias.expand(-1, -1, q.shape[2], k.shape[2])


def _bias_gradients(problem: Problem) -> Count:
    """What the gradients of score terms cost, as bytes.

    On the CPU each slab adds a gradient of the whole tensor to the sum. On the GPU each pair adds to one number of it,
    and all pairs that add to the same number wait for each other.
    """
    if not problem.bias_backward:
        return 0
    terms = [[x for x in term.flatten()[1] if x.requires_grad] for term in problem.attention.biases]
    if not problem.on_cuda:
        numbers = sum([tensor.numel() for tensors in terms for tensor in tensors])
        return 12 * numbers * -(-problem.shape.T // slabs.SIZE) + _relative_on_cpu(problem)
    waiting = 0.0  # additions of a pair, each counted by how many others wait for the same number
    for facts, tensors in zip(problem.terms, terms, strict=True):
        for tensor in tensors:
            if facts.quadratic is not None:  # every number of the head
                waiting += tensor[0].numel() / problem.shape.H**0.5
            else:  # one number
                waiting += tensor.numel() ** -0.5
    return visited(problem, slabs.SIZE) * waiting * ATOMIC * problem.machine.bandwidth


def _relative_on_cpu(problem: Problem) -> Count:
    """A slab's relative terms, and their gradients, take some passes over its pairs: so many bytes for a pair."""
    each = 350 if any([facts.table for facts in problem.terms]) else 40
    return each * visited(problem, slabs.SIZE)


def _on_cuda(problem: Problem) -> tuple[Count, Count]:
    """One kernel forward and three backward, beside the bits of the mask.

    To FlexAttention a mask that holds data means some twenty small kernels to list the blocks, and a copy of q, k and v
    without what nobody sees. What was made is remembered.
    """
    shape, facts = problem.shape, problem.outline.mask
    if by_bits(problem):
        maps = (shape.B if facts.rows else 1) * (shape.H if facts.heads else 1)
        each = _whole_blocks(shape.T) * _whole_blocks(shape.S)
        pairs = visited(problem, slabs.SIZE) // (shape.B * shape.H) if _by_sizes(problem) else each
        return 4 if problem.backward else 1, least(MOST_BITS, maps * pairs // 4)
    listed = problem.places.is_static and len(problem.attention.mask.flatten()[1]) == 0
    calls, extra = (5, 0) if listed or not problem.masks else (20, inputs(shape, problem.item))
    return 3 * calls if problem.backward else calls, extra


def _on_cpu(problem: Problem) -> tuple[Count, Count]:
    """So many calls for each slab of queries that see something; the largest slab's mask, or its biases for every row
    and head.
    """
    shape, passes = problem.shape, 3 if problem.backward else 1
    if not (problem.masks or problem.terms):
        return passes * CALLS, 0
    facts = problem.outline.mask
    low, high = index_band(problem.facts, problem.places)
    first, last = 0 if high is None else most(0, -high), shape.T if low is None else least(shape.T, shape.S - low)
    slabs_of_all = most(1, -(-most(last - first, 1) // slabs.SIZE))
    count = (shape.B if facts.rows else 1) * (shape.H if facts.heads else 1) * slabs_of_all
    keys = shape.S if low is None or high is None else least(shape.S, high - low + 3 * slabs.SIZE)
    if problem.terms:
        return passes * (CALLS + 15 * len(problem.terms)) * count, 12 * shape.B * shape.H * slabs.SIZE * keys
    # Under a band every block of queries sees other keys; without one several blocks share a slab.
    blocks = slabs.LONGEST if low is None and high is None else 1
    return passes * CALLS * count, 5 * blocks * slabs.SIZE * keys
