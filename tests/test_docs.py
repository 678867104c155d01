"""The README and the guides: short, linked to what exists, with commands that the command line knows.

Their Python examples are executed as doctests, which pyproject.toml asks for.
"""

import importlib
import re
import shlex
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import typer.main

from regard.claims import judge, select
from regard.commands.app import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
COMMAND = re.compile(r"(?:^|\| `)(regard(?: [^\n`]*)?)(?:$|`)", re.MULTILINE)


def commands(text: str) -> list[str]:
    r"""The commands at the beginning of a line or of a table's row, without their comments.

    >>> commands("regard plan --mask causal   # the plan\n| `regard runs` | …")
    ['regard plan --mask causal', 'regard runs']
    """
    return [re.split(r"\s+#\s", found)[0].strip() for found in COMMAND.findall(text)]


CALLS = sorted({line for page in PAGES for line in commands(page.read_text())})


def test_the_readme_is_read_in_a_minute():
    assert len((ROOT / "README.md").read_bytes()) <= 8000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path):
    targets = [link for link in LINK.findall(page.read_text()) if not link.startswith("https://")]
    assert [link for link in targets if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("line", CALLS)
def test_the_command_line_knows_what_the_pages_show(line: str):
    _, *words = takewhile(lambda word: word not in ("<", ">", "|"), shlex.split(line))
    group: Any = typer.main.get_command(app)
    context = group.make_context("regard", [*words], resilient_parsing=True)
    if words and not words[0].startswith("-"):
        name, command, rest = group.resolve_command(context, words)
        own = command.context_class(command, info_name=name, parent=context)
        command.make_parser(own).parse_args(args=list(rest))  # an option that does not exist is an error


def test_an_option_that_does_not_exist_would_be_caught():
    with pytest.raises(Exception, match="No such option"):
        test_the_command_line_knows_what_the_pages_show("regard plan --maks causal")


def test_a_claim_becomes_a_section_of_its_courses_page(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_extensions")
    pages = importlib.import_module("generated_pages")
    claims = select(["nyu.1d"])
    page = pages.course_page("nyu", claims, [judge(claim, chart=True) for claim in claims])
    assert "| [nyu.1d](#claim-nyu-1d) When attention is spread out | refuted |" in page
    for part in ("### The document says", "### Why", "$\\beta \\to 0$", "<svg", "The check: <code>regard.claims.nyu"):
        assert part in page


def test_contributing_names_every_room():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    layout = text[text.index("regard/\n") : text.index("benchmarks/ ")]
    rooms = {path.name for path in (ROOT / "regard").iterdir() if (path / "__init__.py").exists()}
    assert set(re.findall(r"^  (\w+)/", layout, re.MULTILINE)) == rooms


def test_contributing_names_files_that_exist():
    paths = re.findall(r"`((?:regard|tests|docs|benchmarks)/[\w./]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_many_commands_were_found():
    assert len(CALLS) > 30
