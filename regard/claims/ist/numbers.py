"""Question 1: attention by hand, digit by digit."""

from collections.abc import Mapping

import torch
from torch import Tensor

from regard.algorithms import plan
from regard.attention import Attention
from regard.claims.chart import Matrices
from regard.claims.claim import HOLDS, Finding, Findings, View, claim
from regard.claims.ist import example
from regard.claims.ist.example import DOCUMENT, agrees, rounded, worked_example

Printed = Mapping[str, tuple[str, ...]]  # digits, by the name of what they are of

INSIDE: Printed = {
    "Q": ("-2.25", "4.5", "1.25", "2", "-1.25", "4.75", "-2.75", "-3.5"),
    "K": ("5.75", "1.5", "2", "-0.5", "4.5", "2", "-2.5", "0.5"),
    "V": ("-2.5", "-7.5", "0.25", "0", "-2", "-5.25", "-0.75", "-1.5"),
} | {name: DOCUMENT[name] for name in ("P, row 2", "P⁽²⁾, row 1", "Z⁽²⁾, column")}


def digits(computed: Mapping[str, Tensor], printed: Printed) -> list[Finding]:
    """Whether each computed number, rounded to as many places as are printed, has the printed digits."""
    found = []
    for name, said in printed.items():
        values = computed[name].flatten().tolist()
        wrong = [(value, text) for value, text in zip(values, said, strict=True) if not agrees(value, text)]
        shown = f"{name}: all {len(said)} numbers have the printed digits, {said[0]} the first"
        if wrong:
            shown = f"{name}: {rounded(*wrong[0])} is computed where {wrong[0][1]} is stated"
        found.append(Finding(name, not wrong, shown))
    return found


def by_every_algorithm(printed: Printed) -> Findings:
    """The digits by the chosen algorithm, and whether each that takes the example gives the same."""
    ready = worked_example()
    yield from digits(ready.quantities, printed)
    candidates = plan(ready.q, ready.k, ready.v, Attention()).candidates
    takes = [candidate.name for candidate in candidates if candidate.refusal is None]
    other = [n for n in takes if not all(one.holds for one in digits(worked_example(n).quantities, printed))]
    shown = f"the algorithms {', '.join(takes)} give these digits"
    yield Finding("algorithms", not other, f"{shown}; not so {', '.join(other)}" if other else shown)


def choose(*names: str) -> Printed:
    return {name: DOCUMENT[name] for name in names}


one_query = claim(
    "ist.1a",
    HOLDS,
    ours={"printed": choose("weights", "output")},
    twin={
        "printed": {
            "weights": ("0.49450653", "0.00549347", "0.49450653", "0.00549347"),
            "output": ("-1.73626632", "0.98351959", "0.00549347"),
        }
    },
    view=View("playground", "See the same tokens, with all their numbers"),
)(by_every_algorithm)

one_head = claim(
    "ist.1b",
    HOLDS,
    ours={"printed": choose("Z, rows 1, 2", "Z, rows 3, 4")},
    twin={
        "printed": {
            "Z, rows 1, 2": ("-0.75015517", "-1.50046675", "-2.31823494", "-6.68258637"),
            "Z, rows 3, 4": ("-0.96055189", "-2.13409257", "-0.74986018", "-1.49979027"),
        }
    },
    view=View("playground", "See this head, and change its matrices"),
)(by_every_algorithm)

two_heads = claim(
    "ist.1c",
    HOLDS,
    ours={"printed": choose(*[f"out, row {row}" for row in (1, 2, 3, 4)])},
    twin={
        "printed": {
            "out, row 1": ("-1.49929208", "-0.00484019", "-1.50668721"),
            "out, row 2": ("-17.46662675", "4.44210130", "-6.58686077"),
            "out, row 3": ("-3.20266172", "0.19678995", "-2.47595506"),
            "out, row 4": ("-0.74296241", "-0.37757982", "-1.49718290"),
        }
    },
    view=View("playground", "See both heads, and change their matrices"),
)(by_every_algorithm)


def maps() -> Matrices:
    """Both heads' maps."""
    first, second = worked_example().maps.tolist()
    tokens = [str(n + 1) for n in range(len(example.X))]
    return Matrices(
        title="What each head looks at",
        panels={"head 1": first, "head 2, all ones": second},
        row_label="query",
        column_label="key",
        rows=tokens,
        columns=tokens,
    )


@claim(
    "ist.1p",
    HOLDS,
    twin={
        "printed": INSIDE
        | {
            "P, row 2": ("0.999279451", "0.963046853", "0.982658127", "0.000638402767"),
            "P⁽²⁾, row 1": ("0.118306921", "0.000848429312", "0.0267590116", "0.0000247463407"),
            "Z⁽²⁾, column": ("-0.08428985", "1.98701101", "-0.13871870", "-4.26400246"),
        }
    },
    chart=maps,
    view=View("playground", "See inside the second head", {"head": 1}),
)
def inside(printed: Printed = INSIDE) -> Findings:
    """The digits of the intermediates, and every weight of both maps against 50-digit arithmetic."""
    ready = worked_example()
    yield from digits(ready.quantities | {"Q": ready.q[0, 0], "K": ready.k[0, 0], "V": ready.v[0, 0]}, printed)
    exact = [precise_map(ready.q[0, head].tolist(), ready.k[0, head].tolist()) for head in (0, 1)]
    gap = (ready.maps - torch.tensor(exact, dtype=torch.float64)).abs().max().item()
    shown = f"the {ready.maps.numel()} weights of both maps are within {gap:.0e} of those in 50 digits"
    yield Finding("50 digits", gap < 1e-15, shown)


def precise_map(q: list[list[float]], k: list[list[float]]) -> list[list[float]]:
    """The softmax of `q kᵀ/√D` in 50 digits, rounded at the end."""
    import mpmath

    with mpmath.workdps(50):
        rows = []
        for row in q:
            dots = [mpmath.fdot([(mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(row, key, strict=True)]) for key in k]
            powers = [mpmath.exp(dot / mpmath.sqrt(len(row))) for dot in dots]
            rows.append([float(power / mpmath.fsum(powers)) for power in powers])
        return rows
