"""How a model learns: the loop, what is kept of a run so that nothing is lost, and in which order the data come."""

from regard.training.checkpoint import Checkpoint, Checkpoints, Damaged
from regard.training.loop import Diverged, Learnt, OutOfMemory, Progress, train, trained
from regard.training.metrics import Metrics
from regard.training.order import Order, Position
from regard.training.recording import Recording, compact, expanded
from regard.training.settings import Descent, Execution, Schedule, Settings, on_threads
from regard.training.state import restore, snapshot
from regard.training.task import Task, device_of

__all__ = [
    "Checkpoint",
    "Checkpoints",
    "Damaged",
    "Descent",
    "Diverged",
    "Execution",
    "Learnt",
    "Metrics",
    "Order",
    "OutOfMemory",
    "Position",
    "Progress",
    "Recording",
    "Schedule",
    "Settings",
    "Task",
    "compact",
    "device_of",
    "expanded",
    "on_threads",
    "restore",
    "snapshot",
    "train",
    "trained",
]
