"""umark: how far the statistics of D are from those of B (spec D.5.3).

Three families of absolute differences, each with its largest and its mean value: cross counts (cnt, rate), logistic
regression (Coef, OR, pvalue) and correlation (cor). Cells, terms and columns that only one side has are skipped, as
the official program does; `missing` and `separated` say where that hides something (spec F-D7).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.contests.pws2021.logistic import LogisticFit, fit_logistic
from tokumei.contests.pws2021.table import COLUMNS, NOMINAL, HealthTable, same_levels
from tokumei.errors import InfeasibleError

COUNTED = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "qm")
# Right-closed intervals after clipping; the lowest edge itself is in none of them.
AGE_EDGES = (19.0, 44.0, 64.0, 80.0)
BMI_EDGES = (15.0, 18.5, 25.0, 30.0, 70.0)
HALF = 0.5
BLOCK = 200
SEPARATED_COEFFICIENT = 10.0


@dataclass(frozen=True, eq=False, slots=True)
class CrossCounts:
    """Counts by (value, dia): names of the values, counts (value x dia), and which values are intervals."""

    names: tuple[str, ...]
    counts: Ints
    rows: int
    interval: Bools

    @property
    def present(self) -> Bools:
        """Cells that the official count lists: intervals always, other values only if a row has them."""
        return (self.counts > 0) | self.interval[:, None]

    def listed(self) -> list[list[str | int | float]]:
        """Return [value, dia, count, rate] of every present cell, in the order of the columns."""
        places = zip(*np.nonzero(self.present), strict=True)
        return [
            [self.names[value], int(dia), int(self.counts[value, dia]), float(self.counts[value, dia] / self.rows)]
            for value, dia in places
        ]


def cell_names(levels: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], Bools, Ints]:
    """Return the names of all counted values, which are intervals, and where each counted column begins."""
    names: list[str] = []
    starts, interval = [], []
    for column in COUNTED:
        starts.append(len(names))
        if column == "age":
            new = [f"({low:g}, {high:g}]" for low, high in itertools.pairwise(AGE_EDGES)]
        elif column == "bmi":
            new = [f"({low}, {high}]" for low, high in itertools.pairwise(BMI_EDGES)]
        elif column in NOMINAL:
            new = list(levels[NOMINAL.index(column)])
        else:
            new = [f"{column}_0", f"{column}_1"]
        names += new
        interval += [column in ("age", "bmi")] * len(new)
    return tuple(names), np.array(interval), np.array(starts, dtype=np.int64)


def count_cells(table: HealthTable) -> Ints:
    """Return, for every row and counted column, the position of its value; -1 where it falls in no interval."""
    _, _, starts = cell_names(table.levels)
    cells = np.empty((table.height, len(COUNTED)), dtype=np.int64)
    for position, (column, start) in enumerate(zip(COUNTED, starts.tolist(), strict=True)):
        if column in NOMINAL:
            codes, levels = table.nominal(column)
            empty = levels.index("") if "" in levels else -1
            cells[:, position] = np.where(codes == empty, -1, codes + start)
        elif column in ("age", "bmi"):
            edges = np.array(AGE_EDGES if column == "age" else BMI_EDGES)
            value = np.clip(table.number(column), edges[0], edges[-1])
            found = np.searchsorted(edges, value, side="left") - 1
            cells[:, position] = np.where(found < 0, -1, found + start)
        else:
            cells[:, position] = start + (table.number(column) >= HALF)
    return cells


def cross_counts(table: HealthTable) -> CrossCounts:
    """Count the rows of every value without (dia 0) and with diabetes (dia 1)."""
    names, interval, _ = cell_names(table.levels)
    cells, dia = count_cells(table), table.number("dia")
    counts = np.zeros((len(names), 2), dtype=np.int64)
    for outcome in (0, 1):
        found = cells[dia == outcome].ravel()
        counts[:, outcome] = np.bincount(found[found >= 0], minlength=len(names))
    return CrossCounts(names, counts, table.height, interval)


@dataclass(frozen=True, eq=False, slots=True)
class OddsFit:
    """The logistic regression of dia: one term per non-reference level and number, and the intercept."""

    terms: tuple[str, ...]
    fit: LogisticFit

    @property
    def odds_ratios(self) -> Floats:
        """Return exp(coefficient) of every term."""
        with np.errstate(over="ignore"):
            return np.exp(self.fit.coefficients)

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Return Coef, OR and pvalue of every term."""
        columns = (self.fit.coefficients.tolist(), self.odds_ratios.tolist(), self.fit.p_values.tolist())
        return {
            term: {"Coef": coefficient, "OR": ratio, "pvalue": p_value}
            for term, coefficient, ratio, p_value in zip(self.terms, *columns, strict=True)
        }

    @property
    def separated(self) -> tuple[str, ...]:
        """Terms whose coefficient has no finite estimate (a value without, or with only, positives)."""
        large = np.abs(self.fit.coefficients) > SEPARATED_COEFFICIENT
        return tuple(term for term, bad in zip(self.terms, large.tolist(), strict=True) if bad and term != "Intercept")


