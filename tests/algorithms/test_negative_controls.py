"""Deliberately broken algorithms, each of which the equivalence check must catch: a test that cannot fail is none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
import torch
from torch import Tensor

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.kernels.position import toeplitz as toeplitz_kernel
from regard.algorithms.planning import kept, machines
from regard.algorithms.planning.algorithm import Algorithm
from regard.algorithms.planning.cost import Cost
from regard.algorithms.planning.problem import Problem, pose
from regard.algorithms.position import toeplitz
from regard.algorithms.position.convolution import taps
from regard.algorithms.reference import Reference
from regard.attention import (
    Attention,
    Blocks,
    Causal,
    Content,
    Documents,
    Everything,
    GlobalTokens,
    Grid,
    KeyPadding,
    Padding,
    Prefix,
    Quadratic,
    RelativeTable,
    Sequence,
    Softmax,
    Sum,
    Tiles,
    Window,
)
from regard.attention.reference import reference
from regard.attention.value import unflatten
from tests.algorithms.cases import Case, build
from tests.algorithms.harness import EQUAL, results, verdicts
from tests.algorithms.linear.mistakes import MISTAKES
from tests.tolerances import Sizes, mismatches

Run = Callable[..., tuple[Tensor, Tensor | None]]


@dataclass
class Broken(Algorithm):
    """The definition with one mistake, as an algorithm that the planner knows."""

    mistake: Run
    name: str  # pyright: ignore[reportIncompatibleVariableOverride]

    def cost(self, problem: Problem) -> Cost:
        return Reference().cost(problem)

    def refuses(self, problem: Problem) -> str | None:
        return None

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        return self.mistake(q, k, v, problem.attention, dropout=problem.dropout, return_lse=problem.return_lse)


class Silent(Broken):
    """Refuses everything and does not say why."""

    def refuses(self, problem: Problem) -> str | None:
        return " "


def define(q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool):
    """No mistake."""
    out, lse = reference(q, k, v, attention, dropout)
    return out.to(v.dtype), lse if return_lse else None


def instead(change: Callable[[Attention], Attention]) -> Run:
    """The definition of a value that is not the one asked for."""

    def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool):
        return define(q, k, v, change(attention), dropout=dropout, return_lse=return_lse)

    return run


def afterwards(change: Callable[..., tuple[Tensor, Tensor | None]]) -> Run:
    """The definition's result, spoilt."""

    def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool):
        return change(*define(q, k, v, attention, dropout=dropout, return_lse=return_lse))

    return run


def in_type(dtype: torch.dtype) -> Run:
    """Computed in another type than the one it came in."""

    def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool):
        out, lse = reference(q.to(dtype), k.to(dtype), v.to(dtype), attention)
        return out.to(v.dtype), lse if return_lse else None

    return run


def tiled(q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool):
    """Head h takes key head h mod G, not h // (H/G)."""
    shared = q.shape[1] // k.shape[1]
    k, v = k.repeat(1, shared, 1, 1), v.repeat(1, shared, 1, 1)
    return define(q, k, v, attention, dropout=dropout, return_lse=return_lse)


def widths_swapped(q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool):
    """β from the width of the values."""
    assert attention.content is not None
    return instead(lambda a: replace(a, scores=Content(a.content.scale(v.shape[3]))))(
        q, k, v, attention, dropout=dropout, return_lse=return_lse
    )


def from_the_first_key(a: Attention) -> Attention:
    return replace(a, queries=Sequence(9), keys=Sequence(40))


def detached(a: Attention) -> Attention:
    structure, tensors = a.flatten()
    return unflatten([x.detach() for x in tensors], structure)


def one_map(a: Attention) -> Attention:
    """The map of the first row and head for all."""
    return replace(a, mask=type(a.mask)(a.mask.tensor[..., :1, :, :]))


def with_beta(a: Attention, factor: float) -> Attention:
    return replace(a, scores=Content(a.content.scale(16) * factor))


def last_row_nan(out: Tensor, lse: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """NaN where a row is exactly zero: an empty one."""
    return out.masked_fill((out == 0).all(-1, keepdim=True), torch.nan), lse


def gaussian(a: Attention, change: Callable[[Quadratic], Quadratic]) -> Attention:
    """The same value with another gaussian."""
    terms = [change(term) if isinstance(term, Quadratic) else term for term in a.scores.terms]
    return replace(a, scores=terms[0] if len(terms) == 1 else Sum(tuple(terms)))


def scaled_gradient(x: Tensor, factor: float) -> Tensor:
    """The same number, with a gradient that is off."""
    return factor * x + (1 - factor) * x.detach()


@dataclass(frozen=True, eq=False)
class Unseen(GlobalTokens):
    """Global tokens that see every key, and are seen by nobody for it."""

    def allows(self, b, h, i, j, places):
        return (places.queries.at(b, i) < self.count) & (j == j)


def by_blocks(change: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]) -> Run:
    """Products with the blocks of a map, from spoilt exponentials or spoilt sums of them."""

    def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool):
        problem = pose(q, k, v, attention)
        rows, columns = toeplitz.grid_axes(problem.places)
        kernel = toeplitz._kernel(problem, taps(Everything(), problem.places))
        return toeplitz_kernel.quotient(*change(kernel, toeplitz._sums(kernel, rows, columns)), v, rows, columns), None

    return run


