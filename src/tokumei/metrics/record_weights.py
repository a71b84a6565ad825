"""Means over the records of the original, each counted as often as its survey weight says."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Floats
from tokumei.data import History


def weighted_mean(history: History, values: Floats) -> float:
    """Return the mean of one value per record, weighted where the schema declares a column of weights; 0 of nothing.

    Sums of floating-point numbers depend on their order; the order of a file must not matter.
    """
    if not len(values):
        return 0.0
    if history.weights is None:
        return float(np.sort(values).mean())
    order = np.lexsort((history.weights, values))
    return float(np.average(values[order], weights=history.weights[order]))
