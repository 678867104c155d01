"""What was measured before is predicted again: attention by the table of an H200, single kernels as they were."""

import pytest

from benchmarks.prediction import predicted_again


def measured(section: str, case: str, measure: str, seconds: float) -> dict:
    cells = {"predicted": {"samples_s": [1.0]}, "measured": {"samples_s": [seconds]}, "error %": 0.0}
    row = {"section": section, "case": case, "measure": measure, "cells": cells}
    return row | {"ratio": 1.0, "against": "the clock", "bar": None, "details": None, "unit": " %"}


def test_rows_are_predicted_again():
    report = {
        "rows": [
            measured("attention", "none B1 H16 N16384 d128", "forward", 3.2e-3),
            measured("ceilings", "layer norm", "memory", 2e-5),
        ]
    }
    attention, kernel = predicted_again(report)
    assert attention.cells["predicted"].median == pytest.approx(3.3e-3, rel=0.1)
    assert attention.ratio == pytest.approx(abs(100 * (attention.cells["predicted"].median / 3.2e-3 - 1)))
    assert attention.verdict == "met"
    assert kernel.cells["predicted"].median == 1.0
