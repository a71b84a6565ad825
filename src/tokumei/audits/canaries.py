"""How private a mechanism is at least, measured: a game with a canary, and exact bounds on its outcome.

Half of the runs have a canary in their data, a person who brings all that one may bring; an attacker tells from the
output which. Whatever he does, (epsilon, delta)-privacy bounds his rates: true positives <= e^epsilon false positives
+ delta, and the same for negatives (Kairouz, Oh and Viswanath 2015). Turned around, rates that are seen give an
epsilon that the mechanism has at least; Clopper and Pearson's intervals (1934) make it hold with a confidence
(Jagielski, Ullman and Oprea 2020). A bound above the epsilon that is claimed disproves the claim; one below proves
nothing but that this attacker found no fault.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints

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
    # Four one-sided bounds are used at most; together they hold with the confidence.
    level = 1 - (1 - confidence) / 4
    threshold = _best_threshold(present[:half], absent[:half], delta, level)
    runs = min(len(present), len(absent)) - half
    positives = int((present[half : half + runs] > threshold).sum())
    alarms = int((absent[half : half + runs] > threshold).sum())
    best = float(_at_least(np.array([positives]), np.array([alarms]), runs, delta, level)[0])
    return CanaryBound(
        epsilon=best, delta=delta, confidence=confidence, runs=runs, true_positives=positives, false_positives=alarms
    )


def _at_least(hits: Ints, alarms: Ints, runs: int, delta: float, level: float) -> Floats:
    """Return the epsilon that rates imply at least, each within its own bound."""
    by_hits = _implied(_lower(hits, runs, level), _upper(alarms, runs, level), delta)
    by_alarms = _implied(_lower(runs - alarms, runs, level), _upper(runs - hits, runs, level), delta)
    return np.maximum(np.maximum(by_hits, by_alarms), 0.0)


def _implied(hits: Floats, alarms: Floats, delta: float) -> Floats:
    return np.asarray(np.log(np.maximum(hits - delta, 1e-300) / alarms))


def _best_threshold(present: Floats, absent: Floats, delta: float, level: float) -> float:
    """Return the threshold whose rates imply the largest bound, surely enough to have been looked for among all.

    Otherwise a handful of runs beyond one threshold of many would be taken for clear.
    """
    thresholds = np.unique(np.concatenate((present, absent)))
    level = 1 - (1 - level) / len(thresholds)
    hits, alarms = (
        len(scores) - np.searchsorted(np.sort(scores), thresholds, side="right") for scores in (present, absent)
    )
    return float(thresholds[int(np.argmax(_at_least(hits, alarms, min(len(present), len(absent)), delta, level)))])


def _lower(hits: Ints, runs: int, level: float) -> Floats:
    from scipy.stats import beta  # noqa: PLC0415 - loads slowly

    return np.where(hits <= 0, 0.0, beta.ppf(1 - level, np.maximum(hits, 1), runs - np.maximum(hits, 1) + 1))


def _upper(hits: Ints, runs: int, level: float) -> Floats:
    from scipy.stats import beta  # noqa: PLC0415 - loads slowly

    return np.where(
        hits >= runs, 1.0, beta.ppf(level, np.minimum(hits, runs - 1) + 1, runs - np.minimum(hits, runs - 1))
    )
