"""What `attend` needs: the products over the visible pairs, whatever algorithm computes them."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

from regard.algorithms.planning.problem import pose
from regard.algorithms.planning.recording import Call, part
from regard.algorithms.planning.visits import visited
from regard.analysis.cost.known import known
from regard.analysis.cost.products import Pairs, Wanted, backward_products, forward_products
from regard.attention import Attention, Kernel
from regard.attention.value import unflatten

MOST = 1 << 28  # pairs of a mask with tensors that are asked one by one


def calls(watch: Any) -> Call:
    """What a call of `attend` runs in, for `regard.algorithms.planning.recording`.

    Scores with content need their pairs. Positions alone, and features, need what their algorithm computes. Where sizes
    are symbols nobody asks what is executed, and the shortest way is taken.
    """

    def call(
        name: str, q: Tensor, k: Tensor, v: Tensor, attention: Attention
    ) -> tuple[str, AbstractContextManager[None]]:
        if watch.scopes:  # a part of a call that is counted already
            return name, nullcontext()
        if attention.content is None or isinstance(attention.weighting, Kernel):
            return name, part("mixing")
        visible, is_known = visible_pairs(q, k, v, attention)
        if not is_known:
            watch.trace.notes[f"attend by {name}: the mask's contents are not known, hidden pairs may be counted"] = (
                None
            )
        pairs = watch.read_pairs(visible)
        D, E = watch.sizes(q)[-1], watch.sizes(v)[-1]
        both = Pairs(pairs, pairs)
        back = backward_products(both, D, E, Wanted.by(q, k, v, *attention.flatten()[1]))
        scope = watch.scope(forward_products(both, D, E).needed, back.needed)
        return "reference" if watch.is_symbolic else name, scope

    return call


def visible_pairs(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> tuple[int, bool]:
    """Pairs of all rows and heads that may attend, and whether every mask could be asked."""
    problem = pose(q, k, v, attention)
    structure, tensors = attention.mask.flatten()
    places = problem.places
    if not tensors and places.is_static:
        return visited(problem), True
    values = [value for value in map(known, tensors) if value is not None]
    shape = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    if len(values) < len(tensors) or not places.is_static or q.shape[2] * k.shape[2] * q.shape[0] > MOST:
        return visited(problem), False
    mask, facts = unflatten(values, structure), problem.outline.mask
    sides = (shape[0] if facts.rows else 1, shape[1] if facts.heads else 1, *shape[2:])
    b, h, i, j = (torch.arange(n) for n in sides)
    allowed = mask.slab(b, h, i, j, places).expand(sides)
    return int(allowed.sum()) * (shape[0] // sides[0]) * (shape[1] // sides[1]), True
