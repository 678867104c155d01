"""What a task is: a model, numbered examples, a loss, and numbers to judge a model by."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

    from regard.tasks.readers import Reader


class Share(NamedTuple):
    """The rows of a batch that one of several processes computes: the first, their number, and that of all rows."""

    first: int
    rows: int
    total: int


class Task(ABC):
    """What the loop needs; recipes and users write subclasses.

    All randomness must come from the generators, which the loop seeds by the seed and the number of the batch: that is
    what makes a resumed run the same run. What belongs to an example is drawn in `batch`: of several processes each
    computes some rows of the batch that one would, and in `loss` each draws for its own rows.
    """

    judged_by: str  # the number of `evaluate` that tells which model is best: the larger the better
    leaves_out: ClassVar[bool] = False  # whether some of its model's weights take no part in the loss
    goes_on: ClassVar[bool] = False  # a step whose loss or gradient is not finite has a zero gradient, and ends nothing

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

    def check_parts(self, batch: int, parts: int) -> None:
        """Refuse a number of processes that cannot share batches of so many examples.

        Parts of unequal size need a `weight`, and each a row or more.
        """
        if batch % parts:
            near = max(1, batch // parts) * parts
            raise ValueError(
                f"batch must be shared evenly by {parts} processes: got batch={batch}; use {near} or {near + parts}"
            )

    def num_rows(self, examples: Tensor) -> int:
        """The rows of the batch that is made of these examples."""
        return len(examples)

    def part(self, examples: Tensor, generator: torch.Generator, rows: slice) -> Any:
        """The rows of a batch that one of several processes computes, for tasks whose whole batches are dear."""
        return take_rows(self.batch(examples, generator), rows, self.num_rows(examples))

    @abstractmethod
    def loss(self, model: Any, batch: Any, generator: torch.Generator) -> Tensor:
        """The loss of a batch on the model's device, or means of several kinds, (kinds,), which add up to it.

        The generator is on the CPU.
        """

    def split_loss(
        self, model: Any, batch: Any, generator: torch.Generator, group: "ProcessGroup"
    ) -> tuple[Tensor, float]:
        """The loss of this process's tokens of a batch whose sequences a group of processes shares, and their number.

        See `regard.algorithms.Context` and the `context` that models take.
        """
        raise ValueError(
            f"context splits sequences: got {type(self).__name__}, which has no `split_loss`; use data or shard"
        )

    def weight(self, batch: Any) -> float | Tensor | None:
        """The number of terms, such as tokens that are no pads, whose mean `loss` is, or of each of its means; None: as
        many in every row.
        """
        return None

    def leave_out(self, model: Any) -> None:
        """Note that a step was left out, where the task `goes_on`."""
        raise NotImplementedError(f"{type(self).__name__} must define leave_out(model), for it goes on")

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


def take_rows(batch: Any, rows: slice, size: int) -> Any:
    """Some rows of all that a batch of `size` examples holds.

    >>> take_rows({"images": torch.arange(4), "lengths": (3, 1, 2, 2)}, slice(2, 4), 4)
    {'images': tensor([2, 3]), 'lengths': (2, 2)}
    """

    def take(part: Any) -> Any:
        if len(part) != size:
            raise ValueError(
                f"a batch must have a row for each of its {size} examples to be shared by processes: got {len(part)}; "
                "write the task's `part`"
            )
        return part[rows]

    return map_tensors(batch, lambda tensor: take(tensor) if tensor.ndim else tensor, take)


def map_tensors(
    content: Any, change: Callable[[Tensor], Any], change_numbers: Callable[[Any], Any] = lambda numbers: numbers
) -> Any:
    """The same tuples, lists, dicts and dataclasses with their tensors changed, and what lists numbers for each row."""
    if isinstance(content, Tensor):
        return change(content)
    if isinstance(content, Mapping):
        return {key: map_tensors(value, change, change_numbers) for key, value in content.items()}
    if isinstance(content, tuple | list):
        if content and all(isinstance(value, int | float | str) for value in content):
            return change_numbers(content)
        parts = [map_tensors(value, change, change_numbers) for value in content]
        return type(content)(*parts) if hasattr(content, "_fields") else type(content)(parts)
    if is_dataclass(content) and not isinstance(content, type):
        own = {field.name: getattr(content, field.name) for field in fields(content) if field.init}
        return replace(content, **{name: map_tensors(value, change, change_numbers) for name, value in own.items()})
    return content
