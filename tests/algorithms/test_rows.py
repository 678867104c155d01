"""A few rows times whole matrices, and new tokens on their way into a cache: the kernels against plain operations."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from regard.attention import Sequence
from regard.layers import Rotary
from regard.layers.feed_forward import ACTIVATIONS
from regard.layers.positions import Rotation
from tests.tolerances import ALLOWANCES, ROUNDINGS

rows = pytest.importorskip("regard.algorithms.kernels.tokens.rows", reason="needs Triton")


@dataclass(frozen=True)
class Case:
    """A call at odd sizes, on rows that lie in a larger tensor."""

    B: int = 1
    C: int = 60
    heights: tuple[int, ...] = (20, 7, 33)
    biases: tuple[bool, ...] = (True, False, True)
    norm: str = ""
    activation: str | None = None
    gated: bool = False
    add: bool = False
    dtype: torch.dtype = torch.float32

    def build(self, device: torch.device) -> dict[str, Any]:
        def draw(*sizes: int) -> Tensor:
            return torch.randn(sizes).to(device, self.dtype)

        norm = None
        if self.norm:
            gain, shift = (draw(self.C) if f in self.norm else None for f in ("weight", "bias"))
            norm = rows.Norm(gain, shift, 0.1, self.norm.startswith("rms"))
        return {
            "x": draw(self.B, self.C + 4)[:, 4:],
            "matrices": tuple([draw(height, self.C) / self.C**0.5 for height in self.heights]),
            "biases": tuple([draw(n) if b else None for n, b in zip(self.heights, self.biases, strict=True)]),
            "norm": norm,
            "activation": self.activation,
            "gated": self.gated,
            "add": draw(self.B, self.heights[0] + 4)[:, :-4] if self.add else None,
        }


ONE = Case(heights=(21,), biases=(True,))
CASES = {
    "queries, keys and values": Case(norm="rms, weight"),
    "no norm": Case(biases=(False, True, False)),
    "two matrices": Case(heights=(9, 5), biases=(True, True), norm="layer, weight, bias"),
    "norm without a weight": replace(ONE, norm="rms"),
    "layer norm without a bias": replace(ONE, norm="layer, weight"),
    **{f"activation {name}": replace(ONE, activation=name, norm="layer, weight, bias") for name in ACTIVATIONS},
    "gated": replace(ONE, heights=(21, 21), biases=(True, True), activation="silu", gated=True, norm="rms, weight"),
    "gated, one bias": replace(ONE, heights=(21, 21), biases=(False, True), activation="gelu", gated=True),
    "added": replace(ONE, add=True),
    "added, no bias": replace(ONE, biases=(False,), add=True),
    "a multiple of everything": replace(ONE, C=128, heights=(32,)),
    "one column, one output": replace(ONE, C=1, heights=(1,)),
}
COUNTS, TYPES = (1, 2, 3, 5, 16), (torch.float32, torch.bfloat16, torch.float16)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several programs and several steps in few numbers."""
    monkeypatch.setattr(rows, "tile_of", lambda *_: rows.Tile(8, 32, 4, 2))


def widened(given: dict[str, Any]) -> dict[str, Any]:
    """The same call in float64."""

    def widen(x: Any) -> Any:
        return x.double() if isinstance(x, Tensor) else x

    norm = None if given["norm"] is None else rows.Norm(*[widen(x) for x in given["norm"]])
    many = {name: tuple([widen(x) for x in given[name]]) for name in ("matrices", "biases")}
    return given | many | {"x": widen(given["x"]), "add": widen(given["add"]), "norm": norm}


