"""The worked example of the practical: four tokens of width three, one query by hand, then two heads."""

from typing import NamedTuple

import torch
from torch import Tensor

from regard.algorithms import attend, weights

Rows = tuple[tuple[float, ...], ...]

X: Rows = ((-2, 1, 0.5), (1, 1.5, -0.5), (-1.5, 1, -0.5), (-2, -2.5, 1.5))
QUERY: Rows = ((-2, 1, -1),)
W_Q: Rows = ((1, -1.5), (0, 2), (-0.5, -1))
W_K: Rows = ((-1.5, -1), (2.5, 0), (0.5, -1))
W_V: Rows = ((1, 2.5), (-0.5, -2), (0, -1))
W_OUT: Rows = ((-1, 1.5, 2), (0, -1, -2), (1, -1.5, 0), (2, 0, 1))

# What the document prints, as it prints it: a number agrees when it has the same digits.
DOCUMENT: dict[str, tuple[str, ...]] = {
    "weights": ("0.46536883", "0.03463117", "0.46536883", "0.03463117"),
    "output": ("-1.66342208", "0.8961065", "0.03463117"),
    "Z, rows 1, 2": ("-0.75220098", "-1.50668721", "-2.29564869", "-6.58686077"),
    "Z, rows 3, 4": ("-1.07141415", "-2.47595506", "-0.74812187", "-1.4971829"),
    "P, row 2": ("0.597319598", "0.00128333499", "0.401298182", "0.0000988847812"),
    "P⁽²⁾, row 1": ("0.118306921", "0.0201966211", "0.168483136", "0.693013322"),
    "Z⁽²⁾, column": ("-2.26628332", "1.99725652", "-2.82066255", "-2.99952526"),
    "out, row 1": ("-6.04664898", "3.77781072", "-0.75731086"),
    "out, row 2": ("8.28741825", "0.14750295", "10.57968068"),
    "out, row 3": ("-7.3905735", "5.09982766", "-0.01158073"),
    "out, row 4": ("-8.25045389", "4.87428797", "-1.50140321"),
}


class Example(NamedTuple):
    """The worked example, computed: every quantity that the document prints, and what the maps are made of."""

    quantities: dict[str, Tensor]
    q: Tensor
    k: Tensor
    v: Tensor
    maps: Tensor


def worked_example(algorithm: str | None = None) -> Example:
    """Everything in float64, by `attend` and `weights`; `algorithm` names the way of `attend`."""
    x, query, w_out = matrix(X), matrix(QUERY), matrix(W_OUT)
    tokens, one = x[None, None], query[None, None]
    first = [matrix(w) for w in (W_Q, W_K, W_V)]
    q, k, v = ((x @ torch.stack([w, torch.ones_like(w)]))[None] for w in first)  # (1, H, T, D): the second head is ones
    maps, z = weights(q, k)[0], attend(q, k, v, algorithm=algorithm)[0]
    out = z.transpose(0, 1).flatten(1) @ w_out

    by_hand = attend(one, tokens, tokens, algorithm=algorithm)[0, 0, 0]
    quantities = {"weights": weights(one, tokens)[0, 0, 0], "output": by_hand}
    quantities |= {"Z, rows 1, 2": z[0, :2].flatten(), "Z, rows 3, 4": z[0, 2:].flatten()}
    quantities |= {"P, row 2": maps[0, 1], "P⁽²⁾, row 1": maps[1, 0], "Z⁽²⁾, column": z[1, :, 0]}
    quantities |= {f"out, row {i + 1}": row for i, row in enumerate(out)}
    return Example(quantities, q, k, v, maps)


def agrees(value: float, printed: str) -> bool:
    """The value, rounded to as many decimals as are printed, has the printed digits.

    >>> agrees(0.8961064978, "0.8961065"), agrees(0.8961064, "0.8961065")
    (True, False)
    """
    return rounded(value, printed) == printed


def rounded(value: float, printed: str) -> str:
    """The value with as many decimals as are printed.

    >>> rounded(2 / 3, "0.667")
    '0.667'
    """
    return f"{value:.{len(printed.partition('.')[2])}f}"


def matrix(rows: Rows) -> Tensor:
    """Rows of numbers in float64, which holds the example's data exactly."""
    return torch.tensor(rows, dtype=torch.float64)
