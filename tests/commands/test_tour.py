"""The tour: true where it says so, and failing where a number is not the document's."""

import io
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from regard.commands import tour
from regard.commands.app import app


def shown(width: int = 80, colour: bool = False) -> tuple[bool, str]:
    file = io.StringIO()
    console = Console(
        file=file, width=width, highlight=False, force_terminal=colour, color_system="truecolor" if colour else None
    )
    return tour.run(console), file.getvalue()


def test_every_number_of_the_document_is_there_twice() -> None:
    good, text = shown()
    assert good
    assert "✗" not in text
    assert text.count("IST Lisbon, Deep Learning, practical 10") == 1
    for printed in tour.DOCUMENT.values():
        for digits in printed:
            assert f"{digits} ✓" in text  # computed
            assert re.search(rf"{re.escape(digits)}(?! ✓)\s", text)  # the document's
    assert f"all {sum(map(len, tour.DOCUMENT.values()))} numbers agree" in text
    assert sum(map(len, tour.DOCUMENT.values())) == 39


@pytest.mark.parametrize("name", tour.DOCUMENT)
def test_one_changed_digit_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *rest = tour.DOCUMENT[name]
    changed = first[:-1] + str((int(first[-1]) + 1) % 10)
    monkeypatch.setitem(tour.DOCUMENT, name, (changed, *rest))
    result = CliRunner().invoke(app, ["tour"])
    assert result.exit_code == 1
    assert result.stdout.count(f"{first} ✗") == 1
    assert "numbers agree" not in result.stdout


def test_a_wrong_attend_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = tour.attend
    monkeypatch.setattr(tour, "attend", lambda *arguments: right(*arguments) + 1e-6)
    good, text = shown()
    assert not good
    assert "✗ not so: zeros, and zero gradients" in " ".join(text.split())


def test_a_wrong_hard_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tour, "Hard", tour.Attention().weighting.__class__)
    good, text = shown()
    assert not good
    assert "✗ not so: at β = 100" in text


def test_it_fits_80_columns_and_two_screens() -> None:
    _, text = shown()
    lines = text.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert len(lines) <= 100
    assert "\x1b" not in text
    assert "nn.MultiheadAttention   (nan, nan, nan, nan)" in text
    assert "regard                  (0, 0, 0, 0)" in text
    assert "▶   " in text


def test_maps_are_readable_without_colour_and_coloured_with() -> None:
    maps = tour.worked_example().maps
    plain, coloured = Console(width=80, file=io.StringIO()), Console(width=80, force_terminal=True)
    with plain.capture() as captured:
        plain.print(tour.draw_maps(maps, colour=False))
    text = captured.get()
    for weight in maps.flatten().tolist():
        assert f" {weight:.3f} " in text
    assert "█ 0.998 █" in text
    assert "▒ 0.597 ▒" in text
    with coloured.capture() as captured:
        coloured.print(tour.draw_maps(maps, colour=True))
    assert "\x1b[" in captured.get()
    assert "█" not in captured.get()
    assert shown(colour=True)[0]


def test_maps_keep_their_shades_where_colour_is_unwanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "█ 0.998 █" in shown(colour=True)[1]


def test_the_picture_is_an_svg_that_loads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "maps.svg"
    result = CliRunner().invoke(app, ["tour", "--svg", str(path)])
    assert result.exit_code == 0
    svg = path.read_text(encoding="utf-8")
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert "@font-face" not in svg
    assert not re.search(r"url\((?!#)", svg)
    assert "0.597" in svg
    assert "blockwise" in svg
    assert tour.draw_svg() == svg
