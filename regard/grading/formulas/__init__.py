"""Formulas: their bounds, values, normal forms, orders of growth and exact comparison."""
