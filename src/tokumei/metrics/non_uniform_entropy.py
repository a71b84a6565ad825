"""Non-uniform entropy: how many bits a published cell leaves open about the value behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import MISSING, Cells, Goal, History, RangeCells, Release, Score, Secret
from tokumei.metrics.record_weights import weighted_mean
from tokumei.parts import Metric


def open_bits(codes: Ints, rows: Ints, cells: Cells) -> tuple[Floats, Floats]:
    """Return the bits that the cell of every original record leaves open, and the bits that suppression would.

    The bits of a cell are log2 (records whose value it allows / records with the true value); a deleted record leaves
    open what suppression does, and a cell that excludes its value too. Cell i stands for the record ``rows[i]``.
    """
    values, place = np.unique(codes, return_inverse=True)
    counts = np.bincount(place)
    all_bits = np.log2(len(codes) / counts)[place]
    below = np.concatenate(([0], np.cumsum(counts)))
    if isinstance(cells, RangeCells):
        first, last = np.searchsorted(values, cells.lo), np.searchsorted(values, cells.hi, side="right")
        allowed = (below[last] - below[first]).astype(np.float64)
    else:
        known = np.zeros(max(len(cells.categories), int(values.max(initial=0)) + 1))
        known[values] = counts
        allowed = np.bincount(cells.owners(), known[cells.codes], minlength=len(cells)).astype(np.float64)
    own = counts[place[rows]]
    hidden = cells.suppressed | ~cells.contains(codes[rows])
    bits = all_bits.copy()
    bits[rows] = np.where(hidden, all_bits[rows], np.log2(np.maximum(allowed, own) / own))
    missing = codes == MISSING
    return np.where(missing, 0.0, bits), np.where(missing, 0.0, all_bits)


@dataclass(frozen=True, kw_only=True)
class NonUniformEntropy(Metric):
    """Bits that the cells leave open, over the bits of a release that says nothing: 0 nothing lost, 1 everything.

    Rare values in a common crowd lose much, a frequent value among rare ones little: that is what distinguishes it from
    counts of values. A deleted record and a cell that excludes the truth lose everything.
    """

    name: ClassVar[str] = "non-uniform-entropy"
    summary: ClassVar[str] = "bits that cells leave open about their values, over those of suppression"
    source: ClassVar[str] = "De Waal and Willenborg (1999); Gionis and Tassa, k-anonymization with minimal loss (2009)"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the share with one part per column, and the mean bits per record."""
        real = np.flatnonzero(secret.rows >= 0)
        rows = secret.rows[real]
        parts: dict[str, float] = {}
        lost = whole = 0.0
        for spec in history.schema.fields:
            bits, most = open_bits(history.codes[spec.name], rows, release.cells[spec.name].take(real))
            mean, largest = weighted_mean(history, bits), weighted_mean(history, most)
            parts[spec.name] = mean / largest if largest > 0 else 0.0
            lost, whole = lost + mean, whole + largest
        value = lost / whole if whole > 0 else 0.0
        return Score(name=self.name, value=value, goal=Goal.LOWER, highest=1.0, parts=parts | {"bits": lost})
