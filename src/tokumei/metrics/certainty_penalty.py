"""Normalized certainty penalty: how much of its domain a generalized cell covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import MISSING, Cells, Goal, History, RangeCells, Release, Score, Secret, distinct
from tokumei.parts import Metric, parameter
from tokumei.words import Message


def range_penalties(lo: Ints, hi: Ints, lowest: int, highest: int) -> Floats:
    """Return the part of the domain [lowest;highest] that each range covers, by width; 0 if the domain is one value."""
    if highest <= lowest:
        return np.zeros(len(lo))
    inside = np.minimum(hi, highest) - np.maximum(lo, lowest)
    return np.maximum(inside, 0) / (highest - lowest)


def set_penalties(sizes: Ints, domain: int, *, sets: str) -> Floats:
    """Return size / domain, 0 for single values; or (size - 1) / (domain - 1) if ``sets`` is ``beyond``."""
    if domain <= 1:
        return np.zeros(len(sizes))
    if sets == "beyond":
        return (sizes - 1) / (domain - 1)
    return np.where(sizes > 1, sizes / domain, 0.0)


@dataclass(frozen=True, kw_only=True)
class CertaintyPenalty(Metric):
    """Mean penalty of all cells: 0 nothing generalized, 1 everything suppressed or deleted.

    A range costs its width over the width of the column (the part of it inside the column, at most 1), a set of more
    than one value its size over the number of values of the column, a suppressed cell 1, every cell of a deleted record
    1, a cell that was missing before nothing. The column's domain is what occurs in the original.

    Xu et al. (2006) define the penalty; sets follow Ghinita et al. (2007: 0 for a single value, else
    card / |A|), whose global certainty penalty is this mean. ``sets=beyond`` takes (size - 1) / (|A| - 1) instead, the
    loss metric of Iyengar (2002). It does not see values that were moved (noise, swapping, averages), only widened.
    """

    name: ClassVar[str] = "ncp"
    summary: ClassVar[str] = "share of its domain that a cell covers, mean over records and columns"
    source: ClassVar[str] = "Xu et al., Utility-based anonymization (2006); Ghinita et al. (2007), GCP; Iyengar (2002)"

    sets: str = parameter("size", "what a set costs: size/domain, or (size-1)/(domain-1)", choices=("size", "beyond"))

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the penalty with one part per column."""
        real = np.flatnonzero(secret.rows >= 0)
        rows = secret.rows[real]
        parts: dict[str, float] = {}
        moved = 0
        for spec in history.schema.fields:
            codes = history.codes[spec.name]
            cells = release.cells[spec.name].take(real)
            penalty = np.ones(len(history))
            penalty[rows] = self._penalties(codes, cells)
            penalty[rows[codes[rows] == MISSING]] = 0.0
            parts[spec.name] = float(penalty.mean()) if len(history) else 0.0
            moved += int((~cells.contains(codes[rows]) & (codes[rows] != MISSING)).sum())
        value = float(np.mean(list(parts.values()))) if parts else 0.0
        warnings = (Message("warning.ncp-moved", {"moved": moved}),) if moved else ()
        return Score(name=self.name, value=value, goal=Goal.LOWER, highest=1.0, parts=parts, warnings=warnings)

    def _penalties(self, codes: Ints, cells: Cells) -> Floats:
        """Return the penalty of every published cell of a column whose original codes are given."""
        if isinstance(cells, RangeCells):
            present = codes[codes != MISSING]
            lowest, highest = (int(present.min()), int(present.max())) if len(present) else (0, 0)
            penalty = range_penalties(cells.lo, cells.hi, lowest, highest)
        else:
            penalty = set_penalties(cells.sizes(), len(distinct(codes)), sets=self.sets)
        return np.where(cells.suppressed, 1.0, penalty)
