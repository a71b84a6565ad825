"""The official result tables of PWS Cup 2024 from the published matrix of hits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokumei.contests.pws2024.ranking import known_round, overall_table, round_table
from tokumei.contests.pws2024.table import read_table, refuse_unread
from tokumei.contests.ranking import with_shared_ranks
from tokumei.contests.values import Entry, Pair, RoundTable, Row
from tokumei.errors import InputError

WEIGHTS = (0.1, 0.9)


def _rows(path: Path, needed: tuple[str, ...]) -> list[dict[str, str]]:
    table = refuse_unread(read_table(path), path)
    lacking = [name for name in needed if name not in table.columns]
    if lacking:
        message = f"{path} has no column {', '.join(lacking)}; its header must name {', '.join(needed)}"
        raise InputError(message, code="columns", file=str(path))
    return list(table.frame.iter_rows(named=True))


def official_tables(hits: Path, scores: Path, preliminary: Path | None = None) -> dict[str, Any]:
    """Return ``teams`` and ``attackers`` with the figures of the official table.

    Who handed in nothing (0 everywhere) has rank 0 in the round, as there.
    """
    given = _rows(scores, ("team", "sample_anonymity", "utility"))
    pairs = [
        Pair(attacker, line["target"], {"hits": float(value or 0)})
        for line in _rows(hits, ("target",))
        for attacker, value in line.items()
        if attacker not in ("target", line["target"])
    ]
    entries = []
    for line in given:
        figures = {"sample_anonymity": float(line["sample_anonymity"] or 0), "utility": float(line["utility"] or 0)}
        entries.append(Entry(line["team"], figures if any(figures.values()) else None, None))
    table = round_table(entries, pairs)
    document: dict[str, Any] = {
        "teams": {
            row.team: {key: row.figures.get(key, 0) for key in ("anonymity", "utility", "total")}
            | {"rank": row.rank or 0}
            for row in _by_name(table.anonymizers)
        },
        "attackers": {row.team: {**row.figures, "rank": row.rank} for row in _by_name(table.attackers)},
    }
    if preliminary is not None:
        totals = {line["team"]: float(line.get("pre_total") or 0) for line in given}
        points = {line["team"]: float(line["points"] or 0) for line in _rows(preliminary, ("team", "points"))}
        _add_overall(document, [(WEIGHTS[0], known_round(totals, points)), (WEIGHTS[1], table)])
    return document


def _add_overall(document: dict[str, Any], rounds: list[tuple[float, RoundTable]]) -> None:
    """Add the weighted sums; here teams without a release in the last round are ranked too."""
    overall = overall_table(rounds)
    for kind, rows in (("teams", overall.anonymizers), ("attackers", overall.attackers)):
        plain = [Row(row.team, None, row.figures) for row in rows]
        for row in with_shared_ranks(plain, lambda row: -round(row.figures["score"], 9)):
            document[kind][row.team] |= {"overall": row.figures["score"], "overall_rank": row.rank}


def _by_name(rows: tuple[Row, ...]) -> list[Row]:
    return sorted(rows, key=lambda row: row.team)
