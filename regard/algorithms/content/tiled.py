"""Content softmax by a kernel of our own on the GPU: every query sees an interval of keys, and positions may score.

The kernel reads lengths itself, so that a batch of other lengths costs nothing to prepare, and computes slopes and
gaussians from coordinates in registers, with gradients of their parameters in float32.
"""

import functools
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from regard.algorithms.content.fused import starts_causal
from regard.algorithms.kernels.dropout import new_seed
from regard.algorithms.planning.algorithm import Algorithm, Run, predicted, refuses_cap, refuses_softmax, refuses_triton
from regard.algorithms.planning.cost import Cost, idle, kept, products, traffic
from regard.algorithms.planning.kept import look, recall_from, remember
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Facts, Grid, Mask, Places, Sequence
from regard.attention.masks.facts import Range
from regard.attention.masks.mask import real_tokens, run_ends
from regard.attention.masks.visibility import index_band, on_one_line
from regard.attention.positions.sizes import is_symbol, least, most, number, surely

WIDEST = 256  # heads
TILE = 64  # queries and keys
STEP = 0.6e-6  # seconds for a tile of keys, where nothing else is at work
SLOPES, BEFORE, QUADRATIC = 1, 2, 3  # how the kernel calls the terms
NARROW = 64  # heads whose gradients have registers enough
FARTHEST = 1 << 21  # tokens on a grid whose rows float32 tells apart
FAINTEST = 1e-12  # β by which the parameters of a term can be divided


