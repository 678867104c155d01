"""What depends on a whole batch, for a process that has some of its rows: random numbers, and batch norms."""

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from regard.attention.torch_private import BatchNorm, DispatchMode
from regard.training.task import Share

aten = torch.ops.aten
FILLED = {aten.bernoulli_.float, aten.uniform_.default, aten.normal_.default}
ALIKE = {aten.rand_like.default, aten.randn_like.default, aten.bernoulli.p}


class WholeDraws(DispatchMode):
    """Draws random numbers for the rows of all processes, and gives this one its own.

    With rows of the batch in the first dimension, or as many of it for each row, all processes together have the
    numbers that one would have; in any other layout they still have other ones. A single row does not tell how a
    transposed batch lies.
    """

    def __init__(self, share: Share) -> None:
        super().__init__()
        self.share = share

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func not in FILLED | ALIKE or kwargs.get("generator") is not None or args[0].ndim == 0:
            return func(*args, **kwargs)
        own, (first, count, total) = args[0], self.share
        first, whole_rows = len(own) * first // count, len(own) * total // count
        # In memory as a whole batch would lie, transposed or not, because numbers are drawn in that order.
        order = sorted(range(own.ndim), key=own.stride, reverse=True)
        shape = (whole_rows, *own.shape[1:])
        whole = own.new_empty([shape[dim] for dim in order]).permute([order.index(dim) for dim in range(own.ndim)])
        drawn = func(whole, *args[1:], **kwargs)[first : first + len(own)]
        return own.copy_(drawn) if func in FILLED else drawn


class _Total(torch.autograd.Function):
    """The sum over all processes; so is the gradient."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        total = value.contiguous().clone()
        dist.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride] - one output
        return _Total.forward(ctx, gradient)


class WholeBatchNorm(BatchNorm):
    """A batch norm over the rows of all processes; torch's own such norm is for GPUs alone.

    y = γ (x − μ)/√(σ² + ε) + β,   μ and σ² over the whole batch and all places of a channel
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise ValueError(f"a batch norm reads (B, C, …): got {tuple(input.shape)}")

    def forward(self, input: Tensor) -> Tensor:
        if not self.training:
            return super().forward(input)
        self._check_input_dim(input)
        x = input.float()
        others = [dim for dim in range(x.ndim) if dim != 1]
        shape = [1, -1, *[1] * (x.ndim - 2)]
        own = torch.cat((x.sum(others), x.new_tensor([x.numel() // x.shape[1]])))
        total, count = _total(own).split([x.shape[1], 1])  # parts may have other numbers of rows
        mean = total / count
        centred = x - mean.view(shape)
        variance = _total(centred.square().sum(others)) / count
        if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
            with torch.no_grad():
                self.num_batches_tracked.add_(1)
                factor = 1 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
                self.running_mean.lerp_(mean.to(self.running_mean.dtype), factor)
                self.running_var.lerp_((variance * count / (count - 1).clamp(min=1)).to(self.running_var.dtype), factor)
        y = centred * (variance + self.eps).rsqrt().view(shape)
        if self.weight is not None:
            y = y * self.weight.view(shape) + self.bias.view(shape)
        return y.to(input.dtype)


def _total(value: Tensor) -> Tensor:
    return _Total.apply(value)  # pyright: ignore[reportReturnType]


def share_batch_norms(model: nn.Module) -> None:
    """Let every batch norm of a model see the rows of all processes; names, weights and statistics stay."""
    for module in model.modules():
        if isinstance(module, BatchNorm):
            module.__class__ = WholeBatchNorm
