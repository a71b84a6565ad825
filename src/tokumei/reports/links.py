"""Numbers as documents link them, each to its definition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from markupsafe import Markup, escape

from tokumei.words import plain

DASH = "–"
Form = Callable[[float], str]
_NUMBER = re.compile(r"(?<![\w'「.,−-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?(?: ?%)?(?![\w'」])", re.ASCII)


def linked(text: object, term: str) -> Markup:
    """Return a shown number as a link to the definition of its term."""
    return Markup('<a class="n" href="#term-{}">{}</a>').format(term, text)


def numbers(values: Iterable[float | None], term: str, *, form: Form = plain) -> list[Markup | str]:
    """Return a column of values as numbers linked to a term, a dash where there is none; ``form`` writes a value."""
    return mixed_numbers([(value, term, form) for value in values])


def mixed_numbers(entries: Iterable[tuple[float | None, str, Form]]) -> list[Markup | str]:
    """Return values, each with its term and its form, as linked numbers."""
    shown = [(None if value is None else form(value), term) for value, term, form in entries]
    return [DASH if text is None else linked(text, term) for text, term in shown]


def with_links(text: str, term: str) -> Markup:
    """Return a sentence whose numbers link to a term; quoted names keep their digits to themselves."""
    parts, place = [Markup()], 0
    for found in _NUMBER.finditer(text):
        parts += [escape(text[place : found.start()]), linked(found.group(), term)]
        place = found.end()
    return Markup().join([*parts, escape(text[place:])])