def odds_design(table: HealthTable) -> tuple[tuple[str, ...], Floats, Bools]:
    """Return the terms, the design matrix and which rows take part (an empty nominal cell excludes a row).

    Treatment coding; the first level in the alphabet that occurs is the reference.
    """
    used = np.ones(table.height, dtype=bool)
    for position, levels in enumerate(table.levels):
        if "" in levels:
            used &= table.codes[:, position] != levels.index("")
    terms, columns = ["Intercept"], [np.ones(int(used.sum()))]
    for position, name in enumerate(NOMINAL):
        codes = table.codes[used, position]
        for code in np.unique(codes)[1:].tolist():
            terms.append(f"{name}[T.{table.levels[position][code]}]")
            columns.append((codes == code).astype(np.float64))
    for name in ("age", "bmi", "dep", "pir"):
        terms.append(name)
        columns.append(table.number(name)[used])
    return tuple(terms), np.stack(columns, axis=1), used


def fit_odds(table: HealthTable, *, file: str = "table") -> OddsFit:
    """Fit dia on all explanatory columns; perfect separation raises InfeasibleError, as the official program stops."""
    terms, design, used = odds_design(table)
    outcome = table.number("dia")[used]
    if len(outcome) == 0:
        message = f"{file}: no row is left for the regression of dia; give a table with complete rows"
        raise InfeasibleError(message, code="no-rows", file=file)
    fit = fit_logistic(design, outcome)
    if fit.perfect:
        message = (
            f"{file}: the columns tell dia perfectly, so that odds ratios do not exist (perfect separation); "
            "change fewer values of dia and of the rows with diabetes"
        )
        raise InfeasibleError(message, code="separation", file=file)
    return OddsFit(terms, fit)


def one_hot_names(levels: tuple[tuple[str, ...], ...], columns: tuple[str, ...] = COLUMNS) -> tuple[str, ...]:
    """Return the names of the one-hot columns: the number of the column, and the level of nominal ones."""
    names: list[str] = []
    for name in columns:
        place = COLUMNS.index(name)
        if name in NOMINAL:
            names += [f"{place}_{level or 'nan'}" for level in levels[NOMINAL.index(name)]]
        else:
            names.append(str(place))
    return tuple(names)


def one_hot(table: HealthTable, columns: tuple[str, ...] = COLUMNS) -> Floats:
    """Return the table with every level of a nominal column as a 0/1 column and numbers as they are."""
    parts = []
    for name in columns:
        if name in NOMINAL:
            codes, levels = table.nominal(name)
            parts.append((codes[:, None] == np.arange(len(levels))).astype(np.float64))
        else:
            parts.append(table.number(name)[:, None])
    return np.concatenate(parts, axis=1)


def correlations(table: HealthTable) -> tuple[tuple[str, ...], Floats]:
    """Return the correlations of cor.py: gh and mets left out, levels in the order in which they first appear."""
    columns = tuple(name for name in COLUMNS if name not in ("gh", "mets"))
    names, matrix = one_hot_names(table.levels, columns), one_hot(table, columns)
    order: list[int] = []
    start = 0
    for name in columns:
        width = len(table.nominal(name)[1]) if name in NOMINAL else 1
        block = matrix[:, start : start + width]
        present = np.arange(width) if name not in NOMINAL else np.flatnonzero(block.any(axis=0))
        order += (start + present[np.argsort(block[:, present].argmax(axis=0), kind="stable")]).tolist()
        start += width
    chosen = matrix[:, order]
    return tuple(names[place] for place in order), correlation_of(scatter(chosen))


