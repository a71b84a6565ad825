"""Findings of the checkers as notes in both languages, and errors of readers as notes without paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tokumei.contests.values import Both, Note

if TYPE_CHECKING:
    from tokumei.contests.check_result import CheckResult
    from tokumei.errors import Finding, TokumeiError

__all__ = ["KEPT_NOTES", "note_of", "note_of_error", "notes_of", "paired", "without_folders"]

# A wrong file of 80,000 rows easily has 400,000 findings; the count is kept, and this many sentences.
KEPT_NOTES = 1_000
LONGEST_VALUE = 200
_FOLDERS = re.compile(r"(/[^\s/,:]+)+/(?=[^\s/]+\.csv)")
_CANNOT_READ: Both = {
    "en": "the file cannot be used",
    "ja": "ファイルを読み込めません。文字コードはUTF-8、区切りはカンマのCSVにして、もう一度保存してください",
}


def note_of(code: str, sentences: Both, file: str = "", **facts: Any) -> Note:
    """Return a note with these facts put into its sentences."""
    return Note(code, {language: text.format(**facts) for language, text in sentences.items()}, file=file)


def notes_of(result: CheckResult, file: str, limit: int = KEPT_NOTES) -> list[Note]:
    """Return the first findings of a checker, each with its sentence in both languages."""
    english, japanese = (result.findings(limit, language=language) for language in ("en", "ja"))
    return list(paired(english, japanese, file))


def paired(english: Sequence[Finding], japanese: Sequence[Finding], file: str) -> Iterable[Note]:
    """Return the same findings in two languages as notes."""
    for one, other in zip(english, japanese, strict=True):
        value = None if one.value is None else one.value[:LONGEST_VALUE]
        message = {"en": one.message, "ja": other.message}
        yield Note(one.code, message, file=file, line=one.line, column=one.column, name=one.name, value=value)


def without_folders(text: str) -> str:
    """Return a sentence in which files have no folders: those of an evaluation are nobody's business."""
    return _FOLDERS.sub("", text)


def note_of_error(error: TokumeiError, file: str = "") -> Note:
    """Return what a reader refused."""
    english = without_folders(str(error)) or _CANNOT_READ["en"]
    place = "" if error.line is None else f"（{error.line}行目）"
    message = {"en": english, "ja": f"{_CANNOT_READ['ja']}{place}"}
    return Note(error.code, message, file=file, line=error.line, column=error.column)
