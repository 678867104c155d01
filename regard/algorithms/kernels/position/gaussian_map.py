"""The maps of gaussian heads along both axes, with gradients in closed form: few small kernels in place of many."""

from typing import Any

import torch
from torch import Tensor

from regard.algorithms.planning.kept import recall
from regard.attention import Places, Quadratic, Sequence
from regard.attention.eager import given, is_eager, once


def gaussian_maps(term: Quadratic, places: Places, like: Tensor) -> list[Tensor]:
    """`softmax(−α (δ − Δ)²)` over the keys, along rows and along columns, (H, n′, n) each, in float64."""
    sides = [places.axis(axis, term).line(term) for axis in (0, 1)]
    device = like.device
    if not is_eager(like):
        maps = []
        for axis, (queries, keys) in enumerate(sides):
            away = _offsets(queries, keys, device) - term.centre[:, axis, None, None].double()
            precision = term.precision if term.precision.ndim == 1 else term.precision[:, axis]
            maps.append(torch.softmax(-precision[:, None, None].double() * away**2, -1))
        return maps
    keys = [(q.n, q.start, q.step, k.n, k.start, k.step) for q, k in sides]
    centre = term.centre.T  # (2, H)
    precision = term.precision.expand(2, -1) if term.precision.ndim == 1 else term.precision.T
    offsets = [
        recall(("offsets", key, device), lambda side=side: _offsets(*side, device))
        for key, side in zip(keys, sides, strict=True)
    ]
    if keys[0] == keys[1]:
        maps = _GaussianMap.apply(centre, precision, offsets[0])
        assert isinstance(maps, Tensor)
        return list(maps.unbind(0))
    return [
        _GaussianMap.apply(centre[a : a + 1], precision[a : a + 1], offsets[a])[0]  # pyright: ignore[reportIndexIssue, reportOptionalSubscript]
        for a in (0, 1)
    ]


class _GaussianMap(torch.autograd.Function):
    """Centres and precisions (axes, H) to maps (axes, H, n′, n)."""

    @staticmethod
    @given
    def forward(ctx: Any, centre: Tensor, precision: Tensor, offsets: Tensor) -> Tensor:
        away = offsets - centre[..., None, None]  # float64, as the offsets are
        maps = torch.softmax((away * away).mul_(-precision[..., None, None]), -1)
        ctx.save_for_backward(precision, away, maps)
        ctx.kinds = centre.dtype, precision.dtype
        return maps

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        precision, away, maps = ctx.saved_tensors
        weighed = maps * grad
        pull = torch.addcmul(weighed, maps, weighed.sum(-1, keepdim=True), value=-1) * away  # ∂logits, times δ − Δ
        grad_centre = (2 * precision * pull.sum((-2, -1))).to(ctx.kinds[0]) if ctx.needs_input_grad[0] else None
        grad_precision = (pull * away).sum((-2, -1)).neg().to(ctx.kinds[1]) if ctx.needs_input_grad[1] else None
        return grad_centre, grad_precision, None


def _offsets(queries: Sequence, keys: Sequence, device: torch.device) -> Tensor:
    """δ = key − query, (n′, n)."""
    i, j = (torch.arange(n, device=device) for n in (queries.n, keys.n))
    return (keys.at(0, j) - queries.at(0, i)[:, None]).double()
