"""What every test shares: the device, the threads and the seeds."""

import os
import sys
from pathlib import Path

# Virtual machines that advertise AMX and trap it kill the process inside torch's own bfloat16 product;
# oneDNN reads this once, when torch is imported.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")

# Test modules share tables and checks by their full name, which `--import-mode=importlib` leaves to the path.
sys.path.insert(0, str(Path(__file__).parents[1]))

import hypothesis
import jaxtyping
import pytest
import torch

# Two workers with every core's threads each would fight for the cores.
if "PYTEST_XDIST_WORKER" in os.environ:
    torch.set_num_threads(1)

# A slow machine must not fail a property that holds, and a run must be repeatable.
hypothesis.settings.register_profile("regard", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("regard")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", choices=("cpu", "cuda"), help="where the attention tests put tensors")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--device") == "cuda" and not torch.cuda.is_available():
        raise pytest.UsageError("--device cuda needs a CUDA device: got none; use --device cpu")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need CUDA are left out elsewhere."""
    if config.getoption("--device") == "cuda":
        return
    skip = pytest.mark.skip(reason="needs CUDA: run with --device cuda")
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(skip)


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
