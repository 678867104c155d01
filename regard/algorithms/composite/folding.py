"""Cutting positions into the cells of a mask: tokens of different cells never meet.

Cells with as many queries and as many keys, the same distances apart, are alike: one batch computes them all.
"""

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.algorithms.planning.kept import recall
from regard.attention import Cell, Grid, Places, Sequence
from regard.attention.positions.sizes import Count, fixed
from regard.attention.torch_private import mark_constant, without_modes

CPU = torch.device("cpu")


@dataclass(frozen=True)
class View:
    """Tokens that are cells side by side: the sizes to unfold them into, which of these count cells, which tokens."""

    sizes: tuple[int, ...]
    cells: tuple[int, ...]
    tokens: tuple[int, ...]

    def beside(self, columns: "View") -> "View":
        """The view of a grid whose rows are seen by this one, and whose columns by the other."""
        n = len(self.sizes)
        return View(
            self.sizes + columns.sizes,
            self.cells + tuple([n + d for d in columns.cells]),
            self.tokens + tuple([n + d for d in columns.tokens]),
        )


@dataclass(frozen=True, eq=False)
class Side:
    """The queries, or the keys, of alike cells: their numbers, (cells, n); a view too where there are no others."""

    index: Tensor
    cells: int
    tokens: int  # of a cell
    view: View | None

    @classmethod
    def of(cls, index: Tensor, view: View | None) -> "Side":
        cells, tokens = index.shape
        return cls(index, cells, tokens, view)


@dataclass(frozen=True, eq=False)
class Kind:
    """Alike cells: the queries and the keys of each, and the places of both in the first.

    Numbers rather than properties and objects: a compiler reads them off a constant.
    """

    queries: Side
    keys: Side
    key: Any  # of the places
    count: Count
    num_queries: Count
    num_keys: Count

    @classmethod
    def of(cls, queries: Side, keys: Side, places: Places) -> "Kind":
        return cls(queries, keys, places.key, queries.cells, queries.tokens, keys.tokens)


@dataclass(frozen=True, eq=False)
class Folded:
    """All kinds of cells, and where each query lies when their rows stand one kind after the other.

    `order` is None where one kind is all there is; it has `num_rows` where a query has no key in its cell.
    """

    kinds: tuple[Kind, ...]
    order: Tensor | None
    num_rows: int


def fold(cells: tuple[tuple[Cell, ...], ...], places: Places) -> Folded:
    """The cells that all these masks leave, those alike together; cells without a query or a key are left out."""
    numbers = tuple([tuple([(cell.size, cell.shift, cell.residue) for cell in axes]) for axes in cells])
    key = _fixed(places.key)
    return _traced(numbers, key) if torch.compiler.is_compiling() else _folded(numbers, key)


def _fixed(key: Any) -> Any:
    """Plain numbers, also where a compiler would keep them open: every size has cells of its own."""
    return tuple([_fixed(part) for part in key]) if isinstance(key, tuple) else fixed(key)


def _folded(numbers: Any, key: Any) -> Folded:
    """By numbers alone, kept for the next call."""
    cells = tuple([tuple([Cell(*cell) for cell in axes]) for axes in numbers])
    with without_modes():  # indices are numbers, whatever the tensors are
        return recall(("cells", numbers, key), lambda: _made(cells, Places.of_key(key)))


def _traced(numbers: Any, key: Any) -> Folded:
    """The same for a compiler, which is told the numbers as constants, and gets the indices from an operator."""
    text, kinds, has_order, num_rows = described(numbers, key)
    tensors = _indices(torch.empty(0, device=CPU), text)
    found = []
    for n, (view_q, view_k, places, count, num_queries, num_keys) in enumerate(kinds):
        queries = Side(tensors[2 * n], count, num_queries, None if view_q is None else View(*view_q))
        keys = Side(tensors[2 * n + 1], count, num_keys, None if view_k is None else View(*view_k))
        found.append(Kind(queries, keys, places, count, num_queries, num_keys))
    return Folded(tuple(found), tensors[2 * len(kinds)] if has_order else None, num_rows)


def described(numbers: Any, key: Any) -> tuple[str, tuple[Any, ...], bool, int]:
    """The cells as plain numbers; the first says which they are."""
    found = _folded(numbers, key)
    kinds = [
        (_plain(kind.queries.view), _plain(kind.keys.view), kind.key, kind.count, kind.num_queries, kind.num_keys)
        for kind in found.kinds
    ]
    return repr((numbers, key)), tuple(kinds), found.order is not None, found.num_rows


mark_constant(described)


def _plain(view: View | None) -> tuple[tuple[int, ...], ...] | None:
    return None if view is None else (view.sizes, view.cells, view.tokens)


