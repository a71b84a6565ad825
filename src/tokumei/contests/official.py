"""What the official programs of a contest answer, and the kinds of their arguments.

A contest keeps them in its module ``official``: every public function is a program. Its positional parameters are the
arguments of a command, its keyword-only parameters the options (`official_commands` makes them).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from tokumei.contests.base import Contest
from tokumei.data import read_bytes
from tokumei.errors import InfeasibleError, InputError
from tokumei.parts import Part, make_part, parse_settings

P = TypeVar("P", bound=Part)

# Numbers with their least value, files and folders to write, settings of a sample.
Natural = Annotated[int, 0]
Positive = Annotated[int, 1]
Target = Annotated[Path, "file"]
Folder = Annotated[Path, "folder"]
Settings = Annotated[list[str] | None, "settings"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A document for ``--json``, what people read instead, and whether the answer is a good one (else status 1).

    Without a text or a table people read the plain values of the document, those of ``shown`` if it names some.
    """

    document: Mapping[str, Any]
    good: bool = True
    text: str = ""
    table: tuple[Sequence[str], Sequence[Sequence[object]]] | None = None
    shown: Sequence[str] = ()

    def plain_rows(self) -> list[list[object]]:
        """Return the values that people read, each with its name."""
        names = self.shown or [name for name, value in self.document.items() if not isinstance(value, list | dict)]
        return [[name, self.document.get(name)] for name in names]


class StoppedError(InfeasibleError):
    """The official program stops with an exception, whose class ``exception`` names."""

    def __init__(self, message: str, exception: str, *, code: str) -> None:
        super().__init__(message, code=code)
        self.exception = exception

    @property
    def answer(self) -> Answer:
        """The answer of a program that stops."""
        return Answer(
            document={"official": {"error": self.exception}, "message": str(self)}, good=False, text=str(self)
        )


def chosen_part(contest: type[Contest], parts: Mapping[str, type[P]], name: str, noun: str, settings: Settings) -> P:
    """Return a sample part of a contest with the settings of a command line (name=value)."""
    part = contest.sample(parts, name, noun)
    return make_part(part, parse_settings(part, settings or []))


def read_json(path: Path) -> Any:
    """Return what a JSON file holds."""
    try:
        return json.loads(read_bytes(path))
    except ValueError as error:
        raise InputError(f"{path} is no JSON ({error}); write it anew", code="no-json", file=str(path)) from error
