"""The names that the rooms export, as promised; `python tests/test_public_names.py` writes the list anew."""

import importlib
from pathlib import Path

import pytest

SNAPSHOT = Path(__file__).with_name("public_names.txt")
ROOMS = (
    "regard",
    "regard.attention",
    "regard.algorithms",
    "regard.layers",
    "regard.generation",
    "regard.models",
    "regard.integrations.transformers",
    "regard.training",
    "regard.recipes",
    "regard.analysis",
    "regard.claims",
    "regard.grading",
)


def exported(room: str) -> list[str]:
    return sorted(importlib.import_module(room).__all__)


def read_snapshot() -> dict[str, list[str]]:
    lines = (line.split(": ") for line in SNAPSHOT.read_text().splitlines())
    return {room: names.split() for room, names in lines}


@pytest.mark.parametrize("room", ROOMS)
def test_a_name_comes_or_goes_only_on_purpose(room: str):
    assert exported(room) == read_snapshot()[room]
    module = importlib.import_module(room)
    assert [name for name in exported(room) if not hasattr(module, name)] == []


if __name__ == "__main__":
    SNAPSHOT.write_text("".join(f"{room}: {' '.join(exported(room))}\n" for room in ROOMS))
