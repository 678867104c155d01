"""Heads on the grid: recorded gaussian heads step by step, and what kernel heads make, wherever they are put."""

import copy
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import torch
from pydantic import Field

from regard.analysis.convolution.heads import duplicates, ellipses, examine, nearest_kernel, query_map
from regard.attention import Grid, Quadratic
from regard.explore.api import Asked, Binary, Question, Reply
from regard.explore.convolved import Convolved, convolved
from regard.explore.desk import Desk
from regard.explore.recorded_heads import HEADS, SIDE, folder_of, play, recordings
from regard.explore.work import check
from regard.layers import Gaussian, PositionHeads
from regard.training import Metrics, Recording
from regard.training.loop import CHECKPOINTS, METRICS, RECORDING

if TYPE_CHECKING:
    from regard.recipes import Run

STEPS = 400  # at most
CURVES = ("accuracy", "test_loss", "loss")  # of a training, beside its heads
KINDS = {1: "isotropic", 2: "diagonal", 4: "full"}  # by the numbers of one precision
EXAMINED = 10_000_000  # heads times pairs of pixels, whose maps are looked at: more take longer than a moment
Name = Annotated[str, Field(max_length=200)]
Place = Annotated[float, Field(ge=-200, le=200)]
Precision = Annotated[float, Field(ge=-1e6, le=1e6)]
Index = Annotated[int, Field(ge=0, lt=SIDE)]
Side = Annotated[int, Field(ge=1, le=SIDE)]


class Nothing(Asked):
    """Nothing."""


class Recorded(Reply):
    """A training that recorded gaussian heads, on a grid of `side` × `side` tokens."""

    run: str
    training: str
    steps: int
    layers: int
    heads: int
    side: int
    has_values: bool  # a checkpoint, whose value maps can be looked at


class RecordedReply(Reply):
    """All such trainings on the shelf."""

    trainings: list[Recorded]


class HeadsAsked(Asked):
    """A training by its run and its name."""

    run: Name
    training: Name


class HeadsReply(Reply):
    """What the numbers of `heads` are, and the training's curves at the same steps, null where nothing was measured."""

    steps: list[int]
    layers: int
    heads: int
    entries: int  # numbers of one precision: 1, 2 or 4
    side: int
    has_image: bool
    curves: dict[str, list[float | None]]


class Values(HeadsAsked):
    """The layer whose value maps, of the last checkpoint, are taken."""

    layer: Annotated[int, Field(ge=0, lt=1000)]


class KernelAsked(Asked):
    """Heads by their centres (row, column) and precisions, 1, 2 or 4 numbers each; a grid, and a query on it.

    Without `values` each of H heads passes on 1/H of what it sees.
    """

    centres: Annotated[list[tuple[Place, Place]], Field(min_length=1, max_length=HEADS)]
    precisions: Annotated[
        list[Annotated[list[Precision], Field(min_length=1, max_length=4)]], Field(min_length=1, max_length=HEADS)
    ]
    h: Side
    w: Side
    query: tuple[Index, Index]
    values: Values | None = None


class Looks(Reply):
    """Where one head looks: the ellipses around its centre, what is degenerate, its tap and how softly it has it."""

    centre: tuple[float, ...]
    angle: float
    half_axes: list[tuple[float, ...]]  # for each mass, the longest first
    kinds: list[str]
    tap: tuple[int, ...] | None
    distance: float | None  # of the centre from its tap
    peak: tuple[int, ...] | None  # the offset with the largest weight; None for a tie
    softness: float  # the weight of all other offsets


class KernelReply(Reply):
    """What heads make: the numbers that follow are their maps from the query, (H, h, w) in float32."""

    h: int
    w: int
    query: tuple[int, ...]
    masses: list[float]
    heads: list[Looks]
    kernel_size: tuple[int, ...]
    free: list[tuple[int, ...]]  # taps without a head
    surplus: list[int]  # heads without a tap
    is_bijection: bool
    alike: list[list[int]]  # classes of heads with the same maps
    unexamined: str | None  # why it is not known which are alike, or degenerate
    convolution: Convolved | None
    reason: str | None  # why there is none


