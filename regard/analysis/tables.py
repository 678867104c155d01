"""What all reports share: parts and tables without lines for Rich, their plain text, and rows as CSV."""

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from regard.algorithms.planning.report import plain

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table


class Printed(ABC):
    """A result that Rich shows, and `str` in plain text of so many columns."""

    columns = 110

    @abstractmethod
    def rich(self) -> Any: ...

    def __str__(self) -> str:
        return plain(self.rich(), self.columns)


def stack(*parts: Any) -> "Group":
    """Parts one below the other: texts, pairs of a text and its style, and what Rich shows by itself."""
    from rich.console import Group
    from rich.text import Text

    texts = [(part,) if isinstance(part, str) else part for part in parts]
    return Group(*[Text(*part) if isinstance(part, tuple) else part for part in texts])


def new_table(*texts: str, numbers: Iterable[str] = (), padding: int = 3, **options: Any) -> "Table":
    """A table for Rich without lines: columns of texts, then of numbers, folded where they find no room."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, padding, 0, 0), **options)
    for title in texts:
        table.add_column(title, overflow="fold")
    for title in numbers:
        table.add_column(title, justify="right", overflow="fold")
    return table


def write_csv(rows: Iterable[Iterable[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
