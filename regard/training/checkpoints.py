"""Checkpoints that survive a kill at any moment, a full disk and a damaged file, and what they hold of a training.

A checkpoint is a folder: tensors as safetensors, the rest as JSON, with the checksum of every file. It is written under
another name, brought to the disk and renamed, so that a folder of its final name is whole or was damaged later. The
file `newest` beside the checkpoints names the last step that was saved, so that a removed checkpoint is missed.

One process writes a file for each part of the training, several write a file each, by Distributed Checkpoint, of what
they hold. Both are read alike, whole or in the parts of any other mesh. One process does without Distributed
Checkpoint's writer, which takes two to three times as long as safetensors' own.
"""

import hashlib
import json
import re
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from regard.checks import check_whole
from regard.tasks.files import remove_unfinished, sync, unfinished_in, write_atomically
from regard.training.distribution import Processes
from regard.training.settings import Mesh
from regard.training.task import device_of

NAME = re.compile(r"step-(\d{9})")
FACTS, NEWEST, SHARD = "checkpoint.json", "newest", "shard-"
VERSION = 2  # of the form of a checkpoint

Tensors = Mapping[str, Mapping[str, Tensor]]  # by part and by name


class Damaged(ValueError):  # noqa: N818 - named by what it says of a checkpoint
    """A checkpoint whose files are not those that were written."""


class Unfit(ValueError):  # noqa: N818 - named by what it says of a checkpoint
    """A checkpoint of a model of other names or shapes."""


class Missing(ValueError):  # noqa: N818 - named by what it says of a checkpoint
    """A checkpoint that was never written, or was removed."""


