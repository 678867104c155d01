"""Checkpoints that survive a kill at any moment, a full disk and a damaged file.

A checkpoint is a folder: tensors as safetensors, the rest as JSON, with the checksum of every file. It is written under
another name, brought to the disk and renamed, so that a folder of its final name is whole or was damaged later; a
damaged one is told by its checksums, and the one before it is taken.
"""

import hashlib
import json
import re
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard.checks import check_whole
from regard.tasks.whole_files import to_disk
from regard.training.lock import remove, sweep

NAME = re.compile(r"step-(\d{9})")
FACTS = "checkpoint.json"
VERSION = 1  # of the form of a checkpoint

Tensors = Mapping[str, Mapping[str, Tensor]]  # by file and by name


class Damaged(ValueError):  # noqa: N818 - named by what it says of a checkpoint
    """A checkpoint whose files are not those that were written."""


class Gone(ValueError):  # noqa: N818 - named by what it says of a checkpoint
    """A checkpoint that is not there, or not any more."""


@dataclass(frozen=True)
class Checkpoint:
    """What was saved at one step."""

    step: int
    tensors: Tensors
    facts: dict[str, Any]
    path: Path
    passed_over: tuple[str, ...] = field(default=())  # newer ones that are damaged, and why


class Checkpoints:
    """The checkpoints of a run: the last few and the best one.

    >>> import tempfile, torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoints = Checkpoints(Path(folder))
    ...     for step in (10, 20, 30):
    ...         path = checkpoints.save(step, {"model": {"w": torch.tensor([step])}}, {"loss": 1 / step})
    ...     last = checkpoints.last()
    ...     (last.step, last.tensors["model"]["w"].item(), checkpoints.steps())
    (30, 30, [20, 30])
    """

    def __init__(self, folder: Path, *, keep: int = 2) -> None:
        check_whole("keep", keep, 1)
        self.folder, self.keep = folder, keep

    def steps(self) -> list[int]:
        """The steps that are there, whole or not, in order."""
        if not self.folder.is_dir():
            return []
        return sorted(int(found[1]) for path in self.folder.iterdir() if (found := NAME.fullmatch(path.name)))

    def path(self, step: int) -> Path:
        return self.folder / f"step-{step:09d}"

    def save(self, step: int, tensors: Tensors, facts: Mapping[str, Any], *, best: bool = False) -> Path:
        """Write a checkpoint, and then remove those that are no longer kept; a failure leaves all others as they were.

        `facts` must be JSON. With `best` this one is kept until another is better.
        """
        check_whole("step", step, 0)
        self.folder.mkdir(parents=True, exist_ok=True)
        stage = self.folder / f".unfinished-{uuid.uuid4().hex}"
        try:
            stage.mkdir()
            sums = {}
            for name, part in tensors.items():
                file = f"{name}.safetensors"
                save_file({key: tensor.detach().contiguous() for key, tensor in part.items()}, stage / file)
                sums[file] = _sum(stage / file)
            text = _with_sum({"version": VERSION, "step": step, "best": best, "files": sums, "facts": dict(facts)})
            (stage / FACTS).write_text(text, encoding="utf-8")
            for path in (*stage.iterdir(), stage):
                to_disk(path)
            if self.path(step).exists():  # of a run that went on from before it
                remove(self.path(step))
            stage.rename(self.path(step))
        except BaseException as error:
            shutil.rmtree(stage, ignore_errors=True)
            if isinstance(error, SafetensorError | OSError):
                before = f"that of step {steps[-1]} is whole" if (steps := self.steps()) else "there is none before it"
                raise OSError(f"the checkpoint of step {step} cannot be written: {error}; {before}") from error
            raise
        to_disk(self.folder)
        self._prune()
        return self.path(step)

    def load(self, step: int) -> Checkpoint:
        """The checkpoint of a step; `Damaged` where it is not what was written."""
        path = self.path(step)
        if not path.is_dir():
            raise Gone(f"there is no checkpoint of step {step}: got {self.steps()} in {self.folder}")
        try:
            facts = _read(path / FACTS)
            if facts.get("version") != VERSION:
                raise ValueError(f"{path} must be of version {VERSION}: got {facts.get('version')}; use that regard")
            parts = {name: _loaded(path / name, sum_) for name, sum_ in facts["files"].items()}
        except Damaged as error:
            if path.is_dir():
                raise
            raise Gone(f"the checkpoint of step {step} was removed meanwhile, for a newer one") from error
        return Checkpoint(
            facts["step"],
            {name.removesuffix(".safetensors"): part for name, part in parts.items()},
            facts["facts"],
            path,
        )

    def last(self) -> Checkpoint | None:
        """The newest that is whole; None where none was ever written. All damaged is an error."""
        while steps := self.steps():
            passed: list[str] = []
            for step in reversed(steps):
                try:
                    found = self.load(step)
                except (Damaged, Gone) as error:
                    passed.append(str(error))
                    continue
                return Checkpoint(found.step, found.tensors, found.facts, found.path, tuple(passed))
            if steps == self.steps():  # else a training went on meanwhile, and has newer ones
                raise Damaged(f"no checkpoint of {self.folder} is whole: {'; '.join(passed)}")
        return None

    def best(self) -> Checkpoint | None:
        """The newest that was saved as the best."""
        while (step := self._best_step()) is not None:
            try:
                return self.load(step)
            except Gone:  # a training went on meanwhile, and has a better one
                continue
        return None

    def rewind(self, step: int) -> None:
        """Forget what came after a step, and what a killed run left unfinished; for the one process that writes."""
        for late in self.steps():
            if late > step:
                self._remove(late)
        sweep(self.folder)
        self._prune()

    def _best_step(self) -> int | None:
        for step in reversed(self.steps()):
            try:
                if _read(self.path(step) / FACTS).get("best"):
                    return step
            except Damaged:  # whoever asks for it is told
                continue
        return None

    def _prune(self) -> None:
        """Remove all but the last few and the best."""
        best = self._best_step()
        for step in self.steps()[: -self.keep]:
            if step != best:
                self._remove(step)

    def _remove(self, step: int) -> None:
        # Renamed first: a kill while its files are removed must not leave half a checkpoint under its name.
        grave = self.folder / f".unfinished-{uuid.uuid4().hex}"
        self.path(step).rename(grave)
        remove(grave)


def _loaded(path: Path, sum_: str) -> dict[str, Tensor]:
    try:
        if _sum(path) != sum_:
            raise Damaged(f"{path} is not what was written: its checksum differs")
        return load_file(path)
    except FileNotFoundError as error:
        raise Damaged(f"{path} is not there") from error
    except (OSError, RuntimeError, SafetensorError) as error:
        raise Damaged(f"{path} is no safetensors: {error}") from error


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _with_sum(facts: Mapping[str, Any]) -> str:
    """JSON with a checksum of itself."""
    text = json.dumps(facts, sort_keys=True)
    return json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest(), "content": facts}, sort_keys=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        content = written["content"]
        whole = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest() == written["sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Damaged(f"{path} cannot be read: {error!r}") from error
    if not (whole and isinstance(content, dict)):
        raise Damaged(f"{path} is not what was written: its checksum differs")
    return content
