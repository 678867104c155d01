"""How a model learns: the loop, the order of the data, and what is kept so that a run can always go on."""

from regard.training.batches import Order, Position
from regard.training.checkpoints import Checkpoint, Checkpoints, Damaged, restore, snapshot
from regard.training.distribution import Lost, Processes, join_processes
from regard.training.loop import Diverged, OutOfMemory, Progress, Trained, load_trained, train
from regard.training.records import Metrics, Recording, compact, expand
from regard.training.settings import Descent, Execution, Mesh, Schedule, Settings, limit_threads
from regard.training.task import Task, device_of

__all__ = [
    "Checkpoint",
    "Checkpoints",
    "Damaged",
    "Descent",
    "Diverged",
    "Execution",
    "Lost",
    "Mesh",
    "Metrics",
    "Order",
    "OutOfMemory",
    "Position",
    "Processes",
    "Progress",
    "Recording",
    "Schedule",
    "Settings",
    "Task",
    "Trained",
    "compact",
    "device_of",
    "expand",
    "join_processes",
    "limit_threads",
    "load_trained",
    "restore",
    "snapshot",
    "train",
]
