"""Fewer heads: prune those that do little, merge those that do the same, and say what that changes in the output."""

import copy
import itertools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.analysis.convolution.heads import TINY, Answer, maps_of, term_of, variation
from regard.attention import Positions
from regard.layers import Gaussian, PositionHeads

Groups = list[tuple[int, ...]]


@dataclass(frozen=True)
class Change(Answer):
    """What fewer heads change in the output y: ‖Δy_q‖ ≤ bound · max_k ‖x_k‖ for each query q and all tokens x."""

    heads: tuple[tuple[int, ...], ...]  # for each new head the old ones it stands for, the one it looks like first
    removed: tuple[int, ...]
    bound: float
    largest: float | None = None  # measured ‖Δy_q‖
    limit: float | None = None  # what the bound allows for the measured tokens
    max_relative: float | None = None  # largest ‖Δy_q‖ over largest ‖y_q‖
    mean_relative: float | None = None  # mean ‖Δy_q‖ over mean ‖y_q‖


def prune(
    layer: PositionHeads, heads: Iterable[int], positions: Positions | None = None, x: Tensor | None = None
) -> tuple[PositionHeads, Change]:
    """A copy of the layer without these heads, and what that changes, measured on tokens `x` at `positions` if given.

    A head adds W_out W_h o_h to the output, and o_h is a mean of tokens: it is at most ‖W_out W_h‖₂ · max ‖x_k‖.
    """
    kept = sorted(set(range(layer.num_heads)).difference(_distinct(layer, heads)))
    return _regrouped(layer, [(head,) for head in kept], positions, x)


def merge(
    layer: PositionHeads, classes: Iterable[Iterable[int]], positions: Positions | None = None, x: Tensor | None = None
) -> tuple[PositionHeads, Change]:
    """A copy of the layer in which each class is one head, with the sum of its value weights; exact for equal heads.

    The member with the largest value weights stays where it is. A head h that moves to r changes its mean of tokens by
    Σ_k (a_hk − a_rk) x_k, at most 2·TV(a_h, a_r)·max ‖x_k‖, and the output by ‖W_out W_h‖₂ times that. The bound is the
    sum over the moved heads, at the worst query of `positions`; without positions each TV counts as 1.
    """
    groups = [tuple([operator.index(head) for head in members]) for members in classes]
    groups = [members for members in groups if members]
    merged, norms = _distinct(layer, itertools.chain(*groups)), _norms(layer)
    groups = [tuple(sorted(group, key=lambda head: -norms[head])) for group in groups]
    groups += [(head,) for head in range(layer.num_heads) if head not in merged]
    return _regrouped(layer, sorted(groups, key=min), positions, x)


def _distinct(layer: PositionHeads, heads: Iterable[int]) -> list[int]:
    if not (isinstance(layer, PositionHeads) and isinstance(layer.position, Gaussian)):
        raise ValueError(f"layer must be PositionHeads with a Gaussian position: got {layer!r}; use GaussianHeads")
    found = [operator.index(head) for head in heads]  # numbers of heads, from a list or a tensor
    if len(set(found)) != len(found) or not all(0 <= head < layer.num_heads for head in found):
        raise ValueError(f"heads must be distinct and below {layer.num_heads}: got {found}; name each once")
    return found


def _regrouped(
    layer: PositionHeads, groups: Groups, positions: Positions | None, x: Tensor | None
) -> tuple[PositionHeads, Change]:
    """The layer with one head for each group, at the place of the group's first; heads in no group are gone."""
    if not groups:
        raise ValueError(f"a layer must keep a head: got all {layer.num_heads} to prune; leave one out")
    if x is not None and positions is None:
        raise ValueError("x must come with its positions: got positions=None; use Grid(h, w) or Sequence(n)")
    new, first = copy.deepcopy(layer), [group[0] for group in groups]
    blocks = layer.value.weight.detach().unflatten(1, (layer.num_heads, -1))
    weight = torch.stack([blocks[:, list(group)].sum(1) for group in groups], 1).flatten(1)
    new.value.weight = nn.Parameter(weight, layer.value.weight.requires_grad)
    new.value.in_features, new.num_heads, new.position.num_heads = weight.shape[1], len(groups), len(groups)
    for name, old in layer.position.named_parameters():
        setattr(new.position, name, nn.Parameter(old.detach()[first], old.requires_grad))
    gone = tuple(sorted(set(range(layer.num_heads)).difference(*groups)))
    bound = _bound(layer, groups, gone, positions)
    if x is None:
        return new, Change(tuple(groups), gone, bound)
    with torch.no_grad():
        before, after = (module(x, positions).double() for module in (layer, new))
    size, change = before.norm(dim=-1).clamp(TINY), (after - before).norm(dim=-1)
    limit = bound * x.double().norm(dim=-1).max()
    measured = [float(n) for n in (change.max(), limit, change.max() / size.max(), change.mean() / size.mean())]
    return new, Change(tuple(groups), gone, bound, *measured)


def _bound(layer: PositionHeads, groups: Groups, gone: Sequence[int], positions: Positions | None) -> float:
    norms = torch.tensor(_norms(layer), dtype=torch.float64, device="cpu")
    moved = [(head, group[0]) for group in groups for head in group[1:]]
    old, new = [head for head, _ in moved], [head for _, head in moved]
    shift = float(norms[old].sum())
    if moved and positions is not None:
        apart = [variation(maps)[:, old, new].cpu() @ norms[old] for maps in maps_of(*term_of(layer), positions)]
        shift = float(torch.cat(apart).max())
    return float(norms[list(gone)].sum()) + 2 * shift


def _norms(layer: PositionHeads) -> list[float]:
    """‖W_out W_h‖₂ for each head."""
    blocks = layer.value.weight.detach().double().unflatten(1, (layer.num_heads, -1)).transpose(0, 1)
    out = layer.out.weight.detach().double() if isinstance(layer.out, nn.Linear) else None
    return torch.linalg.matrix_norm(blocks if out is None else out @ blocks, 2).tolist()
