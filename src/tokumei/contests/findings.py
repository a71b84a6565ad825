"""What a checker collects: every fault as a note in both languages, all counted and the first ones kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tokumei.contests.notes import KEPT_NOTES, LONGEST_VALUE, note_of_error
from tokumei.contests.values import Checked, Figures, Note
from tokumei.errors import TokumeiError
from tokumei.words import Message, in_both, texts

if TYPE_CHECKING:
    import polars as pl

SHOWN_CHARACTERS = 40
# Sentences of faults that many contests know.
SHARED = "tokumei.contests"
# The lines of all rows of a column, and its number from 1.
Place = tuple[Any, int]


@dataclass
class Findings:
    """Faults as notes, with what the official program says of the same files beside them.

    ``home`` is the package of the contest, whose catalogue has a sentence for every code that is not a shared one.
    """

    home: str = SHARED
    notes: list[Note] = field(default_factory=list)
    count: int = 0
    official: Any = None
    # What was measured or counted besides.
    figures: Figures = field(default_factory=dict)

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
            key = f"finding.{code}"
            home = self.home if key in texts("en", self.home) else SHARED
            message = in_both(Message(key, shown, home))
            kept = None if value is None else value[:LONGEST_VALUE]
            self.notes.append(Note(code, message, file, line, column, name, kept))

    def add_cells(
        self, code: str, file: str, rows: Iterable[int], cells: pl.Series, place: Place, **facts: Any
    ) -> None:
        """Add a fault for every one of these rows of a column."""
        lines, column = place
        for row in rows:
            at = {"line": int(lines[row]), "column": column, "name": cells.name, "value": cells[row]}
            self.add(code, file, **at, **facts)

    def add_error(self, error: TokumeiError, file: str) -> None:
        """Add what a reader refused."""
        self.count += 1
        self.notes.append(note_of_error(error, file))

    def take(self, other: Findings) -> None:
        """Add all faults of another check."""
        self.count += other.count
        self.notes += other.notes[: KEPT_NOTES - len(self.notes)]

    def refusal(self) -> Checked:
        """Return the refusal of a submission for these faults."""
        return Checked.refused(self.notes, self.count)

    def as_dict(self, language: str = "en") -> dict[str, Any]:
        """Return everything for ``--json``."""
        errors = [{**note.as_dict(), "message": note.message[language]} for note in self.notes]
        found = {"valid": self.valid, "error_count": self.count, "errors": errors, "official": self.official}
        return {**self.figures, **found}
