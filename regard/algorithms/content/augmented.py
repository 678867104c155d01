"""Content plus gaussian positions, as plain attention with a few more coordinates.

    −(p − u)ᵀ M (p − u)  =  −pᵀMp + 2 (Mu)ᵀ p − uᵀMu          p: the key's place, u: the query's place plus the centre

is a dot product of numbers of the query, (−M, 2Mu, −uᵀMu), with monomials of the key's place, (p pᵀ, p, 1). The last
term is the same for all keys: the softmax drops it, and another in its place makes the large numbers cancel, the one
for which the logit is zero at the place c among the keys nearest to u: cᵀMc − 2uᵀMc. Places are counted from the
middle of the keys.

What cancels is as large as M times the squared distance of a place from the middle, and a library adds in an order of
its own: the error is that many roundings of the type in which it adds. A bfloat16 kernel adds in float32, and is given
numbers in pieces of eight digits, whose products are exact: what is lost is less than a rounding of bfloat16. In wider
types it would not be, and `blockwise` adds the logits of positions in another way.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.algorithms.content.fused import refuses_kernel, run_kernel
from regard.algorithms.planning.algorithm import Algorithm, refuses_softmax, told
from regard.algorithms.planning.cost import Cost, kept, products, traffic
from regard.algorithms.planning.kept import recall
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Places, Quadratic
from regard.attention.eager import given, is_eager, once
from regard.attention.positions.sizes import fixed, is_symbol

PIECES = 3  # of a query's number
DIGITS = 15  # of a squared place: with the eight of a piece they nearly fill the 24 of what is added
Column = tuple[int, int, int]  # a monomial, a piece of the query's number, a piece of the key's


class Augmented(Algorithm):
    """A kernel of sdpa at a larger width."""

    name = "augmented"
    any_length = False  # how many columns there are depends on it

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if (
            problem.attention.content is None
            or not problem.terms
            or not all([term.quadratic for term in problem.terms])
        ):
            return "needs Content() + Quadratic(…)"
        if not problem.places.is_static:
            return "takes positions that are the same in every row"
        reason = refuses_kernel(problem)
        if reason is not None:
            return reason
        if problem.dtype == torch.float16:
            return "squared places leave the range of float16"
        if problem.dtype != torch.bfloat16:
            return told("squares cancel: {} needs sums in a wider type than the kernel has", problem.dtype)
        digits = max(_bits(_kind(problem), problem.places))
        if digits > DIGITS:
            return told(
                "places so far apart have squares of {} binary digits, and sums cancel {} well enough", digits, DIGITS
            )
        learnt = problem.bias_backward and any([term.precision.requires_grad for term in _quadratics(problem)])
        if problem.bias_backward and problem.masks:
            return "the gradient of a centre is exact to bfloat16 where every query sees every key"
        if learnt:
            return "the gradient of a precision would be rounded to bfloat16 before it cancels"
        return None

    def cost(self, problem: Problem) -> Cost:
        """Plain attention at a larger width, and one pass to widen queries and keys."""
        shape = problem.shape
        item = problem.item
        width = shape.D + num_coordinates(problem)
        widened = item * shape.B * (shape.H * shape.T + shape.G * shape.S) * (shape.D + width)
        return Cost(
            flops=products(visited(problem), width, shape.E, problem.backward, recompute=True),
            bytes=traffic(shape, item, problem.backward) + widened * (3 if problem.backward else 1),
            memory=kept(shape, item, problem.backward) + widened * (2 if problem.backward else 1),
            launches=140 if problem.backward else 60,
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        places = problem.places
        sizes = (_kind(problem), q.shape[3], problem.beta, q.device)
        static = recall(("augmented", places.key, *sizes), lambda: _static(places, *sizes))
        on_queries = _query_columns(_quadratics(problem), static, _kind(problem))  # (H, T, columns)
        wide_q = _widened(on_queries[None], q)
        wide_k = _widened(static.on_keys[None, None], k)
        return run_kernel(problem, wide_q, wide_k, v, problem.beta), None


def _quadratics(problem: Problem) -> list[Quadratic]:
    """The terms, which say of themselves that their centre and precision are all."""
    return list(problem.attention.biases)  # pyright: ignore[reportReturnType]


def _kind(problem: Problem) -> str:
    """The most general of the terms."""
    kinds = [term.quadratic for term in problem.terms]
    return "full" if "full" in kinds else "diagonal" if "diagonal" in kinds else "isotropic"


def _last(places: Places, axis: int) -> int:
    keys = places.axis(axis, Augmented.name).keys
    assert not isinstance(keys.step, tuple)
    return keys.step * (keys.count - 1)


def num_coordinates(problem: Problem) -> int:
    """Columns added to queries and keys."""
    columns = _columns(_kind(problem), problem.places)
    return _padded(len(columns), problem.shape.D, problem.on_cuda)


def _columns(kind: str, places: Places) -> list[Column]:
    """Which monomial, piece of the query's number and piece of the key's number each column holds, largest first."""
    columns = []
    for number, bits in enumerate(_bits(kind, places)):
        columns += [(number, a, b) for a in range(PIECES) for b in range(-(-bits // 8)) if a + b < PIECES]
    return sorted(columns, key=lambda column: column[1] + column[2])


def _bits(kind: str, places: Places) -> list[int]:
    """Binary digits of each monomial's largest value; places are multiples of a half."""
    # Twice the largest place; symbols count as grids of 128 pixels a side.
    lasts = [_last(places, axis) for axis in range(places.num_axes)]
    ends = [127 if is_symbol(last) else max(1, fixed(last)) for last in lasts]
    if kind == "isotropic":
        squares = [sum([end * end for end in ends])]
    else:
        squares = [end * end for end in ends] + ([ends[0] * ends[1]] if kind == "full" and len(ends) == 2 else [])
    return [*[square.bit_length() for square in squares], *[end.bit_length() for end in ends], 1]


