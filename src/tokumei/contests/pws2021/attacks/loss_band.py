"""Team 06's attack of 2021 and its odds-ratio variant: random rows from a band of information loss (poster of 2021).

An anonymizer bound by iloss that fears linkage keeps away from near rows: they are decoys. So the attack never says
"deleted", except where no row is within reach or several rows are suspiciously near.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.contests.pws2021.attacks.row_attack import DELETED, GUESSES, RowAttack
from tokumei.contests.pws2021.rows import pair_losses
from tokumei.contests.pws2021.table import HealthTable, same_levels
from tokumei.parts import parameter


def band_counts(losses: Floats, *, low: float, high: float, near: float) -> Ints:
    """Return per test row how many rows of D have a loss of at most ``high``, in the band, and below ``near``."""
    reachable = losses <= high
    return np.stack([reachable.sum(1), (reachable & (losses >= low)).sum(1), (losses < near).sum(1)], axis=1)


@dataclass(frozen=True, kw_only=True)
class LossBand(RowAttack):
    """Three random rows of D with an information loss in the band; deleted if none is reachable or two are near."""

    name: ClassVar[str] = "team06"
    summary: ClassVar[str] = "random rows within a band of information loss, against decoys"
    source: ClassVar[str] = "Data Protection Club, PWS Cup 2021, poster"

    low: float = parameter(3.0, "the smallest loss of the band", low=0.0)
    high: float = parameter(4.0, "the largest loss of the band, the limit of the rules", low=0.0)
    near: float = parameter(0.5, "rows nearer than this are decoys", low=0.0)
    decoys: int = parameter(2, "so many near rows mean that the test row was deleted", low=1)

    def choose(self, test: HealthTable, published: HealthTable, *, rng: np.random.Generator) -> Ints:
        """Draw from the band."""
        return self._draw(pair_losses(test, published), rng)

    def _draw(self, losses: Floats, rng: np.random.Generator) -> Ints:
        counts = band_counts(losses, low=self.low, high=self.high, near=self.near)
        deleted = (counts[:, 0] == 0) | (counts[:, 2] >= self.decoys)
        # Band first, then other reachable rows, then the nearest ones; within a class a random order.
        reachable = losses <= self.high
        rank = np.where(reachable & (losses >= self.low), 0.0, np.where(reachable, 1.0, 2.0 + losses))
        rank = rank + np.where(reachable, rng.random(losses.shape), 0.0)
        best = np.argsort(rank, axis=1, kind="stable")[:, :GUESSES]
        guesses = np.full((len(losses), GUESSES), DELETED, dtype=np.int64)
        guesses[:, : best.shape[1]] = best
        guesses[deleted] = DELETED
        return guesses


@dataclass(frozen=True, kw_only=True)
class PenalizedBand(LossBand):
    """The same, with a penalty on rows whose education and marital status differ, where odds ratios suffer most.

    Of the two readings of the poster, ``both`` fits its table of penalties better than ``either``.
    """

    name: ClassVar[str] = "odds-penalty"
    summary: ClassVar[str] = "the band of information loss with a penalty on edu and mar"

    penalty: float = parameter(0.25, "added to the loss where edu and mar differ", low=-4.0, high=4.0)
    differ: str = parameter("both", "which of edu and mar must differ", choices=("either", "both"))

    def choose(self, test: HealthTable, published: HealthTable, *, rng: np.random.Generator) -> Ints:
        """Draw from the band of penalized losses."""
        left, right = same_levels([test, published])
        education, marriage = (
            left.nominal(name)[0][:, None] != right.nominal(name)[0][None, :] for name in ("edu", "mar")
        )
        differs = education | marriage if self.differ == "either" else education & marriage
        return self._draw(pair_losses(left, right) + self.penalty * differs, rng)
