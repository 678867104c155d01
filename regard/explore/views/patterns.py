"""Patterns: a mechanism in words, who sees whom under its mask, its plan, how its cost grows, how far layers reach."""

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import torch
from pydantic import Field

from regard.algorithms import Plan
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.machines import TABLES
from regard.analysis import reach
from regard.analysis.mechanisms import batch_of, build_mechanism, plan_mechanism
from regard.analysis.reach.receptive_field import Depth
from regard.analysis.reach.visible_pairs import FINE, count_visible, count_visited
from regard.attention import Attention, Causal, Grid, Mask, Places, Shape
from regard.attention.notation import WORDS, parse_mask, parse_scores, parse_weighting
from regard.checks import check_divides
from regard.explore.api import Binary, Empty, Endpoint, Request, Response
from regard.explore.cancellation import check_cancelled
from regard.explore.views.growth import FULL, OURS, PROJECTIONS, CostCurve, Costs, Crossing, Growth
from regard.explore.workspace import Workspace
from regard.formulas import write_sympy
from regard.training import limit_threads

MAX_TOKENS, MAX_SIDE, MAX_LAYERS = 1 << 17, 256, 64
MAX_FOLLOWED = 4096  # tokens of which each may reach each
DRAWN = 512  # cells along a side of the map
LINE = [1 << n for n in range(4, 17)]  # tokens over which cost grows
SQUARES = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]  # sides of the grids over which cost grows
# Bytes of memory as the vendor's data sheets say, in GB of 10⁹ as everywhere on the page: an A100 of 80 GB, an H100
# SXM, an eighth of an HGX B200. Drivers report somewhat more than these: 85.9, 85.5 and 48.3 GB of an A100, H100, L40S.
ROOM = {"a100": 80e9, "h100": 80e9, "h200": 141e9, "b200": 180e9, "l40s": 48e9, "t4": 16e9}
PAIRS = ((OURS, FULL), (OURS, PROJECTIONS), (FULL, PROJECTIONS))  # whose crossings are looked for

Text = Annotated[str, Field(max_length=300)]
Whole = Annotated[int, Field(ge=0)]
Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]
Asked = TypeVar("Asked", bound=Request)
Answer = TypeVar("Answer", bound=Response | Binary)


class Preset(Response):
    """A mechanism to begin with: in words, its tokens' positions, a sentence, and the claim that it belongs to."""

    name: str
    title: str
    says: str
    mask: str
    second: str = ""  # the mask of every other layer
    scores: str = "content"
    weighting: str = "softmax"
    grid: tuple[int, int] | None = None
    layers: int = 8
    claim: str | None = None


PRESETS = [Preset(**one) for one in json.loads(Path(__file__).with_name("presets.json").read_text("utf-8"))]


class LayoutRequest(Request):
    """The base of requests about tokens: so many in a line, or, where it is given, a grid of rows and columns."""

    tokens: Annotated[int, Field(ge=1, le=MAX_TOKENS)] = 512
    grid: tuple[Side, Side] | None = None

    @property
    def places(self) -> Places:
        if self.grid is None:
            return Attention().places(self.tokens, self.tokens)
        return Places(Grid(*self.grid), Grid(*self.grid))


class MechanismRequest(LayoutRequest):
    """A mechanism in words, and its sizes: batch, heads, on how many of keys and values, and the width of each head."""

    mask: Text = "everything"
    scores: Text = "content"
    weighting: Text = "softmax"
    batch: Annotated[int, Field(ge=1, le=4096)] = 1
    heads: Annotated[int, Field(ge=1, le=256)] = 16
    groups: Annotated[int, Field(ge=1, le=256)] | None = None  # key-value heads, by default as many
    width: Annotated[int, Field(ge=1, le=1024)] = 64
    device: Literal["cpu", "h200", "a100", "h100", "b200", "l40s", "t4", "cuda", "other"] = "h200"
    dtype: Literal["bfloat16", "float16", "float32", "float64"] | None = None
    backward: bool = False


class PresetsResponse(Response):
    """Mechanisms to begin with, the words of masks, the machines that plans are made for, and all algorithms."""

    presets: list[Preset]
    words: list[str]
    devices: list[str]
    algorithms: list[str]


