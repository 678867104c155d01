"""The settings of a training: its length, optimizer and schedule, and when it evaluates, saves and stops."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import nn

from regard.checks import check_sizes, check_whole, nearest

DIMENSIONS = ("data", "shard", "context")  # of a mesh


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The factor of the learning rate at each step: a linear warm-up, then constant, cosine to `floor`, or steps down.

        cosine: floor + (1 − floor)·½(1 + cos πt),   t from 0 at the end of the warm-up to 1 at the last step

    >>> schedule = Schedule(kind="cosine", warmup=10)
    >>> [round(schedule.factor(step, 110), 2) for step in (0, 9, 10, 60, 109)]
    [0.1, 1.0, 1.0, 0.5, 0.0]
    """

    kind: Literal["constant", "cosine", "step"] = "cosine"
    warmup: int = 0
    floor: float = 0.0  # of the cosine
    drop: float = 0.1  # the factor of each step down
    drops: tuple[float, ...] = (0.5, 0.75)  # when the steps down come, as shares of all steps

    def __post_init__(self) -> None:
        if self.kind not in ("constant", "cosine", "step"):
            raise ValueError(f'kind must be "constant", "cosine" or "step": got kind={self.kind!r}')
        check_whole("warmup", self.warmup, 0)
        for name, share in (("floor", self.floor), ("drop", self.drop), *(("drops", share) for share in self.drops)):
            if not 0 <= share <= 1:
                raise ValueError(f"{name} must be a share from 0 to 1: got {name}={share}")

    def factor(self, step: int, steps: int) -> float:
        """The factor at step `step`, counted from 0, of `steps`."""
        if step < self.warmup:
            return (step + 1) / self.warmup
        if self.kind == "constant":
            return 1.0
        if self.kind == "step":
            return self.drop ** sum(step >= share * steps for share in self.drops)
        share = (step - self.warmup) / max(1, steps - self.warmup)
        return self.floor + (1 - self.floor) * (1 + math.cos(math.pi * share)) / 2