def differ(got: tuple[Tensor, ...], own: tuple[Tensor, ...], exact: tuple[Tensor, ...]) -> list[str]:
    """What in `got` is not as good as plain operations in the same type, `own`; both against float64."""
    found = []
    for number, (one, plain, wanted) in enumerate(zip(got, own, exact, strict=True)):
        assert (one.dtype, one.shape) == (plain.dtype, plain.shape)
        allowed, floor = ALLOWANCES[one.dtype], ROUNDINGS * 2**-23 * float(wanted.abs().max())
        error, own_error = (one.double() - wanted).abs(), (plain.double() - wanted).abs()
        mean, own_mean = error.square().mean().sqrt(), own_error.square().mean().sqrt()
        # Not `>`, which no NaN is.
        if not (error.max() <= allowed.largest * own_error.max() + floor and mean <= allowed.mean * own_mean + floor):
            found.append(f"output {number}: off by {float(error.max()):.2g}, plain operations by {own_error.max():.2g}")
    return found


def check(given: dict[str, Any], changed: dict[str, Any] | None = None) -> list[str]:
    with torch.no_grad():
        exact = rows.define(**widened(given))
        return differ(rows.project(**given | (changed or {})), rows.define(**given), exact)


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """New memory is full of NaN, so that what is not written shows."""
    made = Tensor.new_empty

    def poison(x: Tensor, *sizes: Any, **options: Any) -> Tensor:
        found = made(x, *sizes, **options)
        return found.fill_(torch.nan) if found.is_floating_point() else found

    monkeypatch.setattr(Tensor, "new_empty", poison)


def skip_products(dtype: torch.dtype, count: int, device: torch.device) -> None:
    if dtype == torch.bfloat16 and count > rows.FEW and device.type == "cpu":
        pytest.skip("Triton's interpreter multiplies no bfloat16")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("count", COUNTS)
def test_the_kernel_equals_plain_operations(name: str, count: int, device, small, poisoned):
    given = replace(CASES[name], B=count).build(device)
    assert rows.refuses(*[given[key] for key in ("x", "matrices", "biases", "norm", "add")]) is None
    assert check(given) == []


@pytest.mark.parametrize("dtype", TYPES[1:])
@pytest.mark.parametrize("name", ["queries, keys and values", "gated", "added"])
@pytest.mark.parametrize("count", COUNTS)
def test_half_types_round_once(name: str, count: int, dtype: torch.dtype, device, small, poisoned):
    skip_products(dtype, count, device)
    given = replace(CASES[name], B=count, dtype=dtype).build(device)
    assert check(given) == []


@pytest.mark.parametrize("count", [1, 3, 5])
def test_the_tiles_of_the_table_are_right(count: int, device):
    """Of a long row, which takes several steps."""
    dtype = torch.float16
    given = replace(ONE, B=count, C=4100, norm="layer, weight", dtype=dtype, heights=(9,)).build(device)
    assert check(given) == []


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("item", [2, 4])
@pytest.mark.parametrize("gated", [False, True])
def test_tiles_fill_a_gpu_and_are_powers_of_two(count: int, item: int, gated: bool):
    for outputs, C in ((2048, 2048), (6144, 2048), (11008, 2048), (2048, 5504), (32000, 2048), (768, 768), (64, 60)):
        tile = rows.tile_of(count, outputs, C, item, gated)
        assert all(n & (n - 1) == 0 for n in (tile.outputs, tile.columns, tile.warps))
        if count == 1 and outputs > 768:
            assert outputs // (2 if gated else 1) // tile.outputs >= 132


def test_a_kernel_that_begins_early_waits_for_its_rows(device, monkeypatch: pytest.MonkeyPatch):
    """Each product is of what the one before has written."""
    monkeypatch.setattr(rows, "tile_of", lambda *_: rows.Tile(4, 64, 4, 1, early=True))
    order = torch.randperm(64)
    exchange = torch.eye(64)[order].to(device)
    x = wanted = torch.randn(2, 64, device=device)
    with torch.no_grad():
        for _ in range(5 if device.type == "cpu" else 200):
            (x,) = rows.project(x, (exchange,), (None,))
            wanted = wanted[:, order]
    assert torch.equal(x, wanted)


