"""umark after small changes of D: counts and correlations exactly, the regression by Newton steps from the last fit.

Searches replace or delete rows thousands of times and ask after each change whether the limits still hold. Counts and
sums of products are updated by the changed rows alone; the logistic fit starts from the one before and usually needs
two steps. A level of B that D has lost makes the odds differ by infinity: a search must not end there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.contests.pws2021.measures import (
    correlation_of,
    count_cells,
    cross_counts,
    fit_odds,
    odds_design,
    one_hot,
    scatter,
)
from tokumei.contests.pws2021.table import HealthTable

# Newton steps converge quadratically: after a step of this length the coefficients are right to about 1e-10.
STEP_TOLERANCE = 1e-5
MAX_STEPS = 50


@njit(cache=True)
def _accumulate(design: Floats, outcome: Floats, shown: Ints, used: Bools, beta: Floats) -> tuple[Floats, Floats]:
    """Return the information matrix and the score of the logistic likelihood; most cells of a design are 0."""
    width = design.shape[1]
    information = np.zeros((width, width))
    score = np.zeros(width)
    places = np.empty(width, dtype=np.int64)
    for position in range(len(shown)):
        if not used[position]:
            continue
        row = shown[position]
        count = 0
        predictor = 0.0
        for column in range(width):
            value = design[row, column]
            if value != 0.0:
                places[count] = column
                count += 1
                predictor += value * beta[column]
        fitted = 1.0 / (1.0 + np.exp(-predictor))
        weight = fitted * (1.0 - fitted)
        rest = outcome[row] - fitted
        for first in range(count):
            column = places[first]
            value = design[row, column]
            score[column] += value * rest
            for second in range(first + 1):
                information[column, places[second]] += weight * value * design[row, places[second]]
    for first in range(width):
        for second in range(first):
            information[second, first] = information[first, second]
    return information, score


@dataclass(frozen=True, slots=True)
class Violation:
    """The largest differences that the rules limit."""

    rate: float
    odds: float
    correlation: float

    def excess(self, limits: tuple[float, float, float]) -> float:
        """Return the largest share of a limit that is used; at most 1 means that all are kept."""
        values = (self.rate, self.odds, self.correlation)
        return max(value / limit for value, limit in zip(values, limits, strict=True))


class UtilityTracker:
    """umark of a changing D against B; rows of D are named by position and replaced by rows of a pool.

    ``pool`` holds every row that D may show (usually B itself); ``shown`` says which of them stands at each position.
    """

    def __init__(self, original: HealthTable, pool: HealthTable, shown: Ints) -> None:
        pool = pool.with_levels(original.levels)
        self.original = original
        reference = cross_counts(original)
        self._rates = reference.counts / reference.rows
        self._listed = reference.present
        self._interval = reference.interval
        fit = fit_odds(original)
        self.terms = fit.terms
        self.target = fit.odds_ratios
        self._cells = count_cells(pool)
        self._dia = pool.number("dia")
        self.design = self._design_of(pool)
        matrix = one_hot(original)
        centre = matrix.mean(axis=0)
        self._target_correlation = correlation_of(scatter(matrix))
        self._centred = one_hot(pool) - centre
        self.shown = np.asarray(shown, dtype=np.int64).copy()
        self.active = np.ones(len(self.shown), dtype=bool)
        self.beta = fit.fit.coefficients.copy()
        self._recount()
        self._information = np.eye(len(self.beta))
        self._refit()

    def _design_of(self, pool: HealthTable) -> Floats:
        """Return the regression design of the pool in the terms of the original."""
        terms, _, _ = odds_design(self.original)
        columns = []
        for term in terms:
            if term == "Intercept":
                columns.append(np.ones(pool.height))
            elif "[T." in term:
                name, level = term[:-1].split("[T.")
                codes, levels = pool.nominal(name)
                columns.append((codes == levels.index(level)).astype(np.float64))
            else:
                columns.append(pool.number(term))
        return np.ascontiguousarray(np.stack(columns, axis=1))

    def _recount(self) -> None:
        rows = self.shown[self.active]
        self._counts = np.zeros(self._rates.shape, dtype=np.int64)
        self._count(rows, 1)
        part = self._centred[rows]
        self._sums, self._products = part.sum(axis=0), part.T @ part
        self.rows = len(rows)

    def _count(self, rows: Ints, sign: int) -> None:
        cells, dia = self._cells[rows], self._dia[rows]
        for outcome in (0, 1):
            found = cells[dia == outcome].ravel()
            np.add.at(self._counts[:, outcome], found[found >= 0], sign)

    def _shift(self, rows: Ints, sign: int) -> None:
        self._count(rows, sign)
        part = self._centred[rows]
        self._sums += sign * part.sum(axis=0)
        self._products += sign * (part.T @ part)
        self.rows += sign * len(rows)

    def replace(self, positions: Ints, rows: Ints) -> None:
        """Show these rows of the pool at these positions of D."""
        live = self.active[positions]
        self._shift(self.shown[positions][live], -1)
        self.shown[positions] = rows
        self._shift(np.asarray(rows)[live], 1)
        self._refit()

    def delete(self, positions: Ints) -> None:
        """Remove these positions from D."""
        self._shift(self.shown[positions][self.active[positions]], -1)
        self.active[positions] = False
        self._refit()

    def restore(self, positions: Ints) -> None:
        """Put removed positions back."""
        self._shift(self.shown[positions][~self.active[positions]], 1)
        self.active[positions] = True
        self._refit()

    def _refit(self) -> None:
        """Find the coefficients anew, starting from those before the change."""
        for _ in range(MAX_STEPS):
            information, score = _accumulate(self.design, self._dia, self.shown, self.active, self.beta)
            try:
                step = np.linalg.solve(information, score)
            except np.linalg.LinAlgError:
                step = np.linalg.lstsq(information, score, rcond=None)[0]
            # A long step from a far start may overshoot; a logistic fit never needs more than this in one step.
            longest = float(np.abs(step).max())
            self.beta = self.beta + step * min(1.0, 5.0 / longest if longest > 0 else 1.0)
            self._information = information
            if longest <= STEP_TOLERANCE:
                break

    @property
    def lost(self) -> bool:
        """Whether a counted nominal value of B has no row in D any more."""
        counted = self._counts.sum(axis=1) > 0
        return bool((self._listed.any(axis=1) & ~counted & ~self._interval).any())

    def violation(self) -> Violation:
        """Return the largest differences of rates, odds ratios and correlations."""
        present = (self._counts > 0) | self._interval[:, None]
        rates = np.abs(self._counts / self.rows - self._rates)[present & self._listed]
        odds = float("inf") if self.lost else float(np.abs(np.exp(self.beta) - self.target).max())
        return Violation(float(rates.max()), odds, self._correlation_difference())

    def _correlation_difference(self) -> float:
        covariance = self._products - np.outer(self._sums, self._sums) / self.rows
        # A constant column leaves only rounding errors behind.
        spread = np.diag(covariance).copy()
        constant = spread <= np.finfo(np.float64).eps * self.rows * np.maximum(np.diag(self._products), 1.0)
        covariance[constant, :] = covariance[:, constant] = 0.0
        return float(np.nanmax(np.abs(correlation_of(covariance) - self._target_correlation)))

    def influence(self, rows: Ints) -> Floats:
        """Return how much showing each row once more moves the coefficients, to first order."""
        design = self.design[rows]
        rest = self._dia[rows] - 1.0 / (1.0 + np.exp(-(design @ self.beta)))
        return np.asarray(np.linalg.solve(self._information, (design * rest[:, None]).T).T, dtype=np.float64)

    def odds_after(self, changes: Floats) -> Floats:
        """Return the largest odds-ratio difference for each change of the coefficients."""
        return np.abs(np.exp(self.beta + changes) - self.target).max(axis=-1)
