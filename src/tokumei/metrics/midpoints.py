"""Generalized columns as single numbers: the middle of every range, NaN where nothing is said."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Floats
from tokumei.data import MISSING, History, RangeCells, Release


def original_values(history: History, name: str) -> Floats:
    """Return an ordered field in its own unit (days, seconds, or the number itself), NaN where it is missing."""
    codes = history.codes[name]
    return np.where(codes == MISSING, np.nan, codes * _unit(history, name))


def published_values(history: History, release: Release, name: str) -> Floats:
    """Return the middles of the published ranges in the same unit, NaN where they are suppressed."""
    cells = release.cells[name]
    assert isinstance(cells, RangeCells)
    middle = (cells.lo + cells.hi) / 2.0 * _unit(history, name)
    return np.where(cells.suppressed, np.nan, middle)


def _unit(history: History, name: str) -> float:
    return history.schema.field(name).step