CHANGES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "no norm": lambda given: {"norm": None},
    "another norm": lambda given: {"norm": given["norm"]._replace(is_rms=not given["norm"].is_rms, bias=None)},
    "no eps": lambda given: {"norm": given["norm"]._replace(eps=0.0)},
    "no bias": lambda given: {"biases": (None,) * len(given["biases"])},
    "another activation": lambda given: {"activation": "gelu_approximate"},
    "gate and inner exchanged": lambda given: {"matrices": given["matrices"][::-1]},
    "an output less": lambda given: {"matrices": tuple([torch.cat((w[:-1], w[-2:-1])) for w in given["matrices"]])},
    "a column less": lambda given: {"x": torch.cat((given["x"][:, :-1], 0 * given["x"][:, :1]), 1)},
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("dtype", TYPES[:2])
def test_a_broken_twin_is_caught(name: str, dtype: torch.dtype, device, small):
    if name == "another activation" and dtype != torch.float32:
        pytest.skip("is nearer than bfloat16 can tell")
    case = replace(CASES["gated"], activation="gelu", norm="rms, weight", dtype=dtype)
    given = case.build(device)
    assert check(given) == []
    assert check(given, CHANGES[name](given)) != []


def test_an_addend_that_is_forgotten_is_caught(device, small):
    given = CASES["added"].build(device)
    assert check(given, {"add": None}) != []


def test_activations_are_those_of_the_layers():
    x = torch.linspace(-9, 9, 50)
    assert rows.ACTIVATIONS.keys() == ACTIVATIONS.keys()
    for name, activate in ACTIVATIONS.items():
        assert torch.equal(rows.ACTIVATIONS[name](x), activate(x))


def test_relu_keeps_what_is_not_a_number(device, small):
    given = replace(ONE, activation="relu").build(device)
    given["x"][0, 0] = torch.nan
    with torch.no_grad():
        assert rows.project(**given)[0].isnan().all()


def test_other_values_of_the_same_sizes_go_by_the_same_launch(device, small):
    """What is kept holds no address."""
    for _ in range(2):
        assert check(CASES["gated"].build(device)) == []


def test_modes_and_other_devices_take_plain_operations(device, small):
    given = Case(B=2).build(device)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        got = rows.project(**given)
    assert all(map(torch.equal, got, rows.define(**given)))
    assert counter.get_total_flops() == 2 * 2 * 60 * 60
    empty = torch.empty(2, 60, device="meta")
    assert rows.project(empty, (torch.empty(5, 60, device="meta"),), (None,))[0].shape == (2, 5)


@pytest.mark.compiled
def test_a_compiled_call_is_one_graph(device):
    given = CASES["gated"].build(device)
    compiled = torch.compile(lambda: rows.project(**given)[0], fullgraph=True, backend="aot_eager")
    with torch.no_grad():
        torch.testing.assert_close(compiled(), rows.define(**given)[0])


def refusal(**changes: Any) -> str | None:
    x, w = torch.ones(1, 8), torch.ones(4, 8)
    given = {"x": x, "matrices": (w,), "biases": (None,), "norm": None, "add": None} | changes
    return rows.refuses(**given)


REFUSED = {
    "17": {"x": torch.ones(17, 8)},
    "(1, 2, 8)": {"x": torch.ones(1, 2, 8)},
    "meta": {"x": torch.ones(1, 8, device="meta")},
    "float64": {"x": torch.ones(1, 8).double()},
    "float32 on cpu and torch.bfloat16": {"matrices": (torch.ones(4, 8).bfloat16(),)},
    "(4, 9)": {"matrices": (torch.ones(4, 9),)},
    "(0, 8)": {"matrices": (torch.ones(0, 8),)},
    "strides (1, 4)": {"matrices": (torch.ones(8, 4).T,)},
    "strides (16, 2)": {"x": torch.ones(2, 16)[:, ::2], "add": torch.ones(2, 4)},
    "got 4 and 4": {"matrices": (torch.ones(4, 8),) * 4, "biases": (None,) * 4},
    "got 1 and 2": {"biases": (None, None)},
    "(5,)": {"biases": (torch.ones(5),)},
    "shape (1, 4)": {"add": torch.ones(1, 5)},
    "no bias": {"norm": rows.Norm(None, torch.ones(8), 1e-5, True)},
    "no gradient": {"matrices": (torch.ones(4, 8, requires_grad=True),)},
}


