"""Padded batches without their pads: what acts on single tokens need not act on pads."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import Documents
from regard.checks import check_whole

Lengths = Tensor | tuple[int, ...] | list[int] | Documents | None
WORTH = 0.9  # share of real tokens up to which packing pays; above it the copies cost more than the pads


class Packing:
    """The real tokens of a batch of B rows of T tokens: all of them one after the other, and back.

    >>> packing = Packing((3, 1), 3)
    >>> packing.pack(torch.arange(6.0).view(2, 3, 1)).flatten()
    tensor([0., 1., 2., 3.])
    >>> packing.unpack(torch.ones(1, 4, 1))[1].flatten()
    tensor([1., 0., 0.])
    """

    def __init__(self, lengths: tuple[int, ...], tokens: int, device: torch.device | str | None = None) -> None:
        check_whole("tokens", tokens, 1)
        rows = tuple(lengths) if isinstance(lengths, list | tuple) else ()
        if not rows or not all([type(length) is int and 0 <= length <= tokens for length in rows]):
            raise ValueError(
                f"a packing takes how many of the {tokens} tokens of each row are real: got {lengths!r}; use a tuple "
                "of whole numbers, as (3, 1)"
            )
        self.batch, self.tokens = len(rows), tokens
        real = [torch.arange(row * tokens, row * tokens + length) for row, length in enumerate(rows)]
        self.real = torch.cat(real).to(device)

    @classmethod
    def of(cls, lengths: Lengths, like: Tensor, fewest: int = 1) -> "Packing | None":
        """The packing of a padded or packed batch like (B, T, …), where it is worth the copies.

        None with fewer pads than `fewest`; where only a device knows the lengths, since nobody should wait for it; and
        in a compiled graph, which should not be compiled again for each batch.
        """
        if lengths is None or torch.compiler.is_compiling():
            return None
        if isinstance(lengths, Documents):
            rows = lengths.rows
            if rows is None:
                return None
            totals = [sum(row) for row in rows]
            lengths = totals if lengths.batch is not None else totals * like.shape[0]
        if isinstance(lengths, Tensor):
            if lengths.device.type != "cpu" or lengths.ndim != 1:
                return None
            lengths = lengths.tolist()
        if any([type(length) is not int or not 0 <= length <= like.shape[1] for length in lengths]):
            return None  # whoever takes them says what is wrong
        whole, real = like.shape[0] * like.shape[1], sum(lengths)
        if not 0 < real <= min(WORTH * whole, whole - fewest):
            return None
        return cls(tuple(lengths), like.shape[1], like.device)

    def pack(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "1 N C"]:
        """The N real tokens."""
        return x.flatten(0, 1)[self.real][None]

    def unpack(self, x: Float[Tensor, "1 N C"]) -> Float[Tensor, "B T C"]:
        """The rows again, with zeros at pads."""
        flat = x.new_zeros(self.batch * self.tokens, x.shape[2])
        return flat.index_copy(0, self.real, x[0]).unflatten(0, (self.batch, self.tokens))


def apply_to_real(function: Callable[[Tensor], Tensor], x: Tensor, lengths: Lengths) -> Tensor:
    """A function of single tokens, at the real ones alone where packing them is worth the copies."""
    packing = Packing.of(lengths, x)
    return function(x) if packing is None else packing.unpack(function(packing.pack(x)))
