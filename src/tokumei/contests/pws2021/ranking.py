"""Scores and rankings of PWS Cup 2021 from the risks of all attacks (spec D.5.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tokumei.contests import ranking
from tokumei.contests.values import Both, Column, Entry, Pair, RoundTable, Row

# R of a team without a valid release, or disqualified.
WORST_RISK = 1.0
BEST_ANONYMIZERS = 3
_ANONYMIZER_RULE: Both = {
    "en": "Lowest R, the largest risk over all attackers (1 without a valid release); equal teams share a rank.",
    "ja": "全攻撃者に対するリスクの最大値Rが小さい順（有効な提出がなければ1）。等しいチームは同順位です。",
}
_ATTACKER_RULE: Both = {
    "en": "Highest A, the mean risk over the three best anonymizers without the own file; equal teams share a rank.",
    "ja": "上位3つの匿名加工データ（自チームを除く）に対するリスクの平均Aが大きい順。等しいチームは同順位です。",
}
_OVERALL_RULE: Both = {
    "en": "Sum of weight × score over the rounds; equal teams share a rank. Overall place: the sum of the ranks as "
    "anonymizer and as attacker, the smallest first.",
    "ja": "各回の重み×得点の合計。等しいチームは同順位です。総合順位は匿名加工と攻撃の順位の和が小さい順です。",
}

Risks = Mapping[str, Mapping[str, float]]


def round_table(entries: Sequence[Entry], pairs: Sequence[Pair], *, loss_title: Both) -> RoundTable:
    """Return R and A of all teams."""
    risks = _risks(entries, pairs)
    out = frozenset(entry.team for entry in entries if entry.disqualified)
    scores = anonymizer_scores(risks, disqualified=out)
    return RoundTable(
        anonymizers=_anonymizers(entries, risks, scores),
        attackers=_attackers(entries, risks, scores),
        anonymizer_columns=(
            Column("R", {"en": "R (largest risk)", "ja": "R（最大リスク）"}, "lower"),
            Column("iloss", loss_title, "lower"),
            Column("attacks", {"en": "attacks received", "ja": "受けた攻撃"}, "", 0),
        ),
        attacker_columns=(
            Column("A", {"en": "A (mean risk of the three best)", "ja": "A（上位3件の平均リスク）"}, "higher"),
            Column("attacked", {"en": "targets attacked", "ja": "攻撃した対象"}, "", 0),
        ),
        anonymizer_rule=_ANONYMIZER_RULE,
        attacker_rule=_ATTACKER_RULE,
    )


def overall_table(rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
    """Return weighted R and A, with the sum of both ranks beside them."""
    table = ranking.weighted_table(
        rounds,
        anonymizers=ranking.Weighing(
            figure="R", missing=WORST_RISK, better="lower", title={"en": "weighted R", "ja": "加重R"}
        ),
        attackers=ranking.Weighing(figure="A", missing=0.0, better="higher", title={"en": "weighted A", "ja": "加重A"}),
        rule=_OVERALL_RULE,
    )
    total = Column("rank_sum", {"en": "sum of both ranks", "ja": "順位の和"}, "lower", 0)
    place = Column("overall", {"en": "overall place", "ja": "総合順位"}, "lower", 0)
    sums = _rank_sums(table.anonymizers, table.attackers)
    return replace(
        table,
        anonymizers=tuple(_with_sums(row, sums) for row in table.anonymizers),
        attackers=tuple(_with_sums(row, sums) for row in table.attackers),
        anonymizer_columns=(*table.anonymizer_columns, total, place),
        attacker_columns=(*table.attacker_columns, total, place),
    )


def anonymizer_scores(risks: Risks, *, disqualified: frozenset[str] = frozenset()) -> dict[str, float]:
    """Return R(i), the largest risk over all attackers; ``risks[target][attacker]``. Lower is better."""
    return {
        team: WORST_RISK if team in disqualified else max(found.values(), default=0.0) for team, found in risks.items()
    }


def attacker_scores(risks: Risks, scores: Mapping[str, float]) -> dict[str, float]:
    """Return A(j), the mean risk over the three best anonymizers without the attacker's own file. Higher is better.

    Ties for the third place are broken by the name of the team.
    """
    best = sorted(scores, key=lambda team: (scores[team], team))[:BEST_ANONYMIZERS]
    attackers = sorted({attacker for found in risks.values() for attacker in found} | set(risks))
    result = {}
    for attacker in attackers:
        reached = [risks[team].get(attacker, 0.0) for team in best if team != attacker]
        result[attacker] = sum(reached) / len(reached) if reached else 0.0
    return result


def _risks(entries: Sequence[Entry], pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    """Return ``risks[target][attacker]``; teams without a valid release are no targets."""
    found: dict[str, dict[str, float]] = {entry.team: {} for entry in entries if entry.figures is not None}
    for pair in ranking.counted_pairs(entries, pairs):
        if pair.owner in found:
            found[pair.owner][pair.attacker] = float(pair.figures["risk"])
    return found


def _anonymizers(
    entries: Sequence[Entry], risks: dict[str, dict[str, float]], scores: dict[str, float]
) -> tuple[Row, ...]:
    rows, others = [], []
    for entry in entries:
        if entry.disqualified:
            others.append(Row(entry.team, None, {"R": WORST_RISK}, ranking.DISQUALIFIED))
            continue
        if entry.figures is None:
            rows.append(Row(entry.team, None, {"R": WORST_RISK}, ranking.MISSING))
            continue
        figures = {"R": scores[entry.team], "iloss": entry.figures["iloss"], "attacks": len(risks[entry.team])}
        rows.append(Row(entry.team, None, figures))
    return (*ranking.with_shared_ranks(rows, lambda row: row.figures["R"]), *others)


def _attackers(
    entries: Sequence[Entry], risks: dict[str, dict[str, float]], scores: dict[str, float]
) -> tuple[Row, ...]:
    out = {entry.team for entry in entries if entry.disqualified}
    reached = attacker_scores(risks, {team: score for team, score in scores.items() if team not in out})
    rows, others = [], []
    for entry in entries:
        if entry.disqualified:
            others.append(ranking.unranked(entry))
            continue
        attacked = sum(entry.team in found for found in risks.values())
        rows.append(Row(entry.team, None, {"A": reached.get(entry.team, 0.0), "attacked": attacked}))
    return (*ranking.with_shared_ranks(rows, lambda row: -row.figures["A"]), *others)


def _rank_sums(anonymizers: Sequence[Row], attackers: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Return the sum of both ranks of every team ranked in both, and its place by that sum."""
    second = {row.team: row.rank for row in attackers if row.rank is not None}
    sums = {row.team: row.rank + second[row.team] for row in anonymizers if row.rank is not None and row.team in second}
    return {team: (total, 1 + sum(other < total for other in sums.values())) for team, total in sums.items()}


def _with_sums(row: Row, sums: dict[str, tuple[int, int]]) -> Row:
    if row.team not in sums:
        return row
    total, place = sums[row.team]
    return Row(row.team, row.rank, {**row.figures, "rank_sum": total, "overall": place}, row.remark)
