"""What depth does to a stack of blocks: how much of a gradient reaches the input, and how alike tokens become."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.checks import check_whole
from regard.layers import FeedForward, MultiHead

Norm = Literal["none", "pre", "post"]


@dataclass(frozen=True)
class Flow:
    """After each of these depths: the norm of the gradient at the input, and the mean cosine of two tokens.

    The gradient is that of gᵀy for a random g, over the norm of g: an estimate of ‖∂y/∂x‖_F/√(size of y), which is 1
    where nothing grows or shrinks.
    """

    depths: tuple[int, ...]
    gradient: tuple[float, ...]
    similarity: tuple[float, ...]

    def at(self, depth: int) -> tuple[float, float]:
        """The gradient norm and the similarity at one depth."""
        if depth not in self.depths:
            raise ValueError(f"depth must be one that was looked at: got {depth}; use one of {self.depths}")
        index = self.depths.index(depth)
        return self.gradient[index], self.similarity[index]


def flow(
    blocks: Iterable[nn.Module],
    x: Float[Tensor, "B T C"],
    depths: Sequence[int],
    *,
    last: nn.Module | None = None,
    seed: int = 0,
) -> Flow:
    """Follow tokens through the blocks and a gradient back from each depth; `last` is what follows the last block.

    >>> blocks = [nn.Linear(4, 4, bias=False) for _ in range(3)]
    >>> for block in blocks:
    ...     block.weight.data = torch.eye(4) / 2
    >>> [round(norm, 6) for norm in flow(blocks, torch.randn(1, 2, 4), (1, 3)).gradient]
    [0.5, 0.125]
    """
    blocks = list(blocks)
    if not depths or sorted(set(depths)) != list(depths) or not 1 <= depths[0] <= depths[-1] <= len(blocks):
        raise ValueError(f"depths must rise within 1…{len(blocks)}, the number of blocks: got {tuple(depths)}")
    given = x.detach().requires_grad_()
    g = torch.randn(x.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(x)
    y, gradients, similarities = given, [], []
    with torch.enable_grad():
        for depth, block in enumerate(blocks[: depths[-1]], 1):
            y = block(y)
            if depth in depths:
                out = y if last is None else last(y)
                (gradient,) = torch.autograd.grad(out, given, g, retain_graph=depth < depths[-1])
                gradients.append(((gradient / g.norm()).norm()).item())
                similarities.append(similarity(out.detach()))
    return Flow(tuple(depths), tuple(gradients), tuple(similarities))


def similarity(x: Float[Tensor, "B T C"]) -> float:
    """The mean cosine between two different tokens of a row: 1 where all point the same way.

    >>> similarity(torch.tensor([[[1.0, 0.0], [2.0, 0.0], [0.0, 3.0]]]))
    0.333...
    """
    n = x.shape[1]
    if n < 2:
        raise ValueError(f"similarity is of two tokens or more: got T={n}")
    # The largest entry first: tokens of 1e-200 have a direction, and no square.
    x = x.double()
    x = x / x.abs().amax(2, keepdim=True)
    x = x / x.norm(dim=2, keepdim=True)
    whole = x.sum(1).square().sum(1).mean().item()  # Σ_ij cos_ij, of which n are of a token with itself
    return (whole - n) / (n * n - n)


class Wired(nn.Module):
    """Parts one after the other, each with or without what passes around it, and with or without a norm.

    z = part(norm(x)) or part(x);  y = x + z or z;  y ← norm(y) or y
    """

    def __init__(
        self,
        parts: Iterable[nn.Module],
        width: int,
        *,
        residual: bool,
        norm: Norm,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if norm not in ("none", "pre", "post"):
            raise ValueError(f"norm must be 'none', 'pre' or 'post': got norm={norm!r}")
        self.parts = nn.ModuleList(parts)
        norms = [nn.LayerNorm(width, dtype=dtype) if norm != "none" else nn.Identity() for _ in self.parts]
        self.norms = nn.ModuleList(norms)
        self.residual, self.first = residual, norm == "pre"

    def forward(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T C"]:
        for part, norm in zip(self.parts, self.norms, strict=True):
            z = part(norm(x) if self.first else x)
            z = x + z if self.residual else z
            x = z if self.first else norm(z)
        return x


def depth_flow(
    depths: Sequence[int],
    *,
    residual: bool,
    norm: Norm,
    width: int = 64,
    num_heads: int = 64,
    tokens: int = 32,
    seed: int = 0,
) -> Flow:
    """The flow through new blocks of attention and a ReLU feed-forward, wired with a residual and a norm or without.

    Weights are as the layers begin (Xavier, biases of zero), tokens are standard normal, the arithmetic is float64, and
    a pre-norm stack ends with a norm. Of tokens that are alike attention keeps the variance, and the feed-forward
    multiplies it by ½·2/5·8/5 = 0.32. So 64 blocks shrink a gradient to some 0.32^32/√T ≈ 1e-17, and with a residual
    alone let it grow by (2·1.32)^32 ≈ 1e13, times what passes through the softmax. This last factor was measured: some
    1e4 for heads of width one, the default, by which the whole is some 1e17; 1e90 and more for heads of width 16, since
    logits grow as the square of the tokens. Single seeds lie up to thirty times higher or lower: look at several.

    >>> flow = depth_flow((1, 8), residual=False, norm="none", width=16, num_heads=16, tokens=8)
    >>> flow.gradient[1] < 0.01 < flow.gradient[0], flow.similarity[1] > 0.999
    (True, True)
    """
    wirings: dict[str, tuple[bool, Norm]] = {"": (residual, norm)}
    return depth_flows(depths, wirings, width=width, num_heads=num_heads, tokens=tokens, seed=seed)[""]


def depth_flows(
    depths: Sequence[int],
    wirings: Mapping[str, tuple[bool, Norm]],
    *,
    width: int = 64,
    num_heads: int = 64,
    tokens: int = 32,
    seed: int = 0,
) -> dict[str, Flow]:
    """`depth_flow` of several wirings, a residual or not and a norm by name, over the same weights and tokens.

    >>> how = {"width": 4, "num_heads": 4, "tokens": 3}
    >>> flows = depth_flows((1, 2), {"neither": (False, "none"), "both": (True, "pre")}, **how)
    >>> flows["both"] == depth_flow((1, 2), residual=True, norm="pre", **how)
    True
    """
    for name, number in (("width", width), ("num_heads", num_heads), ("tokens", tokens)):
        check_whole(name, number, 1)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        parts = [
            (MultiHead(width, num_heads), FeedForward(width, 4 * width, "relu")) for _ in range(max(depths, default=0))
        ]
        x = torch.randn(1, tokens, width, dtype=torch.float64)
    for part in itertools.chain(*parts):
        part.double().requires_grad_(False)
    found = {}
    for name, (residual, norm) in wirings.items():
        blocks = [Wired(part, width, residual=residual, norm=norm, dtype=torch.float64) for part in parts]
        last = nn.LayerNorm(width, dtype=torch.float64) if norm == "pre" else None
        found[name] = flow(blocks, x, depths, last=last, seed=seed)
    return found