def scatter(matrix: Floats) -> Floats:
    """Return the centred sums of products of the columns; exactly 0 for a constant column."""
    centred = matrix - matrix.mean(axis=0)
    centred[:, (matrix == matrix[:1]).all(axis=0)] = 0.0
    # Small blocks keep BLAS in one thread, so that the result does not depend on the number of threads.
    blocks = (centred[low : low + BLOCK] for low in range(0, len(centred), BLOCK))
    return np.sum([block.T @ block for block in blocks], axis=0)


def correlation_of(covariance: Floats) -> Floats:
    """Return the correlations of a (co)variance or scatter matrix: diagonal 0, NaN wherever a column is constant."""
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    constant = spread == 0
    spread[constant] = np.nan
    found = covariance / spread[:, None] / spread[None, :]
    np.fill_diagonal(found, np.where(constant, np.nan, 0.0))
    return found


FIGURES = ("cnt", "rate", "Coef", "OR", "pvalue", "cor")


@dataclass(frozen=True, slots=True)
class UtilityDifferences:
    """The largest and the mean difference of every figure, and what could not be compared."""

    largest: dict[str, float]
    mean: dict[str, float]
    missing: tuple[tuple[str, str], ...] = ()
    separated: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return the rows ``max`` and ``mean``."""
        return {"max": dict(self.largest), "mean": dict(self.mean)}


def utility_differences(
    original: HealthTable, changed: HealthTable, *, files: tuple[str, str] = ("B", "D")
) -> UtilityDifferences:
    """Measure umark of a table against the original; ``files`` name them in messages."""
    original, changed = same_levels([original, changed])
    largest, mean = count_differences(cross_counts(original), cross_counts(changed))
    before, after = fit_odds(original, file=files[0]), fit_odds(changed, file=files[1])
    for found, part in zip((largest, mean), odds_differences(before, after), strict=True):
        found.update(part)
    largest["cor"], mean["cor"] = correlation_differences(
        *(correlation_of(scatter(one_hot(table))) for table in (original, changed))
    )
    missing = tuple(changed.missing_levels(original))
    return UtilityDifferences(largest, mean, missing, after.separated)


def count_differences(before: CrossCounts, after: CrossCounts) -> tuple[dict[str, float], dict[str, float]]:
    """Return largest and mean differences of counts and rates over the cells that both tables have."""
    both = before.present & after.present
    counts = np.abs(before.counts - after.counts)[both]
    rates = np.abs(before.counts / before.rows - after.counts / after.rows)[both]
    return (
        {"cnt": float(counts.max()), "rate": float(rates.max())},
        {"cnt": float(counts.mean()), "rate": float(rates.mean())},
    )


def odds_differences(before: OddsFit, after: OddsFit) -> tuple[dict[str, float], dict[str, float]]:
    """Return largest and mean differences of coefficients, odds ratios and p-values over the common terms."""
    common = [term for term in before.terms if term in after.terms]
    rows = [np.array([fit.terms.index(term) for term in common]) for fit in (before, after)]
    largest, mean = {}, {}
    for name in ("Coef", "OR", "pvalue"):
        left, right = (_odds_column(fit, name)[row] for fit, row in zip((before, after), rows, strict=True))
        difference = np.abs(left - right)
        largest[name], mean[name] = float(difference.max()), float(difference.mean())
    return largest, mean


def _odds_column(odds: OddsFit, name: str) -> Floats:
    if name == "Coef":
        return odds.fit.coefficients
    return odds.odds_ratios if name == "OR" else odds.fit.p_values


def correlation_differences(before: Floats, after: Floats) -> tuple[float, float]:
    """Return the largest difference and the mean of the column means; undefined entries are skipped."""
    difference = np.abs(before - after)
    defined = ~np.isnan(difference)
    column = defined.sum(axis=0)
    total = np.where(defined, difference, 0.0).sum(axis=0)
    means = total[column > 0] / column[column > 0]
    return float(difference[defined].max()), float(means.mean())
