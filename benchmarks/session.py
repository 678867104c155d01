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

from benchmarks import attention
from benchmarks.grid_contest import verdicts
from benchmarks.peers import installed
from benchmarks.record import Row, machine, to_json, to_markdown
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
) -> None:
    """Run `module` with these words; `sections` are those of each kind of device.

    `said` are all words of the command, where the module has read some itself.
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
        _write(options.out, to_json(report | {"checks": verdicts()}, rows))
        _write(options.markdown, _markdown(title, report, rows))
    print(_markdown(title, report, rows), flush=True)


def _markdown(title: str, report: dict[str, Any], rows: list[Row]) -> str:
    return to_markdown(report, rows).replace("# Attention,", f"# {title},", 1)


def _write(path: Path | None, text: str) -> None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def parser(module: str, description: str | None) -> argparse.ArgumentParser:
    options = attention.parser()
    options.prog, options.description = f"python -m {module}", description
    return options
