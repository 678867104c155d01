"""What masks say of themselves is true, is all that algorithms know of them, and is inherited by nobody."""

import ast
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from regard import plan
from regard.attention import (
    Attention,
    Axial,
    Bias,
    Blocks,
    Causal,
    Content,
    Dense,
    Dilated,
    Documents,
    Elu,
    Everything,
    GlobalTokens,
    Grid,
    Kernel,
    KeyPadding,
    Mask,
    Neighbours,
    Padding,
    Places,
    Positions,
    Prefix,
    Quadratic,
    RelativeTable,
    SameColumn,
    SameRow,
    Sequence,
    Slopes,
    Strided,
    Tiles,
    Window,
)
from regard.attention.masks.facts import UNKNOWN, Cell, Facts, Real, Runs
from regard.attention.masks.mask import STATEMENTS, And, MaskPiece, Not, Or, Pair, real_tokens
from regard.attention.masks.offsets import OffsetMask
from regard.attention.masks.padding import RealTokens
from tests.algorithms.cases import Call
from tests.algorithms.harness import wrong
from tests.attention.test_patterns import GRID, LINE, Pattern, lines, planes
from tests.budget import examples
from tests.strategies import B, H, dense_masks, documents, joined, key_paddings, paddings, prefixes

# The type-checking hook picks the item of a list that it looks at by `random`.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")

ROOT = Path(__file__).parents[2]
CPU = torch.device("cpu")


def built_in(kind: type = Mask) -> set[type]:
    """All kinds of masks that the library has."""
    own = {kind} if kind.__module__.startswith("regard.attention.") else set()
    return own.union(*[built_in(sub) for sub in kind.__subclasses__()])


BASES = {Mask, Pair, OffsetMask, RealTokens, MaskPiece}  # which decide nothing themselves
NUMBER = 60  # tokens, or 6 × 10 pixels
IMAGE = Grid(6, 10)
EXAMPLES: list[tuple[Mask, Positions | None]] = [
    (Everything(), None),
    (Causal(), None),
    (Window(5, 2), None),
    (Strided(7), None),
    (Dilated(3, 4, 2), None),
    (Blocks(8, 3), None),
    (GlobalTokens(3), None),
    (KeyPadding([60, 17]), None),
    (KeyPadding(torch.tensor([60, 17])), None),
    (Padding([31, 60]), None),
    (Documents([17, 0, 30]), None),
    (Documents([[17, 43], [60]]), None),
    (Documents(torch.tensor([[17, 20], [0, 60]])), None),
    (Documents(ids=torch.tensor([3] * 20 + [-1] * 10 + [1] * 30)), None),
    (Prefix(9), None),
    (Prefix([9, 33]), None),
    (Dense(torch.rand(2, 1, 60, 60, generator=torch.Generator().manual_seed(0)) < 0.5), None),
    (And(Causal(), Window(9)), None),
    (Or(Window(3, 3), GlobalTokens(2)), None),
    (Not(Blocks(9)), None),
    (Neighbours(1, 2), IMAGE),
    (SameRow(), IMAGE),
    (SameColumn(), IMAGE),
    (Axial(), IMAGE),
    (Tiles(3, 4, 1, 2), IMAGE),
]


def test_every_kind_of_mask_has_its_example():
    grid_base = {kind for kind in built_in() if kind.__name__ == "GridMask"}
    assert {type(mask) for mask, _ in EXAMPLES} == built_in() - BASES - grid_base


# A fact is a claim about pairs; whoever claims too much is named.


def in_bands(facts: Facts, offsets: tuple[Tensor, ...]) -> Tensor:
    """Whether each pair lies within the band along every axis."""
    inside = torch.ones_like(offsets[0], dtype=torch.bool)
    for (low, high), offset in zip(facts.band, offsets, strict=False):
        inside &= (offset >= (-math.inf if low is None else low)) & (offset <= (math.inf if high is None else high))
    return inside


