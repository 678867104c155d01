"""Patterns and cost: who sees whom under a mask, the plan of it, how its cost grows, and how far its layers reach."""

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, Literal, TypeVar

import torch
from pydantic import Field

from regard.algorithms import Plan
from regard.algorithms.ceilings import TABLES
from regard.analysis import reach
from regard.analysis.costs.crossovers import written
from regard.analysis.counting import FINE, seen, visits
from regard.analysis.written import batch_of, mechanism, planned
from regard.attention import Attention, Grid, Places, Shape
from regard.attention.notation import WORDS, parse_mask, parse_weighting
from regard.explore.api import Asked, Binary, Question, Reply
from regard.explore.desk import Desk
from regard.explore.growing import FULL, OURS, PROJECTIONS, Costs, Crossing, Curve, Growing
from regard.explore.presets import PRESETS, Preset
from regard.explore.work import check

TOKENS, SIDE, LAYERS = 1 << 17, 256, 64  # at most
FOLLOWED = 4096  # tokens of which each may reach each
DRAWN = 512  # cells along a side of the map
LINE = [1 << n for n in range(4, 17)]  # tokens over which cost grows
SQUARES = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]  # on a grid, as many along each side
PAIRS = ((OURS, FULL), (OURS, PROJECTIONS), (FULL, PROJECTIONS))  # that are compared

Text = Annotated[str, Field(max_length=300)]
Whole = Annotated[int, Field(ge=0)]
Side = Annotated[int, Field(ge=1, le=SIDE)]


class Stand(Asked):
    """Where the tokens are: so many in a line, or on a grid of rows and columns, which goes first."""

    tokens: Annotated[int, Field(ge=1, le=TOKENS)] = 512
    grid: tuple[Side, Side] | None = None

    @property
    def places(self) -> Places:
        if self.grid is None:
            return Attention().places(self.tokens, self.tokens)
        return Places(Grid(*self.grid), Grid(*self.grid))


class MechanismAsked(Stand):
    """A mechanism in words, and sizes: B rows, H heads of width D each."""

    mask: Text = "everything"
    scores: Text = "content"
    weighting: Text = "softmax"
    batch: Annotated[int, Field(ge=1, le=4096)] = 1
    heads: Annotated[int, Field(ge=1, le=256)] = 16
    width: Annotated[int, Field(ge=1, le=1024)] = 64
    device: Literal["cpu", "h200"] = "h200"
    dtype: Literal["bfloat16", "float16", "float32", "float64"] | None = None
    backward: bool = False


class PatternAsked(Stand):
    """A mask, the side of the blocks that a kernel visits, and the row of a padded batch."""

    mask: Text = "everything"
    block: Annotated[int, Field(ge=1, le=4096)] = 128
    row: Whole = 0


class ReachAsked(Stand):
    """Masks that layers take in turn, and the output that is followed: by default one that most tokens reach."""

    masks: Annotated[tuple[Text, ...], Field(min_length=1, max_length=8)] = ("everything",)
    layers: Annotated[int, Field(ge=1, le=LAYERS)] = 12
    residual: bool = True
    output: Whole | None = None
    row: Whole = 0


class Nothing(Asked):
    """Nothing."""


class PresetsReply(Reply):
    """Mechanisms to begin with, the names that a mask is made of, and the machines that plans are made for."""

    presets: list[Preset]
    words: list[str]
    devices: list[str]


class MechanismReply(Reply):
    """The value as the library writes it; or what is wrong with the words, by the field that is to be changed."""

    value: str | None
    wrong: dict[str, str]


class PatternHead(Reply):
    """Exact counts, and a map of rows × columns cells (uint8): 0 hidden, 1 visible in part, 2 visible.

    A cell holds `cell` × `cell` pairs; queries of a row of cells see from `fewest` to `most` keys. Where not
    `is_exact`, a cell in part may hold no visible pair.
    """

    mask: str
    tokens: int
    cell: int
    rows: int
    columns: int
    is_exact: bool
    pairs: int
    visible: int
    fewest: list[int]
    most: list[int]
    block: int
    blocks: int
    visited: int
    visited_pairs: int
    batch: int | None  # rows of a padded batch


class CandidateReply(Reply):
    """What an algorithm costs, or why it refuses."""

    name: str
    flops: float | None = None
    bytes: float | None = None
    memory: float | None = None
    launches: float | None = None
    seconds: float | None = None
    refusal: str | None = None


class PlanReply(Reply):
    """The chosen algorithm first, then the slower ones, then those that refuse; what full attention would cost."""

    value: str
    chosen: str
    device: str
    dtype: str
    shape: dict[str, int]
    candidates: list[CandidateReply]
    full: CandidateReply


class GrowthReply(Reply):
    """Costs of the mechanism, of its algorithms, of full attention and of the projections, over numbers of tokens."""

    tokens: list[int]
    sides: list[int] | None  # of the square grids
    chosen: list[str | None]
    curves: list[Curve]
    crossings: list[Crossing]


