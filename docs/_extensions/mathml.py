"""Formulas as MathML, which browsers typeset themselves, so that a page loads nothing from elsewhere."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def render_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def render_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (render_inline, None), (render_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
