"""Experiments as single commands: what is trained, measured and reported, into a folder of its own."""

from regard.recipes.changes import changed, plain, rebuilt
from regard.recipes.recipe import NAMES, Recipe, recipe, silent
from regard.recipes.run import Run, all_runs, begin, find, new_name

__all__ = [
    "NAMES",
    "Recipe",
    "Run",
    "all_runs",
    "begin",
    "changed",
    "find",
    "new_name",
    "plain",
    "rebuilt",
    "recipe",
    "silent",
]
