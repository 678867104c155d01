"""Padded and packed batches without computing a pad: each sequence or document is attended to on its own.

One fused call per sequence on the CPU, one variable-length kernel on the GPU.
"""

from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from regard.algorithms.content.blockwise import dropping, real_share
from regard.algorithms.content.fused import starts_causal
from regard.algorithms.kernels import varlen
from regard.algorithms.kernels.slabs import Cut, Work, Written, attend_by_slabs
from regard.algorithms.planning.algorithm import Algorithm, refuses_softmax
from regard.algorithms.planning.cost import Cost, kept, output, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Facts, Mask
from regard.attention.masks.mask import real_tokens
from regard.attention.positions.sizes import Count, is_symbol, surely

SHORT = 1024  # queries up to which one call of a slower kernel is quicker than two


class Packed(Algorithm):
    """Attention of real tokens alone."""

    name = "packed"

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if not problem.content_alone:
            return "needs Content() as the only score term"
        cuts = [facts for facts in problem.facts if _is_cut(facts)]
        others = tuple([facts for facts in problem.facts if not _is_cut(facts)])
        if len(cuts) != 1:
            return "needs one of Padding, KeyPadding and Documents"
        if others and not starts_causal(others, problem.places):
            return "takes beside Padding, KeyPadding or Documents only Causal() with the first query at the first key"
        if others and not _takes_causal(problem, cuts[0]):
            return "takes Causal() & KeyPadding(lengths) on the GPU alone, and where T = S"
        if problem.on_cuda:
            if problem.dtype not in (torch.float16, torch.bfloat16):
                return "the variable-length kernel takes float16 and bfloat16 alone"
            if any([not is_symbol(width) and not surely(width <= 256) for width in (problem.shape.D, problem.shape.E)]):
                return "the variable-length kernel takes head widths to 256"
            if cuts[0].documents is not None and cuts[0].documents.most is None:
                return "must know how many documents a row may have: use lengths, or ids with most=…"
            segments = problem.shape.B * _segments_per_row(cuts[0])
            if not is_symbol(segments) and surely(segments > varlen.MOST_SEGMENTS):
                return "the variable-length kernel takes no more than 65,535 segments"
            if problem.return_lse:
                return "the variable-length kernel's log-sum-exp has no gradient"
        return None

    def cost(self, problem: Problem) -> Cost:
        """The visible pairs of each sequence, and one pass over the tensors."""
        shape = problem.shape
        calls = 2 if problem.on_cuda else 10 + (30 if problem.dropout else 22) * _sequences(problem)
        # On the CPU a sequence's part is written before it is put in place.
        parts = 0 if problem.on_cuda else output(shape, problem.item)
        pairs = visited(problem)
        drops = dropping(problem, pairs)
        return Cost(
            flops=products(pairs, shape.D, shape.E, problem.backward, recompute=True),
            bytes=traffic(shape, problem.item, problem.backward) + drops.bytes,
            memory=kept(shape, problem.item, problem.backward) + parts + drops.memory,
            launches=3 * calls if problem.backward else calls,
        )

    def expected(self, problem: Problem) -> Cost:
        cost = self.cost(problem)
        return cost if problem.on_cuda else replace(cost, flops=cost.flops * real_share(problem))

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        mask, facts = _cut(problem)
        causal = len(problem.masks) > 1
        if q.is_cuda:
            return _by_segments(problem, facts, q, k, v, causal), None
        tokens = problem.made("tokens", q.device, lambda: _tokens(problem, mask, facts, q.device))
        cut = Cut((tokens,), facts.real is None or facts.real.queries, causal)
        work = Work(
            cut,
            Written(None),
            problem.beta,
            has_bias=False,
            wants_lse=problem.return_lse,
            dropout=problem.dropout,
        )
        return attend_by_slabs(work, q, k, v, ())


def _takes_causal(problem: Problem, cut: Facts) -> bool:
    """Pad queries see what no causal segment shows them; on the GPU they are a call of their own."""
    if cut.real is None or cut.real.queries:
        return True
    return problem.on_cuda and cut.real.prefix and surely(problem.shape.T == problem.shape.S)


def _is_cut(facts: Facts) -> bool:
    return facts.real is not None or facts.documents is not None


def _segments_per_row(facts: Facts) -> int:
    """How many segments a row is cut into at most: see `kernels/varlen.py`."""
    runs = facts.documents
    if runs is None:
        return 3
    return (1 if runs.prefix else 3) * (runs.most or 1) + 2


def _sequences(problem: Problem) -> Count:
    """How many calls there are on the CPU: one per row, or per document of each row; ids may be of one document."""
    for facts in problem.facts:
        runs = facts.documents
        if runs is not None and runs.lengths is not None:
            return sum([len(row) for row in runs.lengths])
        if runs is not None:
            return (runs.most or 1) * (problem.shape.B if facts.rows else 1)
    return problem.shape.B


def _cut(problem: Problem) -> tuple[Mask, Facts]:
    """The mask of pads or documents, and what is known of it."""
    for mask, facts in zip(problem.masks, problem.facts, strict=True):
        if _is_cut(facts):
            return mask, facts
    raise AssertionError("refused without pads and documents")


def _tokens(problem: Problem, mask: Mask, facts: Facts, device: torch.device) -> Tensor:
    """The real tokens, (B, S), or the number of each token's document, (B|1, S)."""
    if facts.real is not None:
        return real_tokens(mask, problem.places, problem.shape.B, device)
    numbers = mask.documents(problem.places, device)
    assert numbers is not None
    return numbers


def _by_segments(problem: Problem, facts: Facts, q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    mask, real, runs = _cut(problem)[0], facts.real, facts.documents
    B, T, S = q.shape[0], q.shape[2], k.shape[2]

    def segments(looking: varlen.Looking, heads: int) -> varlen.Segments:
        def make() -> varlen.Segments:
            if runs is not None and runs.lengths is not None and runs.prefix:
                return varlen.of_document_lengths(runs.lengths, T, B // len(runs.lengths) * heads, q.device)
            lengths = mask.num_real(q.device) if real is not None and real.prefix else None
            if lengths is not None:
                return varlen.of_lengths(lengths, S, looking, T, heads)
            tokens = _tokens(problem, mask, facts, q.device)
            if runs is None:
                return varlen.of_tokens(tokens, looking, T, heads)
            assert runs.most is not None
            return varlen.of_documents(tokens, runs.most, runs.prefix, B // len(tokens) * heads)

        return problem.made(("segments", looking, heads), q.device, make)

    longest = (T, S)
    if runs is not None and runs.lengths is not None:
        most = varlen.longest_segment(runs.lengths, T)
        longest = (most, most)

    def attend_by(looking: varlen.Looking, causal: bool) -> Tensor:
        of_heads, beta, dropout = partial(segments, looking), problem.beta, problem.dropout
        return varlen.attend_by_segments(
            q, k, v, of_heads, _segments_per_row(facts), longest, looking == "real", causal, beta, dropout
        )

    if not causal or real is None or real.queries:
        return attend_by("real" if real is None or real.queries else "all", causal)
    if k.shape[1] == q.shape[1] and surely(T <= SHORT):
        return varlen.attend_prefixes(q, k, v, partial(segments, "prefix"), problem.beta, problem.dropout)
    # A causal segment has its last query at its last key: right for real queries. Pads come after all real keys.
    return attend_by("real", True) + attend_by("pads", False)
