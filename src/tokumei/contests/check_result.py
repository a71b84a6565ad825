"""What a file checker found, held as arrays until somebody reads it.

A wrong file of 80,000 rows easily has 400,000 findings. The checkers therefore keep line, cell and code as arrays;
sentences are made only for the findings that are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np

from tokumei.array_types import Ints
from tokumei.errors import Finding, ParameterError

__all__ = ["CheckResult", "Explainer", "Language"]

Language = Literal["en", "ja"]


class Explainer(Protocol):
    """Makes the sentence of one finding from the checked file."""

    def finding(self, line: int, cell: int | None, code: str, language: Language) -> Finding:
        """Return the finding with its message."""


@dataclass(frozen=True, eq=False, slots=True)
class CheckResult:
    """The findings of a checker in file order: 1-based lines and cells (0: the whole line), codes by position."""

    lines: Ints
    cells: Ints
    codes: Ints
    code_names: tuple[str, ...]
    explainer: Explainer

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
        return {name: count for name, count in zip(self.code_names, counted, strict=True) if count}

    def places(self) -> list[tuple[int, int | None, str]]:
        """Return (line, cell, code) of every finding, without messages."""
        columns = (self.lines.tolist(), self.cells.tolist(), self.codes.tolist())
        return [(line, cell or None, self.code_names[code]) for line, cell, code in zip(*columns, strict=True)]

    def findings(self, limit: int | None = None, *, language: Language = "en") -> list[Finding]:
        """Return the first ``limit`` findings (all without a limit) with messages in this language."""
        if language not in get_args(Language):
            message = f"language must be one of {', '.join(get_args(Language))}, got {language!r}"
            raise ParameterError(message)
        explain = self.explainer.finding
        return [explain(line, cell, code, language) for line, cell, code in self._first(limit).places()]

    def as_dict(self, limit: int | None = None, *, language: Language = "en") -> dict[str, object]:
        """Return ``valid``, ``error_count`` and ``errors`` (line, cell, code, message) for ``--json``."""
        errors = [
            {"line": found.line, "cell": found.column, "code": found.code, "message": found.message}
            for found in self.findings(limit, language=language)
        ]
        return {"valid": self.valid, "error_count": self.error_count, "errors": errors}

    def _first(self, limit: int | None) -> CheckResult:
        part = slice(limit)
        return CheckResult(self.lines[part], self.cells[part], self.codes[part], self.code_names, self.explainer)
