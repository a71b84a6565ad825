"""Hamming distance: how many cells are not what they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.data import MISSING, Goal, History, RangeCells, Release, Score, Secret
from tokumei.errors import InfeasibleError
from tokumei.metrics.record_weights import weighted_mean
from tokumei.parts import Metric


@dataclass(frozen=True, kw_only=True)
class ChangedCells(Metric):
    """Share of the original's cells that are not published as exactly what they were (Hamming distance).

    A wider range, a set of several values, a suppressed cell and every cell of a deleted record count as changed,
    however little is lost; a missing value that stays so does not.
    """

    name: ClassVar[str] = "changed-cells"
    summary: ClassVar[str] = "share of the cells that are not published as they were (Hamming distance)"
    source: ClassVar[str] = "Hamming (1950); PWS Cup 2023"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the share, with one part per column."""
        real = np.flatnonzero(secret.rows >= 0)
        rows, parts = secret.rows[real], {}
        for field in history.schema.fields:
            codes, cells = history.codes[field.name][rows], release.cells[field.name].take(real)
            if isinstance(cells, RangeCells):
                same = (cells.lo == codes) & (cells.hi == codes) & ~cells.suppressed
                same |= cells.suppressed & (codes == MISSING)
            else:
                single = (cells.sizes() == 1) & ~cells.suppressed
                same = np.zeros(len(real), dtype=np.bool_)
                same[single] = cells.codes[cells.offsets[:-1][single]] == codes[single]
            kept = np.zeros(len(history))
            kept[rows[same]] = 1.0
            parts[field.name] = 1.0 - weighted_mean(history, kept)
        if not parts or not len(history):
            raise InfeasibleError("there are no cells, of which some could have changed")
        value = float(np.mean(list(parts.values())))
        return Score(name=self.name, value=value, goal=Goal.LOWER, lowest=0.0, highest=1.0, parts=parts)
