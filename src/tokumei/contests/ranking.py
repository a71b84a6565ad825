"""What the rankings of all games share: ranks, ties, and teams that are not ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from tokumei.contests.base import Both, Entry, Pair, Row

__all__ = [
    "DISQUALIFIED",
    "MISSING",
    "UNSAFE",
    "counted_pairs",
    "in_order",
    "shared",
    "teams_of",
    "unranked",
    "weighted",
]

DISQUALIFIED: Both = {"en": "disqualified", "ja": "失格"}
MISSING: Both = {"en": "no valid submission", "ja": "有効な提出なし"}
UNSAFE: Both = {"en": "effectively re-identified", "ja": "有効な再識別を受けた"}


def counted_pairs(entries: Iterable[Entry], pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs that count: guesses of disqualified teams, and those about own data, do not."""
    out = {entry.team for entry in entries if entry.disqualified}
    return [pair for pair in pairs if pair.figures and pair.attacker not in out and pair.attacker != pair.owner]


def unranked(entry: Entry) -> Row:
    """Return the row of a team that cannot be ranked, with the reason."""
    return Row(entry.team, None, {}, DISQUALIFIED if entry.disqualified else MISSING)


def shared(rows: Sequence[Row], key: Callable[[Row], Any]) -> tuple[Row, ...]:
    """Return rows in the order of their keys; equal keys share the better rank."""
    ranked = sorted(rows, key=lambda row: (key(row), row.team))
    found: list[Row] = []
    for place, row in enumerate(ranked):
        tied = place > 0 and key(row) == key(ranked[place - 1])
        found.append(replace(row, rank=found[-1].rank if tied else place + 1))
    return tuple(found)


def in_order(
    rows: Sequence[Row], value: Callable[[Row], float], same: float, tie: Callable[[Row], Any]
) -> tuple[Row, ...]:
    """Return rows by rising value; those within ``same`` of the first of their group are ordered by ``tie``.

    Rows equal in that too share a rank. A group begins at its smallest value, so that closeness cannot chain.
    """
    left = sorted(rows, key=lambda row: (value(row), row.team))
    found: list[Row] = []
    while left:
        group = [row for row in left if value(row) - value(left[0]) <= same]
        left = left[len(group) :]
        start = len(found)
        ordered = sorted(group, key=lambda row: (tie(row), row.team))
        for place, row in enumerate(ordered):
            tied = place > 0 and tie(row) == tie(ordered[place - 1])
            rank = found[-1].rank if tied else start + place + 1
            found.append(replace(row, rank=rank))
    return tuple(found)


def teams_of(tables: Iterable[Sequence[Row]]) -> list[str]:
    """Return every team of these tables once, in the order of their names."""
    return sorted({row.team for table in tables for row in table})


def weighted(
    rounds: Sequence[tuple[float, Sequence[Row]]], key: str, *, missing: float, lower: bool
) -> tuple[Row, ...]:
    """Return the sum of weight × figure over the rounds; a team without the figure in a round gets ``missing``.

    Who is not ranked in the last round is not ranked over all.
    """
    rows: list[Row] = []
    others: list[Row] = []
    for team in teams_of([table for _, table in rounds]):
        own = [(weight, next((row for row in table if row.team == team), None)) for weight, table in rounds]
        values = [weight * float(missing if row is None else row.figures.get(key, missing)) for weight, row in own]
        last = own[-1][1]
        row = Row(team, None, {"score": sum(values)}, None if last is None else last.remark)
        (others if last is None or last.rank is None else rows).append(row)
    sign = 1.0 if lower else -1.0
    return (*shared(rows, lambda row: sign * row.figures["score"]), *others)
