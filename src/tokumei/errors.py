"""Every error that Tokumei raises on purpose.

    TokumeiError                  base class, never raised itself
    ├── InputError                a file or table cannot be used
    │   ├── UnreadableError       missing, a directory, empty, binary, undecodable
    │   └── ContentError          readable, but its content is wrong; carries all findings
    ├── SchemaError               the schema is wrong or does not fit the data
    ├── ParameterError            a parameter of a part or command is outside its limits
    ├── UnknownPartError          no registered part has this name
    ├── InfeasibleError           the request cannot be met by this data (k above the number of subjects ...)
    ├── LeakError                 a release would reveal what it must hide
    └── OutputError               a result cannot be written

Each carries a stable ``code`` and, where they are known, ``file``, ``line`` and ``column``. The command line turns
them into one sentence and exit status 2; nothing else is needed to print them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokumei.words import Message

__all__ = [
    "ContentError",
    "Finding",
    "InfeasibleError",
    "InputError",
    "LeakError",
    "OutputError",
    "ParameterError",
    "SchemaError",
    "TokumeiError",
    "UnknownPartError",
    "UnreadableError",
    "did_you_mean",
]

SHOWN_FINDINGS = 100


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest known name, or an empty string."""
    close = get_close_matches(name, list(known), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong in the content of a file, with where it stands; a checker's message is a value."""

    code: str
    message: str | Message
    line: int | None = None
    column: int | None = None
    name: str | None = None
    value: str | None = None

    def sentence(self) -> str:
        """Return ``line 3, column 2 (date): message``."""
        place = f"line {self.line}" if self.line is not None else ""
        if self.column is not None:
            place += f"{', ' if place else ''}column {self.column}"
            if self.name is not None:
                place += f" ({self.name})"
        return f"{place}: {self.message}" if place else str(self.message)


class TokumeiError(Exception):
    """Base of all errors; carries what a person or a program needs to act on it."""

    code = "error"

    def __init__(
        self,
        message: str | Message,
        *,
        code: str | None = None,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(str(message))
        # A message of the catalogue can be told in another language.
        self.told = None if isinstance(message, str) else message
        self.message = str(message)
        self.code = code or type(self).code
        self.file = file
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle every error alike, with all that it carries, whatever its constructor takes (pools of processes)."""
        return _restored, (type(self), self.args, dict(vars(self)))

    def as_dict(self) -> dict[str, object]:
        """Return the fields of the ``error`` object of ``--json``."""
        return {"code": self.code, "message": str(self), "file": self.file, "line": self.line, "column": self.column}


def _restored(kind: type[TokumeiError], arguments: tuple[Any, ...], attributes: Mapping[str, Any]) -> TokumeiError:
    """Return an error as it was pickled."""
    error = kind.__new__(kind, *arguments)
    vars(error).update(attributes)
    return error


class InputError(TokumeiError):
    """A file or table cannot be used."""

    code = "input"


class UnreadableError(InputError):
    """A file is missing, empty, binary or cannot be decoded."""

    code = "unreadable"


class ContentError(InputError):
    """A readable file has wrong content; ``findings`` lists the first hundred, ``total`` counts all."""

    code = "content"

    def __init__(self, file: str, findings: Sequence[Finding], *, total: int | None = None) -> None:
        self.findings = tuple(findings[:SHOWN_FINDINGS])
        self.total = len(findings) if total is None else total
        first = self.findings[0]
        place = f"{file}, {first.sentence()}" if first.line is not None else f"{file}: {first.sentence()}"
        more = f" ({self.total - 1} more such finding{'s' if self.total > 2 else ''})" if self.total > 1 else ""
        super().__init__(place + more, code=first.code, file=file, line=first.line, column=first.column)


class SchemaError(TokumeiError):
    """The schema is wrong or does not fit the data."""

    code = "schema"


class ParameterError(TokumeiError):
    """A parameter is outside its declared limits."""

    code = "parameter"


class UnknownPartError(TokumeiError):
    """No registered part has this name."""

    code = "unknown-part"


class InfeasibleError(TokumeiError):
    """The data cannot give what was asked for."""

    code = "infeasible"


class LeakError(TokumeiError):
    """A release would reveal what it must hide."""

    code = "leak"


class OutputError(TokumeiError):
    """A result cannot be written."""

    code = "output"
