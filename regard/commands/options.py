"""What the options of the command line mean: from words to values."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from regard.algorithms import NextToken, next_token
from regard.algorithms.planning.machines import table_of
from regard.analysis.reach.argmax_graphs import ArgmaxReach, argmax_reach
from regard.analysis.reach.figures import draw_argmax, draw_picture, draw_reach
from regard.analysis.reach.patterns import PatternPicture
from regard.analysis.reach.receptive_field import Reach, reach
from regard.analysis.written import batch_of, mechanism, number_of, planned  # noqa: F401 - commands ask for all here
from regard.attention import Attention, Everything, Grid, Hard, Mask, Padding, Places, Shape, Weighting
from regard.attention.notation import check_sizes, parse_mask, parse_weighting


def this_machine() -> str:
    """The name of its table."""
    return table_of(torch.device("cuda" if torch.cuda.is_available() else "cpu")).name


def visible_pairs(mask: str, lengths: str | None) -> Mask:
    visible = parse_mask(mask)
    if lengths is None:
        return visible
    padding = Padding(whole_numbers(lengths))
    return padding if isinstance(visible, Everything) else visible & padding


def placed(grid: str | None, stride: str | None, tokens: int | None, keys: int | None, default: int) -> Places:
    """Where the tokens stand: `default` of them where nobody says how many."""
    return in_line(tokens or default, keys, stride) if grid is None else on_grid(grid, stride, tokens, keys)


def in_line(tokens: int, keys: int | None, stride: str | None) -> Places:
    if stride is not None:
        raise ValueError(f"--stride keeps pixels of a grid: got --stride {stride} without one; add --grid 64x64")
    return Attention().places(tokens, keys or tokens)


def on_grid(grid: str, stride: str | None, tokens: int | None, keys: int | None) -> Places:
    """Keys at all pixels, queries at those that the stride keeps."""
    for option, count in (("--tokens", tokens), ("--keys", keys)):
        if count is not None:
            raise ValueError(f"--grid says how many tokens there are: got {option} {count} too; use one of the two")
    pixels = Grid(*sides("--grid", grid, "64x64"))
    if stride is None:
        return Places(pixels, pixels)
    down, right = sides("--stride", stride, "2 or 2x3", one_for_both=True)
    return Places(Grid(-(-pixels.h // down), -(-pixels.w // right), step=(down, right)), pixels)


def sides(option: str, text: str, example: str, one_for_both: bool = False) -> tuple[int, int]:
    parts = text.lower().split("x")
    if one_for_both and len(parts) == 1:
        parts = parts * 2
    if len(parts) != 2 or not all(is_whole(part) and int(part) for part in parts):
        raise ValueError(
            f"{option} must be whole numbers from 1 to below 10**18, rows x columns: got {text!r}; write {example}"
        )
    return int(parts[0]), int(parts[1])


def whole_numbers(lengths: str) -> list[int]:
    for part in lengths.split(","):
        if not is_whole(part):
            raise ValueError(
                f"--lengths must be whole numbers with commas: got {part!r} in {lengths!r}; write 512,1024"
            )
    return [int(part) for part in lengths.split(",")]


def is_whole(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit() and len(text) < 19


def weighting_of(text: str | None, hard: bool, width: int) -> Weighting:
    """The weighting that is named; `--hard` is short for one of them."""
    if hard and text is not None:
        raise ValueError(f"--hard is a weighting: got --weighting {text} too; use one of the two")
    return Hard() if hard else parse_weighting("softmax" if text is None else text, width)


def after_cache(
    known: int,
    sizes: tuple[int, ...],
    attention: Attention,
    dtype: str | None,
    device: str,
    useless: dict[str, object],
) -> NextToken:
    """The plan of the new tokens behind `known` ones; options that say nothing there are `useless`."""
    for option, given in useless.items():
        if given:
            raise ValueError(f"--cached plans equal rows of tokens in a line, one step: got {option} too; leave it out")
    B, H, G, T, _, D, E = sizes
    check_sizes((B, H, known + T, max(D, E)))
    shape = Shape(B, H, G, T, known + T, D, E)
    return next_token(shape, attention, dtype=number_of(dtype, device), device=device)


def pixel_of(text: str | None) -> tuple[int, int] | None:
    """Row and column of a pixel, counted from 0."""
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != 2 or not all(is_whole(part) for part in parts):
        raise ValueError(f"--pixel must be a row and a column, from 0: got {text!r}; write 3,5")
    return int(parts[0]), int(parts[1])


def write_svg(path: Path, drawn: PatternPicture, title: str) -> None:
    """Draw a pattern into a file."""
    save_svg(path, lambda: draw_picture(drawn, title))


def save_svg(path: Path, draw: Callable[[], Any]) -> None:
    """Make a figure and save it."""
    if path.suffix.lower() != ".svg":
        raise ValueError(f"--svg must name a file that ends in .svg: got {str(path)!r}; write {path.stem}.svg")
    try:
        figure = draw()
    except ImportError as error:  # it says what to install
        raise ValueError(str(error)) from error
    figure.savefig(path, format="svg", metadata={"Date": None})


def reached(
    masks: list[str] | None,
    grid: str | None,
    count: int | None,
    depth: int,
    residual: bool,
    output: int | None,
    pixel: tuple[int, int] | None,
    row: int,
) -> Reach:
    """The receptive field of layers whose masks, in turn, are written so."""
    layers = [parse_mask(text) for text in masks or ["everything"]]
    longest = max([batch_of(mask)[1] or 0 for mask in layers])
    tokens = placed(grid, None, count, None, default=longest or 4096).keys
    if pixel is not None:
        if not isinstance(tokens, Grid):
            raise ValueError(f"a pixel stands on a grid: got --pixel {pixel[0]},{pixel[1]} without one; use --output")
        if output is not None:
            raise ValueError(f"one output is followed: got --output {output} and --pixel too; use one of the two")
        if pixel[0] >= tokens.h or pixel[1] >= tokens.w:
            raise ValueError(f"--pixel must lie on {tokens.h} × {tokens.w} pixels: got {pixel[0]},{pixel[1]}; use 0,0")
        output = pixel[0] * tokens.w + pixel[1]
    return reach(list(layers), tokens, depth, residual=residual, output=output, row=row)


def chosen_by_heads(
    heads: int | None, tokens: int | None, depth: int, residual: bool, tied: bool, useless: dict[str, object]
) -> ArgmaxReach | None:
    """The receptive field of so many argmax heads, if they are asked for; options that say nothing there `useless`."""
    if heads is None:
        if tied:
            raise ValueError("--tied is for argmax heads: got none; add --heads-argmax 2")
        return None
    for option, given in useless.items():
        if given is not None:
            raise ValueError(f"--heads-argmax chooses any token of a line: got {option} too; leave it out")
    return argmax_reach(tokens or 4096, heads, depth, residual=residual, tied=tied)


def write_reach(path: Path, result: Reach | ArgmaxReach, title: str) -> None:
    """Draw a receptive field into a file."""
    save_svg(path, lambda: draw_argmax(result) if isinstance(result, ArgmaxReach) else draw_reach(result, title))
