"""Everyday attention beside what torch and transformers do: `python -m benchmarks.everyday --device cuda --out r.json`.

Wall time per call, host included: calls as small as they come, padded batches with lengths that were there before and
lengths that are new, documents in one row, dropout, and whole layers in training. Every row is first compared with its
peer. A missed bar is a line of the table, not an error.
"""

import argparse
import os
import re
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch

from benchmarks import everyday_calls, everyday_layers, record
from benchmarks.peers import installed
from benchmarks.record import Row, machine, save, to_markdown
from benchmarks.setting import Setting, progress
from benchmarks.timing import Effort, explain

EFFORTS = {
    "cuda": Effort(seconds=2.0, rounds=(5, 30), slice=10e-3),
    "cpu": Effort(seconds=2.0, rounds=(3, 15), slice=10e-3),
}
QUICK = Effort(seconds=0.0, rounds=(2, 2), slice=0.0)


class Everyday(Setting):
    """The setting of a run on the clock of the wall."""

    @property
    def effort(self) -> Effort:
        return EFFORTS[self.device.type] if self.scale == "full" else QUICK


TITLE = "Everyday attention, side by side"


def parts(setting: Setting, compiled: bool) -> dict[str, Callable[[], list[Row]]]:
    """What there is to measure, by name; `--rows` chooses among these names."""
    found: dict[str, Callable[[], list[Row]]] = {
        "overhead default value": partial(everyday_calls.overhead, setting, False),
        "overhead Causal()": partial(everyday_calls.overhead, setting, True),
    }
    for case in everyday_calls.cases(setting):
        found[f"padding {case.label}"] = partial(everyday_calls.padded, setting, case)
    found["documents"] = partial(everyday_calls.documents, setting)
    found["dropout"] = partial(everyday_calls.dropped, setting)
    for layer in everyday_layers.cases(compiled):
        found[f"layers {layer.label}"] = partial(everyday_layers.layers, setting, layer)
    return found


def main(arguments: list[str] | None = None) -> None:
    words = sys.argv[1:] if arguments is None else arguments
    options = parser().parse_args(words)
    device = torch.device(options.device)
    if device.type == "cuda":
        device = torch.device("cuda", torch.cuda.current_device())
    torch.set_num_threads(options.threads)
    warnings.filterwarnings("ignore")  # torch explains at length why a prototype is one
    setting = Everyday(device, "tiny" if options.quick else "full")
    known = parts(setting, options.compiled or setting.on_cuda)
    chosen = [name for name in known if re.search(options.rows, name)]
    if not chosen:
        raise SystemExit(f"no rows match {options.rows!r}: use a part of one of {'; '.join(known)}")
    report = machine(device, options.commit) | {"peers": installed(), "seconds": {}, "load before": os.getloadavg()}
    report["command"] = " ".join([Path(sys.executable).name, "-m", "benchmarks.everyday", *words])
    rows: list[Row] = []
    for name in chosen:
        progress(name)
        start = time.perf_counter()
        try:
            rows += known[name]()
        except Exception as error:  # the others still have something to say
            rows.append(Row("failed", name, "", {"regard": explain(error)}))
        report["seconds"][name] = round(time.perf_counter() - start, 1)
        # Written after every part: a run that is cut off keeps what it has measured.
        save(options.out, options.markdown, report, rows, to_markdown(report, rows, TITLE))
    print(to_markdown(report, rows, TITLE), flush=True)


def parser() -> argparse.ArgumentParser:
    options = record.parser("benchmarks.everyday", __doc__)
    options.add_argument("--rows", default="", metavar="PATTERN", help="a regular expression found in their names")
    options.add_argument("--quick", action="store_true", help="two turns of one call: a smoke test")
    options.add_argument("--compiled", action="store_true", help="compiled layers on the CPU too")
    return options


if __name__ == "__main__":
    main()
