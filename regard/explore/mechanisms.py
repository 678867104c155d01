"""Patterns and cost: a mechanism in words, the plan of it, and how its cost grows."""

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from regard.algorithms import Plan
from regard.algorithms.planning.machines import TABLES
from regard.analysis.written import batch_of, mechanism, planned
from regard.attention import Attention, Grid, Mask, Places, Shape
from regard.attention.notation import WORDS, parse_mask, parse_scores, parse_weighting
from regard.explore.api import Asked, Question, Reply
from regard.explore.desk import Desk
from regard.explore.growing import FULL, OURS, PROJECTIONS, CostCurve, Costs, Crossing, Growing
from regard.explore.patterns import Stand, Text, pattern, reached, remembered
from regard.explore.presets import PRESETS, Preset
from regard.explore.work import check

LINE = [1 << n for n in range(4, 17)]  # tokens over which cost grows
SQUARES = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]  # on a grid, as many along each side
PAIRS = ((OURS, FULL), (OURS, PROJECTIONS), (FULL, PROJECTIONS))  # that are compared


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


class PresetsAsked(Asked):
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
    curves: list[CostCurve]
    crossings: list[Crossing]


def presets(desk: Desk, asked: PresetsAsked) -> PresetsReply:
    """Mechanisms to begin with."""
    return PresetsReply(presets=list(PRESETS), words=[word.usage for word in WORDS], devices=list(TABLES))


def read(desk: Desk, asked: MechanismAsked) -> MechanismReply:
    """Whether the words make a mechanism that fits the tokens; what is wrong with them is no error here."""
    wrong = dict[str, str]()
    tries: dict[str, Callable[[], object]] = {
        "mask": lambda: _fits(parse_mask(asked.mask), asked),
        "weighting": lambda: parse_weighting(asked.weighting, asked.width),
        "scores": lambda: parse_scores(asked.scores, asked.heads, asked.places),
    }
    for name, tried in tries.items():
        try:
            tried()
        except ValueError as error:
            wrong[name] = str(error)
    value = None
    if not wrong:
        try:
            value = plan(desk, asked).value
        except ValueError as error:  # each is fine by itself
            wrong["weighting" if str(error).startswith("Kernel") else "scores"] = str(error)
    return MechanismReply(value=value, wrong=wrong)


def _fits(mask: Mask, asked: MechanismAsked) -> None:
    """Raise if the mask is not for so many tokens, or for another kind of places."""
    N = asked.places.keys.count
    try:
        _check(mask, asked, asked.places)
    except ValueError as error:
        try:
            _check(mask, asked, Places(Grid(1, N), Grid(1, N)) if asked.grid is None else Attention().places(N, N))
        except ValueError:
            raise error from None
        here, there = ("in a line", "on a grid") if asked.grid is None else ("on a grid", "in a line")
        raise ValueError(f"{asked.mask} is for tokens {there}: they are {here}; change the mask, or the grid") from None


def _check(mask: Mask, asked: MechanismAsked, places: Places) -> None:
    N = places.keys.count
    mask.check(Shape(batch_of(mask)[0] or asked.batch, 1, 1, N, N, 1, 1), places)


def plan(desk: Desk, asked: MechanismAsked) -> PlanReply:
    """What every algorithm would cost, or why it refuses, and which one is chosen."""
    return remembered(desk, "plan", asked, lambda: _plan(asked))


def _plan(asked: MechanismAsked) -> PlanReply:
    found, full = _planned(asked, asked.places), _full(asked, asked.places.keys.count)
    ranked = sorted(
        found.candidates, key=lambda one: (one.name != found.chosen, math.inf if one.seconds is None else one.seconds)
    )
    shape = found.problem.shape
    return PlanReply(
        value=repr(found.problem.attention),
        chosen=found.chosen,
        device=found.problem.machine.name,
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
    return remembered(desk, "growth", usual, lambda: _growth(usual))


def _growth(asked: MechanismAsked) -> GrowthReply:
    steps = LINE if asked.grid is None else SQUARES
    growing = Growing(steps, (lambda step: step) if asked.grid is None else (lambda step: step * step), _asker(asked))
    if growing.chosen(steps[-1]) is None:
        largest = _at(asked, steps[-1])
        _planned(largest, largest.places)  # which says why
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
        here = _at(asked, step)
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


def _at(asked: MechanismAsked, step: int) -> MechanismAsked:
    return asked.model_copy(update={"tokens": step} if asked.grid is None else {"grid": (step, step)})


def _projections(full: Plan) -> int:
    """FLOPs to make q, k and v from tokens as wide as all heads together, and to mix the heads; thrice to go back too.

    Four products of (N, C) and (C, C), two FLOPs per multiply-add.
    """
    shape = full.problem.shape
    return 4 * 2 * shape.B * shape.T * (shape.H * shape.D) ** 2 * (3 if full.problem.backward else 1)


QUESTIONS = (
    Question("presets", presets),
    Question("mechanism", read),
    Question("plan", plan),
    Question("pattern", pattern, heavy=True),
    Question("growth", growth, heavy=True),
    Question("reach", reached, heavy=True),
)