def of_the_interior(sums: Tensor) -> Tensor:
    """Those of the pixel in the middle, for all."""
    middle = sums[:, sums.shape[1] // 2, None, sums.shape[2] // 2, None]
    return middle.expand_as(sums)


# The mistake, and a case that must show it. Half precision is the hardest place to see a small one.
CONTROLS: dict[str, tuple[Run, Case]] = {
    "zeros": (afterwards(lambda out, lse: (out * 0, lse)), Case()),
    "drops a causal mask": (instead(lambda a: replace(a, mask=Everything())), Case(mask="causal")),
    "drops a dense mask": (instead(lambda a: replace(a, mask=Everything())), Case(mask="dense")),
    "ignores key padding": (instead(lambda a: replace(a, mask=Everything())), Case(mask="key lengths")),
    "forgets that pads do not ask": (instead(lambda a: replace(a, mask=KeyPadding(a.mask.real))), Case(mask="lengths")),
    "padding without causal": (
        instead(lambda a: replace(a, mask=Padding(a.mask.left.real))),
        Case(mask="causal lengths as sizes"),
    ),
    "documents run together": (
        instead(lambda a: replace(a, mask=Padding(torch.tensor([sum(a.mask.rows[0])] * 3)))),
        Case(mask="documents as sizes"),
    ),
    "a document one token too long": (
        instead(lambda a: replace(a, mask=Documents(ids=torch.cat((a.mask.ids[:, :1], a.mask.ids[:, :-1]), 1)))),
        Case(mask="documents by ids"),
    ),
    "documents without causal": (
        instead(lambda a: replace(a, mask=a.mask.right)),
        Case(mask="causal documents as sizes"),
    ),
    "a prefix of one token more": (
        instead(lambda a: replace(a, mask=Prefix(a.mask.lengths + 1))),
        Case(mask="prefix"),
    ),
    "a prefix without what follows it": (
        instead(lambda a: replace(a, mask=KeyPadding(a.mask.lengths))),
        Case(mask="prefix of each row"),
    ),
    "beta too large by 1 %": (instead(lambda a: with_beta(a, 1.01)), Case()),
    "beta too small by 1 %": (instead(lambda a: with_beta(a, 0.99)), Case()),
    "beta of the value's width": (widths_swapped, Case(shape="wide values")),
    "ignores beta": (instead(lambda a: replace(a, scores=Content())), Case(scores="beta 0.3")),
    "window one too wide": (instead(lambda a: replace(a, mask=Window(6, 5))), Case(mask="window")),
    "window one too narrow": (instead(lambda a: replace(a, mask=Window(5, 4))), Case(mask="window")),
    "window the wrong way": (instead(lambda a: replace(a, mask=Window(2, 7))), Case(mask="lopsided window")),
    "causal from the first key": (instead(from_the_first_key), Case(mask="causal", shape="fewer queries")),
    "causal without oneself": (instead(lambda a: replace(a, mask=~Causal())), Case(mask="causal")),
    "ignores positions": (instead(lambda a: replace(a, queries=None)), Case(mask="window", positions="start per row")),
    "one map for all heads": (instead(one_map), Case(mask="dense per head")),
    "drops a score term": (
        instead(lambda a: replace(a, scores=a.scores.parts[0] + a.scores.parts[1])),
        Case(scores="bias and slopes"),
    ),
    "bias without gradient": (instead(detached), Case(scores="bias with gradient")),
    "slopes without gradient": (instead(detached), Case(scores="slopes")),
    "softmax for hard": (instead(lambda a: replace(a, weighting=Softmax())), Case(weighting="hard")),
    "NaN in empty rows": (afterwards(last_row_nan), Case(mask="dense")),
    "log-sum-exp without gradient": (
        afterwards(lambda out, lse: (out, lse.detach())),
        Case(wanted="output and log-sum-exp"),
    ),
    "log-sum-exp to base 2": (afterwards(lambda out, lse: (out, lse * 1.4427)), Case(wanted="output and log-sum-exp")),
    "no gradient at all": (afterwards(lambda out, lse: (out.detach(), lse)), Case()),
    "grouped heads tiled": (tiled, Case(shape="grouped heads")),
    "centres at the other side": (
        instead(lambda a: gaussian(a, lambda g: Quadratic(-g.centre, g.precision))),
        Case(scores="gaussian alone", positions="grid"),
    ),
    "rows for columns": (
        instead(lambda a: gaussian(a, lambda g: Quadratic(g.centre.flip(1), g.precision))),
        Case(scores="diagonal gaussian alone", positions="grid"),
    ),
    "half the precision": (
        instead(lambda a: gaussian(a, lambda g: Quadratic(g.centre, g.precision / 2))),
        Case(scores="gaussian", positions="grid"),
    ),
    "a covariance without its corner": (
        instead(
            lambda a: gaussian(a, lambda g: Quadratic(g.centre, g.precision.diagonal(dim1=1, dim2=2))),
        ),
        Case(scores="full gaussian alone", positions="grid"),
    ),
    "gradient of a centre 5 % off": (
        instead(lambda a: gaussian(a, lambda g: Quadratic(scaled_gradient(g.centre, 1.05), g.precision))),
        Case(scores="gaussian alone", positions="grid"),
    ),
    "gradient of a precision 5 % off": (
        instead(lambda a: gaussian(a, lambda g: Quadratic(g.centre, scaled_gradient(g.precision, 1.05)))),
        Case(scores="gaussian alone", positions="grid"),
    ),
    "ignores the stride": (
        instead(lambda a: replace(a, queries=Grid(4, 8))),
        Case(scores="gaussian alone", positions="strided grid"),
    ),
    "ignores a bound": (
        instead(lambda a: replace(a, scores=RelativeTable(a.scores.table))),
        Case(scores="bounded table alone", positions="grid"),
    ),
    "a table upside down": (
        instead(lambda a: replace(a, scores=RelativeTable(a.scores.table.flip(1), a.scores.bound))),
        Case(scores="bounded table alone", positions="grid"),
    ),
    "drops neighbours": (
        instead(lambda a: replace(a, mask=Everything())),
        Case(mask="neighbours", positions="grid"),
    ),
}
CONTROLS |= {
    "blocks off by one": (instead(lambda a: replace(a, mask=Blocks(5, shift=3))), Case(mask="blocks")),
    "blocks that are not causal": (instead(lambda a: replace(a, mask=Blocks(7))), Case(mask="causal blocks")),
    "a tile shifted the wrong way": (
        instead(lambda a: replace(a, mask=Tiles(3, 4, down=2, right=1))),
        Case(mask="shifted tiles", positions="grid"),
    ),
    "global tokens that see and are not seen": (
        instead(lambda a: replace(a, mask=Window(2, 2) | Unseen(2))),
        Case(mask="window or global tokens"),
    ),
}
CONTROLS |= {
    "blocks at the opposite offset": (
        by_blocks(lambda kernel, sums: (kernel.flip(1, 2), sums)),
        Case(scores="bounded table alone", positions="grid"),
    ),
    "sums of the interior at the border": (
        by_blocks(lambda kernel, sums: (kernel, of_the_interior(sums))),
        Case(scores="bounded table alone", positions="grid"),
    ),
}
CONTROLS |= MISTAKES
ROUNDING: dict[str, tuple[Run, Case]] = {
    "float32 in bfloat16": (in_type(torch.bfloat16), Case()),
    "float32 in float16": (in_type(torch.float16), Case()),
    "float64 in float32": (in_type(torch.float32), Case(dtype="float64")),
    "bfloat16 comes back as float32": (
        afterwards(lambda out, lse: (out.float(), lse)),
        Case(dtype="bfloat16"),
    ),
}


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Broken], None]]:
    """Put an algorithm where the real ones are."""

    def add(algorithm: Broken) -> None:
        PLANNER.algorithms.append(algorithm)
        for table in machines.TABLES.values():
            monkeypatch.setitem(table.efficiency, algorithm.name, 1.0)

    before = list(PLANNER.algorithms)
    yield add
    PLANNER.algorithms[:] = before
    kept.forget()  # choices of what is gone


