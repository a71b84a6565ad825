"""The tails of ordered columns before and after: what happens to the extremes, which models and limits hang on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.errors import InfeasibleError
from tokumei.metrics.chosen_columns import ordered_names
from tokumei.metrics.midpoints import original_values, published_values
from tokumei.parts import Metric

TAILS = (0.1, 1.0, 5.0, 95.0, 99.0, 99.9)
# A column most of whose values are equal has no middle half; then its whole range is the measure.
MOST = 10.0


def tail_percentiles(values: Floats, percentiles: tuple[float, ...] = TAILS) -> dict[float, float]:
    """Return the extreme percentiles of values.

    >>> tail_percentiles(np.arange(101.0), (5.0, 95.0))
    {5.0: 5.0, 95.0: 95.0}
    """
    return {percentile: float(np.percentile(values, percentile)) for percentile in percentiles}


def middle_half(values: Floats) -> float:
    """Return the distance between the quartiles."""
    return float(np.subtract(*np.percentile(values, [75, 25])))


@dataclass(frozen=True, kw_only=True)
class TailShift(Metric):
    """Mean distance by which the extreme percentiles of ordered columns moved, in widths of their middle half.

    The percentiles are 0.1, 1, 5, 95, 99 and 99.9; ranges count at their middle, a column that is not told any more
    with 10. 0: the tails stand where they stood. It sees clipped and widened extremes that means do not show.
    """

    name: ClassVar[str] = "tail-shift"
    summary: ClassVar[str] = "how far the extreme percentiles of ordered columns moved, in interquartile ranges"
    source: ClassVar[str] = "PWS Cup 2026"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the mean over columns and percentiles, with one part per column."""
        del secret
        names, parts = ordered_names(history), {}
        pairs = zip(names, original_values(history, names), published_values(history, release, names), strict=True)
        for name, before, after in pairs:
            old, new = before[np.isfinite(before)], after[np.isfinite(after)]
            unit = (middle_half(old) or float(np.ptp(old))) if len(old) else 0.0
            if unit > 0:
                mine, theirs = tail_percentiles(old), tail_percentiles(new) if len(new) else {}
                gaps = [abs(theirs[at] - mine[at]) / unit if theirs else MOST for at in TAILS]
                parts[name] = float(np.mean(np.minimum(gaps, MOST)))
        if not parts:
            raise InfeasibleError("no ordered column varies, of which the tails could be told")
        value = float(np.mean(list(parts.values())))
        return Score(name=self.name, value=value, goal=Goal.LOWER, lowest=0.0, highest=MOST, parts=parts)