class MechanismResponse(Response):
    """The value as the library prints it; or what is wrong with the words, by the field to change.

    `length` is how many tokens the mask's own lengths hold, in its longest row, where it has any.
    """

    value: str | None
    wrong: dict[str, str]
    length: int | None


class CandidateCost(Response):
    """The cost of an algorithm, or why it refuses."""

    name: str
    flops: float | None = None
    bytes: float | None = None
    memory: float | None = None
    launches: float | None = None
    seconds: float | None = None
    refusal: str | None = None


class PlanResponse(Response):
    """The chosen algorithm first, then the slower ones, then those that refuse; and the cost of full attention.

    `causal` is the cost of causal attention, where the mask looks back only and the mechanism is another.
    """

    value: str
    chosen: str
    device: str
    basis: str  # of the machine's table: what was measured, or not
    dtype: str
    shape: dict[str, int]
    inputs: int  # bytes of q, k and v
    room: float | None  # bytes of the machine's memory, where that is known
    candidates: list[CandidateCost]
    full: CandidateCost
    causal: CandidateCost | None


class GrowthResponse(Response):
    """Costs of the mechanism, its algorithms, full attention and the projections, by the number of tokens."""

    tokens: list[int]
    sides: list[int] | None  # of the square grids
    chosen: list[str | None]
    curves: list[CostCurve]
    crossings: list[Crossing]


class PatternRequest(LayoutRequest):
    """A mask, the side of the blocks that a kernel visits, and the row of a padded batch to look at."""

    mask: Text = "everything"
    block: Annotated[int, Field(ge=1, le=4096)] = 128
    row: Whole = 0


class ReachRequest(LayoutRequest):
    """Masks that layers take in turn, and the output to follow: by default one that most tokens reach."""

    masks: Annotated[tuple[Text, ...], Field(min_length=1, max_length=8)] = ("everything",)
    layers: Annotated[int, Field(ge=1, le=MAX_LAYERS)] = 12
    residual: bool = True
    output: Whole | None = None
    row: Whole = 0


