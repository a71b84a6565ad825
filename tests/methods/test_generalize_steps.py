"""Generalization by calendar units, bands, prefixes and hierarchies."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.methods.mixed_histories import category_history, mixed_history, number_history, published, run
from tokumei.contests.pws2018.files import SCHEMA
from tokumei.contests.pws2018.publishing import aligned_lines
from tokumei.contests.pws2018.release_checker import check_release
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.errors import ParameterError, UnreadableError
from tokumei.methods.generalize_steps import GeneralizeSteps

FRUIT = "apple>fruit>food;pear>fruit>food;leek>vegetable>food;soap>soap"


def days(rule: str, *values: date) -> list[str]:
    schema = Schema("who", (Column(name="day", kind=Kind.DATE),))
    frame = pl.DataFrame({"who": [str(place) for place in range(len(values))], "day": values})
    return published(GeneralizeSteps(columns=f"day={rule}"), History.from_frame(frame, schema), "day")


def moments(rule: str, value: datetime) -> str:
    schema = Schema("who", (Column(name="at", kind=Kind.DATETIME),))
    frame = pl.DataFrame({"who": ["a"], "at": [value]})
    return published(GeneralizeSteps(columns=f"at={rule}"), History.from_frame(frame, schema), "at")[0]


def goods(rule: str, values: list[str], **settings: object) -> list[str]:
    people = [str(place) for place in range(len(values))]
    part = GeneralizeSteps(columns=f"goods={rule}", **settings)  # type: ignore[arg-type]
    return published(part, category_history(people, values), "goods")


@pytest.mark.parametrize(
    ("rule", "first", "second"),
    [
        ("day", "2012-02-29", "2011-12-31"),
        ("week", "[2012-02-27;2012-03-04]", "[2011-12-26;2012-01-01]"),
        ("month", "[2012-02-01;2012-02-29]", "[2011-12-01;2011-12-31]"),
        ("quarter", "[2012-01-01;2012-03-31]", "[2011-10-01;2011-12-31]"),
        ("year", "[2012-01-01;2012-12-31]", "[2011-01-01;2011-12-31]"),
        ("*", "*", "*"),
    ],
)
def test_dates_become_calendar_units(rule: str, first: str, second: str) -> None:
    assert days(rule, date(2012, 2, 29), date(2011, 12, 31)) == [first, second]


def test_dates_become_bands_of_days() -> None:
    assert days("10", date(1970, 1, 10), date(1970, 1, 12)) == ["[1970-01-02;1970-01-10]", "[1970-01-11;1970-01-20]"]
    assert days("10", date(1969, 12, 31), date(1970, 1, 1)) == ["[1969-12-22;1969-12-31]", "[1970-01-01;1970-01-10]"]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("minute", "[2012-02-29 13:45:00;2012-02-29 13:45:59]"),
        ("hour", "[2012-02-29 13:00:00;2012-02-29 13:59:59]"),
        ("day", "[2012-02-29 00:00:00;2012-02-29 23:59:59]"),
        ("week", "[2012-02-27 00:00:00;2012-03-04 23:59:59]"),
        ("month", "[2012-02-01 00:00:00;2012-02-29 23:59:59]"),
        ("30", "[2012-02-29 13:45:30;2012-02-29 13:45:59]"),
    ],
)
def test_datetimes_become_calendar_units(rule: str, text: str) -> None:
    assert moments(rule, datetime(2012, 2, 29, 13, 45, 31)) == text


def test_numbers_become_bands_of_a_width_in_the_unit_of_the_column() -> None:
    history = number_history(list("abcde"), [-0.01, 0, 2.49, 2.5, None], step=0.01)
    part = GeneralizeSteps(columns="amount=2.5")
    assert published(part, history, "amount") == ["[-2.5;-0.01]", "[0;2.49]", "[0;2.49]", "[2.5;4.99]", ""]


def test_the_first_band_of_positive_numbers_starts_above_zero() -> None:
    history = number_history(["a", "b"], [3, 12])
    assert published(GeneralizeSteps(columns="amount=10"), history, "amount") == ["[1;9]", "[10;19]"]
    assert published(GeneralizeSteps(columns="amount=1"), history, "amount") == ["3", "12"]


def test_categories_share_a_set_by_prefix() -> None:
    values = ["abc", "abd", "ac", "b", ""]
    assert goods("2", values) == ["{abc;abd}", "{abc;abd}", "ac", "b", ""]
    assert goods("-1", values) == ["{abc;abd}", "{abc;abd}", "ac", "b", ""]
    assert goods("1", values) == ["{abc;abd;ac}"] * 3 + ["b", ""]
    assert goods("0", values) == ["{abc;abd;ac;b}"] * 4 + [""]
    assert goods("9", values) == values


def test_a_set_above_the_largest_size_is_suppressed() -> None:
    assert goods("1", ["aa", "ab", "ac", "ba", "bb"], largest=2) == ["*"] * 3 + ["{ba;bb}"] * 2


def test_categories_share_a_set_by_ancestor() -> None:
    values = ["apple", "leek", "pear", "soap", "", "apple"]
    both = "{apple;pear}"
    assert goods("up1", values, hierarchy=FRUIT) == [both, "leek", both, "soap", "", both]
    food = "{apple;leek;pear}"
    assert goods("up2", values, hierarchy=FRUIT) == [food, food, food, "soap", "", food]
    assert goods("up0", values, hierarchy=FRUIT) == values


def test_a_hierarchy_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "goods.txt"
    file.write_text("\ufeffapple > fruit\n\npear > fruit\n", encoding="utf-8")
    assert goods("up1", ["apple", "pear"], hierarchy=f"@{file}") == ["{apple;pear}"] * 2
    with pytest.raises(UnreadableError, match=r"absent\.txt: the hierarchy cannot be read: No such file"):
        goods("up1", ["apple"], hierarchy=f"@{tmp_path / 'absent.txt'}")
    file.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(UnreadableError, match="the hierarchy cannot be read: it is not UTF-8 text"):
        goods("up1", ["apple"], hierarchy=f"@{file}")


@pytest.mark.parametrize(
    ("hierarchy", "message"),
    [
        ("", "must be a hierarchy that lists every value of the column 'goods', got 'none for apple and 1 more'"),
        ("apple>fruit", "must be a hierarchy that lists every value of the column 'goods', got 'none for kiwi'"),
        ("apple>>food", "must be lines such as apple>fruit>food (line 1), got 'apple>>food'"),
        ("apple>a;apple>b", "must be one line per value (line 2 contradicts an earlier one), got 'apple'"),
    ],
)
def test_a_wrong_hierarchy_is_refused(hierarchy: str, message: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        goods("up1", ["apple", "kiwi"], hierarchy=hierarchy)
    assert str(refusal.value) == f"parameter 'hierarchy' of 'generalize' {message}"


def test_wrong_rules_are_refused() -> None:
    history = mixed_history(10)
    for rule, message in (
        ("day=hour", "must be day, week, month, quarter, year, a number or * for the column 'day', got 'hour'"),
        (
            "moment=mouth",
            "must be minute, hour, day, week, month, quarter, year, a number or * for the column 'moment'",
        ),
        ("price=month", "must be a positive multiple of 0.01 for the column 'price', got 'month'"),
        ("goods=month", "must be a whole number, upN or * for the column 'goods', got 'month'"),
    ):
        with pytest.raises(ParameterError) as refusal:
            run(GeneralizeSteps(columns=rule), history)
        assert message in str(refusal.value)


def test_every_cell_holds_its_original() -> None:
    history = mixed_history(500)
    for columns in ("", "day=week,moment=hour,price=7.77,goods=1,spot=0.05"):
        release, secret = run(GeneralizeSteps(columns=columns), history)
        for name, cells in release.cells.items():
            assert cells.contains(history.codes[name][secret.rows]).all()


def test_the_default_result_passes_the_checker_of_2018() -> None:
    rng = np.random.default_rng(3)
    size = 2000
    frame = pl.DataFrame(
        {
            "customer": pl.Series(rng.integers(10_000, 10_050, size)).cast(pl.String),
            "date": pl.Series([f"2011/{month}/{day}" for month, day in rng.integers(1, 13, (size, 2))]),
            "goods": pl.Series(rng.integers(20_000, 24_000, size)).cast(pl.String),
            "price": pl.Series(rng.integers(1, 2000, size) / 100).cast(pl.String),
            "quantity": pl.Series(rng.integers(1, 90, size)).cast(pl.String),
        }
    )
    history = History.from_frame(frame, SCHEMA)
    for columns in ("", "date=week,price=10,quantity=10,goods=2"):
        release, secret = run(GeneralizeSteps(columns=columns), history)
        lines = aligned_lines(history, release, secret)
        text = "".join(f"{line}\n" for line in lines.to_list())
        assert check_release(frame, text.encode()).places() == []
