"""Masks for batches of sequences of different lengths: which tokens are real."""

from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor

from regard.attention.eager import may_keep
from regard.attention.masks.facts import Facts, Index, Real
from regard.attention.masks.mask import Mask
from regard.attention.positions.positions import Cut, Places
from regard.attention.positions.reach import readable
from regard.attention.scores.term import Shape
from regard.attention.value import show
from regard.checks import check_tensor

Lengths = Tensor | tuple[int, ...]
R = TypeVar("R", bound="RealTokens")


class RealTokens(Mask):
    """What both padding masks share: lengths (B,), or a boolean map (B,S) with True = a real token.

    Lengths given as plain numbers are sizes, known to the planner; given as a tensor they are data, and are not read
    to choose an algorithm.
    """

    real: Lengths

    def __init__(self, real: Tensor | tuple[int, ...] | list[int]) -> None:
        if isinstance(real, Tensor):
            if real.ndim > 2 or real.ndim == 0 or (real.ndim == 2) != (real.dtype == torch.bool):
                raise ValueError(
                    f"{type(self).__name__} takes whole lengths (B,) or a boolean map (B, S), True = real: "
                    f"got {real.dtype} of shape {tuple(real.shape)}; use .long() or .bool()"
                )
            if real.dtype != torch.bool and not counts(real):
                raise ValueError(f"lengths must be whole numbers: got {real.dtype}; use lengths.long()")
        elif not isinstance(real, list | tuple):
            raise ValueError(
                f"{type(self).__name__} takes one length for each row: got {real!r}; use a list of numbers or a tensor"
            )
        elif not all([type(length) is int for length in real]):
            raise ValueError(f"lengths must be whole numbers: got {list(real)}; use int, or a boolean tensor for a map")
        object.__setattr__(self, "real", tuple(real) if isinstance(real, list) else real)

    @classmethod
    def from_padding_mask(cls: type[R], pad: Tensor) -> R:
        """From the opposite convention, a boolean (B,S) map in which True marks a pad."""
        check_tensor("a padding mask", pad, "a boolean tensor (B, S)")
        if pad.dtype != torch.bool or pad.ndim != 2:
            raise ValueError(
                f"a padding mask must be boolean of shape (B, S): got {pad.dtype} of shape {tuple(pad.shape)}; "
                "lengths go to the class itself"
            )
        return cls(~pad)

    def on(self: R, device: torch.device) -> R:
        if isinstance(self.real, Tensor):
            return self if self.real.device == device else type(self)(self.real.to(device))
        return type(self)(sent(self.real, device))

    @property
    def batch(self) -> int | None:
        return _count(self.real)

    def check(self, shape: Shape, places: Places) -> None:
        rows, is_map = _count(self.real), isinstance(self.real, Tensor) and self.real.ndim == 2
        if rows != shape.B or (isinstance(self.real, Tensor) and is_map and self.real.shape[1] != shape.S):
            wanted = f"(B, S) = ({shape.B}, {shape.S})" if is_map else f"(B,) = ({shape.B},)"
            got = tuple(self.real.shape) if isinstance(self.real, Tensor) else (rows,)
            raise ValueError(f"{type(self).__name__} must have shape {wanted}: got {got}; give one entry per row")
        if not is_map:
            _check_range(self.real, shape.S)

    def _lengths(self, device: torch.device) -> Tensor | None:
        if not isinstance(self.real, Tensor):
            return sent(self.real, device)
        return self.real.to(device) if self.real.ndim == 1 else None

    def is_real(self, b: Index, j: Index) -> Any:
        """Is token j of row b real?"""
        real = self.real if isinstance(self.real, Tensor) else torch.tensor(self.real, device=index_device(b, j))
        return real[b, j] if real.ndim == 2 else j < real[b]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({show(self.real)})"


def counts(x: Tensor) -> bool:
    """Whether these are whole numbers, which int64 can hold and compare."""
    return x.dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def _count(real: Lengths) -> int:
    """The rows; `len` of a tensor would fix a size that a compiler keeps open."""
    return real.shape[0] if isinstance(real, Tensor) else len(real)


def _piece(real: Lengths, tokens: range) -> Lengths:
    """What is real among a run of tokens, which count from 0 there."""
    if not isinstance(real, Tensor):
        return tuple([min(max(length - tokens.start, 0), len(tokens)) for length in real])
    return real[:, tokens.start : tokens.stop] if real.ndim == 2 else (real - tokens.start).clamp(0, len(tokens))


def sent(numbers: tuple[int, ...], device: torch.device) -> Tensor:
    """Numbers on a device; the host does not wait for a GPU to take them."""
    if device.type != "cuda" or torch.compiler.is_compiling():
        return torch.tensor(numbers, dtype=torch.int64, device=device)
    if not may_keep():  # a captured graph would read the host's memory again, whatever is there by then
        return torch.cat([torch.full((1,), number, dtype=torch.int64, device=device) for number in numbers])
    return torch.tensor(numbers, dtype=torch.int64, device="cpu", pin_memory=True).to(device, non_blocking=True)


def index_device(*indices: Index) -> torch.device:
    """Where the indices are; numbers are on the host."""
    tensors = [index for index in indices if isinstance(index, Tensor)]
    return tensors[0].device if tensors else torch.device("cpu")


def _pads(real: Lengths, queries: bool) -> Facts:
    is_map = isinstance(real, Tensor) and real.ndim == 2
    lengths = None if isinstance(real, Tensor) else real
    return Facts(heads=False, real=Real(queries=queries, prefix=not is_map, lengths=lengths))


@dataclass(frozen=True, eq=False, init=False, repr=False)
class KeyPadding(RealTokens):
    """Hides pad *keys*: every query, pads included, attends to the real keys of its row.

    >>> KeyPadding([2, 3])
    KeyPadding((2, 3))
    """

    real: Lengths

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return self.is_real(b, j)

    def facts(self, places: Places) -> Facts:
        return _pads(self.real, queries=False)

    def piece(self, cut: Cut) -> Mask:
        return KeyPadding(_piece(self.real, cut.keys))

    def num_real(self, device: torch.device) -> Tensor | None:
        return self._lengths(device)


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

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return self.is_real(b, i) & self.is_real(b, j)

    def facts(self, places: Places) -> Facts:
        return _pads(self.real, queries=True)

    def piece(self, cut: Cut) -> Mask:
        return Padding(_piece(self.real, cut.keys)) if cut.queries == cut.keys else super().piece(cut)

    def num_real(self, device: torch.device) -> Tensor | None:
        return self._lengths(device)


def _check_range(lengths: Lengths, most: int) -> None:
    """Lengths in 0…S. Those on a GPU are not looked at, which would mean to wait: longer ones count as S."""
    if isinstance(lengths, Tensor):
        if not readable(lengths):
            return
        lengths = tuple(lengths.tolist())
    for row, length in enumerate(lengths):
        if not 0 <= length <= most:
            raise ValueError(
                f"lengths must lie in 0…S={most}: got {length} in row {row}; count the real tokens of each row"
            )
