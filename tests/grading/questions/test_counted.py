"""Truths that are counted and nothing else: which answers they take, and how their parts are called."""

from pathlib import Path

import pytest

from regard.grading import Entry, compile_key, mark, read_questions

FUNCTIONS = """
import torch
from torch import nn


def squares(n):
    return n * n


def tiny(n):
    return n * 5.6e-42


def linear(D, H):
    return nn.Linear(D, H)


def sequence(D, H):
    return nn.Sequential(nn.Linear(D, H), nn.ReLU(), nn.Linear(H, D, bias=False))


def sequence_called(D, H):
    return sequence(D, H), (torch.empty(1, D),)


def long_sequence(D, H):
    return nn.Sequential(*[nn.Linear(D, D) for _ in range(8)], nn.Linear(D, H, bias=False))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    return tmp_path


def counted(folder: Path, function: str, symbols: str, count: str = "value") -> Entry:
    """The entry of a formula without an answer."""
    lines = [f'counted = "functions.py:{function}"', f'count = "{count}"', f"symbols = {{ {symbols} }}"]
    path = folder / "mine.toml"
    path.write_text("\n".join(['[[question]]\nid = "q"\ntext = "?"\nkind = "formula"', *lines]), "utf-8")
    return compile_key(read_questions(path))["q"]


def test_only_what_was_counted_is_right(folder: Path):
    """No value is so large, and none so small, that it would pass for another."""
    squares = counted(folder, "squares", 'n = "positive"')
    assert mark(squares, "n²").right
    assert mark(squares, "√n · n^(3/2)").right
    for given in ("√2·10^350", "e^(n·999)", "n² + 10^-30·√2", "n² (1 + 10^-10)"):
        assert mark(squares, given).points == 0, given
    tiny = counted(folder, "tiny", 'n = "positive"')
    assert mark(tiny, "5.6e-42 n").right
    for given in ("0", "5.7e-42 n", "10^-100", "√2·10^350", "e^(n·999)"):
        assert mark(tiny, given).points == 0, given


def test_the_parts_of_a_count_are_named_and_none_is_zero(folder: Path):
    """Numbered layers go by their parameters, or by their types where there are many."""

    def parts(function: str, count: str = "parameters") -> dict[str, int]:
        entry = counted(folder, function, 'D = "positive", H = "positive"', count)
        return dict(next(found.parts for found in entry.counts if found.sizes == {"D": 2, "H": 3}))

    assert parts("linear") == {"weight": 6, "bias": 3}
    assert parts("sequence") == {"0.weight": 6, "0.bias": 3, "2.weight": 6}
    assert parts("sequence_called", "multiply-adds") == {"Linear 0": 6, "Linear 2": 6}
    assert parts("long_sequence") == {f"Linear {n}": 6 for n in range(9)}
