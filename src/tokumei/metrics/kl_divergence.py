"""Kullback-Leibler divergence: how far a reader's picture of the table is from the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import MISSING, Cells, Goal, History, RangeCells, Release, Score, Secret, distinct, packed_keys
from tokumei.errors import InfeasibleError
from tokumei.metrics.class_models import equal_classes
from tokumei.parts import Metric


def spread_values(codes: Ints, cells: Cells) -> tuple[Floats, Floats]:
    """Return the shares of the distinct original values, and those of a reader who spreads every cell evenly.

    Ranges are spread over the values of the data between their ends, suppressed cells over all.
    """
    values, counts = np.unique(codes, return_counts=True)
    if isinstance(cells, RangeCells):
        present = values[values != MISSING]
        first = np.where(cells.suppressed, 0, np.searchsorted(present, cells.lo))
        last = np.where(cells.suppressed, len(present), np.searchsorted(present, cells.hi, side="right"))
        inside = np.maximum(last - first, 0)
        weight = np.where(inside > 0, 1.0 / np.maximum(inside, 1), 0.0)
        steps = np.bincount(first, weight, minlength=len(present) + 1)
        steps -= np.bincount(np.maximum(last, first), weight, minlength=len(present) + 1)
        mass = np.cumsum(steps)[: len(present)]
        counts, values = counts[values != MISSING], present
    else:
        size = max(len(cells.categories), int(values.max(initial=0)) + 1)
        each = 1.0 / np.maximum(cells.sizes(), 1)[cells.owners()]
        mass = np.bincount(cells.codes, each, minlength=size)[values] + cells.suppressed.sum() / max(len(values), 1)
    return counts / max(counts.sum(), 1), mass / max(mass.sum(), 1e-300)


def divergence(before: Floats, after: Floats) -> float:
    """Return sum p ln(p / q), infinite where a value has vanished."""
    present = before > 0
    if (after[present] <= 0).any():
        return float("inf")
    return float(max((before[present] * np.log(before[present] / after[present])).sum(), 0.0))


def _widths(codes: Ints, cells: Cells) -> Floats:
    """Return over how many values of the data every cell is spread."""
    values = distinct(codes[codes != MISSING])
    if isinstance(cells, RangeCells):
        inside = np.searchsorted(values, cells.hi, side="right") - np.searchsorted(values, cells.lo)
    else:
        inside = cells.sizes()
    return np.maximum(np.where(cells.suppressed, len(values), inside), 1).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class KlDivergence(Metric):
    """Divergence of the records of the original from a reader who spreads every class evenly over its cells, in nats.

    Joint: every published record stands for size of class / records, divided by the combinations of values that its
    cells allow; the mean of ln (true share / that share) over the published records. Classes that overlap are not added
    up, so it is an upper bound where groups share values. Parts: the same of every column alone, with overlaps. Deleted
    records are not counted (see ``records-kept``).
    """

    name: ClassVar[str] = "kl-divergence"
    summary: ClassVar[str] = "divergence of the original from an even reading of the release, in nats"
    source: ClassVar[str] = "Kifer and Gehrke, Injecting utility into anonymized datasets (2006)"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the joint divergence with one part per column."""
        real = np.flatnonzero(secret.rows >= 0)
        rows = secret.rows[real]
        if not len(real):
            message = "nothing is published, of which a reader could make a picture"
            raise InfeasibleError(message)
        shown = release.take(real)
        names = [spec.name for spec in history.schema.fields]
        parts = {name: divergence(*spread_values(history.codes[name][rows], shown.cells[name])) for name in names}
        if not np.isfinite(list(parts.values())).all():
            message = "values of the original occur nowhere in the release, so its divergence is infinite"
            raise InfeasibleError(message)
        group = equal_classes(shown, names)
        size = np.bincount(group)[group]
        combinations = sum(np.log(_widths(history.codes[name][rows], shown.cells[name])) for name in names)
        same = _equal_records(history, rows, names)
        value = float(np.sort(np.log(same) - np.log(size) + combinations).mean())
        return Score(name=self.name, value=max(value, 0.0), goal=Goal.LOWER, lowest=0.0, parts=parts)


def _equal_records(history: History, rows: Ints, names: list[str]) -> Ints:
    """Return how many of these original records are equal to each of them."""
    keys = packed_keys([history.codes[name][rows] for name in names])
    _, place = np.unique(np.column_stack(keys), axis=0, return_inverse=True) if keys else (None, np.zeros_like(rows))
    return np.bincount(place.ravel())[place.ravel()]
