"""umark: how far the statistics of D are from those of B (spec D.5.3).

Three families of absolute differences, each with its largest and its mean value: cross counts (cnt, rate), logistic
regression (Coef, OR, pvalue) and correlation (cor). Cells, terms and columns that only one side has are skipped, as
the official program does; `missing` and `separated` say where that hides something (spec F-D7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats
from tokumei.contests.pws2021.measures import (
    CrossCounts,
    OddsFit,
    correlation_of,
    cross_counts,
    fit_odds,
    one_hot,
    scatter,
)
from tokumei.contests.pws2021.table import HealthTable, same_levels

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
