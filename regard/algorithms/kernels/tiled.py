"""Content softmax in tiles on the GPU, under masks that show each query an interval of keys, with position terms.

Causal masks, windows, padding, prefixes and what they make together leave query i the keys `first_i ≤ j < last_i`. A
tile of queries visits the tiles of keys that one of them sees, and asks pair by pair only at their edges. Lengths are
read by the kernel: nothing is made before, and the host waits for nothing. Keys that no query sees are never read.

Position terms are computed from coordinates in registers, and the gradients of their parameters summed in float32.
The backward pass is deterministic: one kernel visits queries for each tile of keys, another keys for each of queries.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils.flop_counter import register_flop_formula

from regard.algorithms.kernels import tiled_programs as programs
from regard.algorithms.kernels.launch import Launch, are_aligned
from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.kernels.tiles import Tiles, fitted, need_of_gradients, need_of_output
from regard.algorithms.planning.kept import look, remember
from regard.algorithms.planning.visits import in_band
from regard.attention.eager import given as noting
from regard.attention.eager import once, refuse_forward_mode
from regard.attention.torch_private import is_dispatched, is_forward_mode, is_transformed, let_graphs_see

DRAWS = (1 << 31) - 1  # steps of a dropout
PER_ROW = programs.PER_ROW.value  # numbers of a query that the keys' gradients read
NARROW = 512  # keys of a window that small tiles waste less of
SHORT = 4e10  # FLOPs of all pairs: about 0.1 ms


class Spec(NamedTuple):
    """What a call computes, beside its tensors.

    Query i sees the keys with `low ≤ j − i ≤ high`, or below its row's prefix, of these the first `lengths` of its row,
    and if it is a pad and `hides_queries` none. The position term is SLOPES, −m·|x|, BEFORE, the same where no visible
    key stands behind its query, or QUADRATIC, −(a·y² + b·x² + c·y·x) of the offset less a centre. `grids` says where
    tokens stand: the widths of both grids, the place of the first key less that of the first query, and the steps of
    both, rows before columns.
    """

    scale: float
    low: int | None = None
    high: int | None = None
    hides_queries: bool = False
    term: int = 0
    axes: int = 1
    full: bool = False  # the quadratic term has a product of both offsets
    grids: tuple[float | int, ...] = (1, 1, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)
    pads_between: bool = False  # of documents
    dropout: float = 0.0
    cap: float = 0.0  # of the logits of the content; 0 is none


class Given(NamedTuple):
    """The tensors of a call beside q, k and v."""

    lengths: Tensor | None = None  # (B,)
    prefixes: Tensor | None = None  # (B,)
    theta: Tensor | None = None  # parameters of the term, float32: (H, 1) m; (H, 5) a, b, c and the centre
    spans: Tensor | None = None  # (2, B|1, S) int32: the first and the last token of each token's document
    seed: Tensor | None = None  # () int64, of the dropout


def _tiles(pass_: str, q: Tensor, v: Tensor, spec: Spec, given: Given) -> Tiles:
    """What was quickest on an H200, or less where a GPU has no room for it."""
    widths = (_width(q.shape[3]), _width(v.shape[3]), q.itemsize)
    need = need_of_output(*widths) if pass_ == "forward" else need_of_gradients(*widths, by=pass_)
    return fitted(_tiles_of_width(pass_, max(q.shape[3], v.shape[3]), spec, given), need, q.device)


def _tiles_of_width(pass_: str, width: int, spec: Spec, given: Given) -> Tiles:
    """For heads of this width, and where queries see few keys."""
    if width > 128:
        return {"forward": Tiles(64, 64, 8, 2), "keys": Tiles(32, 64, 8, 2), "queries": Tiles(64, 32, 8, 2)}[pass_]
    forward, keys, queries = Tiles(64, 64, 4, 3), Tiles(32, 128, 4, 3), Tiles(64, 64, 4, 3)
    if width > 64:
        keys = Tiles(64, 128, 8, 3)
    elif spec.low is not None and spec.high is not None and spec.high - spec.low < NARROW:
        forward = Tiles(64, 64, 4, 3, 128, one_loop=True)
        keys, queries = Tiles(32, 64, 4, 2, 168, one_loop=True), Tiles(64, 32, 4, 3, one_loop=True)
    else:
        forward = Tiles(64, 64, 4, 3, 128)
        if given.spans is not None:
            keys = Tiles(32, 64, 4, 3, 168)
        elif spec.low is not None:
            keys = Tiles(32, 64, 4, 2, 168)
        elif spec.term != programs.QUADRATIC.value:
            keys = Tiles(64, 64, 4, 3)
    return {"forward": forward, "keys": keys, "queries": queries}[pass_]


def _suits_graphs(q: Tensor, v: Tensor, *others: Any) -> bool:
    """Whether a compiler is to launch the kernels itself: where they are short, and all numbers known. It takes no
    bound of registers, which long ones need more than they mind the way through Python.
    """
    numbers = []
    for x in (q, v, *others):
        numbers += x if isinstance(x, list) else [] if x is None else [*x.shape, *x.stride()]
    if not q.is_cuda or any([isinstance(n, torch.SymInt) for n in numbers]):
        return False
    return 2 * q.numel() * v.shape[2] * (q.shape[3] + v.shape[3]) // q.shape[3] <= SHORT


def attend_by_tiles(
    q: Tensor, k: Tensor, v: Tensor, given: Given, spec: Spec, return_lse: bool = True, about: Any = None
) -> tuple[Tensor, Tensor | None]:
    """Output (B, H, T, E) and where it is wanted the log-sum-exp (B, H, T), both with gradients.

    `about` stands for the sizes and types of all tensors and for the spec, in calls that have them in common.
    """
    if torch.compiler.is_compiling() or is_transformed() or is_forward_mode() or is_dispatched():
        refuse_forward_mode(q, k, v, *[x for x in given if x is not None])
        out, lse = _operator(q, k, v, *given, *_flat(spec))
        return out, lse if return_lse else None
    if torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad or _learns(given)):
        found = _Tiled.apply(q, k, v, *given, spec, return_lse, about)
        return found if return_lse else (found, None)  # pyright: ignore[reportReturnType]
    out, lse = forward(q, k, v, given, spec, about=about)
    return out, lse if return_lse else None


def _learns(given: Given) -> bool:
    return given.theta is not None and given.theta.requires_grad


class Intervals(NamedTuple):
    """Calls of one outline whose value holds no tensors but lengths and prefixes; these by their places among them."""

    spec: Spec
    about: Any
    lengths: int | None
    prefixes: int | None

    def __call__(self, q: Tensor, k: Tensor, v: Tensor, tensors: tuple[Tensor, ...]) -> tuple[Tensor, Tensor | None]:
        spec, about, lengths, prefixes = self
        given = Given(
            None if lengths is None else tensors[lengths].contiguous(),
            None if prefixes is None else tensors[prefixes].contiguous(),
        )
        return attend_by_tiles(q, k, v, given, spec, False, about)


class _Tiled(torch.autograd.Function):
    """Quicker to call than an operator."""

    @staticmethod
    @noting
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, *rest: Any) -> tuple[Tensor, Tensor] | Tensor:
        *tensors, spec, return_lse, about = rest
        given = Given(*tensors)
        out, lse = forward(q, k, v, given, spec, about=about)
        ctx.save_for_backward(q, k, v, *given, out, lse)
        ctx.call = spec, about
        ctx.set_materialize_grads(False)
        return (out, lse) if return_lse else out

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor | None, grad_lse: Tensor | None = None) -> tuple[Any, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        q, k, v, *tensors, out, lse = ctx.saved_tensors
        if grad is None:
            grad = torch.zeros_like(out)
        spec, about = ctx.call
        given, learns = Given(*tensors), ctx.needs_input_grad[5]
        dq, dk, dv, dtheta = backward(grad, grad_lse, q, k, v, given, out, lse, spec, learns, about=about)
        return dq, dk, dv, None, None, dtheta, None, None, None, None, None


def _flat(spec: Spec) -> tuple[list[int], list[float]]:
    """The numbers of a call as an operator takes them."""
    low, high = spec.low, spec.high
    ends = [int(low is not None), 0 if low is None else low, int(high is not None), 0 if high is None else high]
    kinds = [int(spec.hides_queries), spec.term, spec.axes, int(spec.full), int(spec.pads_between)]
    return [*ends, *kinds], [float(n) for n in (spec.scale, *spec.grids, spec.dropout, spec.cap)]


def _unflat(whole: list[int], numbers: list[float]) -> Spec:
    low, high = whole[1] if whole[0] else None, whole[3] if whole[2] else None
    grids = (int(numbers[1]), int(numbers[2]), *numbers[3:9])
    kinds = (bool(whole[4]), whole[5], whole[6], bool(whole[7]))
    return Spec(numbers[0], low, high, *kinds, grids, bool(whole[8]), *numbers[9:])


@torch.library.custom_op("regard::tiled", mutates_args=())
def _operator(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    lengths: Tensor | None,
    prefixes: Tensor | None,
    theta: Tensor | None,
    spans: Tensor | None,
    seed: Tensor | None,
    whole: list[int],
    numbers: list[float],
) -> tuple[Tensor, Tensor]:
    return forward(q, k, v, Given(lengths, prefixes, theta, spans, seed), _unflat(whole, numbers))


@_operator.register_fake
def _(q, k, v, lengths, prefixes, theta, spans, seed, whole, numbers):
    B, H, T, _ = q.shape
    return _empty_output(q, v), q.new_empty(B, H, T, dtype=torch.float32)


def _inside(q, k, v, lengths, prefixes, theta, spans, seed, whole, numbers):
    if not _suits_graphs(q, v, k, theta, spans, whole):
        return NotImplemented
    return forward(q, k, v, Given(lengths, prefixes, theta, spans, seed), _unflat(whole, numbers), in_graph=True)


let_graphs_see(_operator, _inside)


@torch.library.custom_op("regard::tiled_backward", mutates_args=())
def _operator_backward(
    grad: Tensor,
    grad_lse: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    lengths: Tensor | None,
    prefixes: Tensor | None,
    theta: Tensor | None,
    spans: Tensor | None,
    seed: Tensor | None,
    out: Tensor,
    lse: Tensor,
    whole: list[int],
    numbers: list[float],
    learns: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    given = Given(lengths, prefixes, theta, spans, seed)
    *found, dtheta = backward(grad, grad_lse, q, k, v, given, out, lse, _unflat(whole, numbers), learns)
    return found[0], found[1], found[2], lse.new_empty(0) if dtheta is None else dtheta


@_operator_backward.register_fake
def _(grad, grad_lse, q, k, v, lengths, prefixes, theta, spans, seed, out, lse, whole, numbers, learns):
    dtheta = theta.new_empty(theta.shape) if learns else lse.new_empty(0)
    return _empty_like(q), _empty_like(k), _empty_like(v), dtheta


def _inside_backward(grad, grad_lse, q, k, v, lengths, prefixes, theta, spans, seed, out, lse, whole, numbers, learns):
    if not _suits_graphs(q, v, k, theta, spans, grad, whole):
        return NotImplemented
    given, spec = Given(lengths, prefixes, theta, spans, seed), _unflat(whole, numbers)
    *found, dtheta = backward(grad, grad_lse, q, k, v, given, out, lse, spec, learns, in_graph=True)
    return *found, lse.new_empty(0) if dtheta is None else dtheta


let_graphs_see(_operator_backward, _inside_backward)


def _save(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    *tensors, ctx.whole, ctx.numbers = inputs
    ctx.save_for_backward(*tensors, *output)
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, grad: Tensor | None, grad_lse: Tensor | None) -> tuple[Any, ...]:
    learns = ctx.needs_input_grad[5]
    grad = torch.zeros_like(ctx.saved_tensors[-2]) if grad is None else grad
    found = _operator_backward(grad, grad_lse, *ctx.saved_tensors, ctx.whole, ctx.numbers, learns)
    return *found[:3], None, None, found[3] if learns else None, None, None, None, None


_operator.register_autograd(_differentiate, setup_context=_save)


@register_flop_formula([torch.ops.regard.tiled])
def _flops(q: Any, k: Any, v: Any, *rest: Any, **others: Any) -> int:
    """Of the pairs that the ends of the interval leave; what lengths and documents hide is data."""
    whole = rest[5]
    (B, H, T, D), (S, E) = q, v[2:]
    low, high = whole[1] if whole[0] else None, whole[3] if whole[2] else None
    return 2 * B * H * in_band(T, S, low, high) * (D + E)


@register_flop_formula([torch.ops.regard.tiled_backward])
def _flops_backward(grad: Any, grad_lse: Any, *rest: Any, **others: Any) -> int:
    """Logits and dP twice, and the three gradients."""
    q, k, v, *given = rest
    (_, _, _, D), E = q, v[3]
    return _flops(q, k, v, *given[:5], given[7]) // (D + E) * (4 * D + 3 * E)


def _width(n: int) -> int:
    return max(16, 1 << (n - 1).bit_length())


def _empty_output(q: Tensor, v: Tensor) -> Tensor:
    """Laid out as the queries are, so that merging heads is free where splitting them was."""
    (B, H, T, _), E = q.shape, v.shape[3]
    if has_heads_inside(q):
        return q.new_empty(B, T, H, E).transpose(1, 2)
    return q.new_empty(B, H, T, E)


def has_heads_inside(x: Tensor) -> bool:
    """Whether heads lie closer in memory than tokens, in a row that 32 bits can count."""
    return bool(x.stride(1) < x.stride(2) and x.shape[1] * x.shape[2] < 1 << 23)


def _empty_like(x: Tensor) -> Tensor:
    return _empty_output(x, x)


class _Room(NamedTuple):
    """How a result lies in memory."""

    shape: torch.Size
    stride: tuple[int, ...]

    def empty(self, dtype: torch.dtype, device: torch.device, in_graph: bool) -> tuple[Tensor, Tensor]:
        """The result, and the memory that a kernel writes; a compiler takes equal strided ones in a graph for one."""
        if not in_graph:
            out = torch.empty_strided(self.shape, self.stride, dtype=dtype, device=device)
            return out, out
        order = sorted(range(len(self.shape)), key=lambda n: -self.stride[n])
        memory = torch.empty([self.shape[n] for n in order], dtype=dtype, device=device)
        return memory.permute([order.index(n) for n in range(len(order))]), memory


def _room(q: Tensor, width: int, heads_inside: bool) -> _Room:
    B, H, T, _ = q.shape
    heads = (T * H * width, width, H * width, 1) if heads_inside else (H * T * width, T * width, width, 1)
    return _Room(torch.Size((B, H, T, width)), heads)


class _Calls(NamedTuple):
    """All that calls with tensors of these sizes, strides and types share."""

    rooms: tuple[_Room, ...]
    launches: tuple[Launch, ...]


def _strides(*tensors: Any) -> tuple[int, ...]:
    return tuple([stride for x in tensors for stride in (x.stride if isinstance(x, _Room) else x.stride())[:3]])


def _readable(x: Tensor) -> Tensor:
    """As the kernels are promised it: neighbouring columns, and a head whose numbers 32 bits can count."""
    x = laid_out(x)
    return x if x.shape[2] * x.stride(2) < 1 << 31 else x.contiguous()


def _side_by_side(x: Tensor) -> Tensor:
    return x if x.stride(3) == 1 else x.contiguous()


def _about(spec: Spec, given: Given, *tensors: Tensor) -> tuple[Any, ...]:
    """What a call has in common with others beside strides: sizes and types, and no address."""
    lengths, prefixes, theta, spans, seed = given
    types = (
        None if lengths is None else lengths.dtype,
        None if prefixes is None else prefixes.dtype,
        theta is None,
        None if spans is None else spans.shape[1],
        seed is None,
    )
    return spec, types, tensors[0].dtype, tensors[0].device, *[x.shape for x in tensors]


def _kinds(spec: Spec, given: Given) -> tuple[Any, ...]:
    """What is compiled for: which ends the interval has, whether rows have lengths and prefixes, cap and term."""
    padding = 0 if given.lengths is None else 2 if spec.hides_queries else 1
    ends = (spec.low is not None, spec.high is not None, padding, given.prefixes is not None)
    spans = 0 if given.spans is None else 2 if spec.pads_between else 1
    return *ends, spec.cap > 0, spec.term, spec.axes, spec.full, spans, given.seed is not None


def _numbers(spec: Spec, given: Given, H: int, R: int, T: int, S: int) -> tuple[Any, ...]:
    """The numbers that all three kernels take."""
    low, high = 0 if spec.low is None else spec.low, 0 if spec.high is None else spec.high
    between = each = 0
    if given.spans is not None:
        between, each = given.spans.stride(0), 0 if given.spans.shape[1] == 1 else S
    dropped = min(round(spec.dropout * DRAWS), DRAWS - 1)
    larger = DRAWS / (DRAWS - dropped)  # by what is drawn: the mean of the weights is exact
    cap = spec.cap / spec.scale  # in units of the scale, as products are
    return H, R, T, S, low, high, spec.scale, *spec.grids, between, each, dropped, larger, cap


def _same_row(width: float | int, spec: Spec, size: int) -> bool:
    """Whether all tokens of a tile stand in one row of a grid so wide."""
    return spec.axes == 2 and width % size == 0


def _precision(x: Tensor) -> str:
    return "ieee" if x.dtype == torch.float32 else "tf32"


def _types(q: Tensor, given: Given) -> tuple[Any, ...]:
    return q.dtype, q.device, *[None if x is None else x.dtype for x in given]


def forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    given: Given,
    spec: Spec,
    tiles: Tiles | None = None,
    about: Any = None,
    in_graph: bool = False,
) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp."""
    heads_inside = has_heads_inside(q)  # before it is copied: a compiler was told how the output lies
    if in_graph:
        q, k, v = _side_by_side(q), _side_by_side(k), _side_by_side(v)
        return _started(_forward_calls(q, k, v, given, spec, tiles, heads_inside), q, k, v, given, None)
    about = ("tiled", about or _about(spec, given, q, k, v), tiles, heads_inside)
    key = (about, q.stride(), k.stride(), v.stride())
    calls, aligned = look(key), are_aligned(q, k, v)
    if calls is None or not aligned:
        q, k, v = _readable(q), _readable(k), _readable(v)
        aligned = are_aligned(q, k, v)
        key = (about, q.stride(), k.stride(), v.stride())
        calls = look(key) or remember(key, _forward_calls(q, k, v, given, spec, tiles, heads_inside))
    return _started(calls, q, k, v, given, aligned)


