"""Where gaussian heads go in training: a small attention-only image model, every head recorded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from regard.analysis import ellipses, nearest_kernel, query_map
from regard.attention import Grid, Quadratic
from regard.claims.chart import Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.conv.threads import one_thread
from regard.claims.experiments import Result, result
from regard.claims.small_runs import seeded
from regard.layers import Gaussian
from regard.models.grid import GridConfig, GridModel
from regard.tasks.shapes import CLASSES, Shapes

RECIPE = "digits-gaussian"
EPOCHS, STEPS, BATCH = 8, 20, 32
RATE, POSITION_RATE = 4e-3, 5e-2
MASS = 0.9  # of a head's weight, inside its circle


def record(model: nn.Module, epoch: int) -> dict[str, float]:
    """Every gaussian head's centre and width, in tokens, as `epoch.layer.head.row`, `….column` and `….width`.

    The width is the standard deviation along an axis, 1/√(2α).
    """
    positions = [part for part in model.modules() if isinstance(part, Gaussian)]
    numbers = {}
    for layer, position in enumerate(positions, 1):
        widths = (2 * position.precision.detach()).rsqrt().tolist()
        for head, (centre, width) in enumerate(zip(position.centre.tolist(), widths, strict=True), 1):
            values = zip(("row", "column", "width"), (*centre, width), strict=True)
            numbers |= {f"{epoch}.{layer}.{head}.{name}": value for name, value in values}
    return numbers


@one_thread()
def small() -> dict[str, float]:
    """Train on striped squares for 160 batches of 32; positions learn with a rate of their own, for they are pixels."""
    task, drawn = Shapes(noise=0.1), torch.Generator().manual_seed(0)
    with seeded(0):
        model = GridModel(GridConfig(image=16, classes=CLASSES, depth=3, width=16, num_heads=9, hidden=32))
    positions = [p for name, p in model.named_parameters() if ".position." in name]
    others = [p for name, p in model.named_parameters() if ".position." not in name]
    optimizer = torch.optim.Adam([{"params": others}, {"params": positions, "lr": POSITION_RATE}], RATE)
    numbers = {"side": 8.0} | record(model, 0)
    for epoch in range(1, EPOCHS + 1):
        for _ in range(STEPS):
            images, classes = task.draw(BATCH, drawn)
            loss = nn.functional.cross_entropy(model(images).logits, classes)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        numbers |= record(model, epoch)
    images, classes = task.draw(512, drawn)
    with torch.no_grad():
        right = model(images).logits.argmax(1) == classes
    return numbers | {"accuracy": right.float().mean().item()}


@dataclass(frozen=True)
class Layer:
    """One layer's heads at one time: what is asked of them."""

    distances: list[float]  # of the centres from the query
    widths: list[float]
    area: int  # offsets of the image inside the circle of a head
    is_grid: bool  # the heads' pixels are a kernel's taps, each once
    from_grid: float  # the mean distance of the centres from the taps of the nearest kernel


def layers(numbers: Mapping[str, float], epoch: int) -> list[Quadratic]:
    """The heads of every layer as they were recorded."""
    found = []
    keys = {tuple(key.split(".")[1:3]) for key in numbers if key.startswith(f"{epoch}.")}
    for layer in range(1, 1 + max(int(layer) for layer, _ in keys)):
        heads = range(1, 1 + max(int(head) for own, head in keys if own == str(layer)))
        rows = [[numbers[f"{epoch}.{layer}.{head}.{name}"] for name in ("row", "column", "width")] for head in heads]
        table = torch.tensor(rows, dtype=torch.float64)
        found.append(Quadratic(table[:, :2], 0.5 / table[:, 2].square()))
    return found


