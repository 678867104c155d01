"""The documentation site: `make docs` builds it offline, and warnings are errors."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent)]

project = "regard"
author = "the regard maintainers"
copyright = "the regard maintainers, Apache 2.0"

extensions = ["myst_parser", "sphinx.ext.autodoc", "mathml", "docstrings", "generated_pages"]
exclude_patterns = ["_build", "_extensions"]

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # reports of runs begin with the heading that suits a folder of their own

default_role = "literal"  # `name` in a docstring is code
autodoc_typehints = "none"  # the legend of shapes stands in the docstrings; jaxtyping's annotations are long
autodoc_inherit_docstrings = False  # torch's docstrings are not ours
autodoc_member_order = "bysource"
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "regard"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
