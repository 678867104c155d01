"""Content plus gaussian positions, as plain attention with a few more coordinates.

    −(p − u)ᵀ M (p − u)  =  −pᵀMp + 2 (Mu)ᵀ p − uᵀMu          p: the key's place, u: the query's place plus the centre

is a dot product of numbers of the query, (−M, 2Mu, −uᵀMu), with monomials of the key's place, (p pᵀ, p, 1). The last
term is the same for all keys: the softmax drops it, and another in its place makes the large numbers cancel, the one
for which the logit is zero at the place c among the keys nearest to u: cᵀMc − 2uᵀMc. Places are counted from the
middle of the keys, and numbers that a type cannot hold are split into pieces that it can.
"""

import functools
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from regard.algorithms.content import fused
from regard.algorithms.planning.cost import Cost, kept, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Attention, Content, Places, Quadratic, Softmax
from regard.attention.eager import is_eager, may_keep

NAME = "augmented"
PIECES = {torch.bfloat16: 3, torch.float32: 2, torch.float64: 2}  # of a query's number
FAR = 512.0  # squared distance from the middle up to which float32 sums give a precision's gradient to five digits


DIGITS = 16  # of a monomial: with the eight of a query's number they fill the 24 of float32
Column = tuple[int, int, int]  # a monomial, a piece of the query's number, a piece of the key's


def refuses(problem: Problem) -> str | None:
    attention = problem.attention
    if not isinstance(attention.weighting, Softmax):
        return f"computes a softmax, not {type(attention.weighting).__name__}()"
    terms = attention.biases
    if attention.content is None or not terms or not all([isinstance(term, Quadratic) for term in terms]):
        return "scores content plus Quadratic"
    if not problem.places.is_static:
        return "takes positions that are the same in every row"
    if problem.masks and not fused.starts_causal(problem.masks, problem.places):
        return "takes no mask but Causal() with the first query at the first key"
    if problem.return_lse:
        return "sdpa returns no log-sum-exp"
    if problem.dropout and not problem.on_cuda:
        return "sdpa with dropout is quadratic in memory on the CPU"
    if problem.dtype not in PIECES:
        return "squared places leave the range of float16"
    if problem.on_cuda and problem.dtype == torch.float64:
        return "no CUDA kernel of sdpa takes float64"
    digits = max(_bits(_kind([term for term in terms if isinstance(term, Quadratic)]), problem.places))
    if problem.dtype != torch.float64 and digits > DIGITS:
        return (
            f"places so far apart have squares of {digits} binary digits, and sums in float32 cancel {DIGITS} exactly"
        )
    return _refuses_gradients(problem)


def _refuses_gradients(problem: Problem) -> str | None:
    """A gradient is a small difference of the gradients of large coordinates, rounded by the kernel."""
    if not problem.bias_backward or problem.dtype == torch.float64:
        return None
    learnt = any([isinstance(term, Quadratic) and term.precision.requires_grad for term in problem.attention.biases])
    if problem.dtype == torch.bfloat16 and learnt:
        return "the gradient of a precision would be rounded to bfloat16 before it cancels"
    if problem.dtype == torch.float32 and learnt and _radius_squared(problem.places) > FAR:
        return f"the gradient of a precision would cancel in float32 beyond {FAR:g} squared pixels from the middle"
    return None


def _radius_squared(places: Places) -> float:
    """The largest squared distance of a key from the middle."""
    return sum([((_last(places, axis)) / 2) ** 2 for axis in range(places.num_axes)])


def _last(places: Places, axis: int) -> int:
    keys = places.axis(axis, NAME).keys
    assert not isinstance(keys.step, tuple)
    return keys.step * (keys.count - 1)


def num_coordinates(problem: Problem) -> int:
    """Columns added to queries and keys."""
    terms = [term for term in problem.attention.biases if isinstance(term, Quadratic)]
    return _padded(len(_columns(_kind(terms), problem.places, problem.dtype)), problem.shape.D, problem.on_cuda)


