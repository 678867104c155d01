"""Worked examples as numbers: attention by hand on four tokens, and a saturated softmax, in enough digits."""

from functools import partial

SATURATED = (-3, 1, 100, 5, -1)


def quantities(name: str) -> list[list[float]]:
    """The quantities of the worked example whose names begin so, in their order."""
    from regard.claims.ist.example import worked_example

    return [value.tolist() for key, value in worked_example().quantities.items() if key.startswith(name)]


def quantity(name: str) -> list[float]:
    return quantities(name)[0]


query_weights = partial(quantity, "weights")  # of one query on four tokens, its own keys and values; β = 1/√3
query_output = partial(quantity, "output")
head_map_row = partial(quantity, "P, row 2")  # how the second token attends in a head with matrices of its own
second_map_row = partial(quantity, "P⁽²⁾, row 1")  # how the first one does in a head whose matrices are all ones
second_head_column = partial(quantity, "Z⁽²⁾, column")  # what that head gives, in each of its two equal columns
two_heads_output = partial(quantities, "out, row ")  # both heads, side by side, through the output matrix


def head_output() -> list[list[float]]:
    """The first head's output, of width 2."""
    return [row[start : start + 2] for row in quantities("Z, ") for start in (0, 2)]


def saturated_derivative() -> float:
    """∂y₃/∂z₃ of the softmax of (−3, 1, 100, 5, −1), by y₃·Σ_{j≠3} y_j to 50 digits."""
    from regard.analysis import precise_softmax_jacobian

    return float(precise_softmax_jacobian(SATURATED)[2][2])