@pytest.mark.cpu
@pytest.mark.parametrize("told", REFUSED)
def test_what_the_kernel_cannot_take_is_refused(told: str):
    assert refusal() is None
    assert told in str(refusal(**REFUSED[told]))


@pytest.mark.cpu
def test_the_rest_is_refused_too(monkeypatch: pytest.MonkeyPatch):
    learnt = {"matrices": (torch.ones(4, 8, requires_grad=True),)}
    with torch.no_grad():
        assert refusal(**learnt) is None
    with torch.autocast("cpu"):
        assert "autocast" in str(refusal())
    assert "plain tensors: got a Own" in str(refusal(matrices=(torch.ones(4, 8).as_subclass(Own),)))
    monkeypatch.setattr(rows, "INTERPRETED", False)
    assert refusal() == "its kernel is for CUDA GPUs: got cpu"


class Own(Tensor):
    """A tensor of a user's own."""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"activation": "selu"}, "selu"),
        ({"gated": True}, "gated needs an activation and two matrices of one shape: got None and"),
        ({"activation": "silu"}, "activation and add are for one matrix: got 3"),
        ({"x": torch.ones(17, 60)}, "takes 1 to 16 rows"),
    ],
)
def test_a_wrong_call_raises(changes: dict[str, Any], told: str, device):
    given = Case().build(device)
    with pytest.raises(ValueError, match=told), torch.no_grad():
        rows.project(**given | {key: x.to(device) if isinstance(x, Tensor) else x for key, x in changes.items()})


@dataclass(frozen=True)
class Entering:
    """New tokens of rows of different lengths, as views of one projection, and caches."""

    B: int = 3
    H: int = 4
    G: int = 2
    D: int = 10
    E: int = 7
    waves: str = "each row"
    dtype: torch.dtype = torch.float32

    def build(self, device: torch.device) -> list[Any]:
        B, H, G, D, E = self.B, self.H, self.G, self.D, self.E
        widths = (H * D, G * D, G * E)
        parts = torch.randn(B, sum(widths)).to(device, self.dtype).split(widths, 1)
        q, k, v = (x.view(B, n, 1, -1) for x, n in zip(parts, (H, G, G), strict=True))
        slots = torch.tensor([5, 0, 8, 2])[:B].to(device)
        caches = [torch.full((B, G, 12, n), torch.nan).to(device, self.dtype)[:, :, :9] for n in (D, E)]
        return [q, k, v, *self.turns(slots), slots, *caches]

    def turns(self, slots: Tensor) -> tuple[Tensor | None, Tensor | None]:
        if self.waves == "none":
            return None, None
        start = slots if self.waves == "each row" else 5
        rotation = Rotary(self.D)(Sequence(1, start=start), torch.empty(0, dtype=self.dtype, device=slots.device))
        return rotation.cos, rotation.sin


ENTERING = {
    "each row": Entering(),
    "all rows": Entering(waves="all rows"),
    "not turned": Entering(waves="none"),
    "odd width": Entering(D=7, waves="none"),
    "one row": Entering(B=1),
    "a multiple of everything": Entering(D=16, E=16),
    "narrow": Entering(H=1, G=1, D=2, E=1),
    "bfloat16": Entering(dtype=torch.bfloat16),
    "float16": Entering(dtype=torch.float16),
}


