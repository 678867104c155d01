"""What generation asks of a model, and what it gives."""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor

Reason = Literal["end", "stop", "length"]


@runtime_checkable
class Reader(Protocol):
    """Rows of tokens that a model has read so far; to read more of them gives the scores of what comes next."""

    def read(self, tokens: Int[Tensor, "B T"], lengths: tuple[int, ...] | None = None) -> Float[Tensor, "B V"]:
        """Read on, in each row `lengths` of these tokens or all; the scores of what follows the last of each row."""
        ...

    def reorder(self, index: Int[Tensor, " n"]) -> None:
        """Let row i be what row `index[i]` was; there may be more rows than before, or fewer."""
        ...


@dataclass(frozen=True, kw_only=True)
class Written:
    """What was written in one row, and why it ends: with a token that ends texts, at a string to stop at, or in length.

    `tokens` are the new ones, with the one that ends the text. `score` is the log-probability over length^penalty that
    beams go by.
    """

    tokens: tuple[int, ...]
    reason: Reason
    text: str | None = None
    score: float | None = None
