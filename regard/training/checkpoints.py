"""Checkpoints that survive a kill at any moment, a full disk and a damaged file, and what they hold of a training.

A checkpoint is a folder: tensors as safetensors, the rest as JSON, with the checksum of every file. It is written under
another name, brought to the disk and renamed, so that a folder of its final name is whole or was damaged later. The
file `newest` beside the checkpoints names the last step that was saved, so that a removed checkpoint is missed.
"""

import hashlib
import json
import re
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from regard.checks import check_whole
from regard.tasks.files import remove_unfinished, sync, unfinished_in, write_atomically
from regard.training.task import device_of

NAME = re.compile(r"step-(\d{9})")
FACTS, NEWEST = "checkpoint.json", "newest"
VERSION = 1  # of the form of a checkpoint

Tensors = Mapping[str, Mapping[str, Tensor]]  # by file and by name


class Damaged(ValueError):  # noqa: N818 - named by what it says of a checkpoint
    """A checkpoint whose files are not those that were written."""


class Missing(ValueError):  # noqa: N818 - named by what it says of a checkpoint
    """A checkpoint that was never written, or was removed."""


@dataclass(frozen=True)
class Checkpoint:
    """What was saved at one step."""

    step: int
    tensors: Tensors
    facts: dict[str, Any]
    path: Path


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
        stage = unfinished_in(self.folder)
        try:
            stage.mkdir()
            sums = {}
            for name, part in tensors.items():
                file = f"{name}.safetensors"
                save_file({key: tensor.detach().contiguous() for key, tensor in part.items()}, stage / file)
                sums[file] = _checksum(stage / file)
            text = add_checksum({"version": VERSION, "step": step, "best": best, "files": sums, "facts": dict(facts)})
            (stage / FACTS).write_text(text, encoding="utf-8")
            for path in (*stage.iterdir(), stage):
                sync(path)
            if self.path(step).exists():  # of a run that went on from before it
                shutil.rmtree(self.path(step))
            stage.rename(self.path(step))
        except BaseException as error:
            shutil.rmtree(stage, ignore_errors=True)
            if isinstance(error, SafetensorError | OSError):
                before = f"that of step {steps[-1]} is whole" if (steps := self.steps()) else "there is none before it"
                raise OSError(f"the checkpoint of step {step} cannot be written: {error}; {before}") from error
            raise
        self._write_newest(step)
        self._prune()
        return self.path(step)

    def load(self, step: int) -> Checkpoint:
        """The checkpoint of a step; `Damaged` where it is not what was written."""
        path = self.path(step)
        if not path.is_dir():
            raise Missing(f"there is no checkpoint of step {step}: got {self.steps()} in {self.folder}")
        try:
            facts = _read_facts(path / FACTS)
            if facts.get("version") != VERSION:
                raise ValueError(f"{path} must be of version {VERSION}: got {facts.get('version')}; use that regard")
            parts = {
                name.removesuffix(".safetensors"): _load_tensors(path / name, checksum)
                for name, checksum in facts["files"].items()
            }
        except Damaged as error:
            if path.is_dir():
                raise
            raise Missing(f"the checkpoint of step {step} was removed meanwhile, for a newer one") from error
        return Checkpoint(facts["step"], parts, facts["facts"], path)

    def last(self) -> Checkpoint | None:
        """The newest that is whole, with a warning where a newer one is damaged or missing; None where there is none.

        It is an error when all of them are damaged.
        """
        newest = self._read_newest()  # before the steps are listed: a training may save another meanwhile
        while steps := self.steps():
            passed: list[str] = []
            for step in reversed(steps):
                try:
                    found = self.load(step)
                except (Damaged, Missing) as error:
                    passed.append(str(error))
                    continue
                for why in passed:
                    warnings.warn(f"a checkpoint is damaged, and that of step {step} is used: {why}", stacklevel=2)
                if steps[-1] < newest:
                    warnings.warn(
                        f"the checkpoint of step {newest} is missing from {self.folder}, and that of step {step} is "
                        "used",
                        stacklevel=2,
                    )
                return found
            if steps == self.steps():  # else a training went on meanwhile, and has newer ones
                raise Damaged(f"no checkpoint of {self.folder} is whole: {'; '.join(passed)}")
        return None

    def best(self) -> Checkpoint | None:
        """The newest that was saved as the best."""
        while (step := self._best_step()) is not None:
            try:
                return self.load(step)
            except Missing:  # a training went on meanwhile, and has a better one
                continue
        return None

    def rewind(self, step: int) -> None:
        """Forget what came after a step, and what a killed run left unfinished; only the writing process may do so."""
        if self._read_newest() > step:
            self._write_newest(step)
        for late in self.steps():
            if late > step:
                self._remove(late)
        remove_unfinished(self.folder)
        self._prune()

    def _best_step(self) -> int | None:
        for step in reversed(self.steps()):
            try:
                if _read_facts(self.path(step) / FACTS).get("best"):
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
        unfinished = unfinished_in(self.folder)
        self.path(step).rename(unfinished)
        shutil.rmtree(unfinished)

    def _write_newest(self, step: int) -> None:
        with write_atomically(self.folder / NEWEST) as file:
            file.write(str(step).encode())

    def _read_newest(self) -> int:
        """The last step that was saved, 0 where nothing says so."""
        try:
            return int((self.folder / NEWEST).read_text())
        except (OSError, ValueError):
            return 0


