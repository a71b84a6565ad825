"""What the order of the test rows gives away by itself, whatever an anonymizer did to the values.

D keeps the rows of C in their order, and no row may lose more than the limit of iloss. So the record of a test row is
among those of D within that limit, and about as far down as the test row is among its like. The three nearest to that
place are named.

No pipeline can do better than a floor. iloss is the largest of three distances, so it is a distance: whatever D shows
within 4 of a test row was within 8 of it in C. Let the same attack look at C, with a reach of 8: it sees every place
that it would see in D, and perhaps more, so that the true place never ranks better. Its hits on C are a lower bound of
those on every D that was made from C within the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2021.attacks.row_attack import DELETED, GUESSES, RowAttack
from tokumei.contests.pws2021.rows import pair_losses
from tokumei.contests.pws2021.table import HealthTable, same_levels
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class OrderWindow(RowAttack):
    """The three rows of D within reach that stand nearest to where the order of the test rows points; never "deleted".

    It knows nothing of how D was made but the limit of iloss. On C itself, with twice the reach, it gives the floor
    below which no pipeline can bring it.
    """

    name: ClassVar[str] = "order"
    summary: ClassVar[str] = "rows within reach, nearest to the place that the order of the test rows points to"
    source: ClassVar[str] = "own; the order is that of pick, the reach that of iloss"

    reach: float = parameter(4.0, "the largest information loss, the limit of the rules", low=0.0)

    def choose(self, test: HealthTable, published: HealthTable, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Answer the rows nearest to the expected place; nothing is left to chance."""
        test, published = same_levels([test, published])
        within = pair_losses(test, published) <= self.reach
        expected = (np.arange(test.height) + 0.5) / max(test.height, 1) * published.height
        away = np.abs(np.arange(published.height)[None, :] + 0.5 - expected[:, None])
        best = np.argsort(np.where(within, away, away + published.height), axis=1, kind="stable")[:, :GUESSES]
        guesses = np.full((test.height, GUESSES), DELETED, dtype=np.int64)
        guesses[:, : best.shape[1]] = best
        return guesses
