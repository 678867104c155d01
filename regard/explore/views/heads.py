"""Heads: recorded gaussian heads step by step, and the kernel that heads make, wherever they are put.

A recording is checked as it is read: errors name the training and the step.
"""

import copy
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import torch
from pydantic import Field
from torch import Tensor
from torch.nn.functional import avg_pool2d, normalize

from regard.analysis.convolution.certificate import FARTHEST, Certificate
from regard.analysis.convolution.conversion import conv_from_attention
from regard.analysis.convolution.heads import duplicates, ellipses, examine, nearest_kernel, query_map
from regard.attention import Grid, Quadratic
from regard.explore.api import Binary, Empty, Endpoint, Request, Response
from regard.explore.cancellation import check_cancelled
from regard.explore.workspace import Workspace, find_trainings
from regard.layers import Gaussian, PositionHeads
from regard.training import Metrics, Recording
from regard.training.loop import CHECKPOINTS
from regard.training.records import METRICS, RECORDING

if TYPE_CHECKING:
    from regard.recipes import Run

MAX_STEPS, MAX_HEADS, MAX_SIDE = 400, 36, 32
IMAGE = "inputs.image-0"  # the recorded image
CURVES = ("accuracy", "test_loss", "loss")  # of a training, beside its heads
KINDS = {1: "isotropic", 2: "diagonal", 4: "full"}  # by the numbers of one precision
TRIED = 32  # random inputs
CLOSE = 0.01  # of the values' size: what counts as a convolution, for the sharpness that it takes
FAR = 750.0  # an exponential beyond is zero
# Dragging a head must feel immediate, so these bound the work: heads times pairs of pixels whose maps are examined;
# pixels that a bound is summed over; heads times pairs of pixels up to which the worst input is looked for; and up to
# which turned heads are measured, whose rows and columns do not separate.
EXAMINED, SUMMED, WORST, TURNED = 10_000_000, 3_000_000, 6_000_000, 2_500_000

Name = Annotated[str, Field(max_length=200)]
Place = Annotated[float, Field(ge=-200, le=200)]
Precision = Annotated[float, Field(ge=-1e6, le=1e6)]
Index = Annotated[int, Field(ge=0, lt=MAX_SIDE)]
Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]


class Recorded(Response):
    """A training that recorded gaussian heads, on a grid of `side` × `side` tokens."""

    run: str
    training: str
    steps: int
    layers: int
    heads: int
    side: int
    has_values: bool  # a checkpoint, whose value maps can be looked at


class RecordedResponse(Response):
    """All such trainings of the workspace."""

    trainings: list[Recorded]


class HeadsRequest(Request):
    """A training by its run and its name."""

    run: Name
    training: Name


class HeadsHeader(Response):
    """The sizes of the recorded heads, and the training's curves at the same steps, null where nothing was measured."""

    steps: list[int]
    layers: int
    heads: int
    entries: int  # numbers of one precision: 1, 2 or 4
    side: int
    has_image: bool
    curves: dict[str, list[float | None]]


class Values(HeadsRequest):
    """The layer whose value projections are taken, from the training's last checkpoint."""

    layer: Annotated[int, Field(ge=0, lt=1000)]


class KernelRequest(Request):
    """Heads by their centres (row, column) and precisions, 1, 2 or 4 numbers each; a grid, and a query on it.

    Without `values` each of H heads passes on 1/H of what it sees.
    """

    centres: Annotated[list[tuple[Place, Place]], Field(min_length=1, max_length=MAX_HEADS)]
    precisions: Annotated[
        list[Annotated[list[Precision], Field(min_length=1, max_length=4)]], Field(min_length=1, max_length=MAX_HEADS)
    ]
    h: Side
    w: Side
    query: tuple[Index, Index]
    values: Values | None = None


class HeadFacts(Response):
    """One head: the ellipses around its centre, what is degenerate, its tap, and how softly it takes it."""

    centre: tuple[float, ...]
    angle: float
    half_axes: list[tuple[float, ...]]  # for each mass, the longest first
    kinds: list[str]
    tap: tuple[int, ...] | None
    distance: float | None  # of the centre from its tap
    peak: tuple[int, ...] | None  # the offset with the largest weight; None for a tie
    softness: float  # the weight of all other offsets


