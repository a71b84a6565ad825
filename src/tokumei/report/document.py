"""Documents: one self-contained HTML file, no script, no request, readable in print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import jinja2
from markupsafe import Markup

__all__ = ["Section", "Table", "render"]


@dataclass(frozen=True, slots=True)
class Table:
    """A small table of plain values."""

    headers: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a document: text, tables and charts (SVG)."""

    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    charts: Mapping[str, str] = field(default_factory=dict)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tokumei.report"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["cell"] = _cell
    return environment.get_template("document.html")


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def render(title: str, lead: str, sections: Sequence[Section], *, language: str = "en") -> str:
    """Return the document as HTML text; everything but the charts is escaped."""
    drawn = [
        {"section": section, "charts": {name: Markup(svg) for name, svg in section.charts.items()}}  # noqa: S704
        for section in sections
    ]
    return _template().render(title=title, lead=lead, sections=drawn, language=language)
