"""The fuzz: `python -m tests.fuzz --seconds 600 --processes 2 --device cpu --seed 0 --out file.json`.

Cases run in processes of their own, so that a crash, a lost CUDA context or a hang ends a process and not the run: the
case is noted, with the Python that shows it, and the next process goes on behind it.
"""

import argparse
import json
import platform
import select
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RIGHT = ("equal", "refused")


@dataclass
class Tally:
    """What has come of all cases so far."""

    cases: int = 0
    verdicts: Counter = field(default_factory=Counter)  # of (algorithm, verdict)
    parts: Counter = field(default_factory=Counter)  # of worlds, calls, types, choices
    failures: dict[str, dict[str, Any]] = field(default_factory=dict)  # by kind
    wrong_cases: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, line: dict[str, Any]) -> None:
        with self.lock:
            self.cases += 1
            self.wrong_cases += bool(line["failures"])
            self.verdicts.update(line["verdicts"].items())
            self.parts.update(f"{name}: {line[name]}" for name in ("world", "call", "dtype", "chosen") if line[name])
            for failure in line["failures"]:
                self._note(failure["algorithm"], failure["kind"], line["done"], failure["text"] or failure["verdict"])

    def add_crash(self, seed: int, running: str, why: str, device: str) -> None:
        with self.lock:
            self.cases += 1
            self.wrong_cases += 1
            self.verdicts[running, "wrong"] += 1
            self._note(running, why, seed, _text(seed, device, running))

    def _note(self, algorithm: str, kind: str, seed: int, text: str) -> None:
        if f"{algorithm}: {kind}" not in self.failures:
            print(f"\nseed {seed}, {algorithm}: {kind}\n{text}", file=sys.stderr, flush=True)
        known = self.failures.setdefault(f"{algorithm}: {kind}", {"count": 0, "seeds": [], "text": text})
        known["count"] += 1
        known["seeds"] = [*known["seeds"], seed][:5]


def _text(seed: int, device: str, running: str) -> str:
    """The program of a case that nobody survived; what its hidden tokens hold is not known."""
    from tests.fuzz.drawing import draw
    from tests.fuzz.program import reproduction

    algorithm = None if running in ("plan", "the planner's choice") else running.removesuffix(", made smaller")
    return reproduction(draw(seed, device), algorithm, "", f"seed {seed}, in {running}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hang", type=float, default=300, help="seconds after which one step of a case is ended")
    parser.add_argument("--show", type=int, default=10, help="failing cases to print")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tally, started = Tally(), time.monotonic()
    deadline = started + options.seconds
    threads = [
        threading.Thread(target=work, args=(slot, options, tally, deadline)) for slot in range(options.processes)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        threads[0].join(timeout=min(10, max(0.1, deadline - time.monotonic())))
        for thread in threads[1:]:
            thread.join(timeout=0.05)
        spent = time.monotonic() - started
        print(f"{spent:6.0f} s  {tally.cases:,} cases  {tally.wrong_cases:,} wrong", file=sys.stderr, flush=True)
    spent = time.monotonic() - started
    report = figures(options, tally, spent)
    show(report, options.show)
    if options.out:
        options.out.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if tally.failures or not tally.cases else 0


def work(slot: int, options: argparse.Namespace, tally: Tally, deadline: float) -> None:
    """Keep one process at work until the time is over; after a crash another one goes on behind the case."""
    seed = options.seed + slot
    while time.monotonic() < deadline:
        command = [sys.executable, "-m", "tests.fuzz.worker", "--device", options.device]
        command += ["--first", str(seed), "--step", str(options.processes)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            seed = follow(process, seed, options, tally, deadline) + options.processes


def follow(process: subprocess.Popen, seed: int, options: argparse.Namespace, tally: Tally, deadline: float) -> int:
    """Read what a process tells until it or the time ends; gives the last seed it began with."""
    running, begun = "its start", False
    assert process.stdout is not None
    assert process.stderr is not None
    errors: list[bytes] = []
    reader = threading.Thread(target=lambda: errors.extend(process.stderr))
    reader.start()
    last = time.monotonic()
    while True:
        now = time.monotonic()
        over = now >= deadline and tally.cases > 0  # the first case is waited for, however slow the start
        if over or now - last > options.hang:
            process.kill()
            process.wait()
            reader.join()
            if not over:
                tally.add_crash(seed, running, f"no answer for {options.hang:.0f} s", options.device)
            return seed
        if not select.select([process.stdout], [], [], min(1.0, max(0.05, deadline - now)))[0]:
            continue
        text = process.stdout.readline()
        last = time.monotonic()
        if not text:
            code = process.wait()
            reader.join()
            if not begun:
                raise RuntimeError(b"".join(errors[-20:]).decode())
            last_line = errors[-1].decode().strip()[:200] if errors else ""
            tally.add_crash(seed, running, f"the process ended with {code}: {last_line}", options.device)
            return seed
        line = json.loads(text)
        if "begins" in line:
            seed, running, begun = line["begins"], "the oracle", True
        elif "runs" in line:
            running = line["runs"]
        elif "lost" in line:
            errors.append(line["why"].splitlines()[0].encode())
        else:
            tally.add(line)


def figures(options: argparse.Namespace, tally: Tally, spent: float) -> dict[str, Any]:
    """All numbers of a run, with where and from what they came."""
    import torch

    about = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = [line.partition(":")[2].strip() for line in about if "model name" in line]
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = sorted({name for name, _ in tally.verdicts})
    return {
        "command": f"python -m tests.fuzz {' '.join(sys.argv[1:])}",
        "commit": commit.stdout.strip(),
        "machine": cpu[0] if cpu else platform.processor(),
        "device": torch.cuda.get_device_name() if options.device == "cuda" else "cpu",
        "torch": torch.__version__,
        "seconds": round(spent, 1),
        "processes": options.processes,
        "seed": options.seed,
        "cases": tally.cases,
        "cases per second": round(tally.cases / spent, 1),
        "wrong cases": tally.wrong_cases,
        "algorithms": {
            name: {verdict: tally.verdicts[name, verdict] for verdict in (*RIGHT, "wrong")} for name in names
        },
        "parts": dict(sorted(tally.parts.items())),
        "mismatches": tally.failures,
    }


def show(report: dict[str, Any], most: int) -> None:
    """The table, and the first failures of each kind as programs."""
    failures = sorted(report["mismatches"].items(), key=lambda item: -item[1]["count"])
    for kind, failure in failures[:most]:
        print(f"\n{kind}, {failure['count']} times, seeds {failure['seeds']}:\n{failure['text']}")
    for kind, failure in failures[most:]:
        print(f"{kind}, {failure['count']} times, seeds {failure['seeds']}")
    print(f"\n{'':22}{'equal':>9}{'refused':>9}{'wrong':>9}")
    for name, counts in report["algorithms"].items():
        print(f"{name:22}" + "".join(f"{counts[verdict]:9,}" for verdict in (*RIGHT, "wrong")))
    print(
        f"{report['cases']:,} cases in {report['seconds']} s, {report['cases per second']} a second by "
        f"{report['processes']} processes; {report['wrong cases']:,} wrong"
    )


if __name__ == "__main__":
    sys.exit(main())
