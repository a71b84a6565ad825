"""Generalized columns as single numbers: the middle of every range, NaN where nothing is said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokumei.array_types import Floats
from tokumei.data import MISSING, History, RangeCells, Release


def original_values(history: History, names: Sequence[str]) -> list[Floats]:
    """Return ordered fields in their own unit (days, seconds, or the number itself), NaN where they are missing."""
    steps = {spec.name: spec.step for spec in history.schema.fields}
    codes = [history.codes[name] for name in names]
    return [
        np.where(column == MISSING, np.nan, column * steps[name]) for name, column in zip(names, codes, strict=True)
    ]


def published_values(history: History, release: Release, names: Sequence[str]) -> list[Floats]:
    """Return the middles of the published ranges in the same unit, NaN where they are suppressed."""
    steps = {spec.name: spec.step for spec in history.schema.fields}
    middles = []
    for name in names:
        cells = release.cells[name]
        assert isinstance(cells, RangeCells)
        middles.append(np.where(cells.suppressed, np.nan, (cells.lo + cells.hi) / 2.0 * steps[name]))
    return middles
