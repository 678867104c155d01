"""Attention side by side with its peers, in one run: `python -m benchmarks.attention --device cuda --out r.json`.

Every contender is first compared with the float64 reference, output and gradients; one that is wrong is reported as
wrong and not timed. A missed bar is a line of the table, not an error.
"""

from benchmarks.ceilings import ceilings
from benchmarks.contest import keep_graphs
from benchmarks.dense import dense_on_gpu, on_cpu
from benchmarks.memory import memory
from benchmarks.modules import modules
from benchmarks.overhead import overhead
from benchmarks.padding import padding_on_gpu
from benchmarks.session import Sections, run
from benchmarks.startup import startup

# Ceilings last: they are for calibration, and may be cut off by a limit from outside.
SECTIONS: Sections = {
    "overhead": overhead,
    "import": startup,
    "memory": memory,
    "modules": modules,
    "ceilings": ceilings,
}


def main(words: list[str] | None = None) -> None:
    keep_graphs()
    sections = {
        "cuda": {"dense": dense_on_gpu, "padding": padding_on_gpu, **SECTIONS},
        "cpu": {"cpu": on_cpu, **SECTIONS},
    }
    run("benchmarks.attention", "Attention", __doc__, sections, words)


if __name__ == "__main__":
    main()
