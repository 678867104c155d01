"""Docstrings as reStructuredText: ours are plain text with `code`, indented formulas and examples."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx

SPECIAL = re.compile(r"(?P<code>`[^`]+`)|(?P<mark>[*|\\])|(?P<reference>(?<=\w)_(?!\w))")


def translate(lines: list[str]) -> Iterator[str]:
    r"""Keep examples, set indented text as it stands, and escape what reStructuredText would take for markup.

    >>> list(translate(["The |norm| of `x`:", "    ‖x‖ = 2"]))
    ['The \\|norm\\| of ``x``:', '', '.. code-block:: text', '', '    ‖x‖ = 2', '']
    """
    for is_blank, paragraph in groupby(lines, key=lambda line: not line.strip()):
        if is_blank:
            yield ""
            continue
        block = list(paragraph)
        if block[0].lstrip().startswith(">>>"):
            yield from block
            continue
        for is_indented, part in groupby(block, key=lambda line: line.startswith("    ")):
            if is_indented:
                yield from ("", ".. code-block:: text", "", *part, "")
            else:
                yield from (SPECIAL.sub(escape, line) for line in part)


def escape(found: re.Match[str]) -> str:
    return f"`{found['code']}`" if found["code"] else f"\\{found[0]}"


def process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = translate(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
