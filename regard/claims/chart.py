"""The data of a figure, apart from how it is drawn: in a terminal, as SVG, or on a page."""

from collections.abc import Sequence
from dataclasses import dataclass

Numbers = Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Lines:
    """Curves over one axis; `band` gives low and high ends for a curve of the same name, as of an interval."""

    title: str
    x: Numbers
    y: dict[str, Numbers]
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False
    marks: dict[str, float] | None = None  # upright lines with a name, such as a crossover
    bands: dict[str, tuple[Numbers, Numbers]] | None = None

    def __post_init__(self) -> None:
        for name, values in self.y.items():
            if len(values) != len(self.x):
                raise ValueError(f"a curve has a value per x: got {len(values)} of {name!r} for {len(self.x)}")


@dataclass(frozen=True, kw_only=True)
class Bars:
    """A number per name, or several side by side: `groups` maps the name of a colour to a value per name."""

    title: str
    names: Sequence[str]
    groups: dict[str, Numbers]
    y_label: str

    def __post_init__(self) -> None:
        for name, values in self.groups.items():
            if len(values) != len(self.names):
                raise ValueError(f"a group has a value per name: got {len(values)} of {name!r} for {len(self.names)}")


@dataclass(frozen=True, kw_only=True)
class Matrices:
    """Matrices side by side in one colour scale, rows downwards; `signed` puts zero in the middle of the scale."""

    title: str
    panels: dict[str, Sequence[Numbers]]
    row_label: str
    column_label: str
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    signed: bool = False


Chart = Lines | Bars | Matrices
