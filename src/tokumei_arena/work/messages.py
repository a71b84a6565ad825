"""Why a file is refused before anything parses it: a code with its values."""

from __future__ import annotations

from typing import Any

from tokumei.contests import Note
from tokumei.words import Message, in_both


class RefusedFileError(Exception):
    """A file breaks a limit; carries the finding."""

    def __init__(self, note: Note) -> None:
        super().__init__(note.code)
        self.note = note


def refusal(
    code: str, *, file: str = "", line: int | None = None, column: int | None = None, **facts: Any
) -> RefusedFileError:
    """Return the error of a broken limit."""
    message = in_both(Message(f"refusal.{code}", facts, "tokumei_arena"))
    return RefusedFileError(Note(code, message, file=file, line=line, column=column))