def verdict(algorithm: Broken, case: Case, device: torch.device) -> str:
    return verdicts(build(case, device), [algorithm.name])[algorithm.name]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", CONTROLS)
def test_a_mistake_is_caught(name: str, dtype: str, register, device):
    run, case = CONTROLS[name]
    broken = Broken(run, name=f"{name} in {dtype}")
    register(broken)
    assert verdict(broken, replace(case, dtype=dtype), device) != EQUAL


@pytest.mark.parametrize("name", ROUNDING)
def test_a_lost_digit_is_caught(name: str, register, device):
    run, case = ROUNDING[name]
    broken = Broken(run, name=name)
    register(broken)
    assert verdict(broken, case, device) != EQUAL


@pytest.mark.parametrize("name", [*CONTROLS, *ROUNDING])
def test_without_the_mistake_the_same_case_passes(name: str, register, device):
    """Else anything would be caught."""
    _, case = (CONTROLS | ROUNDING)[name]
    right = Broken(define, name="right")
    register(right)
    assert verdict(right, case, device) == EQUAL


def test_a_refusal_without_a_reason_is_caught(register, device):
    silent = Silent(define, name="silent")
    register(silent)
    assert "without its reason" in verdict(silent, Case(), device)


def test_a_reference_that_rounds_too_much_is_caught(device):
    """It would be no yardstick: an algorithm as bad as itself would pass."""
    call = build(Case(dtype="bfloat16"), device)

    def sloppy(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> Tensor:
        weights = torch.softmax(attention.content.scale(q.shape[3]) * q @ k.mT, -1)
        return (weights @ v) * 1.01

    exact, own = results(sloppy, call.widened()), results(sloppy, call)
    exact = {name: x / 1.01 for name, x in exact.items()}
    assert any("the reference itself" in problem for problem in mismatches(own, own, exact, Sizes(1.0)))
