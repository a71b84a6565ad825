"""How private a mechanism is at least, measured: a game with a canary, and exact bounds on its outcome.

Half of the runs have a canary in their data, a person who brings all that one may bring; an attacker tells from the
output which. Whatever he does, (epsilon, delta)-privacy bounds his rates: true positives <= e^epsilon false positives
+ delta, and the same for negatives (Kairouz, Oh and Viswanath 2015). Turned around, rates that are seen give an
epsilon that the mechanism has at least; Clopper and Pearson's intervals (1934) make it hold with a confidence
(Jagielski, Ullman and Oprea 2020). A bound above the epsilon that is claimed disproves the claim; one below proves
nothing but that this attacker found no fault.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryBound:
    """A lower bound on epsilon that holds with ``confidence``, from so many runs with and as many without canary."""

    epsilon: float
    delta: float
    confidence: float
    runs: int
    true_positives: int
    false_positives: int

    def disproves(self, claimed: float) -> bool:
        """Return whether the mechanism is less private than claimed."""
        return self.epsilon > claimed

    def as_dict(self) -> dict[str, float]:
        """Return plain values."""
        return {
            "epsilon_at_least": self.epsilon,
            "delta": self.delta,
            "confidence": self.confidence,
            "runs": self.runs,
            "true_positives": self.true_positives,
            "false_positives": self.false_positives,
        }


def canary_bound(present: Floats, absent: Floats, *, delta: float = 0.0, confidence: float = CONFIDENCE) -> CanaryBound:
    """Return the bound from the attacker's score of every run, higher where the canary seems to be in the data.

    The first half of the runs chooses the threshold, the second half is counted: nothing is fitted to what is counted.
    """
    half = len(present) // 2
    threshold = _best_threshold(present[:half], absent[:half], delta)
    runs = min(len(present), len(absent)) - half
    positives = int((present[half : half + runs] > threshold).sum())
    alarms = int((absent[half : half + runs] > threshold).sum())
    # Four one-sided bounds are used at most; together they hold with the confidence.
    level = 1 - (1 - confidence) / 4
    best = max(
        0.0,
        _implied(_lower(positives, runs, level), _upper(alarms, runs, level), delta),
        _implied(_lower(runs - alarms, runs, level), _upper(runs - positives, runs, level), delta),
    )
    return CanaryBound(
        epsilon=best, delta=delta, confidence=confidence, runs=runs, true_positives=positives, false_positives=alarms
    )


def _implied(hits: float, alarms: float, delta: float) -> float:
    return math.log((hits - delta) / alarms) if hits > delta and alarms > 0 else 0.0


def _best_threshold(present: Floats, absent: Floats, delta: float) -> float:
    """Return the threshold whose rates, one run moved against it, imply the largest epsilon."""
    best, chosen = -1.0, 0.0
    for threshold in np.unique(np.concatenate((present, absent))):
        hits, alarms = int((present > threshold).sum()), int((absent > threshold).sum())
        runs = len(present)
        implied = max(
            _implied(hits / runs, (alarms + 1) / (runs + 1), delta),
            _implied((runs - alarms) / runs, (runs - hits + 1) / (runs + 1), delta),
        )
        if implied > best:
            best, chosen = implied, float(threshold)
    return chosen


def _lower(hits: int, runs: int, level: float) -> float:
    from scipy.stats import beta  # noqa: PLC0415 - loads slowly

    return 0.0 if hits == 0 else float(beta.ppf(1 - level, hits, runs - hits + 1))


def _upper(hits: int, runs: int, level: float) -> float:
    from scipy.stats import beta  # noqa: PLC0415 - loads slowly

    return 1.0 if hits == runs else float(beta.ppf(level, hits + 1, runs - hits))
