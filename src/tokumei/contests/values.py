"""The plain values that a contest takes and gives: files, figures, notes, tables, presets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import Any

Figures = Mapping[str, Any]
Both = Mapping[str, str]
"""A text in both languages: {"en": ..., "ja": ...}."""


def file_name(name: str) -> str:
    """Return what a file of a contest is called on disk and in a zip: a table is a CSV unless its name says more.

    >>> file_name("T"), file_name("model.json")
    ('T.csv', 'model.json')
    """
    return name if PurePath(name).suffix else f"{name}.csv"


@dataclass(frozen=True, slots=True)
class FileSpec:
    """A file of a contest: its short name (see `file_name`) and what it is, in both languages.

    ``secret``: handed in for the judge only. ``optional``: may be left out.
    """

    name: str
    about: Both
    secret: bool = False
    optional: bool = False

    @property
    def filename(self) -> str:
        """The name of the file in a folder or a zip."""
        return file_name(self.name)


@dataclass(frozen=True, slots=True)
class Column:
    """A figure that boards show: its key, title, which way is better ("lower", "higher", "") and digits."""

    key: str
    title: Both
    better: str = ""
    digits: int = 6


@dataclass(frozen=True, slots=True)
class Note:
    """One finding of a checker, with its sentence in both languages."""

    code: str
    message: Both
    file: str = ""
    line: int | None = None
    column: int | None = None
    name: str | None = None
    value: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "code": self.code,
            "message": dict(self.message),
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "name": self.name,
            "value": self.value,
        }


@dataclass(frozen=True, slots=True)
class Checked:
    """What the evaluation of one submission found: its figures (values that JSON can hold) or what is wrong."""

    valid: bool
    figures: Figures = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    note_count: int = 0

    @classmethod
    def refused(cls, notes: Sequence[Note], count: int | None = None) -> Checked:
        """Return a refusal; ``count`` is how many findings there are if not all are among the notes."""
        return cls(valid=False, notes=tuple(notes), note_count=len(notes) if count is None else count)


@dataclass(frozen=True, slots=True)
class Answered:
    """How many of the things that are asked for a valid answer names, and what they are, in both languages."""

    given: int
    asked: int
    what: Both


@dataclass(frozen=True, slots=True)
class Published:
    """The files of a target: for all attackers, for one attacker each (by team id), and for the judge only."""

    common: Mapping[str, bytes] = field(default_factory=dict)
    per_attacker: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    truth: Mapping[str, bytes] = field(default_factory=dict)
    truth_per_attacker: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A team in a round: the figures of its competing release, when it came, and whether it is disqualified."""

    team: str
    figures: Figures | None
    received_at: datetime | None
    disqualified: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """What an attacker achieved against a target's owner; no figures if nothing valid was handed in."""

    attacker: str
    owner: str
    figures: Figures


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a ranking: rank (ties share one; None: not ranked), the figures shown, and a remark."""

    team: str
    rank: int | None
    figures: Figures
    remark: Both | None = None


@dataclass(frozen=True, slots=True)
class RoundTable:
    """The rankings of a round (or of the whole contest): anonymizers and attackers, each with its tie rule."""

    anonymizers: tuple[Row, ...]
    attackers: tuple[Row, ...]
    anonymizer_columns: tuple[Column, ...]
    attacker_columns: tuple[Column, ...]
    anonymizer_rule: Both
    attacker_rule: Both


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPreset:
    """What a referee is offered for a kind of round; everything can be changed.

    ``weight`` is a decimal in words, so that weights add up to exactly 1. ``first_day`` counts from the beginning of
    the contest, ``phase_days`` from that of the round: when registration, anonymization, attack, scoring and results
    begin. With ``private_data`` every team gets data of its own. Without ``release_limit`` there is none.
    ``attack_feedback`` is what teams are told of their attacks while the phase is on (none, bands, rounded, exact,
    delayed).
    """

    weight: str
    first_day: int = 0
    phase_days: tuple[int, int, int, int, int] = (0, 7, 14, 21, 22)
    private_data: bool = False
    release_limit: int | None = None
    attack_limit: int = 1
    attack_feedback: str = "delayed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many persons generated data can have: by default, at least, at most, and in a short demonstration."""

    default: int
    low: int
    high: int
    demo: int


@dataclass(frozen=True, slots=True)
class Player:
    """A program that plays by itself: the name of its team, its sample method with settings, its sample attack.

    One that is ``clumsy`` hands in a damaged file first, so that a demonstration shows what a refusal looks like.
    """

    team: str
    method: str
    attack: str
    settings: Figures = field(default_factory=dict)
    clumsy: bool = False
