"""A case of the fuzz: one call of the library as plain data, from which the call and the oracle's answer are made."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Node:
    """A mask, a score term, positions or a weighting by name: `Node("Window", (3, 1))`. Arguments may be nodes."""

    kind: str
    args: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Ref:
    """The tensor of this name, of `Case.tensors`."""

    name: str


@dataclass(frozen=True)
class Drawn:
    """A tensor of a score term, a mask or a feature map: the Python that draws it, and whether it learns."""

    name: str
    text: str
    learnt: bool = False


@dataclass(frozen=True)
class Sizes:
    """The sizes of one call, in the legend of the project."""

    B: int
    H: int
    G: int
    T: int
    S: int
    D: int
    E: int


@dataclass(frozen=True)
class Case:
    """One call. `call` names the function, `world` the state of torch around it, `poison` what hidden tokens hold."""

    seed: int
    device: str
    sizes: Sizes
    dtype: str
    numbers: str  # "normal", or "eighths": products and sums without a rounding
    layouts: tuple[str, str, str]
    scores: tuple[Node, ...]
    mask: Node
    weighting: Node
    queries: Node | None
    keys: Node | None
    tensors: tuple[Drawn, ...]
    learnt: str  # of "qkv"
    given: bool  # q and k are tensors, not None
    return_lse: bool
    incoming: str  # layout of the gradient that comes back
    poison: str | None
    world: str
    call: str = "attend"
    cuts: tuple[int, ...] = ()  # where a sequence in pieces is cut

    @property
    def content(self) -> Node | None:
        return next((term for term in self.scores if term.kind == "Content"), None)

    @property
    def exact_ties(self) -> bool:
        """Whether logits are sums of small multiples of a power of two, so that equal logits are equal anywhere."""
        content = self.content
        beta = 1.0 if content is None else content.args[0]
        plain = beta in (0, 1, 0.5, -1) or (beta is None and self.sizes.D in (1, 4, 16))
        capped = content is not None and len(content.args) > 1
        return self.numbers == "eighths" and plain and not capped


Line = list[list[int]]  # the position of each token, for every row of the batch


def line(side: Node, rows: int) -> Line:
    """The positions of a Sequence."""
    n, start, step = side.args
    starts = start if isinstance(start, tuple) else (start,) * rows
    return [[first + step * i for i in range(n)] for first in starts]


def grid(side: Node, axis: int, rows: int) -> Line:
    """The positions of a Grid's pixels along one axis, in raster order."""
    h, w, start, step = side.args
    pixels = [(r, c) for r in range(h) for c in range(w)]
    return [[start[axis] + step[axis] * pixel[axis] for pixel in pixels]] * rows


def places(queries: Node | None, keys: Node | None, sizes: Sizes) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Where queries and keys stand, along one axis or two.

    Without positions the last query stands at the last key, and a side without any stands as the other on a grid.
    """
    if queries is not None and queries.kind == "Grid" and keys is None:
        keys = queries
    keys = Node("Sequence", (sizes.S, 0, 1)) if keys is None else keys
    if queries is None:
        queries = keys
        if keys.kind == "Sequence":
            n, start, step = keys.args
            back = step * (n - sizes.T)
            starts = tuple(first + back for first in start) if isinstance(start, tuple) else start + back
            queries = Node("Sequence", (sizes.T, starts, step))
    sides = []
    for side in (queries, keys):
        axes = (line(side, sizes.B),) if side.kind == "Sequence" else tuple(grid(side, a, sizes.B) for a in (0, 1))
        sides.append(axes)
    return sides[0], sides[1]