class DepthReply(Reply):
    """Tokens that reach an output after so many layers; `here` the one that is followed."""

    layers: int
    fewest: int
    mean: float
    most: int
    here: int
    formula: int | None
    convolution: int


class ReachHead(Reply):
    """How the receptive field grows, and which tokens have reached the output: (layers, tokens) of uint8, 0 or 1."""

    masks: list[str]
    sides: list[int]
    tokens: int
    output: int
    depths: list[DepthReply]
    formula: str | None
    legend: str | None
    settled: int | None
    taps: list[int]


def presets(desk: Desk, asked: Nothing) -> PresetsReply:
    """Mechanisms to begin with."""
    return PresetsReply(presets=list(PRESETS), words=[word.usage for word in WORDS], devices=list(TABLES))


def read(desk: Desk, asked: MechanismAsked) -> MechanismReply:
    """Whether the words make a mechanism that fits the tokens; what is wrong with them is no error here."""
    wrong, mask, weighting = dict[str, str](), None, None
    try:
        mask = parse_mask(asked.mask)
        size = asked.places.keys.count
        mask.check(Shape(batch_of(mask)[0] or asked.batch, 1, 1, size, size, 1, 1), asked.places)
    except ValueError as error:
        wrong["mask"] = str(error)
    try:
        weighting = parse_weighting(asked.weighting, asked.width)
    except ValueError as error:
        wrong["weighting"] = str(error)
    try:
        fallback = parse_weighting("softmax", asked.width)
        value = mechanism(
            asked.scores, mask or parse_mask("everything"), weighting or fallback, asked.places, asked.heads, False
        )
    except ValueError as error:
        wrong["scores"] = str(error)
        value = None
    return MechanismReply(value=None if wrong else repr(value), wrong=wrong)


def pattern(desk: Desk, asked: PatternAsked) -> Binary:
    """The map of a mask and exact counts: a `PatternHead`, then its cells."""
    return _kept(desk, "pattern", asked, lambda: _pattern(asked))


