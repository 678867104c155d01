"""What every test shares: the device, the threads and the seeds."""

import ast
import gc
import itertools
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Virtual machines that advertise AMX and trap it kill the process inside torch's own bfloat16 product;
# oneDNN reads this once, when torch is imported.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")

# Without a GPU, Triton's interpreter runs our kernels; Triton reads this once, when it is imported.
if not os.path.exists("/dev/nvidiactl"):
    os.environ.setdefault("TRITON_INTERPRET", "1")

# Test modules share tables and checks by their full name, which `--import-mode=importlib` leaves to the path.
sys.path.insert(0, str(Path(__file__).parents[1]))

import hypothesis
import jaxtyping
import jaxtyping._import_hook
import pytest
import torch

from tests import interpreter

# What Triton compiles are no functions of Python's types: the type-checking hook leaves them as they are.
is_unchecked = jaxtyping._import_hook._is_no_type_check
setattr(  # noqa: B010
    jaxtyping._import_hook, "_is_no_type_check", lambda node: is_unchecked(node) or "triton" in ast.dump(node)
)
if find_spec("beartype"):  # which a machine with a GPU may lack, where the hook is not used
    from tests import type_checks

    jaxtyping.jaxtyped = type_checks.jaxtyped  # before anything of regard is imported

from regard.algorithms.planning.kept import forget  # noqa: E402

# Two workers with every core's threads each would fight for the cores.
if "PYTEST_XDIST_WORKER" in os.environ:
    torch.set_num_threads(1)

# A slow machine must not fail a property that holds, and a run must be repeatable.
hypothesis.settings.register_profile("regard", deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile("thorough", hypothesis.settings.get_profile("regard"))  # see tests/budget.py
hypothesis.settings.load_profile("regard")


# What torch's own compiler warns itself about, inside an `attend` that compiles a kernel.
TORCH_WARNS_ITSELF = (
    "ignore:The .grad attribute of a Tensor that is not a leaf",
    "ignore::UserWarning:torch.*",
    "ignore::DeprecationWarning:torch.*",
)


TYPED = ("attention", "algorithms", "layers", "generation", "models")  # the rooms of the Makefile's HOOK


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", choices=("cpu", "cuda"), help="where the attention tests put tensors")
    parser.addoption(
        "--one-in", type=int, default=1, help="of the pairs of moves, run one in so many: each may compile"
    )
    parser.addoption("--part", choices=("typed", "other"), help="of the tests, those that `make test` checks types in")
    parser.addoption("--shard", default="0/1", help="of the tests, run every n-th from the i-th: i/n")
    parser.addoption("--record", type=Path, help="a file that gets a line of JSON for every test")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--device") == "cpu":
        return
    if not torch.cuda.is_available():
        raise pytest.UsageError("--device cuda needs a CUDA device: got none; use --device cpu")
    for line in TORCH_WARNS_ITSELF:
        config.addinivalue_line("filterwarnings", line)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import nothing of which the wanted part has no test: importing all takes as long as many tests."""
    part = config.getoption("--part")
    if part is None or collection_path.suffix != ".py":
        return None
    of_typed_room = _is_of_typed_room(collection_path.relative_to(config.rootpath))
    if part == "typed":
        return None if of_typed_room else True
    return (of_typed_room and "compiled" not in collection_path.read_text("utf-8")) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs CUDA where there is none, and all but one in so many pairs of moves."""
    device = config.getoption("--device")
    other, reason = {"cpu": ("gpu", "needs CUDA: run with --device cuda"), "cuda": ("cpu", "is for the CPU alone")}[
        device
    ]
    for item in items:
        if item.get_closest_marker(other):
            item.add_marker(pytest.mark.skip(reason=reason))
    pairs = [item for item in items if item.name.startswith("test_each_move_and_all_pairs") and " + " in item.name]
    kept = set(pairs[:: config.getoption("--one-in")])
    left_out = [item for item in pairs if item not in kept]
    part = config.getoption("--part")
    if part is not None:
        left_out += [item for item in items if _is_typed(item) != (part == "typed")]
    shard, shards = map(int, config.getoption("--shard").split("/"))
    dropped = set(left_out)
    rest = [item for item in items if item not in dropped]
    left_out += [item for n, item in enumerate(rest) if n % shards != shard]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        dropped = set(left_out)
        items[:] = [item for item in items if item not in dropped]


def pytest_collection_finish() -> None:
    interpreter.hasten()
    gc.collect()
    gc.freeze()  # what was imported stays: the collector need not walk through it again and again


def _is_typed(item: pytest.Item) -> bool:
    """Whether it is of a room that speaks of tensors: their types are checked, which a compiler cannot follow."""
    inside = item.path.relative_to(item.config.rootpath)
    return _is_of_typed_room(inside) and item.get_closest_marker("compiled") is None


def _is_of_typed_room(inside: Path) -> bool:
    return len(inside.parts) > 2 and inside.parts[1] in TYPED


@pytest.fixture(autouse=True)
def nothing_kept_of_what_is_patched(request: pytest.FixtureRequest) -> Iterator[None]:
    """What was made from a class while a test had it changed must serve no other test."""
    yield
    if "monkeypatch" in request.fixturenames:
        forget()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Write each result when it is there: a run that is cut off keeps what it has shown."""
    report = yield
    path = item.config.getoption("--record")
    if path and (report.when == "call" or report.outcome != "passed"):
        line = {"test": item.nodeid, "outcome": report.outcome, "seconds": round(report.duration, 2)}
        if report.failed:
            line["why"] = str(report.longrepr)[-2000:]
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the seconds that each folder of tests took, summed over the processes, so that slow ones are noticed."""
    seconds: dict[str, float] = defaultdict(float)
    counts: dict[str, int] = defaultdict(int)
    for report in itertools.chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            folder = str(Path(report.nodeid.split("::")[0]).parent)
            seconds[folder] += report.duration
            counts[folder] += report.when == "call"
    if len(seconds) > 1:
        terminalreporter.section("seconds by folder")
        for folder, spent in sorted(seconds.items(), key=lambda item: -item[1]):
            terminalreporter.write_line(f"{spent:8.1f} s  {counts[folder]:5d} tests  {folder}")


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> torch.device:
    """Where tensors are put: `--device cuda` runs every test that takes it on the GPU."""
    return torch.device(request.config.getoption("--device"))


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


@pytest.fixture
def unhooked():
    """The library as a user meets it: the type-checking hook would refuse bad shapes before the library can."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)
