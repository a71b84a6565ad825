"""What the rankings of all contests share: ranks, ties, and teams that are not ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tokumei.contests.values import Both, Column, Entry, Figures, Pair, RoundTable, Row

DISQUALIFIED: Both = {"en": "disqualified", "ja": "失格"}
MISSING: Both = {"en": "no valid submission", "ja": "有効な提出なし"}
# What the preliminary and the final round of later years count.
WEIGHTS = (0.1, 0.9)
UNSAFE: Both = {"en": "effectively re-identified", "ja": "有効な再識別を受けた"}


def counted_pairs(entries: Iterable[Entry], pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs that count: guesses of disqualified teams, and those about own data, do not."""
    out = {entry.team for entry in entries if entry.disqualified}
    return [pair for pair in pairs if pair.figures and pair.attacker not in out and pair.attacker != pair.owner]


def unranked(entry: Entry) -> Row:
    """Return the row of a team that cannot be ranked, with the reason."""
    return Row(entry.team, None, {}, DISQUALIFIED if entry.disqualified else MISSING)


def with_shared_ranks(rows: Sequence[Row], key: Callable[[Row], Any]) -> tuple[Row, ...]:
    """Return rows in the order of their keys; equal keys share the better rank."""
    ordered = sorted(rows, key=lambda row: (key(row), row.team))
    ranked: list[Row] = []
    for place, row in enumerate(ordered):
        tied = place > 0 and key(row) == key(ordered[place - 1])
        ranked.append(replace(row, rank=ranked[-1].rank if tied else place + 1))
    return tuple(ranked)


def rank_entries(
    entries: Iterable[Entry], figures: Callable[[Entry], Figures], key: Callable[[Row], Any], *, released: bool = False
) -> tuple[Row, ...]:
    """Return a row with figures for every team; equal keys share the better rank.

    Disqualified teams are not ranked, and if only what was ``released`` can be ranked, teams without that neither.
    """
    rows, others = [], []
    for entry in entries:
        if entry.disqualified or (released and entry.figures is None):
            others.append(unranked(entry))
        else:
            rows.append(Row(entry.team, None, figures(entry)))
    return (*with_shared_ranks(rows, key), *others)


def with_tie_rule(
    rows: Sequence[Row], value: Callable[[Row], float], same: float, tie: Callable[[Row], Any]
) -> tuple[Row, ...]:
    """Return rows by rising value; those within ``same`` of the first of their group are ordered by ``tie``.

    Rows equal in that too share a rank. A group begins at its smallest value, so that closeness cannot chain.
    """
    left = sorted(rows, key=lambda row: (value(row), row.team))
    ranked: list[Row] = []
    while left:
        group = [row for row in left if value(row) - value(left[0]) <= same]
        left = left[len(group) :]
        start = len(ranked)
        ordered = sorted(group, key=lambda row: (tie(row), row.team))
        for place, row in enumerate(ordered):
            tied = place > 0 and tie(row) == tie(ordered[place - 1])
            rank = ranked[-1].rank if tied else start + place + 1
            ranked.append(replace(row, rank=rank))
    return tuple(ranked)


