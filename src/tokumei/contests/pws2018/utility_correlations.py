"""How U goes with the use cases, over hundreds of releases instead of the 13 of the contest (report, section 6.4).

Releases of a sample of customers, made by unlike methods of random strength, are measured by U and by one draw of the
use cases. What can be proven is little: see the page on PWS Cup 2018.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import rankdata

from tokumei.contests.pws2018.sampling import Sampler
from tokumei.contests.pws2018.statistics import STATISTICS_COLUMNS, pearson_correlation
from tokumei.contests.pws2018.use_cases import Original, UseCaseOptions
from tokumei.data import History
from tokumei.metrics import CellError
from tokumei.parts import Method, find_part, make_part
from tokumei.progress import stage

# What the report takes for frequent: 100 baskets of 89,278 records.
REPORT_SUPPORT = 100 / 89_278
NORMAL_95 = 1.959963984540054
ALL = "all"


def correlate_utility(
    history: History,
    *,
    releases: int,
    deletion: bool,
    rng: np.random.Generator,
    support: int | None = None,
    customers: int | None = None,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the correlations of U with every use case and mean, and the figures of every release.

    Correlations are taken over all releases and over those of each method. Without ``deletion`` nothing is deleted or
    suppressed, the case in which U bounds how far means can shift. ``customers`` are drawn once, for all releases.
    """
    sample = _of_customers(history, customers, rng)
    baskets = support or max(2, round(REPORT_SUPPORT * len(sample)))
    original = Original.of_history(sample, UseCaseOptions(min_support=baskets))
    recipes = RECIPES if deletion else WHOLE_RECIPES
    figures: list[dict[str, Any]] = []
    with stage("releases", releases) as advance:
        for number, child in enumerate(rng.spawn(releases)):
            method = recipes[number % len(recipes)](child)
            figures.append({"method": method.name, **_figures(sample, original, method, child)})
            advance(1)
    groups = [ALL, *dict.fromkeys(row["method"] for row in figures)]
    return [row for group in groups for row in _of_group(group, figures)], figures


def _of_customers(history: History, count: int | None, rng: np.random.Generator) -> History:
    """Return the records of some customers, drawn at random."""
    if count is None or count >= len(history.subjects):
        return history
    chosen = np.sort(rng.permutation(len(history.subjects))[:count])
    part = history.take(np.flatnonzero(np.isin(history.subject, chosen)))
    return replace(part, subjects=history.subjects[chosen], subject=np.searchsorted(chosen, part.subject))


def _method(name: str, **settings: Any) -> Method:
    return make_part(find_part("anonymizer", name), settings)


def _random_cells(rng: np.random.Generator, most_lost: float) -> Method:
    widths = dict(zip(_WIDTHS, np.exp(rng.uniform(0, np.log(20), 4)).astype(int).tolist(), strict=True))
    suppression, deletion = rng.uniform(0.0, most_lost, 2)
    return _method("ano-random", **widths, suppression=float(suppression), deletion=float(deletion))


def _bands(rng: np.random.Generator) -> Method:
    """Return a method that puts values into bands: dates up to a quarter, prices up to 5, quantities up to 50."""
    days, pence, pieces = (int(np.exp(rng.uniform(0, np.log(most)))) for most in (90, 500, 50))
    goods = ("", ",goods=-1")[int(rng.integers(2))]
    return _method("generalize", columns=f"date={days},price={pence / 100:g},quantity={pieces}{goods}")


RECIPES: tuple[Callable[[np.random.Generator], Method], ...] = (
    lambda rng: _random_cells(rng, 0.4),
    lambda rng: _method("k-anonymity", k=int(rng.integers(2, 9)), effort="fast"),
    _bands,
    lambda rng: _method("record-sampling", share=float(rng.uniform(0.4, 1.0))),
    lambda rng: _method("ano-del-lc", p=float(rng.uniform(0.02, 0.4))),
)
# These delete and suppress nothing.
WHOLE_RECIPES: tuple[Callable[[np.random.Generator], Method], ...] = (lambda rng: _random_cells(rng, 0.0), _bands)
_WIDTHS = ("dates", "amounts", "counts", "categories")


def _figures(history: History, original: Original, method: Method, rng: np.random.Generator) -> dict[str, float]:
    release, secret = method.anonymize(history, rng=rng)
    loss = CellError().measure(history, release, secret)
    cases = original.compare(Sampler.of_release(history, release).draw(rng))
    shifts = {f"mean_{column}": cases.statistics[column]["mean"] for column in STATISTICS_COLUMNS}
    parts = {f"il_{name}": value for name, value in loss.parts.items()}
    return {"U": loss.value, **parts, **cases.errors(), **shifts}


def _of_group(group: str, figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the correlations over all releases or those of one method."""
    chosen = [row for row in figures if group in (ALL, row["method"])]
    names = [name for name in chosen[0] if name not in ("method", "U") and not name.startswith("il_")]
    utility = np.array([row["U"] for row in chosen])
    measured: Mapping[str, np.ndarray[Any, Any]] = {name: np.array([row[name] for row in chosen]) for name in names}
    head = {"method": group, "releases": len(chosen)}
    return [{**head, **_correlation(name, utility, errors)} for name, errors in measured.items()]


def _correlation(name: str, utility: np.ndarray[Any, Any], errors: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return Pearson's r with its interval (Fisher's z) and Spearman's."""
    value = pearson_correlation(utility, errors)
    ranks = pearson_correlation(rankdata(utility), rankdata(errors))
    row: dict[str, Any] = {"measure": name, "r": None, "low": None, "high": None, "rank_r": None}
    if math.isnan(value) or len(utility) <= 3 or abs(value) >= 1:
        return row
    z, error = math.atanh(value), NORMAL_95 / math.sqrt(len(utility) - 3)
    return {**row, "r": value, "low": math.tanh(z - error), "high": math.tanh(z + error), "rank_r": ranks}