def _padded(count: int, width: int, on_cuda: bool) -> int:
    """On the GPU kernels want a total width that sixteen divides."""
    return -(-(width + count) // 16) * 16 - width if on_cuda else count


def _widened(columns: Tensor, x: Tensor) -> Tensor:
    """The columns, the same for every row, before those of x: large numbers first, so that they cancel first."""
    if not is_eager(x):
        return torch.cat((columns.expand(*x.shape[:3], -1), x), -1)
    wide = _Widened.apply(columns, x)
    assert isinstance(wide, Tensor)
    return wide


class _Widened(torch.autograd.Function):
    """Two copies into place, where a concatenation would first write out the columns for every row."""

    @staticmethod
    @given
    def forward(ctx: Any, columns: Tensor, x: Tensor) -> Tensor:
        ctx.shape = columns.shape
        count = columns.shape[3]
        wide = x.new_empty(*x.shape[:3], count + x.shape[3])
        wide[..., :count] = columns
        wide[..., count:] = x
        return wide

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        count = ctx.shape[3]
        of_columns = grad[..., :count].sum_to_size(ctx.shape) if ctx.needs_input_grad[0] else None
        return of_columns, grad[..., count:] if ctx.needs_input_grad[1] else None


class Static(NamedTuple):
    """What places alone say, and is therefore kept from call to call."""

    queries: Tensor  # their places from the middle of the keys, (T, P), in float64
    on_keys: Tensor  # the pieces of the keys' monomials, (S, columns)
    factors: Tensor  # by which a query's numbers enter: −1 with squares, 2 with places, −1 with 1, over the scale
    chosen: Tensor  # which piece of which number each column of the queries holds
    edge: Tensor  # the farthest places of the keys, (P,)
    zero: Tensor  # a number for the columns that fill up the width, (T, 1)


def _static(places: Places, kind: str, width: int, scale: float, device: torch.device) -> Static:
    queries, keys = _from_middle(places, device)
    squares = keys * keys
    if kind == "isotropic":
        squares = squares.sum(-1, keepdim=True)
    elif kind == "full" and keys.shape[1] == 2:
        squares = torch.cat((squares, keys[:, :1] * keys[:, 1:]), -1)
    monomials = torch.cat((squares, keys, torch.ones_like(keys[:, :1])), -1)
    columns = _columns(kind, places)
    blanks = _padded(len(columns), width, device.type == "cuda") - len(columns)
    pieces = _pieces(monomials)
    parts = [pieces[b][:, n] for n, _, b in columns] + [torch.zeros_like(pieces[0][:, 0])] * blanks
    factors = [-1.0] * squares.shape[1] + [2.0] * keys.shape[1] + [-1.0, 0.0]
    if kind == "full" and keys.shape[1] == 2:
        factors[2] = -2.0  # the product of two coordinates stands for both corners of the matrix
    count = len(factors)
    chosen = [a * count + n for n, a, _ in columns] + [count - 1] * blanks
    return Static(
        queries,
        torch.stack(parts, -1),
        torch.tensor(factors, dtype=torch.float64, device=device) / scale,
        torch.tensor(chosen, device=device),
        keys.amax(0),
        queries.new_zeros(len(queries), 1),
    )


def _from_middle(places: Places, device: torch.device) -> tuple[Tensor, Tensor]:
    """Places of the queries (T, P) and of the keys (S, P), from the middle of the keys, in float64."""
    sides = []
    for side in (places.queries, places.keys):
        place = side.at(0, torch.arange(side.count, device=device))
        axes = []
        for axis, x in enumerate(place if isinstance(place, tuple) else (place,)):
            first = places.axis(axis, Augmented.name).line(places)[1].at(0, 0)
            axes.append(x.double() - (first + _last(places, axis) / 2))
        sides.append(torch.stack(axes, -1))
    return sides[0], sides[1]


def _query_columns(terms: list[Quadratic], static: Static, kind: str) -> Tensor:
    """The pieces of every query's numbers, (H, T, columns)."""
    numbers = _numbers(terms[0], static, kind)
    for term in terms[1:]:
        numbers = numbers + _numbers(term, static, kind)
    pieces = _pieces(numbers * static.factors)
    return torch.cat(pieces, -1).index_select(-1, static.chosen)


def _numbers(term: Quadratic, static: Static, kind: str) -> Tensor:
    """M, Mu, 2uᵀMc − cᵀMc and 0 for every head and query, (H, T, numbers), in float64."""
    target = static.queries + term.centre[:, None].double()  # u, (H, T, P)
    precision = term.precision.double()
    P = target.shape[2]
    matrix, along = None, precision[:, None] if precision.ndim == 1 else precision
    if precision.ndim == 3:
        matrix = (precision + precision.mT) / 2
        pull = target @ matrix
        corners = [matrix[:, p, p] for p in range(P)] + ([matrix[:, 0, 1]] if P == 2 else [])
        squares = torch.stack(corners, -1)
    else:
        pull = target * along[:, None]
        squares = along if kind == "isotropic" else along.expand(-1, P)
        if kind == "full" and P == 2:
            squares = torch.cat((squares, torch.zeros_like(squares[:, :1])), -1)
    near = torch.minimum(torch.maximum(target.detach(), -static.edge), static.edge)  # c
    near_pull = near @ matrix if matrix is not None else near * along[:, None]
    depth = ((2 * pull - near_pull) * near).sum(-1, keepdim=True)
    H, T = target.shape[:2]
    return torch.cat((squares[:, None].expand(H, T, -1), pull, depth, static.zero.expand(H, T, 1)), -1)


def _pieces(x: Tensor) -> list[Tensor]:
    """Numbers of bfloat16 that add up to x."""
    pieces = []
    for n in range(PIECES):
        pieces.append(x.bfloat16())
        x = x - pieces[-1] if n + 1 < PIECES else x
    return pieces