@dataclass(frozen=True)
class Checkpoint:
    """What was saved at one step."""

    step: int
    facts: dict[str, Any]
    path: Path
    files: tuple[str, ...]

    @cached_property
    def tensors(self) -> dict[str, dict[str, Tensor]]:
        """All of them, whole, by part and by name."""
        if any(name.startswith(SHARD) for name in self.files):
            whole = {name: torch.empty(size, dtype=dtype) for name, (size, dtype) in self.sizes().items()}
            self.fill(whole)
        else:
            whole = {name: tensor for file in self.files for name, tensor in load_file(self.path / file).items()}
        found: dict[str, dict[str, Tensor]] = {}
        for name, tensor in whole.items():
            part, _, own = name.partition(".")
            found.setdefault(part, {})[own] = tensor
        return found

    def sizes(self) -> dict[str, tuple[torch.Size, torch.dtype]]:
        """The size and the type of every tensor, by its part and name: `model.head.weight`."""
        from torch.distributed.checkpoint.hf_storage import HuggingFaceStorageReader

        found = HuggingFaceStorageReader(str(self.path)).read_metadata().state_dict_metadata
        return {name: (one.size, one.properties.dtype) for name, one in found.items()}  # pyright: ignore[reportAttributeAccessIssue]

    def fill(self, targets: dict[str, Tensor]) -> None:
        """Read these tensors into place, of sharded ones the parts that are here; each process reads for itself."""
        from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner
        from torch.distributed.checkpoint.hf_storage import HuggingFaceStorageReader

        reader = HuggingFaceStorageReader(str(self.path))
        planner = DefaultLoadPlanner(flatten_state_dict=False, flatten_sharded_tensors=False)
        metadata = reader.read_metadata()
        planner.set_up_planner(targets, metadata, is_coordinator=True)
        reader.set_up_storage_reader(metadata, is_coordinator=True)
        plan = planner.finish_plan(reader.prepare_local_plan(planner.create_local_plan()))
        reader.read_data(plan, planner).wait()


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

    def save(
        self,
        step: int,
        tensors: Tensors,
        facts: Mapping[str, Any],
        *,
        best: bool = False,
        processes: Processes | None = None,
    ) -> Path:
        """Write a checkpoint, and then remove those that are no longer kept; a failure leaves all others as they were.

        `facts` must be JSON. With `best` this one is kept until another is better. All of several `processes` call
        this, each with what it holds.
        """
        check_whole("step", step, 0)
        named = {f"{part}.{name}": one for part, own in tensors.items() for name, one in own.items()}
        for name, one in named.items():
            # Of anything else Distributed Checkpoint's writer makes a file that nobody can read, without an error.
            if not isinstance(one, Tensor):
                raise ValueError(
                    f"a checkpoint holds tensors, and facts as JSON: got {name}={one!r:.40}; make it a fact"
                )
        content = {"version": VERSION, "step": step, "best": best, "facts": dict(facts)}
        processes = processes or Processes(Mesh(), torch.device("cpu"))
        stage = Path(processes.by_first(self._begin))
        try:
            is_plain = processes.is_plain
            sums = _write_parts(tensors, stage) if is_plain else _write_shards(named, stage, processes)
            processes.by_first(lambda: self._finish(stage, content | {"files": sums}))
        except BaseException as error:
            if processes.is_first:
                shutil.rmtree(stage, ignore_errors=True)
            if isinstance(error, SafetensorError | OSError):
                before = f"that of step {steps[-1]} is whole" if (steps := self.steps()) else "there is none before it"
                raise OSError(f"the checkpoint of step {step} cannot be written: {error}; {before}") from error
            raise
        return self.path(step)

    def _begin(self) -> str:
        stage = unfinished_in(self.folder)
        stage.mkdir(parents=True)
        return str(stage)

    def _finish(self, stage: Path, content: dict[str, Any]) -> None:
        """Bring the folder to the disk and give it its name."""
        step = content["step"]
        (stage / FACTS).write_text(add_checksum(content), encoding="utf-8")
        for path in (*stage.iterdir(), stage):
            sync(path)
        if self.path(step).exists():  # of a run that went on from before it
            shutil.rmtree(self.path(step))
        stage.rename(self.path(step))
        self._write_newest(step)
        self._prune()

    def load(self, step: int) -> Checkpoint:
        """The checkpoint of a step; `Damaged` where it is not what was written."""
        found = self.find(step)
        try:
            _ = found.tensors
        except (OSError, RuntimeError, SafetensorError) as error:
            if found.path.is_dir():
                raise Damaged(f"{found.path} cannot be read: {error}") from error
            raise Missing(f"the checkpoint of step {step} was removed meanwhile, for a newer one") from error
        return found

    def find(self, step: int, *, check: bool = True) -> Checkpoint:
        """The same with its tensors not read yet."""
        path = self.path(step)
        if not path.is_dir():
            raise Missing(f"there is no checkpoint of step {step}: got {self.steps()} in {self.folder}")
        try:
            facts = _read_facts(path / FACTS)
            if facts.get("version") != VERSION:
                raise ValueError(f"{path} must be of version {VERSION}: got {facts.get('version')}; use that regard")
            for name, checksum in facts["files"].items() if check else ():
                _check_file(path / name, checksum)
        except Damaged as error:
            if path.is_dir():
                raise
            raise Missing(f"the checkpoint of step {step} was removed meanwhile, for a newer one") from error
        return Checkpoint(facts["step"], facts["facts"], path, tuple(facts["files"]))

    def last(self, *, read: bool = True) -> Checkpoint | None:
        """The newest that is whole, with a warning where a newer one is damaged or missing; None where there is none.

        It is an error when all of them are damaged.
        """
        newest = self._read_newest()  # before the steps are listed: a training may save another meanwhile
        while steps := self.steps():
            passed: list[str] = []
            for step in reversed(steps):
                try:
                    found = self.load(step) if read else self.find(step)
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

    def name_last(self) -> str:
        """A sentence about the checkpoint to go back to."""
        steps = self.steps()
        return f"the last checkpoint is {self.path(steps[-1])}" if steps else "there is no checkpoint yet"

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


def _write_parts(tensors: Tensors, stage: Path) -> dict[str, str]:
    """Write a file for each part, and give their checksums."""
    sums = {}
    for part, own in tensors.items():
        path = stage / f"{part}.safetensors"
        save_file({f"{part}.{name}": tensor.detach().contiguous() for name, tensor in own.items()}, path)
        sums[path.name] = _checksum(path)
    return sums


