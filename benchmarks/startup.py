"""What `import regard` takes when torch is there already."""

import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.record import Bar, Row
from benchmarks.setting import Setting, progress

SCRIPT = "import time, torch; start = time.perf_counter(); import regard; print(time.perf_counter() - start)"


def startup(setting: Setting) -> list[Row]:
    """Fresh interpreters; the first one, which may compile and read from disk, does not count."""
    progress("import")
    samples = [_import_seconds() for _ in range(1 + setting.pick(full=7, quick=3, tiny=1))][1:]
    median = statistics.median(samples)
    cells = {"samples": len(samples), "least s": min(samples), "most s": max(samples)}
    return [Row("import", "import regard", "wall", cells, median, "import torch", Bar("≤", 0.2), samples, " s")]


def _import_seconds() -> float:
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, cwd=root)
    return float(done.stdout)
