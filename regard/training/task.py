"""What is learnt: a model, numbered examples, a loss, and numbers to judge by."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from regard.tasks.readers import Reader


class Task(ABC):
    """What the loop asks for; a recipe or a user writes one.

    Whatever is drawn at random comes from the generators, which the loop sets by the seed and the number of the batch:
    that is what makes a resumed run the same run.
    """

    judged_by: str  # the name of the number of `evaluate` that tells which model is best: the larger the better

    @property
    @abstractmethod
    def count(self) -> int:
        """Of the examples to learn from."""

    @abstractmethod
    def build(self) -> nn.Module:
        """A new model; its weights are drawn from torch's own random numbers, which are seeded."""

    def batch(self, examples: Tensor, generator: torch.Generator) -> Any:
        """The examples of these numbers, in the main memory; made in another process where there are workers.

        Tensors, or tuples, lists, dicts and dataclasses of them, which the loop brings to the model's device.
        """
        return examples

    @abstractmethod
    def loss(self, model: Any, batch: Any, generator: torch.Generator) -> Tensor:
        """Of a batch, which lies where the model does; the generator is of the CPU."""

    @abstractmethod
    def evaluate(self, model: Any) -> Mapping[str, float]:
        """Numbers to judge by, of a model in `eval` mode, without gradients."""

    def fingerprint(self) -> str:
        """Another for other data; a run that goes on with other data than it began with is refused."""
        return ""

    def record(self, model: Any) -> Mapping[str, Tensor]:
        """What to keep at every evaluation so that it can be played back: see `Recording`."""
        return {}

    def reader(self, model: Any) -> "Reader | None":
        """What shows the maps of a trained model, of an input that somebody chooses; None where it has none."""
        return None


def device_of(model: nn.Module) -> torch.device:
    """Where a model's first parameter lies."""
    return next(model.parameters()).device
