"""Texts that come in both languages (findings, names of columns, tie rules), in the reader's."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import get_language

from tokumei.words import Words


def in_language(text: Mapping[str, str] | None) -> str:
    """Return the text in the language of this request, else in English."""
    return (text.get(_language()) or text.get("en", "")) if text else ""


def column_name(name: str | None) -> str:
    """Return the name of a column as the reader knows it; names of real header lines stay as they are."""
    return Words(_language(), "tokumei_arena").named("column", name) if name else ""


def _language() -> str:
    return (get_language() or "en")[:2]
