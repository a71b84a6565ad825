"""How the guide is built: ``make docs`` writes docs/_build/en and docs/_build/ja."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parent))
import reference_pages

project = "Tokumei"
author = "the Tokumei developers"
project_copyright = "the Tokumei developers"
release = version("tokumei")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "ja", "images"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"
html_theme = "furo"
html_title = "Tokumei"
html_show_sourcelink = False
nitpicky = False
suppress_warnings = ["myst.xref_missing"]


def _write_reference(app: Sphinx) -> None:
    """Make the pages that follow from the program itself; the Japanese guide links to the English ones."""
    if app.config.language != "ja":
        reference_pages.write_pages(Path(app.srcdir) / "reference" / "generated")


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("builder-inited", _write_reference)
