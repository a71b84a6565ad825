"""Simple statistics of a column, and what the report says of tables of them: correlation (spec B.10.4, B.10.5)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from tokumei.array_types import Ints
from tokumei.contests.pws2018.sampling import PlainRows

STATISTICS = ("sum", "mean", "variance", "sd", "max", "min", "median")
STATISTICS_COLUMNS = ("date", "price", "quantity")
# Dates are counted from this day: only with it the report's sums and means come out (spec B.10.4).
DAY_ZERO = (date(2010, 1, 1) - date(1970, 1, 1)).days


def column_statistics(values: npt.ArrayLike, *, ddof: int = 0) -> dict[str, float]:
    """Return sum, mean, variance, sd, max, min and the true median; all but the sum of nothing are NaN.

    The variance is that of the population (spec F-B11); ``ddof=1`` gives the sample's.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if len(numbers) == 0:
        return {"sum": 0.0, **dict.fromkeys(STATISTICS[1:], float("nan"))}
    total = float(numbers.sum())
    mean = total / len(numbers)
    freedom = len(numbers) - ddof
    variance = float(((numbers - mean) ** 2).sum()) / freedom if freedom > 0 else float("nan")
    figures = (total, mean, variance, variance**0.5, numbers.max(), numbers.min(), np.median(numbers))
    return {name: float(figure) for name, figure in zip(STATISTICS, figures, strict=True)}


def rows_statistics(rows: PlainRows, *, ddof: int = 0) -> dict[str, dict[str, float]]:
    """Return the statistics of date (days since 2010/1/1), price (pence) and quantity.

    They detect that totals and averages computed from an anonymized table are off.
    """
    columns: Mapping[str, Ints] = {"date": rows.date - DAY_ZERO, "price": rows.price, "quantity": rows.quantity}
    return {name: column_statistics(columns[name], ddof=ddof) for name in STATISTICS_COLUMNS}


def pearson_correlation(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return Pearson's r; NaN where a column is constant, has fewer than two values or a missing one."""
    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    return float((x @ y) / np.sqrt((x @ x) * (y @ y)))


def critical_correlation(count: int, *, level: float = 0.05) -> float:
    """Return the |r| from which on a correlation of ``count`` pairs is significant (two-sided Student test).

    >>> round(critical_correlation(13), 4)
    0.5529
    """
    freedom = count - 2
    if freedom < 1:
        return float("nan")
    t = float(stdtrit(freedom, 1.0 - level / 2.0))
    return t / (freedom + t * t) ** 0.5
