"""Gaussian heads: where they look, how convolutional they are, which are degenerate or alike, and fewer of them.

Heads are read from a layer whose `position` is a `Gaussian`, from the `Gaussian`, or from a `Quadratic`. Answers are
plain numbers about the positional map without a mask, in float64; content that a layer adds is not considered.
"""

import copy
import itertools
import json
import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor, nn

from regard.algorithms import weights
from regard.attention import Attention, Grid, Hard, Positions, Quadratic, Weighting
from regard.attention import Sequence as Line
from regard.attention.scores.relative import check_precision
from regard.layers import Gaussian, PositionHeads

Layer = nn.Module | Quadratic
Groups = list[tuple[int, ...]]
TINY = 1e-300  # where rounding leaves a zero that divides
KINDS = ("uniform", "one-hot", "border", "singular")


@dataclass(frozen=True)
class Answer:
    """Numbers, words and tuples of them, for a page or a file."""

    def json(self) -> str:
        return json.dumps(asdict(self), allow_nan=False)


@dataclass(frozen=True)
class Ellipse(Answer):
    """Where one head looks, relative to the query."""

    head: int
    centre: tuple[float, ...]  # (row, column), or (position,) in a line
    angle: float  # of the longest half-axis in radians, from the column axis towards larger rows
    masses: tuple[float, ...]
    half_axes: tuple[tuple[float, ...], ...]  # for each mass, the longest first


@dataclass(frozen=True)
class QueryMap(Answer):
    """The weights of all keys from one query: `maps[head][row][column]`, or `maps[head][position]` in a line."""

    query: tuple[int, ...]
    shape: tuple[int, ...]
    maps: list


@dataclass(frozen=True)
class KernelFit(Answer):
    """The assignment of heads to the taps of a kernel with the least sum of squared distances."""

    kernel_size: tuple[int, ...]
    dilation: tuple[int, ...]
    taps: tuple[tuple[int, ...] | None, ...]  # each head's, as an offset key − query; None for a surplus head
    distances: tuple[float | None, ...]  # of each head's centre from its tap
    peaks: tuple[tuple[int, ...] | None, ...]  # the pixel of an infinite grid with the largest weight; None for a tie
    softness: tuple[float, ...]  # the weight that all other pixels have
    surplus: tuple[int, ...]  # heads without a tap
    free: tuple[tuple[int, ...], ...]  # taps without a head
    is_bijection: bool  # the peaks are the taps, each once: sharper heads (M → tM, t → ∞) tend to the convolution


@dataclass(frozen=True)
class HeadState(Answer):
    """How one head behaves over all queries; `kinds` says what is degenerate about it."""

    head: int
    from_uniform: float  # largest total variation from the uniform map
    peak: float  # smallest of the largest weights: 1 is one-hot
    border: float  # smallest weight on the outermost pixels
    outside: float  # share of the queries from which the centre lies outside
    condition: float  # of the covariance
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Duplicates(Answer):
    """The total variation of each pair of heads at the query that tells them apart best, and classes of like heads."""

    tolerance: float
    distances: tuple[tuple[float, ...], ...]
    classes: tuple[tuple[int, ...], ...]


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


def ellipses(layer: Layer, masses: Sequence[float] = (0.5, 0.9)) -> tuple[Ellipse, ...]:
    """The ellipse around each head's centre that holds so much of its continuous gaussian; an interval in a line.

    Weights ∝ exp(−xᵀMx) have covariance M⁻¹/2: mass m lies in xᵀMx ≤ −ln(1−m), and in a line in |x|√M ≤ erf⁻¹(m).

    >>> ellipses(Quadratic(torch.tensor([[0.0, 2.0]]), torch.tensor([[0.25, 1.0]])), masses=[1 - math.exp(-1)])[0]
    Ellipse(head=0, centre=(0.0, 2.0), angle=1.57..., masses=(0.632...,), half_axes=((2.0, 1.0),))
    """
    if not masses or not all(0 < mass < 1 for mass in masses):
        raise ValueError(f"masses must lie between 0 and 1: got masses={tuple(masses)}; use (0.5, 0.9)")
    term, _ = term_of(layer)
    mass = torch.tensor(tuple(masses), dtype=torch.float64, device="cpu")
    radius = mass.erfinv() if term.centre.shape[1] == 1 else (-torch.log1p(-mass)).sqrt()
    found = []
    for head, (centre, matrix) in enumerate(zip(term.centre.tolist(), term.precision.cpu(), strict=True)):
        values, vectors = torch.linalg.eigh(matrix)  # ascending: the longest half-axis first
        is_round = float(values[-1] - values[0]) <= 1e-12 * float(values[-1])
        angle = 0.0 if is_round else math.atan2(*vectors[:, 0].tolist()) % math.pi
        half_axes = tuple([tuple(row) for row in (radius[:, None] / values.clamp(TINY).sqrt()).tolist()])
        found.append(Ellipse(head, tuple(centre), angle, tuple(masses), half_axes))
    return tuple(found)