@torch.library.custom_op("regard::cells", mutates_args=())
def _indices(like: Tensor, text: str) -> list[Tensor]:
    """The numbers of the queries and of the keys of every kind of cell, and where there is one, the order."""
    return [index.clone() for index in _all_indices(text)]


@_indices.register_fake
def _(like: Tensor, text: str) -> list[Tensor]:
    return [like.new_empty(index.shape, dtype=index.dtype) for index in _all_indices(text)]


def _all_indices(text: str) -> list[Tensor]:
    found = _folded(*ast.literal_eval(text))
    indices = [side.index for kind in found.kinds for side in (kind.queries, kind.keys)]
    return indices if found.order is None else [*indices, found.order]


def _made(cells: tuple[tuple[Cell, ...], ...], places: Places) -> Folded:
    axes = [list(_alike([parts[axis] for parts in cells], places.axis(axis, cells))) for axis in range(places.num_axes)]
    if len(axes) == 1:
        return _ordered(axes[0], places.queries.count)
    queries, keys = places.queries, places.keys
    assert isinstance(queries, Grid)
    assert isinstance(keys, Grid)
    kinds = [_product(rows, columns, queries.w, keys.w) for rows in axes[0] for columns in axes[1]]
    return _ordered(kinds, queries.count)


def _ordered(kinds: list[Kind], T: int) -> Folded:
    if len(kinds) == 1 and kinds[0].queries.view is not None:
        return Folded(tuple(kinds), None, T)
    rows = torch.cat(
        [kind.queries.index.flatten() for kind in kinds] or [torch.empty(0, dtype=torch.int64, device=CPU)]
    )
    order = torch.full((T,), len(rows), device=CPU)
    order[rows] = torch.arange(len(rows), device=CPU)
    # Rows stand cell after cell, so a view, which puts them in order itself, is of no use among several kinds.
    kinds = [Kind.of(Side.of(kind.queries.index, None), kind.keys, Places.of_key(kind.key)) for kind in kinds]
    return Folded(tuple(kinds), order, len(rows))


def _alike(cells: list[Cell], line: Places) -> Iterator[Kind]:
    """The cells along one axis, by how many queries and keys they hold and how these lie to each other."""
    queries, keys = line.line(cells)
    both = torch.cat([_places(side) for side in (queries, keys)])
    ids = _numbered([cell.number(both) for cell in cells])
    q, k = _gathered(ids[: queries.n]), _gathered(ids[queries.n :])
    match = torch.searchsorted(k.ids, q.ids).clamp(max=len(k.ids) - 1)
    met = (k.ids[match] == q.ids).nonzero()[:, 0]  # cells of queries that have keys
    match = match[met]
    offset = keys.start + keys.step * k.first[match] - queries.start - queries.step * q.first[met]
    facts = [q.num_tokens[met], k.num_tokens[match], offset, queries.step * q.step[met], keys.step * k.step[match]]
    kinds = _numbered(facts)
    for kind in kinds.unique().tolist():
        own = (kinds == kind).nonzero()[:, 0]
        n, m, shift, step_q, step_k = (int(fact[own[0]]) for fact in facts)
        side_q, side_k = _side(q.tokens(met[own], n), queries.n), _side(k.tokens(match[own], m), keys.n)
        yield Kind.of(side_q, side_k, Places(Sequence(n, 0, step_q), Sequence(m, shift, step_k)))


def _places(side: Sequence) -> Tensor:
    return side.at(0, torch.arange(side.n, device=CPU))


def _numbered(columns: list[Tensor]) -> Tensor:
    """A number for every row of these columns, the same for equal rows."""
    numbers = torch.zeros_like(columns[0])
    for column in columns:
        found, inverse = column.unique(return_inverse=True)
        numbers = (numbers * len(found) + inverse).unique(return_inverse=True)[1]
    return numbers


class Gathered(NamedTuple):
    """The tokens of one side, cell after cell; of each cell its number, how many, the first, and how far apart."""

    ids: Tensor
    num_tokens: Tensor
    first: Tensor
    step: Tensor
    order: Tensor
    begin: Tensor

    def tokens(self, cells: Tensor, n: int) -> Tensor:
        """Those of some cells, all of n tokens: (cells, n)."""
        return self.order[self.begin[cells][:, None] + torch.arange(n, device=CPU)]


def _gathered(ids: Tensor) -> Gathered:
    order = ids.argsort(stable=True)
    cells, count = ids[order].unique_consecutive(return_counts=True)
    begin = count.cumsum(0) - count
    first, second = order[begin], order[(begin + 1).clamp(max=len(order) - 1)]
    return Gathered(cells, count, first, torch.where(count > 1, second - first, 1), order, begin)


