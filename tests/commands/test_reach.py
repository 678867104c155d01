"""`regard reach`: the table, the numbers, the file, and one clear line for what it cannot use."""

import functools
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.collections import PolyCollection

from regard.analysis import argmax_reach, reach
from regard.analysis.reach.figures import draw_argmax, draw_reach
from regard.attention import Causal, Everything, Grid, Neighbours, Window
from regard.attention.notation import parse_mask
from tests.commands.running import check_refused, run

regard = functools.partial(run, "reach")


def counted(*arguments: str) -> dict:
    result = regard("--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_it_prints_the_growth() -> None:
    result = regard("--mask", "causal & window(256)", "--layers", "3", "--tokens", "4096")
    assert result.exit_code == 0
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert "\n".join(lines) == str(reach(Causal() & Window(256), 4096, 3))
    assert lines[6].split() == ["3", "1", "696.9", "769", "769", "769"]
    assert lines[-1] == "formula for output 2048: min(i, 256·n) + 1 with output i, n layers"
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in result.stdout


def test_json_is_the_result_and_every_option_reaches_it() -> None:
    assert counted("--layers", "1") == json.loads(reach([Everything()], 4096, 1).json())
    made = counted("--mask", "same_row", "--mask", "same_column", "--grid", "4x6", "--layers", "3", "--pixel", "1,5")
    assert (made["masks"], made["sides"], made["output"]) == (["SameRow()", "SameColumn()"], [4, 6], 11)
    assert [at["here"] for at in made["depths"]] == [6, 24, 24]
    hidden = ["--mask", "~window(0)", "--tokens", "2", "--layers", "3", "--output", "1"]
    assert [at["here"] for at in counted(*hidden)["depths"]] == [2, 2, 2]
    bare = counted(*hidden, "--no-residual")
    assert [at["here"] for at in bare["depths"]] == [1, 1, 1]
    assert (bare["residual"], bare["missing_runs"]) == (False, [[1, 1]])
    rows = [counted("--mask", "padding(5, 9)", "--layers", "1", "--row", row)["depths"][0]["most"] for row in "01"]
    assert rows == [5, 9]


def test_argmax_heads() -> None:
    made = counted("--heads-argmax", "2", "--layers", "8")
    assert made == json.loads(argmax_reach(4096, 2, 8).json())
    assert [at["widest"] for at in made["depths"]] == [min(4096, 3**n) for n in range(1, 9)]
    tied = counted("--heads-argmax", "2", "--layers", "3", "--tokens", "100", "--tied", "--no-residual")
    assert [at["bound"] for at in tied["depths"]] == [2, 4, 8]
    assert tied["tied"]
    assert "formula of the bound: min(N, (k + 1)ⁿ)" in regard("--heads-argmax", "2", "--layers", "2").stdout


def words(path: Path) -> list[str]:
    root = ElementTree.parse(path).getroot()
    assert not list(root.iter("{http://www.w3.org/2000/svg}image"))
    return ["".join(found.itertext()) for found in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_figures_are_svg_of_text_and_paths(tmp_path: Path) -> None:
    line, image, graph = (tmp_path / name for name in ("line.svg", "image.SVG", "graph.svg"))
    assert regard("--mask", "window(3)", "--tokens", "500", "--svg", str(line)).exit_code == 0
    assert {"window(3)", "convolution 4", "a cell is 6 tokens, pale where in part"} <= set(words(line))
    assert regard("--mask", "axial", "--grid", "5x7", "--layers", "2", "--svg", str(image)).exit_code == 0
    assert "what reaches output (2, 3): layer 1 dark, layer 2 pale" in words(image)
    assert regard("--heads-argmax", "1", "--tokens", "64", "--svg", str(graph)).exit_code == 0
    assert "1 argmax head: Min(N, (k + 1)**n)" in words(graph)
    again = line.read_bytes()
    regard("--mask", "window(3)", "--tokens", "500", "--svg", str(line))
    assert len(line.read_bytes()) == len(again)  # no date in it


def test_what_is_drawn_is_what_was_counted() -> None:
    result = reach(Neighbours(1, 2), Grid(9, 12), 3, output=4 * 12 + 5)
    growth, region = draw_reach(result).axes
    lines = {str(line.get_label()): list(line.get_ydata()) for line in growth.get_lines()}  # pyright: ignore
    assert lines["most, to fewest"] == [at.most for at in result.depths]
    assert lines["convolution 4 × 4"] == [16, 49, 90]
    painted = 0.0
    for bars in region.collections:
        assert isinstance(bars, PolyCollection)
        for path in bars.get_paths():
            (left, top), (right, bottom) = path.vertices.min(0), path.vertices.max(0)  # pyright: ignore
            painted += (right - left) * (bottom - top)
    assert painted == int(result.reached[-1].sum()) == 7 * 12
    (panel,) = draw_argmax(argmax_reach(50, 2, 4)).axes
    drawn = {str(line.get_label()): list(line.get_ydata()) for line in panel.get_lines()}  # pyright: ignore
    assert drawn["attained"] == drawn["bound"] == [3, 9, 27, 50]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mask", "causl"], "got 'causl' at character 1; did you mean causal?"),
        (["--mask", "axial"], "Axial() is for Grid positions"),
        (["--mask", "blocks(4)", "--grid", "4x4"], "needs tokens in a line"),
        (["--mask", "causal", "--grid", "4x4", "--tokens", "3"], "got --tokens 3 too"),
        (
            ["--mask", "causal", "--mask", "window(1)", "--layers", "1"],
            "at least one layer per mask: got depth=1 for 2",
        ),
        (["--layers", "0"], "'--layers'"),
        (["--layers", "1025"], "depth must be from 1 to 1024 layers: got depth=1025; use 12"),
        (["--output", "9", "--tokens", "9"], "output must be one of the 9 tokens: got output=9; use 0…8"),
        (["--pixel", "1,1"], "a pixel stands on a grid: got --pixel 1,1 without one; use --output"),
        (["--pixel", "4,0", "--grid", "4x4"], "--pixel must lie on 4 × 4 pixels: got 4,0; use 0,0"),
        (["--pixel", "1,1", "--output", "3", "--grid", "4x4"], "got --output 3 and --pixel too; use one of the two"),
        (["--mask", "padding(5, 9)", "--row", "2"], "row must be one of the 2"),
        (["--mask", "window(1) | blocks(4)", "--tokens", "9000"], "of at most 8,192 tokens: got 9,000; use fewer"),
        (["--tied"], "--tied is for argmax heads: got none; add --heads-argmax 2"),
        (["--heads-argmax", "2", "--mask", "causal"], "--heads-argmax chooses any token of a line: got --mask too"),
        (["--heads-argmax", "2", "--grid", "4x4"], "got --grid too; leave it out"),
        (["--heads-argmax", "2", "--row", "0"], "got --row too; leave it out"),
        (["--heads-argmax", "2", "--tokens", "2000000"], "tokens must be from 1 to 1,048,576: got tokens=2,000,000"),
        (["--tokens", "9", "--svg", "map.png"], "--svg must name a file that ends in .svg: got 'map.png'"),
        (["--tokens", "9", "--svg", "/no/such/folder/map.svg"], "/no/such/folder/map.svg"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "says",
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    check_refused(regard(*arguments), message)


def test_without_matplotlib_the_table_still_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from regard.analysis.figures import _figure_class

    _figure_class.cache_clear()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert regard("--tokens", "9").exit_code == 0
    result = regard("--tokens", "9", "--svg", str(tmp_path / "map.svg"))
    assert result.exit_code == 2
    assert result.stderr == "regard: figures must have matplotlib: got none; use pip install 'regard[figures]'\n"


def test_the_examples_in_the_help_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = " ".join(regard("--help").stdout.split())
    examples = [
        (["causal & window(256)"], ["--layers", "12", "--tokens", "4096"]),
        (["tiles(8, 8)", "tiles(8, 8, down=4, right=4)"], ["--grid", "56x56", "--layers", "6", "--svg", "swin.svg"]),
        ([], ["--heads-argmax", "2", "--layers", "8"]),
    ]
    for masks, options in examples:
        assert all(parse_mask(mask) is not None for mask in masks)
        written = "".join([f'--mask "{mask}" ' for mask in masks])
        assert f"regard reach {written}{' '.join(options)}" in shown
        assert regard(*[word for mask in masks for word in ("--mask", mask)], *options).exit_code == 0
    assert (tmp_path / "swin.svg").exists()
