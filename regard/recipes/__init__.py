"""Experiments as single commands: what is trained, measured and reported, into a folder of its own."""

from regard.recipes.recipe import NAMES, Outcome, Recipe, Resources, Training, find_recipe, from_json, override
from regard.recipes.run import (
    OnStep,
    Plan,
    Run,
    change_run,
    create_run,
    list_runs,
    next_name,
    plan_run,
    read_run,
    start_run,
)

__all__ = [
    "NAMES",
    "OnStep",
    "Outcome",
    "Plan",
    "Recipe",
    "Resources",
    "Run",
    "Training",
    "change_run",
    "create_run",
    "find_recipe",
    "from_json",
    "list_runs",
    "next_name",
    "override",
    "plan_run",
    "read_run",
    "start_run",
]
