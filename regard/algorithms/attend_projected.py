"""Heads that mix the same values by position and are then projected and added up: one sum, taken in the cheapest order.

    y = Σ_h (Aʸ_h ⊗ Aˣ_h) x W_h + b

Where a head's map is a product, its column map is applied first, then W_h, and the row maps last, as one matrix product
that adds up the heads too: the mixed values of all heads, H times as large as x, are written twice and not four times.
"""

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import linear

from regard.algorithms.attend import attend
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.kernels.position.mixing import rounded, times
from regard.algorithms.planning.algorithm import refusal
from regard.algorithms.planning.kept import recall
from regard.algorithms.planning.problem import (
    Outline,
    Problem,
    bind,
    check_options,
    check_tensors,
    pose,
    traits,
    without_content,
)
from regard.algorithms.planning.recording import machine_for, part
from regard.algorithms.position import separable
from regard.attention import Attention
from regard.attention.eager import given, is_eager, once
from regard.attention.torch_private import without_modes
from regard.checks import check_tensor


def attend_projected(
    x: Float[Tensor, "B S C"],
    attention: Attention,
    weight: Float[Tensor, "Co HC"],
    bias: Float[Tensor, " Co"] | None = None,
) -> Float[Tensor, "B T Co"]:
    """`linear(o, weight, bias)` of the heads o = attend(None, None, x, attention), side by side.

    >>> from regard.attention import Grid, Quadratic
    >>> gaussians = Attention(Quadratic(torch.zeros(2, 2), torch.ones(2)), keys=Grid(3, 3))
    >>> attend_projected(torch.randn(1, 9, 4), gaussians, torch.randn(5, 8)).shape
    torch.Size([1, 9, 5])
    """
    check_options(attention, 0.0, return_lse=False)
    for name, got, sizes in (("x", x, 3), ("weight", weight, 2), ("bias", bias, 1)):
        if got is None and name == "bias":
            continue
        check_tensor(name, got)
        assert got is not None
        if got.ndim != sizes:
            wanted = {"x": "(B, S, C)", "weight": "(Co, H·C)", "bias": "(Co,)"}[name]
            raise ValueError(f"{name} must be {wanted}: got shape {tuple(got.shape)}; a single sequence is x[None]")
    if not x.is_meta and torch.is_autocast_enabled(x.device.type):
        narrow = torch.get_autocast_dtype(x.device.type)  # what `linear` would do; the maps stay wide
        x, weight = (y if y.dtype == torch.float64 else y.to(narrow) for y in (x, weight))
        with torch.autocast(x.device.type, enabled=False):
            return attend_projected(x, attention, weight, bias if bias is None else bias.to(weight.dtype))
    v = x[:, None]
    q, k = without_content(None, None, v, attention)
    if weight.shape[1] != q.shape[1] * x.shape[2] or (bias is not None and bias.shape[0] != weight.shape[0]):
        got = f"{tuple(weight.shape)} and {None if bias is None else tuple(bias.shape)}"
        raise ValueError(
            f"weight must be (Co, H·C) with H={q.shape[1]}, C={x.shape[2]}, and bias (Co,): got {got}; give each "
            "number of each head a column"
        )
    outline = _by_axes_is_cheaper(q, k, v, attention, weight.shape[0])
    if outline is not None:
        return _by_axes(bind(outline, attention.on(x.device), 0.0), x, weight, bias)
    heads = attend(None, None, v, attention)  # (B, H, T, C)
    return linear(heads.transpose(1, 2).flatten(2), weight, bias)


def _by_axes_is_cheaper(q: Tensor, k: Tensor, v: Tensor, attention: Attention, out_width: int) -> Outline | None:
    """The outline of the problem where that is so, and None where it is not."""

    def decide() -> tuple[Outline | None]:
        with nullcontext() if torch.compiler.is_compiling() else without_modes():
            problem, machine = pose(q, k, v, attention), machine_for(v.device)
            if machine is not None:
                problem = problem.on_machine(machine)
            return (problem.outline if _is_cheaper(problem, out_width) else None,)

    if torch.compiler.is_compiling():
        return decide()[0]
    structure, tensors = attention.flatten()
    (outline,) = recall(("projected", out_width, structure, *traits(q, k, v, tensors)), decide)
    if outline is not None and outline.holds_tensors:
        attention.check(check_tensors(q, k, v))
    return outline


