"""What a run leaves behind: rows with a ratio and a bar, as JSON and as Markdown tables."""

import argparse
import json
import platform
import shlex
import sys
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.timing import Timing
from regard.recipes import results

Cell = Timing | float | int | str | None


@dataclass(frozen=True)
class Bar:
    """What a number has to reach.

    >>> Bar("≥", 0.98).met(1.0), Bar("≤", 20).met(31)
    (True, False)
    """

    sense: str
    threshold: float

    def met(self, value: float) -> bool:
        return value >= self.threshold if self.sense == "≥" else value <= self.threshold

    def __str__(self) -> str:
        return f"{self.sense} {self.threshold:g}"


@dataclass
class Row:
    """One comparison. `cells` are its columns of the table, `details` go to the JSON alone."""

    section: str
    case: str
    measure: str
    cells: dict[str, Cell]
    ratio: float | None = None
    against: str = ""
    bar: Bar | None = None
    details: Any = None
    unit: str = "×"  # of the ratio; not every bar is one

    @property
    def verdict(self) -> str:
        if self.bar is None:
            return ""
        if self.ratio is None:
            return "not measured"
        return "met" if self.bar.met(self.ratio) else "missed"

    def json(self) -> dict[str, Any]:
        cells = {
            name: {"median_s": cell.median, "spread": cell.spread, "samples_s": cell.samples}
            if isinstance(cell, Timing)
            else cell
            for name, cell in self.cells.items()
        }
        bar = None if self.bar is None else asdict(self.bar) | {"verdict": self.verdict}
        return asdict(self) | {"cells": cells, "bar": bar}


def race(
    section: str,
    case: str,
    measure: str,
    results: Mapping[str, Cell],
    peers: list[str],
    bar: Bar | None,
    name_of_ours: str = "regard",
) -> Row:
    """The best of `peers` over ours: above 1, ours is faster. All results become columns."""
    ours = results.get(name_of_ours)
    times = {name: result for name in peers if isinstance(result := results.get(name), Timing)}
    ratio, best = None, "no peer ran"
    if isinstance(ours, Timing) and times:
        best = min(times, key=lambda name: times[name].median)
        ratio = times[best].over(ours)
    return Row(section, case, measure, dict(results), ratio, best, bar)


def parser(module: str, description: str | None) -> argparse.ArgumentParser:
    """What every benchmark is told: the files to write, and the commit."""
    options = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    options.add_argument("--out", type=Path, help="JSON with every number")
    options.add_argument("--markdown", type=Path, help="the tables")
    options.add_argument("--commit", help="the commit of the code, where there is no git")
    return options


def add_device(options: argparse.ArgumentParser) -> None:
    default = "cuda" if torch.cuda.is_available() else "cpu"
    options.add_argument("--device", default=default, choices=["cpu", "cuda"])
    options.add_argument("--threads", type=int, default=2, help="of the CPU")


def begin_on(options: argparse.Namespace) -> torch.device:
    """The device of the options, with its index; threads as they say, and no warnings."""
    torch.set_num_threads(options.threads)
    warnings.filterwarnings("ignore")  # sdpa explains at length why each excluded backend is excluded
    is_cuda = options.device == "cuda"
    return torch.device("cuda", torch.cuda.current_device()) if is_cuda else torch.device(options.device)


def machine(device: torch.device, commit: str | None, module: str, words: list[str] | None = None) -> dict[str, Any]:
    """Where, with what, from which commit and by which command the numbers come."""
    return {
        "machine": torch.cuda.get_device_name(device) if device.type == "cuda" else results.cpu_name(),
        "host": platform.node(),
        "device": device.type,
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "commit": commit or results.commit() or "unknown",
        "command": shlex.join([Path(sys.executable).name, "-m", module, *(sys.argv[1:] if words is None else words)]),
        "date": results.now(),
    }


def to_json(report: dict[str, Any], rows: list[Row]) -> str:
    return json.dumps(report | {"rows": [row.json() for row in rows]}, indent=1, ensure_ascii=False)


def write(options: argparse.Namespace, report: dict[str, Any], rows: list[Row], title: str) -> str:
    """Write the files that the options ask for; give the tables."""
    text = to_markdown(report, rows, title)
    save(options, to_json(report, rows), text)
    return text


def save(options: argparse.Namespace, numbers: str, tables: str) -> None:
    for path, text in ((options.out, numbers), (options.markdown, tables)):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def to_markdown(report: dict[str, Any], rows: list[Row], title: str) -> str:
    """One table per section, then the bars in short: the end of the output says it all."""
    head = f"{report['machine']} · torch {report['torch']} · commit {report['commit']} · {report['date']}"
    parts = [f"# {title}\n\n{head}\n\n`{report['command']}`"]
    sections = list(dict.fromkeys(row.section for row in rows))
    parts += [f"## {name}\n\n{_table([row for row in rows if row.section == name])}" for name in sections]
    return "\n\n".join([*parts, f"## bars\n\n{_summary(rows)}"]) + "\n"


def _table(rows: list[Row]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row.cells))
    header = ["case", "measure", *columns, "ratio", "against", "bar", "met"]
    notes: dict[str, int] = {}
    lines = [_line(header), _line(["---"] * len(header))]
    for row in rows:
        cells = [_show(row.cells.get(name, ""), notes) for name in columns]
        lines.append(_line([row.case, row.measure, *cells, _ratio(row), row.against, _bar(row), row.verdict]))
    listed = [f"\n[{number}] {text}" for text, number in notes.items()]
    return "\n".join([*lines, *listed])


def _show(cell: Cell, notes: dict[str, int]) -> str:
    if isinstance(cell, Timing):
        return f"{_seconds(cell.median)} ±{50 * cell.spread:.1f} %"
    if isinstance(cell, float):
        return f"{cell:.4g}"
    text = "" if cell is None else str(cell)
    if len(text) > 24:  # a reason, not a number: said once below the table
        return f"— [{notes.setdefault(text, len(notes) + 1)}]"
    return text


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.3g} µs"


def _ratio(row: Row) -> str:
    return "" if row.ratio is None else f"{row.ratio:.3g}{row.unit}"


def _bar(row: Row) -> str:
    return "" if row.bar is None else f"{row.bar}{row.unit}"


def _summary(rows: list[Row]) -> str:
    """Each bar: how many rows meet it, and its worst row."""
    lines = [_line(["section", "bar", "met", "worst", "worst case"]), _line(["---"] * 5)]
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.bar is not None:
            groups.setdefault((row.section, _bar(row)), []).append(row)
    for (section, bar), group in groups.items():
        measured = sorted((row for row in group if row.ratio is not None), key=lambda row: row.ratio or 0.0)
        if group[0].bar is not None and group[0].bar.sense == "≤":
            measured.reverse()
        met = sum(row.verdict == "met" for row in group)
        worst = measured[0] if measured else None
        shown = [_ratio(worst), f"{worst.case}, {worst.measure}"] if worst else ["", "not measured"]
        lines.append(_line([section, bar, f"{met} of {len(group)}", *shown]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
