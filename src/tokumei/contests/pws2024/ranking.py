"""The rankings of PWS Cup 2024 (later contests, spec 3), by which the official tables are reproduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokumei.contests import ranking
from tokumei.contests.values import Both, Column, Entry, Figures, Pair, RoundTable, Row

BEST_TEAMS = 5
NEEDED = 50.0
_RULE: Both = {
    "en": "Anonymizers: highest total of anonymity and utility, each point below 50 costs two more; anonymity is 100 "
    "less the most hits of an attacker or of the sample attack. Attackers: most hits on the five best teams, on the "
    "own team those of its best attacker. Equal teams share a rank.",
    "ja": "匿名加工：匿名性と有用性の合計が大きい順（50点を下回る1点につき2点減点）。匿名性は100から、攻撃者または"
    "サンプル攻撃の最大の的中数を引いたもの。攻撃：上位5チームに対する的中数の合計（自チームについては最大の的中数）が多い順。"
    "等しいチームは同順位です。",
}
_OVERALL_RULE: Both = {
    "en": "Sum of weight × total (anonymizers) and weight × hits (attackers); equal teams share a rank.",
    "ja": "匿名加工は重み×合計、攻撃は重み×的中数の和。等しいチームは同順位です。",
}
TOTAL: Both = {"en": "total", "ja": "合計"}
HITS: Both = {"en": "hits on the five best", "ja": "上位5チームへの的中数"}
ANONYMIZER_COLUMNS = (
    Column("total", TOTAL, "higher", 2),
    Column("anonymity", {"en": "anonymity", "ja": "匿名性"}, "higher", 0),
    Column("utility", {"en": "utility", "ja": "有用性"}, "higher", 3),
)
ATTACKER_COLUMNS = (
    Column("top5", HITS, "higher", 0),
    Column("sum", {"en": "hits on all", "ja": "全チームへの的中数"}, "higher", 0),
)


def total_of(anonymity: float, utility: float) -> float:
    """Return the total of a team: every point of anonymity or utility below 50 costs two more, never below 0.

    >>> total_of(31, 91.02), total_of(66, 69.1)
    (84.02, 135.1)
    """
    lacking = max(0.0, NEEDED - anonymity) + max(0.0, NEEDED - utility)
    return round(max(0.0, anonymity + utility - 2 * lacking), 9)


def round_table(entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
    """Return the tables of a round."""
    counted = ranking.counted_pairs(entries, pairs)
    hits = {(pair.owner, pair.attacker): float(pair.figures["hits"]) for pair in counted}
    most: dict[str, float] = {}
    for (owner, _attacker), value in hits.items():
        most[owner] = max(most.get(owner, 0.0), value)

    def kept(entry: Entry) -> Figures:
        figures = entry.figures or {}
        anonymity = min(100 - most.get(entry.team, 0.0), float(figures["sample_anonymity"]))
        utility = float(figures["utility"])
        return {"total": total_of(anonymity, utility), "anonymity": anonymity, "utility": utility}

    anonymizers = ranking.rank_entries(entries, kept, lambda row: -row.figures["total"], released=True)
    best = [row.team for row in anonymizers if row.rank is not None][:BEST_TEAMS]

    def reached(entry: Entry) -> Figures:
        points = [most.get(team, 0.0) if team == entry.team else hits.get((team, entry.team), 0.0) for team in best]
        everything = sum(value for (_owner, attacker), value in hits.items() if attacker == entry.team)
        return {"top5": sum(points), "sum": everything}

    attackers = ranking.rank_entries(entries, reached, lambda row: -row.figures["top5"])
    return RoundTable(anonymizers, attackers, ANONYMIZER_COLUMNS, ATTACKER_COLUMNS, _RULE, _RULE)


def overall_table(rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
    """Return the weighted sums of totals and hits."""
    return ranking.weighted_table(
        rounds,
        anonymizers=ranking.Weighing(figure="total", missing=0.0, better="higher", title=TOTAL, digits=2),
        attackers=ranking.Weighing(figure="top5", missing=0.0, better="higher", title=HITS, digits=1),
        rule=_OVERALL_RULE,
    )


def known_round(totals: Mapping[str, float], points: Mapping[str, float]) -> RoundTable:
    """Return a round of which only the totals and the hits on the five best are known."""
    anonymizers = [Row(team, None, {"total": total}) for team, total in totals.items()]
    attackers = [Row(team, None, {"top5": value}) for team, value in points.items()]
    return RoundTable(
        ranking.with_shared_ranks(anonymizers, lambda row: -row.figures["total"]),
        ranking.with_shared_ranks(attackers, lambda row: -row.figures["top5"]),
        ANONYMIZER_COLUMNS,
        ATTACKER_COLUMNS,
        _RULE,
        _RULE,
    )
