"""One test from the guesses of all attackers, whatever they know of each other.

Under H0 (report, section on the criterion) the chance that all of j given guesses are right is at most p^j, so the
expected number of j-sets of right guesses among n is at most C(n,j) p^j. With X hits the quotient
C(X,j) / (C(n,j) p^j) is then an e-value: a number of expectation 1 or less. The mean of e-values is an e-value however
they depend on each other, and one of 1/alpha or more refutes H0 at the level alpha (Vovk and Wang, E-values:
calibration, combination and applications, 2021, section 3). j must not depend on the hits: for n guesses it is the
moment with which the sharp threshold of n is proven.

One attacker who passes the sharp threshold at alpha/20 has an e-value above 20/alpha, so that up to 20 attackers are
together never weaker than by the correction of Bonferroni; several who nearly pass add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb

from tokumei.audits import OFFICIAL_ALPHA, OFFICIAL_P, sharp_thresholds

# The contest divides its level among 20 attackers; taken together they are tested at the whole level.
ATTACKERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedEvidence:
    """The e-value of every attacker, their mean, and whether it refutes H0."""

    values: tuple[float, ...]
    mean: float
    needed: float

    @property
    def unsafe(self) -> bool:
        """Whether all attackers together show the file unsafe."""
        return self.mean >= self.needed

    def as_dict(self) -> dict[str, object]:
        """Return the fields of ``--json``."""
        return {"e_values": list(self.values), "mean": self.mean, "needed": self.needed, "unsafe": self.unsafe}


def moment(n: int, *, p: Fraction = OFFICIAL_P, alpha: Fraction = OFFICIAL_ALPHA) -> int:
    """Return the j that is counted among n guesses: that of the sharp threshold, or of n hits where there is none."""
    threshold = min(sharp_thresholds(n, p=p, alpha=alpha)[n], n)
    return max(1, min(n, ceil((threshold - n * p) / (1 - p))))


def combined_evidence(
    attempts: Sequence[tuple[int, int]], *, p: Fraction = OFFICIAL_P, alpha: Fraction = ATTACKERS * OFFICIAL_ALPHA
) -> CombinedEvidence:
    """Return what attempts of (guesses, hits) show together; ``alpha`` is the level for all of them.

    >>> combined_evidence([(24, 17), (24, 17)]).unsafe, combined_evidence([(24, 8), (24, 8)]).unsafe
    (True, False)
    >>> combined_evidence([(24, 24), (24, 8)]).unsafe
    True
    """
    values = []
    for guesses, hits in attempts:
        if guesses == 0:
            values.append(Fraction(1))
            continue
        j = moment(guesses, p=p, alpha=alpha / ATTACKERS)
        values.append(Fraction(comb(hits, j)) / (comb(guesses, j) * p**j))
    mean = sum(values, Fraction(0)) / len(values) if values else Fraction(1)
    return CombinedEvidence(values=tuple(float(value) for value in values), mean=float(mean), needed=float(1 / alpha))