class PatternHeader(Response):
    """Exact counts, and a map of rows × columns cells (uint8): 0 hidden, 1 visible in part, 2 visible.

    A cell stands for `cell` × `cell` pairs; the queries of a row of cells see from `fewest` to `most` keys. Unless
    `is_exact`, a cell that counts as visible in part may hold no visible pair.
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


class ReachHeader(Response):
    """How the receptive field grows, and which tokens have reached the output: (layers, tokens) of uint8, 0 or 1."""

    masks: list[str]
    sides: list[int]
    tokens: int
    output: int
    depths: list[Depth]
    formula: str | None
    legend: str | None
    settled: int | None
    taps: list[int]


def _kept(answer: Callable[[Workspace, Asked], Answer]) -> Callable[[Workspace, Asked], Answer]:
    """The same answers, from the cache where the same was asked before."""

    @functools.wraps(answer)
    def wrapped(workspace: Workspace, request: Asked) -> Answer:
        def make() -> tuple[Answer, int]:
            with limit_threads(1):  # each step is small, and cores are shared
                response = answer(workspace, request)
            return response, len(response.data) + 4096 if isinstance(response, Binary) else 65536

        return workspace.cache.get((answer.__name__, request), make)

    return wrapped


def list_presets(workspace: Workspace, request: Empty) -> PresetsResponse:
    """Mechanisms to begin with."""
    return PresetsResponse(
        presets=PRESETS,
        words=[word.usage for word in WORDS],
        devices=list(TABLES),
        algorithms=[one.name for one in PLANNER.algorithms],
    )


def check_mechanism(workspace: Workspace, request: MechanismRequest) -> MechanismResponse:
    """Whether the words make a mechanism that fits the tokens; what is wrong with them is reported, not raised."""
    wrong = dict[str, str]()
    tries: dict[str, Callable[[], object]] = {
        "mask": lambda: _check_mask(parse_mask(request.mask), request),
        "weighting": lambda: parse_weighting(request.weighting, request.heads, request.width),
        "scores": lambda: parse_scores(request.scores, request.heads, request.places),
        "groups": lambda: check_divides("heads", request.heads, "groups", request.groups or request.heads),
    }
    for name, tried in tries.items():
        try:
            tried()
        except ValueError as error:
            wrong[name] = str(error)
    value = None
    if not wrong:
        try:
            value = make_plan(workspace, request).value
        except ValueError as error:  # each word is fine by itself
            wrong["weighting" if str(error).startswith("Kernel") else "scores"] = str(error)
    length = None if "mask" in wrong else batch_of(parse_mask(request.mask))[1]
    return MechanismResponse(value=value, wrong=wrong, length=length)


def _check_mask(mask: Mask, request: MechanismRequest) -> None:
    """Raise unless the mask fits the tokens; a mask for a grid says so where they are in a line, and the other way."""

    def check_on(places: Places) -> None:
        N = places.keys.count
        mask.check(Shape(batch_of(mask)[0] or request.batch, 1, 1, N, N, 1, 1), places)

    N = request.places.keys.count
    try:
        check_on(request.places)
    except ValueError as error:
        try:
            check_on(Places(Grid(1, N), Grid(1, N)) if request.grid is None else Attention().places(N, N))
        except ValueError:
            raise error from None
        here, there = ("in a line", "on a grid") if request.grid is None else ("on a grid", "in a line")
        raise ValueError(
            f"{request.mask} is for tokens {there}: got tokens {here}; change the mask or the grid"
        ) from None


@_kept
def make_plan(workspace: Workspace, request: MechanismRequest) -> PlanResponse:
    """The cost of every algorithm, or why it refuses, and which one is chosen."""
    places, only_causal = request.places, Attention(mask=Causal())
    found, full = _plan(request, places), _plan(request, places, Attention())
    looks_back = any([high is not None and high <= 0 for one in found.problem.facts for _, high in one.band[:1]])
    beside = looks_back and request.grid is None and repr(found.problem.stated) != repr(only_causal)
    causal = _plan(request, places, only_causal) if beside else None
    ranked = sorted(
        found.candidates,
        key=lambda one: (one.name != found.chosen, math.inf if one.seconds is None else one.seconds),
    )
    shape = found.problem.shape
    return PlanResponse(
        value=repr(found.problem.stated),
        chosen=found.chosen,
        device=found.problem.machine.name,
        basis=found.problem.machine.basis,
        dtype=str(found.problem.dtype).removeprefix("torch."),
        shape={name: getattr(shape, name) for name in shape.__match_args__},
        inputs=(shape.B * (shape.H * shape.T * shape.D + shape.G * shape.S * (shape.D + shape.E)))
        * found.problem.dtype.itemsize,
        room=ROOM.get(found.problem.machine.name),
        candidates=[_cost_of(found, one.name) for one in ranked],
        full=_cost_of(full, full.chosen),
        causal=causal and _cost_of(causal, causal.chosen),
    )


def _plan(request: MechanismRequest, places: Places, attention: Attention | None = None) -> Plan:
    """The plan of the mechanism that is asked about, or of this one on as many tokens."""
    mask, N = parse_mask(request.mask), places.keys.count
    if attention is None:
        weighting = parse_weighting(request.weighting, request.heads, request.width, request.backward)
        attention = build_mechanism(request.scores, mask, weighting, places, request.heads, request.backward)
    batch, groups = batch_of(mask)[0] or request.batch, request.groups or request.heads
    sizes = (batch, request.heads, groups, N, N, request.width, request.width)
    return plan_mechanism(sizes, attention, request.dtype, request.device, request.backward)


def _cost_of(found: Plan, name: str) -> CandidateCost:
    (one,) = [one for one in found.candidates if one.name == name]
    costs = (
        {} if one.cost is None else {key: getattr(one.cost, key) for key in ("flops", "bytes", "memory", "launches")}
    )
    return CandidateCost(name=name, refusal=one.refusal, seconds=one.seconds, **costs)


def compute_growth(workspace: Workspace, request: MechanismRequest) -> GrowthResponse:
    """How the cost grows with the number of tokens, beside full attention, and where one overtakes the other."""
    _, length = batch_of(parse_mask(request.mask))
    if length is not None:
        raise ValueError(
            f"a mask with lengths of its own does not grow with the tokens: got {request.mask}, "
            f"which holds {length:,} tokens at any size; ask for its plan"
        )
    # The current number of tokens changes nothing; whether they stand on a grid does.
    usual = request.model_copy(update={"tokens": 1, "grid": None if request.grid is None else (1, 1)})
    return _compute_growth(workspace, usual)


@_kept
def _compute_growth(workspace: Workspace, request: MechanismRequest) -> GrowthResponse:
    steps = LINE if request.grid is None else SQUARES

    def sized(step: int) -> MechanismRequest:
        return request.model_copy(update={"tokens": step} if request.grid is None else {"grid": (step, step)})

    def costs_at(step: int) -> tuple[str | None, Costs]:
        check_cancelled()
        places = sized(step).places
        full = _plan(request, places, Attention())
        found: Costs = {FULL: vars(_cost_of(full, full.chosen)), PROJECTIONS: {"flops": _projections(full)}}
        try:
            ours = _plan(request, places)
        except ValueError:  # the mask does not fit so few tokens
            return None, found
        exact = {one.name: vars(_cost_of(ours, one.name)) for one in ours.candidates if one.cost is not None}
        return ours.chosen, {OURS: exact[ours.chosen]} | found | exact

    growth = Growth(steps, (lambda step: step) if request.grid is None else (lambda step: step * step), costs_at)
    if growth.at(steps[-1])[0] is None:
        _plan(request, sized(steps[-1]).places)  # raises the reason
    return GrowthResponse(
        tokens=[growth.tokens(step) for step in steps],
        sides=None if request.grid is None else steps,
        chosen=[growth.at(step)[0] for step in steps],
        curves=growth.curves(),
        crossings=[found for pair in PAIRS for found in growth.crossings(*pair)],
    )


def _projections(full: Plan) -> int:
    """FLOPs of the projections to q, k, v and from the heads, for tokens as wide as all heads; thrice with backward.

    Two products of (N, C) and (C, H D), where C = H D, two of (N, C) and (C, G D), two FLOPs per multiply-add.
    """
    shape = full.problem.shape
    width = shape.H * shape.D
    products = 2 * shape.B * shape.T * width * 2 * (width + shape.G * shape.D)
    return products * (3 if full.problem.backward else 1)


@_kept
def draw_pattern(workspace: Workspace, request: PatternRequest) -> Binary:
    """The map of a mask and exact counts: a PatternHeader, then its cells."""
    mask, places = parse_mask(request.mask), request.places
    rows, _ = batch_of(mask)
    if request.row >= (rows or 1):
        raise ValueError(f"row must be one of the {rows or 1} of the mask: got {request.row}; use 0")
    N = places.keys.count
    mask.check(Shape(rows or 1, 1, 1, N, N, 1, 1), places)
    cell = -(-N // DRAWN)
    cell = cell if cell <= FINE else -(-cell // FINE) * FINE
    found = count_visible(mask, places, cell, request.row)
    check_cancelled()
    blocks, visited, visited_pairs = count_visited(mask, places, request.block, request.row)
    by_row = found.keys.split(cell)
    header = PatternHeader(
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
        block=request.block,
        blocks=blocks,
        visited=visited,
        visited_pairs=visited_pairs,
        batch=rows,
    )
    return Binary(header, found.cells.to(torch.uint8).numpy().tobytes())


@_kept
def compute_reach(workspace: Workspace, request: ReachRequest) -> Binary:
    """Which tokens, and how many, reach an output after each layer: a ReachHeader, then (layers, tokens) of uint8."""
    tokens = request.places.keys
    if tokens.count > MAX_FOLLOWED:
        raise ValueError(
            f"tokens must be at most {MAX_FOLLOWED:,} here: got {tokens.count:,}; use fewer, the reach grows alike"
        )
    masks = [parse_mask(text) for text in request.masks][: request.layers]
    found = reach(
        list(masks), tokens, request.layers, residual=request.residual, output=request.output, row=request.row
    )
    formula, legend = None, None
    if found.formula is not None:
        formula, legend = write_sympy(found.formula.at), found.formula.legend
    header = ReachHeader(**{**vars(found), "tokens": found.tokens, "formula": formula, "legend": legend})
    return Binary(header, found.reached.to(torch.uint8).numpy().tobytes())


ENDPOINTS = (
    Endpoint("presets", list_presets),
    Endpoint("mechanism", check_mechanism),
    Endpoint("plan", make_plan),
    Endpoint("pattern", draw_pattern, heavy=True),
    Endpoint("growth", compute_growth, heavy=True),
    Endpoint("reach", compute_reach, heavy=True),
)
