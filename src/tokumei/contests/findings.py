"""What a checker collects: every fault as a note in both languages, all counted and the first ones kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tokumei.contests.notes import KEPT_NOTES
from tokumei.contests.values import Note
from tokumei.words import Message, in_both

SHOWN_CHARACTERS = 40


@dataclass
class Findings:
    """Faults as notes, with what the official program says of the same files beside them.

    ``message`` makes the message of a code and its facts, from the catalogue of the contest.
    """

    message: Callable[[str, Mapping[str, Any]], Message]
    notes: list[Note] = field(default_factory=list)
    count: int = 0
    official: Any = None

    @property
    def valid(self) -> bool:
        """Whether nothing was found."""
        return not self.count

    def add(
        self,
        code: str,
        file: str,
        *,
        line: int | None = None,
        column: int | None = None,
        name: str | None = None,
        value: str | None = None,
        **facts: Any,
    ) -> None:
        """Add a fault; ``name`` is that of its column, ``value`` what stands there."""
        self.count += 1
        if len(self.notes) < KEPT_NOTES:
            shown = {"value": (value or "")[:SHOWN_CHARACTERS], "name": name or "", **facts}
            self.notes.append(Note(code, in_both(self.message(code, shown)), file, line, column, name, value))

    def as_dict(self, language: str = "en") -> dict[str, Any]:
        """Return everything for ``--json``."""
        errors = [{**note.as_dict(), "message": note.message[language]} for note in self.notes]
        return {"valid": self.valid, "error_count": self.count, "errors": errors, "official": self.official}
