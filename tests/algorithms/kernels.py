"""The kernels of the equivalence test, each crossed with everything else that can be moved."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.attention import Elu, Exp, Features, Identity, Kernel, RandomFeatures, Relu, SquaredRelu


@dataclass(frozen=True, eq=False, repr=False)
class BothSides(Features):
    """Features of a user's own, that learn: twice as many as there are columns."""

    slopes: Tensor  # (2,)

    def __call__(self, x: Tensor) -> Tensor:
        rise, fall = self.slopes.to(x.dtype).unbind()
        return torch.cat(((rise * x).sigmoid(), (fall * x).sigmoid()), -1)

    def width(self, D: int) -> int:
        return 2 * D


def _slopes(draw: Any) -> Tensor:
    exact = torch.promote_types(draw.dtype, torch.float32)
    return torch.tensor([1.5, -0.5], device=draw.device, dtype=exact).requires_grad_()


def _random(draw: Any) -> RandomFeatures:
    exact = torch.promote_types(draw.dtype, torch.float32)
    return RandomFeatures(draw.normal(20, draw.shape.D, dtype=exact).requires_grad_())


KERNELS: dict[str, Callable[[Any], Kernel]] = {
    "elu": lambda draw: Kernel(Elu()),
    "relu": lambda draw: Kernel(Relu()),
    "squared relu, not normalised": lambda draw: Kernel(SquaredRelu(), normalise=False),
    "exp": lambda draw: Kernel(Exp()),
    "identity, not normalised": lambda draw: Kernel(Identity(), normalise=False),
    "random features": lambda draw: Kernel(_random(draw)),
    "features of one's own": lambda draw: Kernel(BothSides(_slopes(draw))),
}


def fits_kernel(weighting: str, scores: str, wanted: str) -> bool:
    """Kernels weigh content alone, without a log-sum-exp; β has a meaning for an estimate of exp(β·qᵀk)."""
    contents = ("content", "beta 0.3") if weighting == "random features" else ("content",)
    return scores in contents and wanted == "output"
