"""The worked example of the course document `ist`, problems 1a–c and the intermediates 1p, to every printed digit."""

import math

import torch
from torch import Tensor

from regard import attend, weights


def rows(*numbers: tuple[float, ...]) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


X = rows((-2, 1, 0.5), (1, 1.5, -0.5), (-1.5, 1, -0.5), (-2, -2.5, 1.5))
W_Q = rows((1, -1.5), (0, 2), (-0.5, -1))
W_K = rows((-1.5, -1), (2.5, 0), (0.5, -1))
W_V = rows((1, 2.5), (-0.5, -2), (0, -1))
W_O = rows((-1, 1.5, 2), (0, -1, -2), (1, -1.5, 0), (2, 0, 1))
ONES = torch.ones(3, 2, dtype=torch.float64)


def map_of(q: Tensor, k: Tensor) -> Tensor:
    return weights(q[None, None], k[None, None])[0, 0]


def output_of(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return attend(q[None, None], k[None, None], v[None, None])[0, 0]


def same_decimals(computed: Tensor, printed: Tensor) -> None:
    """Equal when rounded to the eight decimals that the document prints."""
    assert torch.equal(computed.round(decimals=8), printed.round(decimals=8)), computed


def same_digits(computed: Tensor, printed: Tensor) -> None:
    """Equal when rounded to nine significant digits, as the catalogue prints the intermediates."""
    for mine, theirs in zip(computed.flatten().tolist(), printed.flatten().tolist(), strict=True):
        unit = 10.0 ** (math.floor(math.log10(abs(theirs))) - 8)
        assert abs(mine - theirs) <= 0.5 * unit, (mine, theirs)


def test_1a_one_query():
    query = rows((-2, 1, -1))
    same_decimals(map_of(query, X), rows((0.46536883, 0.03463117, 0.46536883, 0.03463117)))
    same_decimals(output_of(query, X, X), rows((-1.66342208, 0.8961065, 0.03463117)))


def test_1b_self_attention():
    printed = rows(
        (-0.75220098, -1.50668721), (-2.29564869, -6.58686077), (-1.07141415, -2.47595506), (-0.74812187, -1.4971829)
    )
    same_decimals(output_of(X @ W_Q, X @ W_K, X @ W_V), printed)


def test_1c_two_heads():
    heads = [output_of(X @ W_Q, X @ W_K, X @ W_V), output_of(X @ ONES, X @ ONES, X @ ONES)]
    printed = rows(
        (-6.04664898, 3.77781072, -0.75731086),
        (8.28741825, 0.14750295, 10.57968068),
        (-7.3905735, 5.09982766, -0.01158073),
        (-8.25045389, 4.87428797, -1.50140321),
    )
    same_decimals(torch.cat(heads, -1) @ W_O, printed)


def test_1p_intermediates():
    same_digits(map_of(X @ W_Q, X @ W_K)[1], rows((0.597319598, 0.00128333499, 0.401298182, 0.0000988847812)))
    ones = X @ ONES
    same_digits(map_of(ones, ones)[0], rows((0.118306921, 0.0201966211, 0.168483136, 0.693013322)))
    column = rows((-2.26628332, 1.99725652, -2.82066255, -2.99952526)).T
    same_digits(output_of(ones, ones, ones), column.expand(4, 2))
