"""What a schema says of how values are read: keys of a column, and the two of the schema itself.

    subject = ["name", "year"]          # several columns name a person together
    missing = ["NA", "-"]               # these words stand for no value, in every column

    [columns]
    weight = { kind = "number", step = 0.1, decimal = "," }
    notes  = { kind = "category", text = "redact" }              # or "keep", or a list of words: ["pain", "fever"]

Free text is refused unless the schema says what becomes of it: it is published as it is (``keep``), with names, numbers
and addresses blacked out (``redact``), or cut to those of the listed words that it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

READING_KEYS: Mapping[str, type | tuple[type, ...]] = {"decimal": str, "rounded": bool, "text": (str, list)}
TEXT_CHOICES = ("keep", "redact")


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


def schema_keys(subject: Any, missing: Any) -> tuple[tuple[str, ...], str]:
    """Return the columns that name a person (none: there is no such key), and what is wrong in words, or nothing."""
    if not _texts(missing):
        return (), "'missing' must be a list of words in quotes, such as [\"NA\"]"
    if isinstance(subject, str):
        return (subject,), ""
    if not _texts(subject):
        return (), ""
    if len(set(subject)) < len(subject):
        return (), "'subject' names a column twice; name every column once"
    return tuple(subject), ""


def reading_fault(spec: Mapping[str, Any]) -> str:
    """Return what is wrong with the keys of a column in words, or nothing."""
    kind, text = spec.get("kind"), spec.get("text", "")
    if spec.get("decimal", ".") not in (".", ","):
        return 'decimal must be "." or ","'
    if ("decimal" in spec or "rounded" in spec) and kind not in ("number", "place"):
        return f"only numbers have a decimal sign and are rounded, but this is a {kind}; leave it out"
    if text and kind != "category":
        return f'only a category can be free text, but this is a {kind}; write kind = "category"'
    if text and not _texts(text) and text not in TEXT_CHOICES:
        return 'text must be "keep", "redact" or a list of words to cut it to'
    return ""


def reading_values(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a Column for the keys that are there; a decimal point is what numbers have anyway."""
    decimal, text = spec.get("decimal", ""), spec.get("text", "")
    return {
        "decimal": "" if decimal == "." else decimal,
        "rounded": spec.get("rounded", False),
        "text": tuple(text) if isinstance(text, list) else text,
    }


def reading_parts(decimal: str, text: str | tuple[str, ...]) -> list[tuple[str, str | tuple[str, ...]]]:
    """Return the keys of a column that a schema file has to state, with their values."""
    stated: list[tuple[str, str | tuple[str, ...]]] = [("decimal", decimal), ("text", text)]
    return [(name, value) for name, value in stated if value]