@dataclass(frozen=True, kw_only=True)
class Descent:
    """AdamW, or SGD with momentum, with clipped gradients; matrices decay, and with `decay_all` biases and norms too.

    Parameters of positions are lengths in tokens, not weights: `position_rate` is their own learning rate, and they
    never decay.
    """

    kind: Literal["adamw", "sgd"] = field(default="adamw", metadata={"optional": True})
    rate: float = 1e-3
    position_rate: float | None = None  # None: as rate
    decay: float = 0.0
    decay_all: bool = field(default=False, metadata={"optional": True})
    betas: tuple[float, float] = (0.9, 0.999)  # of AdamW
    momentum: float = field(default=0.9, metadata={"optional": True})  # of SGD
    clip: float | None = 1.0

    def __post_init__(self) -> None:
        if self.kind not in ("adamw", "sgd"):
            raise ValueError(f'kind must be "adamw" or "sgd": got kind={self.kind!r}')
        for name, number in (("rate", self.rate), ("position_rate", self.position_rate), ("clip", self.clip)):
            if number is not None and not (math.isfinite(number) and number > 0):
                raise ValueError(f"{name} must be above 0: got {name}={number}")
        if not (math.isfinite(self.decay) and self.decay >= 0):
            raise ValueError(f"decay must be at least 0: got decay={self.decay}")
        if len(self.betas) != 2 or not all(0 <= beta < 1 for beta in self.betas):
            raise ValueError(f"betas must be two numbers from 0 to below 1: got betas={self.betas}")
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum must be from 0 to below 1: got momentum={self.momentum}")

    def optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        """An optimizer of a model's parameters, in groups that keep their rate at factor 1 as `base`."""
        matrices, others, positions = [], [], []
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                kind = positions if "position" in name.split(".")[:-1] else matrices if parameter.ndim >= 2 else others
                kind.append(parameter)
        own = self.rate if self.position_rate is None else self.position_rate
        groups = [
            {"params": matrices, "weight_decay": self.decay, "base": self.rate},
            {"params": others, "weight_decay": self.decay if self.decay_all else 0.0, "base": self.rate},
            {"params": positions, "weight_decay": 0.0, "base": own},
        ]
        groups = [group for group in groups if group["params"]]
        if self.kind == "sgd":
            return torch.optim.SGD(groups, self.rate, self.momentum, fused=True)
        return torch.optim.AdamW(groups, self.rate, self.betas, fused=True)


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How a training is computed; none of this changes its result, but for rounding."""

    precision: Literal["float32", "bfloat16"] = "float32"  # of the products; weights stay float32
    compiled: bool = False  # whether torch.compile compiles the model
    workers: int = 0  # processes that make batches ahead of time
    threads: int | None = None  # of the CPU; None: as torch chose; small models are as fast on one
    recompute: bool = field(default=False, metadata={"optional": True})  # blocks on the way back; saves their memory

    def __post_init__(self) -> None:
        if self.precision not in ("float32", "bfloat16"):
            raise ValueError(f'precision must be "float32" or "bfloat16": got precision={self.precision!r}')
        check_whole("workers", self.workers, 0)
        check_sizes(self, "threads", optional=True)
        if self.recompute and self.compiled:
            raise ValueError("a compiler itself chooses what to compute again: got recompute and compiled; use one")


@contextmanager
def limit_threads(count: int | None) -> Iterator[None]:
    """Compute on so many threads of the CPU; None leaves them as they are."""
    before = torch.get_num_threads()
    torch.set_num_threads(before if count is None else count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True, kw_only=True)
class Mesh:
    """How many processes there are along each dimension.

    >>> mesh = Mesh.read("data:2,shard:4")
    >>> mesh.count, str(mesh)
    (8, 'data:2,shard:4')
    """

    data: int = 1
    shard: int = 1
    context: int = 1
    named: tuple[str, ...] = ("data",)  # `shard:1` is one part, and still FSDP2's

    @staticmethod
    def read(text: str) -> "Mesh":
        """The mesh of `data:2,shard:4`; what is not named has one process."""
        sizes: dict[str, int] = {}
        for part in text.split(","):
            name, colon, size = (word.strip() for word in part.partition(":"))
            if not (colon and size.isdecimal() and int(size) >= 1):
                raise ValueError(
                    f"mesh must be names with numbers: got {part.strip()!r} in {text!r}; use data:2,shard:2"
                )
            if name not in DIMENSIONS:
                raise ValueError(f"mesh has no {name!r}: {nearest(name, DIMENSIONS)}")
            if name in sizes:
                raise ValueError(f"mesh must name a dimension once: got {name} twice in {text!r}")
            sizes[name] = int(size)
        return Mesh(**sizes, named=tuple(sizes))

    def __str__(self) -> str:
        return ",".join(f"{name}:{getattr(self, name)}" for name in self.named)

    @property
    def count(self) -> int:
        return self.data * self.shard * self.context


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of a training.

    >>> Settings(steps=100, batch=32).descent.rate
    0.001
    """

    steps: int
    batch: int  # examples, of all processes together
    descent: Descent = field(default_factory=Descent)
    schedule: Schedule = field(default_factory=Schedule)
    accumulate: int = 1  # batches whose gradients make up one step
    evaluate_every: int | None = None  # steps; None: once per epoch
    save_every: int = field(default=1, metadata={"optional": True})  # evaluations from one checkpoint to the next
    patience: int | None = None  # evaluations without improvement after which it stops and takes the best model
    seed: int = 0
    execution: Execution = field(default_factory=Execution)
    # The processes of torchrun by dimensions: data:2,shard:4; None: all along data. Runs of older versions have none.
    mesh: str | None = field(default=None, metadata={"optional": True})

    def __post_init__(self) -> None:
        if self.mesh is not None:
            Mesh.read(self.mesh)
        check_sizes(self, "steps", "batch", "accumulate", "save_every")
        check_sizes(self, "evaluate_every", "patience", optional=True)
        check_whole("seed", self.seed, 0)

    def seeds(self, count: int) -> range:
        """The seeds of so many trainings that differ in nothing else."""
        return range(self.seed, self.seed + count)

    def evaluation(self, batches_per_epoch: int) -> int:
        """Steps from one evaluation to the next."""
        return self.evaluate_every or max(1, batches_per_epoch // self.accumulate)
