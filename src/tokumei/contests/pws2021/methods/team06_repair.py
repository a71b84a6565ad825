"""Step 5 of Team 06: delete untouched records, and further ones until utility holds again (spec D.8)."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Bools, Ints
from tokumei.contests.pws2021.tracker import UtilityTracker
from tokumei.progress import stage

TRIED = 20


class _UniqueRows:
    """The number of unique rows of C while rows are deleted."""

    def __init__(self, keys: Ints, active: Bools) -> None:
        self.keys = keys
        self.counts = np.bincount(keys[active], minlength=int(keys.max(initial=0)) + 1)

    @property
    def unique(self) -> int:
        return int((self.counts == 1).sum())

    def after_deleting(self) -> Ints:
        """Return the number of unique rows if the row at each position went."""
        own = self.counts[self.keys]
        return self.unique + np.where(own == 1, -1, np.where(own == 2, 1, 0))

    def delete(self, position: int) -> None:
        self.counts[self.keys[position]] -= 1


def repair_by_deletion(
    tracker: UtilityTracker, keys: Ints, *, limits: tuple[float, float, float], most_unique: int, least_rows: int
) -> int:
    """Delete positions one by one until umark is within the limits; return how many went.

    ``keys`` are the uniqueness keys of the original rows. The position whose loss is predicted to bring the odds
    ratios nearest is tried first; deletions end where no single one helps, or nothing more may go.
    """
    unique = _UniqueRows(keys, tracker.active)
    current = tracker.violation().excess(limits)
    deleted = 0
    with stage("repair") as advance:
        while (current > 1.0 or unique.unique > most_unique) and tracker.rows > least_rows:
            usable = np.flatnonzero(tracker.active & (unique.after_deleting() <= max(most_unique, unique.unique - 1)))
            if len(usable) == 0:
                break
            predicted = tracker.odds_after(-tracker.influence(tracker.shown[usable]))
            too_many = unique.unique > most_unique
            for position in usable[np.argsort(predicted, kind="stable")[:TRIED]].tolist():
                tracker.delete(np.array([position]))
                after = tracker.violation().excess(limits)
                if after < current or too_many:
                    break
                tracker.restore(np.array([position]))
            else:
                break
            unique.delete(position)
            current = after
            deleted += 1
            advance(1)
    return deleted