class Convolution(Response):
    """The convolution that the heads tend to, and how far they are from it, for inputs of norm 1."""

    size: tuple[int, ...]
    dilation: tuple[int, ...]
    taps: int  # distinct ones
    bound: float  # proven
    rounding: float  # the part of the bound that is due to floating point
    pixels: int  # for which this and what follows holds: all, or those from which no target leaves the image
    worst: float | None  # over all inputs, where each head passes on the same share
    measured: float | None  # over random inputs
    untried: str | None  # why nothing was measured
    lipschitz: float
    scope: str
    sharpness: float | None  # of all heads, for which the bound is a hundredth of the values' size
    text: str  # the certificate as the library prints it


class KernelHeader(Response):
    """What the heads make together; their maps from the query follow, (H, h, w) in float32."""

    h: int
    w: int
    query: tuple[int, ...]
    masses: list[float]
    heads: list[HeadFacts]
    kernel_size: tuple[int, ...]
    free: list[tuple[int, ...]]  # taps without a head
    surplus: list[int]  # heads without a tap
    is_bijection: bool
    alike: list[list[int]]  # classes of heads with the same maps
    unexamined: str | None  # why nobody looked which are alike or degenerate
    convolution: Convolution | None
    reason: str | None  # why there is none


def list_recorded(workspace: Workspace, request: Empty) -> RecordedResponse:
    """Which trainings of the workspace recorded gaussian heads."""
    found = list[Recorded]()
    for name, run in workspace.runs().items():
        for folder in find_trainings(run, RECORDING).values():
            try:
                header = _read_heads(workspace, run, folder).header
            except (ValueError, OSError):
                continue  # no gaussian heads, too many, or damaged ones; a request by name says which
            own = {"run": name, "training": folder.name, "steps": len(Recording(folder / RECORDING).steps())}
            found.append(Recorded(**{**vars(header), **own, "has_values": (folder / CHECKPOINTS).is_dir()}))
    return RecordedResponse(trainings=found)


def read_heads(workspace: Workspace, request: HeadsRequest) -> Binary:
    """Gaussian heads at all recorded steps: a HeadsHeader, then float32, row by row.

    Centres (steps, layers, heads, 2), precisions (steps, layers, heads, entries); and, where there is one, the image
    that was recorded with them, (side, side) in bytes.
    """
    run = workspace.run(request.run)
    return _read_heads(workspace, run, _find_recording(run, request.training))


def _find_recording(run: "Run", training: str) -> Path:
    found = find_trainings(run, RECORDING)
    if training not in found:
        raise ValueError(f"{run.name} must have recorded {training!r:.60}: there is {', '.join(found) or 'nothing'}")
    return found[training]


def _read_heads(workspace: Workspace, run: "Run", folder: Path) -> Binary:
    steps = Recording(folder / RECORDING).steps()
    if not steps:
        raise ValueError(f"{folder.name} must have recorded a step: got none yet; wait for its first evaluation")

    def read() -> tuple[Binary, int]:
        shown = steps
        if len(steps) > MAX_STEPS:
            shown = [steps[round(i * (len(steps) - 1) / (MAX_STEPS - 1))] for i in range(MAX_STEPS)]
        centre, precision, image, side = _read_steps(run, folder, shown)
        data = [part.numpy().astype("<f4").tobytes() for part in (centre, precision)]
        lines = {line["step"]: line for line in Metrics(folder / METRICS).read()}
        curves = {name: [lines.get(step, {}).get(name) for step in shown] for name in CURVES}
        header = HeadsHeader(
            steps=shown,
            layers=centre.shape[1],
            heads=centre.shape[2],
            entries=precision.shape[3],
            side=side,
            has_image=image is not None,
            curves={name: values for name, values in curves.items() if any(value is not None for value in values)},
        )
        found = Binary(header, b"".join(data if image is None else [*data, image.numpy().tobytes()]))
        return found, len(found.data)

    return workspace.cache.get(("heads", folder.resolve(), tuple(steps)), read)


