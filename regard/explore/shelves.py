"""What there is to look at."""

from regard.explore.api import Asked, Question, Reply
from regard.explore.desk import Desk
from regard.explore.shelf import is_shipped


class ShelfAsked(Asked):
    """Nothing."""


class RunOnShelf(Reply):
    """A run in a line."""

    name: str
    recipe: str
    state: str
    headline: str | None
    is_shipped: bool


class ShelfReply(Reply):
    """Names to ask by."""

    runs: list[RunOnShelf]
    folders: list[str]
    version: str


def shelf(desk: Desk, asked: ShelfAsked) -> ShelfReply:
    """What there is to look at: the runs, and the folders of models."""
    from importlib.metadata import version

    runs = [
        RunOnShelf(
            name=name,
            recipe=run.recipe,
            state=run.state,
            headline=run.headline,
            is_shipped=is_shipped(run),
        )
        for name, run in desk.shelf.runs().items()
    ]
    return ShelfReply(runs=runs, folders=list(desk.shelf.folders), version=version("regard"))


QUESTIONS = (Question("shelf", shelf),)
