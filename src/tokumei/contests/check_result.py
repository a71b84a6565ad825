"""What a file checker found, held as arrays until somebody reads it.

A wrong file of 80,000 rows easily has 400,000 findings. The checkers therefore keep line, cell and code as arrays;
sentences are made only for the findings that are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from tokumei.array_types import Ints
from tokumei.errors import Finding
from tokumei.words import Words

Language = Literal["en", "ja"]
_SHOWN_CHARACTERS = 40


class Explainer(Protocol):
    """Tells one finding from the checked file."""

    def finding(self, line: int, cell: int | None, code: str) -> Finding:
        """Return the finding with its message, a value of the contest's catalogue."""


@dataclass(frozen=True, eq=False, slots=True)
class CheckResult:
    """The findings of a checker in file order: 1-based lines and cells (0: the whole line), codes by position.

    ``official``: the codes are given out in capitals, as the contest's own checker writes them.
    """

    lines: Ints
    cells: Ints
    codes: Ints
    code_names: tuple[str, ...]
    explainer: Explainer
    official: bool = False

    @property
    def valid(self) -> bool:
        """Whether the file keeps every rule."""
        return len(self.lines) == 0

    @property
    def error_count(self) -> int:
        """How many findings there are."""
        return len(self.lines)

    def counts(self) -> dict[str, int]:
        """Return how often each code was found, without the codes that were not."""
        counted = np.bincount(self.codes, minlength=len(self.code_names)).tolist()
        return {self._spelled(name): count for name, count in zip(self.code_names, counted, strict=True) if count}

    def places(self) -> list[tuple[int, int | None, str]]:
        """Return (line, cell, code) of every finding, without messages."""
        return [(line, cell, self._spelled(code)) for line, cell, code in self._found(None)]

    def explained(self, limit: int | None = None) -> list[Finding]:
        """Return the first ``limit`` findings (all without a limit), their messages as values."""
        findings = [self.explainer.finding(*place) for place in self._found(limit)]
        return [replace(found, code=self._spelled(found.code)) for found in findings]

    def findings(self, limit: int | None = None, *, language: Language = "en") -> list[Finding]:
        """Return the first ``limit`` findings with messages in this language."""
        words = Words(language)
        return [replace(found, message=words.say(found.message)) for found in self.explained(limit)]

    def as_dict(self, limit: int | None = None, *, language: Language = "en") -> dict[str, object]:
        """Return ``valid``, ``error_count`` and ``errors`` (line, cell, code, message) for ``--json``."""
        errors = [
            {"line": found.line, "cell": found.column, "code": found.code, "message": found.message}
            for found in self.findings(limit, language=language)
        ]
        return {"valid": self.valid, "error_count": self.error_count, "errors": errors}

    def without(self, tolerated: Sequence[str]) -> CheckResult:
        """Return the result without the findings of these codes."""
        kept = ~np.isin(self.codes, [self.code_names.index(code) for code in tolerated])
        return replace(self, lines=self.lines[kept], cells=self.cells[kept], codes=self.codes[kept])

    def _found(self, limit: int | None) -> list[tuple[int, int | None, str]]:
        columns = (found[:limit].tolist() for found in (self.lines, self.cells, self.codes))
        return [(line, cell or None, self.code_names[code]) for line, cell, code in zip(*columns, strict=True)]

    def _spelled(self, code: str) -> str:
        return code.upper().replace("-", "_") if self.official else code


def shortened(text: str) -> str:
    """Return text that fits into a sentence and cannot disturb a terminal."""
    cut = text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in cut)
