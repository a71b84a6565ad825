"""Contests whose facts stand in a file: ``contest.toml`` beside the class says what there is, the class what is done.

Titles, files, columns, rounds, players and the rules of a ranking are read from there. A module ``official`` beside
it holds the programs of the organisers as plain functions; each becomes a command (`official_commands`).
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tokumei.contests.base import STANDARD_ROUNDS, Contest
from tokumei.contests.ranking import Board, Weighing, rank_entries, weighted_table
from tokumei.contests.values import (
    Both,
    Checked,
    Column,
    Entry,
    Figures,
    FileSpec,
    Pair,
    Player,
    RoundPreset,
    RoundTable,
    Sizes,
)

if TYPE_CHECKING:
    import typer

# What a team without a figure counts as over several rounds, where less is better.
WORST = 1e3


@dataclass(frozen=True, kw_only=True)
class DeclaredContest(Contest):
    """A contest with its facts in ``contest.toml``; its rankings go by the first column of each table.

    A subclass says with `kept` and `reached` what teams have achieved in a round.
    """

    anonymizer_columns: ClassVar[tuple[Column, ...]] = ()
    attacker_columns: ClassVar[tuple[Column, ...]] = ()
    anonymizer_rule: ClassVar[Both] = {}
    attacker_rule: ClassVar[Both] = {}
    overall_rule: ClassVar[Both] = {
        "en": "Sum of weight × score over the rounds; equal teams share a rank.",
        "ja": "各回の重み×得点の合計。等しいチームは同順位です。",
    }
    # What the arguments of the official programs are, by name or by "program name".
    arguments: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls) -> None:
        """Take the facts from the file beside the class."""
        facts = read_facts(cls._beside("contest.toml"))
        for name, value in {"attacker_rule": facts.get("anonymizer_rule", {}), **facts}.items():
            setattr(cls, name, value)
        super().__init_subclass__()

    @classmethod
    def _beside(cls, name: str) -> Path:
        return Path(sys.modules[cls.__module__].__file__ or "").with_name(name)

    @classmethod
    def commands(cls) -> typer.Typer | None:
        """Return a command for every official program of this year."""
        if not cls._beside("official.py").is_file():
            return None
        from tokumei.contests.official_commands import official_app

        return official_app(cls.__module__.rpartition(".")[0], cls.name, cls.arguments)

    def score_guesses(
        self, data: Path, release: Path, *, published: Path, truth: Path, guesses: Sequence[Path]
    ) -> list[Checked]:
        """Score every folder by itself."""
        return [self.score_one(data, truth, folder) for folder in guesses]

    def score_one(self, data: Path, truth: Path, guesses: Path) -> Checked:
        """Check and score one folder of guesses by the data and what the judge kept."""
        raise self._without("attack task")

    def kept(self, entry: Entry, board: Board) -> Figures:
        """Return what a release has kept in a round, the figures of its row."""
        raise self._without("attack task")

    def reached(self, entry: Entry, board: Board) -> Figures:
        """Return what a team has reached by its attacks; the anonymizers of the board are ranked already."""
        raise self._without("attack task")

    def kept_order(self, figures: Figures) -> Any:
        """Return what orders releases, lowest first."""
        return _order(self.anonymizer_columns[0], figures)

    def reached_order(self, figures: Figures) -> Any:
        """Return what orders attackers, lowest first."""
        return _order(self.attacker_columns[0], figures)

    def guess_order(self, figures: Figures) -> tuple[float, ...]:
        """Return what orders attempts: the figure of the matrix, the better way first."""
        return (_order(next(one for one in self.guess_columns if one.key == self.matrix_figure), figures),)

    def rank_round(self, entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
        """Return both tables of a round; equal teams share a rank."""
        board = Board.of(entries, pairs)
        anonymizers = rank_entries(
            entries, lambda entry: self.kept(entry, board), lambda row: self.kept_order(row.figures), released=True
        )
        ranked = replace(board, best=tuple(row.team for row in anonymizers if row.rank is not None))
        attackers = rank_entries(
            entries, lambda entry: self.reached(entry, ranked), lambda row: self.reached_order(row.figures)
        )
        columns = self.anonymizer_columns, self.attacker_columns
        return RoundTable(anonymizers, attackers, *columns, self.anonymizer_rule, self.attacker_rule)

    def rank_overall(self, rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
        """Return the weighted sums of the first columns."""
        high, other = (_weighing(columns[0]) for columns in (self.anonymizer_columns, self.attacker_columns))
        return weighted_table(rounds, anonymizers=high, attackers=other, rule=self.overall_rule)


def private_seed(seed: int) -> int:
    """Return the seed of a team's own data, which has nothing to do with that of the common data."""
    return int.from_bytes(hashlib.sha256(f"private:{seed}".encode()).digest()[:6])


def _order(column: Column, figures: Figures) -> float:
    return float(figures[column.key]) * (1 if column.better == "lower" else -1)


def _weighing(column: Column) -> Weighing:
    missing = WORST if column.better == "lower" else 0.0
    digits = max(column.digits, 1)
    return Weighing(figure=column.key, missing=missing, better=column.better, title=column.title, digits=digits)


def read_facts(path: Path) -> dict[str, Any]:
    """Return the class attributes that a file declares."""
    declared = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: _READERS.get(name, _as_it_is)(value) for name, value in declared.items()}


def _as_it_is(value: Any) -> Any:
    return value


def _both(one: Mapping[str, Any]) -> Both:
    return {"en": one["en"], "ja": one["ja"]}


def _files(declared: Sequence[Mapping[str, Any]]) -> tuple[FileSpec, ...]:
    return tuple(
        FileSpec(one["name"], _both(one), one.get("secret", False), one.get("optional", False)) for one in declared
    )


def _columns(declared: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    return tuple(Column(one["key"], _both(one), one.get("better", ""), one.get("digits", 4)) for one in declared)


def _rounds(declared: Mapping[str, Mapping[str, Any]]) -> Mapping[str, RoundPreset]:
    found = dict(STANDARD_ROUNDS)
    for kind, changes in declared.items():
        days = {"phase_days": tuple(changes["phase_days"])} if "phase_days" in changes else {}
        found[kind] = replace(found[kind], **{**changes, **days})
    return found


_READERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("data_files", "release_files", "published_files", "guess_files"), _files),
    **dict.fromkeys(("release_columns", "guess_columns", "anonymizer_columns", "attacker_columns"), _columns),
    **dict.fromkeys(("methods", "attacks"), tuple),
    "set_by_round": frozenset,
    "sizes": lambda declared: Sizes(**declared),
    "rounds": _rounds,
    "players": lambda declared: tuple(Player(**one) for one in declared),
}