def _load_tensors(path: Path, checksum: str) -> dict[str, Tensor]:
    try:
        if _checksum(path) != checksum:
            raise Damaged(f"{path} is not what was written: its checksum differs")
        return load_file(path)
    except FileNotFoundError as error:
        raise Damaged(f"{path} is not there") from error
    except (OSError, RuntimeError, SafetensorError) as error:
        raise Damaged(f"{path} is no safetensors: {error}") from error


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def add_checksum(facts: Mapping[str, Any]) -> str:
    """JSON with a checksum of itself."""
    text = json.dumps(facts, sort_keys=True)
    return json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest(), "content": facts}, sort_keys=True)


def _read_facts(path: Path) -> dict[str, Any]:
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        content = written["content"]
        whole = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest() == written["sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Damaged(f"{path} cannot be read: {error!r}") from error
    if not (whole and isinstance(content, dict)):
        raise Damaged(f"{path} is not what was written: its checksum differs")
    return content


def snapshot(model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[Tensors, dict[str, Any]]:
    """Take what decides how a training goes on, for `Checkpoints.save`: the model, the optimizer, the random state.

    A tensor that two places of a model share is written once.
    """
    state = optimizer.state_dict()
    moments: dict[str, Tensor] = {}
    scalars: dict[str, Any] = {}
    for number, entries in state["state"].items():
        for name, value in entries.items():
            (moments if isinstance(value, Tensor) else scalars)[f"{number}.{name}"] = value
    random = {"cpu": torch.get_rng_state()}
    if (device := device_of(model)).type == "cuda":
        random["cuda"] = torch.cuda.get_rng_state(device)
    tensors = {"model": collect_weights(model), "optimizer": moments, "random": random}
    return tensors, {"optimizer": {"groups": state["param_groups"], "scalars": scalars}}


def restore(checkpoint: Checkpoint, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Put everything back where `snapshot` took it from; a model of other names or shapes is an error."""
    restore_weights(checkpoint, model)
    facts = checkpoint.facts["optimizer"]
    state: dict[int, dict[str, Any]] = {}
    for name, value in (checkpoint.tensors["optimizer"] | facts["scalars"]).items():
        number, _, key = name.partition(".")
        state.setdefault(int(number), {})[key] = value
    optimizer.load_state_dict({"state": state, "param_groups": facts["groups"]})
    random = checkpoint.tensors["random"]
    torch.set_rng_state(random["cpu"])
    if "cuda" in random and (device := device_of(model)).type == "cuda":
        torch.cuda.set_rng_state(random["cuda"], device)


def restore_weights(checkpoint: Checkpoint, model: nn.Module) -> None:
    """Put the weights alone back."""
    ours, theirs = collect_weights(model), checkpoint.tensors["model"]
    if wrong := sorted(ours.keys() ^ theirs.keys()):
        raise ValueError(f"{checkpoint.path} must hold this model: got {wrong[0]!r} in one of the two alone")
    for name, tensor in ours.items():
        if tensor.shape != theirs[name].shape or tensor.dtype != theirs[name].dtype:
            found = f"{tuple(theirs[name].shape)} {theirs[name].dtype}"
            raise ValueError(f"{name} must be {tuple(tensor.shape)} {tensor.dtype}: got {found} in {checkpoint.path}")
    with torch.no_grad():
        for name, tensor in ours.items():
            tensor.copy_(theirs[name])


def collect_weights(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and buffers that are saved, each once: of two names of one tensor the first."""
    kept = model.state_dict(keep_vars=True)
    found: dict[int, str] = {}
    for name, tensor in kept.items():
        found.setdefault(id(tensor), name)
    return {name: kept[name].detach() for name in found.values()}
