"""One run of a benchmark from the command line: its sections one after the other, each written when it is done."""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from benchmarks import grid_contest, record
from benchmarks.peers import installed
from benchmarks.record import Row, machine, save, to_markdown
from benchmarks.setting import Setting, progress
from benchmarks.timing import explain

Section = Callable[[Setting], list[Row]]
Sections = dict[str, Section]


def run(
    module: str,
    title: str,
    description: str | None,
    sections: dict[str, Sections],
    words: list[str],
    said: list[str] | None = None,
    verdicts: Callable[[], list[dict[str, Any]]] = grid_contest.verdicts,
) -> None:
    """Run `module` with these words; `sections` are those of each kind of device.

    `said` are all words of the command, where the module has read some itself; `verdicts` gives all checks of the run.
    """
    options = parser(module, description).parse_args(words)
    device = torch.device(options.device)
    if device.type == "cuda":
        device = torch.device("cuda", torch.cuda.current_device())
    torch.set_num_threads(options.threads)
    warnings.filterwarnings("ignore")  # sdpa explains at length why each excluded backend is excluded
    here = sections[device.type]
    chosen = options.only or list(here)
    unknown = [name for name in chosen if name not in here]
    if unknown:
        raise SystemExit(f"no section {', '.join(unknown)} on {device.type}: use one of {', '.join(here)}")

    setting = Setting(device, options.scale)
    command = " ".join([Path(sys.executable).name, "-m", module, *(words if said is None else said)])
    report = machine(device, options.commit) | {"scale": options.scale, "peers": installed(), "seconds": {}}
    report |= {"command": command, "load before": os.getloadavg()}
    rows: list[Row] = []
    for name in chosen:
        start = time.perf_counter()
        try:
            rows += here[name](setting)
        except Exception as error:  # the other sections still have something to say
            rows.append(Row(name, "the whole section", "", {"regard": explain(error)}))
        report["load after"] = os.getloadavg()
        report["seconds"][name] = round(time.perf_counter() - start, 1)
        progress(name, "took", report["seconds"][name], "s")
        # Written after every section: a run that is cut off keeps what it has measured.
        text = to_markdown(report, rows, f"{title}, side by side")
        save(options.out, options.markdown, report | {"checks": verdicts()}, rows, text)
    print(to_markdown(report, rows, f"{title}, side by side"), flush=True)


def parser(module: str, description: str | None) -> argparse.ArgumentParser:
    options = record.parser(module, description)
    options.add_argument("--only", action="append", metavar="SECTION", help="may be given several times")
    options.set_defaults(scale="full")
    for scale, text in (("quick", "about a minute"), ("tiny", "a smoke test")):
        options.add_argument(f"--{scale}", dest="scale", action="store_const", const=scale, help=text)
    return options
