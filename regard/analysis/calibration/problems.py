"""Random problems for the planner: small ones are common, and every kind of mask, score term and weighting occurs."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.attention import (
    Attention,
    Axial,
    Bias,
    Blocks,
    Causal,
    Content,
    Dense,
    Elu,
    Everything,
    GlobalTokens,
    Grid,
    Hard,
    Kernel,
    KeyPadding,
    Mask,
    Neighbours,
    Padding,
    Quadratic,
    RelativeTable,
    Slopes,
    Softmax,
    Strided,
    Term,
    Tiles,
    Window,
)

PAIRS = {"cuda": 4e9, "cpu": 4e6}  # queries × keys over all rows and heads: larger problems get fewer rows
LONGEST, MOST_ROWS = 4096, 32
HEADS = ((1, 1), (2, 1), (4, 4), (8, 2), (8, 8), (12, 12), (16, 4), (16, 16))  # H and G
WIDTHS = ((64, 64), (64, 64), (64, 64), (32, 32), (128, 128), (64, 128))  # D and E
POSITION_ALONE = ("gaussians on a grid", "table on a grid")
COMPILED_GRIDS = ((8, 8), (32, 32))  # a kernel is compiled for each size of grid


@dataclass(frozen=True)
class Combination:
    """What is asked: a mask, a score term, a weighting. `weight` says how often."""

    mask: str
    term: str = "content"
    weighting: str = "softmax"
    weight: int = 1

    @property
    def label(self) -> str:
        parts = [self.mask, *([self.term] if self.term != "content" else [])]
        return ", ".join([*parts, *([self.weighting] if self.weighting != "softmax" else [])])

    @property
    def on_grid(self) -> bool:
        return self.mask in ("neighbours", "tiles", "axial") or self.term.endswith("on a grid")

    @property
    def square(self) -> bool:
        """Whether queries and keys are the same tokens."""
        return self.on_grid or self.mask in ("padding", "padding by numbers", "causal & padding")


COMBINATIONS = (
    Combination("none", weight=5),
    Combination("causal", weight=5),
    Combination("key padding", weight=3),
    Combination("causal & key padding", weight=3),
    Combination("padding by numbers", weight=2),
    Combination("window", weight=2),
    Combination("causal window", weight=2),
    Combination("padding", weight=2),
    Combination("key padding by numbers", weight=2),
    Combination("causal & padding"),
    Combination("strided"),
    Combination("blocks"),
    Combination("global or window"),
    Combination("dense"),
    Combination("neighbours"),
    Combination("tiles"),
    Combination("axial"),
    Combination("causal", "slopes"),
    Combination("none", "bias"),
    Combination("none", "table"),
    Combination("none", "gaussians and content on a grid"),
    Combination("none", "gaussians on a grid"),
    Combination("none", "table on a grid"),
    Combination("none", weighting="hard"),
    Combination("none", weighting="kernel"),
    Combination("causal", weighting="kernel"),
)


@dataclass(frozen=True)
class Kind:
    """All that a kernel is compiled for; sizes of rows and tokens are not among it."""

    combination: Combination
    H: int
    G: int
    D: int
    E: int
    dtype: torch.dtype
    backward: bool


@dataclass(frozen=True)
class Drawn:
    """One problem: a kind, sizes, and a seed for its tensors."""

    kind: Kind
    B: int
    T: int
    S: int
    grid: tuple[int, int] | None
    seed: int

    @property
    def sizes(self) -> dict[str, int]:
        kind = self.kind
        return {"B": self.B, "H": kind.H, "G": kind.G, "T": self.T, "S": self.S, "D": kind.D, "E": kind.E}

    @property
    def label(self) -> str:
        kind = self.kind
        sizes = " ".join([f"{name}{size}" for name, size in self.sizes.items()])
        grid = "" if self.grid is None else f" ({self.grid[0]}×{self.grid[1]})"
        passes = "both" if kind.backward else "forward"
        return f"{kind.combination.label} {sizes}{grid} {str(kind.dtype).removeprefix('torch.')} {passes}"


class Drawing:
    """Problems by their number. `num_compiled` combinations have one kind each that may be compiled for."""

    def __init__(self, seed: int, device: torch.device, num_compiled: int) -> None:
        self.seed, self.random = seed, random.Random(seed)
        self.device = device
        self.compiled = {combination: self._kind(combination) for combination in COMBINATIONS[:num_compiled]}

    def problem(self, number: int) -> Drawn:
        """One of the kinds that are compiled for, or any other, half of the time each: in every process the same."""
        self.random = random.Random(f"{self.seed} {number}")
        weights = [combination.weight for combination in COMBINATIONS]
        (combination,) = self.random.choices(COMBINATIONS, weights)
        known = combination in self.compiled and self.random.random() < 0.5
        return self.sized(self.compiled[combination] if known else self._kind(combination))

    def may_compile(self, drawn: Drawn) -> bool:
        return self.compiled.get(drawn.kind.combination) == drawn.kind

    def compilable(self, drawn: Drawn) -> Drawn | None:
        """A problem like this one that may be compiled for."""
        kind = self.compiled.get(drawn.kind.combination)
        return None if kind is None else self.sized(kind)

    def _kind(self, combination: Combination) -> Kind:
        (H, G), (D, E) = self.random.choice(HEADS), self.random.choice(WIDTHS)
        half = self.random.random() < (0.75 if self.device.type == "cuda" else 0.15)
        dtype = torch.bfloat16 if half else torch.float32
        backward = self.random.random() < 0.5
        return Kind(combination, H, G, D, E, dtype, backward)

    def sized(self, kind: Kind) -> Drawn:
        compiled = self.device.type == "cuda" and self.compiled.get(kind.combination) == kind
        least = 2 if compiled else 1  # a size of one is compiled for apart
        grid = None
        if kind.combination.on_grid:
            grid = self.random.choice(COMPILED_GRIDS) if compiled else (self._size(2, 64), self._size(2, 64))
            T = S = grid[0] * grid[1]
        else:
            T = self._size(least, LONGEST)
            S = T if kind.combination.square or self.random.random() < 0.6 else self._size(least, LONGEST)
            if not kind.combination.square and not compiled and self.random.random() < 0.1:
                T = 1  # a token behind a cache
        B = self._size(least, MOST_ROWS)
        per_row, most = kind.H * T * S, PAIRS["cuda" if self.device.type == "cuda" else "cpu"]
        B = max(least, min(B, int(most / per_row)))
        if B * per_row > 4 * most:
            return self.sized(kind)
        return Drawn(kind, B, T, S, grid, self.random.randrange(1 << 30))

    def _size(self, low: int, high: int) -> int:
        """As often between 4 and 8 as between 512 and 1024."""
        return min(high, int(math.exp(self.random.uniform(math.log(low), math.log(high + 1)))))


@dataclass(frozen=True, eq=False)
class Made:
    """The tensors of a problem: what `attend` takes, and what the way back asks for."""

    q: Tensor | None
    k: Tensor | None
    v: Tensor
    value: Attention
    leaves: tuple[Tensor, ...]
    grad: Tensor


def make(drawn: Drawn, device: torch.device) -> Made:
    """Fresh normal tensors, and a value with tensors of its own, learnt where there is a way back."""
    kind, B, T, S = drawn.kind, drawn.B, drawn.T, drawn.S
    generator = torch.Generator(device).manual_seed(drawn.seed)

    def normal(*size: int, dtype: torch.dtype = kind.dtype) -> Tensor:
        return torch.randn(size, generator=generator, device=device).to(dtype)

    terms, learnt = _terms(drawn, lambda *size: normal(*size, dtype=torch.float32))
    content = kind.combination.term not in POSITION_ALONE
    if content:
        terms.insert(0, Content())
    scores = terms[0]
    for term in terms[1:]:
        scores = scores + term
    weighting = {"softmax": Softmax(), "hard": Hard(), "kernel": Kernel(Elu())}[kind.combination.weighting]
    places = None if drawn.grid is None else Grid(*drawn.grid)
    value = Attention(scores, _mask(drawn, device), weighting, places, places)
    q, k, v = normal(B, kind.H, T, kind.D), normal(B, kind.G, S, kind.D), normal(B, kind.G, S, kind.E)
    leaves = [*([q, k] if content else []), v, *learnt]
    for leaf in leaves:
        leaf.requires_grad_(kind.backward)
    grad = normal(B, kind.H, T, kind.E)
    return Made(q if content else None, k if content else None, v, value, tuple(leaves), grad)


def _terms(drawn: Drawn, normal: Callable[..., Tensor]) -> tuple[list[Term], list[Tensor]]:
    """The score terms but content, and those of their tensors that are learnt."""
    H, term = drawn.kind.H, drawn.kind.combination.term
    if term == "slopes":
        return [Slopes.geometric(H, normal(1).device)], []
    if term == "bias":
        bias = normal(H, drawn.T, drawn.S).to(drawn.kind.dtype)
        return [Bias(bias)], [bias]
    if term == "table":
        table = normal(H, 2 * max(drawn.T, drawn.S) + 1)
        return [RelativeTable(table)], [table]
    if term == "table on a grid":
        assert drawn.grid is not None
        table = normal(H, 2 * drawn.grid[0] - 1, 2 * drawn.grid[1] - 1)
        return [RelativeTable(table, bound=4)], [table]
    if term.startswith("gaussians"):
        centre, precision = normal(H, 2), torch.full_like(normal(H), 0.5)
        return [Quadratic(centre, precision)], [centre]
    return [], []


def _mask(drawn: Drawn, device: torch.device) -> Mask:
    draw = random.Random(drawn.seed)
    numbers = tuple([draw.randint(1, drawn.S) for _ in range(drawn.B)])
    generator = torch.Generator(device).manual_seed(drawn.seed)
    makers: dict[str, Callable[[], Any]] = {
        "none": Everything,
        "causal": Causal,
        "window": lambda: Window(64, 64),
        "causal window": lambda: Causal() & Window(128),
        "key padding": lambda: KeyPadding(torch.tensor(numbers, device=device)),
        "key padding by numbers": lambda: KeyPadding(numbers),
        "padding": lambda: Padding(torch.tensor(numbers, device=device)),
        "padding by numbers": lambda: Padding(numbers),
        "causal & key padding": lambda: Causal() & KeyPadding(torch.tensor(numbers, device=device)),
        "causal & padding": lambda: Causal() & Padding(torch.tensor(numbers, device=device)),
        "strided": lambda: Strided(8),
        "blocks": lambda: Blocks(64),
        "global or window": lambda: GlobalTokens(4) | Window(32, 32),
        "dense": lambda: Dense(torch.rand(drawn.T, drawn.S, generator=generator, device=device) < 0.5),
        "neighbours": lambda: Neighbours(2, 2),
        "tiles": lambda: Tiles(4, 4),
        "axial": Axial,
    }
    return makers[drawn.kind.combination.mask]()
