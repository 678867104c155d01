"""The numbers of a run for TensorBoard, where it is installed: `tensorboard --logdir runs`."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regard.training.metrics import Metrics


class Board:
    """Event files beside the lines of JSON, which they repeat.

    They are written anew from the lines when a run goes on, so that nothing is told twice.
    """

    def __init__(self, folder: Path, metrics: Metrics) -> None:
        self.writer: Any = None
        if importlib.util.find_spec("tensorboard") is None:
            return
        from torch.utils.tensorboard import SummaryWriter

        for old in folder.glob("events.out.tfevents.*"):
            old.unlink()
        self.writer = SummaryWriter(str(folder))
        for line in metrics.read():
            self.write(line)

    def write(self, line: Mapping[str, float]) -> None:
        """Every number of a line of the metrics, at its step."""
        if self.writer is not None:
            for name, value in line.items():
                if name != "step":
                    self.writer.add_scalar(name, value, line["step"])

    def flush(self) -> None:
        if self.writer is not None:
            self.writer.flush()

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