def _columns(kind: str, places: Places, dtype: torch.dtype) -> list[Column]:
    """Which monomial, piece of the query's number and piece of the key's number each column holds, largest first."""
    columns = []
    for number, bits in enumerate(_bits(kind, places)):
        key_pieces = -(-bits // 8) if dtype == torch.bfloat16 else 1
        columns += [
            (number, a, b) for a in range(PIECES[dtype]) for b in range(key_pieces) if a + b < max(3, PIECES[dtype])
        ]
    return sorted(columns, key=lambda column: column[1] + column[2])


def _bits(kind: str, places: Places) -> list[int]:
    """Binary digits of each monomial's largest value; places are multiples of a half."""
    ends = [max(1, _last(places, axis)) for axis in range(places.num_axes)]  # twice the largest place
    if kind == "isotropic":
        squares = [sum([end * end for end in ends])]
    else:
        squares = [end * end for end in ends] + ([ends[0] * ends[1]] if kind == "full" and len(ends) == 2 else [])
    return [*[square.bit_length() for square in squares], *[end.bit_length() for end in ends], 1]


def _kind(terms: list[Quadratic]) -> str:
    return ("isotropic", "diagonal", "full")[max([term.precision.ndim for term in terms]) - 1]


def _padded(count: int, width: int, on_cuda: bool) -> int:
    """On the GPU kernels want a total width that sixteen divides."""
    return -(-(width + count) // 16) * 16 - width if on_cuda else count


def cost(problem: Problem) -> Cost:
    """Plain attention at a larger width, and one pass to widen queries and keys."""
    shape = problem.shape
    extra = num_coordinates(problem)
    width = shape.D + extra
    widened = problem.item * shape.B * (shape.H * shape.T + shape.G * shape.S) * (shape.D + width)
    return Cost(
        flops=products(visited(problem), width, shape.E, problem.backward, recompute=True),
        bytes=traffic(shape, problem.item, problem.backward) + widened * (3 if problem.backward else 1),
        memory=kept(shape, problem.item, problem.backward) + widened * (2 if problem.backward else 1),
        launches=140 if problem.backward else 60,
    )


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    T, S, D = q.shape[2], k.shape[2], q.shape[3]
    content = attention.content
    assert content is not None
    attention = attention.on(q.device)
    places = attention.places(T, S)
    terms = [term for term in attention.biases if isinstance(term, Quadratic)]
    scale = content.scale(D)
    sizes = (_kind(terms), q.dtype, D, scale, q.device)
    static = _kept_static(places.key, *sizes) if may_keep(q) else _static(places, *sizes)
    on_queries = _query_columns(terms, static, q.dtype)  # (H, T, columns)
    wide_q = _widened(on_queries[None], q)
    wide_k = _widened(static.on_keys[None, None], k)
    plain = Attention(Content(scale), attention.mask, None, attention.queries, attention.keys)
    return fused.run(wide_q, wide_k, v, plain, dropout=dropout, return_lse=return_lse)


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
    def forward(ctx: Any, columns: Tensor, x: Tensor) -> Tensor:
        ctx.shape, ctx.exact = columns.shape, columns.dtype
        count = columns.shape[3]
        wide = x.new_empty(*x.shape[:3], count + x.shape[3])
        wide[..., :count] = columns
        wide[..., count:] = x
        return wide

    @staticmethod
    @once_differentiable
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


def _static(places: Places, kind: str, dtype: torch.dtype, width: int, scale: float, device: torch.device) -> Static:
    queries, keys = _from_middle(places, device)
    squares = keys * keys
    if kind == "isotropic":
        squares = squares.sum(-1, keepdim=True)
    elif kind == "full" and keys.shape[1] == 2:
        squares = torch.cat((squares, keys[:, :1] * keys[:, 1:]), -1)
    monomials = torch.cat((squares, keys, torch.ones_like(keys[:, :1])), -1)
    columns = _columns(kind, places, dtype)
    blanks = _padded(len(columns), width, device.type == "cuda") - len(columns)
    pieces = _pieces(monomials, 3, dtype)
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


@functools.lru_cache(maxsize=64)
def _kept_static(key: Any, kind: str, dtype: torch.dtype, width: int, scale: float, device: torch.device) -> Static:
    with torch.inference_mode(False):  # training may come later
        return _static(Places.of_key(key), kind, dtype, width, scale, device)


def _from_middle(places: Places, device: torch.device) -> tuple[Tensor, Tensor]:
    """Places of the queries (T, P) and of the keys (S, P), from the middle of the keys, in float64."""
    sides = []
    for side in (places.queries, places.keys):
        place = side.at(0, torch.arange(side.count, device=device))
        axes = []
        for axis, x in enumerate(place if isinstance(place, tuple) else (place,)):
            first = places.axis(axis, NAME).line(NAME)[1].at(0, 0)
            axes.append(x.double() - (first + _last(places, axis) / 2))
        sides.append(torch.stack(axes, -1))
    return sides[0], sides[1]


def _query_columns(terms: list[Quadratic], static: Static, dtype: torch.dtype) -> Tensor:
    """The pieces of every query's numbers, (H, T, columns)."""
    numbers = _numbers(terms[0], static, _kind(terms))
    for term in terms[1:]:
        numbers = numbers + _numbers(term, static, _kind(terms))
    pieces = _pieces(numbers * static.factors, PIECES[dtype], dtype)
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


def _pieces(x: Tensor, count: int, dtype: torch.dtype) -> list[Tensor]:
    """Numbers of this type that add up to x. In a wide type the first has eight digits: its products are exact."""
    pieces = []
    for n in range(count):
        first = dtype != torch.bfloat16 and n == 0 and count == 2
        piece = (x.bfloat16() if first else x).to(dtype)
        pieces.append(piece)
        x = x - piece if n + 1 < count else x
    return pieces
