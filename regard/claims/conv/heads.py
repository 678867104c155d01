"""Where gaussian heads go in training: small attention-only models of real digits, every head recorded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.analysis import ellipses, nearest_kernel, query_map
from regard.attention import Grid, Quadratic
from regard.claims.chart import Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.experiments import Result, result
from regard.claims.small_runs import seeded
from regard.claims.timing import one_thread
from regard.layers import Gaussian
from regard.models.architectures.grid import GridConfig, GridModel
from regard.tasks.digits import CLASSES, SIDE, Images, digits

RECIPE = "digits-gaussian"
RUNS, EPOCHS, STEPS, BATCH = 4, 6, 20, 32
RATE, POSITION_RATE = 4e-3, 5e-2
MASS = 0.9  # of a head's weight, inside its circle
LEARNT = 0.5  # of new images, far above chance


def record(model: nn.Module, run: int, epoch: int) -> dict[str, float]:
    """Every gaussian head's centre and width, in tokens, as `run.epoch.layer.head.row`, `….column` and `….width`.

    The width is the standard deviation along an axis, 1/√(2α). A run's `run.accuracy` and the `side` of its images, in
    tokens, complete the record.
    """
    positions = [part for part in model.modules() if isinstance(part, Gaussian)]
    numbers = {}
    for layer, position in enumerate(positions, 1):
        widths = (2 * position.precision.detach()).rsqrt().tolist()
        for head, (centre, width) in enumerate(zip(position.centre.tolist(), widths, strict=True), 1):
            values = zip(("row", "column", "width"), (*centre, width), strict=True)
            numbers |= {f"{run}.{epoch}.{layer}.{head}.{name}": value for name, value in values}
    return numbers


@one_thread()
def small() -> dict[str, float]:
    """Four trainings on real digits, each from a seed of its own."""
    numbers = {"side": float(SIDE)}
    for seed in range(RUNS):
        numbers |= trained(seed)
    return numbers


def trained(seed: int) -> dict[str, float]:
    """120 batches of 32 digits; positions learn with a rate of their own, for they are pixels."""
    (train, test), source = digits(), torch.Generator().manual_seed(seed)
    config = GridConfig(image=SIDE, patch=1, classes=CLASSES, depth=3, width=16, num_heads=9, hidden=32)
    with seeded(seed):
        model = GridModel(config)
    positions = [p for name, p in model.named_parameters() if ".position." in name]
    others = [p for name, p in model.named_parameters() if ".position." not in name]
    optimizer = torch.optim.Adam([{"params": others}, {"params": positions, "lr": POSITION_RATE}], RATE)
    numbers = record(model, seed, 0)
    for epoch in range(1, EPOCHS + 1):
        for _ in range(STEPS):
            batch = train.draw(BATCH, source)
            loss = nn.functional.cross_entropy(model(standard(batch)).logits, batch.labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        numbers |= record(model, seed, epoch)
    with torch.no_grad():
        right = model(standard(test)).logits.argmax(1) == test.labels
    return numbers | {f"{seed}.accuracy": right.float().mean().item()}


def standard(batch: Images) -> Tensor:
    """Three channels of mean 0 and variance 1 over all images to learn from."""
    known = digits()[0].images
    return ((batch.images - known.mean()) / known.std()).expand(-1, 3, -1, -1)


@dataclass(frozen=True)
class Layer:
    """One layer's heads at one time: what is asked of them."""

    distances: list[float]  # of the centres from the query
    widths: list[float]
    area: int  # offsets of the image inside the circle of a head
    is_grid: bool  # the heads' pixels are a kernel's taps, each once
    from_grid: float  # the mean distance of the centres from the taps of the nearest kernel

    @property
    def distance(self) -> float:
        return mean(self.distances)

    @property
    def width(self) -> float:
        return mean(self.widths)


@dataclass(frozen=True)
class Training:
    """The layers of one run, from the lowest to the highest, before and after it."""

    first: list[Layer]
    last: list[Layer]

    @property
    def outward(self) -> int:
        """Heads above the lowest layer that end narrower, by 5 % at least, and further out, by a tenth of a token."""
        pairs = zip(self.first[1:], self.last[1:], strict=True)
        heads = [zip(a.widths, b.widths, a.distances, b.distances, strict=True) for a, b in pairs]
        return sum(b < 0.95 * a and d > c + 0.1 for layer in heads for a, b, c, d in layer)


def layers(record: Result, run: int, epoch: int) -> list[Quadratic]:
    """The heads of every layer as they were recorded."""
    found = []
    keys = {tuple(key.split(".")[2:4]) for key in record.numbers if key.startswith(f"{run}.{epoch}.")}
    for layer in range(1, 1 + max(int(layer) for layer, _ in keys)):
        heads = range(1, 1 + max(int(head) for own, head in keys if own == str(layer)))
        places = [f"{run}.{epoch}.{layer}.{head}" for head in heads]
        rows = [[record[f"{place}.{name}"] for name in ("row", "column", "width")] for place in places]
        table = torch.tensor(rows, dtype=torch.float64)
        found.append(Quadratic(table[:, :2], 0.5 / table[:, 2].square()))
    return found