def _write_shards(named: dict[str, Tensor], stage: Path, processes: Processes) -> dict[str, str]:
    """Write a file for each process, open it again, and give the checksums of all."""
    from torch.distributed.checkpoint import state_dict_saver
    from torch.distributed.checkpoint.api import CheckpointException
    from torch.distributed.checkpoint.hf_storage import HuggingFaceStorageWriter

    try:
        state_dict_saver.save(named, storage_writer=HuggingFaceStorageWriter(str(stage), save_distributed=True))
    except CheckpointException as error:
        first, why = next(iter(error.failures.items()))
        raise OSError(f"process {first} has failed: {why[0]}") from error
    own: dict[str, Any] = {"sums": {}, "names": [], "error": None}
    try:
        for path in stage.glob(f"{SHARD}{processes.rank + 1:05}-*"):
            with safe_open(path, "pt") as file:
                own["names"] += file.keys()
            own["sums"][path.name] = _checksum(path)
    except (OSError, SafetensorError) as error:
        own["error"] = f"process {processes.rank} cannot open its own shard: {error}"
    written = processes.gather(own)
    if wrong := [one["error"] for one in written if one["error"] is not None]:
        raise OSError(wrong[0])
    if missing := sorted(named.keys() - {name for one in written for name in one["names"]}):
        raise OSError(f"{missing[0]} is in no shard")
    return {name: checksum for one in written for name, checksum in one["sums"].items()}


def _check_file(path: Path, checksum: str) -> None:
    try:
        if _checksum(path) != checksum:
            raise Damaged(f"{path} is not what was written: its checksum differs")
    except FileNotFoundError as error:
        raise Damaged(f"{path} is not there") from error
    except OSError as error:
        raise Damaged(f"{path} cannot be read: {error}") from error


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
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    if any(map(is_sharded, parameters)):
        moments, random = _read_shards(checkpoint, parameters)
    else:
        moments, random = checkpoint.tensors.get("optimizer", {}), checkpoint.tensors["random"]
    state: dict[int, dict[str, Any]] = {}
    for name, value in (moments | facts["scalars"]).items():
        number, _, key = name.partition(".")
        state.setdefault(int(number), {})[key] = value
    optimizer.load_state_dict({"state": state, "param_groups": facts["groups"]})
    torch.set_rng_state(random["cpu"])
    if "cuda" in random and (device := device_of(model)).type == "cuda":
        torch.cuda.set_rng_state(random["cuda"], device)


def restore_weights(checkpoint: Checkpoint, model: nn.Module) -> None:
    """Put the weights alone back."""
    ours = collect_weights(model)
    in_parts = any(map(is_sharded, ours.values()))
    if in_parts:
        theirs = {name[6:]: size for name, size in checkpoint.sizes().items() if name.startswith("model.")}
    else:
        theirs = {name: (tensor.shape, tensor.dtype) for name, tensor in checkpoint.tensors["model"].items()}
    if wrong := sorted(ours.keys() ^ theirs.keys()):
        raise Unfit(f"{checkpoint.path} must hold this model: got {wrong[0]!r} in one of the two alone")
    for name, tensor in ours.items():
        size, dtype = theirs[name]
        if tensor.shape != size or tensor.dtype != dtype:
            found = f"{tuple(size)} {dtype}"
            raise Unfit(f"{name} must be {tuple(tensor.shape)} {tensor.dtype}: got {found} in {checkpoint.path}")
    with torch.no_grad():
        if in_parts:
            checkpoint.fill({f"model.{name}": tensor for name, tensor in ours.items()})
            return
        for name, tensor in ours.items():
            tensor.copy_(checkpoint.tensors["model"][name])


def _read_shards(checkpoint: Checkpoint, parameters: list[Tensor]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The moments of these parameters as far as they are here, and the random state."""
    targets: dict[str, Tensor] = {}
    for name, (size, dtype) in checkpoint.sizes().items():
        part, _, own = name.partition(".")
        if part == "optimizer" and size == (like := parameters[int(own.partition(".")[0])]).shape:
            targets[name] = torch.zeros_like(like)
        elif part != "model":
            targets[name] = torch.zeros(size, dtype=dtype)
    with torch.no_grad():
        checkpoint.fill(targets)
    moments, random = (
        {name.removeprefix(f"{part}."): one for name, one in targets.items() if name.startswith(f"{part}.")}
        for part in ("optimizer", "random")
    )
    return moments, random


def is_sharded(tensor: Tensor) -> bool:
    """Whether this is a DTensor, without the seconds that importing it takes."""
    return hasattr(tensor, "placements")


def collect_weights(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and buffers that are saved, each once: of two names of one tensor the first."""
    kept = model.state_dict(keep_vars=True)
    found: dict[int, str] = {}
    for name, tensor in kept.items():
        found.setdefault(id(tensor), name)
    return {name: kept[name].detach() for name in found.values()}
