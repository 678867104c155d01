"""Content plus gaussian positions, as plain attention with a few more coordinates.

    −(p − u)ᵀ M (p − u)  =  −pᵀMp + 2 (Mu)ᵀ p − uᵀMu          p: the key's place, u: the query's place plus the centre

is a dot product of numbers of the query, (−M, 2Mu, −uᵀMu), with monomials of the key's place, (p pᵀ, p, 1). The last
term is the same for all keys: the softmax drops it, and it is kept because with it the large numbers cancel. Places are
counted from the middle of the keys, and numbers that a type cannot hold are split into pieces that it can.
"""

import torch
from torch import Tensor

from regard.algorithms import fused
from regard.algorithms.cost import Cost, kept, products, traffic
from regard.algorithms.problem import Problem
from regard.algorithms.visits import visited
from regard.attention import Attention, Content, Hard, Places, Quadratic

NAME = "augmented"
PIECES = {torch.bfloat16: 3, torch.float32: 2, torch.float64: 1}  # of a query's number
FAR = 64.0  # squared distance up to which float32 sums give the gradient of a precision to all its digits


def refuses(problem: Problem) -> str | None:
    attention = problem.attention
    if isinstance(attention.weighting, Hard):
        return "computes a softmax, not Hard()"
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
    return _refuses_gradients(problem)


def _refuses_gradients(problem: Problem) -> str | None:
    """A gradient is a small difference of the gradients of large coordinates, rounded by the kernel."""
    if not problem.bias_backward or problem.dtype == torch.float64:
        return None
    learnt = any([isinstance(term, Quadratic) and term.precision.requires_grad for term in problem.attention.biases])
    if problem.dtype == torch.bfloat16 and learnt:
        return "the gradient of a precision would be rounded to bfloat16 before it cancels"
    if problem.dtype == torch.float32 and _radius_squared(problem.places) > FAR:
        return f"the gradients of centres and precisions would cancel in float32 beyond {FAR:g} squared pixels"
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
    return _padded(len(_columns(terms, problem.places, problem.dtype)), problem.shape.D, problem.on_cuda)


def _columns(terms: list[Quadratic], places: Places, dtype: torch.dtype) -> list[tuple[int, int, int]]:
    """Which monomial, piece of the query's number and piece of the key's number each column holds, largest first."""
    columns = []
    for number, bits in enumerate(_bits(terms, places)):
        key_pieces = -(-bits // 8) if dtype == torch.bfloat16 else 1
        columns += [
            (number, a, b) for a in range(PIECES[dtype]) for b in range(key_pieces) if a + b < max(3, PIECES[dtype])
        ]
    return sorted(columns, key=lambda column: column[1] + column[2])


def _bits(terms: list[Quadratic], places: Places) -> list[int]:
    """Binary digits of each monomial's largest value; places are multiples of a half."""
    ends = [max(1, _last(places, axis)) for axis in range(places.num_axes)]  # twice the largest place
    kind = _kind(terms)
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
    B, H, T, D = q.shape
    G, S = k.shape[1:3]
    content = attention.content
    assert content is not None
    attention = attention.on(q.device)
    places = attention.places(T, S)
    terms = [term for term in attention.biases if isinstance(term, Quadratic)]
    scale = content.scale(D)
    numbers, monomials = _expansion(terms, places, q.device)
    numbers = [number / scale for number in numbers]  # the kernel scales them again
    columns = _columns(terms, places, q.dtype)
    query_pieces = [_pieces(number, PIECES[q.dtype], q.dtype) for number in numbers]
    key_pieces = [_pieces(monomial, 3, k.dtype) for monomial in monomials]
    blanks = _padded(len(columns), D, q.is_cuda) - len(columns)
    on_queries = [query_pieces[n][a].expand(H, T) for n, a, _ in columns]
    on_keys = [key_pieces[n][b] for n, _, b in columns]
    on_queries += [q.new_zeros(()).expand(H, T)] * blanks
    on_keys += [k.new_zeros(()).expand(S)] * blanks
    wide_q = torch.cat((torch.stack(on_queries, -1).expand(B, -1, -1, -1), q), -1)  # large numbers first: they cancel
    wide_k = torch.cat((torch.stack(on_keys, -1).expand(B, G, -1, -1), k), -1)
    plain = Attention(Content(scale), attention.mask, None, attention.queries, attention.keys)
    return fused.run(wide_q, wide_k, v, plain, dropout=dropout, return_lse=return_lse)


def _expansion(terms: list[Quadratic], places: Places, device: torch.device) -> tuple[list[Tensor], list[Tensor]]:
    """Numbers of the queries, (H, 1) or (H, T), and monomials of the keys, (S,), in float64; the logit is their product.

    The monomials are squares and products of coordinates, the coordinates, and one.
    """
    P = places.num_axes
    middle = [places.axis(axis, NAME).line(NAME)[1].at(0, 0) + _last(places, axis) / 2 for axis in range(P)]
    i, j = (torch.arange(side.count, device=device) for side in (places.queries, places.keys))
    query = [x.double() - m for x, m in zip(_at(places.queries.at(0, i)), middle, strict=True)]
    key = [x.double() - m for x, m in zip(_at(places.keys.at(0, j)), middle, strict=True)]
    squares = torch.zeros(terms[0].heads, P, P, dtype=torch.float64, device=device)
    linear = [torch.zeros_like(squares[:, 0, :1])] * P
    constant = linear[0]
    for term in terms:
        matrix = _matrices(term.precision.double(), P)
        target = [query[p] + term.centre[:, p, None].double() for p in range(P)]  # (H, T)
        pull = [_total([matrix[:, p, r, None] * target[r] for r in range(P)]) for p in range(P)]
        squares = squares + matrix
        linear = [linear[p] + 2 * pull[p] for p in range(P)]
        constant = constant - _total([pull[p] * target[p] for p in range(P)])
    kind = _kind(terms)
    if kind == "isotropic":
        numbers, monomials = [-squares[:, 0, 0, None]], [_total([x * x for x in key])]
    else:
        numbers, monomials = [-squares[:, p, p, None] for p in range(P)], [x * x for x in key]
        if kind == "full" and P == 2:
            numbers.append(-(squares[:, 0, 1] + squares[:, 1, 0])[:, None])
            monomials.append(key[0] * key[1])
    return [*numbers, *linear, constant], [*monomials, *key, torch.ones_like(key[0])]


def _total(parts: list[Tensor]) -> Tensor:
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def _at(place: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return place if isinstance(place, tuple) else (place,)


def _matrices(precision: Tensor, P: int) -> Tensor:
    """(H, P, P), symmetric, whatever the kind."""
    if precision.ndim == 1:
        return precision[:, None, None] * torch.eye(P, dtype=precision.dtype, device=precision.device)
    return (precision + precision.mT) / 2 if precision.ndim == 3 else precision.diag_embed()


def _pieces(x: Tensor, count: int, dtype: torch.dtype) -> list[Tensor]:
    """Numbers of this type that add up to x. Of float32 the first has eight digits: its products are exact."""
    pieces = []
    for n in range(count):
        first = dtype == torch.float32 and n == 0 and count == 2
        piece = (x.bfloat16() if first else x).to(dtype)
        pieces.append(piece)
        x = x - piece.double()
    return pieces