def ends(numbers: Mapping[str, float]) -> dict[int, tuple[int, int]]:
    """The first and the last epoch of each run."""
    found: dict[int, list[int]] = {}
    for key in numbers:
        if key.endswith(".width"):
            run, epoch = key.split(".")[:2]
            found.setdefault(int(run), []).append(int(epoch))
    if not found:
        raise ValueError(
            f"a record of {RECIPE!r} must hold heads, such as '0.6.1.9.width': got {sorted(numbers)}"[:200]
        )
    return {run: (min(epochs), max(epochs)) for run, epochs in sorted(found.items())}


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
        from_grid=mean(near),
    )


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def trainings() -> tuple[Result, tuple[Training, ...]]:
    """Every run of the record, measured at both ends."""
    run = result(RECIPE, small)
    side = int(run["side"])
    found = []
    for number, epochs in ends(run.numbers).items():
        first, last = ([measured(heads, side) for heads in layers(run, number, epoch)] for epoch in epochs)
        found.append(Training(first, last))
    return run, tuple(found)


@dataclass(frozen=True)
class Part:
    """One thing that is said of every run."""

    words: str
    of: Callable[[Training], bool]


@dataclass(frozen=True)
class Course:
    """What is said of the heads' course: its four parts, and of the theory's grid."""

    start: Part
    lower: Part
    higher: Part
    area: Part
    grid: Part


def course(stated: Course) -> Sequence[Finding]:
    """Each part in how many runs, with what was measured between the first and the last epoch."""
    run, found = trainings()

    layers = [layer for one in found for layer in one.last]
    offsets = (2 * int(run["side"]) - 1) ** 2
    grids, away = sum(layer.is_grid for layer in layers), mean([layer.from_grid for layer in layers])
    accuracies = [run[f"{number}.accuracy"] for number in ends(run.numbers)]
    lowest, top = (span([one.last[number].width for one in found]) for number in (0, -1))
    nearest, furthest = (span([one.last[number].distance for one in found]) for number in (0, -1))
    heads = sum(len(layer.widths) for layer in found[0].first[1:])
    numbers = {
        "start": f"{max(max(layer.widths) for one in found for layer in one.first):.2f} tokens wide at most, "
        f"{mean([layer.distance for one in found for layer in one.first]):.1f} from the query on average",
        "lower": f"{lowest} tokens wide at the end, {nearest} from the query; the top {top}, {furthest}",
        "higher": f"{', '.join(str(one.outward) for one in found)} of {heads} heads",
        "area": f"{areas(found)} of {offsets} offsets on average, layer by layer",
        "grid": f"{grids} of {len(layers)} layers, heads {away:.1f} tokens from its taps",
    }
    findings = [_told(name, getattr(stated, name), numbers[name], found) for name in numbers]
    share = ", ".join(f"{100 * accuracy:.0f} %" for accuracy in accuracies)
    findings.append(Finding("learnt", min(accuracies) > LEARNT, f"right on new images, run by run: {share}"))
    return [Finding(f.name, f.holds, f"{f.shown} [{run.source}]", f.detail) for f in findings]


def _told(name: str, part: Part, numbers: str, found: Sequence[Training]) -> Finding:
    count = sum(part.of(one) for one in found)
    return Finding(name, count == len(found), f"{part.words}: in {count} of {len(found)} runs ({numbers})")


