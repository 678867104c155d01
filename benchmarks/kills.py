"""Recipes whose processes are killed at random moments: every resume must give the run that was never killed.

`python -m benchmarks.kills --kills 50 --out FILE --markdown FILE` trains each recipe once without interruption, then
again in processes that SIGKILL ends and `regard resume` takes up: at any moment of their lives, every other time at any
moment after the start. After each kill all that was saved must be whole; at the end losses, weights, recordings and
results must be those of the first run, bit for bit.

With `--processes 4 --mesh data:2,shard:2` each run is of so many processes of `torchrun`, and a kill is of one of them:
the others must end by themselves, and say which checkpoint is the last.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from typer.testing import CliRunner

from benchmarks import record
from benchmarks.record import Bar, Row
from benchmarks.setting import progress
from regard.commands.app import app
from regard.recipes import NAMES, read_run
from regard.training import Checkpoints, Damaged, Metrics

RECIPES = ("reversal", "digits-gaussian", "language", "gradients", "heads")
LENGTH = ("training.steps=120", "training.evaluate_every=5")  # 24 checkpoints of each training
LENGTHS: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("gradients", "heads"), ("training.steps=40", "training.evaluate_every=4")
)  # many models
ENDING = 60.0  # seconds after which the other processes of a run must have ended
ORPHANS = 12.0  # seconds that loader processes may outlive their parent: they look for it every five
MOMENTS = ("starting", "training", "saving", "measuring", "reporting", "ending")
STEP = {"step", "loss", "rate", "gradient"}  # of a line; one with more is of an evaluation


@dataclass(frozen=True)
class Case:
    """A recipe at its smallest, with so many loader processes."""

    recipe: str
    workers: int
    processes: int = 1
    mesh: str | None = None

    def __str__(self) -> str:
        together = f", {self.processes} processes" + (f" as {self.mesh}" if self.mesh else "")
        return (
            f"{self.recipe}, {self.workers} workers" if self.workers else self.recipe + together * (self.processes > 1)
        )

    def words(self, name: str, runs: Path) -> list[str]:
        changes = [
            *LENGTHS.get(self.recipe, LENGTH),
            *([f"training.execution.workers={self.workers}"] * bool(self.workers)),
            *([f"training.mesh={self.mesh}"] * bool(self.mesh)),
        ]
        options = [word for change in changes for word in ("--set", change)]
        return ["train", self.recipe, "--smoke", *options, "--name", name, "--runs", str(runs), "--device", "cpu"]


@dataclass
class Tally:
    """What was seen of a case."""

    kills: int = 0
    runs: int = 0
    checkpoints: int = 0  # that were read and checked after kills
    moments: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    orphans: dict[int, float] = field(default_factory=dict)  # sessions that were killed, and when
    litter: int = 0  # unfinished files in runs that came to their end
    outlived: float = 0.0  # seconds by which a loader process was seen to outlive its parent


def started(case: Case, words: list[str], log: Path) -> subprocess.Popen[bytes]:
    """`regard` in a session of its own, by which its loader processes are found."""
    torchrun = ["torch.distributed.run", "--standalone", "--nproc-per-node", str(case.processes), "-m"]
    with log.open("wb") as file:
        command = [sys.executable, "-m", *(torchrun if case.processes > 1 else []), "regard", *words]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file, start_new_session=True)


def kill(process: subprocess.Popen[bytes], chance: random.Random) -> None:
    """Kill a process, or of those that torchrun started a random one; then the others must end by themselves."""
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    of_torchrun = b"torch.distributed.run" in Path(f"/proc/{process.pid}/cmdline").read_bytes()
    victim = int(chance.choice(workers)) if of_torchrun and workers else process.pid
    os.kill(victim, signal.SIGKILL)
    process.wait(ENDING)


@dataclass(frozen=True)
class Whole:
    """The run that nothing interrupted, and the seconds that it took to start, to train, and to measure and report."""

    run: Path
    start: float
    train: float
    rest: float

    def life(self, run: Path, *, training: bool) -> float:
        """The seconds that a process may take that goes on with another run, or that it may train."""
        done = sum(newest(run).values()) / sum(newest(self.run).values())
        left = (1 - done) * self.train
        return left + self.rest / 2 if training else self.start + left + self.rest


def whole(case: Case, folder: Path) -> Whole:
    progress(case, "without interruption")
    begun, run = time.time(), folder / "run"
    process = started(case, case.words("run", folder), folder / "log")
    if process.wait() != 0:
        raise ValueError(f"{case} must train: got {(folder / 'log').read_text()[-2000:]}")
    locked = (run / ".lock").stat().st_mtime
    trained = max(path.stat().st_mtime for path in run.glob("*/checkpoints/step-*"))
    return Whole(run, locked - begun, trained - locked, time.time() - trained)


def trainings(run: Path) -> Iterator[Path]:
    return (path.parent for path in sorted(run.glob("*/metrics.jsonl")))


def newest(run: Path) -> dict[str, int]:
    """The last checkpoint of each training."""
    found = {path: Checkpoints(path / "checkpoints").steps() for path in trainings(run)}
    return {path.name: steps[-1] for path, steps in found.items() if steps}


def unfinished(run: Path) -> set[Path]:
    return {path.relative_to(run) for path in run.rglob(".unfinished-*")}


def times(run: Path) -> dict[Path, int]:
    return {path: (path / "metrics.jsonl").stat().st_mtime_ns for path in trainings(run)}


def torture(case: Case, kills: int, reference: Whole, folder: Path, chance: random.Random) -> Tally:
    """Runs that are killed until there were enough kills, the last of which goes on to its end."""
    tally = Tally()
    while tally.kills < kills:
        tally.runs += 1
        run, done, afterwards = folder / f"run-{tally.runs}", False, 0
        while not done:
            later = tally.kills % 4 > 0  # three of four after the start, which is most of a short life
            afterwards += newest(run) == newest(reference.run)
            is_last = tally.kills == kills or afterwards > 2  # it has been killed while it measured: now it may end
            limit = 600 if is_last else chance.uniform(0, reference.life(run, training=later))
            done = lived(case, run, limit, reference.run, tally, chance, later=later)
            if tally.faults:
                return tally
        tally.faults += differences(reference.run, run)
        tally.litter += len(unfinished(run))
        progress(f"{case}: run {tally.runs} is", "the same" if not tally.faults else "; ".join(tally.faults))
        shutil.rmtree(run)
    check_orphans(tally)
    while tally.orphans:
        time.sleep(0.5)
        check_orphans(tally)
    return tally


def lived(
    case: Case, run: Path, limit: float, original: Path, tally: Tally, chance: random.Random, *, later: bool
) -> bool:
    """One process, from its start to its end by itself or by a kill; whether the run is over."""
    log, begun = run.parent / "log", (run / "run.json").is_file()
    if not begun and run.exists():
        shutil.rmtree(run)  # killed before it had said what it was about to train
    words = ["resume", str(run), "--device", "cpu"] if begun else case.words(run.name, run.parent)
    before, litter = times(run), unfinished(run)
    process = started(case, words, log)
    while later and process.poll() is None and times(run) == before:
        time.sleep(0.01)
    try:
        process.wait(limit)
    except subprocess.TimeoutExpired:
        saved = newest(run)
        kill(process, chance)
    else:
        if process.returncode:
            tally.faults.append(f"ended with {process.returncode}: {log.read_text().strip()[-300:]}")
        return True
    tally.kills += 1
    tally.orphans[process.pid] = time.monotonic()
    when = moment(run, original, before, litter)
    tally.moments[when] += 1
    tally.faults += damage(run, saved, tally)
    if case.processes > 1 and when == "training" and (said := log.read_text()).count("the last checkpoint is") == 0:
        tally.faults.append(f"nobody named the last checkpoint: {said[-300:]}")
    check_orphans(tally)
    steps, of = sum(newest(run).values()), sum(newest(original).values())
    since = "first line" if later else "start"
    progress(f"{case}: kill {tally.kills}, {limit:.1f} s after the {since}, {when}: {steps} of {of} steps are saved")
    return when == "ending"


def moment(run: Path, original: Path, before: dict[Path, int], litter: set[Path]) -> str:
    """What the process was doing when it was killed, by the traces that it left."""
    if (run / "result.json").is_file():
        return "ending"
    if new := unfinished(run) - litter:
        return "saving" if any(len(path.parts) > 1 for path in new) else "reporting"
    if times(run) == before:
        return "starting"
    return "measuring" if newest(run) == newest(original) else "training"


def damage(run: Path, saved: dict[str, int], tally: Tally) -> list[str]:
    """What a kill has broken: nothing, it is hoped."""
    if not (run / "run.json").is_file():
        return [f"checkpoints without run.json: {saved}"] if saved else []
    faults = []
    for path in trainings(run):
        checkpoints = Checkpoints(path / "checkpoints")
        for step in checkpoints.steps():
            try:
                checkpoints.load(step)
                tally.checkpoints += 1
            except Damaged as error:
                faults.append(str(error))
        # The line of an evaluation is written before its checkpoint, and after the checkpoint of the one before it.
        told = [line["step"] for line in Metrics(path / "metrics.jsonl").read() if line.keys() - STEP]
        last, known = max(checkpoints.steps(), default=0), max([saved.get(path.name, 0), *told[:-1]])
        if last < known:
            faults.append(f"{path.name}: step {known} was saved, and {last} is the last")
    listed = CliRunner().invoke(app, ["runs", "--runs", str(run.parent), "--json"])
    states = {each["run"]: each["state"] for each in json.loads(listed.stdout)} if listed.exit_code == 0 else {}
    if states.get(run.name) != ("done" if (run / "result.json").is_file() else "stopped"):
        faults.append(f"regard runs ended with {listed.exit_code} and said {states.get(run.name)}")
    return faults + ([] if read_run(run).config else ["run.json holds no configuration"])


def check_orphans(tally: Tally) -> None:
    """Loader processes end soon after their parent: what is left of a session after some seconds is a fault."""
    alive = sessions()
    for session, killed in list(tally.orphans.items()):
        age = time.monotonic() - killed
        if session not in alive:
            del tally.orphans[session]
            continue
        tally.outlived = max(tally.outlived, age)
        if age > ORPHANS:
            tally.faults.append(f"processes of session {session} are there {age:.0f} s after its end")
            del tally.orphans[session]


def sessions() -> set[int]:
    """Of all processes that live."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, *rest = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has just ended
        if state != "Z":
            found.add(int(rest[2]))
    return found


