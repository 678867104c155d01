"""One run of a benchmark from the command line: its sections one after the other, each row written when it is there."""

import argparse
import os
import time
from collections.abc import Callable, Iterable, Mapping

from benchmarks import contest, grid_contest, record
from benchmarks.peers import installed
from benchmarks.record import Row
from benchmarks.setting import Setting, progress
from benchmarks.timing import explain

Section = Callable[[Setting], Iterable[Row]]
Sections = Mapping[str, Section]


def run(
    module: str,
    title: str,
    description: str | None,
    sections: Mapping[str, Sections],
    words: list[str] | None = None,
    said: list[str] | None = None,
    make_setting: type[Setting] = Setting,
) -> None:
    """Run `module` with these words, by default the command's; `sections` are those of each kind of device.

    `said` are all words of the command, where the module has read some itself.
    """
    options = parser(module, description).parse_args(words)
    device = record.begin_on(options)
    here = sections[device.type]
    chosen = options.only or list(here)
    unknown = [name for name in chosen if name not in here]
    if unknown:
        raise SystemExit(f"no section {', '.join(unknown)} on {device.type}: use one of {', '.join(here)}")

    setting = make_setting(device, options.scale)
    report = record.machine(device, options.commit, module, words if said is None else said)
    report |= {"scale": options.scale, "peers": installed(), "seconds": {}, "load before": os.getloadavg()}
    rows: list[Row] = []

    def save() -> str:
        report["load after"] = os.getloadavg()
        report["checks"] = contest.verdicts() + grid_contest.verdicts()
        return record.write(options, report, rows, f"{title}, side by side")

    for name in chosen:
        start = time.perf_counter()
        try:
            for row in here[name](setting):
                rows.append(row)
                save()  # a run that is cut off keeps what it has measured
        except Exception as error:  # the other sections still have something to say
            rows.append(Row(name, "the whole section", "", {"regard": explain(error)}))
        report["seconds"][name] = round(time.perf_counter() - start, 1)
        progress(name, "took", report["seconds"][name], "s")
    print(save(), flush=True)


def parser(module: str, description: str | None) -> argparse.ArgumentParser:
    options = record.parser(module, description)
    record.add_device(options)
    options.add_argument("--only", action="append", metavar="SECTION", help="may be given several times")
    options.set_defaults(scale="full")
    for scale, text in (("quick", "about a minute"), ("tiny", "a smoke test")):
        options.add_argument(f"--{scale}", dest="scale", action="store_const", const=scale, help=text)
    return options
