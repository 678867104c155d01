"""Worked examples as numbers: attention by hand on four tokens, and a saturated softmax, in enough digits."""

from torch import Tensor

SATURATED = (-3, 1, 100, 5, -1)


def query_weights() -> list[float]:
    """How one query attends to four tokens that are their own keys and values; β = 1/√3."""
    return _computed("weights")[0]


def query_output() -> list[float]:
    return _computed("output")[0]


def head_output() -> list[list[float]]:
    """One head of width 2 with matrices of its own."""
    return [row[start : start + 2] for row in _computed("Z, ") for start in (0, 2)]


def head_map_row() -> list[float]:
    """How the second token attends in that head."""
    return _computed("P, row 2")[0]


def second_map_row() -> list[float]:
    """How the first token attends in a head whose matrices are all ones."""
    return _computed("P⁽²⁾, row 1")[0]


def second_head_column() -> list[float]:
    """What that head gives, in each of its two equal columns."""
    return _computed("Z⁽²⁾, column")[0]


def two_heads_output() -> list[list[float]]:
    """Both heads, side by side, through the output matrix."""
    return _computed("out, row ")


def saturated_derivative() -> float:
    """∂y₃/∂z₃ of the softmax of (−3, 1, 100, 5, −1), by y₃·Σ_{j≠3} y_j to 50 digits."""
    from regard.analysis import precise_softmax_jacobian

    return float(precise_softmax_jacobian(SATURATED)[2][2])


def _computed(name: str) -> list[list[float]]:
    """The quantities of the worked example whose names begin so, in their order."""
    from regard.claims.ist.example import worked_example

    found: list[Tensor] = [value for key, value in worked_example().quantities.items() if key.startswith(name)]
    return [value.tolist() for value in found]
