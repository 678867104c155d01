"""The map of gaussian heads along one axis, its gradient in closed form: a dozen small kernels in place of fifty."""

import functools
from typing import Any

import torch
from torch import Tensor

from regard.attention import Places, Quadratic, Sequence


def gaussian_map(term: Quadratic, places: Places, axis: int, device: torch.device) -> Tensor:
    """`softmax(−α (δ − Δ)²)` over the keys along one axis, (H, n′, n), in float64."""
    line = places.axis(axis, term)
    queries, keys = line.line(term)
    centre = term.centre[:, axis]
    precision = term.precision if term.precision.ndim == 1 else term.precision[:, axis]
    if torch.compiler.is_compiling():
        away = _offsets(queries, keys, device) - centre[:, None, None].double()
        return torch.softmax(-precision[:, None, None].double() * away**2, -1)
    offsets = _kept_offsets(queries.n, queries.start, queries.step, keys.n, keys.start, keys.step, device)
    maps = _GaussianMap.apply(centre, precision, offsets)
    assert isinstance(maps, Tensor)
    return maps


class _GaussianMap(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, centre: Tensor, precision: Tensor, offsets: Tensor) -> Tensor:
        away = offsets - centre[:, None, None]  # float64, as the offsets are
        maps = torch.softmax((away * away).mul_(-precision[:, None, None]), -1)
        ctx.save_for_backward(centre, precision, offsets, maps)
        return maps

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        centre, precision, offsets, maps = ctx.saved_tensors
        away = offsets - centre[:, None, None]
        weighed = maps * grad
        pull = torch.addcmul(weighed, maps, weighed.sum(-1, keepdim=True), value=-1) * away  # ∂logits, times δ − Δ
        grad_centre = (2 * precision * pull.sum((1, 2))).to(centre.dtype) if ctx.needs_input_grad[0] else None
        grad_precision = (pull * away).sum((1, 2)).neg().to(precision.dtype) if ctx.needs_input_grad[1] else None
        return grad_centre, grad_precision, None


def _offsets(queries: Sequence, keys: Sequence, device: torch.device) -> Tensor:
    """δ = key − query, (n′, n)."""
    i, j = (torch.arange(n, device=device) for n in (queries.n, keys.n))
    return (keys.at(0, j) - queries.at(0, i)[:, None]).double()


@functools.lru_cache(maxsize=256)
def _kept_offsets(n: int, start: int, step: int, m: int, key_start: int, key_step: int, device: torch.device) -> Tensor:
    """The same, kept: sizes say all."""
    return _offsets(Sequence(n, start, step), Sequence(m, key_start, key_step), device)
