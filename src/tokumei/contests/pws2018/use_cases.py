"""What is left of the work that people do with purchase data: the use cases of the PWS Cup 2018 report.

An analyst would look for goods bought together, sort customers by recency, frequency and amount, recommend goods, list
the best-selling ones, and compute statistics. `Original` does all of it once on the original data and compares any
plain table with it; `judge_use_cases` draws plain tables from a release and gives the mean errors over the draws.
All errors are 0 when nothing was lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2018.frequent_sets import frequent_sets, shared_sets
from tokumei.contests.pws2018.messages import HOME
from tokumei.contests.pws2018.sampling import PlainRows, Sampler
from tokumei.contests.pws2018.statistics import STATISTICS, STATISTICS_COLUMNS, rows_statistics
from tokumei.data import Goal, History, Release, Score
from tokumei.errors import ParameterError
from tokumei.metrics import (
    DOZEN_CAP,
    Scores,
    Similarities,
    bought_scores,
    item_similarities,
    popular_goods,
    restricted_scores,
    retail_scores,
    rfm_distance,
    rfm_table,
    similarity_distance,
    total_quantities,
    wholesale_scores,
)
from tokumei.progress import stage
from tokumei.words import Message

TOP_LIST = 100
_ERRORS = (
    "itemset_error",
    "rfm_error",
    "similarity_wholesale",
    "similarity_retail",
    "similarity_top",
    "top_items_error",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCaseOptions:
    """What the report leaves open; the defaults are those that fit its tables (docs: pws2018).

    ``min_support`` counts baskets; ``rfm_divisor`` is the largest possible distance sqrt(2) n or, for the plain RMSE
    of 2016, sqrt(1000); ``dozen_cap`` None removes the cap; ``ddof`` 1 gives sample variances.
    """

    min_support: int = 100
    max_set_size: int | None = None
    fill_suppressed_goods: bool = False
    rfm_divisor: str = "largest"
    dozen_cap: int | None = DOZEN_CAP
    ddof: int = 0

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        if self.min_support < 1:
            message = (
                f"parameter 'min_support' of the use cases must be a whole number of at least 1, got {self.min_support}"
            )
            raise ParameterError(message)
        if self.rfm_divisor not in ("largest", "cells"):
            message = (
                f"parameter 'rfm_divisor' of the use cases must be one of largest, cells, got '{self.rfm_divisor}'"
            )
            raise ParameterError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCases:
    """Errors of the use cases; NaN where the original gives no figure to compare with (``warnings`` says why)."""

    itemset_error: float
    rfm_error: float
    similarity_wholesale: float
    similarity_retail: float
    similarity_top: float
    top_items_error: float
    rows: float
    statistics: Mapping[str, Mapping[str, float]]
    draws: int = 1
    warnings: tuple[Message, ...] = field(default=())

    def errors(self) -> dict[str, float]:
        """Return the six errors by name."""
        return {name: getattr(self, name) for name in _ERRORS}

    def as_dict(self) -> dict[str, object]:
        """Return the fields of ``--json``; a figure that does not exist is null."""
        errors: dict[str, object] = {name: _or_none(value) for name, value in self.errors().items()}
        statistics = {
            column: {name: _or_none(value) for name, value in figures.items()}
            for column, figures in self.statistics.items()
        }
        return {**errors, "rows": int(self.rows), "statistics": statistics}

    def scores(self) -> tuple[Score, ...]:
        """Return the six errors as scores (lower is better)."""
        return tuple(
            Score(name=name, value=value, goal=Goal.LOWER, highest=1.0, warnings=self.warnings)
            for name, value in self.errors().items()
        )


@dataclass(frozen=True, eq=False, slots=True)
class Original:
    """Everything that the use cases say about the original rows, computed once."""

    goods: int
    customers: int
    rows: int
    sets: Sequence[Ints]
    rfm: Ints
    wholesale: Similarities
    retail: Similarities
    top: Ints
    top_similarities: Similarities
    statistics: Mapping[str, Mapping[str, float]]
    options: UseCaseOptions

    @classmethod
    def of_history(cls, history: History, options: UseCaseOptions | None = None) -> Original:
        """Do the analyst's work on the original data (a history with date, goods, price and quantity)."""
        chosen = options or UseCaseOptions()
        rows = PlainRows.of_history(history)
        goods = len(history.categories["goods"])
        totals = _totals(rows)
        top = popular_goods(totals, goods, TOP_LIST)
        return cls(
            goods,
            len(history.subjects),
            len(rows),
            _frequent(rows, chosen),
            _rfm(rows),
            item_similarities(wholesale_scores(totals, cap=chosen.dozen_cap), goods),
            item_similarities(retail_scores(totals), goods),
            top,
            item_similarities(restricted_scores(bought_scores(totals), top, goods), len(top)),
            rows_statistics(rows, ddof=chosen.ddof),
            chosen,
        )

    def compare(self, rows: PlainRows) -> UseCases:
        """Return the errors of one plain table."""
        totals = _totals(rows)
        statistics = rows_statistics(rows, ddof=self.options.ddof)
        return UseCases(
            itemset_error=self.itemset_error(rows),
            rfm_error=self.rfm_error(rows),
            similarity_wholesale=similarity_distance(
                self.wholesale, wholesale_scores(totals, cap=self.options.dozen_cap)
            ),
            similarity_retail=similarity_distance(self.retail, retail_scores(totals)),
            similarity_top=similarity_distance(
                self.top_similarities, restricted_scores(bought_scores(totals), self.top, self.goods)
            ),
            top_items_error=len(np.setdiff1d(self.top, popular_goods(totals, self.goods, TOP_LIST))) / TOP_LIST,
            rows=abs(self.rows - len(rows)),
            statistics={
                column: {name: abs(figures[name] - statistics[column][name]) for name in STATISTICS}
                for column, figures in self.statistics.items()
            },
            warnings=self.warnings(),
        )

    def itemset_error(self, rows: PlainRows) -> float:
        """Return the share of frequent item sets that are no longer frequent: it detects torn baskets."""
        count = sum(len(level) for level in self.sets)
        if count == 0:
            return float("nan")
        return 1.0 - shared_sets(self.sets, _frequent(rows, self.options)) / count

    def rfm_error(self, rows: PlainRows) -> float:
        """Return the distance of the RFM tables: it detects customers who look richer, busier or more recent."""
        largest = math.sqrt(2.0) * self.customers if self.options.rfm_divisor == "largest" else math.sqrt(1000.0)
        return rfm_distance(self.rfm, _rfm(rows)) / largest if self.customers else float("nan")

    def warnings(self) -> tuple[Message, ...]:
        """Return why some figures do not exist for this original."""
        found = []
        if not self.sets:
            found.append(Message("warning.no-item-sets", {"baskets": self.options.min_support}, HOME))
        named = (
            ("similarity_wholesale", self.wholesale),
            ("similarity_retail", self.retail),
            ("similarity_top", self.top_similarities),
        )
        found += [
            Message("warning.no-similarity", {"name": name}, HOME)
            for name, similarities in named
            if len(similarities.values) == 0
        ]
        return tuple(found)


