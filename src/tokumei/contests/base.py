"""The contract of a game, and the plain values it takes and gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

__all__ = [
    "Both",
    "Checked",
    "Column",
    "Entry",
    "Figures",
    "FileSpec",
    "Game",
    "Note",
    "Pair",
    "Published",
    "RoundTable",
    "Row",
]

Figures = Mapping[str, Any]
Both = Mapping[str, str]
"""A text in both languages: {"en": ..., "ja": ...}."""


@dataclass(frozen=True, slots=True)
class FileSpec:
    """A file of a game: its short name (also its name in a zip, with .csv) and what it is, in both languages."""

    name: str
    about: Both
    secret: bool = False
    optional: bool = False


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
    """What the evaluation of one submission found."""

    valid: bool
    figures: Figures = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    note_count: int = 0


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


class Game(ABC):
    """One rule set as a contest. All paths are folders that hold files named ``NAME.csv`` after their FileSpec."""

    name: ClassVar[str]
    revision: ClassVar[int] = 1
    title: ClassVar[Both]
    data_files: ClassVar[tuple[FileSpec, ...]]
    release_files: ClassVar[tuple[FileSpec, ...]]
    published_files: ClassVar[tuple[FileSpec, ...]]
    guess_files: ClassVar[tuple[FileSpec, ...]]
    release_columns: ClassVar[tuple[Column, ...]]
    guess_columns: ClassVar[tuple[Column, ...]]
    # The figure of a pair that the attack matrix colours, and the axes of the trade-off chart.
    matrix_figure: ClassVar[str]
    utility_figure: ClassVar[str]
    safety_figure: ClassVar[str]

    @property
    def version(self) -> str:
        """What results depend on besides their inputs."""
        from importlib.metadata import version

        return f"{self.name}-{self.revision} tokumei-{version('tokumei')}"

    @abstractmethod
    def check_data(self, data: Path, parameters: Figures) -> Checked:
        """Check the files a referee wants to hand out; figures describe them (rows, subjects)."""

    @abstractmethod
    def check_release(self, data: Path, release: Path, parameters: Figures) -> Checked:
        """Check a release and measure its utility."""

    @abstractmethod
    def publish(
        self, data: Path, release: Path, parameters: Figures, *, attackers: Sequence[str], seed: str
    ) -> Published:
        """Return what the attackers (team ids) get of a release, and what the judge keeps."""

    @abstractmethod
    def score_guesses(
        self,
        data: Path,
        release: Path,
        *,
        published: Path,
        truth: Path,
        guesses: Sequence[Path],
        parameters: Figures,
    ) -> list[Checked]:
        """Check and score several files of guesses about one target, in order.

        ``published`` and ``truth`` hold the common files, and for game files made per attacker a folder beside each
        guesses folder: ``guesses[i] / "published"`` and ``guesses[i] / "truth"``.
        """

    @abstractmethod
    def release_order(self, figures: Figures) -> float:
        """Return what orders valid releases of one team, best first."""

    def guess_order(self, figures: Figures) -> tuple[float, ...]:
        """Return what orders several valid attempts at one target, best first; the best one counts."""
        return (-float(figures[self.matrix_figure]),)

    @abstractmethod
    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair], parameters: Figures) -> RoundTable:
        """Return the rankings of a scored round."""

    @abstractmethod
    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the round-weighted overall rankings."""
