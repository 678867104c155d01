"""From timed calls to the table of a machine, and how well a table predicts them."""

from regard.analysis.calibration.calibration import Calibration, calibrate

__all__ = ["Calibration", "calibrate"]