def _started(
    calls: _Calls, q: Tensor, k: Tensor, v: Tensor, given: Given, aligned: bool | None
) -> tuple[Tensor, Tensor]:
    device = q.device
    out, memory = calls.rooms[0].empty(q.dtype, device, aligned is None)
    lse = torch.empty(calls.rooms[1].shape, dtype=torch.float32, device=device)
    calls.launches[0](device, (q, k, v, memory, lse, *given), aligned)
    return out, lse


def _forward_calls(
    q: Tensor, k: Tensor, v: Tensor, given: Given, spec: Spec, tiles: Tiles | None, heads_inside: bool
) -> _Calls:
    (B, H, T, D), (G, S, E) = q.shape, v.shape[1:]
    out = _room(q, E, heads_inside)
    tiles = tiles or _tiles("forward", q, v, spec, given)
    sizes = (D, E, _width(D), _width(E), tiles.queries, tiles.keys)
    launch = Launch(
        programs.attend,
        -(-T // tiles.queries) * B * H,
        _strides(q, k, v, out),
        _numbers(spec, given, H, H // G, T, S),
        (*sizes, *_kinds(spec, given), _same_row(spec.grids[1], spec, tiles.keys), _precision(q), tiles.one_loop),
        tiles[2:5],
        _types(q, given),
    )
    lse = _Room(torch.Size((B, H, T)), (H * T, T, 1))
    return _Calls((out, lse), (launch,))


def backward(
    grad: Tensor,
    grad_lse: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    given: Given,
    out: Tensor,
    lse: Tensor,
    spec: Spec,
    learns: bool,
    tiles: tuple[Tiles, Tiles] | None = None,
    about: Any = None,
    in_graph: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Gradients of q, k and v, and where it learns of theta."""
    heads_inside = has_heads_inside(q), has_heads_inside(k), has_heads_inside(v)
    if in_graph:
        q, k, v, grad, out = [_side_by_side(x) for x in (q, k, v, grad, out)]
        calls = _backward_calls(grad, grad_lse, q, k, v, given, out, spec, learns, tiles, heads_inside)
        return _started_back(calls, grad, grad_lse, q, k, v, given, out, lse, learns, None)
    about = ("tiled backward", about or _about(spec, given, q, k, v), tiles, learns, grad_lse is None, heads_inside)
    key = (about, q.stride(), k.stride(), v.stride(), grad.stride(), out.stride())
    calls, aligned = look(key), are_aligned(q, k, v, grad, out)
    if calls is None or not aligned:
        q, k, v, grad, out = (_readable(x) for x in (q, k, v, grad, out))
        aligned = are_aligned(q, k, v, grad, out)
        key = (about, q.stride(), k.stride(), v.stride(), grad.stride(), out.stride())
        calls = look(key)
    if calls is None:
        made = _backward_calls(grad, grad_lse, q, k, v, given, out, spec, learns, tiles, heads_inside)
        calls = remember(key, made)
    return _started_back(calls, grad, grad_lse, q, k, v, given, out, lse, learns, aligned)


def _started_back(
    calls: _Calls,
    grad: Tensor,
    grad_lse: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    given: Given,
    out: Tensor,
    lse: Tensor,
    learns: bool,
    aligned: bool | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    dtype, device = q.dtype, q.device
    (dq, to_dq), (dk, to_dk), (dv, to_dv) = [room.empty(dtype, device, aligned is None) for room in calls.rooms[:3]]
    rows = torch.empty(calls.rooms[3].shape, dtype=torch.float32, device=device)
    grad_lse = None if grad_lse is None else grad_lse.contiguous()
    of_queries, of_keys = calls.launches
    sums = torch.empty(of_queries.programs, 5, dtype=torch.float32, device=device) if learns else None
    of_queries(device, (q, k, v, grad, lse, rows, to_dq, sums, out, grad_lse, *given), aligned)
    of_keys(device, (q, k, v, grad, rows, to_dk, to_dv, *given), aligned)
    if sums is None:
        return dq, dk, dv, None
    assert given.theta is not None
    return dq, dk, dv, _gradient_of_theta(sums.view(*q.shape[:2], -1, 5).sum((0, 2)), given.theta)


def _backward_calls(
    grad: Tensor,
    grad_lse: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    given: Given,
    out: Tensor,
    spec: Spec,
    learns: bool,
    tiles: tuple[Tiles, Tiles] | None,
    heads_inside: tuple[bool, bool, bool],
) -> _Calls:
    (B, H, T, D), (G, S, E) = q.shape, v.shape[1:]
    dq, dk, dv = (_room(x, x.shape[3], inside) for x, inside in zip((q, k, v), heads_inside, strict=True))
    by_key, by_query = tiles or (
        _tiles("keys", q, v, spec, given),
        _tiles("queries", q, v, spec, given),
    )
    types = _types(q, given)
    inputs, numbers = _strides(q, k, v, grad), _numbers(spec, given, H, H // G, T, S)
    widths, kinds = (D, E, _width(D), _width(E)), _kinds(spec, given)
    of_keys = Launch(
        programs.differentiate_keys,
        -(-S // by_key.keys) * B * G,
        (*inputs, *_strides(dk, dv)),
        numbers,
        (
            *widths,
            by_key.queries,
            by_key.keys,
            *kinds,
            _same_row(spec.grids[0], spec, by_key.queries),
            _precision(q),
            by_key.one_loop,
        ),
        by_key[2:5],
        types,
    )
    of_queries = Launch(
        programs.differentiate_queries,
        -(-T // by_query.queries) * B * H,
        (*inputs, *_strides(dq, out)),
        numbers,
        (
            *widths,
            by_query.queries,
            by_query.keys,
            *kinds,
            _same_row(spec.grids[1], spec, by_query.keys),
            learns,
            grad_lse is not None,
            _precision(q),
            by_query.one_loop,
        ),
        by_query[2:5],
        types,
    )
    rows = _Room(torch.Size((B, H, T, PER_ROW)), (H * T * PER_ROW, T * PER_ROW, PER_ROW, 1))
    return _Calls((dq, dk, dv, rows), (of_queries, of_keys))


def _gradient_of_theta(sums: Tensor, theta: Tensor) -> Tensor:
    """From sums of dS times the squares, the product and the offsets themselves to the gradient of each parameter."""
    if theta.shape[1] == 1:
        return -sums[:, :1]
    (yy, xx, yx, y, x), (a, b, c, _, _) = sums.unbind(1), theta.unbind(1)
    return torch.stack([-yy, -xx, -yx, 2 * a * y + c * x, 2 * b * x + c * y], 1)