def _is_cheaper(problem: Problem, out_width: int) -> bool:
    """Compare with the planner's choice: products and traffic, of the projection too."""
    if problem.sink is not None or refusal(separable.Separable(), problem) is not None:
        return False
    if separable.plans_kernel(problem):
        return False  # one kernel mixes along both axes, and the projection is one product
    shape = problem.shape
    queries, keys = separable.grids(problem.places)
    passes = 3 if problem.backward else 1
    machine = problem.machine
    rate = machine.rate(problem.dtype)
    between = keys.h * queries.w  # tokens after the columns are mixed
    mixing = shape.B * shape.H * between * (keys.w * shape.E + queries.h * out_width)
    projecting = shape.B * shape.H * between * shape.E * out_width
    crossing = problem.item * shape.B * shape.H * between * 2 * (shape.E + out_width)
    ours = passes * (
        2 * mixing / (rate * machine.share("separable"))
        + 2 * projecting / (rate * 0.8)
        + crossing / machine.bandwidth
        + 20 * machine.launch
    )
    # Neither asks more of the host: it is left out of both.
    others = PLANNER.seconds(problem.on_machine(replace(machine, host={})))
    others += passes * 2 * shape.B * shape.H * shape.T * shape.E * out_width / (rate * 0.8)
    others += passes * problem.item * shape.B * shape.H * shape.T * shape.E / machine.bandwidth
    return ours < others


def _by_axes(problem: Problem, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    (B, _, C), Co, H, T = x.shape, weight.shape[0], problem.shape.H, problem.shape.T
    queries, keys = separable.grids(problem.places)
    row_map, column_map = separable.axis_maps(problem, x)
    values = separable.blanked(x[:, None], problem)[:, 0]
    if not is_eager(x):
        columns, rows = rounded(column_map, x), rounded(row_map, x)
        mixed = torch.einsum("huw,bjwc->bjuhc", columns, values.view(B, keys.h, keys.w, C))
        projected = torch.einsum("bjuhc,ohc->hjbuo", mixed, weight.view(Co, H, C))
        y = torch.einsum("hij,hjbuo->biuo", rows, projected).reshape(B, T, Co)
        return y if bias is None else y + bias
    x_jBwC = values.view(B, keys.h, keys.w, C).transpose(0, 1).reshape(keys.h * B, keys.w, C)
    columns = column_map.transpose(0, 1).reshape(queries.w * H, keys.w)  # the rows of all heads, head by head
    with part("mixing"):
        mixed = _Times.apply(columns, x_jBwC)
    assert isinstance(mixed, Tensor)
    with part("projection"):
        projected = _ByHead.apply(mixed.view(-1, H, C), weight.view(Co, H, C))  # (H, h·B·w′, Co)
    assert isinstance(projected, Tensor)
    rows = rounded(row_map.transpose(0, 1).reshape(queries.h, H * keys.h), x)
    with part("mixing"):
        y = rows @ projected.view(H * keys.h, B * queries.w * Co)
    y = y.view(queries.h, B, queries.w, Co).transpose(0, 1).reshape(B, queries.count, Co)
    return y if bias is None else y + bias


class _Times(torch.autograd.Function):
    """One matrix times each of many: its gradient is added up in float32."""

    @staticmethod
    @given
    def forward(ctx: Any, matrix: Tensor, values: Tensor) -> Tensor:
        ctx.exact = matrix.dtype
        matrix = rounded(matrix, values)
        ctx.save_for_backward(matrix, values)
        return times(matrix, values)

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        matrix, values = ctx.saved_tensors
        exact = torch.promote_types(grad.dtype, torch.float32)
        grad_matrix = torch.bmm(grad, values.mT).sum(0, dtype=exact).to(ctx.exact) if ctx.needs_input_grad[0] else None
        return grad_matrix, times(matrix.mT, grad) if ctx.needs_input_grad[1] else None


class _ByHead(torch.autograd.Function):
    """Tokens (N, H, C) times the weight (Co, H, C) of each head, (H, N, Co), without a copy of the tokens."""

    @staticmethod
    @given
    def forward(ctx: Any, tokens: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(tokens, weight)
        return torch.bmm(tokens.transpose(0, 1), weight.permute(1, 2, 0))

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        tokens, weight = ctx.saved_tensors
        grad_tokens, grad_weight = None, None
        if ctx.needs_input_grad[0]:
            grad_tokens = torch.empty_like(tokens)
            torch.bmm(grad, weight.transpose(0, 1), out=grad_tokens.transpose(0, 1))
        if ctx.needs_input_grad[1]:
            grad_weight = torch.bmm(grad.mT, tokens.transpose(0, 1)).transpose(0, 1)  # (H, Co, C) → (Co, H, C)
        return grad_tokens, grad_weight