def judge_use_cases(
    history: History,
    release: Release,
    *,
    rng: np.random.Generator,
    draws: int = 100,
    options: UseCaseOptions | None = None,
) -> UseCases:
    """Return the mean errors of the use cases over many plain tables drawn from a release (spec B.10).

    The release holds the rows of A that are not deleted; rows with a null pseudonym are taken as deleted. Every draw
    has a generator of its own, spawned from ``rng``.
    """
    if draws < 1:
        raise ParameterError(f"parameter 'draws' of the use cases must be a whole number of at least 1, got {draws}")
    original = Original.of_history(history, options)
    sampler = Sampler.of_release(history, release)
    results = []
    with stage("use cases", draws) as advance:
        for child in rng.spawn(draws):
            results.append(original.compare(sampler.draw(child)))
            advance(1)
    return mean_use_cases(results)


def mean_use_cases(results: Sequence[UseCases]) -> UseCases:
    """Return the mean of every figure over several draws."""
    count = len(results)
    means = {name: math.fsum(getattr(one, name) for one in results) / count for name in (*_ERRORS, "rows")}
    statistics = {
        column: {name: math.fsum(one.statistics[column][name] for one in results) / count for name in STATISTICS}
        for column in STATISTICS_COLUMNS
    }
    return UseCases(**means, statistics=statistics, draws=count, warnings=results[0].warnings)


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _totals(rows: PlainRows) -> Scores:
    return total_quantities(rows.customer, rows.goods, rows.quantity)


def _frequent(rows: PlainRows, options: UseCaseOptions) -> list[Ints]:
    """Return the frequent item sets over baskets; goods that were suppressed are left out unless asked for."""
    used = rows.goods >= 0
    if not options.fill_suppressed_goods:
        used &= rows.goods_known
    basket = rows.invoice()[used]
    return frequent_sets(basket, rows.goods[used], min_support=options.min_support, max_size=options.max_set_size)


def _rfm(rows: PlainRows) -> Ints:
    return rfm_table(rows.customer, rows.date, rows.invoice(), rows.amount())
