"""Our kernels fit into the shared memory of GPUs that are not here, by what Triton's compiler allocates for them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")

from regard.algorithms.planning.machines import TABLES

ROOT = Path(__file__).parents[2]


def allocated(machine: str, kernels: str, widest: int) -> list[dict]:
    """The kernels that are compiled for a machine, with the bytes of shared memory of each."""
    about = TABLES[machine]
    words = [str(about.capability), str(about.shared), kernels, str(widest)]
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    found = subprocess.run(
        [sys.executable, "-m", "tests.algorithms.compiled_for", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["a100", "l40s", "h100", "b200"])
@pytest.mark.parametrize("kernels", ["tiled", "decode", "blocks", "grid", "rows", "scan"])
def test_every_kernel_fits(machine: str, kernels: str) -> None:
    widest = 128 if (kernels, machine) == ("blocks", "l40s") else 256  # wider heads are left to FlexAttention there
    found = allocated(machine, kernels, widest)
    assert found
    assert all(one["shared"] <= TABLES[machine].shared for one in found), found


@pytest.mark.slow
def test_tiles_of_an_h200_do_not_fit_on_smaller_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule is needed: compiled for an L40S as if it had the memory of an H200, a kernel overflows."""
    about = TABLES["l40s"]
    monkeypatch.setitem(TABLES, "l40s", TABLES["h200"].__class__(**{**vars(about), "shared": TABLES["h200"].shared}))
    assert any(one["shared"] > about.shared for one in allocated("l40s", "decode", 256))


@pytest.mark.slow
def test_a_compiler_launches_short_kernels_itself() -> None:
    """They are nodes of its graph, and write to nothing but what is theirs, which it would copy otherwise."""
    assert {one["kernel"]: one["written"] for one in allocated("h200", "graphs", 64)} == {
        "attend": ["Lse", "Out"],
        "differentiate_queries": ["DQ", "Rows"],
        "differentiate_keys": ["DK", "DV"],
        "_mix_small": ["out"],
        "_gradients_small": ["d_maps", "dx"],
    }