def _pattern(asked: PatternAsked) -> Binary:
    mask, places = parse_mask(asked.mask), asked.places
    rows, _ = batch_of(mask)
    if asked.row >= (rows or 1):
        raise ValueError(f"row must be one of the {rows or 1} that the mask speaks of: got {asked.row}; use 0")
    N = places.keys.count
    mask.check(Shape(rows or 1, 1, 1, N, N, 1, 1), places)
    cell = -(-N // DRAWN)
    cell = cell if cell <= FINE else -(-cell // FINE) * FINE
    found = seen(mask, places, cell, asked.row)
    check()
    blocks, visited, visited_pairs = visits(mask, places, asked.block, asked.row)
    by_row = found.keys.split(cell)
    head = PatternHead(
        mask=repr(mask),
        tokens=N,
        cell=cell,
        rows=found.cells.shape[0],
        columns=found.cells.shape[1],
        is_exact=found.is_exact,
        pairs=N * N,
        visible=int(found.keys.sum()),
        fewest=[int(some.min()) for some in by_row],
        most=[int(some.max()) for some in by_row],
        block=asked.block,
        blocks=blocks,
        visited=visited,
        visited_pairs=visited_pairs,
        batch=rows,
    )
    return Binary(head, found.cells.to(torch.uint8).numpy().tobytes())


def plan(desk: Desk, asked: MechanismAsked) -> PlanReply:
    """What every algorithm would cost, or why it refuses, and which one is chosen."""
    found, full = _planned(asked, asked.places), _full(asked, asked.places.keys.count)
    ranked = sorted(
        found.candidates, key=lambda one: (one.name != found.chosen, math.inf if one.seconds is None else one.seconds)
    )
    shape = found.problem.shape
    return PlanReply(
        value=repr(found.problem.attention),
        chosen=found.chosen,
        device=found.problem.ceilings.name,
        dtype=str(found.problem.dtype).removeprefix("torch."),
        shape={name: getattr(shape, name) for name in shape.__match_args__},
        candidates=[CandidateReply(name=one.name, refusal=one.refusal, **_costs(found, one.name)) for one in ranked],
        full=CandidateReply(name=full.chosen, **_costs(full, full.chosen)),
    )


def _planned(asked: MechanismAsked, places: Places) -> Plan:
    mask = parse_mask(asked.mask)
    weighting = parse_weighting(asked.weighting, asked.width)
    attention = mechanism(asked.scores, mask, weighting, places, asked.heads, asked.backward)
    return _sized(asked, attention, places.keys.count, batch_of(mask)[0] or asked.batch)


def _full(asked: MechanismAsked, N: int) -> Plan:
    """Softmax of content over all pairs."""
    return _sized(asked, Attention(), N, batch_of(parse_mask(asked.mask))[0] or asked.batch)


def _sized(asked: MechanismAsked, attention: Attention, N: int, batch: int) -> Plan:
    sizes = (batch, asked.heads, asked.heads, N, N, asked.width, asked.width)
    return planned(sizes, attention, asked.dtype, asked.device, asked.backward)


def _costs(found: Plan, name: str) -> dict[str, Any]:
    (one,) = [one for one in found.candidates if one.name == name]
    costs = (
        {} if one.cost is None else {key: getattr(one.cost, key) for key in ("flops", "bytes", "memory", "launches")}
    )
    return costs | {"seconds": one.seconds}


def growth(desk: Desk, asked: MechanismAsked) -> GrowthReply:
    """How the cost grows with the number of tokens, beside full attention, and where one overtakes the other."""
    # How many tokens there are at the moment changes nothing; whether they stand on a grid does.
    usual = asked.model_copy(update={"tokens": 1, "grid": None if asked.grid is None else (1, 1)})
    return _kept(desk, "growth", usual, lambda: _growth(usual))


def _growth(asked: MechanismAsked) -> GrowthReply:
    steps = LINE if asked.grid is None else SQUARES
    growing = Growing(steps, (lambda step: step) if asked.grid is None else (lambda step: step * step), _asker(asked))
    return GrowthReply(
        tokens=[growing.tokens(step) for step in steps],
        sides=None if asked.grid is None else steps,
        chosen=[growing.chosen(step) for step in steps],
        curves=growing.curves(),
        crossings=[found for pair in PAIRS for found in growing.crossings(*pair)],
    )


def _asker(asked: MechanismAsked) -> Callable[[int], tuple[str | None, Costs]]:
    """What everything costs at a step: so many tokens, or so many along each side of a grid."""

    def at(step: int) -> tuple[str | None, Costs]:
        check()
        here = asked.model_copy(update={"tokens": step} if asked.grid is None else {"grid": (step, step)})
        N = here.places.keys.count
        full = _full(asked, N)
        found: Costs = {FULL: _costs(full, full.chosen), PROJECTIONS: {"flops": _projections(full)}}
        try:
            ours = _planned(here, here.places)
        except ValueError:  # the mask does not fit so few tokens
            return None, found
        exact = {one.name: _costs(ours, one.name) for one in ours.candidates if one.cost is not None}
        return ours.chosen, {OURS: exact[ours.chosen]} | found | exact

    return at


def _projections(full: Plan) -> int:
    """FLOPs to make q, k and v from tokens as wide as all heads together, and to mix the heads; thrice to go back too.

    Four products of (N, C) and (C, C), two FLOPs per multiply-add.
    """
    shape = full.problem.shape
    return 4 * 2 * shape.B * shape.T * (shape.H * shape.D) ** 2 * (3 if full.problem.backward else 1)


def reached(desk: Desk, asked: ReachAsked) -> Binary:
    """How many tokens, and which, reach an output after each layer: a `ReachHead`, then (layers, tokens) of uint8."""
    return _kept(desk, "reach", asked, lambda: _reached(asked))


def _reached(asked: ReachAsked) -> Binary:
    tokens = asked.places.keys
    if tokens.count > FOLLOWED:
        raise ValueError(f"at most {FOLLOWED:,} tokens are followed: got {tokens.count:,}; use fewer, it grows alike")
    masks = [parse_mask(text) for text in asked.masks][: asked.layers]
    found = reach(list(masks), tokens, asked.layers, residual=asked.residual, output=asked.output, row=asked.row)
    head = ReachHead(
        masks=list(found.masks),
        sides=list(found.sides),
        tokens=found.tokens,
        output=found.output,
        depths=[DepthReply(**asdict(depth)) for depth in found.depths],
        formula=None if found.formula is None else _written(found.formula.at),
        legend=None if found.formula is None else found.formula.legend,
        settled=found.settled,
        taps=list(found.taps),
    )
    return Binary(head, found.reached.to(torch.uint8).numpy().tobytes())


def _written(expression: Any) -> str:
    """A formula as people write it, its cases one after the other."""
    import sympy

    if not isinstance(expression, sympy.Piecewise):
        return written(expression)
    pieces: Any = expression.args
    cases = [f"{written(value)} {'otherwise' if case is sympy.true else f'if {case}'}" for value, case in pieces]
    return "; ".join(cases).replace(" | ", " or ").replace("Eq(n, 1)", "n = 1")


Kept = TypeVar("Kept", bound=Reply | Binary)


def _kept(desk: Desk, name: str, asked: Asked, make: Callable[[], Kept]) -> Kept:
    """The answer, remembered for who comes back to a mechanism."""

    def made() -> tuple[Kept, int]:
        answer = make()
        return answer, len(answer.data) + 4096 if isinstance(answer, Binary) else 65536

    return desk.kept.get((name, asked), made)


QUESTIONS = (
    Question("presets", presets),
    Question("mechanism", read),
    Question("plan", plan),
    Question("pattern", pattern, heavy=True),
    Question("growth", growth, heavy=True),
    Question("reach", reached, heavy=True),
)
