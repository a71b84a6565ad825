"""Texts that come in both languages (findings, names of columns, tie rules), in the reader's."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import get_language

__all__ = ["column_name", "in_language"]

# The files of the contests have no header line: these are names that checkers give their columns.
_COLUMNS = {
    "pseudonym": "仮名",
    "customer": "顧客ID",
    "date": "日付",
    "goods": "商品",
    "price": "単価",
    "quantity": "数量",
}


def in_language(text: Mapping[str, str] | None) -> str:
    """Return the text in the language of this request, else in English."""
    if not text:
        return ""
    language = (get_language() or "en")[:2]
    return text.get(language) or text.get("en", "")


def column_name(name: str | None) -> str:
    """Return the name of a column as the reader knows it; names of real header lines stay as they are."""
    return in_language({"en": name, "ja": _COLUMNS.get(name, name)}) if name else ""
