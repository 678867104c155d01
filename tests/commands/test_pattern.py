"""`regard pattern`: the drawing, the counts, the file, and one clear line for what it cannot use."""

import functools
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from regard.analysis import picture
from regard.analysis.reach.patterns import text
from regard.attention import Grid, Places
from regard.attention.notation import parse_mask
from tests.commands.running import check_refused, run

regard = functools.partial(run, "pattern")


def shown(*arguments: str) -> dict:
    result = regard("--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


STRIPES = "causal & (window(4) | strided(8))"


def test_it_draws_and_counts() -> None:
    result = regard(STRIPES)
    assert result.exit_code == 0
    assert result.stdout == text(picture(parse_mask(STRIPES), 64), STRIPES) + "\n"
    lines = result.stdout.splitlines()
    assert lines[:2] == [STRIPES, "64 queries down, 64 keys across"]
    assert lines[-2:] == [
        "visible  534 of 4,096 pairs, 13 %; a query sees at most 12 keys",
        "visited  10 of 16 blocks of 16 × 16: 2,560 pairs, 62.5 %",
    ]
    assert max(map(len, lines)) <= 78
    assert "\x1b" not in result.stdout


def test_every_option_reaches_the_picture() -> None:
    made = shown("window(3)", "--tokens", "10", "--keys", "20", "--block", "4")
    assert (made["mask"], made["queries"], made["keys"]) == ("Window(before=3, after=0)", [10], [20])
    assert made["counts"] == {
        "visible": 40,
        "most": 4,
        "block": 4,
        "blocks": 15,
        "visited": 8,
        "visited_pairs": 112,
    }
    made = shown("tiles(2, 3)", "--grid", "4x6", "--stride", "2x3", "--pixel", "1,0")
    assert (made["queries"], made["keys"]) == ([2, 2], [4, 6])
    assert made["view"]["pixel"] == [1, 0]
    assert made["view"]["own"] == [2, 0]
    made = shown("padding(5, 9)", "--row", "1")
    assert (made["queries"], made["row"], made["rows"], made["counts"]["visible"]) == ([9], 1, 2, 81)
    assert shown("padding(5, 9)")["counts"]["visible"] == 25


def test_json_is_the_picture() -> None:
    places = Places(Grid(6, 8), Grid(6, 8))
    assert shown("axial", "--grid", "6x8") == json.loads(picture(parse_mask("axial"), places).json())


def test_sixteen_thousand_tokens() -> None:
    made = shown("window(256, 256) | global_tokens(4)", "--tokens", "16384", "--block", "128")
    assert made["is_exact"]
    assert made["counts"]["visible"] == 513 * 16384 - 256 * 257 + 2 * sum(16384 - 257 - i for i in range(4))
    assert made["counts"]["visited"] == 128 + 2 * 127 + 2 * 126 + 2 * 125


def test_the_figure_is_an_svg_of_text_and_paths(tmp_path: Path) -> None:
    path = tmp_path / "tiles.SVG"
    result = regard("tiles(4, 4, down=2, right=2)", "--grid", "12x16", "--pixel", "5,7", "--svg", str(path))
    assert result.exit_code == 0
    assert "the query at row 5, column 7 (<>) sees 16 of 192 keys" in result.stdout
    root = ElementTree.parse(path).getroot()
    words = ["".join(found.itertext()) for found in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "tiles(4, 4, down=2, right=2)" in words
    assert "the query at (5, 7) sees 16 keys" in words
    assert not list(root.iter("{http://www.w3.org/2000/svg}image"))
    again = path.read_bytes()
    regard("tiles(4, 4, down=2, right=2)", "--grid", "12x16", "--pixel", "5,7", "--svg", str(path))
    assert len(path.read_bytes()) == len(again)  # no date in it


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["causl"], "got 'causl' at character 1; did you mean causal?"),
        (["window(2)", "--pixel", "1,1"], "a pixel stands on a grid: got pixel=(1, 1) for tokens in a line; leave it"),
        (["axial"], "Axial() is for Grid positions: got queries=Sequence(n=64"),
        (["blocks(4)", "--grid", "4x4"], "Blocks(size=4, shift=0) needs tokens in a line: got queries=Grid(h=4, w=4"),
        (["axial", "--grid", "4x4", "--pixel", "4,0"], "got (4, 0) on 4 × 4 pixels; use (0, 0)"),
        (["axial", "--grid", "4x4", "--pixel", "4"], "--pixel must be a row and a column, from 0: got '4'; write 3,5"),
        (["axial", "--grid", "4x4", "--pixel", "a,b"], "got 'a,b'"),
        (["axial", "--grid", "4x4", "--pixel", "-1,2"], "got '-1,2'"),
        (["axial", "--grid", "4"], "--grid must be whole numbers"),
        (["axial", "--grid", "4x4", "--tokens", "3"], "got --tokens 3 too"),
        (["causal", "--stride", "2"], "--stride keeps pixels of a grid"),
        (["padding(5, 9)", "--row", "2"], "row must be one of the 2"),
        (["padding(5, 9)", "--tokens", "8"], "lengths must lie in 0…S=8: got 9 in row 1"),
        (["blocks(0)"], "size must be a whole number from 1 to below 2^62: got size=0; use 1 or more, in 'blocks(0)'"),
        (
            ["causal", "--tokens", "1000000"],
            "at most 2^26 blocks are counted: got 3,906,250,000 of 16 × 16; use blocks of 128",
        ),
        (["causal", "--tokens", "10000000000"], "a picture has at most 2^23 queries: got 10,000,000,000; use fewer"),
        (
            ["strided(2) | blocks(8)", "--tokens", "100000"],
            "at most 2^28 of them: got 100,000 × 100,000; use fewer tokens",
        ),
        (["axial", "--grid", "100000x100000"], "at most 2^23 queries: got 10,000,000,000"),
        (["causal", "--svg", "map.png"], "--svg must name a file that ends in .svg: got 'map.png'; use map.svg"),
        (["causal", "--svg", "map"], "got 'map'; use map.svg"),
        (["causal", "--svg", "/no/such/folder/map.svg"], "/no/such/folder/map.svg"),
        (["causal", "--block", "0"], "'--block'"),
        (["causal", "--tokens", "0"], "'--tokens'"),
        ([], "MASK"),
        (["causal", "strided(2)"], "strided(2)"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "says",
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    check_refused(regard(*arguments), message)


def test_without_matplotlib_the_drawing_in_the_terminal_still_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from regard.analysis.figures import _figure_class

    _figure_class.cache_clear()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert regard(STRIPES).exit_code == 0
    result = regard(STRIPES, "--svg", str(tmp_path / "map.svg"))
    assert result.exit_code == 2
    assert result.stderr == "regard: figures must have matplotlib: got none; use pip install 'regard[figures]'\n"
    assert not list(tmp_path.iterdir())


def test_the_examples_in_the_help_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = " ".join(regard("--help").stdout.split())
    examples = [
        [STRIPES],
        ["window(256, 256) | global_tokens(4)", "--tokens", "16384", "--block", "128"],
        ["tiles(4, 4, down=2, right=2)", "--grid", "12x16", "--pixel", "5,7", "--svg", "tiles.svg"],
    ]
    for mask, *options in examples:
        assert f'regard pattern "{mask}" {" ".join(options)}'.strip() in shown
        assert regard(mask, *options).exit_code == 0
    assert (tmp_path / "tiles.svg").exists()
    for name in ("dilated(step, before, after)", "blocks(size, shift)", "global_tokens(n)", "same_row", "axial"):
        assert name.split("(")[0] in shown