def differences(original: Path, run: Path) -> list[str]:
    """Files that must be the same in all their bytes, and results, whose times may differ.

    Which of several processes writes what all of them hold is Distributed Checkpoint's choice, not the same in every
    run: of checkpoints in shards, the tensors and the facts must be the same.
    """
    faults = []
    for path in sorted(file for file in original.glob("*/**/*") if file.is_file() and "tfevents" not in file.name):
        other = run / path.relative_to(original)
        if list(path.parent.glob("shard-*")):
            faults += differing_tensors(path.parent, other.parent) if path.name == "checkpoint.json" else []
            continue
        if not other.is_file() or other.read_bytes() != path.read_bytes():
            faults.append(f"{path.relative_to(original)} {'differs' if other.is_file() else 'is missing'}")
    more = {path.relative_to(run) for path in run.glob("*/**/*") if not path.name.startswith("shard-")} - {
        path.relative_to(original) for path in original.glob("*/**/*")
    }
    faults += [f"{path} is left over" for path in more if "tfevents" not in path.name]
    if result(original) != result(run):
        faults.append("result.json differs")
    return faults


def differing_tensors(original: Path, other: Path) -> list[str]:
    step = int(original.name.removeprefix("step-"))
    try:
        ours, theirs = (Checkpoints(path.parent).load(step) for path in (original, other))
    except ValueError as error:
        return [str(error)]
    flat = [{f"{p}.{n}": t for p, own in one.tensors.items() for n, t in own.items()} for one in (ours, theirs)]
    is_same = flat[0].keys() == flat[1].keys() and all(flat[0][name].equal(flat[1][name]) for name in flat[0])
    return [] if is_same and ours.facts == theirs.facts else [f"the tensors or facts of {other} differ"]


