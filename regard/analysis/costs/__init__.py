"""What any module costs: operations are watched while it runs on tensors without contents."""

from regard.analysis.costs.count import cost
from regard.analysis.costs.report import Memory, ModelCost, ModuleCost, Work
from regard.analysis.costs.symbolic import Formulas, formulas

__all__ = ["Formulas", "Memory", "ModelCost", "ModuleCost", "Work", "cost", "formulas"]
