"""A synthetic health table with the means and covariances of a given one (spec D.7).

Independent start columns are whitened and recoloured with the covariance of the one-hot table; every nominal
attribute then takes its largest column, numbers are clipped to the original range and rounded. Agreement to the bit
with the contest's files is no goal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Bools, Floats
from tokumei.contests.pws2021.measures import one_hot, scatter
from tokumei.contests.pws2021.rows import row_hashes
from tokumei.contests.pws2021.table import COLUMNS, NOMINAL, NUMBERS, HealthTable

DRAWN = tuple(name for name in COLUMNS if name not in ("gh", "mets"))
DECIMALS = {"bmi": 1}
BANDWIDTH = 1.0
OVERDRAW = 2
BLOCK = 200


@dataclass(frozen=True, eq=False, slots=True)
class HealthSynthesizer:
    """What is kept of the original: its one-hot rows, their mean and a factor of their covariance."""

    rows: Floats
    numeric: Bools
    mean: Floats
    factor: Floats
    levels: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, table: HealthTable) -> HealthSynthesizer:
        """Learn from a table."""
        rows = one_hot(table, DRAWN)
        numeric: list[bool] = []
        for name in DRAWN:
            numeric += [False] * len(table.nominal(name)[1]) if name in NOMINAL else [True]
        mean = rows.mean(axis=0)
        left, spread, _ = np.linalg.svd(np.atleast_2d(np.cov(rows, rowvar=False, bias=True)))
        return cls(rows, np.array(numeric), mean, left * np.sqrt(spread), table.levels)

    def draw(self, count: int, *, rng: np.random.Generator) -> HealthTable:
        """Return ``count`` rows: twice as many are drawn, and a sample of the distinct ones is kept."""
        drawn = self._raw(OVERDRAW * count, rng)
        _, first = np.unique(row_hashes(drawn), return_index=True)
        first.sort()
        if len(first) < count:
            # So few different rows exist that some must repeat.
            return drawn.take(np.concatenate([first, rng.choice(first, count - len(first))]))
        return drawn.take(rng.permutation(first)[:count])

    def _raw(self, count: int, rng: np.random.Generator) -> HealthTable:
        picks = rng.integers(0, len(self.rows), (count, self.rows.shape[1]))
        start = self.rows[picks, np.arange(self.rows.shape[1])]
        start[:, self.numeric] += rng.normal(0.0, BANDWIDTH, (count, int(self.numeric.sum())))
        centred = start - start.mean(axis=0)
        left, spread, _ = np.linalg.svd(scatter(start) / count)
        scale = np.divide(1.0, np.sqrt(spread), out=np.zeros_like(spread), where=spread > np.finfo(float).eps)
        colour = (left * scale) @ self.factor.T
        # Small blocks keep BLAS in one thread: a seed gives the same rows everywhere, and no thread must be woken.
        blocks = [centred[low : low + BLOCK] @ colour for low in range(0, count, BLOCK)]
        return self._decoded(np.concatenate(blocks) + self.mean)

    def _decoded(self, values: Floats) -> HealthTable:
        """Turn real one-hot columns into rows of the table."""
        numbers = np.zeros((len(values), len(NUMBERS)))
        codes = np.zeros((len(values), len(NOMINAL)), dtype=np.int64)
        start = 0
        for name in DRAWN:
            if name in NOMINAL:
                width = len(self.levels[NOMINAL.index(name)])
                # A level that the original never shows is never chosen.
                known = self.rows[:, start : start + width].any(axis=0)
                block = np.where(known, values[:, start : start + width], -np.inf)
                codes[:, NOMINAL.index(name)] = block.argmax(axis=1)
            else:
                width = 1
                original = self.rows[:, start]
                clipped = np.clip(values[:, start], original.min(), original.max())
                numbers[:, NUMBERS.index(name)] = np.round(clipped, DECIMALS.get(name, 0)) + 0.0
            start += width
        return HealthTable(numbers, codes, self.levels)