def result(run: Path) -> Any:
    found = json.loads((run / "result.json").read_text()), json.loads((run / "claims.json").read_text())
    return found[0]["numbers"], found[0]["headline"], {name: claim["numbers"] for name, claim in found[1].items()}


def row(case: Case, tally: Tally, reference: Whole) -> Row:
    cells = {
        "kills": tally.kills,
        "runs": tally.runs,
        **{when: tally.moments[when] for when in MOMENTS},
        "checkpoints read": tally.checkpoints,
        "litter": tally.litter,
        "orphans, s": tally.outlived if case.workers else "",
        "a run, s": reference.start + reference.train + reference.rest,
        "of it training, s": reference.train,
    }
    return Row("kills", str(case), "faults", cells, len(tally.faults), "", Bar("≤", 0), tally.faults, " faults")


def main() -> None:
    parser = record.parser("benchmarks.kills", __doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument(
        "--recipes", type=lambda text: text.split(","), default=[name for name in RECIPES if name in NAMES]
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--mesh", default=None)
    options = parser.parse_args()
    report = record.machine(torch.device("cpu"), options.commit, "benchmarks.kills")
    # Every other recipe also with loader processes, which must give the same run.
    cases = [
        Case(name, workers, options.processes, options.mesh)
        for n, name in enumerate(options.recipes)
        for workers in ((0, 2) if n % 2 == 0 and options.processes == 1 else (0,))
    ]
    rows, left = [], options.kills
    with tempfile.TemporaryDirectory(prefix="kills-") as place:
        references: dict[str, Whole] = {}
        for number, case in enumerate(cases):
            kept, folder = Path(place) / f"{case.recipe}-whole", Path(place) / f"case-{number}"
            if not kept.exists():
                kept.mkdir()
                references[case.recipe] = whole(case, kept)
            folder.mkdir()
            kills = -(-left // (len(cases) - number))
            tally = torture(case, kills, references[case.recipe], folder, random.Random(options.seed + number))
            left -= tally.kills
            rows.append(row(case, tally, references[case.recipe]))
    total = sum(each.cells["kills"] for each in rows)  # pyright: ignore[reportArgumentType]
    rows.append(Row("kills", "all", "kills", {"kills": total}, total, "", Bar("≥", options.kills), None, " kills"))
    print(record.write(options, report, rows, "Recipes that are killed"))
    sys.exit(any(each.verdict != "met" for each in rows))


if __name__ == "__main__":
    main()
