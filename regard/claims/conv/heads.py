"""Where gaussian heads go in training: image models of heads alone, every head recorded."""

import itertools
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import NamedTuple

import torch

from regard.analysis import nearest_kernel, query_map
from regard.attention import Grid, Quadratic
from regard.claims.chart import Matrices
from regard.claims.claim import PARTLY_BORNE_OUT, Finding, Findings, View, claim
from regard.claims.experiments import Result, latest, result
from regard.recipes.images.heads import area, distances, heads_of, outward, widths

LEARNT = 0.5  # of new images, far above chance


class Training(NamedTuple):
    """One training of the record: the heads of its layers, from the lowest up, before and after."""

    first: list[Quadratic]
    last: list[Quadratic]
    side: int  # of the image, in tokens
    accuracy: float

    def areas(self) -> tuple[list[int], list[int]]:
        """The offsets that each layer covers, before and after."""
        before, after = ([area(heads, self.side) for heads in layers] for layers in (self.first, self.last))
        return before, after

    def growth(self) -> int:
        """By how much the areas of the layers above the lowest, added up, are larger at the end."""
        before, after = self.areas()
        return sum(after[1:]) - sum(before[1:])


def trainings() -> tuple[Result, list[Training]]:
    """The record, of CIFAR-10 where there is one, else of the digits, and its trainings at both ends."""
    record, found = latest("cifar10-gaussian") or result("digits-gaussian"), []
    places = sorted(tuple(map(int, key.split(".")[:4])) for key in record.numbers if key.endswith(".width"))
    for run, heads in itertools.groupby(places, key=lambda place: place[0]):
        epochs: dict[int, dict[int, list[list[float]]]] = {}
        for place in heads:
            name = ".".join(map(str, place))
            row = [record[f"{name}.{what}"] for what in ("row", "column", "width")]
            epochs.setdefault(place[1], {}).setdefault(place[2], []).append(row)
        ends = [[as_heads(rows) for rows in epochs[end].values()] for end in (min(epochs), max(epochs))]
        found.append(Training(*ends, side=int(record["side"]), accuracy=record[f"{run}.accuracy"]))
    return record, found


def as_heads(rows: list[list[float]]) -> Quadratic:
    """Heads by their row, column and width, 1/√(2α)."""
    table = torch.tensor(rows, dtype=torch.float64)
    return heads_of(table[:, :2], 0.5 / table[:, 2].square())


def width(heads: Quadratic) -> float:
    return widths(heads).mean().item()


def distance(heads: Quadratic) -> float:
    return distances(heads).mean().item()


def is_grid(heads: Quadratic) -> bool:
    return nearest_kernel(heads).is_bijection


def draw_course() -> Matrices:
    """Every head of the first training, as the weight of each offset from the query, before and after."""
    record, found = trainings()
    one, panels = found[0], {}
    whole, middle = Grid(2 * one.side - 1, 2 * one.side - 1), (one.side - 1, one.side - 1)
    for layer, pair in enumerate(zip(one.first, one.last, strict=True), 1):
        for when, heads in zip(("before", "after"), pair, strict=True):
            maps = torch.tensor(query_map(heads, whole, middle).maps)
            panels[f"layer {layer}, {when}"] = (maps / maps.amax((1, 2), keepdim=True)).amax(0).tolist()
    names = [str(offset).replace("-", "−") for offset in range(-one.side + 1, one.side)]
    return Matrices(
        title=f"Where each layer's heads look: peaks of 1, outside at the edge (run 1/{len(found)}) [{record.source}]",
        panels=panels,
        row_label="rows from the query",
        column_label="columns from the query",
        rows=names,
        columns=names,
    )


