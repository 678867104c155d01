"""How large a run is: where, which sizes, how much time for each section."""

import time
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import torch

from benchmarks.timing import Effort

Value = TypeVar("Value")

# Seconds after which a section of many cases takes no new one: a run is about 6 minutes on the GPU, 5 on the CPU.
LIMITS = {
    "cuda": {
        "dense": 110,
        "memory": 25,
        "grid position": 75,
        "grid table": 30,
        "grid content": 45,
        "sparse window": 80,
        "sparse lists": 40,
        "sparse linear": 40,
        "sparse decode": 30,
    },
    "cpu": {
        "memory": 45,
        "grid position": 30,
        "grid table": 30,
        "grid content": 30,
        "grid cpu": 60,
        "sparse window": 300,
        "sparse lists": 60,
        "sparse linear": 120,
        "sparse decode": 150,
    },
}
SHARE = {"full": 1.0, "quick": 0.5, "tiny": 0.3}


@dataclass(frozen=True)
class Setting:
    """The device, and the scale: `full`, `quick` (about a minute) or `tiny` (a smoke test)."""

    device: torch.device
    scale: str = "full"

    def pick(self, **by_scale: Value) -> Value:
        """The entry of this scale; a scale without one takes the next larger one's."""
        scales = ["tiny", "quick", "full"]
        for scale in scales[scales.index(self.scale) :]:
            if scale in by_scale:
                return by_scale[scale]
        raise ValueError(f"no entry for scale {self.scale!r}: got {', '.join(by_scale)}")

    @property
    def on_cuda(self) -> bool:
        return self.device.type == "cuda"

    @property
    def dtype(self) -> torch.dtype:
        """What is computed in, where a section does not say."""
        return torch.bfloat16 if self.on_cuda else torch.float32

    @property
    def effort(self) -> Effort:
        if self.on_cuda:
            return self.pick(
                full=Effort(seconds=1.0, rounds=(7, 30), slice=2e-3),
                quick=Effort(seconds=0.3, rounds=(3, 10), slice=1e-3),
            )
        return self.pick(
            full=Effort(seconds=12.0, rounds=(9, 40), slice=2e-2),
            quick=Effort(seconds=0.8, rounds=(3, 10), slice=5e-3),
            tiny=Effort(seconds=0.0, rounds=(2, 2), slice=0.0),
        )

    @property
    def glance(self) -> Effort:
        """Enough for what needs no third digit."""
        effort = self.effort
        return replace(effort, seconds=effort.seconds / 8, rounds=(min(3, effort.rounds[0]), effort.rounds[1]))

    def watch(self, section: str) -> "Watch":
        return Watch(LIMITS[self.device.type][section] * SHARE[self.scale])


class Watch:
    """Says when a section has had its time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.start = time.monotonic()

    def past(self, share: float = 1.0) -> bool:
        return time.monotonic() - self.start > share * self.seconds


def progress(*what: Any) -> None:
    """A line while it runs, flushed: a run that is cut off shows where."""
    print("…", *what, flush=True)
