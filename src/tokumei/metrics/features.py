"""Records as rows of numbers for models: original ones exactly, published ones as their cells say.

An ordered field is one column in standard deviations from its mean (the middle of a range; the mean where nothing is
said), a category one column per frequent value (a set has an equal part of each of its elements; where nothing is said,
the shares of the original).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import MISSING, Cells, Field, History, RangeCells, packed_keys

FREQUENT_VALUES = 20
# Models look at no more records than that; which ones depends on their content alone.
MOST_RECORDS = 10_000
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False, slots=True)
class Encoder:
    """How the fields of a history become numbers."""

    history: History
    fields: tuple[Field, ...]

    def original(self, rows: Ints) -> Floats:
        """Return these records of the original as numbers."""
        return self.cells({field.name: self.history.cells(field.name).take(rows) for field in self.fields}, len(rows))

    def cells(self, cells: dict[str, Cells], count: int) -> Floats:
        """Return published columns as numbers; the first column is 1."""
        parts = [np.ones((count, 1)), *(self._columns(field, cells[field.name]) for field in self.fields)]
        return np.concatenate(parts, axis=1)

    def _columns(self, field: Field, cells: Cells) -> Floats:
        codes = self.history.codes[field.name]
        if isinstance(cells, RangeCells):
            present = codes[codes != MISSING]
            # Sorted, so that the sums do not depend on the order of the file.
            lowest = int(present.min(initial=0)) if len(present) else 0
            values = np.sort(present - lowest).astype(np.float64)
            mean, spread = (float(values.mean()), float(values.std())) if len(values) else (0.0, 0.0)
            middle = (cells.lo - lowest + (cells.hi - lowest)) / 2.0
            scaled = np.where(cells.suppressed, 0.0, (middle - mean) / (spread or 1.0))
            return scaled[:, None]
        shares = np.bincount(codes, minlength=len(cells.categories)) / max(len(codes), 1)
        frequent = np.argsort(-shares, kind="stable")[: min(FREQUENT_VALUES, int((shares > 0).sum()))]
        column = np.full(len(shares), -1)
        column[frequent] = np.arange(len(frequent))
        found = np.where(cells.suppressed[:, None], shares[frequent], 0.0)
        owner, at = cells.owners(), column[cells.codes]
        weight = 1.0 / np.maximum(cells.sizes(), 1)[owner]
        found[owner[at >= 0], at[at >= 0]] = weight[at >= 0]
        return found


def content_hashes(history: History) -> Ints:
    """Return a number per subject that depends on the content of its records alone, whatever their order."""
    mixed = np.zeros(len(history), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for key in packed_keys([history.codes[field.name] for field in history.schema.fields]):
            mixed = (mixed ^ key.astype(np.uint64)) * _MIX
            mixed ^= mixed >> np.uint64(29)
        total = np.zeros(len(history.subjects), dtype=np.uint64)
        np.add.at(total, history.subject, mixed)
        total = (total ^ (total >> np.uint64(31))) * _MIX
    return (total >> np.uint64(33)).astype(np.int64)


def sampled(rows: Ints, hashes: Ints) -> Ints:
    """Return at most so many rows as models look at, those of the least hashes."""
    if len(rows) <= MOST_RECORDS:
        return rows
    return rows[np.argsort(hashes[rows], kind="stable")[:MOST_RECORDS]]
