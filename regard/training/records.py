"""What a training writes beside its checkpoints: numbers as lines and for TensorBoard, and tensors to play back."""

import hashlib
import importlib.util
import json
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, UInt8
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from regard.tasks.files import remove_unfinished, sync, write_atomically

METRICS, RECORDING = "metrics.jsonl", "recording"
RECORDED = re.compile(r"step-(\d{9})\.safetensors")
CHECKSUM = "sha256"  # in the metadata of a recorded file


class Metrics:
    """A file of lines such as `{"step": 10, "loss": 0.5}`, which can be read while the run goes on.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     metrics = Metrics(Path(folder) / "metrics.jsonl")
    ...     for step in (1, 2, 3):
    ...         metrics.write(step=step, loss=1 / step)
    ...     metrics.rewind(2)
    ...     metrics.read()
    [{'step': 1, 'loss': 1.0}, {'step': 2, 'loss': 0.5}]
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, **numbers: Any) -> None:
        """Add a line, at once visible to readers."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(numbers) + "\n")

    def sync(self) -> None:
        """Wait until all lines would outlive a power cut."""
        sync(self.path)

    def read(self) -> list[dict[str, Any]]:
        """All lines up to the first that is damaged, with a warning; the last may have been cut off by a kill."""
        lines, damaged = self._parse()
        if damaged:
            warnings.warn(f"line {damaged} of {self.path} is damaged, and all behind it left out", stacklevel=2)
        return lines

    def rewind(self, step: int, logged: int | None = None) -> None:
        """Forget what came after a step, which is about to come again; a warning where the line of `logged` is missing.

        `logged` is the last step up to this one that has a line, by default the step itself.
        """
        lines, damaged = self._parse()
        kept = [line for line in lines if line["step"] <= step]
        last = kept[-1]["step"] if kept else 0
        if damaged:
            warnings.warn(f"line {damaged} of {self.path} is damaged, and all behind it left out", stacklevel=2)
        elif last < (logged := step if logged is None else logged):
            found = f"lines up to step {last}" if kept else "no line"
            lost = f"{self.path} must have lines up to step {logged}: got {found}; the rest is lost"
            warnings.warn(lost, stacklevel=2)
        with write_atomically(self.path) as file:
            file.write("".join(json.dumps(line) + "\n" for line in kept).encode())

    def _parse(self) -> tuple[list[dict[str, Any]], int | None]:
        """The lines, and the number of the first that is damaged."""
        if not self.path.is_file():
            return [], None
        text = self.path.read_text(encoding="utf-8", errors="replace")
        found = []
        for number, line in enumerate(text[: text.rfind("\n") + 1].splitlines(), 1):
            try:
                numbers = json.loads(line)
                if type(numbers["step"]) is not int:
                    raise TypeError
            except (ValueError, KeyError, TypeError, RecursionError):
                return found, number
            found.append(numbers)
        return found, None


class Recording:
    """Tensors of every evaluation, small enough to keep: a folder with a safetensors file for each recorded step.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     recording = Recording(Path(folder))
    ...     for step in (0, 45):
    ...         recording.write(step, {"heads.0.centre": torch.full((9, 2), float(step))})
    ...     recording.steps(), recording.read(45)["heads.0.centre"].shape
    ([0, 45], torch.Size([9, 2]))
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def steps(self) -> list[int]:
        if not self.folder.is_dir():
            return []
        return sorted(int(found[1]) for path in self.folder.iterdir() if (found := RECORDED.fullmatch(path.name)))

    def write(self, step: int, tensors: Mapping[str, Tensor]) -> None:
        """Keep these with their checksum; nothing is written where there are none."""
        if tensors:
            kept = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
            with write_atomically(self.path(step)) as file:
                file.write(save(kept, {CHECKSUM: _checksum(kept)}))

    def read(self, step: int) -> dict[str, Tensor]:
        if step not in self.steps():
            raise ValueError(f"step must be one that was recorded: got {step}, not among {self.steps()}")
        path = self.path(step)
        try:
            with safe_open(path, "pt") as file:
                checksum = (file.metadata() or {}).get(CHECKSUM)
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
        except (SafetensorError, OSError) as error:
            raise ValueError(f"{path} must be a recording as it was written: got {error}") from error
        if checksum not in (None, _checksum(tensors)):
            raise ValueError(f"{path} must be a recording as it was written: got another checksum")
        return tensors

    def rewind(self, step: int) -> None:
        """Forget what came after a step, which is about to come again; put aside what is damaged, with a warning."""
        for recorded in self.steps():
            path = self.path(recorded)
            if recorded > step:
                path.unlink()
                continue
            try:
                self.read(recorded)
            except ValueError as error:
                aside = path.with_suffix(".damaged")
                path.replace(aside)
                warnings.warn(f"{error}; it is left out, and kept as {aside.name}", stacklevel=2)
        remove_unfinished(self.folder)

    def path(self, step: int) -> Path:
        return self.folder / f"step-{step:09d}.safetensors"


class Records:
    """All that a training writes beside its checkpoints: lines of numbers, tensors, and TensorBoard's event files.

    These repeat the metrics, where TensorBoard is installed: `tensorboard --logdir runs`. They are written anew from
    the metrics when a run goes on, so that no number is there twice.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.metrics, self.recording = folder, Metrics(folder / METRICS), Recording(folder / RECORDING)
        self.board: Any = None
        self.logged = 0  # the last step that has a line

    def begin(self, step: int, logged: int, every: int) -> None:
        """Forget what came after a step, up to which `logged` is the last with a line.

        A warning where the run had come beyond its first checkpoint, after `every` steps, and begins anew.
        """
        if not step and any(line["step"] > every for line in self.metrics.read()):
            place = self.folder / "checkpoints"
            warnings.warn(f"all checkpoints are missing from {place}: training begins anew", stacklevel=2)
        self.metrics.rewind(step, logged)
        self.logged = logged
        self.recording.rewind(step)
        if importlib.util.find_spec("tensorboard") is not None:
            from torch.utils.tensorboard import SummaryWriter

            for old in self.folder.glob("events.out.tfevents.*"):
                old.unlink()
            self.board = SummaryWriter(str(self.folder))
            for line in self.metrics.read():
                self.show(**line)

    def write(self, step: int, numbers: Mapping[str, float], *, sync: bool) -> None:
        """Add a line, and with `sync` wait until it would outlive a power cut."""
        self.metrics.write(step=step, **numbers)
        self.logged = step
        self.show(step, **numbers)
        if sync:
            self.metrics.sync()
            if self.board is not None:
                self.board.flush()

    def show(self, step: int, **numbers: float) -> None:
        """Add a line to TensorBoard's, where it is installed."""
        if self.board is not None:
            for name, value in numbers.items():
                self.board.add_scalar(name, value, step)

    def close(self) -> None:
        if self.board is not None:
            self.board.close()


def _checksum(tensors: dict[str, Tensor]) -> str:
    return hashlib.sha256(save(tensors)).hexdigest()


def compact(weights: Float[Tensor, "..."]) -> UInt8[Tensor, "..."]:
    """Weights from 0 to 1 as bytes of their roots: small ones, of which a map has most, keep their order.

        u = round(255 √w),   w ≈ (u/255)²,   off by at most √w/255 + 1/255²/4

    >>> compact(torch.tensor([0.0, 0.001, 0.25, 1.0])).tolist()
    [0, 8, 128, 255]
    """
    return (255 * weights.float().clamp(0, 1).sqrt()).round().to(torch.uint8)


def expand(kept: UInt8[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The weights that `compact` was given, but for the rounding."""
    return (kept.float() / 255).square()