def _side(index: Tensor, total: int) -> Side:
    """These cells, with a view where they are runs that fill the line, or take turns in filling it."""
    cells, n = index.shape
    everything = torch.arange(total, device=CPU)
    if cells * n == total and torch.equal(index, everything.view(cells, n)):
        return Side.of(index, View((cells, n), (0,), (1,)))
    if cells * n == total and torch.equal(index, everything.view(n, cells).T):
        return Side.of(index, View((n, cells), (1,), (0,)))
    return Side.of(index, None)


def _product(rows: Kind, columns: Kind, width_q: int, width_k: int) -> Kind:
    """Cells of a grid: each of the rows with each of the columns."""
    (rows_q, rows_k), (columns_q, columns_k) = (Places.of_key(part.key).line(part) for part in (rows, columns))
    return Kind.of(
        _joined(rows.queries, columns.queries, width_q),
        _joined(rows.keys, columns.keys, width_k),
        Places(_grid(rows_q, columns_q), _grid(rows_k, columns_k)),
    )


def _joined(rows: Side, columns: Side, width: int) -> Side:
    tokens = width * rows.index[:, None, :, None] + columns.index[None, :, None, :]  # (cells, cells, n, m)
    view = None if rows.view is None or columns.view is None else rows.view.beside(columns.view)
    return Side.of(tokens.flatten(2).flatten(0, 1), view)


def _grid(rows: Sequence, columns: Sequence) -> Grid:
    assert not isinstance(rows.start, Tensor)
    assert not isinstance(columns.start, Tensor)
    return Grid(rows.n, columns.n, (rows.start, columns.start), (rows.step, columns.step))


def take(side: Side, x: Tensor) -> Tensor:
    """The tokens of every cell, (B, G, S, D) → (B·cells, G, n, D)."""
    B, G, _, D = x.shape
    cells, n = side.cells, side.tokens
    if side.view is None:
        parts = x.index_select(2, side.index.to(x.device).flatten()).unflatten(2, (cells, n)).transpose(1, 2)
    else:
        x = x.unflatten(2, side.view.sizes)
        order = (0, *[2 + d for d in side.view.cells], 1, *[2 + d for d in side.view.tokens], x.ndim - 1)
        parts = x.permute(order)
    return parts.reshape(B * cells, G, n, D)


def put(side: Side, part: Tensor, B: int) -> Tensor:
    """The inverse of `take`, (B·cells, H, n, E) → (B, H, T, E); without a view, cell after cell."""
    H, E = part.shape[1], part.shape[3]
    if side.view is None:
        return part.unflatten(0, (B, -1)).transpose(1, 2).flatten(2, 3)
    sizes, cells, tokens = side.view.sizes, side.view.cells, side.view.tokens
    part = part.reshape(B, *[sizes[d] for d in cells], H, *[sizes[d] for d in tokens], E)
    # Dimension d of the unfolded tokens lies behind B among the cells, or behind B, cells and H among the tokens.
    at = {d: 1 + n for n, d in enumerate(cells)} | {d: 2 + len(cells) + n for n, d in enumerate(tokens)}
    order = (0, 1 + len(cells), *[at[d] for d in range(len(sizes))], part.ndim - 1)
    return part.permute(order).reshape(B, H, side.cells * side.tokens, E)


def put_all(folded: Folded, parts: list[Tensor], B: int, H: int, T: int, like: Tensor, empty: float) -> Tensor:
    """The rows of all cells as (B, H, T, E), `empty` where there is none; `like` tells the type."""
    if folded.order is None:
        return put(folded.kinds[0].queries, parts[0], B)
    rows = [put(kind.queries, part, B) for kind, part in zip(folded.kinds, parts, strict=True)]
    if folded.num_rows < T:
        rows.append(like.new_full((B, H, 1, like.shape[-1]), empty))
    return torch.cat(rows, 2).index_select(2, folded.order.to(like.device))


def symbolic_kinds(cells: list[tuple[Cell, ...]], places: Places) -> tuple[Kind, ...]:
    """The one kind of cells that there is where sizes are symbols that cells of one mask fill."""
    nothing = Side.of(torch.empty(0, 0, device=CPU), None)
    count, sizes = 1, []
    for axis in range(places.num_axes):
        queries, keys = places.axis(axis, cells).line(cells)
        inner = (queries.n, keys.n)
        for cell in [parts[axis] for parts in cells]:
            number = 1 if cell.size == 0 else cell.size if cell.residue else inner[0] / cell.size
            count, inner = count * number, (inner[0] / number, inner[1] / number)
        sizes.append(inner)
    lines = [(Sequence(n), Sequence(m)) for n, m in sizes]
    if len(lines) == 1:
        key = Places(*lines[0]).key
    else:
        key = Places(*[_grid(rows, columns) for rows, columns in zip(*lines, strict=True)]).key
    num_queries, num_keys = (math.prod(side) for side in zip(*sizes, strict=True))
    return (Kind(nothing, nothing, key, count, num_queries, num_keys),)
