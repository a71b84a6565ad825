"""Findings of the checkers as notes in both languages, and errors of readers as notes without paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tokumei.contests.values import Both, Note
from tokumei.words import Message, in_both

if TYPE_CHECKING:
    from tokumei.contests.check_result import CheckResult
    from tokumei.errors import Finding, TokumeiError

# A wrong file of 80,000 rows easily has 400,000 findings; the count is kept, and this many sentences.
KEPT_NOTES = 1_000
LONGEST_VALUE = 200
_FOLDERS = re.compile(r"(/[^\s/,:]+)+/(?=[^\s/]+\.csv)")


NO_ROWS: Both = {"en": "the file has no rows; give data", "ja": "ファイルに行がありません。データを入れてください"}


def make_note(code: str, sentences: Both, file: str = "", **facts: Any) -> Note:
    """Return a note with these facts put into its sentences."""
    return Note(code, {language: text.format(**facts) for language, text in sentences.items()}, file=file)


def notes_of(result: CheckResult, file: str, limit: int = KEPT_NOTES) -> list[Note]:
    """Return the first findings of a checker in a file."""
    return [note_of(found, file) for found in result.explained(limit)]


def note_of(found: Finding, file: str) -> Note:
    """Return a finding with its sentence in both languages, as it is kept."""
    value = None if found.value is None else found.value[:LONGEST_VALUE]
    message = in_both(found.message)
    return Note(found.code, message, file=file, line=found.line, column=found.column, name=found.name, value=value)


def without_folders(text: str) -> str:
    """Return a sentence in which files have no folders: those of an evaluation are nobody's business."""
    return _FOLDERS.sub("", text)


def note_of_error(error: TokumeiError, file: str = "") -> Note:
    """Return what a reader refused."""
    place = {} if error.line is None else {"line": error.line}
    message = in_both(Message("file.unreadable-line" if place else "file.unreadable", place))
    english = without_folders(str(error)) or message["en"]
    return Note(error.code, {**message, "en": english}, file=file, line=error.line, column=error.column)
