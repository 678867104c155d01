"""A run: the folder that says what was asked, how far it is and what came out, and the plan that trains it.

The folder can be read while the run goes on. `start_run` and `plan_run` give a `Plan`, which has read the data once and
trains, measures and loads the models.
"""

import importlib.util
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from regard.checks import MissingExtra, check_whole
from regard.recipes.jobs import Told, train_several
from regard.recipes.recipe import (
    SILENT,
    OnData,
    Outcome,
    Recipe,
    Resources,
    Size,
    Training,
    find_recipe,
    from_json,
    override,
)
from regard.recipes.report import render
from regard.recipes.results import Clock, Result, Session, now
from regard.tasks.files import LOCK, is_locked, lock, write_atomically
from regard.tasks.images import HUB
from regard.training import Metrics, Order, Processes, Progress, Task, Trained, limit_threads, load_trained, train

FACTS, RESULT, CLAIMS, REPORT = "run.json", "result.json", "claims.json", "report.md"
NAME = re.compile(r"\w[\w.-]*")
KINDS = {"recipe": str, "config": dict, "command": str, "started": str, "smoke": bool, "data": str, "device": str}
MEASURING = "measuring"  # what comes after the trainings, in the times of a session
VERSION = 1  # of the form of a run's folder

# After every step: the name of the training, its steps in all, how far it is, and the numbers of the step.
OnStep = Callable[[str, int, Progress, Mapping[str, float]], None]


@dataclass(frozen=True)
class Run:
    """One training, or several that belong together, in a folder."""

    folder: Path
    recipe: str
    config: Mapping[str, Any]
    command: str
    started: str
    smoke: bool = False  # its numbers mean nothing
    data: str = ""  # a fingerprint of what it learns from
    device: str = "cpu"  # where it began

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def size(self) -> str:
        """The version of the recipe that was asked for: full, fast, small or smoke."""
        return next((size for size in ("fast", "small", "smoke") if f"--{size}" in self.command.split()), "full")

    @property
    def result(self) -> dict[str, float] | None:
        """The numbers at the end; None while it has not come to it."""
        found = self._read_result()
        return None if found is None else dict(found.numbers)

    @property
    def headline(self) -> str | None:
        """The result in a line."""
        found = self._read_result()
        return None if found is None else found.headline

    @property
    def state(self) -> str:
        """done, running or stopped."""
        return "done" if self._read_result() is not None else "running" if is_locked(self.folder) else "stopped"

    def progress(self) -> dict[str, int]:
        """The last step of each of its trainings that was written down."""
        files = sorted(self.folder.glob("*/metrics.jsonl"))
        lines = {file.parent.name: Metrics(file).read() for file in files}
        return {name: found[-1]["step"] for name, found in lines.items() if found}

    def lock(self) -> AbstractContextManager[None]:
        """Keep other processes from training it."""
        return lock(self.folder)

    def write(self) -> "Run":
        """Put what was asked into the folder."""
        facts = {name: value for name, value in vars(self).items() if name != "folder"}
        with write_atomically(self.folder / FACTS) as file:
            file.write(json.dumps({"version": VERSION, **facts}, indent=1).encode())
        return read_run(self.folder)

    def finish(
        self,
        *,
        numbers: Mapping[str, float],
        headline: str,
        report: str,
        claims: Mapping[str, Mapping[str, float]],
        sessions: tuple[Session, ...] = (),
    ) -> None:
        """Write what came out: the report first, and the result last, whose being there says that all is."""
        read = {key: {"command": self.command, "numbers": dict(found)} for key, found in claims.items()}
        result = Result(
            recipe=self.recipe,
            command=self.command,
            headline=headline,
            numbers=dict(numbers),
            started=self.started,
            finished=now(),
            sessions=sessions,
        )
        written = {REPORT: report} | ({CLAIMS: json.dumps(read)} if read else {}) | {RESULT: result.json()}
        for name, text in written.items():
            with write_atomically(self.folder / name) as file:
                file.write(text.encode())

    def _read_result(self) -> Result | None:
        path = self.folder / RESULT
        if not path.is_file():
            return None
        try:
            return Result.read_json(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error


def create_run(folder: Path, *, recipe: str, config: Mapping[str, Any], command: str, **more: Any) -> Run:
    """A run that begins now."""
    return Run(folder, recipe, config, command, now(), **more).write()


def read_run(folder: Path) -> Run:
    """The run of a folder."""
    path = folder / FACTS
    if not path.is_file():
        raise ValueError(f"a run's folder holds {FACTS}: got {folder}, which does not; see regard runs")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} must be JSON, as a recipe writes it: got {error}") from error
    if not isinstance(facts, dict):
        raise ValueError(f"{path} must be as a recipe writes it: got {facts!r:.40}")
    version = facts.pop("version", None)
    if version != VERSION:
        raise ValueError(f"{path} must be of version {VERSION}: got {version}; use the regard that made it")
    for name, kind in KINDS.items():
        if not isinstance(facts.get(name), kind):
            raise ValueError(f"{path} must be as a recipe writes it: got {facts.get(name)!r:.40} for {name!r}")
    return Run(folder, **{name: facts[name] for name in KINDS})


