"""How U goes with the use cases, over hundreds of releases instead of the 13 of the contest (report, section 6.4).

Releases of the sample anonymizer with random strengths are measured by U and by one draw of the use cases. What can be
proven is little: see the page on PWS Cup 2018.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import rankdata

from tokumei.contests.pws2018.methods.random_generalization import RandomGeneralization
from tokumei.contests.pws2018.sampling import Sampler
from tokumei.contests.pws2018.statistics import STATISTICS_COLUMNS, pearson_correlation
from tokumei.contests.pws2018.use_cases import Original, UseCaseOptions
from tokumei.data import History
from tokumei.metrics import CellError
from tokumei.progress import stage

# What the report takes for frequent: 100 baskets of 89,278 records.
REPORT_SUPPORT = 100 / 89_278
NORMAL_95 = 1.959963984540054


def correlate_utility(
    history: History, *, releases: int, deletion: bool, rng: np.random.Generator, support: int | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, float]]]:
    """Return the correlations of U with every use case and mean, and the figures of every release.

    Without ``deletion`` nothing is deleted or suppressed, the case in which U bounds how far means can shift.
    """
    baskets = support or max(2, round(REPORT_SUPPORT * len(history)))
    original = Original.of_history(history, UseCaseOptions(min_support=baskets))
    figures: list[dict[str, float]] = []
    with stage("releases", releases) as advance:
        for child in rng.spawn(releases):
            figures.append(_figures(history, original, deletion=deletion, rng=child))
            advance(1)
    names = [name for name in figures[0] if name != "U" and not name.startswith("il_")]
    utility = np.array([row["U"] for row in figures])
    return [_correlation(name, utility, np.array([row[name] for row in figures])) for name in names], figures


def _figures(history: History, original: Original, *, deletion: bool, rng: np.random.Generator) -> dict[str, float]:
    widths = {name: int(width) for name, width in zip(_WIDTHS, np.exp(rng.uniform(0, np.log(20), 4)), strict=True)}
    lost = rng.uniform(0.0, 0.4, 2) if deletion else np.zeros(2)
    method = RandomGeneralization(**widths, suppression=float(lost[0]), deletion=float(lost[1]))
    release, secret = method.anonymize(history, rng=rng)
    loss = CellError().measure(history, release, secret)
    cases = original.compare(Sampler.of_release(history, release).draw(rng))
    shifts = {f"mean_{column}": cases.statistics[column]["mean"] for column in STATISTICS_COLUMNS}
    parts = {f"il_{name}": value for name, value in loss.parts.items()}
    return {"U": loss.value, **parts, **cases.errors(), **shifts}


_WIDTHS = ("dates", "amounts", "counts", "categories")


def _correlation(name: str, utility: np.ndarray[Any, Any], errors: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return Pearson's r with its interval (Fisher's z) and Spearman's."""
    value = pearson_correlation(utility, errors)
    ranks = pearson_correlation(rankdata(utility), rankdata(errors))
    row: dict[str, Any] = {"measure": name, "r": None, "low": None, "high": None, "rank_r": None}
    if math.isnan(value) or len(utility) <= 3 or abs(value) >= 1:
        return row
    z, error = math.atanh(value), NORMAL_95 / math.sqrt(len(utility) - 3)
    return {**row, "r": value, "low": math.tanh(z - error), "high": math.tanh(z + error), "rank_r": ranks}