def _read_steps(run: "Run", folder: Path, steps: list[int]) -> tuple[Tensor, Tensor, Tensor | None, int]:
    """Centres and precisions at these steps, the image of the last by tokens, and the side of the grid."""
    found, kept = list[tuple[Tensor, Tensor]](), dict[str, Tensor]()
    for step in steps:
        check_cancelled()
        try:
            kept = Recording(folder / RECORDING).read(step)
        except ValueError:  # its message holds a path of this machine
            raise ValueError(
                f"{folder.name} must have recordings as they were written: got a damaged file at step {step}; "
                "train it again"
            ) from None
        found.append(_stack_heads(f"{folder.name} at step {step}", kept))
        if found[-1][0].shape != found[0][0].shape or found[-1][1].shape != found[0][1].shape:
            sizes = [f"{len(c)} × {c.shape[1]} of {p.shape[2]}" for c, p in (found[0], found[-1])]
            raise ValueError(
                f"{folder.name} must have recorded the same heads at every step: got {sizes[0]} at step {steps[0]}, "
                f"{sizes[1]} at step {step}; record each training into a folder of its own"
            )
    centre, precision = (torch.stack(part) for part in zip(*found, strict=True))
    image = _pool_image(run, folder, kept)
    side = 2 * math.ceil(float(centre[-1].abs().max())) + 1 if image is None else len(image)
    if side > MAX_SIDE:
        raise ValueError(
            f"the grid must have at most {MAX_SIDE} × {MAX_SIDE} tokens: got {side} × {side} in {folder.name}"
        )
    return centre, precision, image, side


