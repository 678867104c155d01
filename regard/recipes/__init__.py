"""Experiments as single commands: what is trained, measured and reported, into a folder of its own."""

from regard.recipes.changes import changed, plain, rebuilt
from regard.recipes.cooking import Watch, change, cook, measure, opened, order, page, silent
from regard.recipes.recipe import NAMES, Outcome, Recipe, Supplies, Trained, Training, recipe
from regard.recipes.run import Run, all_runs, begin, find, listed, new_name

__all__ = [
    "NAMES",
    "Outcome",
    "Recipe",
    "Run",
    "Supplies",
    "Trained",
    "Training",
    "Watch",
    "all_runs",
    "begin",
    "change",
    "changed",
    "cook",
    "find",
    "listed",
    "measure",
    "new_name",
    "opened",
    "order",
    "page",
    "plain",
    "rebuilt",
    "recipe",
    "silent",
]
