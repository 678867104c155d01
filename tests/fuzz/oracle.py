"""What a call must give, in float64 from the mathematics, and how far any sound arithmetic may stray from it.

Nothing of the library is imported: positions, masks, scores and weightings are written down again from their
definitions, over all pairs.

The bounds follow the conditioning of the problem and no machine. A logit is a sum whose parts have magnitudes that add
up to L, so it is known to some roundings of L; a weight is known to twice that, relatively; an output to that share of
Σ_j P_j |v_j|; a gradient to that share of the same chain rule with every number replaced by its magnitude.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tests.fuzz.case import Case, Node, Ref, places
from tests.fuzz.own import BUILT_IN_FEATURES, FEATURES, MASKS, TERM_TWISTS, TERMS, TWISTS

LOGIT_ROUNDINGS = 8  # of L: products, sums, a scaling, and the exponential's own
SUM_ROUNDINGS = 24  # of a sum, besides a share of the number of its parts
HALF_OUT = 2.0  # units of half precision: weights rounded before the product, parts before they are merged, the output
HALF_GRADIENT = 4.0  # as above, and the gradients of the weights, and the output that is subtracted from them
CHUNK = 256  # vectors whose derivatives are made at once
HALF_LSE = 2**-12  # half-precision kernels have exponentials of 13 bits


@dataclass(frozen=True)
class Exact:
    """A result and its bound, both float64 of one shape."""

    number: Tensor
    bound: Tensor


@dataclass(frozen=True)
class Answer:
    """Results by name, as "out", "lse", "gradient of q"; what is hidden; second derivatives where asked for."""

    results: dict[str, Exact]
    hidden_keys: Tensor  # (B, G, S)
    hidden_queries: Tensor  # (B, H, T)
    hidden_pairs: Tensor  # (B, H, T, S)
    second: dict[str, Tensor]


class Pairs:
    """All pairs of a case: index tensors that broadcast to (B, H, T, S), and offsets key − query along each axis."""

    def __init__(self, case: Case) -> None:
        s = case.sizes
        self.case = case
        self.b = torch.arange(s.B)[:, None, None, None]
        self.h = torch.arange(s.H)[:, None, None]
        self.i, self.j = torch.arange(s.T)[:, None], torch.arange(s.S)
        queries, keys = places(case.queries, case.keys, s)
        self.queries = [torch.tensor(axis)[:, None, :, None] for axis in queries]
        self.keys = [torch.tensor(axis)[:, None, None, :] for axis in keys]
        self.moved = 0  # added to the keys' places, for a mask of other offsets

    def offset(self, axis: int) -> Tensor:
        return self.keys[axis] + self.moved - self.queries[axis]

    @property
    def num_axes(self) -> int:
        return len(self.keys)


def allowed(node: Node, pairs: Pairs, tensors: dict[str, Tensor]) -> Tensor:
    """Which pairs a mask allows, (B, H, T, S)."""
    s = pairs.case.sizes
    found = _allowed(node, pairs, tensors)
    return found.expand(s.B, s.H, s.T, s.S)


def _allowed(node: Node, x: Pairs, tensors: dict[str, Tensor]) -> Tensor:
    kind, args = node.kind, node.args
    if kind in ("And", "Or"):
        left, right = (_allowed(child, x, tensors) for child in args)
        return left & right if kind == "And" else left | right
    if kind == "Not":
        return ~_allowed(args[0], x, tensors)
    if kind == "Own":
        return MASKS[args[0]].truth(x, *(_plain(field, tensors) for field in args[1:]))
    if kind == "Twist":
        parent, twist = args
        if twist == "shifted":
            x.moved -= 1
            found = _allowed(parent, x, tensors)
            x.moved += 1
            return found
        return TWISTS[twist][1](x, _allowed(parent, x, tensors))
    if kind in ("KeyPadding", "Padding"):
        real = _real(node, tensors, x.case.sizes.S)
        of_keys = real[:, None, None, :]
        return of_keys & real[:, None, :, None] if kind == "Padding" else of_keys
    if kind == "Documents":
        rows = args[1] if isinstance(args[1][0], tuple) else (args[1],)
        numbers = torch.tensor([_runs(args[0], row, x.case.sizes.S) for row in rows])[:, None]
        return (numbers[..., None] == numbers[..., None, :]) & (numbers[..., None, :] >= 0)
    if kind == "Prefix":
        lengths = torch.tensor(args[1])[:, None, None, None]
        return (x.keys[0] <= x.queries[0]) | (x.keys[0] < lengths)
    if kind == "Dense":
        return tensors[args[0].name]
    return _pattern(kind, args, x)


def _plain(field: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(field, Ref):
        return tensors[field.name]
    return field.args[0] if isinstance(field, Node) else field


def _real(node: Node, tensors: dict[str, Tensor], S: int) -> Tensor:
    how, what = node.args
    if how in ("map", "pads"):
        return tensors[what.name]
    return torch.arange(S) < torch.tensor(what)[:, None]


def _runs(how: str, row: tuple[int, ...], S: int) -> list[int]:
    """The number of the document of each token, −1 where it is in none."""
    if how == "ids":
        found, number = [], -1
        for token, name in enumerate(row):
            number += name >= 0 and (token == 0 or row[token - 1] != name)
            found.append(number if name >= 0 else -1)
        return found
    found = [number for number, length in enumerate(row) for _ in range(length)]
    return found + [-1] * (S - len(found))


def _pattern(kind: str, args: tuple[Any, ...], x: Pairs) -> Tensor:
    if kind == "Everything":
        return x.j == x.j
    if x.num_axes == 2:
        row, column = x.offset(0), x.offset(1)
        if kind == "Neighbours":
            return (row.abs() <= args[0]) & (column.abs() <= args[1])
        if kind == "Tiles":
            cells = [
                ((place + shift) // size)
                for axis, (size, shift) in enumerate(((args[0], args[2]), (args[1], args[3])))
                for place in (x.queries[axis], x.keys[axis])
            ]
            return (cells[0] == cells[1]) & (cells[2] == cells[3])
        return {"SameRow": row == 0, "SameColumn": column == 0, "Axial": (row == 0) | (column == 0)}[kind]
    delta = x.offset(0)
    if kind == "Causal":
        return delta <= 0
    if kind == "Window":
        return (-args[0] <= delta) & (delta <= args[1])
    if kind == "Strided":
        return delta % args[0] == 0
    if kind == "Dilated":
        step, before, after = args
        return (delta % step == 0) & (delta >= -step * before) & (delta <= step * after)
    if kind == "GlobalTokens":
        return (x.queries[0] < args[0]) | (x.keys[0] < args[0])
    assert kind == "Blocks", kind
    size, shift = args
    return (x.queries[0] + shift) // size == (x.keys[0] + shift) // size


def _score(node: Node, x: Pairs, tensors: dict[str, Tensor], size: bool) -> Tensor:
    """A term of the logits; with `size` the sum of the magnitudes of its parts, for tensors that are magnitudes."""
    kind, args = node.kind, node.args
    if kind == "Content":
        q, k = tensors["q"], tensors["k"]
        beta = q.shape[3] ** -0.5 if args[0] is None else args[0]
        products = (abs(beta) if size else beta) * (q @ k.repeat_interleave(q.shape[1] // k.shape[1], 1).mT)
        # A cap is never steeper than 1: what is known of the products is known of it.
        return products if size or len(args) == 1 else args[1] * torch.tanh(products / args[1])
    if kind == "Own":
        return TERMS[args[0]].truth(x, *(_plain(field, tensors) for field in args[1:]))
    if kind == "Twist":
        return TERM_TWISTS[args[1]][1](x, _score(args[0], x, tensors, size))
    if kind == "Bias":
        return tensors[args[0].name]
    if kind == "Slopes":
        slopes = tensors[args[0].name][:, None, None]
        return (slopes if size else -slopes) * x.offset(0).abs()
    if kind == "RelativeTable":
        return _read_table(node, x, tensors)
    assert kind == "Quadratic", kind
    return _square(node, x, tensors, size)


def _read_table(node: Node, x: Pairs, tensors: dict[str, Tensor]) -> Tensor:
    ref, bound, *rest = node.args
    table = tensors[ref.name]
    table = table if bound is None else table.clamp(-bound, bound)
    axis = rest[0] if rest else None
    axes = range(x.num_axes) if axis is None else (axis,)
    entries = [x.offset(a) + table.shape[1 + n] // 2 for n, a in enumerate(axes)]
    return table[(x.h, *entries)]


def _square(node: Node, x: Pairs, tensors: dict[str, Tensor], size: bool) -> Tensor:
    """`−(δ − Δ)ᵀ M (δ − Δ)`; its magnitude is that with |δ| + |Δ|, for the square may be written out."""
    centre, precision = (tensors[ref.name] for ref in node.args)
    P = centre.shape[1]
    away = []
    for p in range(P):
        at = centre[:, p, None, None]
        away.append(x.offset(p).abs() + at if size else x.offset(p) - at)
    total: Any = 0.0
    for p in range(P):
        for r in range(P):
            if precision.ndim == 3:
                total = total + precision[:, p, r, None, None] * away[p] * away[r]
            elif p == r:
                total = total + (precision if precision.ndim == 1 else precision[:, p])[:, None, None] * away[p] ** 2
    return total if size else -total


class Oracle:
    """The answer to a case, from its tensors as they were drawn, before hidden numbers are poisoned."""

    def __init__(self, case: Case, drawn: dict[str, Tensor], grads: dict[str, Tensor]) -> None:
        self.case, self.s = case, case.sizes
        self.dtypes = {name: x.dtype for name, x in drawn.items()}
        self.half = drawn["v"].dtype.itemsize == 2
        self.unit = torch.finfo(torch.promote_types(drawn["v"].dtype, torch.float32)).eps
        self.coarse = torch.finfo(drawn["v"].dtype).eps if self.half else 0.0
        self.least = _least(drawn["v"].dtype)
        self.tensors = {name: _wide(x) for name, x in drawn.items()}
        self.grads = {name: x.detach().cpu().double() for name, x in grads.items()}
        self.pairs = Pairs(case)
        self.mask = allowed(case.mask, self.pairs, self.tensors)
        groups = self.mask.unflatten(1, (self.s.G, -1))
        self.hidden_keys = ~groups.any(3).any(2)
        self.hidden_queries = ~self.mask.any(3)

    def answer(self, learnt: list[str]) -> Answer:
        """Outputs and gradients with their bounds."""
        leaves = {name: self.tensors[name].requires_grad_() for name in learnt}
        seen = self._seen(self.tensors)
        parts = self._outputs(seen)
        loss = sum([(parts[name] * grad).sum() for name, grad in self.grads.items()], start=torch.zeros(()).double())
        found: dict[str, Tensor] = {}
        second: dict[str, Tensor] = {}
        if leaves:
            twice = self.case.world == "second"
            gradients = _gradients(loss, list(leaves.values()), create_graph=twice)
            found = {f"gradient of {name}": grad.detach() for name, grad in zip(leaves, gradients, strict=True)}
            if twice:
                again = sum([grad.square().sum() for grad in gradients], start=torch.zeros(()).double())
                second = dict(zip(leaves, _gradients(again, list(leaves.values())), strict=True))
        with torch.no_grad():
            exact = {name: parts[name].detach() for name in parts if name in ("out", "lse")}
        results = {name: Exact(x, self._bound(name, x)) for name, x in (exact | found).items()}
        return Answer(results, self.hidden_keys, self.hidden_queries, ~self.mask, second)

    def _seen(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Zeros in place of what nobody sees."""
        hidden = {"q": self.hidden_queries, "k": self.hidden_keys, "v": self.hidden_keys}
        return {
            name: x.masked_fill(hidden[name][..., None], 0) if name in hidden and x is not None else x
            for name, x in tensors.items()
        }

    def _outputs(self, x: dict[str, Tensor]) -> dict[str, Tensor]:
        P, lse = self._weights(x)
        if self.case.call == "weights":
            return {"out": P}
        heads = P @ self._each_head(x["v"])
        if self.case.call == "attend_projected":
            return {"out": heads.transpose(1, 2).flatten(2) @ x["weight"].mT + x["bias"]}
        return {"out": heads, "lse": lse} if self.case.return_lse else {"out": heads}

    def _each_head(self, x: Tensor) -> Tensor:
        return x.repeat_interleave(self.s.H // self.s.G, 1)

    def _weights(self, x: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """The map (B, H, T, S), and the log-sum-exp of a softmax."""
        none = torch.zeros((), dtype=torch.float64)
        if self.case.weighting.kind == "Kernel":
            products = (self._features(x["q"], x) @ self._features(self._each_head(x["k"]), x).mT).where(
                self.mask, none
            )
            if not self.case.weighting.args[2]:
                return products, none
            total = products.sum(-1, keepdim=True)
            return products / total.where(total != 0, torch.inf), none
        logits = self._logits(x).where(self.mask, none)
        largest = logits.detach().masked_fill(~self.mask, -torch.inf).amax(-1, keepdim=True)
        empty = ~self.mask.any(-1, keepdim=True)
        if self.case.weighting.kind == "Hard":
            best = self.mask & (logits.detach() == largest)
            first = best & (best.cumsum(-1) == 1)
            return first.double(), none
        sink = self._sink(x)
        if sink is not None:
            largest = torch.maximum(largest, sink.detach())
            powers = (logits - largest).exp().where(self.mask, none)
            total = powers.sum(-1, keepdim=True) + (sink - largest).exp()
            return powers / total, (total.log() + largest)[..., 0]
        powers = (logits - largest.masked_fill(empty, 0)).exp().where(self.mask, none)
        total = powers.sum(-1, keepdim=True).masked_fill(empty, 1)
        lse = (total.log() + largest.masked_fill(empty, 0)).masked_fill(empty, 0)[..., 0]
        lse = lse - torch.where(empty[..., 0], torch.inf, 0.0)
        return powers / total, lse

    def _sink(self, x: dict[str, Tensor]) -> Tensor | None:
        """The logit beside those of the keys that gives nothing, (H, 1, 1)."""
        softmax = self.case.weighting.kind == "Softmax"
        return x[self.case.weighting.args[0].name][:, None, None] if softmax and self.case.weighting.args else None

    def _logits(self, x: dict[str, Tensor], size: bool = False) -> Tensor:
        s = self.s
        total = torch.zeros(s.B, s.H, s.T, s.S, dtype=torch.float64)
        for term in self.case.scores:
            total = total + _score(term, self.pairs, x, size)
        return total

    def _features(self, x: Tensor, tensors: dict[str, Tensor]) -> Tensor:
        name, fields, _ = self.case.weighting.args
        numbers = [tensors[ref.name] for ref in fields]
        if name == "RandomFeatures":
            (directions,) = numbers
            beta = self.case.scores[0].args[0]
            x = x * (x.shape[-1] ** -0.5 if beta is None else beta) ** 0.5
            powers = x @ directions.mT - x.square().sum(-1, keepdim=True) / 2
            return powers.exp() / directions.shape[0] ** 0.5
        function = BUILT_IN_FEATURES.get(name) or FEATURES[name].truth
        return function(x, *numbers)

    def _bound(self, name: str, exact: Tensor) -> Tensor:
        if not hasattr(self, "sizes"):
            self.sizes = self._sizes()
        dtype = self.dtypes.get(name.removeprefix("gradient of "), self.dtypes["v"])
        if name == "lse":
            dtype = torch.promote_types(dtype, torch.float32)
        if self.case.call == "weights" and name == "out":
            dtype = self.dtypes["q" if self.case.given else "v"]
        finite = exact.masked_fill(~exact.isfinite(), 0).abs()
        bound = self.sizes[name] + torch.finfo(dtype).eps * finite
        return bound + _least(dtype) * (exact != 0)

    def _sizes(self) -> dict[str, Tensor]:
        """The same chain rule over magnitudes, times the share to which they are known."""
        learnt = [name for name, x in self.tensors.items() if x is not None and x.requires_grad]
        sizes = {
            name: x if x is None or x.dtype == torch.bool else x.detach().abs() for name, x in self.tensors.items()
        }
        sizes = self._seen(sizes)
        for name in learnt:
            sizes[name] = sizes[name].clone().requires_grad_()
        if self.case.weighting.kind == "Kernel":
            return self._kernel_sizes(learnt)
        plain = self._seen({name: x if x is None else x.detach() for name, x in self.tensors.items()})
        P, lse = self._weights(plain)
        magnitude = self._logits(sizes, size=True)
        visible = magnitude.detach().where(self.mask, 0.0)
        depth = visible.flatten(2).amax(-1)[:, :, None, None]
        sink = self._sink(plain)
        if sink is not None:
            depth = torch.maximum(depth, sink.abs())
            self.lost = (sink - lse[..., None]).exp()  # the weight of the sink, (B, H, T, 1)
        share = self.unit * (2 * LOGIT_ROUNDINGS * depth + SUM_ROUNDINGS + self.s.S / 4)
        spread = P + self.least * self.mask / (share + self.coarse)
        hard = self.case.weighting.kind == "Hard"
        if hard:
            spread = P + self._tied(plain, visible, P) / share
        return self._chain(spread, share, sizes, learnt, None if hard else magnitude)

    def _tied(self, plain: dict[str, Tensor], visible: Tensor, P: Tensor) -> Tensor:
        """Keys whose logits no arithmetic can tell from the largest: any of them may be taken."""
        if self.case.exact_ties:
            return torch.zeros_like(P)
        logits = self._logits(plain).masked_fill(~self.mask, -torch.inf)
        slack = 4 * LOGIT_ROUNDINGS * self.unit * visible.flatten(2).amax(-1)[:, :, None, None]
        near = self.mask & (logits >= logits.amax(-1, keepdim=True) - slack)
        return (near & (near.sum(-1, keepdim=True) > 1)).double() * 2

    def _chain(
        self, spread: Tensor, share: Tensor, sizes: dict[str, Tensor], learnt: list[str], magnitude: Tensor | None
    ) -> dict[str, Tensor]:
        """Bounds of all results, from weights that are known to `share` of `spread`."""
        forward, back = share + HALF_OUT * self.coarse, share + HALF_GRADIENT * self.coarse
        back = back + self.unit * (self.s.T * self.s.H / self.s.G) / 4
        if self.case.call == "weights":
            return self._map_bounds(spread, forward, back, sizes, learnt, magnitude)
        values = self._each_head(sizes["v"].detach())
        heads = spread @ values
        found = {"out": forward * heads}
        came = self.grads["out"].abs()
        if self.case.call == "attend_projected":
            found, came = self._project(found["out"], heads, came, sizes)
        lse = self.grads["lse"].abs()[..., None] if self.case.return_lse else torch.zeros(())
        if self.case.return_lse:
            found["lse"] = (forward[..., 0] + (HALF_LSE if self.half else 0.0)).expand(came.shape[:3])
        row = (came * heads).sum(-1, keepdim=True) + lse
        own = (came @ values.mT + row) * spread * back
        to_values = (spread * back).mT @ came
        found["gradient of v"] = to_values.unflatten(1, (self.s.G, -1)).sum(2)
        return found | self._to_terms(own, sizes, learnt, magnitude) | self._to_sink(row * back)

    def _to_sink(self, row: Tensor) -> dict[str, Tensor]:
        """The bound of the gradient of the sink, to which each row sends its share."""
        if self._sink(self.tensors) is None:
            return {}
        many = 1 + (self.s.B * self.s.T) ** 0.5 / 16
        name = self.case.weighting.args[0].name
        return {f"gradient of {name}": many * (row * (self.lost + self.least)).sum((0, 2, 3))}

    def _to_terms(
        self, own: Tensor, sizes: dict[str, Tensor], learnt: list[str], magnitude: Tensor | None
    ) -> dict[str, Tensor]:
        """The bounds of gradients of logits, sent on to what the logits are made of."""
        names = [name for name in learnt if name not in ("v", "weight", "bias")]
        found = {f"gradient of {name}": torch.zeros_like(sizes[name]) for name in names}
        if magnitude is None or not magnitude.requires_grad:
            return found
        gradients = _gradients((magnitude * own.detach()).sum(), [sizes[name] for name in names])
        many = 1 + (self.s.B * self.s.T) ** 0.5 / 16  # a term adds up rows too
        return {name: x.abs() * (1 if name[-1] in "qk" else many) for name, x in zip(found, gradients, strict=True)}

    def _map_bounds(
        self,
        spread: Tensor,
        forward: Tensor,
        back: Tensor,
        sizes: dict[str, Tensor],
        learnt: list[str],
        magnitude: Tensor | None,
    ) -> dict[str, Tensor]:
        came = self.grads["out"].abs()
        row = (came * spread).sum(-1, keepdim=True)
        own = (came + row) * spread * back
        return {"out": forward * spread} | self._to_terms(own, sizes, learnt, magnitude) | self._to_sink(row * back)

    def _project(
        self, bound: Tensor, heads: Tensor, came: Tensor, sizes: dict[str, Tensor]
    ) -> tuple[dict[str, Tensor], Tensor]:
        """Bounds through the projection, and the magnitude of the gradient that comes to the heads."""
        weight = sizes["weight"].detach()
        side_by_side = heads.transpose(1, 2).flatten(2)
        known = bound.transpose(1, 2).flatten(2) + (SUM_ROUNDINGS * self.unit + HALF_OUT * self.coarse) * side_by_side
        rounding = (SUM_ROUNDINGS + self.s.T) * self.unit + HALF_GRADIENT * self.coarse
        found = {
            "out": known @ weight.mT + SUM_ROUNDINGS * self.unit * sizes["bias"].detach(),
            "gradient of weight": came.flatten(0, 1).mT @ (known + rounding * side_by_side).flatten(0, 1),
            "gradient of bias": rounding * came.flatten(0, 1).sum(0),
        }
        return found, (came @ weight).unflatten(2, (self.s.H, -1)).transpose(1, 2)

    def _kernel_sizes(self, learnt: list[str]) -> dict[str, Tensor]:
        """Bounds of a kernel: features, which may be signed, are known to a share, which an exponent's size raises."""
        x = self._seen({name: x if x is None else x.detach() for name, x in self.tensors.items()})
        k = self._each_head(x["k"])
        powers = max(float(x["q"].abs().sum(-1).max()), float(k.abs().sum(-1).max()))
        name, fields, normalise = self.case.weighting.args
        sharp = [float(x[ref.name].abs().max()) for ref in fields]
        powers *= 1 + sum(sharp) + powers * (name == "RandomFeatures")
        g_q, g_k = self._features(x["q"], x).abs(), self._features(k, x).abs()
        P = self._weights(x)[0] if normalise else (g_q @ g_k.mT).where(self.mask, 0.0)
        roundings = LOGIT_ROUNDINGS * powers + SUM_ROUNDINGS + self.s.S / 4 + g_q.shape[-1]
        share = 2 * self.unit * torch.full((1, 1, 1, 1), roundings, dtype=torch.float64)
        forward, back = share + HALF_OUT * self.coarse, 2 * share + HALF_GRADIENT * self.coarse
        back = back + self.unit * (self.s.T * self.s.H / self.s.G) / 4
        came = self.grads["out"].abs()
        if self.case.call == "weights":
            found = {"out": forward * P}
            own = came + (came * P).sum(-1, keepdim=True)
        else:
            values = self._each_head(x["v"].abs())
            heads = P @ values
            to_values = ((P * back).mT @ came).unflatten(1, (self.s.G, -1)).sum(2)
            found = {"out": forward * heads, "gradient of v": to_values}
            own = came @ values.mT + (came * heads).sum(-1, keepdim=True)
        total = (g_q @ g_k.mT).where(self.mask, 0.0).sum(-1, keepdim=True)
        own = own.where(self.mask, 0.0) * back / (total.where(total > 0, torch.inf) if normalise else 1.0)
        return found | self._to_features(x, own @ g_k, own.mT @ g_q, fields)

    def _to_features(
        self, x: dict[str, Tensor], to_q: Tensor, to_k: Tensor, fields: tuple[Ref, ...]
    ) -> dict[str, Tensor]:
        """Through the feature map by the magnitudes of its derivatives, vector by vector."""
        found = {}
        tensors = dict(x)
        k = self._each_head(x["k"])
        for name, vectors, to in (("q", x["q"], to_q), ("k", k, to_k)):
            flat = vectors.flatten(0, 2)
            slopes = torch.func.vmap(torch.func.jacrev(lambda one: self._features(one, tensors)))(flat)  # (N, F, D)
            # Where a feature saturates, its slope is known to a rounding of its largest one.
            steep = slopes.abs() + (slopes != 0) * slopes.abs().amax(0, keepdim=True) / 32
            sent = (to.flatten(0, 2)[:, :, None] * steep).sum(1).view(vectors.shape)
            found[f"gradient of {name}"] = sent if name == "q" else sent.unflatten(1, (self.s.G, -1)).sum(2)
        for ref in fields:
            total = torch.zeros_like(x[ref.name])
            for vectors, to in ((x["q"], to_q), (k, to_k)):
                pieces = zip(vectors.flatten(0, 2).split(CHUNK), to.flatten(0, 2).split(CHUNK), strict=True)
                for some, sent in pieces:
                    by_field = lambda field: self._features(some, tensors | {ref.name: field})  # noqa: B023, E731
                    slopes = torch.func.jacfwd(by_field)(x[ref.name]).abs().flatten(0, 1)
                    total = total + (sent.flatten()[(...,) + (None,) * total.ndim] * slopes).sum(0)
            found[f"gradient of {ref.name}"] = total * (1 + (self.s.B * self.s.T) ** 0.5 / 16)
        return found


def _least(dtype: torch.dtype) -> float:
    """What may be lost of a number however small: float16 has a spacing, in other types the least become zero."""
    info = torch.finfo(dtype)
    return 2 * info.smallest_normal * info.eps if dtype == torch.float16 else info.smallest_normal


def _wide(x: Tensor | None) -> Any:
    if x is None:
        return None
    x = x.detach().cpu()
    return x.clone() if x.dtype == torch.bool else x.double().clone(memory_format=torch.contiguous_format)


def _gradients(loss: Tensor, leaves: list[Tensor], create_graph: bool = False) -> tuple[Tensor, ...]:
    if not loss.requires_grad:
        return tuple(torch.zeros_like(x) for x in leaves)
    return torch.autograd.grad(loss, leaves, create_graph=create_graph, allow_unused=True, materialize_grads=True)


def compare(got: dict[str, Tensor], answer: Answer, dtypes: Callable[[str], torch.dtype] | None = None) -> list[str]:
    """What is wrong in the results, each with its worst place."""
    problems = []
    for name, exact in answer.results.items():
        if name not in got:
            problems.append(f"{name}: missing")
            continue
        x = got[name].detach().cpu()
        if x.shape != exact.number.shape:
            problems.append(f"{name}: shape {tuple(x.shape)}, must be {tuple(exact.number.shape)}")
            continue
        if dtypes is not None and x.dtype != dtypes(name):
            problems.append(f"{name}: {x.dtype}, must be {dtypes(name)}")
        problem = _worst(x.double(), exact)
        problems += [f"{name}{problem}"] if problem else []
    return problems


def _worst(x: Tensor, exact: Exact) -> str | None:
    error = (x - exact.number).abs()
    error = error.masked_fill(x == exact.number, 0).nan_to_num(nan=torch.inf)  # −∞ equals −∞
    ratio = error / exact.bound.expand_as(error).clamp(min=1e-300)
    ratio = ratio.masked_fill(error == 0, 0)
    if not (ratio > 1).any():
        return None
    where = torch.unravel_index(ratio.argmax(), ratio.shape)
    place = [int(n) for n in where]
    got, must, bound = (float(y[tuple(place)]) for y in (x, exact.number, exact.bound.expand_as(error)))
    wrong = f"{int((ratio > 1).sum())} of {ratio.numel()} wrong, to {float(ratio.max()):.2g} times"
    return f"{place}: {got:.9g}, must be {must:.9g} ± {bound:.2g}; {wrong}"
