"""The sparse and the linear problems: a mask and the same in plain lines of torch, sizes, the definition in float64."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from benchmarks import grid_cases
from benchmarks.setting import Setting
from regard.attention import (
    Attention,
    Axial,
    Blocks,
    Causal,
    Content,
    Dilated,
    Elu,
    Everything,
    GlobalTokens,
    Grid,
    Kernel,
    Mask,
    Places,
    Prefix,
    SameRow,
    Strided,
    Tiles,
    Window,
)
from regard.attention.reference import reference

AFFORDABLE = 2**32  # pairs of all heads that a GPU computes in float64 within a second
SMALL = (1, 333)  # tokens of the check on the CPU: more than two blocks, and a rest


@dataclass(frozen=True, eq=False)
class Pattern:
    """A mask, and `sees(i, j, w)`: the same in lines that its peers' users would write; `w` is the grid's width.

    >>> CAUSAL_WINDOW.dense(1, 3, torch.device("cpu"))[2]
    tensor([True, True, True])
    """

    name: str
    mask: Mask
    sees: Callable[[Any, Any, int], Any]
    on_grid: bool = False
    small: tuple[int, int] = SMALL  # rows and columns at which it is checked on the CPU

    @functools.lru_cache(maxsize=2)  # noqa: B019 - patterns live as long as the run
    def dense(self, h: int, w: int, device: torch.device) -> Tensor:
        """The whole map, (N, N), True where a query sees a key."""
        tokens = torch.arange(h * w, device=device)
        return self.sees(tokens[:, None], tokens, w).expand(h * w, h * w).contiguous()


@dataclass(frozen=True, kw_only=True)
class Case(grid_cases.Case):
    """Attention by content under a pattern; tokens in a line are a grid of one row."""

    pattern: Pattern
    linear: bool = False  # by features, Kernel(Elu()), in place of a softmax
    kind: str = grid_cases.NONE
    content: bool = True

    def small(self) -> "Case":
        """Where the definition in float64 is cheap.

        That is the case itself on a GPU, where a kernel that is compiled for these sizes serves the check and the
        clock; of a huge one it is two heads.
        """
        if self.device.type == "cuda":
            return self if self.B * self.H * self.N**2 <= AFFORDABLE else replace(self, B=1, H=2)
        h, w = self.pattern.small
        return replace(self, B=2, H=2, h=min(h, self.h), w=min(w, self.w))

    def attention(self, module: Any) -> Attention:
        weighting = Kernel(Elu()) if self.linear else None
        keys = Grid(self.h, self.w) if self.pattern.on_grid else None
        return Attention(Content(), self.pattern.mask, weighting, keys=keys)

    def define(self, q: Tensor | None, k: Tensor | None, v: Tensor, attention: Attention) -> Tensor:
        """Head by head, each made again on the way back: the maps of all heads would not fit."""
        assert q is not None
        assert k is not None
        heads = [
            checkpoint(_defined, *(x[:, h : h + 1] for x in (q, k, v)), attention, use_reentrant=False)
            for h in range(self.H)
        ]
        return torch.cat([head for head in heads if isinstance(head, Tensor)], 1)

    @property
    def dense(self) -> Tensor:
        return self.pattern.dense(self.h, self.w, self.device)

    @property
    def label(self) -> str:
        kind = f"linear, {self.pattern.name}" if self.linear else self.pattern.name
        tokens = f"{self.h}×{self.w}" if self.pattern.on_grid else f"N{self.N}"
        return f"{kind} B{self.B} H{self.H} {tokens} d{self.E} {str(self.dtype).removeprefix('torch.')}"

    @property
    def sort(self) -> tuple[Any, ...]:
        return self.pattern.name, self.linear, self.H, self.E, str(self.dtype), self.device.type


def _defined(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> Tensor:
    return reference(q, k, v, attention)[0]


def _window(before: int, after: int) -> Callable[[Any, Any, int], Any]:
    return lambda i, j, w: (i - j <= before) & (j - i <= after)


@dataclass(frozen=True, eq=False)
class OwnDocuments(Mask):
    """Causal within documents of one length, as a user writes it: nothing is known of it."""

    length: int

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return (i // self.length == j // self.length) & (j <= i)


EVERYTHING = Pattern("everything", Everything(), lambda i, j, w: (i >= 0) & (j >= 0))
CAUSAL = Pattern("causal", Causal(), lambda i, j, w: j <= i)
CAUSAL_WINDOW = Pattern("causal window 128", Causal() & Window(127), _window(127, 0))
WINDOW = Pattern("window 64 + 64", Window(64, 64), _window(64, 64))
CAUSAL_WINDOW_256 = Pattern("causal window 256", Causal() & Window(255), _window(255, 0), small=(1, 700))
CAUSAL_WINDOW_1024 = Pattern("causal window 1024", Causal() & Window(1023), _window(1023, 0), small=(1, 1300))
GLOBAL = Pattern(
    "window 128 + 128 | global 16",
    Window(128, 128) | GlobalTokens(16),
    lambda i, j, w: ((i - j <= 128) & (j - i <= 128)) | (i < 16) | (j < 16),
)
SPARSE = Pattern(
    "causal & (window 128 | strided 128)",
    Causal() & (Window(127) | Strided(128)),
    lambda i, j, w: (j <= i) & ((i - j <= 127) | ((i - j) % 128 == 0)),
)
OWN = Pattern("own documents of 1000", OwnDocuments(1000), lambda i, j, w: (i // 1000 == j // 1000) & (j <= i))
PREFIX = Pattern("prefix 1024", Prefix(1024), lambda i, j, w: (j <= i) | (j < 1024), small=(1, 1300))
TILES = (
    Pattern(
        "tiles 8×8",
        Tiles(8, 8),
        lambda i, j, w: (i // w // 8 == j // w // 8) & (i % w // 8 == j % w // 8),
        on_grid=True,
        small=(18, 20),
    ),
    Pattern(
        "tiles 8×8 shifted by 4",
        Tiles(8, 8, 4, 4),
        lambda i, j, w: ((i // w + 4) // 8 == (j // w + 4) // 8) & ((i % w + 4) // 8 == (j % w + 4) // 8),
        on_grid=True,
        small=(18, 20),
    ),
)
AXES = (
    Pattern("same row", SameRow(), lambda i, j, w: i // w == j // w, on_grid=True, small=(18, 20)),
    Pattern("axial", Axial(), lambda i, j, w: (i // w == j // w) | (i % w == j % w), on_grid=True, small=(18, 20)),
)
SEVENS = Pattern(
    "tiles 7×7",
    Tiles(7, 7),
    lambda i, j, w: (i // w // 7 == j // w // 7) & (i % w // 7 == j % w // 7),
    on_grid=True,
    small=(18, 20),
)
LINES = (
    Pattern("blocks 256", Blocks(256), lambda i, j, w: i // 256 == j // 256, small=(1, 600)),
    Pattern("strided 64", Strided(64), lambda i, j, w: (i - j) % 64 == 0),
    Pattern(
        "causal & dilated 8, 128 keys",
        Causal() & Dilated(8, 127),
        lambda i, j, w: (j <= i) & (i - j <= 8 * 127) & ((i - j) % 8 == 0),
        small=(1, 1100),
    ),
)
PATTERNS = (EVERYTHING, CAUSAL, CAUSAL_WINDOW, WINDOW, CAUSAL_WINDOW_256, CAUSAL_WINDOW_1024, GLOBAL, SPARSE)
PATTERNS = (*PATTERNS, OWN, PREFIX, *TILES, SEVENS, *LINES, *AXES)


def line(setting: Setting, pattern: Pattern, N: int, B: int = 1, H: int | None = None, linear: bool = False) -> Case:
    """Tokens in a line, width 64: bfloat16 and 16 heads on the GPU, float32 and 8 on the CPU."""
    heads = (16 if setting.on_cuda else 8) if H is None else H
    return Case(pattern=pattern, B=B, H=heads, h=1, w=N, E=64, linear=linear, **_place(setting))


def cell_cases(setting: Setting) -> list[Case]:
    """What compiles for long stands behind, where a time limit cuts: first the two that are compared with flex."""
    H = 8 if setting.on_cuda else setting.pick(full=4, tiny=2)
    B = 8 if setting.on_cuda else 1
    side = 64 if setting.on_cuda else setting.pick(full=64, quick=32, tiny=16)
    N = 16384 if setting.on_cuda else setting.pick(full=4096, quick=2048, tiny=300)

    def grid(pattern: Pattern, side: int) -> Case:
        return Case(pattern=pattern, B=B, H=H, h=side, w=side, E=64, **_place(setting))

    tiles = [*(grid(pattern, side) for pattern in TILES), grid(SEVENS, side * 7 // 8)]
    lines = [line(setting, pattern, N, H=H) for pattern in (*LINES, GLOBAL, SPARSE)]
    return [*tiles, *lines, *(grid(pattern, side) for pattern in AXES)]


def _place(setting: Setting) -> dict[str, Any]:
    return {"dtype": setting.dtype, "device": setting.device}
