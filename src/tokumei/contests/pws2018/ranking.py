"""The rankings of PWS Cup 2018: the lowest U among safe files wins (spec B)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tokumei.contests import ranking
from tokumei.contests.values import Both, Column, Entry, Pair, RoundTable, Row

# Two U closer than this are the same result (issue of the arena, tie rule of 2018).
SAME_U = 1e-9
# U of a round without a safe file: the largest possible loss.
WORST_U = 1.0

_ANONYMIZER_RULE: Both = {
    "en": "Lowest U among the files that received no effective re-identification; U within 1e-9 is a tie, broken by "
    "fewer effective re-identifications under the sharp test, then by the earlier submission.",
    "ja": "有効な再識別を受けなかったファイルのうち、Uが最小のものが1位。Uの差が1e-9以内なら同点とし、"
    "厳密な検定で有効となる再識別の少ない順、次に提出の早い順で決めます。",
}
_ATTACKER_RULE: Both = {
    "en": "Most effective re-identifications, then most under the sharp test; teams equal in both share a rank.",
    "ja": "有効な再識別の多い順、次に厳密な検定で有効な再識別の多い順。両方とも等しいチームは同順位です。",
}
_OVERALL_RULE: Both = {
    "en": "Lowest sum of weight × U over the rounds, a round without a safe file counting as U = 1; ties within 1e-9 "
    "by fewer effective re-identifications under the sharp test, then by the earlier submission.",
    "ja": "各回の重み×Uの合計が最小のチームが1位（安全なファイルのない回はU = 1として数えます）。差が1e-9以内なら、"
    "厳密な検定で有効となる再識別の少ない順、次に提出の早い順で決めます。",
}
_OVERALL_ATTACKER_RULE: Both = {
    "en": "Highest sum of weight × effective re-identifications over the rounds; equal teams share a rank.",
    "ja": "各回の重み×有効な再識別数の合計が最大のチームが1位。等しいチームは同順位です。",
}
ANONYMIZER_COLUMNS = (
    Column("U", {"en": "U", "ja": "U"}, "lower"),
    Column("received", {"en": "effective re-identifications", "ja": "有効な再識別"}, "lower", 0),
    Column("sharp_received", {"en": "under the sharp test", "ja": "厳密な検定で有効"}, "lower", 0),
    Column("most_hits", {"en": "most right guesses", "ja": "最多正解数"}, "lower", 0),
)
ATTACKER_COLUMNS = (
    Column("effective", {"en": "effective re-identifications", "ja": "有効な再識別"}, "higher", 0),
    Column("sharp_effective", {"en": "under the sharp test", "ja": "厳密な検定で有効"}, "higher", 0),
    Column("hits", {"en": "right guesses", "ja": "正解数"}, "higher", 0),
    Column("attacked", {"en": "targets attacked", "ja": "攻撃した対象"}, "", 0),
)


def round_table(entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
    """Return survivors by U, and attackers by effective re-identifications."""
    counted = ranking.counted_pairs(entries, pairs)
    return RoundTable(
        anonymizers=_anonymizers(entries, counted),
        attackers=_attackers(entries, counted),
        anonymizer_columns=ANONYMIZER_COLUMNS,
        attacker_columns=ATTACKER_COLUMNS,
        anonymizer_rule=_ANONYMIZER_RULE,
        attacker_rule=_ATTACKER_RULE,
    )


def overall_table(rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
    """Return the sums of weight × U and of weight × effective re-identifications."""
    successes = ranking.Weighing(
        figure="effective",
        missing=0.0,
        better="higher",
        title={"en": "weighted successes", "ja": "加重成功数"},
        digits=2,
    )
    return RoundTable(
        anonymizers=_overall_anonymizers(rounds),
        attackers=successes.rows([(weight, table.attackers) for weight, table in rounds]),
        anonymizer_columns=(
            Column("score", {"en": "weighted U", "ja": "加重U"}, "lower"),
            Column("sharp_received", ANONYMIZER_COLUMNS[2].title, "lower", 0),
        ),
        attacker_columns=(successes.column,),
        anonymizer_rule=_OVERALL_RULE,
        attacker_rule=_OVERALL_ATTACKER_RULE,
    )


def _anonymizers(entries: Sequence[Entry], pairs: Sequence[Pair]) -> tuple[Row, ...]:
    received = Counter(pair.owner for pair in pairs if pair.figures["unsafe"])
    sharp = Counter(pair.owner for pair in pairs if pair.figures["sharp_unsafe"])
    most: dict[str, int] = {}
    for pair in pairs:
        most[pair.owner] = max(most.get(pair.owner, 0), int(pair.figures["hits"]))
    safe, unsafe, others = [], [], []
    for entry in entries:
        if entry.disqualified or entry.figures is None:
            others.append(ranking.unranked(entry))
            continue
        team = entry.team
        figures = {
            "U": float(entry.figures["U"]),
            "received": received[team],
            "sharp_received": sharp[team],
            "most_hits": most.get(team, 0),
            "received_at": "" if entry.received_at is None else entry.received_at.isoformat(),
        }
        if received[team]:
            unsafe.append(Row(team, None, figures, ranking.UNSAFE))
        else:
            safe.append(Row(team, None, figures))
    by_u = ranking.with_tie_rule(safe, _loss, SAME_U, _tie)
    return (*by_u, *sorted(unsafe, key=lambda row: (_loss(row), row.team)), *others)


def _loss(row: Row) -> float:
    return float(row.figures["U"])


def _tie(row: Row) -> tuple[int, str]:
    return int(row.figures["sharp_received"]), str(row.figures["received_at"])


def _attackers(entries: Sequence[Entry], pairs: Sequence[Pair]) -> tuple[Row, ...]:
    rows, others = [], []
    for entry in entries:
        if entry.disqualified:
            others.append(ranking.unranked(entry))
            continue
        own = [pair.figures for pair in pairs if pair.attacker == entry.team]
        figures = {
            "effective": sum(bool(one["unsafe"]) for one in own),
            "sharp_effective": sum(bool(one["sharp_unsafe"]) for one in own),
            "hits": sum(int(one["hits"]) for one in own),
            "attacked": len(own),
        }
        rows.append(Row(entry.team, None, figures))
    ranked = ranking.with_shared_ranks(rows, lambda row: (-row.figures["effective"], -row.figures["sharp_effective"]))
    return (*ranked, *others)


def _overall_anonymizers(rounds: Sequence[tuple[float, RoundTable]]) -> tuple[Row, ...]:
    safe: list[Row] = []
    others: list[Row] = []
    for team in ranking.teams_of([table.anonymizers for _, table in rounds]):
        found = [
            (weight, next((row for row in table.anonymizers if row.team == team), None)) for weight, table in rounds
        ]
        ranked = [(weight, row) for weight, row in found if row is not None and row.rank is not None]
        score = sum(weight * (WORST_U if row is None or row.rank is None else _loss(row)) for weight, row in found)
        figures = {
            "score": score,
            "sharp_received": sum(row.figures.get("sharp_received", 0) for _, row in found if row is not None),
            "received_at": max((row.figures["received_at"] for _, row in ranked), default=""),
        }
        remark = next((row.remark for _, row in reversed(found) if row is not None and row.remark), None)
        (safe if ranked else others).append(Row(team, None, figures, None if ranked else remark))
    ordered = ranking.with_tie_rule(safe, lambda row: float(row.figures["score"]), SAME_U, _tie)
    return (*ordered, *others)