def in_one_cell(cells: tuple[Cell, ...], places: Places, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
    sides = [side.at(b, token) for side, token in ((places.queries, i), (places.keys, j))]
    sides = [side if isinstance(side, tuple) else (side,) for side in sides]
    same = [cell.number(query) == cell.number(key) for cell, query, key in zip(cells, *sides, strict=True)]
    return functools.reduce(torch.bitwise_and, [torch.as_tensor(part) for part in same])


def keeps_pads_apart(real: Real, mask: Mask, places: Places, pairs: Tensor) -> bool:
    tokens = real_tokens(mask, places, B, CPU)
    hidden = tokens[:, None, None, :].expand_as(pairs)
    hidden = hidden & tokens[:, None, :, None] if real.queries else hidden
    in_order = not (tokens[:, 1:] & ~tokens[:, :-1]).any()
    counted = real.lengths is None or real.lengths == tuple(tokens.sum(1).tolist())
    return torch.equal(hidden, pairs) and counted and (in_order or not real.prefix)


def keeps_documents_apart(runs: Runs, mask: Mask, places: Places, pairs: Tensor) -> bool:
    numbers = mask.documents(places, CPU)
    if numbers is None or numbers.shape[0] not in (1, B):
        return False
    same = (numbers[:, :, None] == numbers[:, None, :]) & (numbers[:, None, :] >= 0)
    found = [row[row >= 0] for row in numbers.expand(B, -1)]
    grow = all(bool((row[1:] >= row[:-1]).all()) for row in found)
    few = runs.most is None or all(int(row.max()) < runs.most for row in found if len(row))
    front = not runs.prefix or not ((numbers[:, 1:] >= 0) & (numbers[:, :-1] < 0)).any()
    counted = True
    if runs.lengths is not None:
        rows = [runs.lengths[n % len(runs.lengths)] for n in range(B)]
        counts = [[int((row == n).sum()) for n in range(len(own))] for row, own in zip(found, rows, strict=True)]
        counted = counts == [list(own) for own in rows]
    return torch.equal(same[:, None].expand_as(pairs), pairs) and grow and few and front and counted


def one_answer_each(questions: Tensor, answers: Tensor) -> bool:
    """Whether pairs of which the same is asked, (pairs, numbers), are decided alike."""
    _, asked = questions.unique(dim=0, return_inverse=True)
    both = torch.zeros(int(asked.max()) + 1, 2, dtype=torch.bool)
    both[asked, answers.long()] = True
    return not both.all(1).any()


def lies(mask: Mask, places: Places) -> set[str]:
    """The facts of a mask at some places that are not so."""
    facts, T, S = mask.facts(places), places.queries.count, places.keys.count
    index = [torch.arange(n) for n in (B, H, T, S)]
    pairs = mask.slab(*index, places).expand(B, H, T, S)
    b, h, i, j = (x.flatten() for x in torch.meshgrid(*index, indexing="ij"))
    offsets, seen = places.offsets(b, i, j, mask), pairs.flatten()
    stood = [side.at(b, token) for side, token in ((places.queries, i), (places.keys, j))]
    stood = [x for side in stood for x in (side if isinstance(side, tuple) else (side,))]
    claims = {
        "full": not facts.full or bool(seen.all()),
        "rows": facts.rows or torch.equal(pairs, pairs[:1].expand_as(pairs)),
        "heads": facts.heads or torch.equal(pairs, pairs[:, :1].expand_as(pairs)),
        "band": bool(in_bands(facts, offsets)[seen].all()),
        "interval": not facts.interval or torch.equal(in_bands(facts, offsets), seen),
        "cells": not facts.cells or torch.equal(in_one_cell(facts.cells, places, b, i, j), seen),
        "real": facts.real is None or keeps_pads_apart(facts.real, mask, places, pairs),
        "documents": facts.documents is None or keeps_documents_apart(facts.documents, mask, places, pairs),
        "relative": not facts.relative or one_answer_each(torch.stack((h, *offsets), 1), seen),
        "positional": not facts.positional or one_answer_each(torch.stack((h, *stood), 1), seen),
    }
    parts = [part.slab(*index, places) for part in mask.conjuncts]
    claims["conjuncts"] = torch.equal(functools.reduce(torch.bitwise_and, parts, torch.ones_like(pairs)), pairs)
    parts = [part.slab(*index, places) for part in mask.disjuncts]
    claims["disjuncts"] = torch.equal(functools.reduce(torch.bitwise_or, parts, torch.zeros_like(pairs)), pairs)
    return {claim for claim, holds in claims.items() if not holds}


def other_masks(T: int, S: int) -> st.SearchStrategy[Mask]:
    """Those that hold data, or sizes of this call."""
    found = key_paddings(S) | dense_masks(T, S)
    return found | paddings(S) | documents(S) if T == S else found


@st.composite
def placed(draw: st.DrawFn) -> tuple[Mask, Places]:
    """Any mask, joined in any way, at places of its own."""
    patterns, sides = draw(st.sampled_from([(LINE, lines(3, by_row=True)), (GRID, planes(3))]))
    queries = draw(sides)
    places = Places(queries, draw(st.just(queries) | sides))
    leaves = patterns.map(lambda pattern: pattern.mask) | other_masks(places.queries.count, places.keys.count)
    if places.num_axes == 1:
        leaves |= prefixes(20)
    return draw(leaves | joined(leaves | st.just(Everything()))), places


@settings(max_examples=examples(600))
@given(drawn=placed())
def test_no_mask_lies(drawn: tuple[Mask, Places]):
    assert lies(*drawn) == set()


@settings(max_examples=examples(150))
@given(pattern=LINE, at=st.lists(lines(1, by_row=False), min_size=2, max_size=2))
def test_what_offsets_decide_is_the_same_elsewhere(pattern: Pattern, at: list[Sequence]):
    """`lies` asks one call alone; here rows of the batch stand at different places."""
    moved = Places(Sequence(9, start=torch.tensor([side.start for side in at])), Sequence(11))
    assert not lies(pattern.mask, moved) & {"relative", "positional"}


LIARS = {
    "full": (Facts(full=True), "full"),
    "rows": (Facts(rows=False), "rows"),
    "heads": (Facts(heads=False), "heads"),
    "band": (Facts(band=((-1, 1), (None, None))), "band"),
    "interval": (Facts(band=((-3, 3), (None, None)), interval=True), "interval"),
    "cells": (Facts(cells=(Cell(3),)), "cells"),
    "real": (Facts(real=Real(queries=False, prefix=True, lengths=(9, 9))), "real"),
    "documents": (Facts(documents=Runs(lengths=None, most=None, prefix=True)), "documents"),
    "relative": (Facts(relative=True), "relative"),
    "positional": (Facts(positional=True), "positional"),
}


@pytest.mark.parametrize("name", LIARS)
def test_a_lie_is_caught(name: str):
    facts, lie = LIARS[name]

    @dataclass(frozen=True, eq=False)
    class Liar(Mask):
        def allows(self, b, h, i, j, places):
            return ((i - j).abs() <= 2 + h) & ((i + b) % 5 > 0)

        def facts(self, places):
            return facts

    assert lies(Liar(), Places(Sequence(9), Sequence(9))) == {lie}


# A mask of one's own with the same statements is as good as a built-in one.


def renamed(kind: type) -> type:
    """A copy of a class under another name, with no built-in mask among its parents."""
    own: dict[str, Any] = {}
    for base in reversed(kind.__mro__[: kind.__mro__.index(Mask)]):
        own |= base.__dict__
    gone = ("__dict__", "__weakref__", "__setattr__", "__delattr__")
    own = {name: part for name, part in own.items() if name not in gone}
    if kind is Padding:
        own["check"] = RealTokens.check  # its own calls `super`, which a copy is not
    return type(f"My{kind.__name__}", (Mask,), own | {"__module__": __name__, "__qualname__": f"My{kind.__name__}"})


def silent(kind: type) -> type:
    """A subclass that decides as its parent does, and says nothing of itself."""
    return type(f"Silent{kind.__name__}", (kind,), {"__module__": __name__})


@functools.cache
def made(make: Callable[[type], type], kind: type) -> type:
    return make(kind)


def like(mask: Mask, make: Callable[[type], type]) -> Mask:
    """The same mask as an instance of such a class, and so its parts."""
    fields = [getattr(mask, name) for name in type(mask).__match_args__]
    return made(make, type(mask))(*[like(field, make) if isinstance(field, Mask) else field for field in fields])


def values_of(mask: Mask, keys: Positions | None, n: int = NUMBER) -> dict[str, Attention]:
    """Mechanisms that differ in who computes them."""
    axes = 1 if keys is None else 2
    keys = keys or Sequence(n)
    table = torch.zeros(H, *[2 * side - 1 for side in ((n,) if isinstance(keys, Sequence) else (keys.h, keys.w))])
    table = table + torch.linspace(-1, 1, table.numel()).view_as(table)
    gaussian = Quadratic(torch.full((H, axes), 1.5), torch.tensor([0.1, 0.3]))
    found = {
        "content": Attention(mask=mask, keys=keys),
        "gaussians alone": Attention(gaussian, mask, keys=keys),
        "tables alone": Attention(RelativeTable(table, bound=1), mask, keys=keys),
        "features": Attention(mask=mask, weighting=Kernel(Elu()), keys=keys),
        "content and gaussians": Attention(Content() + gaussian, mask, keys=keys),
    }
    return found | ({"slopes": Attention(Content() + Slopes(torch.tensor([0.5, 0.1])), mask)} if axes == 1 else {})


def planned(attention: Attention, machine: str, dtype: torch.dtype, grad: bool, n: int = NUMBER) -> list[tuple]:
    """What every algorithm says, and the choice; names of masks as they are built in."""
    q = torch.empty(B, H, n, 16, dtype=dtype, device="meta", requires_grad=grad)
    found = plan(q, q, q, attention, return_lse=False, device=machine)
    told = [(c.name, c.cost, c.seconds, c.refusal and c.refusal.replace("My", "")) for c in found.candidates]
    return [("chosen", found.chosen), *told]


@pytest.mark.parametrize(("mask", "keys"), EXAMPLES, ids=str)
def test_a_renamed_copy_gets_the_same_plan(mask: Mask, keys: Positions | None):
    mine = like(mask, renamed)
    assert not isinstance(mine, type(mask))
    assert type(mine).__name__ == f"My{type(mask).__name__}"
    for machine, dtype, grad in (("cpu", torch.float32, True), ("h200", torch.bfloat16, False)):
        for (name, ours), theirs in zip(values_of(mask, keys).items(), values_of(mine, keys).values(), strict=True):
            assert planned(ours, machine, dtype, grad) == planned(theirs, machine, dtype, grad), name


@pytest.mark.parametrize(
    ("mask", "keys"), [(Window(256, 256), None), (Blocks(64), None), (Tiles(8, 8), Grid(64, 64))], ids=str
)
def test_a_renamed_copy_gets_the_same_plan_when_it_matters(mask: Mask, keys: Positions | None):
    """At lengths at which the plan for an unknown mask is another."""
    plans = [
        planned(Attention(mask=one, keys=keys), "cpu", torch.float32, False, 4096)
        for one in (mask, like(mask, renamed), like(mask, silent))
    ]
    assert plans[0] == plans[1]
    assert plans[0][0] != plans[2][0]


@pytest.mark.parametrize(("mask", "keys"), EXAMPLES, ids=str)
def test_a_subclass_starts_from_unknown(mask: Mask, keys: Positions | None):
    mine, places = made(silent, type(mask)), Attention(keys=keys).places(NUMBER, NUMBER)
    mine = mine(*[getattr(mask, name) for name in type(mask).__match_args__])
    assert isinstance(mine, type(mask))
    assert mine.facts(places) == UNKNOWN
    assert (mine.conjuncts, mine.disjuncts) == ((mine,), (mine,))
    assert (mine.along(0), mine.along(1)) == (None, None)
    some, every = mine.blocks(places, 8, CPU)
    assert some.all()
    assert not every.any()
    for statement in STATEMENTS:
        assert type(mine).__dict__[statement] is Mask.__dict__[statement]


def call_of(attention: Attention, grad: bool) -> Call:
    generator = torch.Generator().manual_seed(0)
    q, k, v, seeds = (torch.randn(B, H, NUMBER, 8, generator=generator) for _ in range(4))
    return Call(q.requires_grad_(grad), k, v.requires_grad_(grad), attention, False, (seeds,))


@pytest.mark.parametrize(("mask", "keys"), EXAMPLES, ids=str)
def test_without_facts_it_is_right_on_every_algorithm(mask: Mask, keys: Positions | None):
    for name, attention in values_of(like(mask, silent), keys).items():
        assert wrong(call_of(attention, grad=True)) == {}, name


# Masks of one's own, of five lines, that depend on whatever a mask may depend on.


@dataclass(frozen=True, eq=False)
class OfRows(Mask):
    def allows(self, b, h, i, j, places):
        return (i + j) % 3 != b


@dataclass(frozen=True, eq=False)
class OfHeads(Mask):
    def allows(self, b, h, i, j, places):
        return (i - j).abs() <= 3 + 4 * h


@dataclass(frozen=True, eq=False)
class OfKeys(Mask):
    def allows(self, b, h, i, j, places):
        return j % 3 == 0


@dataclass(frozen=True, eq=False)
class OfQueries(Mask):
    def allows(self, b, h, i, j, places):
        return i % 4 != 1


@dataclass(frozen=True, eq=False)
class OfNothing(Mask):
    def allows(self, b, h, i, j, places):
        return True


@dataclass(frozen=True, eq=False)
class Strictly(Causal):
    def holds(self, delta):
        return delta < 0


OWN = [OfRows(), OfHeads(), OfKeys(), OfQueries(), OfNothing(), Strictly()]
OWN = [*OWN, Blocks(7) & OfRows(), Window(9) | OfHeads(), ~OfKeys() & KeyPadding([50, 60]), Causal() & OfQueries()]


@pytest.mark.parametrize("mask", OWN, ids=str)
def test_a_mask_of_ones_own_is_right_on_every_algorithm(mask: Mask):
    values = values_of(mask, None)
    values["bias"] = Attention(Content() + Bias(torch.linspace(-1, 1, NUMBER**2).view(NUMBER, NUMBER)), mask)
    for name, attention in values.items():
        assert wrong(call_of(attention, grad=True)) == {}, name


# Algorithms ask facts, never types.

NAMES = {kind.__name__ for kind in built_in()} - {"Mask"}
ASKING = ("isinstance", "issubclass")


def kinds_named(node: ast.AST) -> list[str]:
    """The kinds of masks in a class, a tuple of classes or a union of them."""
    if isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        return [name] if name in NAMES else []
    parts = []
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        parts = node.elts
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    return [name for part in parts for name in kinds_named(part)]


def mask_types_tested(tree: ast.AST) -> list[str]:
    """Names of kinds of masks with which something is compared."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING:
            found += kinds_named(node.args[1])
        elif isinstance(node, ast.Compare):
            found += [name for side in (node.left, *node.comparators) for name in kinds_named(side)]
        elif isinstance(node, ast.MatchClass):
            found += kinds_named(node.cls)
    return found


def test_no_algorithm_tests_the_type_of_a_mask():
    files = sorted((ROOT / "regard" / "algorithms").rglob("*.py"))
    assert len(files) > 30
    found = {str(file.relative_to(ROOT)): mask_types_tested(ast.parse(file.read_text())) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "line",
    [
        "if isinstance(mask, Causal | Window): pass",
        "if type(mask) is masks.Padding: pass",
        "ok = type(mask) in (KeyPadding, Padding)",
        "match mask:\n    case Blocks(size=n): pass",
    ],
)
def test_a_type_that_is_tested_is_found(line: str):
    assert mask_types_tested(ast.parse(line))
