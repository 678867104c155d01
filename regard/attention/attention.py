"""The value itself: what scores, what mask, what weighting, on which positions."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.attention.masks.mask import Everything, Mask
from regard.attention.positions.positions import Cut, Grid, Places, Positions, Sequence, check_positions
from regard.attention.positions.reach import reach
from regard.attention.scores.relative import RelativeTable
from regard.attention.scores.term import Content, Shape, Term
from regard.attention.torch_private import assert_soon
from regard.attention.value import Value
from regard.attention.weighting.weighting import Kernel, Softmax, Weighting

ALL: Any = slice(None)  # rows
EXAMPLES = {"scores": "Content()", "mask": "Causal() or Dense(tensor)", "weighting": "Softmax() or Hard()"}


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Attention(Value):
    """An attention mechanism: `o_i = Σ_j weighting(scores_i where mask_i)_j · v_j`.

    Left out, scores are `Content()`, the mask is `Everything()`, the weighting `Softmax()`.

    >>> from regard.attention import Causal, Window
    >>> Attention(mask=Causal() & Window(before=3))
    Attention(scores=Content(beta=None), mask=Causal() & Window(before=3, after=0), weighting=Softmax())
    """

    scores: Term
    mask: Mask
    weighting: Weighting
    queries: Positions | None
    keys: Positions | None

    def __init__(
        self,
        scores: Term | None = None,
        mask: Mask | None = None,
        weighting: Weighting | None = None,
        queries: Positions | None = None,
        keys: Positions | None = None,
    ) -> None:
        for name, part, kind in (("scores", scores, Term), ("mask", mask, Mask), ("weighting", weighting, Weighting)):
            if part is not None and not isinstance(part, kind):
                raise ValueError(f"{name} must be a value such as {EXAMPLES[name]}: got {part!r}; did you forget ()?")
        for name, part in (("queries", queries), ("keys", keys)):
            if part is not None and type(part) not in (Sequence, Grid):  # algorithms know these alone
                raise ValueError(f"{name} must be Sequence or Grid positions: got {part!r}; use Sequence(n)")
        # Written out because torch.compile can follow neither a default that is an object nor a default factory.
        object.__setattr__(self, "scores", Content() if scores is None else scores)
        object.__setattr__(self, "mask", Everything() if mask is None else mask)
        object.__setattr__(self, "weighting", Softmax() if weighting is None else weighting)
        object.__setattr__(self, "queries", queries)
        object.__setattr__(self, "keys", keys)

    def num_queries(self, S: int) -> int:
        """T, where there is no q to tell it: the number of query places, or as many as there are keys."""
        return S if self.queries is None else self.queries.count

    def places(self, T: int, S: int) -> Places:
        """Where both sides stand; without positions the last query stands at the last key."""
        if isinstance(self.queries, Grid) and self.keys is None:
            return Places(self.queries, self.queries)
        keys = Sequence(S) if self.keys is None else self.keys
        if self.queries is not None:
            return Places(self.queries, keys)
        if isinstance(keys, Grid):
            return Places(keys, keys)
        return Places(Sequence(T, start=keys.start + keys.step * (S - T), step=keys.step), keys)

    def piece(self, cut: Cut) -> "Attention":
        """The same mechanism for a piece of all pairs, whose weights are those of the whole before they are shares.

        >>> from regard.attention import Causal
        >>> whole = Attention(mask=Causal())
        >>> whole.piece(Cut(whole.places(8, 8), range(4, 8), range(2))).queries
        Sequence(n=4, start=4, step=1)
        """
        places = cut.places
        return Attention(self.scores.piece(cut), self.mask.piece(cut), self.weighting, places.queries, places.keys)

    @property
    def content(self) -> Content | None:
        """The content term, when there is one."""
        if isinstance(self.scores, Content):
            return self.scores
        for term in self.scores.terms:
            if isinstance(term, Content):
                return term
        return None

    @property
    def biases(self) -> tuple[Term, ...]:
        """All terms but the content."""
        return tuple([term for term in self.scores.terms if not isinstance(term, Content)])

    @property
    def heads(self) -> int | None:
        """The number of heads that its scores and its sink are for, None when they fit any."""
        return self.scores.heads or (None if self.sink is None else len(self.sink))

    @property
    def sink(self) -> Tensor | None:
        """The logit of each head that takes weight and gives nothing, when there is one."""
        return self.weighting.sink if isinstance(self.weighting, Softmax) else None

    def check(self, shape: Shape) -> None:
        """Raise unless scores, mask, weighting and positions fit tensors of these sizes, and each other."""
        places = self.places(shape.T, shape.S)
        sides = [(places.queries, shape.T, "queries"), (places.keys, shape.S, "keys")]
        # A side without positions follows the other: blame the one that was given.
        for positions, count, side in sides if self.queries is not None else sides[::-1]:
            check_positions(positions, shape.B, count, side)
        self.scores.check(shape, places)
        self.mask.check(shape, places)
        if isinstance(self.weighting, Kernel):
            self.weighting.check(self.scores, shape)
        elif isinstance(self.weighting, Softmax):
            self.weighting.check(shape)
        for term in self.scores.terms:
            if isinstance(term, RelativeTable) and term.facts().table:
                check_cover(term, self.mask, places)

    @property
    def batch(self) -> int | None:
        """The number of rows that its tensors are for, None when they fit any."""
        starts = [side.start for side in (self.queries, self.keys) if side is not None]
        rows = [len(start) for start in starts if isinstance(start, Tensor)]
        return max([*rows, self.mask.batch or 0, self.scores.batch or 0]) or None

    def __repr__(self) -> str:
        fields = [f"scores={self.scores!r}", f"mask={self.mask!r}", f"weighting={self.weighting!r}"]
        fields += [f"{name}={getattr(self, name)!r}" for name in ("queries", "keys") if getattr(self, name) is not None]
        return f"Attention({', '.join(fields)})"


def check_cover(term: RelativeTable, mask: Mask, places: Places) -> None:
    """Raise unless the table covers all visible offsets; where starts are on a GPU, there and without waiting."""
    term.check_reach(reach(mask, places, term))
    starts = [side.start for side in (places.queries, places.keys)]
    away = [start for start in starts if isinstance(start, Tensor) and start.is_cuda]
    if not away or torch.compiler.is_compiling():
        return
    queries, keys = places.line(term)
    least, most = mask.facts(places).band[0]
    low, high = keys.at(ALL, 0) - queries.at(ALL, queries.n - 1), keys.at(ALL, keys.n - 1) - queries.at(ALL, 0)
    low = low if least is None else low.clamp(min=least)
    high = high if most is None else high.clamp(max=most)
    covered = (low > high) | ((low >= -term.reach[0]) & (high <= term.reach[0]))
    assert_soon(covered.all(), f"a relative table must cover the visible offsets: it reaches ±{term.reach[0]}")
