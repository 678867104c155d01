"""The problems on a grid: a kind of position, sizes, fresh tensors, and the definition in float64."""

import copy
import functools
import math
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from benchmarks.contest import COLD
from regard.algorithms.planning.problem import without_content
from regard.attention import Attention, Content, Grid, Sum
from regard.attention.reference import reference
from regard.layers.multihead import merge_heads
from regard.layers.position_heads import PositionHeads
from regard.layers.relative_positions import Gaussian, Tables

ISOTROPIC, TABLE, NONE = "isotropic", "full table", "no position"
BOUND = 8.0  # of the entries of full tables


@dataclass(frozen=True, kw_only=True)
class Case:
    """One problem on h × w pixels, seen from each of them."""

    kind: str
    B: int
    H: int
    h: int
    w: int
    E: int
    dtype: torch.dtype
    device: torch.device
    content: bool = False  # queries and keys too, as wide as the values
    shared: bool = False  # one value for all heads
    projections: int = 0  # 1: a layer, whose heads are projected together; 2: and projected once more
    learned_precision: bool = True

    def small(self) -> "Case":
        """The same kind of problem where the definition in float64 is cheap; rows and columns cannot be mistaken."""
        return replace(self, B=3, h=10, w=12)

    @property
    def N(self) -> int:  # noqa: N802 - the number of tokens
        return self.h * self.w

    @property
    def grid(self) -> Grid:
        return Grid(self.h, self.w)

    @property
    def label(self) -> str:
        values = "shared" if self.shared else "per-head"
        type_name = str(self.dtype).removeprefix("torch.")
        kind = f"content + {self.kind}" if self.content else self.kind
        fixed = "" if self.learned_precision else ", precision fixed"
        return f"{kind} {self.h}×{self.w} B{self.B} H{self.H} {values} E{self.E} {type_name}{fixed}"

    @property
    def sort(self) -> tuple[Any, ...]:
        """What remains when the sizes of grid and batch are left out."""
        options = (self.content, self.shared, self.projections, self.learned_precision)
        return self.kind, self.H, self.E, str(self.dtype), self.device.type, *options

    def attention(self, module: Any) -> Attention:
        """The value, made afresh of the module's parameters, as a layer does in each pass."""
        if self.kind == NONE:
            return Attention()
        term = position_of(module).term()
        return Attention(Sum((Content(), *term.terms)) if self.content else term, keys=self.grid)

    def define(self, q: Tensor | None, k: Tensor | None, v: Tensor, attention: Attention) -> Tensor:
        """The heads' outputs by the definition."""
        return reference(*without_content(q, k, v, attention), v, attention)[0]

    def project(self, module: Any, o: Tensor) -> Tensor:
        """What follows the mixing of the heads (B, H, N, E), in a layer."""
        return module.out(linear(merge_heads(o), module.value.weight, module.value.bias)) if self.projections else o


@dataclass(frozen=True)
class Inputs:
    """Tensors, the module that owns the parameters, and the gradient that arrives at the output."""

    q: Tensor | None
    k: Tensor | None
    v: Tensor  # (B, H or 1, N, E); for a layer its input (B, N, C)
    grad: Tensor
    module: Any

    @property
    def values(self) -> Tensor:
        return self.v[:, None] if self.v.ndim == 3 else self.v

    def leaves(self, case: Case) -> dict[str, Tensor]:
        """All that gets a gradient."""
        tensors = {name: x for name, x in (("v", self.v), ("q", self.q), ("k", self.k)) if x is not None}
        if case.kind == NONE:
            return tensors
        return tensors | {name: x for name, x in self.module.named_parameters() if x.requires_grad}


def position_of(module: Any) -> Any:
    return module.position if isinstance(module, PositionHeads) else module


@functools.lru_cache(maxsize=8)
def module_of(case: Case) -> nn.Module:
    """The parameters: centres from N(0, 2²) and precision 1/2, or tables from N(0, 2²), in float32."""
    generator = torch.Generator().manual_seed(case.h)
    position = _position(case)
    with torch.no_grad():
        for name, x in position.named_parameters():
            if "precision" not in name:
                x.copy_(2 * torch.randn(x.shape, generator=generator))
    if not case.learned_precision:
        for name, x in position.named_parameters():
            x.requires_grad_("precision" not in name)
    if not case.projections:
        return position.to(case.device)
    layer = PositionHeads(case.E, position, project=case.projections == 2)
    layer.value.to(case.dtype)
    layer.out.to(case.dtype)
    return layer.to(case.device)


def _position(case: Case) -> Any:
    reach = (case.h - 1, case.w - 1)
    if case.kind == NONE:
        return nn.Identity()
    if case.kind == TABLE:
        return Tables(case.H, reach, bound=BOUND)
    return Gaussian(case.H)


def draw(case: Case, seed: int) -> Inputs:
    """Fresh normal tensors; the parameters of a case are always the same."""
    generator = torch.Generator(case.device).manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, device=case.device).to(case.dtype)

    heads = 1 if case.shared else case.H
    v = normal(case.B, case.N, case.E) if case.projections else normal(case.B, heads, case.N, case.E)
    grad = normal(*v.shape) if case.projections else normal(case.B, case.H, case.N, case.E)
    q, k = (normal(case.B, case.H, case.N, case.E).requires_grad_() if case.content else None for _ in range(2))
    return Inputs(q, k, v.requires_grad_(), grad, module_of(case))


def num_sets(case: Case) -> int:
    """Input sets to rotate among, so that a small problem does not find its inputs in the GPU's cache."""
    if case.device.type != "cuda":
        return 1
    tensors = draw_sizes(case)
    return max(1, min(6, math.ceil(COLD / (case.dtype.itemsize * sum(tensors)))))


def draw_sizes(case: Case) -> list[int]:
    """Numbers in v, the gradient of the output, q and k."""
    one = case.B * case.N * case.E
    if case.projections:
        return [one, one]
    return [one if case.shared else case.H * one, *[case.H * one] * (3 if case.content else 1)]


def expected(case: Case, x: Inputs) -> dict[str, Tensor]:
    """Output and gradients by the definition in float64."""
    module = copy.deepcopy(x.module).double()
    q, k, v = (None if y is None else y.detach().double().requires_grad_() for y in (x.q, x.k, x.v))
    assert v is not None
    wide = Inputs(q, k, v, x.grad.double(), module)
    out = case.project(module, case.define(q, k, wide.values, case.attention(module)))
    leaves = wide.leaves(case)
    gradients = torch.autograd.grad(out, tuple(leaves.values()), wide.grad)
    return {"output": out.detach()} | {f"d {name}": y for name, y in zip(leaves, gradients, strict=True)}
