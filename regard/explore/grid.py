"""Heads on the grid: recorded gaussian heads step by step, and what kernel heads make, wherever they are put."""

import copy
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import torch
from pydantic import Field
from torch import Tensor
from torch.nn.functional import normalize

from regard.analysis.certificate import Certificate
from regard.analysis.convolution import conv_from_attention
from regard.analysis.heads import duplicates, ellipses, examine, nearest_kernel, query_map
from regard.attention import Grid, Quadratic
from regard.explore.api import Asked, Binary, Question, Reply
from regard.explore.desk import Desk
from regard.explore.work import check
from regard.layers import Gaussian, PositionHeads
from regard.training import Metrics, Recording
from regard.training.loop import CHECKPOINTS, METRICS, RECORDING

if TYPE_CHECKING:
    from regard.recipes import Run

STEPS, HEADS, SIDE = 400, 36, 32  # at most
CURVES = ("accuracy", "test_loss", "loss")  # of a training, beside its heads
KINDS = {1: "isotropic", 2: "diagonal", 4: "full"}  # by the numbers of one precision
TRIED = 32  # random inputs
BASIS = 400  # pixels up to which the worst input is looked for
CLOSE = 0.01  # of the values' size: what counts as a convolution, for the sharpness that it takes
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


class Convolved(Reply):
    """The convolution that the heads tend to, and how far they are from it, for inputs of norm 1."""

    size: tuple[int, ...]
    dilation: tuple[int, ...]
    taps: int  # different ones
    bound: float  # proven
    rounding: float  # the bound's part of floating point
    worst: float | None  # of all inputs, where each head passes on the same share
    measured: float  # of random inputs
    lipschitz: float
    scope: str
    sharpness: float | None  # of all heads, for which the bound is a hundredth of the values' size
    said: str


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
    convolution: Convolved | None
    reason: str | None  # why there is none


def recorded(desk: Desk, asked: Nothing) -> RecordedReply:
    """Which trainings on the shelf recorded gaussian heads."""
    runs = desk.shelf.runs().items()
    found = [_listed(name, run, folder) for name, run in runs for folder in _recordings(run).values()]
    return RecordedReply(trainings=[one for one in found if one is not None])


def heads(desk: Desk, asked: HeadsAsked) -> Binary:
    """Gaussian heads at all recorded steps: the head is a HeadsReply; then float32, row by row.

    Centres (steps, layers, heads, 2), precisions (steps, layers, heads, entries); and, where there is one, the image
    that was recorded beside them, (side, side) in bytes.
    """
    run = desk.shelf.run(asked.run)
    folder = _folder(run, asked.training)
    steps = Recording(folder / RECORDING).steps()
    if not steps:
        raise ValueError(f"{asked.training} must have recorded a step: got none yet; wait for its first evaluation")

    def read() -> tuple[Binary, int]:
        found = _played(run, folder, steps)
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
    fit, round_it = nearest_kernel(term), ellipses(term)
    check()
    states, same = examine(term, grid), duplicates(term, grid)
    check()
    convolution, reason = None, None
    try:
        convolution = _convolved(_layer(desk, asked, position), grid)
    except ValueError as error:
        reason = str(error)
    facts = zip(round_it, states, fit.taps, fit.distances, fit.peaks, fit.softness, strict=True)
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
                kinds=list(state.kinds),
                tap=tap,
                distance=distance,
                peak=peak,
                softness=softness,
            )
            for ellipse, state, tap, distance, peak, softness in facts
        ],
        kernel_size=fit.kernel_size,
        free=list(fit.free),
        surplus=list(fit.surplus),
        is_bijection=fit.is_bijection,
        alike=[list(one) for one in same.classes],
        convolution=convolution,
        reason=reason,
    )
    maps = torch.tensor(query_map(term, grid, asked.query).maps, dtype=torch.float32)
    return Binary(head, maps.numpy().astype("<f4").tobytes())


def _recordings(run: "Run") -> dict[str, Path]:
    """The folders of a run's trainings that recorded something, by their names; seed-10 after seed-9."""
    found = {path.parent.name: path.parent for path in run.folder.glob(f"*/{RECORDING}")}
    return dict(sorted(found.items(), key=lambda one: [part.zfill(9) for part in re.split(r"(\d+)", one[0])]))


def _listed(name: str, run: "Run", folder: Path) -> Recorded | None:
    """None where there are no gaussian heads, or more than can be shown."""
    check()
    recording = Recording(folder / RECORDING)
    steps = recording.steps()
    kept = recording.read(steps[-1]) if steps else {}
    if "heads.0.centre" not in kept or len(kept["heads.0.centre"]) > HEADS or _side(run, kept) > SIDE:
        return None
    return Recorded(
        run=name,
        training=folder.name,
        steps=len(steps),
        layers=_layers(kept),
        heads=len(kept["heads.0.centre"]),
        side=_side(run, kept),
        has_values=(folder / CHECKPOINTS).is_dir(),
    )