def recorded(desk: Desk, asked: Nothing) -> RecordedReply:
    """Which trainings on the shelf recorded gaussian heads."""
    found = list[Recorded]()
    for name, run in desk.shelf.runs().items():
        for folder in recordings(run).values():
            try:
                found.append(_listed(desk, name, run, folder))
            except (ValueError, OSError):
                continue  # no gaussian heads, too many, or damaged ones; asked for by its name it says which
    return RecordedReply(trainings=found)


def heads(desk: Desk, asked: HeadsAsked) -> Binary:
    """Gaussian heads at all recorded steps: the head is a HeadsReply; then float32, row by row.

    Centres (steps, layers, heads, 2), precisions (steps, layers, heads, entries); and, where there is one, the image
    that was recorded beside them, (side, side) in bytes.
    """
    run = desk.shelf.run(asked.run)
    return _played(desk, run, folder_of(run, asked.training))


def _listed(desk: Desk, name: str, run: "Run", folder: Path) -> Recorded:
    head = _played(desk, run, folder).head
    assert isinstance(head, HeadsReply)
    return Recorded(
        run=name,
        training=folder.name,
        steps=len(Recording(folder / RECORDING).steps()),
        layers=head.layers,
        heads=head.heads,
        side=head.side,
        has_values=(folder / CHECKPOINTS).is_dir(),
    )


def _played(desk: Desk, run: "Run", folder: Path) -> Binary:
    steps = Recording(folder / RECORDING).steps()
    if not steps:
        raise ValueError(f"{folder.name} must have recorded a step: got none yet; wait for its first evaluation")

    def read() -> tuple[Binary, int]:
        shown = steps
        if len(steps) > STEPS:
            shown = [steps[round(i * (len(steps) - 1) / (STEPS - 1))] for i in range(STEPS)]
        centre, precision, image, side = play(run, folder, shown)
        data = [part.numpy().astype("<f4").tobytes() for part in (centre, precision)]
        head = HeadsReply(
            steps=shown,
            layers=centre.shape[1],
            heads=centre.shape[2],
            entries=precision.shape[3],
            side=side,
            has_image=image is not None,
            curves=_curves(folder, shown),
        )
        found = Binary(head, b"".join(data if image is None else [*data, image.numpy().tobytes()]))
        return found, len(found.data)

    return desk.kept.get(("heads", folder.resolve(), tuple(steps)), read)


def kernel(desk: Desk, asked: KernelAsked) -> Binary:
    """What heads make: ellipses, taps, what is degenerate, the distance to a convolution; the head is a KernelReply.

    Then each head's map from the query, (H, h, w) in float32.
    """
    position, grid = _gaussian(asked), Grid(asked.h, asked.w)
    if asked.query[0] >= asked.h or asked.query[1] >= asked.w:
        raise ValueError(f"the query must lie on the grid of {asked.h} × {asked.w}: got {asked.query}")
    term = Quadratic(position.centre.detach(), position.precision.detach())
    round_it = ellipses(term)
    rows = torch.cat([term.centre, term.precision.reshape(len(term.centre), -1)], 1).tolist()
    looks = [_summit(tuple(row[:2]), tuple(row[2:])) for row in rows]
    # Which tap is whose depends on the centres alone; sharp heads have it said at once.
    fit = nearest_kernel(Quadratic(term.centre, torch.ones_like(term.centre)))
    check()
    kinds, alike, unexamined = _examined(term, grid)
    convolution, reason = None, None
    try:
        convolution = convolved(_layer(desk, asked, position), grid)
    except ValueError as error:
        reason = str(error)
    facts = zip(round_it, kinds, fit.taps, fit.distances, looks, strict=True)
    head = KernelReply(
        h=asked.h,
        w=asked.w,
        query=asked.query,
        masses=list(round_it[0].masses),
        heads=[
            Looks(
                centre=ellipse.centre,
                angle=ellipse.angle,
                half_axes=list(ellipse.half_axes),
                kinds=kind,
                tap=tap,
                distance=distance,
                peak=peak,
                softness=softness,
            )
            for ellipse, kind, tap, distance, (peak, softness) in facts
        ],
        kernel_size=fit.kernel_size,
        free=list(fit.free),
        surplus=list(fit.surplus),
        is_bijection=not fit.free and {peak for peak, _ in looks} == set(fit.taps),
        alike=alike,
        unexamined=unexamined,
        convolution=convolution,
        reason=reason,
    )
    maps = torch.tensor(query_map(term, grid, asked.query).maps, dtype=torch.float32)
    return Binary(head, maps.numpy().astype("<f4").tobytes())