def list_runs(folder: Path) -> tuple[list[Run], dict[str, str]]:
    """The runs in a folder, the oldest first, and of those that cannot be read, why."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"runs lie in a folder: got the file {folder}; use another")
    found, wrong = [], {}
    for path in sorted(folder.glob(f"*/{FACTS}")):
        try:
            run = read_run(path.parent)
            _ = run.state
            found.append(run)
        except (ValueError, OSError) as error:  # damaged, being removed, or not ours to read
            wrong[path.parent.name] = str(error)
    return sorted(found, key=lambda run: (run.started, run.name)), wrong


def next_name(folder: Path, recipe: str) -> str:
    """`reversal-1`, or the next number that is free."""
    pattern = re.compile(rf"{re.escape(recipe)}-(\d+)")
    taken = [int(found[1]) for path in folder.glob("*") if (found := pattern.fullmatch(path.name))]
    return f"{recipe}-{max(taken, default=0) + 1}"


@dataclass(frozen=True)
class Plan:
    """What a run trains, with its data read: made once for each run, whatever is then done with it."""

    run: Run
    recipe: Recipe[Any]
    config: Any
    trainings: Mapping[str, Training]

    def train(self, on_step: OnStep = lambda *_: None, device: str | None = None, jobs: int = 1) -> Outcome:
        """Train what is not trained yet, where the run began unless told, and finish the run.

        One process, or those of one `torchrun`, do so at a time; of these the first measures and writes the report.
        With `jobs`, so many models are trained at a time, in processes of their own that this one starts.
        """
        run, device = self.run, device or self.run.device
        everybody = Processes.of(None, device)
        check_whole("jobs", jobs, 1)
        if jobs > 1 and not everybody.is_alone:
            raise ValueError(f"the processes of torchrun share every model: got jobs={jobs} too; leave it out")
        with everybody.hold(run.lock()):
            clock, models = Clock(run.folder, device, writes=everybody.is_first), {}
            if jobs > 1:

                def on_told(told: Told) -> None:
                    clock.count(told.name, told.seconds, keep=told.is_done)
                    if told.progress is not None:
                        on_step(told.name, self.trainings[told.name].settings.steps, told.progress, told.numbers)

                train_several(run.folder, list(self.trainings), device, min(jobs, len(self.trainings)), on_told)
            for name, training in self.trainings.items():

                def on_own_step(progress: Progress, numbers: Mapping[str, float], name: str = name) -> None:
                    clock.count(name)
                    on_step(name, self.trainings[name].settings.steps, progress, numbers)

                folder = run.folder / name
                models[name] = train(training.task, training.settings, folder, device=device, on_step=on_own_step)
                clock.count(name, keep=True)
            measured: list[Outcome] = []
            numbers, headline, text = everybody.by_first(lambda: self._finish(measured, models, clock, device))
        return measured[0] if measured else Outcome(numbers=numbers, headline=headline, text=text)

    def _finish(
        self, measured: list[Outcome], models: Mapping[str, Trained], clock: Clock, device: str
    ) -> tuple[Mapping[str, float], str, str]:
        """Measure, write the report, and give what other processes may know of it."""
        outcome = self._measure(models)
        measured.append(outcome)
        for name, figure in outcome.figures.items():
            with write_atomically(self.run.folder / f"{name}.svg") as file:
                figure.savefig(file, format="svg", metadata={"Date": None})
        outcome.save(self.run.folder)
        clock.count(MEASURING, keep=True)
        self.run.finish(
            numbers=outcome.numbers,
            headline=outcome.headline,
            report=self.report(outcome, models, device),
            claims={} if self.run.smoke else outcome.claims,
            sessions=clock.sessions,
        )
        return dict(outcome.numbers), outcome.headline, outcome.text

    def evaluate(self, device: str | None = None) -> tuple[Outcome, dict[str, Trained]]:
        """Measure the models as they are in their last checkpoints, and write nothing; the run may go on meanwhile."""
        if missing := [name for name in self.trainings if not (self.run.folder / name / "checkpoints").is_dir()]:
            raise ValueError(
                f"every model of {self.run.name} must have a checkpoint to be measured: got none of {missing[0]} yet; "
                f"wait for its first evaluation, or use regard resume {self.run.name} if it was stopped"
            )
        models = {name: self.load(name, device or self.run.device) for name in self.trainings}
        return self._measure(models), models

    def load(self, name: str, device: str = "cpu") -> Trained:
        """Load one of the models by its name, as it is in its last checkpoint; the run may go on meanwhile."""
        if name not in self.trainings:
            known = ", ".join(self.trainings)
            raise ValueError(f"{self.run.name} must train what is opened: got {name!r}, not among {known}")
        training = self.trainings[name]
        return load_trained(training.task, training.settings, self.run.folder / name, device=device)

    def report(self, outcome: Outcome, models: Mapping[str, Trained], device: str) -> str:
        """The report as Markdown: what was asked, what came out, and on what machine."""
        return render(
            "run.md.j2",
            run=self.run,
            outcome=outcome,
            steps={name: one.last_step for name, one in models.items()},
            threads=_threads(models) or torch.get_num_threads(),
            processes=Processes.of(None, device).mesh.count,
            gpu=torch.cuda.get_device_name(device) if device.startswith("cuda") else None,
            torch=torch.__version__,
        )

    def _measure(self, models: Mapping[str, Trained]) -> Outcome:
        with torch.no_grad(), torch.random.fork_rng(devices=[]), limit_threads(_threads(models)):
            torch.manual_seed(0)
            return self.recipe.measure(self.config, models)


def _threads(models: Mapping[str, Trained]) -> int | None:
    return next(iter(models.values())).settings.execution.threads


def start_run(
    name: str,
    folder: Path,
    *,
    size: Size = "full",
    changes: Sequence[str] = (),
    data: str | None = None,
    device: str = "cpu",
    on_data: OnData = SILENT,
) -> Plan:
    """Plan a new run of a recipe with these changes, in a folder: data and sizes are checked, nothing is trained."""
    recipe = find_recipe(name)
    for package in ("matplotlib", "jinja2"):
        if importlib.util.find_spec(package) is None:  # said now, not after an hour of training
            raise MissingExtra("reports", package, "train")
    words = [word for change in changes for word in ("--set", change)] + ([] if size == "full" else [f"--{size}"])
    words += ["--data", data] if data is not None else []
    if data is not None and not hasattr(recipe.config, "data"):
        raise ValueError(f"{name} makes its own data: got --data {data}; leave it out")
    config = override(recipe.at(size), changes)
    if source := data or getattr(config, "data", None):  # from wherever it is resumed
        config = replace(config, data=source if source.startswith(HUB) else str(Path(source).expanduser().resolve()))
    with _new_folder(folder):
        trainings = recipe.trainings(config, Resources(folder.parent / ".cache", on_data))
        for training in trainings.values():  # refuses fewer examples than a batch has, and a mesh that does not fit
            settings = training.settings
            Order(count=training.task.count, size=settings.batch, seed=settings.seed)
            processes = Processes.of(settings.mesh, device)
            training.task.check_parts(settings.batch, processes.parts)
            if processes.mesh.context > 1 and type(training.task).split_loss is Task.split_loss:
                raise ValueError(f"context splits sequences: got {name}, which cannot; use data or shard")
        run = create_run(
            folder,
            recipe=name,
            config=asdict(config),
            command=shlex.join(["regard", "train", name, *words]),
            smoke=size == "smoke",
            data=_fingerprint(trainings),
            device=device,
        )
    return Plan(run, recipe, config, trainings)


def plan_run(run: Run, changes: Sequence[str] = (), on_data: OnData = SILENT) -> Plan:
    """Plan a run that was started, on the data that it began with.

    Changes are not written to the run: they say how to measure it, such as `lengths=24` of strings longer than were
    learnt.
    """
    recipe, config = _read_config(run)
    config = override(config, changes)
    trainings = recipe.trainings(config, Resources(run.folder.parent / ".cache", on_data))
    if getattr(config, "data", None) == run.config.get("data") and _fingerprint(trainings) != run.data:
        raise ValueError(f"the data of {run.name} must be those that it began with: {run.config.get('data')} changed")
    return Plan(run, recipe, config, trainings)


def change_run(run: Run, changes: Sequence[str]) -> Run:
    """The same run, to go on with other settings, such as a lower rate."""
    _, config = _read_config(run)
    words = shlex.join([word for one in changes for word in ("--set", one)])
    command = f"{run.command} (resumed with {words})"
    return replace(run, config=asdict(override(config, changes)), command=command).write()


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for a run to begin in; one that is in use is an error, and a failure leaves none."""
    if not NAME.fullmatch(folder.name):
        raise ValueError(
            f"a run's name must be of letters, digits, - and _: got {folder.name!r}; use --name reversal-a"
        )
    free = f"a run needs a folder of its own: got {folder}, which is not empty; resume it, or --name another"
    if folder.exists() and not folder.is_dir():
        raise ValueError(free)
    made = not folder.exists()
    try:
        with lock(folder):
            if any(path.name != LOCK for path in folder.iterdir()):
                raise ValueError(free)
            yield
    finally:
        if made and not (folder / FACTS).exists() and not is_locked(folder):
            shutil.rmtree(folder)


def _read_config(run: Run) -> tuple[Recipe[Any], Any]:
    recipe = find_recipe(run.recipe)
    try:
        return recipe, from_json(type(recipe.config), run.config)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{run.folder / FACTS} must hold settings of {run.recipe}: got {error}; use the regard that made it"
        ) from error


def _fingerprint(trainings: Mapping[str, Training]) -> str:
    found = dict.fromkeys(training.task.fingerprint() for training in trainings.values())
    return " ".join(found).strip()