def measured(heads: Quadratic, side: int) -> Layer:
    """Distances, widths, the covered area and the nearest kernel of one layer."""
    fit, line = nearest_kernel(heads), torch.arange(-side + 1, side, dtype=torch.float64)
    offsets = torch.cartesian_prod(line, line)
    radius = torch.tensor([ellipse.half_axes[0][0] for ellipse in ellipses(heads, (MASS,))], dtype=torch.float64)
    covered = ((offsets[:, None] - heads.centre).norm(dim=2) <= radius).any(1)
    near = [distance for distance in fit.distances if distance is not None]
    return Layer(
        distances=heads.centre.norm(dim=1).tolist(),
        widths=(2 * heads.precision).rsqrt().tolist(),
        area=int(covered.sum()),
        is_grid=fit.is_bijection,
        from_grid=sum(near) / len(near),
    )


@dataclass(frozen=True)
class Course:
    """What is said of the heads' course; None where nothing is.

    `local` is the largest width at the start, in tokens; `lower` the sign in which widths of the lowest layer change;
    `outward` how many heads above it narrow and move outward at least; `area` the sign in which the number of covered
    offsets changes, by layer; `grids` how many layers end as a kernel's grid. The last two are of the number of layers.
    """

    local: float
    area: Callable[[int], Mapping[int, int]]
    grids: Callable[[int], int]
    lower: int | None = None
    outward: int | None = None


def course(stated: Course) -> Sequence[Finding]:
    """Each part of the course, measured between the first and the last epoch."""
    run = result(RECIPE, small)
    first, last = both_ends(run)
    pairs = list(zip(first, last, strict=True))
    widest, far = max(max(layer.widths) for layer in first), mean([mean(layer.distances) for layer in first])
    grids = sum(layer.is_grid for layer in first)
    findings = [
        Finding(
            "start",
            widest <= stated.local and grids == 0,
            f"heads start {widest:.2f} tokens wide, {far:.1f} from the query on average, {grids} layers as a grid",
        )
    ]
    if stated.lower is not None:
        before, after = (mean(layer.widths) for layer in pairs[0])
        holds = (after - before) * stated.lower > 0
        shown = f"lowest layer: mean width {before:.2f} → {after:.2f}, distance {moved(*pairs[0])}"
        findings.append(Finding("lower layers", holds, shown + _said(holds)))
    if stated.outward is not None:
        count = sum(outward(*pair) for pair in pairs[1:])
        total = sum(len(layer.widths) for layer in first[1:])
        shown = f"{count} of {total} heads above the lowest layer narrow and move outward"
        findings.append(Finding("higher layers", count >= stated.outward, shown + _said(count >= stated.outward)))
    changes = [last.area - first.area for first, last in pairs]
    holds = all(changes[layer - 1] * sign > 0 for layer, sign in stated.area(len(pairs)).items())
    areas = ", ".join(f"{a.area} → {b.area}" for a, b in pairs)
    shown = f"offsets covered, layer by layer: {areas} of {(2 * int(run['side']) - 1) ** 2}"
    findings.append(Finding("the area", holds, shown + _said(holds)))
    count, away = sum(layer.is_grid for layer in last), mean([layer.from_grid for layer in last])
    holds = count == stated.grids(len(last))
    shown = f"{count} of {len(last)} layers end as a kernel's grid, {away:.1f} tokens from its taps"
    findings.append(Finding("a kernel's grid", holds, shown + _said(holds)))
    findings.append(Finding("learnt", run["accuracy"] > 0.5, f"the model is right in {100 * run['accuracy']:.0f} %"))
    return [Finding(f.name, f.holds, f"{f.shown} [{run.source}]", f.detail) for f in findings]


def both_ends(run: Result) -> list[list[Layer]]:
    epochs = {int(key.split(".")[0]) for key in run.numbers if key.endswith(".width")}
    side = int(run["side"])
    return [[measured(heads, side) for heads in layers(run.numbers, epoch)] for epoch in (min(epochs), max(epochs))]


def outward(first: Layer, last: Layer) -> int:
    """Heads that are narrower at the end, by 5 % at least, and further from the query, by a tenth of a token."""
    heads = zip(first.widths, last.widths, first.distances, last.distances, strict=True)
    return sum(b < 0.95 * a and d > c + 0.1 for a, b, c, d in heads)


def moved(first: Layer, last: Layer) -> str:
    return f"{mean(first.distances):.2f} → {mean(last.distances):.2f}"


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _said(holds: bool) -> str:
    return "" if holds else ", not borne out here"


