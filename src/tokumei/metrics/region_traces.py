"""What is left of traces of regions after a release, and how far an attacker's answers are from the truth."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import RegionCells, RegionGrid


def kept_nearness(original: Ints, cells: RegionCells, grid: RegionGrid) -> float:
    """Return 1 less the mean loss, that of a set being the mean of the losses of its members, that of * 1."""
    loss = np.bincount(cells.rows, grid.losses(original[cells.rows], cells.members), minlength=len(original))
    return float(1 - (np.where(cells.hidden, 1.0, loss / np.maximum(cells.counts, 1))).mean())


def kept_mean_nearness(original: Ints, cells: RegionCells, grid: RegionGrid) -> float:
    """Return the same with the mean distance of a set clipped, not each; regions that are none are left out."""
    known = (cells.members >= 1) & (cells.members <= grid.count)
    rows, members = cells.rows[known], cells.members[known]
    counts = np.bincount(rows, minlength=len(original))
    mean = np.bincount(rows, grid.distances(original[rows], members), minlength=len(original)) / np.maximum(counts, 1)
    scores = np.where(cells.hidden, 0.0, 1 - np.minimum(mean, grid.far) / grid.far)
    return float(scores[cells.hidden | (counts > 0)].mean())


def wrong_share(truth: Ints, answers: Ints) -> float:
    """Return 1 less the share of right answers.

    >>> wrong_share(np.array([1, 2, 3, 4]), np.array([1, 2, 3, 5]))
    0.25
    """
    return float(1 - np.count_nonzero(truth == answers) / len(truth))


def trace_distance(original: Ints, answers: Ints, grid: RegionGrid, *, weight: float) -> float:
    """Return 1 less the weighted mean nearness of the answers; true sensitive regions have this weight, others 1."""
    weights = np.where(np.isin(original, grid.sensitive), weight, 1.0)
    near: Floats = 1 - grid.losses(original, answers)
    return float(1 - (weights * near).sum() / weights.sum())
