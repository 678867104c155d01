"""Score terms of the relative position: gaussian heads, and learned tables over offsets.

Both read the offset δ = key − query alone, so a head attends to the same offset from every query.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.positions.positions import Grid, Places
from regard.attention.positions.reach import readable
from regard.attention.scores.sliding import sliding
from regard.attention.scores.term import Index, Scorer, Shape, Term, TermFacts
from regard.attention.value import show
from regard.checks import check_tensor


@dataclass(frozen=True, eq=False)
class Quadratic(Term):
    """Gaussian heads: `−(δ − Δ_h)ᵀ M_h (δ − Δ_h)`, largest at the offset Δ_h, the head's centre.

    `centre` is (H, P), P = 1 in a line and 2 (row, column) on a grid. `precision` is one number per head (H,), one per
    head and axis (H, P), or a symmetric positive definite matrix per head (H, P, P); with covariance Σ it is Σ⁻¹/2.

    >>> Quadratic(torch.tensor([[0.0, 1.0]]), torch.tensor([2.0]))
    Quadratic(centre=float32[1, 2], precision=float32[1])

    Cordonnier, Loukas, Jaggi, *On the Relationship between Self-Attention and Convolutional Layers*, ICLR 2020: their
    α is our precision, their Δ our centre; they write δ = key − query as we do.
    """

    centre: Float[Tensor, "H P"]
    precision: Float[Tensor, "H ..."]

    def __post_init__(self) -> None:
        centre, precision = self.centre, self.precision
        check_tensor("Quadratic", centre, "a tensor of centres")
        check_tensor("Quadratic", precision, "a tensor of precisions")
        if not (centre.is_floating_point() and precision.is_floating_point()):
            raise ValueError(
                f"centre and precision must be floating point: got {centre.dtype} and {precision.dtype}; use .float()"
            )
        if centre.ndim != 2 or centre.shape[1] not in (1, 2):
            raise ValueError(
                "centre must be (H, 1) for tokens in a line or (H, 2) for a grid: "
                f"got shape {tuple(centre.shape)}; use centre[:, None] or torch.stack((rows, columns), 1)"
            )
        H, P = centre.shape
        if tuple(precision.shape) not in ((H,), (H, P), (H, P, P)):
            raise ValueError(
                f"precision must be (H,), (H, P) or (H, P, P) with H={H}, P={P}: got shape {tuple(precision.shape)}; "
                "give one number, one per axis, or one matrix for each head"
            )

    @property
    def heads(self) -> int:
        return self.centre.shape[0]

    @property
    def num_axes(self) -> int | None:
        return self.centre.shape[1]

    def facts(self) -> TermFacts:
        kind = ("isotropic", "diagonal", "full")[self.precision.ndim - 1]
        return TermFacts(rows=False, positional=True, movable=True, quadratic=kind, finite=True, reads_once=True)

    def check(self, shape: Shape, places: Places) -> None:
        _check_axes(self, places)
        if self.heads != shape.H:
            raise ValueError(
                f"Quadratic needs one centre per head: got {self.heads} for H={shape.H}; use centre of ({shape.H}, P)"
            )
        if readable(self.precision):  # on a GPU a look would wait for it
            check_precision(self.precision)
        centre = self.centre.detach()  # torch looks at no parameter that was made in inference mode, once outside of it
        if readable(centre) and not centre.isfinite().all():
            head = int((~centre.isfinite()).nonzero()[0, 0])
            raise ValueError(
                f"centres must be finite: got {centre[head].tolist()} in head {head}; use a far one, or a mask"
            )

    def along(self, axis: int) -> tuple[Term, ...] | None:
        if self.precision.ndim == 3:
            return None
        precision = self.precision if self.precision.ndim == 1 else self.precision[:, axis]
        return (Quadratic(self.centre[:, axis : axis + 1], precision),)

    def at(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return Quadratic.scorer(self, places)(b, h, i, j)

    def scorer(self, places: Places, shift: bool = False) -> Scorer:
        """Shifted, the logit is zero at the key position nearest to the centre, however far outside that lies.

        x² − y² = (x − y)(x + y) keeps the digits that the difference of two large squares would lose.
        """
        exact = torch.promote_types(torch.promote_types(self.centre.dtype, self.precision.dtype), torch.float32)
        centres = [centre.clone() for centre in self.centre.to(exact).unbind(1)]
        precision = self.precision.to(exact)
        entries = [_along_axis(precision, p).clone() for p in range(len(centres) if precision.ndim > 1 else 1)]
        if self.precision.ndim == 3 and len(centres) == 2:
            entries.append((precision[:, 0, 1] + precision[:, 1, 0]).clone())
        nearest = shift and places.num_axes == 2

        def factors(delta: Any, centre: Any, axis: int, b: Any, i: Any) -> tuple[Any, Any]:
            """X − y and x + y, where x = δ − Δ and y is 0, or the same at the nearest key position."""
            if not nearest:
                return delta - centre, delta - centre
            _, keys = places.axis(axis, self).line(self)
            row = places.queries.at(b, i)[axis]
            best = torch.clamp(centre, keys.at(b, 0) - row, keys.at(b, keys.n - 1) - row)
            return delta - best, delta + best - 2 * centre

        def score(b: Any, h: Any, i: Any, j: Any) -> Any:
            deltas, at = places.offsets(b, i, j, self), [centre[h] for centre in centres]
            pairs = [factors(delta, centre, p, b, i) for p, (delta, centre) in enumerate(zip(deltas, at, strict=True))]
            squares = [less * more for less, more in pairs]
            if len(entries) == 1:
                return -entries[0][h] * (squares[0] if len(squares) == 1 else squares[0] + squares[1])
            total = entries[0][h] * squares[0] + entries[1][h] * squares[1]
            if len(entries) == 2:
                return -total
            return -(total + 0.5 * entries[2][h] * (pairs[0][0] * pairs[1][1] + pairs[1][0] * pairs[0][1]))

        return score

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        deltas = places.offsets(b[:, None, None, None], i[:, None], j, self)
        centre = self.centre[h].double()[:, :, None, None]
        away = [delta - centre[:, p] for p, delta in enumerate(deltas)]
        return self._logit(away, h[:, None, None])

    def whole(self, places: Places, H: int, dtype: torch.dtype, device: torch.device, shift: bool = False) -> Tensor:
        """By axes: the squares are made in rows and in columns alone, and one pass over the pairs adds them."""
        if places.num_axes == 1:
            logits = self._by_axis(0, places, device)
            products = -_along_axis(self.precision.double(), 0)[:, None, None] * logits[0] * logits[1]
            return (products - products.detach().amax(-1, keepdim=True) if shift else products).to(dtype)
        less, more = zip(*[self._by_axis(p, places, device, shift) for p in (0, 1)], strict=True)
        precision = self.precision.double()
        rows, columns = (_along_axis(precision, p)[:, None, None] * less[p] * more[p] for p in (0, 1))
        logits = -_over_pairs(rows.to(dtype), columns.to(dtype), torch.add)
        if self.precision.ndim == 3:
            half = -(precision[:, 0, 1] + precision[:, 1, 0])[:, None, None] / 2
            for one, other in ((less, more), (more, less)) if shift else ():
                logits = logits + _over_pairs((half * one[0]).to(dtype), other[1].to(dtype), torch.mul)
            if not shift:
                logits = logits + _over_pairs((2 * half * less[0]).to(dtype), less[1].to(dtype), torch.mul)
        return logits.flatten(3).flatten(1, 2)

    def _by_axis(self, axis: int, places: Places, device: torch.device, shift: bool = False) -> tuple[Tensor, Tensor]:
        """The factors x − y and x + y of `scorer`, (H, n′, n), in float64."""
        queries, keys = places.axis(axis, self).line(self)
        i, j = (torch.arange(n, device=device) for n in (queries.n, keys.n))
        delta = (keys.at(0, j) - queries.at(0, i)[:, None]).double()
        centre = self.centre[:, axis, None, None].double()
        if not shift:
            return delta - centre, delta - centre
        best = torch.minimum(torch.maximum(centre.detach(), delta[:, :1]), delta[:, -1:])
        return delta - best, delta + best - 2 * centre

    def _logit(self, away: list[Any], h: Any) -> Any:
        """`−xᵀMx` written out over the one or two axes."""
        exact = away[0].dtype
        precision = self.precision.to(exact)
        total = 0.0
        for p, x in enumerate(away):
            if precision.ndim == 3:
                row = [precision[h, p, r] * y for r, y in enumerate(away)]
                term = x * (row[0] if len(row) == 1 else row[0] + row[1])
            else:
                term = (precision[h] if precision.ndim == 1 else precision[h, p]) * x * x
            total = total + term
        return -total

    def __repr__(self) -> str:
        return f"Quadratic(centre={show(self.centre)}, precision={show(self.precision)})"


@dataclass(frozen=True, eq=False)
class RelativeTable(Term):
    """A number for every offset, read from a table whose middle entry is δ = 0.

    In a line the table is (H, 2R+1). On a grid it is (H, 2R+1, 2C+1), rows first; or, with `axis` 0 or 1, (H, 2R+1) for
    the offset in rows or in columns alone. It must cover all offsets that the mask leaves visible. `bound` promises
    |table| ≤ bound, and keeps the promise by clamping: an entry beyond it counts as the bound, without a gradient.

    >>> RelativeTable(torch.zeros(8, 5, 5)).reach
    (2, 2)
    """

    table: Float[Tensor, "H ..."]
    bound: float | int | None = None
    axis: int | None = None

    def __post_init__(self) -> None:
        table = self.table
        check_tensor("RelativeTable", table)
        if not table.is_floating_point():
            raise ValueError(f"a relative table must be floating point: got {table.dtype}; use table.float()")
        if table.ndim not in (2, 3) or not all([size % 2 for size in table.shape[1:]]):
            raise ValueError(
                "a relative table must be (H, 2R+1), or (H, 2R+1, 2C+1) on a grid, with δ = 0 in the middle: "
                f"got shape {tuple(table.shape)}; use odd sizes"
            )
        if self.axis is not None and (type(self.axis) is not int or self.axis not in (0, 1) or table.ndim != 2):
            raise ValueError(
                f"axis is 0 (rows) or 1 (columns) of a grid, for a table (H, 2R+1): got axis={self.axis!r} "
                f"and shape {tuple(table.shape)}; leave it out for a table of whole offsets"
            )
        is_number = isinstance(self.bound, int | float) and not isinstance(self.bound, bool)
        if self.bound is not None and not (is_number and 0 < self.bound < math.inf):
            raise ValueError(f"bound must be positive and finite: got bound={self.bound!r}; None promises nothing")

    @property
    def heads(self) -> int:
        return self.table.shape[0]

    @property
    def num_axes(self) -> int | None:
        return self.table.ndim - 1 if self.axis is None else 2

    def facts(self) -> TermFacts:
        return TermFacts(
            rows=False,
            positional=True,
            movable=True,
            table=True,
            bound=self.bound,
            finite=self.bound is not None,
            reads_once=True,
        )

    @property
    def reach(self) -> tuple[int, ...]:
        """The largest offset in the table, along each of its axes."""
        return tuple([size // 2 for size in self.table.shape[1:]])

    @property
    def bounded(self) -> Tensor:
        """The entries that count."""
        return self.table if self.bound is None else self.table.clamp(-float(self.bound), float(self.bound))

    def check(self, shape: Shape, places: Places) -> None:
        _check_axes(self, places)
        if self.heads != shape.H:
            raise ValueError(
                f"RelativeTable needs one table per head: got {self.heads} for H={shape.H}; use shape ({shape.H}, …)"
            )

    def check_reach(self, needed: tuple[int, ...]) -> None:
        """Raise unless the table covers offsets up to `needed` along each axis of the positions."""
        axes = (self.axis,) if self.axis is not None else tuple(range(len(needed)))
        for reach, axis in zip(self.reach, axes, strict=True):
            if reach < needed[axis]:
                raise ValueError(
                    f"a relative table must cover the visible offsets: got ±{reach} along axis {axis}, where the "
                    f"positions and the mask leave ±{needed[axis]}; use a table of size {2 * needed[axis] + 1}, or a "
                    "mask such as Window or Neighbours that hides the rest"
                )

    def along(self, axis: int) -> tuple[Term, ...] | None:
        if self.axis is None:
            return None
        return (RelativeTable(self.table, self.bound),) if axis == self.axis else ()

    def at(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return RelativeTable.scorer(self, places)(b, h, i, j)

    def scorer(self, places: Places, shift: bool = False) -> Scorer:
        table = self.bounded

        def score(b: Any, h: Any, i: Any, j: Any) -> Any:
            deltas = places.offsets(b, i, j, self)
            if self.axis is not None:
                deltas = (deltas[self.axis],)
            entry = [(delta + reach).clamp(0, 2 * reach) for delta, reach in zip(deltas, self.reach, strict=True)]
            return table[(h, *entry)]

        return score

    def whole(self, places: Places, H: int, dtype: torch.dtype, device: torch.device, shift: bool = False) -> Tensor:
        """By sliding windows over the table, which have a fast gradient where general indexing sorts."""
        axes = range(places.num_axes) if self.axis is None else (self.axis,)
        table = self.bounded.to(dtype)
        sides = [places.axis(axis, self).line(self) for axis in axes]
        for number, (queries, keys) in enumerate(sides):
            first = keys.at(0, 0) - queries.at(0, queries.n - 1)
            last = keys.at(0, keys.n - 1) - queries.at(0, 0)
            entry = (torch.arange(first, last + 1, device=device) + self.reach[number]).clamp(0, 2 * self.reach[number])
            table = table.index_select(1 + number, entry)
        if len(sides) == 2 and all([side.step == 1 for pair in sides for side in pair]):
            counts = [(queries.n, keys.n) for queries, keys in sides]
            return sliding(table, (counts[0][0], counts[1][0]), (counts[0][1], counts[1][1])).flatten(3).flatten(1, 2)
        for number, (queries, keys) in enumerate(sides):
            size = keys.step * (keys.n - 1) + 1
            table = table.unfold(1 + number, size, queries.step)[..., :: keys.step]
        # Windows go on as the queries go back.
        windows = [1 + number for number in range(len(sides))]
        table = table.flip(windows)  # (H, h′, h), or (H, h′, w′, h, w)
        if self.axis is None:
            return table if len(windows) == 1 else table.flatten(3).flatten(1, 2)
        queries, keys = places.queries, places.keys
        assert isinstance(queries, Grid)
        assert isinstance(keys, Grid)
        table = table[:, :, None, :, None] if self.axis == 0 else table[:, None, :, None, :]
        return table.expand(-1, queries.h, queries.w, keys.h, keys.w).flatten(3).flatten(1, 2)

    def __repr__(self) -> str:
        axis = "" if self.axis is None else f", axis={self.axis}"
        bound = "" if self.bound is None else f", bound={self.bound}"
        return f"RelativeTable({show(self.table)}{bound}{axis})"


def check_precision(precision: Tensor) -> None:
    """Raise unless every head's precision is positive, or positive definite as a matrix."""
    precision = precision.detach()
    if precision.ndim < 3:
        wrong = ~(precision > 0) | ~precision.isfinite()  # NaN is not positive either
        if wrong.any():
            head = int(wrong.nonzero()[0, 0])
            raise ValueError(
                f"precision must be positive: got {precision[head].tolist()} in head {head}; "
                "keep it so by learning its logarithm"
            )
        return
    matrix = precision.double()
    skew = (matrix - matrix.mT).abs().amax((1, 2)) > 1e-5 * matrix.abs().amax((1, 2))
    # As good as the type can say: rounding may leave a matrix of large and small widths with an eigenvalue of 0.
    slack = 4 * torch.finfo(precision.dtype).eps * matrix.diagonal(dim1=1, dim2=2).abs().amax(1)
    padded = (matrix + matrix.mT) / 2 + slack[:, None, None] * torch.eye(
        matrix.shape[1], dtype=matrix.dtype, device=matrix.device
    )
    failed = torch.linalg.cholesky_ex(torch.nan_to_num(padded)).info != 0
    wrong = skew | failed | ~matrix.isfinite().all(2).all(1)
    if wrong.any():
        head = int(wrong.nonzero()[0, 0])
        why = "symmetric" if bool(skew[head]) else "positive definite"
        raise ValueError(
            f"a matrix of precision must be {why}: got {precision[head].tolist()} in head {head}; "
            "use L @ L.mT of an invertible L"
        )


def _along_axis(precision: Tensor, axis: int) -> Tensor:
    """The precision along one axis, (H,)."""
    if precision.ndim == 1:
        return precision
    return precision[:, axis] if precision.ndim == 2 else precision[:, axis, axis]


def _over_pairs(rows: Tensor, columns: Tensor, join: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """(H, h′, h) and (H, w′, w) joined over all pairs of pixels, (H, h′, w′, h, w)."""
    return join(rows[:, :, None, :, None], columns[:, None, :, None, :])


def _check_axes(term: Term, places: Places) -> None:
    if places.num_axes == term.num_axes:
        return
    use = "Grid" if term.num_axes == 2 else "Sequence"
    raise ValueError(
        f"{term!r} is for {use} positions: got queries={places.queries!r}, keys={places.keys!r}; "
        f"give queries and keys as {use}, or the term {places.num_axes} axes"
    )