def _folder(run: "Run", training: str) -> Path:
    found = _recordings(run)
    if training not in found:
        raise ValueError(f"{run.name} must have recorded {training!r:.60}: there is {', '.join(found) or 'nothing'}")
    return found[training]


def _layers(kept: Mapping[str, Tensor]) -> int:
    return sum(name.startswith("heads.") and name.endswith(".centre") for name in kept)


def _side(run: "Run", kept: Mapping[str, Tensor]) -> int:
    """Tokens on a side; where no image was recorded, as many as the widest reach of a centre asks for."""
    image = kept.get("inputs.image-0")
    if image is None:
        return 2 * math.ceil(float(kept["heads.0.centre"].abs().max())) + 1
    return image.shape[-1] // _patch(run)


def _patch(run: "Run") -> int:
    model = run.config.get("model")
    return int(model.get("patch", 1)) if isinstance(model, Mapping) else 1


def _played(run: "Run", folder: Path, steps: list[int]) -> Binary:
    if len(steps) > STEPS:
        steps = [steps[round(i * (len(steps) - 1) / (STEPS - 1))] for i in range(STEPS)]
    centres, precisions, kept = [], [], {}
    for step in steps:
        check()
        kept = Recording(folder / RECORDING).read(step)
        if "heads.0.centre" not in kept:
            raise ValueError(f"{folder.name} must have recorded gaussian heads: got {', '.join(list(kept)[:4])}, …")
        layers = range(_layers(kept))
        centres.append(torch.stack([kept[f"heads.{layer}.centre"] for layer in layers]))
        precisions.append(torch.stack([kept[f"heads.{layer}.precision"] for layer in layers]))
    centre = torch.stack(centres)
    precision = torch.stack(precisions).reshape(*centre.shape[:3], -1)
    image = kept.get("inputs.image-0")
    data = [part.numpy().astype("<f4").tobytes() for part in (centre, precision)]
    if image is not None:
        tokens = torch.nn.functional.avg_pool2d(image[None].float(), _patch(run)).mean(1)
        data.append(tokens.round().to(torch.uint8).numpy().tobytes())
    head = HeadsReply(
        steps=steps,
        layers=centre.shape[1],
        heads=centre.shape[2],
        entries=precision.shape[3],
        side=_side(run, kept),
        has_image=image is not None,
        curves=_curves(folder, steps),
    )
    return Binary(head, b"".join(data))


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
    from regard.recipes import opened

    run = desk.shelf.run(values.run)
    folder = _folder(run, values.training)
    steps = tuple(sorted(path.name for path in (folder / CHECKPOINTS).glob("step-*")))

    def load() -> tuple[list[PositionHeads], int]:
        model = opened(run, values.training).model.eval().requires_grad_(False)
        layers = [layer for layer in model.modules() if isinstance(layer, PositionHeads)]
        return layers, sum(4 * one.numel() for layer in layers for one in layer.parameters())

    return desk.kept.get(("values", folder.resolve(), steps), load)


@torch.no_grad()
def _convolved(layer: PositionHeads, grid: Grid) -> Convolved:
    conv, certificate = conv_from_attention(layer, norm=1.0)
    assert isinstance(conv, torch.nn.Conv2d)
    width = layer.value.in_features // layer.num_heads

    few = max(1, min(TRIED, 2**19 // (grid.count * width)))
    x = torch.randn(few, grid.count, width, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x = normalize(x, dim=2)
    errors = layer(x, grid) - conv(x.mT.unflatten(2, (grid.h, grid.w))).flatten(2).mT
    check()
    worst = None
    if width == 1 and grid.count <= BASIS:  # ‖Σ_k d_k x_k‖ is largest where every x_k has the sign of d_k
        pixels = torch.eye(grid.count, dtype=torch.float64).view(-1, 1, grid.h, grid.w)
        away = layer.weights(grid)[0].mean(0) - conv(pixels).flatten(1).T
        worst = float(away.abs().sum(1).max())
    return Convolved(
        size=conv.kernel_size,
        dilation=conv.dilation,
        taps=int((conv.weight != 0).any(0).any(0).sum()),
        bound=certificate.bound(),
        rounding=certificate.rounding(),
        worst=worst,
        measured=float(errors.norm(dim=2).max()),
        lipschitz=certificate.lipschitz,
        scope=certificate.scope,
        sharpness=_sharpness(certificate),
        said=str(certificate),
    )


def _sharpness(certificate: Certificate) -> float | None:
    """Of all heads where their centres are, for an error of a hundredth; None where no sharpness is enough."""
    try:
        return certificate.sharpness_for(CLOSE * certificate.lipschitz)
    except ValueError:
        return None


QUESTIONS = (Question("recorded", recorded), Question("heads", heads), Question("kernel", kernel))
