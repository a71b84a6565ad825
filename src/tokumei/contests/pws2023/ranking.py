"""The rankings of PWS Cup 2023 (later contests, spec 5): by scores in a round, by ranks over both rounds."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokumei.contests import ranking
from tokumei.contests.values import Both, Column, Entry, Figures, Pair, RoundTable, Row
from tokumei.data import read_bytes
from tokumei.errors import InputError

WEIGHTS = (0.1, 0.9)
TOP = 3
_RULE: Both = {
    "en": "Anonymizers: highest x = (u + s)/2, s being 1 less the best attack; ties by s. Attackers: highest mean of "
    "right cells over all other teams (1 where a team handed in nothing valid); ties by the smallest, then the next.",
    "ja": "匿名加工：x＝(u＋s)/2が大きい順（sは1から最良の攻撃の正答率を引いたもの、同点はs）。攻撃：他の全チームに"
    "対する正答率の平均が大きい順（有効な提出のないチームは1）。同点は最小の正答率、次に小さい正答率で決めます。",
}
_OVERALL_RULE: Both = {
    "en": "Lowest weighted mean of the ranks of the rounds; ties by the rank in the last round.",
    "ja": "各回の順位の加重平均が小さい順。同点は最後の回の順位で決めます。",
}
_MEAN_RANK = Column("score", {"en": "weighted rank", "ja": "加重順位"}, "lower", 2)


def round_table(entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
    """Return both divisions of a round."""
    counted = ranking.counted_pairs(entries, pairs)
    hits = {(pair.owner, pair.attacker): float(pair.figures["a"]) for pair in counted}
    aims = [entry for entry in entries if not entry.disqualified]

    def kept(entry: Entry) -> Figures:
        best = max((value for (owner, _attacker), value in hits.items() if owner == entry.team), default=0.0)
        useful = float((entry.figures or {})["u"])
        return {"x": (useful + 1 - best) / 2, "u": useful, "s": 1 - best}

    def reached(entry: Entry) -> Figures:
        others = [aim for aim in aims if aim.team != entry.team]
        shares = [1.0 if aim.figures is None else hits.get((aim.team, entry.team), 0.0) for aim in others]
        return {"y": sum(shares) / max(len(shares), 1), "shares": sorted(shares)}

    anonymizers = ranking.rank_entries(entries, kept, lambda row: (-row.figures["x"], -row.figures["s"]), released=True)
    attackers = ranking.rank_entries(
        entries, reached, lambda row: (-row.figures["y"], [-share for share in row.figures["shares"]])
    )
    columns = (
        Column("x", {"en": "x = (u + s)/2", "ja": "x＝(u＋s)/2"}, "higher", 5),
        Column("u", {"en": "utility u", "ja": "有用性u"}, "higher", 5),
        Column("s", {"en": "safety s", "ja": "安全性s"}, "higher", 5),
    )
    right = Column("y", {"en": "mean of right cells", "ja": "正答率の平均"}, "higher", 5)
    return RoundTable(anonymizers, attackers, columns, (right,), _RULE, _RULE)


def overall_rows(rounds: Sequence[tuple[float, Sequence[Row]]]) -> tuple[Row, ...]:
    """Return the weighted means of ranks; who is not ranked in a round counts as last there."""
    ranked: list[Row] = []
    others: list[Row] = []
    for team in ranking.teams_of([rows for _weight, rows in rounds]):
        own = [(weight, next((row for row in rows if row.team == team), None), rows) for weight, rows in rounds]
        places = [(weight, row.rank if row and row.rank else len(rows)) for weight, row, rows in own]
        last = own[-1][1]
        score = sum(weight * place for weight, place in places)
        row = Row(team, None, {"score": round(score, 9), "last": places[-1][1]}, last.remark if last else None)
        (others if last is None or last.rank is None else ranked).append(row)
    return (*ranking.with_shared_ranks(ranked, lambda row: (row.figures["score"], row.figures["last"])), *others)


def overall_table(rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
    """Return both divisions over all rounds."""
    anonymizers, attackers = (
        overall_rows([(weight, getattr(table, kind)) for weight, table in rounds])
        for kind in ("anonymizers", "attackers")
    )
    return RoundTable(anonymizers, attackers, (_MEAN_RANK,), (_MEAN_RANK,), _OVERALL_RULE, _OVERALL_RULE)


def _read(path: Path, first: str) -> list[dict[str, str]]:
    rows = list(csv.DictReader(io.StringIO(read_bytes(path).decode("utf-8-sig"))))
    if not rows or first not in rows[0]:
        message = f"{path} has no column {first}; its header must begin with it"
        raise InputError(message, code="columns", file=str(path))
    return rows


def official_tables(
    utility: Path, attack: Path, preliminary: Path | None = None, invalid: Sequence[str] = ()
) -> dict[str, Any]:
    """Return scores and ranks of a round and, with the ranks of the preliminary one, the best three overall."""
    useful = {row["team"]: float(row["u"]) for row in _read(utility, "team")}
    entries = [Entry(team, None if team in invalid else {"u": value}, None) for team, value in useful.items()]
    pairs = [
        Pair(row["attacker"], owner, {"a": float(cell or 0)})
        for row in _read(attack, "attacker")
        for owner, cell in row.items()
        if owner not in ("attacker", row["attacker"])
    ]
    table = round_table(entries, pairs)
    plain = {"u": 0.0, "s": 0.0, "x": 0.0}
    document: dict[str, Any] = {
        "anonymizers": {row.team: {**plain, **row.figures, "rank": row.rank} for row in table.anonymizers},
        "attackers": {row.team: {"y": row.figures["y"], "rank": row.rank} for row in table.attackers},
    }
    if preliminary is not None:
        document["overall"] = _overall(table, json.loads(read_bytes(preliminary)))
    return document


def _overall(table: RoundTable, before: Mapping[str, Mapping[str, int]]) -> dict[str, list[str]]:
    divisions = {}
    for kind, rows in (("anonymizer", table.anonymizers), ("attacker", table.attackers)):
        past = [replace(row, rank=before[kind].get(row.team)) for row in rows]
        divisions[kind] = overall_rows([(WEIGHTS[0], past), (WEIGHTS[1], rows)])
    ranks = {kind: {row.team: row.rank or len(rows) for row in rows} for kind, rows in divisions.items()}
    both = {team: rank + ranks["attacker"][team] for team, rank in ranks["anonymizer"].items()}
    total = sorted(both, key=lambda team: (both[team], ranks["anonymizer"][team]))
    told = {f"{kind}_top3": [row.team for row in rows[:TOP]] for kind, rows in divisions.items()}
    return {**told, "grand_total_top3": total[:TOP]}
