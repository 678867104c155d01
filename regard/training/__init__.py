"""How a model learns: the loop, what is kept of a run so that nothing is lost, and in which order the data come."""

from regard.training.checkpoint import Checkpoint, Checkpoints, Damaged
from regard.training.loop import Diverged, Progress, Task, train
from regard.training.metrics import Metrics
from regard.training.order import Order, Position
from regard.training.settings import Descent, Schedule, Settings
from regard.training.state import restore, snapshot

__all__ = [
    "Checkpoint",
    "Checkpoints",
    "Damaged",
    "Descent",
    "Diverged",
    "Metrics",
    "Order",
    "Position",
    "Progress",
    "Schedule",
    "Settings",
    "Task",
    "restore",
    "snapshot",
    "train",
]
