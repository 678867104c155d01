"""Attention side by side with its peers, in one run: `python -m benchmarks.attention --device cuda --out r.json`.

Every contender is first compared with the float64 reference, output and gradients; one that is wrong is reported as
wrong and not timed. A missed bar is a line of the table, not an error.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import torch

from benchmarks.ceilings import ceilings
from benchmarks.contest import keep_graphs, verdicts
from benchmarks.dense import dense_on_gpu, on_cpu
from benchmarks.memory import memory
from benchmarks.modules import modules
from benchmarks.overhead import overhead
from benchmarks.padding import padding_on_gpu
from benchmarks.peers import installed
from benchmarks.planning import planning
from benchmarks.record import Row, machine, to_json, to_markdown
from benchmarks.setting import Setting, progress
from benchmarks.startup import startup
from benchmarks.timing import explain

Section = Callable[[Setting], list[Row]]
GPU_SECTIONS: dict[str, Section] = {"dense": dense_on_gpu, "padding": padding_on_gpu}
CPU_SECTIONS: dict[str, Section] = {"cpu": on_cpu}
# Ceilings and planner last: they are for calibration, and may be cut off by a limit from outside.
SECTIONS: dict[str, Section] = {
    "overhead": overhead,
    "import": startup,
    "memory": memory,
    "modules": modules,
    "ceilings": ceilings,
    "planner": planning,
}


def main(arguments: list[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    device = torch.device(options.device)
    if device.type == "cuda":
        device = torch.device("cuda", torch.cuda.current_device())
    torch.set_num_threads(options.threads)
    warnings.filterwarnings("ignore")  # sdpa explains at length why each excluded backend is excluded
    keep_graphs()
    setting = Setting(device, options.scale)
    sections = (GPU_SECTIONS if setting.on_cuda else CPU_SECTIONS) | SECTIONS
    chosen = options.only or list(sections)
    unknown = [name for name in chosen if name not in sections]
    if unknown:
        raise SystemExit(f"no section {', '.join(unknown)} on {device.type}: use one of {', '.join(sections)}")

    report = machine(device, options.commit) | {"scale": options.scale, "peers": installed(), "seconds": {}}
    rows: list[Row] = []
    for name in chosen:
        start = time.perf_counter()
        try:
            rows += sections[name](setting)
        except Exception as error:  # the other sections still have something to say
            rows.append(Row(name, "the whole section", "", {"regard": explain(error)}))
        report["seconds"][name] = round(time.perf_counter() - start, 1)
        progress(name, "took", report["seconds"][name], "s")
        # Written after every section: a run that is cut off keeps what it has measured.
        _write(options.out, options.markdown, report | {"checks": verdicts()}, rows)
    print(to_markdown(report, rows), flush=True)


def _write(out: Path | None, markdown: Path | None, report: dict, rows: list[Row]) -> None:
    for path, content in ((out, to_json(report, rows)), (markdown, to_markdown(report, rows))):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks.attention", description=__doc__)
    default = "cuda" if torch.cuda.is_available() else "cpu"
    options.add_argument("--device", default=default, choices=["cpu", "cuda"])
    options.add_argument("--out", type=Path, help="JSON with every number")
    options.add_argument("--markdown", type=Path, help="the tables")
    options.add_argument("--commit", help="the commit of the code, where there is no git")
    options.add_argument("--threads", type=int, default=2, help="of the CPU")
    options.add_argument("--only", action="append", metavar="SECTION", help="may be given several times")
    options.set_defaults(scale="full")
    for scale, text in (("quick", "about a minute"), ("tiny", "a smoke test")):
        options.add_argument(f"--{scale}", dest="scale", action="store_const", const=scale, help=text)
    return options


if __name__ == "__main__":
    main()
