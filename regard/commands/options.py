"""Options that several commands share: what they are called, and what their text means."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from regard.commands.output import bad_input, check_file

if TYPE_CHECKING:
    from regard.attention import Places

MASKS = (
    "Who may attend to whom: everything, causal, window(before, after), strided(n), dilated(step, before, after), "
    "blocks(size, shift), global_tokens(n), key_padding(length, …), padding(length, …), documents(length, …) or "
    "documents(\\[length, …], …), prefix(length, …); on a grid neighbours(rows, columns), tiles(rows, columns, down, "
    "right), same_row, same_column, axial. Join them with & | ~ and parentheses."
)


def size(help: str) -> Any:
    """An option for a whole number from 1."""
    return typer.Option(min=1, metavar="N", help=help)


def file(option: str, help: str, *endings: str) -> Any:
    """An option for a file to write, which is checked before the work and not after it."""

    def check(path: Path | None) -> Path | None:
        with bad_input():
            check_file(option, path, endings)
        return path

    return typer.Option(option, metavar="FILE", help=help, callback=check)


Type = Literal["bfloat16", "float16", "float32", "float64"]
Machine = Annotated[
    str | None,
    typer.Option(
        "--device",
        metavar="NAME|FILE",
        help="cpu, h200, a100, h100, b200, l40s, t4, cuda or other, present or not, or a table that "
        "[b]regard calibrate[/b] wrote, x.json; by default this machine.",
    ),
]
Device = Annotated[
    str | None, typer.Option("--device", metavar="NAME", help="cpu, cuda, cuda:1 …; by default a GPU if there is one.")
]
GridSize = Annotated[
    str | None,
    typer.Option("--grid", metavar="HxW", help="Tokens on a grid of H rows and W columns instead of a line."),
]
Stride = Annotated[
    str | None,
    typer.Option("--stride", metavar="N|NxM", help="Keep only queries at every Nth row and Mth column of the grid."),
]
Pixel = Annotated[
    str | None,
    typer.Option("--pixel", metavar="R,C", help="On a grid, the query to follow; by default one in the middle."),
]
Svg = Annotated[Path | None, file("--svg", "Also draw it into this SVG file.", ".svg")]
Runs = Annotated[Path, typer.Option("--runs", metavar="FOLDER", help="The folder that holds the runs.")]


def refuse(why: str, given: Mapping[str, object]) -> None:
    """Raise for the first option that was given although it would have no effect."""
    for option, value in given.items():
        if value is not None and value is not False and value != []:
            raise ValueError(f"{why}: got {option} too; leave it out")


def machine_name(device: str | None) -> str:
    """The machine to plan for; by default the one that this runs on."""
    if device is not None:
        return device
    import torch

    from regard.algorithms.planning.machines import table_of

    return table_of(torch.device("cuda" if torch.cuda.is_available() else "cpu")).name


def present_device(device: str | None) -> str:
    """A device of this machine to compute on; by default a GPU if there is one."""
    import torch

    name = device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        exists = torch.empty(0, device=name).device.type != "meta"
    except (RuntimeError, AssertionError):  # an unknown word, or a device that torch was built without
        exists = False
    if not exists:
        raise ValueError(f"--device must name a device of this machine: got {name!r}; use cpu")
    return name


def read_places(grid: str | None, stride: str | None, tokens: int | None, keys: int | None, default: int) -> "Places":
    """Where queries and keys stand; `default` tokens in a line unless something is said."""
    from regard.attention import Attention, Grid, Places

    if grid is None:
        if stride is not None:
            raise ValueError(f"--stride keeps pixels of a grid: got --stride {stride} without one; add --grid 64x64")
        return Attention().places(tokens or default, keys or tokens or default)
    for option, count in (("--tokens", tokens), ("--keys", keys)):
        if count is not None:
            raise ValueError(f"--grid says how many tokens there are: got {option} {count} too; use one of the two")
    pixels = Grid(*_read_sides("--grid", grid, "64x64"))
    if stride is None:
        return Places(pixels, pixels)
    down, right = _read_sides("--stride", stride, "2 or 2x3")
    return Places(Grid(-(-pixels.h // down), -(-pixels.w // right), step=(down, right)), pixels)


def _read_sides(option: str, text: str, example: str) -> tuple[int, int]:
    parts = text.lower().split("x")
    if option == "--stride" and len(parts) == 1:
        parts = parts * 2
    if len(parts) != 2 or not all(is_whole(part) and int(part) for part in parts):
        raise ValueError(
            f"{option} must be whole numbers from 1 to below 10**18, rows x columns: got {text!r}; write {example}"
        )
    return int(parts[0]), int(parts[1])


def read_pixel(text: str | None) -> tuple[int, int] | None:
    """Row and column of a pixel, counted from 0."""
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != 2 or not all(is_whole(part) for part in parts):
        raise ValueError(f"--pixel must be a row and a column, from 0: got {text!r}; write 3,5")
    return int(parts[0]), int(parts[1])


def is_whole(text: str) -> bool:
    """Whether this is a whole number that 64 bits hold; no other digits than 0…9.

    >>> is_whole("512"), is_whole(" 7"), is_whole("²"), is_whole("-1")
    (True, True, False, False)
    """
    return text.strip().isascii() and text.strip().isdigit() and len(text) < 19
