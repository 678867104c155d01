"""Nothing is kept outside arguments but in one module, and what it keeps is right in all of torch's worlds."""

import ast
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from regard import attend
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning import kept
from regard.algorithms.planning.planner import Choice
from regard.attention import Attention, KeyPadding, Mask, Padding, Quadratic, SameColumn, Window
from regard.attention.positions.positions import Grid
from tests.algorithms.cases import Call, build
from tests.algorithms.harness import EQUAL, results, verdicts
from tests.algorithms.test_equivalence import ON_CPUS, ON_GPUS, RUNS
from tests.holding import tensors_in

ROOT = Path(__file__).parents[3]
FILES = sorted(file for folder in ("attention", "algorithms") for file in (ROOT / "regard" / folder).rglob("*.py"))
KEPT = "regard/algorithms/planning/kept.py"
WRITING = {"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "clear", "remove"}
CONTAINERS = {"dict", "list", "set", "OrderedDict", "defaultdict", "deque", "WeakKeyDictionary", "WeakValueDictionary"}
FACTORIES = {"zeros", "ones", "full", "empty", "arange", "tensor", "eye", "linspace", "rand", "randn", "randint"}
CACHES = {"cache", "lru_cache", "cached_property"}


def root_of(node: ast.AST) -> str | None:
    """The name with which an expression such as `a.b[c].d` begins."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def is_container(value: ast.AST | None) -> bool:
    if isinstance(value, ast.Call):
        called = value.func.attr if isinstance(value.func, ast.Attribute) else root_of(value.func)
        return called in CONTAINERS
    return isinstance(value, ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp | ast.SetComp)


def containers(tree: ast.Module) -> set[str]:
    """Module-level names of dicts, lists and sets."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_container(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def written_to(tree: ast.Module) -> set[str]:
    """Names of which a part is set, or a method called that changes them, and those that are declared global."""
    found: set[str | None] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            found |= {root_of(target) for target in targets if isinstance(target, ast.Subscript)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITING:
            found.add(root_of(node.func.value))
        elif isinstance(node, ast.Global):
            found |= set(node.names)
    return {name for name in found if name is not None}


def state_in(tree: ast.Module) -> set[str]:
    """What in a module outlives a call."""
    found = containers(tree) & written_to(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            found |= set(node.names)
        if isinstance(node, ast.ImportFrom) and node.module == "functools":
            found |= {part.name for part in node.names} & CACHES
        if isinstance(node, ast.Attribute) and root_of(node) == "functools":
            found |= {node.attr} & CACHES
    return found


def homeless(tree: ast.Module) -> list[int]:
    """Lines that make a tensor on the default device, whatever that is at the time."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in FACTORIES and root_of(call.func) == "torch"
        if not {keyword.arg for keyword in call.keywords} & {"device", None}
    ]


def name(file: Path) -> str:
    return str(file.relative_to(ROOT))


def test_nothing_is_kept_but_in_one_module():
    assert len(FILES) > 60
    found = {name(file): state_in(ast.parse(file.read_text())) for file in FILES}
    assert {file: names for file, names in found.items() if names} == {KEPT: {"_kept", "_bytes"}}


def test_every_tensor_is_made_on_a_named_device():
    found = {name(file): homeless(ast.parse(file.read_text())) for file in FILES}
    assert {file: lines for file, lines in found.items() if lines} == {}


STATE = {
    "_choices = {}\ndef f(x):\n    _choices[x] = 1": "_choices",
    "found: list[int] = []\ndef f(x):\n    found.append(x)": "found",
    "n = 0\ndef f():\n    global n\n    n += 1": "n",
    "@functools.lru_cache(8)\ndef f(x): return x": "lru_cache",
    "from functools import cache\n@cache\ndef f(x): return x": "cache",
}


@pytest.mark.parametrize("code", STATE)
def test_state_would_be_found(code: str):
    assert state_in(ast.parse(code)) == {STATE[code]}


def test_a_tensor_on_whatever_device_would_be_found():
    assert homeless(ast.parse("x = torch.zeros(3)\ny = torch.ones(3, device=x.device)\nz = x.new_zeros(3)")) == [1]


# The worlds in which a first call may be made. What it leaves must serve ordinary ones.


@contextmanager
def default_dtype() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


WORLDS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "inference": lambda: torch.inference_mode(),
    "the default device is meta": lambda: torch.device("meta"),
    "the default type is float64": default_dtype,
    "no gradients": lambda: torch.no_grad(),
    "a counter": lambda: FlopCounterMode(display=False),
}


def run(call: Call, algorithm: str) -> Tensor:
    out = attend(call.q, call.k, call.v, call.attention, algorithm=algorithm, return_lse=call.return_lse)
    return out[0] if isinstance(out, tuple) else out


MARKS = dict.fromkeys(ON_CPUS, pytest.mark.cpu) | dict.fromkeys(ON_GPUS, pytest.mark.gpu)
ALGORITHMS = [pytest.param(algorithm.name, marks=MARKS.get(algorithm.name, ())) for algorithm in PLANNER.algorithms]


@pytest.fixture
def forgotten() -> Iterator[None]:
    kept.forget()
    yield
    kept.forget()


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_first_call_in_another_world(algorithm: str, world: str, device):
    """It is right there, and so are calls with gradients that come after it."""
    if device.type == "cuda" and world == "a counter" and algorithm in ("blockwise", "merged"):
        pytest.skip("torch's counter does not know FlexAttention")
    call = build(RUNS[algorithm][0], device)
    expected = run(call, algorithm).detach()
    kept.forget()
    with WORLDS[world]():
        found = run(call, algorithm)
    assert found.device == expected.device
    # Under a counter plain operations take the place of decode's kernel, which has nothing to launch on there.
    exact = {"rtol": 1e-5, "atol": 1e-6} if (algorithm, world) == ("decode", "a counter") else {"rtol": 0, "atol": 0}
    torch.testing.assert_close(found, expected, **exact, equal_nan=True)
    assert not any(x.is_inference() for x in tensors_in(dict(kept._kept)))
    assert verdicts(call, [algorithm])[algorithm] == EQUAL


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_fake_tensors_leave_nothing(algorithm: str, device):
    call = build(RUNS[algorithm][0], device)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        fakes = [mode.from_tensor(x) for x in (call.q, call.k, call.v)]
        out = attend(*fakes, call.attention, algorithm=algorithm, return_lse=call.return_lse)
    out = out[0] if isinstance(out, tuple) else out
    assert isinstance(out, FakeTensor)
    assert out.shape == (*call.q.shape[:3], call.v.shape[3])
    assert not any(isinstance(x, FakeTensor) for x in tensors_in(dict(kept._kept)))
    assert verdicts(call, [algorithm])[algorithm] == EQUAL


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_second_thread(algorithm: str, device):
    """What one thread keeps another takes, also while the first is still at work."""
    call = build(RUNS[algorithm][0], device)
    expected = run(call, algorithm).detach()
    kept.forget()
    start, found = threading.Barrier(2), {}

    def work(number: int) -> None:
        start.wait()
        found[number] = [run(call, algorithm).detach() for _ in range(3)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for out in (*found[0], *found[1], run(call, algorithm).detach()):
        torch.testing.assert_close(out, expected, rtol=0, atol=0)


@pytest.mark.usefixtures("forgotten")
def test_other_threads_keep_their_kernels():
    """Sdpa's switches are the process's: nobody who calls sdpa meanwhile must find them flipped."""
    q, v = torch.randn(1, 2, 200, 8), torch.randn(1, 2, 200, 12)
    expected = torch.nn.functional.scaled_dot_product_attention(q, q, v)
    done, failures = threading.Event(), []

    def others() -> None:
        while not done.is_set():
            try:
                torch.testing.assert_close(torch.nn.functional.scaled_dot_product_attention(q, q, v), expected)
            except (RuntimeError, AssertionError) as error:
                failures.append(error)

    thread = threading.Thread(target=others)
    thread.start()
    try:
        for attention in (Attention(), Attention(mask=Window(20, 3)), Attention(mask=KeyPadding([60]))):
            for _ in range(30):
                attend(q, q, v, attention)
    finally:
        done.set()
        thread.join()
    assert failures == []


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_call_that_is_made_again_on_the_way_back(algorithm: str, device):
    """Activation checkpointing runs it a second time, and wants the same tensors saved."""
    call = build(RUNS[algorithm][0], device)
    again = results(
        lambda q, k, v, value: attend(q, k, v, value, algorithm=algorithm, return_lse=call.return_lse), call
    )
    kept.forget()

    def checkpointed(q: Tensor, k: Tensor, v: Tensor, value: Attention) -> Any:
        return checkpoint(
            lambda *x: attend(*x, value, algorithm=algorithm, return_lse=call.return_lse), q, k, v, use_reentrant=False
        )

    for key, found in results(checkpointed, call).items():
        # On a GPU gradients of score terms are added up in any order.
        exact = {"rtol": 0, "atol": 0} if device.type == "cpu" else {"rtol": 1e-4, "atol": 1e-4}
        torch.testing.assert_close(found, again[key], **exact, equal_nan=True, msg=key)


@pytest.mark.usefixtures("forgotten")
def test_choices_hold_no_tensor():
    names = [algorithm.name for algorithm in PLANNER.algorithms if algorithm.name not in ON_GPUS]
    for name in names:
        run(build(RUNS[name][0], torch.device("cpu")), name)
    choices = [found for found, _ in kept._kept.values() if isinstance(found, Choice)]
    assert len(choices) >= len(names)
    assert list(tensors_in([choice.outline for choice in choices])) == []


@pytest.mark.usefixtures("forgotten")
def test_what_is_kept_has_an_end(monkeypatch: pytest.MonkeyPatch):
    """By number and by bytes, the oldest first; what is too large for all others is not kept at all."""
    monkeypatch.setattr(kept, "MOST", 3)
    for number in range(5):
        assert kept.recall(("a test", number), lambda number=number: (number,)) == (number,)
    assert [key[1] for key in kept._kept] == [2, 3, 4]
    monkeypatch.setattr(kept, "LARGEST", 800)
    made = [kept.recall(("bytes", n), lambda: torch.zeros(25, device="cpu")) for n in range(10)]
    assert sum(size for _, size in kept._kept.values()) <= 800
    assert kept.recall(("bytes", 9), lambda: None) is made[9]
    large = [kept.recall(("large",), lambda: torch.zeros(101, device="cpu")) for _ in range(2)]
    assert large[0] is not large[1]


@pytest.mark.usefixtures("forgotten")
def test_nothing_is_kept_while_a_transform_is_at_work():
    q = torch.randn(1, 2, 60, 8)
    torch.func.grad(lambda q: attend(q, q, q, Attention(mask=Window(9))).sum())(q)
    assert not list(tensors_in(dict(kept._kept)))
    attend(q, q, q, Attention(mask=Window(9)))
    assert len(kept._kept) > 0


BROKEN = {  # crashes that were found: made in one world, used in another
    "window": Attention(mask=Window(5, 5)),
    "padding": Attention(mask=Padding([40, 13])),
    "columns": Attention(mask=SameColumn(), keys=Grid(5, 8)),
    "gaussians in a column": Attention(Quadratic(torch.zeros(2, 2), torch.ones(2)), SameColumn(), keys=Grid(5, 8)),
}


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("attention", BROKEN)
@pytest.mark.parametrize("world", [*WORLDS, "none"])
def test_the_planners_choice_too(attention: str, world: str):
    value = BROKEN[attention]
    q, k, v = (torch.randn(2, 2, 40, 8) for _ in range(3))
    with WORLDS.get(world, nullcontext)():
        first = attend(q, k, v, value)
    out = attend(q, k, v.requires_grad_(), value)
    torch.testing.assert_close(first, out.detach())
    out.sum().backward()


@pytest.mark.usefixtures("forgotten")
def test_what_dies_with_the_oldest_is_given_back_once(monkeypatch: pytest.MonkeyPatch):
    """A thing that is dropped may hold the tensor that another was made from, which goes with it."""
    monkeypatch.setattr(kept, "MOST", 4)
    for n in range(20):
        origin = torch.zeros(4, device="cpu")
        kept.recall(("holds", n), lambda origin=origin: [origin])
        kept.recall_from((origin,), "made", lambda: torch.zeros(8, device="cpu"))
        del origin
    assert kept._bytes == sum(size for _, size in kept._kept.values())


def test_a_value_that_may_change_is_refused():
    @dataclass(eq=False)
    class Shifting(Mask):
        width: int

        def allows(self, b: Any, h: Any, i: Any, j: Any, places: Any) -> Any:
            return abs(i - j) < self.width

    q = torch.zeros(1, 1, 4, 8)
    with pytest.raises(ValueError, match="a Shifting must not change: got a dataclass that may; make it a @dataclass"):
        attend(q, q, q, Attention(mask=Shifting(2)))
