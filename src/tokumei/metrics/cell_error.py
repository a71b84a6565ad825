"""The utility U of PWS Cup 2018: the expected error of the cells, averaged over all records and columns (spec B.8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.data import Goal, History, Release, Score, Secret, cell_errors
from tokumei.parts import Metric


@dataclass(frozen=True, kw_only=True)
class CellError(Metric):
    """How much the cells of a release say less than the original: 0 nothing lost, 1 everything suppressed.

    Detects widened ranges, larger sets, suppressed cells and deleted records. It does not see lost links between
    records (several pseudonyms per subject) or dummy records.
    """

    name: ClassVar[str] = "cell-error"
    summary: ClassVar[str] = "expected error of the generalized cells, mean over records and columns"
    source: ClassVar[str] = "PWS Cup 2018 report, utility U"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return U with one part per column; records of the original that were not published cost 1 per cell."""
        real = np.flatnonzero(secret.rows >= 0)
        rows, count = secret.rows[real], len(history)
        published = release.take(real).cells
        # Sums of floating-point numbers depend on their order; the order of a file must not matter.
        spreads = history.take(history.order).spreads()
        parts: dict[str, float] = {}
        for name, spread in spreads.items():
            total = np.ones(count)
            total[rows] = cell_errors(history.codes[name][rows], published[name], spread)
            parts[name] = float(np.sort(total).mean()) if count else 0.0
        value = float(np.mean(list(parts.values()))) if parts else 0.0
        return Score(name=self.name, value=value, goal=Goal.LOWER, parts=parts)
