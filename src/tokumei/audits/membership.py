"""Can one tell whether somebody is in the data? The curve of hits against false alarms, its area, and one point of it.

The attacker calls those members whom the release explains well. How well it explains a member is compared with how well
it explains the same people when their class is left out. One point of the curve says more than its area: the hits at
1 % false alarms (Carlini et al., Membership Inference Attacks From First Principles, 2022).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.array_types import Floats
from tokumei.attacks import LOW_RATE
from tokumei.data import Goal, Interval, Score

_Z95 = 1.959963984540054
# Where the curve is told: densely near no false alarms, where it matters.
_RATES = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, *(round(0.1 * step, 1) for step in range(1, 11)))


def membership_curve(inside: Floats, outside: Floats) -> pl.DataFrame:
    """Return ``false_alarms`` and ``hits``: the best share of members caught at so many false alarms at most."""
    alarms, hits = _curve(inside, outside)
    caught = [float(hits[alarms <= rate].max(initial=0.0)) for rate in _RATES]
    return pl.DataFrame({"false_alarms": list(_RATES), "hits": caught})


def membership_scores(inside: Floats, outside: Floats) -> tuple[Score, Score]:
    """Return the area under the curve and the hits at 1 % false alarms; chance is one half and 1 %.

    The interval of the area is that of Hanley and McNeil (Radiology 143, 1982), the other one Wilson's.
    """
    below = np.searchsorted(np.sort(outside), inside, side="left")
    upto = np.searchsorted(np.sort(outside), inside, side="right")
    area = float(((below + upto) / 2).mean() / len(outside))
    alarms, hits = _curve(inside, outside)
    rate = float(hits[alarms <= LOW_RATE].max(initial=0.0))
    return (
        Score(
            name="membership-auc",
            value=area,
            goal=Goal.LOWER,
            highest=1.0,
            interval=_area_interval(area, len(inside), len(outside)),
            baseline=0.5,
        ),
        Score(
            name="membership-tpr",
            value=rate,
            goal=Goal.LOWER,
            highest=1.0,
            interval=_share_interval(rate, len(inside)),
            baseline=LOW_RATE,
        ),
    )


def _curve(inside: Floats, outside: Floats) -> tuple[Floats, Floats]:
    """Return false alarms and hits of every limit; equal scores are one point: they cannot be told apart."""
    limits = np.unique(np.concatenate((inside, outside)))[::-1]
    alarms = (len(outside) - np.searchsorted(np.sort(outside), limits, side="left")) / len(outside)
    hits = (len(inside) - np.searchsorted(np.sort(inside), limits, side="left")) / len(inside)
    return alarms, hits


def _area_interval(area: float, inside: int, outside: int) -> Interval:
    both = area / (2 - area) - area**2
    other = 2 * area**2 / (1 + area) - area**2
    variance = (area * (1 - area) + (inside - 1) * both + (outside - 1) * other) / (inside * outside)
    half = _Z95 * np.sqrt(max(variance, 0.0))
    return Interval(float(max(area - half, 0.0)), float(min(area + half, 1.0)))


def _share_interval(share: float, count: int) -> Interval:
    scale = 1 + _Z95**2 / count
    centre = (share + _Z95**2 / (2 * count)) / scale
    half = _Z95 / scale * np.sqrt(share * (1 - share) / count + _Z95**2 / (4 * count * count))
    return Interval(float(max(centre - half, 0.0)), float(min(centre + half, 1.0)))
