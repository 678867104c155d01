"""Masks for batches of sequences of different lengths: which tokens are real."""

from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor

from regard.attention.masks.mask import BlockMap, Mask
from regard.attention.positions.positions import Places, block_edges
from regard.attention.scores.term import Shape
from regard.attention.value import show

Lengths = Tensor | tuple[int, ...]
R = TypeVar("R", bound="RealTokens")


class RealTokens(Mask):
    """What both padding masks share: lengths (B,), or a boolean map (B,S) with True = a real token.

    Lengths given as plain numbers are sizes, known to the planner; given as a tensor they are data, and are not read
    to choose an algorithm.
    """

    real: Lengths

    def __init__(self, real: Tensor | tuple[int, ...] | list[int]) -> None:
        if isinstance(real, Tensor) and (
            real.ndim > 2 or real.ndim == 0 or (real.ndim == 2) != (real.dtype == torch.bool)
        ):
            raise ValueError(
                f"{type(self).__name__} takes whole lengths (B,) or a boolean map (B, S), True = real: "
                f"got {real.dtype} of shape {tuple(real.shape)}; use .long() or .bool()"
            )
        if isinstance(real, Tensor) and real.is_floating_point():
            raise ValueError(f"lengths must be whole numbers: got {real.dtype}; use lengths.long()")
        if not isinstance(real, Tensor) and not all([type(length) is int for length in real]):
            raise ValueError(f"lengths must be whole numbers: got {list(real)}; use int, or a boolean tensor for a map")
        object.__setattr__(self, "real", tuple(real) if isinstance(real, list) else real)

    @classmethod
    def from_padding_mask(cls: type[R], pad: Tensor) -> R:
        """From the opposite convention, a boolean (B,S) map in which True marks a pad."""
        if pad.dtype != torch.bool or pad.ndim != 2:
            raise ValueError(
                f"a padding mask must be boolean of shape (B, S): got {pad.dtype} of shape {tuple(pad.shape)}; "
                "lengths go to the class itself"
            )
        return cls(~pad)

    def on(self: R, device: torch.device) -> R:
        if isinstance(self.real, Tensor):
            return self if self.real.device == device else type(self)(self.real.to(device))
        return type(self)(torch.tensor(self.real, device=device))

    @property
    def lengths(self) -> tuple[int, ...] | None:
        """The lengths when they are sizes; None when they are data."""
        return self.real if isinstance(self.real, tuple) else None

    @property
    def is_map(self) -> bool:
        return isinstance(self.real, Tensor) and self.real.ndim == 2

    def check(self, shape: Shape, places: Places) -> None:
        rows = len(self.real)
        if rows != shape.B or (isinstance(self.real, Tensor) and self.is_map and self.real.shape[1] != shape.S):
            wanted = f"(B, S) = ({shape.B}, {shape.S})" if self.is_map else f"(B,) = ({shape.B},)"
            got = tuple(self.real.shape) if isinstance(self.real, Tensor) else (rows,)
            raise ValueError(f"{type(self).__name__} must have shape {wanted}: got {got}; give one entry per row")
        if not self.is_map:
            _check_range(self.real, shape.S)

    def varies(self, places: Places) -> tuple[bool, bool]:
        return True, False

    def is_real(self, b: Any, j: Any) -> Any:
        real = self.real if isinstance(self.real, Tensor) else torch.tensor(self.real)
        return real[b, j] if real.ndim == 2 else j < real[b]

    def real_blocks(self, n: int, size: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """For each row and block of `size` tokens: is any token real, are all; both (B, n/size)."""
        real = (self.real if isinstance(self.real, Tensor) else torch.tensor(self.real)).to(device)
        if real.ndim == 1:
            first, last = block_edges(n, size, device)
            return first < real[:, None], last < real[:, None]
        pad = (0, -n % size)
        some = torch.nn.functional.pad(real, pad, value=False).unflatten(1, (-1, size)).any(2)
        every = torch.nn.functional.pad(real, pad, value=True).unflatten(1, (-1, size)).all(2)
        return some, every

    def __repr__(self) -> str:
        return f"{type(self).__name__}({show(self.real)})"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class KeyPadding(RealTokens):
    """Hides pad *keys*: every query, pads included, attends to the real keys of its row.

    >>> KeyPadding([2, 3])
    KeyPadding((2, 3))
    """

    real: Lengths

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return self.is_real(b, j)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        some, every = self.real_blocks(places.keys.count, size, device)
        return BlockMap(some[:, None, None, :], every[:, None, None, :])


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Padding(RealTokens):
    """Hides pad keys *and* pad queries of one sequence (T = S): a pad's output is zero."""

    real: Lengths

    def check(self, shape: Shape, places: Places) -> None:
        if shape.T != shape.S:
            raise ValueError(
                f"Padding hides queries and keys of one sequence, T = S: got T={shape.T}, S={shape.S}; use KeyPadding"
            )
        super().check(shape, places)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return self.is_real(b, i) & self.is_real(b, j)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        some, every = self.real_blocks(places.keys.count, size, device)
        return BlockMap(*(axis[:, None, :, None] & axis[:, None, None, :] for axis in (some, every)))


def _check_range(lengths: Lengths, most: int) -> None:
    """Lengths in 0…S. On a GPU the check is asynchronous, as for embedding indices: no host synchronisation."""
    if isinstance(lengths, Tensor):
        if torch.compiler.is_compiling() or lengths.is_meta:
            return
        if lengths.is_cuda:
            torch.ops.aten._assert_async.msg(
                ((lengths >= 0) & (lengths <= most)).all(), f"lengths must lie in 0…S={most}"
            )
            return
        lengths = tuple(lengths.tolist())
    for row, length in enumerate(lengths):
        if not 0 <= length <= most:
            raise ValueError(
                f"lengths must lie in 0…S={most}: got {length} in row {row}; count the real tokens of each row"
            )
