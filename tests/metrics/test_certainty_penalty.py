"""Normalized certainty penalty, worked by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tokumei.data.cells import Cells, RangeCells, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.results import Goal
from tokumei.data.schema import Schema
from tokumei.errors import ParameterError
from tokumei.metrics.certainty_penalty import CertaintyPenalty, range_penalties, set_penalties

SCHEMA = Schema("who", (Column(name="age", kind=Kind.NUMBER), Column(name="city")))
FRAME = pl.DataFrame({"who": list("abcd"), "age": [20, 30, 40, 60], "city": ["A", "B", "C", "D"]})
HISTORY = History.from_frame(FRAME, SCHEMA)


def release_of(ages: RangeCells, cities: list[list[str] | None], rows: list[int]) -> tuple[Release, Secret]:
    cells: dict[str, Cells] = {"age": ages, "city": SetCells.of_sets(cities, HISTORY.categories["city"])}
    names = pl.Series("pseudonym", [str(place) for place in range(len(rows))], dtype=pl.String)
    return Release(SCHEMA, names, cells), Secret(pl.DataFrame(), np.array(rows, dtype=np.int64))


def test_a_worked_example() -> None:
    """Ages span 40: [20;30] costs 10/40, [20;60] 1, * 1, 60 nothing. Cities: {A;B} 2/4, C 0, * 1, {A;C;D} 3/4."""
    ages = RangeCells.of_ranges([20, 20, 0, 60], [30, 60, 0, 60], suppressed=[False, False, True, False])
    release, secret = release_of(ages, [["A", "B"], ["A", "B"], None, ["A", "C", "D"]], [0, 1, 2, 3])
    score = CertaintyPenalty().measure(HISTORY, release, secret)
    assert score.parts == pytest.approx({"age": (0.25 + 1 + 1 + 0) / 4, "city": (0.5 + 0.5 + 1 + 0.75) / 4})
    assert score.value == pytest.approx((2.25 + 2.75) / 8)
    assert (score.name, score.goal, score.highest, score.warnings) == ("ncp", Goal.LOWER, 1.0, ())


def test_the_loss_metric_counts_values_beyond_the_first() -> None:
    ages = RangeCells.of_values([20, 30, 40, 60])
    release, secret = release_of(ages, [["A", "B"], ["B"], None, ["A", "C", "D"]], [0, 1, 2, 3])
    score = CertaintyPenalty(sets="beyond").measure(HISTORY, release, secret)
    assert score.parts == pytest.approx({"age": 0.0, "city": (1 / 3 + 0 + 1 + 2 / 3) / 4})
    with pytest.raises(ParameterError, match="'sets' of 'ncp' must be one of size, beyond, got 'none'"):
        CertaintyPenalty(sets="none")


def test_deleted_records_cost_everything_and_dummies_nothing() -> None:
    ages = RangeCells.of_ranges([40, 20], [40, 60])
    release, secret = release_of(ages, [["C"], ["A", "B"]], [2, -1])
    score = CertaintyPenalty().measure(HISTORY, release, secret)
    assert score.value == pytest.approx(3 / 4)
    nothing, secret = release_of(RangeCells.of_values([]), [], [])
    assert CertaintyPenalty().measure(HISTORY, nothing, secret).value == 1.0


def test_order_of_the_release_does_not_matter() -> None:
    ages = RangeCells.of_ranges([20, 20, 40, 60], [30, 30, 40, 60])
    cities: list[list[str] | None] = [["A", "B"], ["B"], ["C"], ["D"]]
    release, secret = release_of(ages, cities, [0, 1, 2, 3])
    turned = CertaintyPenalty().measure(HISTORY, release.take([3, 1, 0, 2]), secret.take([3, 1, 0, 2]))
    assert turned.parts == CertaintyPenalty().measure(HISTORY, release, secret).parts


def test_what_lies_outside_the_domain_costs_nothing_more() -> None:
    penalties = range_penalties(np.array([0, 0, 50, 70]), np.array([100, 30, 90, 90]), 20, 60)
    assert penalties.tolist() == [1.0, 0.25, 0.25, 0.0]
    assert range_penalties(np.array([0]), np.array([9]), 5, 5).tolist() == [0.0]
    assert set_penalties(np.array([1, 1]), 1, sets="size").tolist() == [0.0, 0.0]


def test_a_value_missing_before_costs_nothing_and_domains_ignore_it() -> None:
    frame = FRAME.with_columns(pl.Series("age", [20, None, 40, 60]))
    history = History.from_frame(frame, SCHEMA)
    ages = RangeCells.of_ranges([20, 0, 40, 60], [30, 0, 40, 60], suppressed=[False, True, False, False])
    release, secret = release_of(ages, [["A"], ["B"], ["C"], ["D"]], [0, 1, 2, 3])
    assert CertaintyPenalty().measure(history, release, secret).parts["age"] == pytest.approx(0.25 / 4)


def test_moved_values_are_named_in_a_warning() -> None:
    ages = RangeCells.of_ranges([21, 30, 50, 60], [21, 30, 60, 60])
    release, secret = release_of(ages, [["B"], ["B"], ["C"], ["D"]], [0, 1, 2, 3])
    score = CertaintyPenalty().measure(HISTORY, release, secret)
    assert tuple(map(str, score.warnings)) == (
        "3 published cells do not contain the original value, which ncp does not count",
    )


def test_an_empty_history_loses_nothing() -> None:
    history = History.from_frame(FRAME.head(0), SCHEMA)
    release = Release(SCHEMA, pl.Series("pseudonym", [], dtype=pl.String), {n: history.cells(n) for n in history.codes})
    assert CertaintyPenalty().measure(history, release, Secret(pl.DataFrame(), np.empty(0, dtype=np.int64))).value == 0
