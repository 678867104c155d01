"""Mechanisms given by words and sizes: their value and their plan, for the command line and the page."""

import torch

from regard.algorithms import Plan, plan
from regard.algorithms.planning.machines import table
from regard.attention import Attention, Content, Grid, Mask, Places, Weighting
from regard.attention.notation import check_sizes, parse_scores, placeholder
from regard.attention.positions.positions import LINE


def build_mechanism(
    scores: str, visible: Mask, weighting: Weighting, places: Places, heads: int, backward: bool
) -> Attention:
    """The value of scores in words, a mask and a weighting, on these positions.

    >>> from regard.attention import Causal, Softmax
    >>> build_mechanism("content + slopes", Causal(), Softmax(), Attention().places(64, 64), heads=8, backward=False)
    Attention(scores=Content(beta=None) + Slopes(float32[8]), mask=Causal(), weighting=Softmax())
    """
    terms = parse_scores(scores, heads, places, learns=backward)
    is_grid = isinstance(places.keys, Grid)
    scores_content = any(isinstance(term, Content) for term in terms.terms)
    # In a line q says how many queries there are, and where; on a grid, or without q, only positions do.
    must_say = (is_grid or not scores_content) and places.queries.count != places.keys.count
    queries, keys = places.queries if must_say else None, places.keys if is_grid else None
    return Attention(terms, visible, weighting, queries, keys)


def plan_mechanism(
    sizes: tuple[int, ...],
    attention: Attention,
    dtype: str | None,
    device: str,
    backward: bool,
    dropout: float = 0.0,
    lse: bool = False,
) -> Plan:
    """The plan for tensors of these sizes, (B, H, G, T, S, D, E); none of them is allocated."""
    B, H, G, T, S, D, E = sizes
    number = dtype_of(dtype, device)
    reads = attention.content is not None
    q, k = (placeholder(shape, number, backward) if reads else None for shape in ((B, H, T, D), (B, G, S, D)))
    v = placeholder((B, G, S, E), number, backward)
    check_sizes((B, H, T, E))  # of the output
    return plan(q, k, v, attention, dropout=dropout, return_lse=lse, device=device)


def dtype_of(dtype: str | None, device: str) -> torch.dtype:
    """The type of that name, or the one that the device usually computes in."""
    return table(device).dtype if dtype is None else getattr(torch, dtype)


def batch_of(visible: Mask) -> tuple[int | None, int | None]:
    """Rows and longest row of the batch that a padding or document mask describes; None where it says nothing."""
    rows, longest = [visible.batch], []
    for mask in visible.conjuncts:
        facts = mask.facts(LINE)
        rows.append(mask.batch)
        if facts.real is not None and facts.real.lengths:
            longest.append(max(facts.real.lengths))
        if facts.documents is not None and facts.documents.lengths:
            longest.append(max([sum(row) for row in facts.documents.lengths]))
    return next((row for row in rows if row is not None), None), max(longest, default=None)