def _stack_heads(where: str, kept: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Centres (layers, heads, 2) and precisions (layers, heads, entries) of one step."""
    if "heads.0.centre" not in kept:
        raise ValueError(f"{where} must have recorded gaussian heads: got {', '.join(list(kept)[:4]) or 'nothing'}")
    layers = range(sum(name.startswith("heads.") and name.endswith(".centre") for name in kept))
    missing = [name for i in layers for name in (f"heads.{i}.centre", f"heads.{i}.precision") if name not in kept]
    if missing:
        raise ValueError(f"{where} must have recorded centres and precisions of every layer: {missing[0]} is missing")
    centres, precisions = ([kept[f"heads.{i}.{name}"] for i in layers] for name in ("centre", "precision"))
    H = len(centres[0]) if centres[0].ndim else 0
    if not 1 <= H <= MAX_HEADS or any(one.shape != (H, 2) for one in centres):
        raise ValueError(
            f"{where} must have recorded 1 to {MAX_HEADS} heads in every layer, on a grid: got centres of "
            f"{', '.join(str(tuple(one.shape)) for one in centres[:4])}"
        )
    shape = precisions[0].shape
    if shape not in ((H,), (H, 1), (H, 2), (H, 2, 2)) or any(one.shape != shape for one in precisions):
        raise ValueError(
            f"{where} must have recorded precisions of 1, 2 or 2 × 2 numbers for each of {H} heads, alike in all "
            f"layers: got {', '.join(str(tuple(one.shape)) for one in precisions[:4])}"
        )
    centre, precision = torch.stack(centres).float(), torch.stack(precisions).float().reshape(len(centres), H, -1)
    if not (centre.isfinite().all() and precision.isfinite().all()):
        raise ValueError(f"{where} must have recorded finite heads: got NaN or infinity; train with a smaller step")
    return centre, precision


def _pool_image(run: "Run", folder: Path, kept: Mapping[str, Tensor]) -> Tensor | None:
    """The recorded image by tokens, in bytes."""
    image = kept.get(IMAGE)
    if image is None:
        return None
    model = run.config.get("model")
    patch = model.get("patch", 1) if isinstance(model, Mapping) else 1
    patch = patch if isinstance(patch, int) else 0
    if image.ndim != 3 or not len(image) or image.shape[1] != image.shape[2] or not 1 <= patch <= image.shape[1]:
        raise ValueError(
            f"{folder.name} must have recorded a square image with a patch of it for each token: got "
            f"{tuple(image.shape)} and a patch of {patch}"
        )
    return avg_pool2d(image[None].float(), patch).mean((0, 1)).round().to(torch.uint8)


def compute_kernel(workspace: Workspace, request: KernelRequest) -> Binary:
    """What heads make: ellipses, taps, what is degenerate, the distance to a convolution; a KernelHeader.

    Then each head's map from the query, (H, h, w) in float32.
    """
    position, grid = _make_gaussian(request), Grid(request.h, request.w)
    if request.query[0] >= request.h or request.query[1] >= request.w:
        raise ValueError(f"the query must lie on the grid of {request.h} × {request.w}: got {request.query}")
    term = Quadratic(position.centre.detach(), position.precision.detach())
    around = ellipses(term)
    rows = torch.cat([term.centre, term.precision.reshape(len(term.centre), -1)], 1).tolist()
    peaks = [_find_peak(tuple(row[:2]), tuple(row[2:])) for row in rows]
    # Which head takes which tap depends on the centres alone, and takes no time for sharp heads.
    fit = nearest_kernel(Quadratic(term.centre, torch.ones_like(term.centre)))
    check_cancelled()
    kinds, alike, unexamined = _examine(term, grid)
    convolution, reason = None, None
    try:
        convolution = _compare_convolution(_make_layer(workspace, request, position), grid)
    except ValueError as error:
        reason = str(error)
    facts = zip(around, kinds, fit.taps, fit.distances, peaks, strict=True)
    header = KernelHeader(
        h=request.h,
        w=request.w,
        query=request.query,
        masses=list(around[0].masses),
        heads=[
            HeadFacts(**vars(ellipse), kinds=kind, tap=tap, distance=distance, peak=peak, softness=softness)
            for ellipse, kind, tap, distance, (peak, softness) in facts
        ],
        kernel_size=fit.kernel_size,
        free=list(fit.free),
        surplus=list(fit.surplus),
        is_bijection=not fit.free and {peak for peak, _ in peaks} == set(fit.taps),
        alike=alike,
        unexamined=unexamined,
        convolution=convolution,
        reason=reason,
    )
    maps = torch.tensor(query_map(term, grid, request.query).maps, dtype=torch.float32)
    return Binary(header, maps.numpy().astype("<f4").tobytes())


@lru_cache(maxsize=4096)
def _find_peak(centre: tuple[float, ...], precision: tuple[float, ...]) -> tuple[tuple[int, ...] | None, float]:
    """A head's peak and softness; cached, for while one head is dragged the others stay, and a wide one takes long."""
    check_cancelled()
    matrix = torch.tensor(precision, dtype=torch.float64).view((1, 2, 2) if len(precision) == 4 else (1, -1))
    fit = nearest_kernel(Quadratic(torch.tensor([centre], dtype=torch.float64), matrix.squeeze(1)))
    return fit.peaks[0], fit.softness[0]


def _examine(term: Quadratic, grid: Grid) -> tuple[list[list[str]], list[list[int]], str | None]:
    """What is degenerate about each head, and which are alike; or why nobody looked."""
    H = len(term.centre)
    if H * grid.count**2 > EXAMINED:
        return [[] for _ in range(H)], [], f"{H} heads on {grid.h} × {grid.w} pixels take longer than a moment"
    kinds = [list(state.kinds) for state in examine(term, grid)]
    check_cancelled()
    alike = [list(one) for one in duplicates(term, grid).classes]
    check_cancelled()
    return kinds, alike, None


def _make_gaussian(request: KernelRequest) -> Gaussian:
    """The heads that are request about, in float64."""
    count, entries = len(request.centres), {len(one) for one in request.precisions}
    if len(request.precisions) != count or len(entries) > 1 or not entries <= set(KINDS):
        raise ValueError(
            f"each of {count} heads must have a precision of 1, 2 or 4 numbers, all alike: got "
            f"{len(request.precisions)} of {sorted(entries)}"
        )
    (size,) = entries
    position = Gaussian(count, kind=KINDS[size], dtype=torch.float64)
    precision = torch.tensor(request.precisions, dtype=torch.float64).view(position.log_precision.shape)
    least = precision if size < 4 else torch.linalg.eigvalsh(precision)
    if not (least >= 1e-6).all():
        raise ValueError(f"precisions must be at least 0.000001: got {float(least.min()):.3g}; widen the head less")
    position.set(torch.tensor(request.centres, dtype=torch.float64), precision)
    return position


def _make_layer(workspace: Workspace, request: KernelRequest, position: Gaussian) -> PositionHeads:
    """A layer with these heads: of the training's own value maps, or one where each passes on the same share."""
    if request.values is None:
        even = PositionHeads(1, position, project=False, bias=False, dtype=torch.float64)
        torch.nn.init.constant_(even.value.weight, 1 / position.num_heads)
        return even.eval()
    layers = _load_layers(workspace, request.values)
    if request.values.layer >= len(layers) or layers[request.values.layer].num_heads != position.num_heads:
        raise ValueError(f"the training must have a layer {request.values.layer + 1} of {position.num_heads} heads")
    layer = copy.deepcopy(layers[request.values.layer]).double()
    layer.position = position
    return layer


def _load_layers(workspace: Workspace, values: Values) -> list[PositionHeads]:
    """The layers of a training, as its last checkpoint has them."""
    from regard.recipes import plan_run

    run = workspace.run(values.run)
    folder = _find_recording(run, values.training)
    steps = tuple(sorted(path.name for path in (folder / CHECKPOINTS).glob("step-*")))

    def load() -> tuple[list[PositionHeads], int]:
        model = plan_run(run).load(values.training).model.eval().requires_grad_(False)
        layers = [layer for layer in model.modules() if isinstance(layer, PositionHeads)]
        return layers, sum(4 * one.numel() for layer in layers for one in layer.parameters())

    return workspace.cache.get(("values", folder.resolve(), steps), load)


@torch.no_grad()
def _compare_convolution(layer: PositionHeads, grid: Grid) -> Convolution:
    """How far heads are from the convolution that they tend to: proven, worst, and measured.

    Raises where there is no such convolution, or where its bound would take too long.
    """
    position = layer.position
    assert isinstance(position, Gaussian)
    is_turned, looked = position.precision.ndim == 3, layer.num_heads * grid.count**2
    if is_turned:
        low = torch.linalg.eigvalsh(position.precision)[:, 0]
        far = (FAR / low).sqrt()
        if float(((2 * far) ** 2)[far < FARTHEST].sum()) > SUMMED:
            raise ValueError(f"the bound of {layer.num_heads} such wide heads takes longer than a moment; narrow them")
    conv, certificate = conv_from_attention(layer, norm=1.0)
    assert isinstance(conv, torch.nn.Conv2d)
    check_cancelled()
    bound, text, covered = certificate.bound(), str(certificate), _covered_pixels(certificate, position, grid)
    check_cancelled()
    width = layer.value.in_features // layer.num_heads
    worst, measured, untried = None, None, None
    if not covered.any():
        untried = "from every pixel some target leaves the image"
    elif is_turned and looked > TURNED:
        untried = f"{layer.num_heads} turned heads on {grid.h} × {grid.w} pixels take longer than a moment"
    else:
        measured = _measure_error(layer, conv, grid, covered)
        check_cancelled()
        if width == 1 and looked <= WORST:  # ‖Σ_k d_k x_k‖ is largest where every x_k has the sign of d_k
            pixels = torch.eye(grid.count, dtype=torch.float64).view(-1, 1, grid.h, grid.w)
            away = layer.weights(grid)[0].mean(0) - conv(pixels).flatten(1).T
            worst = float(away[covered].abs().sum(1).max())
    try:
        sharpness = certificate.sharpness_for(CLOSE * certificate.lipschitz)
    except ValueError:  # no sharpness is enough where the centres are
        sharpness = None
    return Convolution(
        size=conv.kernel_size,
        dilation=conv.dilation,
        taps=int((conv.weight != 0).any(0).any(0).sum()),
        bound=bound,
        rounding=certificate.rounding(),
        pixels=int(covered.sum()),
        worst=worst,
        measured=measured,
        untried=untried,
        lipschitz=certificate.lipschitz,
        scope=certificate.scope,
        sharpness=sharpness,
        text=text,
    )


def _covered_pixels(certificate: Certificate, position: Gaussian, grid: Grid) -> Tensor:
    """The pixels that the certificate covers, (h·w): all, or those from which every head's target is in the image."""
    if certificate.scope == "everywhere":
        return torch.ones(grid.count, dtype=torch.bool)
    targets = (position.centre.detach() - 0.5).ceil()  # rounded as in `conv_from_attention`
    rows, columns = (
        ((at := torch.arange(size)[:, None] + targets[:, axis]) >= 0).all(1) & (at < size).all(1)
        for axis, size in enumerate((grid.h, grid.w))
    )
    return (rows[:, None] & columns).flatten()


def _measure_error(layer: PositionHeads, conv: torch.nn.Conv2d, grid: Grid, covered: Tensor) -> float:
    """The largest error at these pixels, of random inputs of norm 1."""
    width = layer.value.in_features // layer.num_heads
    few = max(1, min(TRIED, 2**19 // (grid.count * width)))
    x = torch.randn(few, grid.count, width, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x = normalize(x, dim=2)
    errors = layer(x, grid) - conv(x.mT.unflatten(2, (grid.h, grid.w))).flatten(2).mT
    return float(errors[:, covered].norm(dim=2).max())


ENDPOINTS = (
    Endpoint("recorded", list_recorded),
    Endpoint("heads", read_heads),
    Endpoint("kernel", compute_kernel),
)
