"""SSE/SST: how much of the variance of the numbers is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.data import MISSING, Goal, History, RangeCells, Release, Score, Secret
from tokumei.errors import InfeasibleError
from tokumei.metrics.record_weights import weighted_mean
from tokumei.parts import Metric


@dataclass(frozen=True, kw_only=True)
class SquaredError(Metric):
    """Squared distance of the published from the true numbers, over their squared distance from the mean.

    The middle of a range stands for it, the column's mean for a suppressed cell or a deleted record, so that a release
    that says nothing has 1. Every ordered column (dates too) counts alike, whatever its unit. Microaggregation is
    compared by this figure (times 100). Values that were moved far can lose more than everything.
    """

    name: ClassVar[str] = "sse-sst"
    summary: ClassVar[str] = "share of the variance of ordered columns that is lost (SSE/SST)"
    source: ClassVar[str] = "Domingo-Ferrer and Mateo-Sanz, Practical data-oriented microaggregation (2002)"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the mean over the columns that vary, with one part per column."""
        real = np.flatnonzero(secret.rows >= 0)
        parts: dict[str, float] = {}
        for spec in history.schema.fields:
            codes = history.codes[spec.name]
            missing = codes == MISSING
            if spec.nominal or missing.all():
                continue
            lowest = int(codes[~missing].min())
            values = np.where(missing, 0, codes - lowest).astype(np.float64)
            share = weighted_mean(history, 1.0 - missing)
            mean = weighted_mean(history, np.where(missing, 0.0, values)) / share
            total = weighted_mean(history, np.where(missing, 0.0, (values - mean) ** 2))
            cells = release.cells[spec.name].take(real)
            assert isinstance(cells, RangeCells)
            shown = np.full(len(codes), mean)
            middle = (cells.lo - lowest + (cells.hi - lowest)) / 2.0
            shown[secret.rows[real]] = np.where(cells.suppressed, mean, middle)
            if total > 0:
                parts[spec.name] = weighted_mean(history, np.where(missing, 0.0, (values - shown) ** 2)) / total
        if not parts:
            message = "no ordered column varies, of which the lost variance could be told"
            raise InfeasibleError(message)
        return Score(name=self.name, value=float(np.mean(list(parts.values()))), goal=Goal.LOWER, parts=parts)