def before_and_after() -> Matrices:
    """All heads of a layer added up, as the weight of each offset from the query, before and after training."""
    run = result(RECIPE, small)
    epochs, side = {int(key.split(".")[0]) for key in run.numbers if key.endswith(".width")}, int(run["side"])
    panels = {}
    for when, epoch in (("before", min(epochs)), ("after", max(epochs))):
        for number, heads in enumerate(layers(run.numbers, epoch), 1):
            maps = torch.tensor(query_map(heads, Grid(2 * side - 1, 2 * side - 1), (side - 1, side - 1)).maps)
            panels[f"layer {number}, {when}"] = maps.sum(0).tolist()
    names = [str(offset) for offset in range(-side + 1, side)]
    return Matrices(
        title=f"Weight of each offset from the query, added up over the heads [{run.source}]",
        panels=panels,
        row_label="rows from the query",
        column_label="columns from the query",
        rows=names,
        columns=names,
    )


CLAIMS = (
    Claim(
        id="conv.q2",
        title="Where heads go in training",
        kind="experiment",
        texts=Texts(
            asks="An attention-only image model learns every head's centre and width. Where do the heads go, layer by "
            "layer, and do they form the grid of a kernel as the theorem would have it?",
            derivation="Four parts are measured. *Start*: centres from a normal distribution, width 1 token. *Lower "
            "layers widen near the query*: the mean width of the lowest layer. *Some higher heads narrow and move "
            "outward*: heads above the lowest layer that are narrower by 5 % and further out by 0.1 tokens. *The "
            "covered area grows in all layers*: offsets inside the circle of some head that holds 90 % of its weight, "
            "where $e^{-\\alpha r^2} = 0.1$. The theory's grid: whether the pixels at which the nine heads look are a "
            "3 × 3 kernel's taps, each once.\n\n"
            "The small run has 16 × 16 images of two striped squares, made on the spot: how the stripes run is seen "
            "nearby, how the squares lie to each other only from afar. Three layers of nine heads on 8 × 8 tokens "
            "learn it from 5120 images.\n\n"
            "What comes out each time is less than the document's figure shows: heads start local, the top layer comes "
            "to cover more, and no layer becomes a kernel's grid. The lowest layer may go either way: here it "
            "*narrows* and covers less, as fits stripes of two pixels.",
            quantities={
                "$\\alpha$": "precision of a head; its width is 1/√(2α)",
                "$r$": "distance from its centre, in tokens of 2 × 2 pixels",
            },
            method="small version: 3 layers, 9 heads, width 16; Adam, 160 steps of 32 images, rates 0.004, of "
            "positions 0.05; seed 0, one run; the recipe's run takes its place where one is recorded",
            code=(
                "regard.models.grid:GridModel",
                "regard.tasks.shapes:Shapes",
                "regard.analysis.heads:nearest_kernel",
                "regard.analysis.heads:ellipses",
            ),
        ),
        document=Version(
            "heads start local; lower layers widen, some higher heads narrow and move outward, all layers cover more; "
            "by the theory the centres would form a kernel's grid",
            r"\Delta^{(h)} \to f(h) \in \{-1, 0, 1\}^2",
            Course(1.5, lambda depth: dict.fromkeys(range(1, depth + 1), 1), lambda depth: depth, lower=1, outward=1),
        ),
        ours=Version(
            "heads start local; the top layer comes to cover more; no layer becomes a kernel's grid",
            r"\text{area}_L(\text{end}) > \text{area}_L(\text{start})",
            Course(1.5, lambda depth: {depth: 1}, lambda depth: 0),
        ),
        twin=Version(
            "heads start within half a token; the top layer comes to cover less; all layers become a kernel's grid",
            r"\Delta^{(h)} \to f(h) \in \{-1, 0, 1\}^2",
            Course(0.5, lambda depth: {depth: -1}, lambda depth: depth),
        ),
        check=course,
        expected=Verdict.EXPERIMENT,
        chart=before_and_after,
    ),
)
