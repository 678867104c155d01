"""What any module costs: operations are watched while it runs on tensors without contents."""

from regard.analysis.cost.count import cost
from regard.analysis.cost.polynomials import Formulas
from regard.analysis.cost.report import Memory, ModelCost, ModuleCost, Work
from regard.analysis.cost.symbolic import formulas

__all__ = ["Formulas", "Memory", "ModelCost", "ModuleCost", "Work", "cost", "formulas"]