SAID: dict[str, Callable[[Training], bool]] = {  # of every training
    "heads start local at random places, no layer as a grid": lambda run: all(
        bool((widths(heads) <= 1.5).all()) and not is_grid(heads) for heads in run.first
    ),
    "the lowest layer widens": lambda run: width(run.last[0]) > width(run.first[0]),
    "the lowest layer ends nearer the query and narrower than the top": lambda run: (
        distance(run.last[0]) < distance(run.last[-1]) and width(run.last[0]) < width(run.last[-1])
    ),
    "the lowest layer ends further out and wider than the top": lambda run: (
        distance(run.last[0]) > distance(run.last[-1]) and width(run.last[0]) > width(run.last[-1])
    ),
    "some heads above the lowest layer narrow and move outward": lambda run: outward(run.first, run.last) > 0,
    "no head above the lowest layer narrows and moves outward": lambda run: outward(run.first, run.last) == 0,
    "every layer covers more": lambda run: all(before < after for before, after in zip(*run.areas(), strict=True)),
    "the layers above the lowest cover more": lambda run: run.growth() > 0,
    "the layers above the lowest cover less": lambda run: run.growth() < 0,
    "every layer ends as a kernel's grid": lambda run: all(map(is_grid, run.last)),
    "no layer ends as a kernel's grid": lambda run: not any(map(is_grid, run.last)),
}


@claim(
    "conv.q2",
    PARTLY_BORNE_OUT,
    document={
        "lower": "the lowest layer widens",
        "covered": "every layer covers more",
        "theory": "every layer ends as a kernel's grid",
    },
    twin={
        "lower": "the lowest layer ends further out and wider than the top",
        "higher": "no head above the lowest layer narrows and moves outward",
        "covered": "the layers above the lowest cover less",
        "theory": "every layer ends as a kernel's grid",
    },
    chart=draw_course,
    recipe="digits-gaussian",
    view=View("heads", "Play a training, and see where heads go", {"step": 0}),
)
def course(
    start: str = "heads start local at random places, no layer as a grid",
    lower: str = "the lowest layer ends nearer the query and narrower than the top",
    higher: str = "some heads above the lowest layer narrow and move outward",
    covered: str = "the layers above the lowest cover more",
    theory: str = "no layer ends as a kernel's grid",
) -> Findings:
    """Each part in how many trainings, with what was measured between the first and the last epoch."""
    record, found = trainings()
    first, last = [heads for run in found for heads in run.first], [heads for run in found for heads in run.last]
    lowest, top = [run.last[0] for run in found], [run.last[-1] for run in found]
    away = [gap for heads in last for gap in nearest_kernel(heads).distances if gap is not None]
    ends = zip(*[run.areas() for run in found], strict=True)  # before and after
    areas = [[fmean(layer) for layer in zip(*runs, strict=True)] for runs in ends]
    numbers = {
        start: f"{max(widths(heads).max().item() for heads in first):.2f} tokens wide at most, "
        f"{fmean(map(distance, first)):.1f} from the query on average",
        lower: f"{span(map(width, lowest))} tokens wide at the end, {span(map(distance, lowest))} from the query; "
        f"the top {span(map(width, top))}, {span(map(distance, top))}",
        higher: f"{', '.join(str(outward(run.first, run.last)) for run in found)} of "
        f"{sum(heads.heads for heads in found[0].first[1:])} heads",
        covered: f"{', '.join(f'{a:.0f} → {b:.0f}' for a, b in zip(*areas, strict=True))} of "
        f"{(2 * found[0].side - 1) ** 2} offsets on average, layer by layer",
        theory: f"{sum(map(is_grid, last))} of {len(last)} layers, heads {fmean(away):.1f} tokens from its taps",
    }
    for said, measured in numbers.items():
        count = sum(map(SAID[said], found))
        shown = f"{said}: in {count} of {len(found)} runs ({measured}) [{record.source}]"
        yield Finding(said, count == len(found), shown)
    shares = [run.accuracy for run in found]
    shown = f"right on new images, run by run: {', '.join(f'{100 * share:.0f} %' for share in shares)}"
    yield Finding("learnt", min(shares) > LEARNT, f"{shown} [{record.source}]")


def span(values: Iterable[float]) -> str:
    found = sorted(values)
    low, high = f"{found[0]:.2f}", f"{found[-1]:.2f}"
    return low if low == high else f"{low} to {high}"
