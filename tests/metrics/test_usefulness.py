"""What a release is still good for: columns in their own units, answers before and after, the worst first."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from tokumei.data import Column, History, Kind, RangeCells, Release, Schema
from tokumei.metrics import measure_usefulness
from tokumei.metrics.analyses import Change
from tokumei.metrics.usefulness import _headline
from tokumei.words import Words

SCHEMA = Schema(
    "who",
    (
        Column(name="day", kind=Kind.DATE),
        Column(name="paid", kind=Kind.NUMBER),
        Column(name="weight", kind=Kind.NUMBER),
        Column(name="goods", kind=Kind.CATEGORY),
    ),
)


def _history() -> History:
    """Four people with two records each, ten days apart."""
    first = date(2026, 1, 1)
    rows = [
        {"who": f"p{who}", "day": first + timedelta(days=40 * who + 10 * turn), "paid": 10 * who, "weight": 10 * who}
        for who in range(4)
        for turn in range(2)
    ]
    goods = ["tea", "tea", "tea", "tea", "tea", "tea", "ink", "ink"]
    return History.from_frame(pl.DataFrame(rows).with_columns(pl.Series("goods", goods)), SCHEMA)


def _release(history: History, **cells: RangeCells) -> Release:
    own = {spec.name: history.cells(spec.name) for spec in SCHEMA.fields}
    names = pl.Series("pseudonym", history.subject).cast(pl.String)
    return Release(SCHEMA, names, {**own, **cells}, "by hand")


def test_an_unchanged_release_is_as_good_as_the_original() -> None:
    """Nothing changes, and the headline says so of every kind of answer."""
    useful = measure_usefulness(_history(), _release(_history()))
    assert {finding.gravity for finding in useful.findings} == {0.0}
    headline = "; ".join(str(message) for message in useful.headline)
    assert headline == (
        "means within 0.0 % of a standard deviation; shares within 0.0 %; monthly sums within 0.0 %; "
        "correlations within 0.00; times between records within 0.0 %; the order of records is kept to within 0.0 %"
    )
    assert [(use.unit, use.width, use.of) for use in useful.columns] == [
        ("days", 1.0, 131.0),
        ("number", 0.0, 30.0),
        ("number", 0.0, 30.0),
        ("values", 1.0, 2.0),
    ]


def test_the_worst_change_comes_first() -> None:
    """A number that is published as one wide range loses its correlations, which the headline names."""
    history = _history()
    wide = RangeCells.of_ranges(np.zeros(8, dtype=np.int64), np.full(8, 30))
    useful = measure_usefulness(history, _release(history, weight=wide))
    worst = useful.findings[0]
    assert (worst.kind, worst.about, worst.after) == ("correlation", ("paid", "weight"), 0.0)
    assert worst.before == pytest.approx(worst.gravity) == pytest.approx(1.0)
    assert useful.columns[2].width == 30.0
    headline = "; ".join(str(message) for message in useful.headline)
    assert "correlations within 0.00, except 'paid – weight', 'day – weight' (first: 1.00 → 0.00)" in headline
    assert "monthly sums within" in headline


def test_blurred_days_lose_months_intervals_and_order() -> None:
    """Days that are published as the whole year leave no month, no interval and no order."""
    history = _history()
    low, high = history.codes["day"].min(), history.codes["day"].max()
    blurred = RangeCells.of_ranges(np.full(8, low), np.full(8, high))
    changes = {
        finding.kind: finding for finding in measure_usefulness(history, _release(history, day=blurred)).findings
    }
    assert (changes["interval"].before, changes["interval"].after) == (10.0, 0.0)
    assert (changes["order"].before, changes["order"].after) == (1.0, 0.0)
    assert changes["monthly"].gravity > 0.9
    assert str(changes["interval"].message()) == "time between two records (day): 10 → 0 days on average"
    assert Words("ja").say(changes["order"].message()) == "前後関係が確かな隣り合う記録（day）：100.0 % → 0.0 %"


def test_nothing_to_compare() -> None:
    """An empty release says so."""
    history = _history()
    useful = measure_usefulness(history, _release(history).take(np.empty(0, dtype=np.int64)))
    assert [str(message) for message in useful.headline] == ["there is nothing to compare"]
    assert useful.as_dict()["findings"] == []


def test_a_headline_does_not_praise_answers_that_are_all_far_off() -> None:
    """Monthly sums "within 46.2 %, except ..." read like praise; the number of those that change is told instead."""
    changes = [
        Change(kind="monthly", about=(f"c{number}",), before=0.0, after=gravity, gravity=gravity)
        for number, gravity in enumerate((0.54, 0.48, 0.46, 0.01))
    ]
    (told,) = _headline(changes)
    assert str(told) == "monthly sums are off by up to 54.0 %: 'c0', 'c1', and 1 more of 4"
    assert (
        Words("ja").say(told)
        == "月別の合計は最大 54.0 % ずれます：「c0」、「c1」。ほかに 4 個のうち 1 個も大きく変わります"
    )
    (few,) = _headline([changes[0], changes[3]])
    assert str(few) == "monthly sums within 1.0 %, except 'c0' (up to 54.0 %)"
