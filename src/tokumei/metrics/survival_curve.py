"""Kaplan-Meier curves before and after: how many are still without the event, as time goes by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Bools, Floats
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.errors import InfeasibleError
from tokumei.metrics.chosen_columns import event_flags, ordered_column, published_events
from tokumei.metrics.midpoints import original_values, published_values
from tokumei.parts import Metric, parameter


def kaplan_meier(time: Floats, event: Floats | Bools, grid: Floats) -> Floats:
    """Return the Kaplan-Meier estimate at every point of a grid.

    >>> kaplan_meier(np.array([1.0, 2.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0, 5.0])).tolist()
    [1.0, 0.5, 0.5]
    """
    moments, at = np.unique(time, return_inverse=True)
    events, leaving = np.bincount(at, weights=event), np.bincount(at)
    at_risk = len(time) - np.concatenate([[0], np.cumsum(leaving)[:-1]])
    curve = np.concatenate([[1.0], np.cumprod(1.0 - events / at_risk)])
    return np.asarray(curve[np.searchsorted(moments, grid, side="right")])


def curve_grid(*times: Floats, begin: float, end: float) -> Floats:
    """Return all times up to the end, with begin and end."""
    every = np.concatenate([*times, [begin, end]])
    return np.unique(every[every <= end])


@dataclass(frozen=True, kw_only=True)
class SurvivalCurve(Metric):
    """Area between the Kaplan-Meier curves of the original and of the release, over the length of time.

    Times are an ordered column; an event happened where the column ``event`` is not 0 (or says so), and without such a
    column everywhere. Ranges count at their middle, suppressed times not at all; a set that holds both answers counts
    as an event by the share of those that say so. 0: the curves are equal, 1: everybody against nobody.
    """

    name: ClassVar[str] = "survival-curve"
    summary: ClassVar[str] = "area between the Kaplan-Meier curves of original and release"
    source: ClassVar[str] = "Kaplan and Meier (1958); PWS Cup 2026"

    time: str = parameter("", "the column of times; left out: the first ordered column")
    event: str = parameter("", "the column that says where the event happened; left out: everywhere")

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the area; parts: the shares without the event at the end, before and after."""
        del secret
        time = ordered_column(history, self.time)
        before, after = original_values(history, [time])[0], published_values(history, release, [time])[0]
        events = event_flags(history, self.event), published_events(history, release, self.event)
        known = np.isfinite(before) & np.isfinite(events[0]), np.isfinite(after) & np.isfinite(events[1])
        if not (known[0].any() and known[1].any()):
            raise InfeasibleError(f"the column {time} has no value on one side, so that there is no curve of it")
        times = before[known[0]], after[known[1]]
        flags = events[0][known[0]], events[1][known[1]]
        begin, end = float(times[0].min()), float(times[0].max())
        grid = curve_grid(*times, begin=begin, end=end)
        grid = grid[grid >= begin]
        one, other = (kaplan_meier(side, flag, grid) for side, flag in zip(times, flags, strict=True))
        length = end - begin
        # Between two times the curve stands still: the area is that of steps.
        area = float((np.abs(one - other)[:-1] * np.diff(grid)).sum() / length) if length > 0 else 0.0
        parts = {"original": float(one[-1]), "release": float(other[-1])}
        return Score(name=self.name, value=min(area, 1.0), goal=Goal.LOWER, lowest=0.0, highest=1.0, parts=parts)