@lru_cache(maxsize=4096)
def _summit(centre: tuple[float, ...], precision: tuple[float, ...]) -> tuple[tuple[int, ...] | None, float]:
    """A head's peak and softness; kept, for while one head is dragged the others stay, and a wide one takes long."""
    check()
    matrix = torch.tensor(precision, dtype=torch.float64).view((1, 2, 2) if len(precision) == 4 else (1, -1))
    fit = nearest_kernel(Quadratic(torch.tensor([centre], dtype=torch.float64), matrix.squeeze(1)))
    return fit.peaks[0], fit.softness[0]


def _examined(term: Quadratic, grid: Grid) -> tuple[list[list[str]], list[list[int]], str | None]:
    """What is degenerate about each head, and which are alike; or why it was not looked for."""
    H = len(term.centre)
    if H * grid.count**2 > EXAMINED:
        return [[] for _ in range(H)], [], f"{H} heads on {grid.h} × {grid.w} pixels take longer than a moment"
    kinds = [list(state.kinds) for state in examine(term, grid)]
    check()
    alike = [list(one) for one in duplicates(term, grid).classes]
    check()
    return kinds, alike, None


def _curves(folder: Path, steps: list[int]) -> dict[str, list[float | None]]:
    lines = {line["step"]: line for line in Metrics(folder / METRICS).read()}
    found = {name: [lines.get(step, {}).get(name) for step in steps] for name in CURVES}
    return {name: values for name, values in found.items() if any(value is not None for value in values)}


def _gaussian(asked: KernelAsked) -> Gaussian:
    """The heads that are asked about, in float64."""
    count, entries = len(asked.centres), {len(one) for one in asked.precisions}
    if len(asked.precisions) != count or len(entries) > 1 or not entries <= set(KINDS):
        raise ValueError(
            f"each of {count} heads must have a precision of 1, 2 or 4 numbers, all alike: got "
            f"{len(asked.precisions)} of {sorted(entries)}"
        )
    (size,) = entries
    position = Gaussian(count, kind=KINDS[size], dtype=torch.float64)
    precision = torch.tensor(asked.precisions, dtype=torch.float64).view(position.log_precision.shape)
    least = precision if size < 4 else torch.linalg.eigvalsh(precision)
    if not (least >= 1e-6).all():
        raise ValueError(f"precisions must be positive, from 0.000001 on: got {float(least.min()):.3g}; widen it less")
    position.set(torch.tensor(asked.centres, dtype=torch.float64), precision)
    return position


def _layer(desk: Desk, asked: KernelAsked, position: Gaussian) -> PositionHeads:
    """A layer with these heads: of the training's own value maps, or one where each passes on the same share."""
    if asked.values is None:
        even = PositionHeads(1, position, project=False, bias=False, dtype=torch.float64)
        torch.nn.init.constant_(even.value.weight, 1 / position.num_heads)
        return even.eval()
    layers = _trained(desk, asked.values)
    if asked.values.layer >= len(layers) or layers[asked.values.layer].num_heads != position.num_heads:
        raise ValueError(f"the training must have a layer {asked.values.layer + 1} of {position.num_heads} heads")
    layer = copy.deepcopy(layers[asked.values.layer]).double()
    layer.position = position
    return layer


def _trained(desk: Desk, values: Values) -> list[PositionHeads]:
    """The layers of a training, as its last checkpoint has them."""
    from regard.recipes import plan_run

    run = desk.shelf.run(values.run)
    folder = folder_of(run, values.training)
    steps = tuple(sorted(path.name for path in (folder / CHECKPOINTS).glob("step-*")))

    def load() -> tuple[list[PositionHeads], int]:
        model = plan_run(run).load(values.training).model.eval().requires_grad_(False)
        layers = [layer for layer in model.modules() if isinstance(layer, PositionHeads)]
        return layers, sum(4 * one.numel() for layer in layers for one in layer.parameters())

    return desk.kept.get(("values", folder.resolve(), steps), load)


QUESTIONS = (Question("recorded", recorded), Question("heads", heads), Question("kernel", kernel))
