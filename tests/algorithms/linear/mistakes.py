"""Linear attention with one mistake each, and a case that must show it; the negative controls run them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.kernels.linear import causal_sums
from regard.algorithms.planning.problem import pose
from regard.attention import Attention, Causal, Everything, Kernel, KeyPadding, Padding
from regard.attention.reference import kernel_weights, reference
from regard.attention.weighting.weighting import divided
from tests.algorithms.cases import Case

Run = Callable[..., tuple[Tensor, Tensor | None]]
LONG = {"weighting": "elu", "shape": "several blocks"}  # five chunks


def with_mask(change: Callable[[Any], Any]) -> Run:
    """The definition under another mask."""

    def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention, **options: Any):
        out, _ = reference(q, k, v, replace(attention, mask=change(attention.mask)))
        return out.to(v.dtype), None

    return run


def with_kernel(change: Callable[[Kernel], Kernel]) -> Run:
    """The definition of another kernel."""

    def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention, **options: Any):
        out, _ = reference(q, k, v, replace(attention, weighting=change(attention.weighting)))
        return out.to(v.dtype), None

    return run


def whole_denominator(q: Tensor, k: Tensor, v: Tensor, attention: Attention, **options: Any):
    """Numerators of the prefix over the denominator of the whole sequence."""
    r = q.shape[1] // k.shape[1]
    q, k, v = q.float(), k.float().repeat_interleave(r, 1), v.repeat_interleave(r, 1)
    everything = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device)
    kernel = Attention(weighting=Kernel(attention.weighting.features, normalise=False))
    shares = kernel_weights(q, k, kernel, everything)
    return (divided(shares.tril(), shares.sum(-1, keepdim=True)) @ v.float()).to(v.dtype), None


def by_chunks(change: Callable[..., tuple[Tensor, Tensor]]) -> Run:
    """The chunked algorithm with a piece of it exchanged, in pieces of two chunks."""

    def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention, **options: Any):
        before = causal_sums.causal_piece, causal_sums.PIECE
        causal_sums.causal_piece, causal_sums.PIECE = change, 2 * causal_sums.CHUNK * q.shape[0] * q.shape[1]
        try:
            return PLANNER.named("chunked").run(pose(q, k, v, attention), q, k, v)
        finally:
            causal_sums.causal_piece, causal_sums.PIECE = before

    return run


piece = causal_sums._by_definition


def forgetful(q, k, v, real, state, normalise):
    """The state is not carried on to the next piece."""
    return piece(q, k, v, real, torch.zeros_like(state), normalise)


def detached(q, k, v, real, state, normalise):
    """The state is carried on without its gradient."""
    return piece(q, k, v, real, state.detach(), normalise)


def one_chunk_late(q, k, v, real, state, normalise):
    """The states of the chunks, each one chunk late."""
    out, end = piece(q, k, v, real, state, normalise)
    if q.shape[1] == 1:
        return out, end
    chunks = [[x[:, n : n + 1] for x in (q, k, v)] for n in range(q.shape[1])]
    return torch.cat([piece(*chunk, None, state, normalise)[0] for chunk in chunks], 1), end


def strictly_before(q, k, v, real, state, normalise):
    """A chunk's queries do not see their own token: the diagonal is left out."""
    r = q.shape[2]
    values = causal_sums.with_ones(v, real)
    inside = (q.flatten(2, 3) @ k.mT).unflatten(2, (r, -1)).tril(-1).flatten(2, 3)
    states = torch.cat((state[:, None], k.mT @ values), 1).cumsum(1)
    sums = (inside @ values + q.flatten(2, 3) @ states[:, :-1]).unflatten(2, (r, -1))
    return divided(sums[..., :-1], sums[..., -1:]), states[:, -1]


def counted_pads(q, k, v, real, state, normalise):
    """Pads are left out of the numerator alone."""
    return piece(q, k, v, None, state, normalise)


MISTAKES: dict[str, tuple[Run, Case]] = {
    "linear: ignores causal": (with_mask(lambda mask: Everything()), Case(weighting="elu", mask="causal")),
    "linear: ignores key padding": (with_mask(lambda mask: Everything()), Case(weighting="elu", mask="key lengths")),
    "linear: padding without causal": (
        with_mask(lambda mask: Padding(mask.right.real)),
        Case(weighting="relu", mask="causal lengths"),
    ),
    "linear: causal without key padding": (
        with_mask(lambda mask: Causal()),
        Case(weighting="exp", mask="causal key lengths"),
    ),
    "linear: pads that ask": (
        with_mask(lambda mask: KeyPadding(mask.real)),
        Case(weighting="features of one's own", mask="lengths"),
    ),
    "linear: normalises what is not to be": (
        with_kernel(lambda kernel: Kernel(kernel.features)),
        Case(weighting="squared relu, not normalised"),
    ),
    "linear: does not normalise": (
        with_kernel(lambda kernel: Kernel(kernel.features, normalise=False)),
        Case(weighting="elu", mask="causal"),
    ),
    "linear: other features": (
        with_kernel(lambda kernel: Kernel(torch.nn.functional.softplus)),
        Case(weighting="elu"),
    ),
    "linear: features without gradient": (
        with_kernel(lambda kernel: kernel.__class__(type(kernel.features)(kernel.features.directions.detach()))),
        Case(weighting="random features"),
    ),
    "linear: the whole's denominator": (whole_denominator, Case(weighting="elu", mask="causal")),
    "linear: the state is not carried": (by_chunks(forgetful), Case(mask="causal", **LONG)),
    "linear: the state has no gradient": (by_chunks(detached), Case(mask="causal", **LONG)),
    "linear: states a chunk late": (by_chunks(one_chunk_late), Case(mask="causal", **LONG)),
    "linear: not oneself": (by_chunks(strictly_before), Case(mask="causal", **LONG)),
    "linear: pads in the denominator": (by_chunks(counted_pads), Case(mask="causal key lengths", **LONG)),
}
