"""Numbers as reports show them: one format everywhere, each a link to its definition."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from tokumei.words import percent

__all__ = ["DASH", "linked", "number", "plain", "with_links"]

DASH = "–"
_NUMBER = re.compile(r"(?<![\w'「.,−-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?: ?%)?(?![\w'」])", re.ASCII)


def plain(value: float) -> str:
    """Return a number: thousands separated, up to three decimals below a hundred and one above.

    >>> plain(12345), plain(0.12345), plain(1234.5), plain(6.2)
    ('12,345', '0.123', '1,234.5', '6.2')
    """
    text = f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}"
    return text.rstrip("0").rstrip(".")


def linked(text: object, term: str) -> Markup:
    """Return a shown number as a link to the definition of its term."""
    return Markup('<a class="n" href="#term-{}">{}</a>').format(term, text)


def number(value: float | None, term: str, *, share: bool = False) -> Markup | str:
    """Return a value as a linked number, or a dash where there is none."""
    if value is None:
        return DASH
    return linked(percent(value) if share else plain(value), term)


def with_links(text: str, term: str) -> Markup:
    """Return a sentence whose numbers link to a term; quoted names keep their digits to themselves."""
    parts, place = [Markup()], 0
    for found in _NUMBER.finditer(text):
        parts += [escape(text[place : found.start()]), linked(found.group(), term)]
        place = found.end()
    return Markup().join([*parts, escape(text[place:])])