class Tiled(Algorithm):
    """One kernel, whatever the lengths."""

    name = "tiled"
    takes_cap = True

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem) or refuses_triton(problem)
        if reason is not None:
            return reason
        if not problem.has_positive_beta:
            return "needs Content() with a positive beta among the scores"
        if problem.dtype not in (torch.float16, torch.bfloat16):
            return "takes float16 and bfloat16 alone"
        if any([not is_symbol(width) and not surely(width <= WIDEST) for width in (problem.shape.D, problem.shape.E)]):
            return "takes head widths to 256"
        return refuses_cap(problem) or _refuses_mask(problem) or _refuses_term(problem)

    def cost(self, problem: Problem) -> Cost:
        """The visible pairs, and half a tile of others for each query at either end of its interval; the way back
        computes the logits twice and dP twice.
        """
        shape, backward = problem.shape, problem.backward
        ends = [end for end in _band(problem) if end is not None]
        pairs = visited(problem) + shape.B * shape.H * shape.T * (TILE // 2) * len(ends)
        again = 2 * pairs * (shape.D + shape.E) if backward else 0
        return Cost(
            flops=products(pairs, shape.D, shape.E, backward, recompute=True) + again,
            bytes=traffic(shape, problem.item, backward),
            memory=kept(shape, problem.item, backward),
            launches=3 if backward else 1,
        )

    def expected(self, problem: Problem) -> Cost:
        """Terms are computed pair by pair beside the products, which wait for them; wide gradients leave few registers.

        Programs compute whole tiles, and few of them leave most of the machine idle.
        """
        cost, slower = self.cost(problem), 1.0
        if problem.terms:
            slower = 1.2 if problem.terms[0].slopes else 1.6 if problem.backward else 1.4
        if problem.cap is not None:
            slower *= 1.4
        if problem.backward and not is_symbol(problem.shape.D) and surely(problem.shape.D > NARROW):
            slower *= 1.5
        return replace(cost, flops=slower * cost.flops * idle(problem.shape, TILE))

    def seconds(self, problem: Problem) -> float:
        """No less than a program takes to go through the keys of its queries, one tile after the other."""
        shape = problem.shape
        (low, high), keys = _band(problem), shape.S
        if low is not None and high is not None:
            keys = least(keys, high - low + TILE)
        longest = STEP * keys / TILE * (3 if problem.backward else 1)
        return most(predicted(problem, self.name, self.expected(problem), problem.dtype), longest)

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        from regard.algorithms.kernels import tiled

        key = ("tiled", problem.outline)
        spec = None if torch.compiler.is_compiling() else look(key)
        spec = spec or remember(key, _spec(problem))
        lengths = prefixes = theta = spans = seed = order = None
        for mask, facts in zip(problem.masks, problem.facts, strict=True):
            if facts.real is not None and facts.real.prefix:
                lengths = _per_row(problem, mask, "lengths", q.device)
            elif facts.real is not None:
                make = functools.partial(_order, problem, mask, q.device)
                order, lengths = problem.made("order", q.device, make)
            elif facts.prefix:
                prefixes = _per_row(problem, mask, "prefixes", q.device)
            elif facts.documents is not None:
                spans = problem.made("spans", q.device, lambda mask=mask: _spans(problem, mask, q.device))
        if problem.terms:
            theta = _parameters(problem, q.device)
        if problem.dropout:
            spec, seed = spec._replace(dropout=problem.dropout), new_seed(q.device)
        given = tiled.Given(lengths, prefixes, theta, spans, seed)
        if order is not None:
            k, v = _sorted(k, order), _sorted(v, order)
            q = _sorted(q, order) if spec.hides_queries else q
        out, lse = tiled.attend_by_tiles(q, k, v, given, spec, problem.return_lse)
        if order is not None and spec.hides_queries:
            back = order.argsort(1)
            out, lse = _sorted(out, back), lse if lse is None else lse.gather(2, back[:, None].expand_as(lse))
        return out, lse

    def shortcut(self, problem: Problem) -> Run | None:
        """Where the value holds no tensors but lengths and prefixes of rows."""
        rows, tensors = {}, problem.attention.flatten()[1]
        for mask, facts in zip(problem.masks, problem.facts, strict=True):
            name = "prefixes" if facts.prefix else "lengths" if facts.real is not None and facts.real.prefix else None
            (row, *others) = (*mask.flatten()[1], None)
            if name is not None and row is not None and others == [None] and row.shape == (problem.shape.B,):
                rows[name] = [row is x for x in tensors].index(True)
            elif name is not None or row is not None or facts.documents is not None:
                return None
        if problem.terms or problem.return_lse or len(rows) < len(tensors):
            return None
        from regard.algorithms.kernels import tiled

        return tiled.Intervals(_spec(problem), problem.outline, rows.get("lengths"), rows.get("prefixes"))


def _spec(problem: Problem) -> Any:
    from regard.algorithms.kernels import tiled

    between = any([facts.documents is not None and not facts.documents.prefix for facts in problem.facts])
    cap = float(problem.cap or 0)
    return tiled.Spec(problem.beta, *_interval(problem), *_term(problem), pads_between=between, cap=cap)


def _refuses_mask(problem: Problem) -> str | None:
    """Why the mask shows a query more, or less, than an interval of keys."""
    pads = [facts.real for facts in problem.facts if facts.real is not None]
    prefixes = [facts for facts in problem.facts if facts.prefix]
    documents = [facts for facts in problem.facts if facts.documents is not None]
    others = _bands(problem)
    if max(len(pads), len(prefixes), len(documents)) > 1 or not all([facts.interval for facts in others]):
        return "needs masks that show each query an interval of keys: causal, windows, lengths, prefixes, documents"
    if not all([real.prefix for real in pads]) and not _may_sort(problem, pads[0].queries):
        return "takes a map of real tokens alone, or Padding by a map with Causal() where T = S"
    if (others or prefixes) and not on_one_line(problem.places):
        return "takes causal masks and windows of tokens in a line, at positions known without reading a tensor"
    low, high = index_band(others, problem.places) if others else (None, None)
    if low is not None and high is not None and not surely(number(low) <= number(high)):
        return "the window shows nothing"
    if documents and (prefixes or not _holds_itself(low, high)):
        return "takes beside documents windows that hold the query's own place, and no prefix"
    if prefixes:
        keys = problem.places.keys
        assert isinstance(keys, Sequence)
        if high is not None or not (surely(keys.start == 0) and surely(keys.step == 1)):
            return "takes a prefix of keys that stand at 0, 1, 2, …, and no causal mask beside it"
    return None


def _refuses_term(problem: Problem) -> str | None:
    if not problem.terms:
        return None
    (facts, *others), places = problem.terms, problem.places
    if others or not (facts.quadratic or facts.slopes):
        return "takes beside Content() one of Slopes and Quadratic"
    if problem.beta < FAINTEST:
        return "computes score terms in units of a β of at least 1e-12"
    if not places.is_static:
        return "takes score terms of positions that are the same in every row"
    sides = (places.queries, places.keys)
    if not surely(number(sides[0].count) < FARTHEST) or not surely(number(sides[1].count) < FARTHEST):
        return "tells the rows of a grid apart up to 2²¹ tokens"
    if isinstance(sides[0], Grid) != isinstance(sides[1], Grid):
        return "takes score terms where queries and keys stand both in lines, or both on grids"
    return None


def _bands(problem: Problem) -> tuple[Facts, ...]:
    """The masks that are neither lengths nor prefixes nor documents."""
    masks = [facts for facts in problem.facts if facts.real is None and not facts.prefix and facts.documents is None]
    return tuple(masks)


def _may_sort(problem: Problem, hides_queries: bool) -> bool:
    """Whether real tokens may be brought to the front of their rows: their order alone may count."""
    if len(problem.masks) == 1 and not problem.terms:
        return True
    others = tuple([facts for facts in problem.facts if facts.real is None])
    return hides_queries and not problem.terms and starts_causal(others, problem.places)


def _holds_itself(low: Any, high: Any) -> bool:
    return (low is None or surely(number(low) <= 0)) and (high is None or surely(number(high) >= 0))


def _spans(problem: Problem, mask: Mask, device: torch.device) -> Tensor:
    numbers = mask.documents(problem.places, device)
    assert numbers is not None
    return spans_of(numbers)


def spans_of(numbers: Tensor) -> Tensor:
    """The first and the last token of each token's document, (2, B|1, S), by the documents' numbers; of a pad none.

    >>> spans_of(torch.tensor([[0, 0, -1, 1]])).tolist()
    [[[0, 0, 1073741824, 3]], [[1, 1, -1, 3]]]
    """
    first, last = run_ends(numbers)
    return torch.stack([torch.where(numbers < 0, 1 << 30, first), torch.where(numbers < 0, -1, last)]).int()


def _band(problem: Problem) -> Range:
    """The diagonals of the index table that the interval has as ends; a prefix lies beyond the last."""
    others = _bands(problem)
    low, high = index_band(others, problem.places) if others else (None, None)
    if any([facts.prefix for facts in problem.facts]):
        high = index_band((Facts(band=((None, 0),)),), problem.places)[1]
    return low, high


def _interval(problem: Problem) -> tuple[Any, Any, bool]:
    """Both ends, no farther than there are tokens, for the kernel counts in 32 bits; whether pads are no queries."""
    (low, high), shape = _band(problem), problem.shape
    low = low if low is None else most(low, -shape.T)
    high = high if high is None else least(high, shape.S)
    return low, high, any([facts.real is not None and facts.real.queries for facts in problem.facts])


def _term(problem: Problem) -> tuple[Any, ...]:
    """Kind, axes, whether both offsets are multiplied, and where the tokens stand."""
    if not problem.terms:
        return (0,)
    (facts,) = problem.terms
    high = problem.outline.mask.band[0][1]
    kind = QUADRATIC if facts.quadratic else SLOPES
    if facts.slopes and high is not None and surely(high <= 0):
        kind = BEFORE
    places, axes = problem.places, problem.places.num_axes
    return kind, axes, axes == 2 and facts.quadratic == "full", _grids(places)


def _grids(places: Places) -> tuple[float | int, ...]:
    queries, keys = places.queries, places.keys
    if isinstance(queries, Grid) and isinstance(keys, Grid):
        first = [keys.start[n] - queries.start[n] for n in range(2)]
        numbers = [*first, *queries.step, *keys.step]
        return queries.w, keys.w, *[float(n) for n in numbers]
    assert isinstance(queries, Sequence)
    assert isinstance(keys, Sequence)
    return 1, 1, 0.0, float(keys.start - queries.start), 1.0, float(queries.step), 1.0, float(keys.step)


def _order(problem: Problem, mask: Mask, device: torch.device) -> tuple[Tensor, Tensor]:
    """Which tokens of each row come first where the real ones, as they stand, are brought to the front; how many."""
    real = real_tokens(mask, problem.places, problem.shape.B, device)
    return (~real).int().argsort(dim=1, stable=True), real.sum(1)


def _sorted(x: Tensor, order: Tensor) -> Tensor:
    return x.gather(2, order[:, None, :, None].expand(-1, x.shape[1], -1, x.shape[3]))


def _per_row(problem: Problem, mask: Mask, name: str, device: torch.device) -> Tensor:
    """The lengths or prefixes of the rows, (B,), on the device; numbers are sent once."""

    def make() -> Tensor:
        numbers = mask.num_real(device)
        assert numbers is not None
        if numbers.shape[0] == problem.shape.B and numbers.is_contiguous():
            return numbers
        return numbers.expand(problem.shape.B).contiguous()

    return make() if len(mask.flatten()[1]) > 0 else problem.made(("tiled", name), device, make)


def _parameters(problem: Problem, device: torch.device) -> Tensor:
    """The term's parameters side by side, in float32; made anew where they learn."""
    (term,), (facts,) = problem.attention.biases, problem.terms
    make = _slopes if facts.slopes else _quadratic
    tensors = term.flatten()[1]
    if torch.is_grad_enabled() and any([x.requires_grad for x in tensors]):
        return make(term, device)
    return recall_from(tensors, ("tiled", type(term), device), lambda: make(term, device))


def _slopes(term: Any, device: torch.device) -> Tensor:
    return term.slopes.to(device, torch.float32).contiguous()[:, None]


def _quadratic(term: Any, device: torch.device) -> Tensor:
    """A, b, c and the centre, of −(a·y² + b·x² + c·y·x); in a line x alone counts."""
    centre, precision = (x.to(device, torch.float32) for x in (term.centre, term.precision))
    none = torch.zeros_like(centre[:, 0])
    in_line = centre.shape[1] == 1
    if precision.ndim == 3:
        along = precision.diagonal(dim1=1, dim2=2)
        both = none if in_line else precision[:, 0, 1] + precision[:, 1, 0]
    else:
        along, both = (precision if precision.ndim == 2 else precision[:, None].expand(-1, centre.shape[1])), none
    if in_line:
        return torch.stack([none, along[:, 0], none, none, centre[:, 0]], 1)
    return torch.stack([along[:, 0], along[:, 1], both, centre[:, 0], centre[:, 1]], 1)