def differ_entered(given: list[Any], by: Callable[..., Tensor]) -> list[str]:
    """What `by` gives and writes beside the definition, in the same type and in float64."""
    results = []
    for way, dtype in ((by, None), (rows.define_enter, None), (rows.define_enter, torch.float64)):
        copies = [x if x is None or x.dtype == torch.int64 else x.to(dtype or x.dtype) for x in given]
        copies[-2:] = [x.clone() for x in copies[-2:]]
        results.append((way(*copies), *copies[-2:]))
    got, own, exact = results
    written = [x.isfinite() for x in exact]
    if not all([torch.equal(x.isfinite(), y) for x, y in zip(got, written, strict=True)]):
        return ["written elsewhere"]
    kept = [tuple([torch.where(y, x, 0) for x, y in zip(result, written, strict=True)]) for result in (got, own, exact)]
    return differ(*kept)


@pytest.mark.parametrize("name", ENTERING)
def test_tokens_enter_as_by_plain_operations(name: str, device, poisoned):
    assert differ_entered(ENTERING[name].build(device), rows.enter) == []


def test_waves_may_have_two_dimensions(device):
    given = Entering(waves="all rows").build(device)
    assert given[3].shape == (1, 5)
    four = [x[None, None] if n in (3, 4) else x for n, x in enumerate(given)]
    assert differ_entered(four, rows.enter) == []


def test_turning_is_that_of_the_layers(device):
    q, _, _, cos, sin, *rest = Entering().build(device)
    turned = rows.define_enter(q, *Entering().build(device)[1:3], cos, sin, *rest)
    assert torch.equal(turned, Rotation(cos, sin).turn(q))


def test_slots_may_lie_in_memory_as_they_like(device):
    given = Entering().build(device)
    given[5] = torch.stack((given[5], given[5] + 1), 1)[:, 0]
    assert differ_entered(given, rows.enter) == []


def test_a_slot_outside_is_not_written(device):
    given = Entering().build(device)
    given[5] = torch.tensor([9, -1, 2], device=device)
    rows.enter(*given)
    assert given[6].isfinite().sum() == 2 * 10
    assert given[7].isfinite().sum() == 2 * 7


TWINS: dict[str, Callable[..., Tensor]] = {
    "the next slot": lambda q, k, v, cos, sin, slots, *caches: rows.enter(q, k, v, cos, sin, (slots + 1) % 9, *caches),
    "turned back": lambda q, k, v, cos, sin, *rest: rows.enter(q, k, v, cos, -sin, *rest),
    "not turned": lambda q, k, v, cos, sin, *rest: rows.enter(q, k, v, None, None, *rest),
    "heads exchanged": lambda q, k, v, *rest: rows.enter(q, k.flip(1), v, *rest),
    "values of the first row": lambda q, k, v, *rest: rows.enter(q, k, v[:1].expand_as(v), *rest),
}


@pytest.mark.parametrize("name", TWINS)
def test_a_broken_way_in_is_caught(name: str, device):
    assert differ_entered(Entering().build(device), TWINS[name]) != []


@pytest.mark.parametrize(
    ("number", "change", "told"),
    [
        (1, lambda x: x[:, :1], r"k must be \(3, 2, 1, 10\)"),
        (3, lambda x: x[..., :4], r"cos must be \(3, 1, 1, 5\)"),
        (4, lambda x: None, "give both, or neither"),
        (5, lambda x: x.int(), "slots must be int64: got torch.int32"),
        (2, lambda x: x.half(), "v must be float32, bfloat16 or float16 as q: got torch.float16"),
        (0, lambda x: x.mT.contiguous().mT.repeat(1, 1, 1, 2)[..., ::2], "last stride of q must be 1: got 2"),
    ],
)
def test_what_cannot_enter_raises(number: int, change: Any, told: str, device):
    given = Entering().build(device)
    given[number] = change(given[number])
    with pytest.raises(ValueError, match=told):
        rows.enter(*given)


def test_what_learns_enters_by_plain_operations(device):
    given = Entering().build(device)
    given[0] = given[0].clone().requires_grad_()
    assert rows.enter(*given).requires_grad
