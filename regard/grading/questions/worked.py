"""Worked examples as numbers: attention by hand on four tokens, and a saturated softmax, in enough digits."""

import math

import torch
from torch import Tensor

from regard.layers import MultiHead, Widths

TOKENS = [[-2.0, 1.0, 0.5], [1.0, 1.5, -0.5], [-1.5, 1.0, -0.5], [-2.0, -2.5, 1.5]]
QUERY = [-2.0, 1.0, -1.0]
W_Q = [[1.0, -1.5], [0.0, 2.0], [-0.5, -1.0]]
W_K = [[-1.5, -1.0], [2.5, 0.0], [0.5, -1.0]]
W_V = [[1.0, 2.5], [-0.5, -2.0], [0.0, -1.0]]
W_O = [[-1.0, 1.5, 2.0], [0.0, -1.0, -2.0], [1.0, -1.5, 0.0], [2.0, 0.0, 1.0]]
SATURATED = (-3, 1, 100, 5, -1)


def query_weights() -> list[float]:
    """How one query attends to four tokens that are their own keys and values; β = 1/√3."""
    return _by_query()[0].tolist()


def query_output() -> list[float]:
    return _by_query()[1].tolist()


def head_output() -> list[list[float]]:
    """One head of width 2 with matrices of its own."""
    return _heads(1, [[1.0, 0.0], [0.0, 1.0]])(_tokens())[0].tolist()


def head_map_row() -> list[float]:
    """How the second token attends in that head."""
    return _heads(1, [[1.0, 0.0], [0.0, 1.0]]).weights(_tokens())[0, 0, 1].tolist()


def second_map_row() -> list[float]:
    """How the first token attends in a head whose matrices are all ones."""
    return _heads(2, W_O).weights(_tokens())[0, 1, 0].tolist()


def second_head_column() -> list[float]:
    """What that head gives, in each of its two equal columns."""
    layer = _heads(2, [[0.0], [0.0], [1.0], [0.0]])
    return layer(_tokens())[0, :, 0].tolist()


def two_heads_output() -> list[list[float]]:
    """Both heads, side by side, through the output matrix."""
    return _heads(2, W_O)(_tokens())[0].tolist()


def saturated_derivative() -> float:
    """∂y₃/∂z₃ of the softmax of (−3, 1, 100, 5, −1), by y₃·Σ_{j≠3} y_j to 50 digits."""
    import mpmath

    with mpmath.workdps(50):
        powers = [mpmath.exp(z) for z in SATURATED]
        y = [power / mpmath.fsum(powers) for power in powers]
        return float(y[2] * mpmath.fsum(y[:2] + y[3:]))


def _tokens() -> Tensor:
    return torch.tensor([TOKENS], dtype=torch.float64)


def _by_query() -> tuple[Tensor, Tensor]:
    x, q = _tokens()[0], torch.tensor(QUERY, dtype=torch.float64)
    weights = torch.softmax(x @ q / math.sqrt(3), 0)
    return weights, weights @ x


def _heads(num_heads: int, out: list[list[float]]) -> MultiHead:
    """The first head has the matrices of the example, a second one those of ones."""
    widths = Widths(query=3, head=2, out=len(out[0]))
    layer = MultiHead(widths, num_heads, bias=False, out_bias=False, dtype=torch.float64)
    with torch.no_grad():
        for linear, first in ((layer.query, W_Q), (layer.key, W_K), (layer.value, W_V)):
            linear.weight.fill_(1.0)
            linear.weight[:2] = torch.tensor(first, dtype=torch.float64).T
        layer.out.weight.copy_(torch.tensor(out, dtype=torch.float64).T)
    return layer.requires_grad_(False)
