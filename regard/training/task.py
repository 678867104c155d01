"""What a task is: a model, numbered examples, a loss, and numbers to judge a model by."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from regard.tasks.readers import Reader


class Task(ABC):
    """What the loop needs; recipes and users write subclasses.

    All randomness must come from the generators, which the loop seeds by the seed and the number of the batch: that is
    what makes a resumed run the same run.
    """

    judged_by: str  # the number of `evaluate` that tells which model is best: the larger the better

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of examples to learn from."""

    @abstractmethod
    def build(self) -> nn.Module:
        """A new model, with weights from torch's global generator, which the loop seeds."""

    def batch(self, examples: Tensor, generator: torch.Generator) -> Any:
        """The examples of these numbers, on the CPU; worker processes make them where there are any.

        A batch is a tensor, or tuples, lists, dicts and dataclasses of tensors, which the loop moves to the device.
        """
        return examples

    @abstractmethod
    def loss(self, model: Any, batch: Any, generator: torch.Generator) -> Tensor:
        """The loss of a batch on the model's device; the generator is on the CPU."""

    @abstractmethod
    def evaluate(self, model: Any) -> Mapping[str, float]:
        """Numbers to judge a model by, which is in `eval` mode and without gradients."""

    def fingerprint(self) -> str:
        """A text that differs for other data; a run refuses to go on with other data than it began with."""
        return ""

    def record(self, model: Any) -> Mapping[str, Tensor]:
        """Tensors to keep at every evaluation so that the training can be played back: see `Recording`."""
        return {}

    def reader(self, model: Any) -> "Reader | None":
        """What shows the maps of a trained model, of an input that somebody chooses; None where it has none."""
        return None


def device_of(model: nn.Module) -> torch.device:
    """The device of a model's first parameter."""
    return next(model.parameters()).device
