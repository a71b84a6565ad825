"""Scores and ranks of PWS Cup 2021 from the risks of all attacks (spec D.5.5)."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["anonymizer_scores", "attacker_scores", "overall_ranks", "ranks", "weighted_rounds"]

DISQUALIFIED = 1.0
BEST_ANONYMIZERS = 3
PRELIMINARY_WEIGHT, FINAL_WEIGHT = 0.1, 0.9

Risks = Mapping[str, Mapping[str, float]]


def anonymizer_scores(risks: Risks, *, disqualified: frozenset[str] = frozenset()) -> dict[str, float]:
    """Return R(i), the largest risk over all attackers; ``risks[target][attacker]``. Lower is better."""
    return {
        team: DISQUALIFIED if team in disqualified else max(found.values(), default=0.0)
        for team, found in risks.items()
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


def weighted_rounds(preliminary: Mapping[str, float], final: Mapping[str, float]) -> dict[str, float]:
    """Return 0.1 x preliminary + 0.9 x final round for the teams of the final."""
    return {team: PRELIMINARY_WEIGHT * preliminary[team] + FINAL_WEIGHT * final[team] for team in final}


def ranks(scores: Mapping[str, float], *, lower_is_better: bool) -> dict[str, int]:
    """Return the rank of every team from 1; teams with equal scores share the better rank."""
    sign = 1.0 if lower_is_better else -1.0
    values = [sign * value for value in scores.values()]
    return {team: 1 + sum(other < sign * value for other in values) for team, value in scores.items()}


def overall_ranks(anonymizers: Mapping[str, float], attackers: Mapping[str, float]) -> dict[str, int]:
    """Return the sum of both ranks of every team; the smallest wins."""
    first, second = ranks(anonymizers, lower_is_better=True), ranks(attackers, lower_is_better=False)
    return {team: first[team] + second[team] for team in first if team in second}
