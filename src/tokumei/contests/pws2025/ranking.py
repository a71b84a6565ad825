"""Anonymity, totals and attack points of PWS Cup 2025 from the hits of all attackers (later_contests 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Hits = Mapping[str, Mapping[str, int]]
BEST_TEAMS = 10
PRELIMINARY_BEST = 5
WEIGHTS = (0.1, 0.9)


@dataclass(frozen=True)
class Scores:
    """What every team reached: hits[owner][attacker] of ``members`` people, utility and penalty by team."""

    hits: Hits
    utility: Mapping[str, float]
    penalty: Mapping[str, int]
    members: int = 10_000
    top: int = BEST_TEAMS

    def most(self, team: str) -> int:
        """Return the largest number of hits on a team."""
        return max(self.hits.get(team, {}).values(), default=0)

    def anonymity(self, team: str) -> float:
        """Return 100 for no hit, less one for every attacker beyond the first who hit the same person."""
        missed = 100.0 * (self.members - self.most(team)) / self.members
        return max(0.0, missed - self.penalty.get(team, 0))

    def total(self, team: str) -> float:
        """Return utility and anonymity together."""
        return self.utility[team] + self.anonymity(team)

    def best(self) -> list[str]:
        """Return the teams whose tables count for the attackers."""
        return sorted(self.utility, key=lambda team: (-self.total(team), team))[: self.top]

    def attack_points(self, team: str) -> int:
        """Return the hits on the best teams; for the own table the largest number of hits on it."""
        own = ((self.most(owner) if owner == team else self.hits.get(owner, {}).get(team, 0)) for owner in self.best())
        return sum(own)


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """Return places, the largest first; equal scores share the better one.

    >>> ranks({"a": 1.0, "b": 2.0, "c": 1.0})
    {'a': 2, 'b': 1, 'c': 2}
    """
    return {team: 1 + sum(other > score for other in scores.values()) for team, score in scores.items()}


def overall(main: Mapping[str, float], preliminary: Mapping[str, float], factor: float = 1.0) -> dict[str, float]:
    """Return a tenth of the preliminary and nine tenths of the main round; who missed the former has 0 there."""
    early, late = WEIGHTS
    return {team: early * factor * preliminary.get(team, 0.0) + late * score for team, score in main.items()}
