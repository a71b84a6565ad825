"""Texts that come in both languages (findings, names of columns, tie rules), in the reader's."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import get_language

__all__ = ["in_language"]


def in_language(text: Mapping[str, str] | None) -> str:
    """Return the text in the language of this request, else in English."""
    if not text:
        return ""
    language = (get_language() or "en")[:2]
    return text.get(language) or text.get("en", "")
