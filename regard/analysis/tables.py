"""What all tables share: columns without lines for Rich, and rows as CSV."""

import csv
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table


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