def query_map(layer: Layer, positions: Positions, query: int | Sequence[int]) -> QueryMap:
    """Each head's weights on `positions` from a query at the position `query`, computed for it alone.

    >>> query_map(Quadratic(torch.tensor([[1.0]]), torch.tensor([50.0])), Line(3), 0).maps[0]
    [1.9...e-22, 1.0, 1.9...e-22]
    """
    position = (query,) if isinstance(query, int) else tuple(query)
    shape = (positions.h, positions.w) if isinstance(positions, Grid) else (positions.n,)
    if len(position) != len(shape):
        raise ValueError(
            f"query must have a number for each axis: got query={query!r} on {positions!r}; use a position"
        )
    one = Grid(1, 1, (position[0], position[-1])) if len(shape) == 2 else Line(1, position[0])
    (maps,) = maps_of(*term_of(layer), positions, one)
    return QueryMap(position, shape, maps[:, 0].unflatten(1, shape).tolist())


def nearest_kernel(
    layer: Layer, kernel_size: int | Sequence[int] | None = None, dilation: int | Sequence[int] = 1, *, bijection=False
) -> KernelFit:
    """How convolutional the heads are: which of them fits which tap of a kernel around the query, and how well.

    Without a size it is the smallest odd one with a tap for every head. `bijection=True` demands as many heads as taps.
    """
    term, weighting = term_of(layer)
    H, P = term.centre.shape
    size = next(n for n in itertools.count(1, 2) if n**P >= H) if kernel_size is None else kernel_size
    sizes, steps = (tuple([n] * P if isinstance(n, int) else n) for n in (size, dilation))
    if len(sizes) != P or any(n < 1 or n % 2 == 0 for n in sizes):
        raise ValueError(f"kernel_size must be odd along each of {P} axes, to have a centre: got {kernel_size}; use 3")
    if len(steps) != P or min(steps) < 1:
        raise ValueError(f"dilation must be at least 1 along each of {P} axes: got {dilation}; use 1")
    reaches = [n // 2 * step for n, step in zip(sizes, steps, strict=True)]
    taps = list(itertools.product(*[range(-r, r + 1, step) for r, step in zip(reaches, steps, strict=True)]))
    if bijection and len(taps) != H:
        more = "more heads asked for than taps" if len(taps) < H else "fewer heads than taps"
        raise ValueError(
            f"a bijection must have as many heads as taps: {more}, got {H} and {len(taps)}; use prune, or another size"
        )
    away = (term.centre.cpu()[:, None] - torch.tensor(taps, device="cpu")).norm(dim=2)
    given = assign(away.square().tolist())
    lattice = [_on_lattice(c, m) for c, m in zip(term.centre.cpu(), term.precision.cpu(), strict=True)]
    peaks = tuple([peak for peak, _ in lattice])
    return KernelFit(
        kernel_size=sizes,
        dilation=steps,
        taps=tuple([None if tap is None else taps[tap] for tap in given]),
        distances=tuple([None if tap is None else float(away[head, tap]) for head, tap in enumerate(given)]),
        peaks=peaks,
        softness=tuple([0.0 if isinstance(weighting, Hard) else softness for _, softness in lattice]),
        surplus=tuple([head for head, tap in enumerate(given) if tap is None]),
        free=tuple([tap for number, tap in enumerate(taps) if number not in given]),
        is_bijection=len(taps) == H and set(peaks) == set(taps),
    )


def assign(costs: Sequence[Sequence[float | int]]) -> list[int | None]:
    """A column of its own for each row at the least total cost, None for rows beyond the number of columns.

    Kuhn and Munkres, O(n²m): rows enter one by one along the shortest alternating path, found as Dijkstra does on the
    costs less the potentials u of rows and v of columns.

    >>> assign([[1, 2], [0, 5]])
    [1, 0]
    """
    c = np.array(costs, dtype=np.float64)
    n, m = c.shape
    if n > m:
        rows = assign(c.T.tolist())
        return [rows.index(row) if row in rows else None for row in range(n)]
    u, v = np.zeros(n), np.zeros(m + 1)
    owner = np.full(m + 1, -1)  # the row of each column; the last column is the door by which a row enters
    for row in range(n):
        owner[m], column = row, m
        least, back, used = np.full(m, np.inf), np.full(m, m), np.zeros(m + 1, dtype=bool)
        while owner[column] >= 0:
            used[column] = True
            reduced = c[owner[column]] - u[owner[column]] - v[:m]
            better = ~used[:m] & (reduced < least)
            least[better], back[better] = reduced[better], column
            column = int(np.where(used[:m], np.inf, least).argmin())
            u[owner[used]] += least[column]
            v[used] -= least[column]
            least = np.where(used[:m], least, least - least[column])
        while column != m:
            owner[column], column = owner[back[column]], back[column]
    return [owner[:m].tolist().index(row) for row in range(n)]


def examine(
    layer: Layer, positions: Positions, queries: Positions | None = None, *, tolerance=0.05, max_condition=1e4
) -> tuple[HeadState, ...]:
    """Every head's state on these positions, seen from `queries`, all positions unless given. Degenerate kinds are:

    uniform    every map is within `tolerance` of uniform, in total variation
    one-hot    every map has 1 − tolerance on one pixel
    border     the centre is never on the grid, and every map has 1 − tolerance on the outermost pixels
    singular   the covariance has a condition number of `max_condition` or more
    """
    term, weighting = term_of(layer)
    keys, half = _coordinates(positions), torch.tensor(positions.step, device="cpu") / 2
    low, high = keys.amin(0), keys.amax(0)
    edge = ((keys == low) | (keys == high)).any(1).to(term.centre.device)
    seen = []
    for maps in maps_of(term, weighting, positions, queries):
        like_uniform = 1 - (maps - 1 / len(keys)).abs().sum(-1) / 2
        seen.append(torch.stack([like_uniform, maps.amax(-1), maps[..., edge].sum(-1)]).amin(2))
    worst = torch.stack(seen).amin(0).T.tolist()
    targets = _coordinates(positions if queries is None else queries)[:, None] + term.centre.cpu()
    outside = ((targets < low - half) | (targets > high + half)).any(2).double().mean(0).tolist()
    conditions, least = torch.linalg.cond(term.precision).clamp(max=1 / TINY).tolist(), 1 - tolerance
    found = []
    for head, (like_uniform, peak, border) in enumerate(worst):
        lost, thin = outside[head] == 1 and border >= least, conditions[head] >= max_condition
        kinds = tuple(itertools.compress(KINDS, (like_uniform >= least, peak >= least, lost, thin)))
        found.append(HeadState(head, 1 - like_uniform, peak, border, outside[head], conditions[head], kinds))
    return tuple(found)


def duplicates(layer: Layer, positions: Positions, queries: Positions | None = None, *, tolerance=0.05) -> Duplicates:
    """The heads whose maps differ by at most `tolerance` in total variation, from every query.

    Classes grow by complete linkage, the closest two first: *all* pairs inside one are within the tolerance.
    """
    furthest = torch.stack([variation(maps).amax(0) for maps in maps_of(*term_of(layer), positions, queries)]).amax(0)
    classes = [(head,) for head in range(len(furthest))]
    while len(classes) > 1:
        pairs = itertools.combinations(classes, 2)
        apart, a, b = min((float(furthest[list(a)][:, list(b)].max()), a, b) for a, b in pairs)
        if apart > tolerance:
            break
        classes = [c for c in classes if c not in (a, b)] + [tuple(sorted(a + b))]
    return Duplicates(tolerance, tuple(map(tuple, furthest.tolist())), tuple(sorted(c for c in classes if c[1:])))


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
    """The layer with one head for each group, where the group's first is; heads in no group are gone."""
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
    norms = torch.tensor(_norms(layer), dtype=torch.float64, device="cpu")
    moved, onto = [head for group in groups for head in group[1:]], [group[0] for group in groups for _ in group[1:]]
    shift = float(norms[moved].sum())
    if moved and positions is not None:
        apart = [variation(maps)[:, moved, onto].cpu() @ norms[moved] for maps in maps_of(*term_of(layer), positions)]
        shift = float(torch.cat(apart).max())
    bound = float(norms[list(gone)].sum()) + 2 * shift
    if x is None:
        return new, Change(tuple(groups), gone, bound)
    with torch.no_grad():
        before, after = (module(x, positions).double() for module in (layer, new))
    size, change = before.norm(dim=-1).clamp(TINY), (after - before).norm(dim=-1)
    limit = bound * x.double().norm(dim=-1).max()
    measured = [float(n) for n in (change.max(), limit, change.max() / size.max(), change.mean() / size.mean())]
    return new, Change(tuple(groups), gone, bound, *measured)


def _norms(layer: PositionHeads) -> list[float]:
    """‖W_out W_h‖₂ for each head."""
    blocks = layer.value.weight.detach().double().unflatten(1, (layer.num_heads, -1)).transpose(0, 1)
    out = layer.out.weight.detach().double() if isinstance(layer.out, nn.Linear) else None
    return torch.linalg.matrix_norm(blocks if out is None else out @ blocks, 2).tolist()


def term_of(layer: Layer) -> tuple[Quadratic, Weighting | None]:
    """The heads with a matrix of precision each, in float64 and without a gradient, and the layer's weighting."""
    found = getattr(layer, "position", layer)
    if isinstance(found, Gaussian):
        found = copy.deepcopy(found).double().term()  # in float32 a thin head's `L Lᵀ` may not be positive definite
    if not isinstance(found, Quadratic):
        raise ValueError(f"heads must be Gaussian or Quadratic: got {layer!r}; use a layer with a Gaussian position")
    centre, precision = found.centre.detach().double(), found.precision.detach().double()
    if not centre.isfinite().all():
        raise ValueError(f"centres must be finite: got {centre.tolist()}; use a checkpoint from before they diverged")
    check_precision(precision)
    if precision.ndim < 3:
        precision = precision.view(len(centre), -1).expand_as(centre).diag_embed()
    return Quadratic(centre, (precision + precision.mT) / 2), getattr(getattr(layer, "heads", layer), "weighting", None)


def _coordinates(positions: Positions) -> Tensor:
    """The position of every token, (N, 1) or (N, 2)."""
    axes = positions.at(0, torch.arange(positions.count, device="cpu"))
    return torch.stack(axes if isinstance(axes, tuple) else (axes,), 1)


def maps_of(
    term: Quadratic, weighting: Weighting | None, positions: Positions, queries: Positions | None = None
) -> Iterator[Tensor]:
    """The maps (H, t, S) of a few queries after the other, so that nothing quadratic is held."""
    sides = positions if queries is None else queries
    if isinstance(positions.start, Tensor) or isinstance(sides.start, Tensor):
        raise ValueError(f"positions must be the same for every row: got {positions!r}, {sides!r}; use start=0")
    if isinstance(sides, Grid):
        (row, column), step = sides.start, sides.step
        parts = [Grid(1, sides.w, (row + step[0] * i, column), step) for i in range(sides.h)]
    else:
        parts = [Line(min(64, sides.n - i), sides.at(0, i), sides.step) for i in range(0, sides.n, 64)]
    for part in parts:
        yield weights(None, None, Attention(term, None, weighting, part, positions))[0]


def variation(maps: Tensor) -> Tensor:
    """Total variation of each pair of heads from each query, (t, H, H)."""
    maps = maps.transpose(0, 1).contiguous()
    return torch.cdist(maps, maps, p=1) / 2


def _on_lattice(centre: Tensor, matrix: Tensor) -> tuple[tuple[int, ...] | None, float]:
    """The pixel of an infinite grid with the largest weight, None for a tie, and the weight of all others."""
    near, off = centre.round(), centre - centre.round()
    # Beyond this lies less than rounding; a head longer than 511 pixels is cut there.
    reach = ((45 + off @ matrix @ off) / torch.linalg.eigvalsh(matrix)[0].clamp(TINY)).sqrt().ceil().clamp(1, 511)
    side = torch.arange(-int(reach), int(reach) + 1, dtype=torch.float64, device="cpu")
    pixels = torch.cartesian_prod(*[side] * len(centre)).view(-1, len(centre))
    logits = -((pixels - off) @ matrix * (pixels - off)).sum(1)
    (best, second), (first, _) = (found.tolist() for found in logits.topk(2))
    softness = max(0.0, -math.expm1(best - float(logits.logsumexp(0))))
    is_tie = best - second <= -1e-9 * second
    return None if is_tie else tuple([int(n) for n in (near + pixels[first]).tolist()]), softness