def by_team(rows: Iterable[Row], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return these figures (0 where there is none) and the rank (0: not ranked) of every team in order of names."""
    ordered = sorted(rows, key=lambda row: row.team)
    return {row.team: {**{name: row.figures.get(name, 0) for name in names}, "rank": row.rank or 0} for row in ordered}


def places(scores: Mapping[str, float]) -> dict[str, int]:
    """Return the ranks of teams, the largest score first; equal scores share the better one.

    >>> places({"a": 1, "b": 2, "c": 1})
    {'a': 2, 'b': 1, 'c': 2}
    """
    return {team: 1 + sum(other > score for other in scores.values()) for team, score in scores.items()}


def over_rounds(last: Mapping[str, float], before: Mapping[str, float], factor: float = 1.0) -> dict[str, float]:
    """Return a tenth of the round before (times a factor) and nine tenths of the last; who missed that has 0 in it."""
    early, late = WEIGHTS
    return {team: early * factor * before.get(team, 0.0) + late * score for team, score in last.items()}


def teams_of(tables: Iterable[Sequence[Row]]) -> list[str]:
    """Return every team of these tables once, in the order of their names."""
    return sorted({row.team for table in tables for row in table})


@dataclass(frozen=True, eq=False, slots=True)
class Board:
    """What a round is ranked from: its teams, the pairs that count and, once they are ranked, the best teams."""

    entries: Sequence[Entry]
    pairs: Sequence[Pair]
    best: tuple[str, ...] = ()

    @classmethod
    def of(cls, entries: Sequence[Entry], pairs: Sequence[Pair]) -> Board:
        """Return a round with the pairs that count."""
        return cls(entries, counted_pairs(entries, pairs))

    @property
    def released(self) -> list[str]:
        """The teams whose release counts."""
        return [entry.team for entry in self.entries if entry.figures is not None and not entry.disqualified]

    def against(self, team: str) -> list[Figures]:
        """Return what attackers achieved against a team."""
        return [pair.figures for pair in self.pairs if pair.owner == team]

    def by(self, team: str) -> dict[str, Figures]:
        """Return what a team achieved, by its targets."""
        return {pair.owner: pair.figures for pair in self.pairs if pair.attacker == team}

    def most(self, team: str, figure: str) -> float:
        """Return the most that an attacker achieved against a team, 0 if nobody attacked it."""
        return max((float(figures[figure]) for figures in self.against(team)), default=0.0)

    def on_best(self, team: str, figure: str, count: int) -> float:
        """Return what a team achieved against so many best teams; on itself counts the most of all others."""
        own = self.by(team)
        return sum(
            self.most(aim, figure) if aim == team else float(own.get(aim, {}).get(figure, 0.0))
            for aim in self.best[:count]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """A figure of round tables that is summed up over the rounds.

    ``missing`` is what a team without it gets in a round, ``title`` and ``digits`` are those of the sum.
    """

    figure: str
    missing: float
    better: str
    title: Both
    digits: int = 6

    def rows(self, rounds: Sequence[tuple[float, Sequence[Row]]]) -> tuple[Row, ...]:
        """Return the sums of weight × figure; who is not ranked in the last round is not ranked over all."""
        ranked: list[Row] = []
        others: list[Row] = []
        for team in teams_of([table for _, table in rounds]):
            own = [(weight, next((row for row in table if row.team == team), None)) for weight, table in rounds]
            values = [
                weight * float(self.missing if row is None else row.figures.get(self.figure, self.missing))
                for weight, row in own
            ]
            last = own[-1][1]
            row = Row(team, None, {"score": sum(values)}, None if last is None else last.remark)
            (others if last is None or last.rank is None else ranked).append(row)
        sign = -1.0 if self.better == "higher" else 1.0
        return (*with_shared_ranks(ranked, lambda row: sign * row.figures["score"]), *others)

    @property
    def column(self) -> Column:
        """The column of the sum."""
        return Column("score", self.title, self.better, self.digits)


def weighted_table(
    rounds: Sequence[tuple[float, RoundTable]], *, anonymizers: Weighing, attackers: Weighing, rule: Both
) -> RoundTable:
    """Return the overall rankings by weighted sums; equal teams share a rank."""
    return RoundTable(
        anonymizers=anonymizers.rows([(weight, table.anonymizers) for weight, table in rounds]),
        attackers=attackers.rows([(weight, table.attackers) for weight, table in rounds]),
        anonymizer_columns=(anonymizers.column,),
        attacker_columns=(attackers.column,),
        anonymizer_rule=rule,
        attacker_rule=rule,
    )


def weighted_ranks(rounds: Sequence[tuple[float, Sequence[Row]]]) -> tuple[Row, ...]:
    """Return the weighted means of ranks; who is not ranked in a round counts as last there."""
    ranked: list[Row] = []
    others: list[Row] = []
    for team in teams_of([rows for _weight, rows in rounds]):
        own = [(weight, next((row for row in rows if row.team == team), None), rows) for weight, rows in rounds]
        places = [(weight, row.rank if row and row.rank else len(rows)) for weight, row, rows in own]
        last = own[-1][1]
        score = sum(weight * place for weight, place in places)
        row = Row(team, None, {"score": round(score, 9), "last": places[-1][1]}, last.remark if last else None)
        (others if last is None or last.rank is None else ranked).append(row)
    return (*with_shared_ranks(ranked, lambda row: (row.figures["score"], row.figures["last"])), *others)
