"""The experiments of docs/results.md on one machine, several at a time, within a limit of time.

`python tools/experiments.py --data FOLDER --runs runs --device cuda --seconds 560 --out runs.tar.gz [NAME …]` trains
the chains below side by side, the runs of a chain one after the other. FOLDER holds `cifar10-jpeg.tar.xz`, `multi30k/`
and `tinyshakespeare/`. When the time is over runs are stopped as by Ctrl-C, and the same command goes on with them. OUT
gets the report, result, figures and recordings of every run, without checkpoints.
"""

import argparse
import signal
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

from regard.recipes import read_run

IMAGES, TEXTS, PLAYS = "cifar10-jpeg.tar.xz", "multi30k", "tinyshakespeare/input.txt"
# Name: trainings at a time, and what `regard train` is told; {data} is FOLDER.
RUNS: dict[str, tuple[int, str]] = {
    "cifar10-gaussian": (1, f"cifar10-gaussian --fast --data {{data}}/{IMAGES}"),
    "cifar10-resnet18": (1, f"cifar10-resnet18 --fast --data {{data}}/{IMAGES}"),
    "conv-vs-vit": (6, f"conv-vs-vit --data {{data}}/{IMAGES}"),
    "translation-de": (3, f"translation --data {{data}}/{TEXTS}"),
    "translation-fr": (3, f"translation --data {{data}}/{TEXTS} --set target=fr"),
    "objectives": (6, "objectives --data {data}"),
    "shakespeare": (1, f"shakespeare --data {{data}}/{PLAYS}"),
    "shakespeare-bpe": (1, f"shakespeare --data {{data}}/{PLAYS} --set tokens=1000 --set training.steps=1000"),
}
CHAINS = (
    ("cifar10-gaussian",),
    ("cifar10-resnet18", "conv-vs-vit"),
    ("translation-de", "objectives"),
    ("translation-fr",),
    ("shakespeare", "shakespeare-bpe"),
)
GRACE = 20  # seconds in which a run that is stopped saves what it has


class Trials:
    """Runs side by side, until the time is over."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.begun, self.is_over = options, time.monotonic(), False
        self.running: set[subprocess.Popen[bytes]] = set()

    def say(self, text: str) -> None:
        print(f"[{time.monotonic() - self.begun:.0f} s] {text}", flush=True)

    def follow(self, chain: tuple[str, ...]) -> None:
        for name in chain:
            if name in self.options.names and not self.is_over:
                self.run(name)

    def run(self, name: str) -> None:
        folder, (jobs, words) = self.options.runs / name, RUNS[name]
        if (folder / "result.json").exists():
            return
        command = [sys.executable, "-m", "regard", "train", *words.format(data=self.options.data).split()]
        command += ["--name", name, "--device", self.options.device]
        if (folder / "run.json").exists():
            command = [sys.executable, "-m", "regard", "resume", name]
        command += ["--runs", str(self.options.runs), "--jobs", str(jobs)]
        with (self.options.runs / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
            self.running.add(process)
            self.say(f"{name} ended with {process.wait()}")
            self.running.discard(process)

    def all(self) -> None:
        threads = [threading.Thread(target=self.follow, args=(chain,)) for chain in CHAINS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, self.begun + self.options.seconds - time.monotonic()))
        self.is_over = True
        for process in tuple(self.running):
            process.send_signal(signal.SIGINT)
        for thread in threads:
            thread.join(GRACE)


def collect(runs: Path, out: Path) -> None:
    """All but checkpoints in one file, and a line on each run."""
    with tarfile.open(out, "w:gz") as tar:
        for folder in sorted([path.parent for path in runs.glob("*/run.json")]):
            tar.add(folder, folder.name, filter=lambda info: None if "checkpoints" in Path(info.name).parts else info)
            try:
                run = read_run(folder)
            except ValueError as error:  # one that cannot be read must not keep the others
                print(f"{folder.name}: {error}")
            else:
                print(f"{folder.name}: {run.state}; {run.headline}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(RUNS)}; all by default")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in RUNS]:
        parser.error(f"no experiment is named {unknown[0]!r}; use some of {', '.join(RUNS)}")
    options.names = options.names or list(RUNS)
    options.runs.mkdir(parents=True, exist_ok=True)
    Trials(options).all()
    collect(options.runs, options.out)


if __name__ == "__main__":
    main()
