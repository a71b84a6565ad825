"""How the guide is built: ``make docs`` writes docs/_build/en and docs/_build/ja, side by side."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parent))
import notebook_pages
import reference_pages

project = "Tokumei"
author = "the Tokumei developers"
project_copyright = "the Tokumei developers"
release = metadata.version("tokumei")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# For the English guide docs/ is the source folder, for the Japanese one docs/ja; patterns count from there.
exclude_patterns = ["_build", "ja", "images", "templates"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"
templates_path = ["templates"]
html_theme = "furo"
html_title = "Tokumei"
html_show_sourcelink = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "other_language.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
nitpicky = False
# Options such as --k must keep their two dashes.
smartquotes = False
# A line that ends within Japanese text goes on without a space.
JAPANESE = "[\\u3000-\\u9fff\\uff00-\\uffef]"


def _write_reference(app: Sphinx) -> None:
    """Make the pages that follow from the program itself, for the guide that is being built."""
    generated = Path(app.srcdir) / "reference" / "generated"
    reference_pages.write_pages(generated)
    notebook_pages.write_examples(generated)


def _link_languages(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Give every page the address of itself in the other language; both guides have the same pages."""
    code, name = ("en", "English") if app.config.language == "ja" else ("ja", "日本語")
    address = f"{'../' * (pagename.count('/') + 1)}{code}/{pagename}.html"
    context["other_language"] = {"code": code, "name": name, "address": address}


def _join_japanese_lines(_app: Sphinx, _name: str, source: list[str]) -> None:
    source[0] = re.sub(rf"(?<={JAPANESE})\n(?={JAPANESE})", "", source[0])


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("builder-inited", _write_reference)
    app.connect("source-read", _join_japanese_lines)
    app.connect("html-page-context", _link_languages)
