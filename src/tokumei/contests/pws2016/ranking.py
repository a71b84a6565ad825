"""The rankings of PWS Cup 2016: utility error and largest re-identification rate together (spec A.2, A.6)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from tokumei.contests import ranking
from tokumei.contests.values import Both, Column, Entry, Figures, Pair, RoundTable, Row

# A round without a valid release counts as complete loss and complete re-identification.
WORST_SUM, WORST_MAX = 2.0, 1.0
_ANONYMIZER_RULE: Both = {
    "en": "Lowest score: utility error and largest re-identification rate (of the sample attacks and of all teams) "
    "together, by sum or maximum as the contest says; equal teams share a rank.",
    "ja": "有用性の誤差と再識別率の最大値（サンプル攻撃と全チームの攻撃）を、コンテストの定めに従い和または最大値で"
    "合わせた得点が小さい順。等しいチームは同順位です。",
}
_ATTACKER_RULE: Both = {
    "en": "Highest mean re-identification rate over all targets of other teams (0 where nothing valid was handed in); "
    "equal teams share a rank.",
    "ja": "他チームの全対象に対する再識別率の平均が大きい順（有効な提出がない対象は0）。等しいチームは同順位です。",
}
_OVERALL_RULE: Both = {
    "en": "Sum of weight × score over the rounds; equal teams share a rank.",
    "ja": "各回の重み×得点の合計。等しいチームは同順位です。",
}
INCONSISTENT: Both = {"en": "P does not fit the data", "ja": "PがM'とT'の内容に合いません"}


def round_table(entries: Sequence[Entry], pairs: Sequence[Pair], *, largest: bool, need_consistent: bool) -> RoundTable:
    """Return anonymizers by utility error and largest rate together (their maximum or sum), attackers by mean rate.

    If P must fit the data, a release whose P does not counts as none.
    """
    counted = ranking.counted_pairs(entries, pairs)
    false = {entry.team for entry in entries if need_consistent and not _consistent(entry)}
    entries = [replace(entry, figures=None) if entry.team in false else entry for entry in entries]
    return RoundTable(
        anonymizers=_anonymizers(entries, counted, false, largest=largest),
        attackers=_attackers(entries, counted),
        anonymizer_columns=(
            Column("score", {"en": "score", "ja": "得点"}, "lower"),
            Column("utility_error", {"en": "utility error", "ja": "有用性の誤差"}, "lower"),
            Column("rate", {"en": "largest re-identification rate", "ja": "最大再識別率"}, "lower"),
        ),
        attacker_columns=(
            Column("mean_rate", {"en": "mean rate", "ja": "平均再識別率"}, "higher"),
            Column("attacked", {"en": "targets attacked", "ja": "攻撃した対象"}, "", 0),
        ),
        anonymizer_rule=_ANONYMIZER_RULE,
        attacker_rule=_ATTACKER_RULE,
    )


def overall_table(rounds: Sequence[tuple[float, RoundTable]], *, largest: bool) -> RoundTable:
    """Return the weighted sums of both scores."""
    title: Both = {"en": "weighted score", "ja": "加重得点"}
    return ranking.weighted_table(
        rounds,
        anonymizers=ranking.Weighing(figure="score", missing=_worst(largest=largest), better="lower", title=title),
        attackers=ranking.Weighing(figure="mean_rate", missing=0.0, better="higher", title=title),
        rule=_OVERALL_RULE,
    )


def _worst(*, largest: bool) -> float:
    return WORST_MAX if largest else WORST_SUM


def _consistent(entry: Entry) -> bool:
    return entry.figures is None or bool(entry.figures.get("consistent", True))


def _anonymizers(
    entries: Sequence[Entry], pairs: Sequence[Pair], false: Container[str], *, largest: bool
) -> tuple[Row, ...]:
    received: dict[str, float] = {}
    for pair in pairs:
        received[pair.owner] = max(received.get(pair.owner, 0.0), float(pair.figures["rate"]))
    rows, others = [], []
    for entry in entries:
        if entry.figures is None or entry.disqualified:
            remark = INCONSISTENT if entry.team in false else ranking.unranked(entry).remark
            others.append(Row(entry.team, None, {"score": _worst(largest=largest)}, remark))
            continue
        error = float(entry.figures["utility_error"])
        rate = max(float(entry.figures["reid_max"]), received.get(entry.team, 0.0))
        score = max(error, rate) if largest else error + rate
        remark = None if _consistent(entry) else INCONSISTENT
        rows.append(Row(entry.team, None, {"score": score, "utility_error": error, "rate": rate}, remark))
    return (*ranking.with_shared_ranks(rows, lambda row: row.figures["score"]), *others)


def _attackers(entries: Sequence[Entry], pairs: Sequence[Pair]) -> tuple[Row, ...]:
    open_to_attack = {entry.team for entry in entries if entry.figures is not None and not entry.disqualified}

    def figures(entry: Entry) -> Figures:
        own = {pair.owner: float(pair.figures["rate"]) for pair in pairs if pair.attacker == entry.team}
        aims = sorted(open_to_attack - {entry.team})
        mean = sum(own.get(team, 0.0) for team in aims) / len(aims) if aims else 0.0
        return {"mean_rate": mean, "attacked": len(own)}

    return ranking.rank_entries(entries, figures, lambda row: -row.figures["mean_rate"])