def span(values: Sequence[float]) -> str:
    low, high = (f"{value:.2f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def areas(found: Sequence[Training]) -> str:
    """How many offsets each layer covers before and after, on average over the runs."""
    ends = [[mean(layer) for layer in zip(*runs, strict=True)] for runs in _areas(found)]
    return ", ".join(f"{a:.0f} → {b:.0f}" for a, b in zip(*ends, strict=True))


def _areas(found: Sequence[Training]) -> tuple[list[list[int]], list[list[int]]]:
    return [[layer.area for layer in one.first] for one in found], [[layer.area for layer in one.last] for one in found]


def before_and_after() -> Matrices:
    """Every head of the first run, as the weight of each offset from the query, before and after training."""
    run, _ = trainings()
    side, (number, epochs) = int(run["side"]), next(iter(ends(run.numbers).items()))
    whole, middle = Grid(2 * side - 1, 2 * side - 1), (side - 1, side - 1)
    panels = {}
    both = (layers(run, number, epoch) for epoch in epochs)
    for layer, pair in enumerate(zip(*both, strict=True), 1):
        for when, heads in zip(("before", "after"), pair, strict=True):
            maps = torch.tensor(query_map(heads, whole, middle).maps)
            panels[f"layer {layer}, {when}"] = (maps / maps.amax((1, 2), keepdim=True)).amax(0).tolist()
    names = [str(offset).replace("-", "−") for offset in range(-side + 1, side)]
    count = len(ends(run.numbers))
    return Matrices(
        title=f"Where each layer's heads look: peaks of 1, outside at the edge (run 1/{count}) [{run.source}]",
        panels=panels,
        row_label="rows from the query",
        column_label="columns from the query",
        rows=names,
        columns=names,
    )


START = Part(
    "heads start local at random places, no layer as a grid",
    lambda run: all(max(layer.widths) <= 1.5 and not layer.is_grid for layer in run.first),
)
OUTWARD = Part("some heads above the lowest layer narrow and move outward", lambda run: run.outward > 0)


def _is_lower_nearer(run: Training) -> bool:
    return run.last[0].distance < run.last[-1].distance and run.last[0].width < run.last[-1].width


def _growth(run: Training) -> int:
    """By how much the areas of the layers above the lowest, added up, are larger at the end."""
    return sum(layer.area for layer in run.last[1:]) - sum(layer.area for layer in run.first[1:])


CLAIMS = (
    Claim(
        id="conv.q2",
        title="Where heads go in training",
        texts=Texts(
            asks="An attention-only image model learns every head's centre and width. Where do the heads go, layer by "
            "layer, and do they form the grid of a kernel as the theorem would have it?",
            derivation="Four parts are measured, each in every run. *Start*: centres from a normal distribution, width "
            "1 token. *Lower layers widen near the query*: the mean width of the lowest layer. *Some higher heads "
            "narrow and move outward*: heads above the lowest layer that are narrower by 5 % and further out by 0.1 "
            "tokens. *The covered area grows in all layers*: offsets inside the circle of some head that holds 90 % of "
            "its weight, where $e^{-\\alpha r^2} = 0.1$. The theory's grid: whether the pixels at which the nine heads "
            "look are a 3 × 3 kernel's taps, each once.\n\n"
            "The small version has real handwritten digits of 8 × 8 pixels, each pixel a token, and trains three "
            "layers of nine heads four times, from different seeds.\n\n"
            "In every small run heads start local, some higher heads narrow and move outward while their "
            "layers as a whole come to cover more, and no layer becomes a kernel's grid. The lowest layer stays nearer "
            "to the query and narrower than the top one; whether it widens at all, and covers more, differs from seed "
            "to seed.",
            quantities={
                "$\\alpha$": "precision of a head; its width is 1/√(2α)",
                "$r$": "distance from its centre, in tokens",
            },
            method=f"small version: {RUNS} runs (seeds 0 to {RUNS - 1}) of 3 layers, 9 heads, width 16, one token for "
            f"each pixel; Adam, {EPOCHS} epochs of {STEPS} batches of {BATCH} of 1,437 digits, rates 0.004, of "
            "positions 0.05; right on more than half of 360 new digits; the recipe's run takes its place where one is "
            "recorded",
            code=(
                "regard.models.architectures.grid:GridModel",
                "regard.tasks.digits:digits",
                "regard.analysis.convolution.heads:nearest_kernel",
                "regard.analysis.convolution.heads:ellipses",
            ),
        ),
        document=Version(
            "heads start local; lower layers widen, some higher heads narrow and move outward, all layers cover more; "
            "by the theory the centres would form a kernel's grid",
            r"\Delta^{(h)} \to f(h) \in \{-1, 0, 1\}^2",
            Course(
                START,
                Part("the lowest layer widens", lambda run: run.last[0].width > run.first[0].width),
                OUTWARD,
                Part(
                    "every layer covers more",
                    lambda run: all(b.area > a.area for a, b in zip(run.first, run.last, strict=True)),
                ),
                Part("every layer ends as a kernel's grid", lambda run: all(layer.is_grid for layer in run.last)),
            ),
        ),
        ours=Version(
            "heads start local; the lowest layer ends nearer the query and narrower than the top one; some higher "
            "heads narrow and move outward, and their layers cover more; no layer becomes a kernel's grid",
            r"\text{width}_1 < \text{width}_L, \quad \lVert\Delta_1\rVert < \lVert\Delta_L\rVert, \quad "
            r"\text{area}_{2 \ldots L}(\text{end}) > \text{area}_{2 \ldots L}(\text{start})",
            Course(
                START,
                Part("the lowest layer ends nearer the query and narrower than the top", _is_lower_nearer),
                OUTWARD,
                Part("the layers above the lowest cover more", lambda run: _growth(run) > 0),
                Part("no layer ends as a kernel's grid", lambda run: not any(layer.is_grid for layer in run.last)),
            ),
        ),
        twin=Version(
            "heads start local; the lowest layer goes further out and wider than the top one; no higher head narrows "
            "and moves outward, and their layers cover less; every layer becomes a kernel's grid",
            r"\text{width}_1 > \text{width}_L, \quad \Delta^{(h)} \to f(h) \in \{-1, 0, 1\}^2",
            Course(
                START,
                Part(
                    "the lowest layer ends further out and wider than the top",
                    lambda run: run.last[0].distance > run.last[-1].distance and run.last[0].width > run.last[-1].width,
                ),
                Part("no head above the lowest layer narrows and moves outward", lambda run: run.outward == 0),
                Part("the layers above the lowest cover less", lambda run: _growth(run) < 0),
                Part("every layer ends as a kernel's grid", lambda run: all(layer.is_grid for layer in run.last)),
            ),
        ),
        check=course,
        expected=Verdict.BORNE_OUT,
        chart=before_and_after,
    ),
)
