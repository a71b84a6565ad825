"""The data before and after a release: distributions, top values, correlations, RFM classes, places, by hand."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sample_histories import SAMPLES, sample
from tokumei.data.cells import RangeCells, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release
from tokumei.data.schema import Schema
from tokumei.metrics.before_after import correlations, place_points, place_rectangles, top_values
from tokumei.metrics.distributions import column_distributions, ordered_distribution, value_counts
from tokumei.metrics.rfm_classes import Purchases, purchase_columns, rfm_before_after

GOODS = Column(name="goods", kind=Kind.CATEGORY)
PRICE = Column(name="price", kind=Kind.NUMBER, step=0.5)
DAY = Column(name="day", kind=Kind.DATE)
UNITS = Column(name="units", kind=Kind.NUMBER)


def as_is(history: History) -> Release:
    """Return the release that hides nothing but the names."""
    names = (history.subject + 1000).astype(str)
    cells = {spec.name: history.cells(spec.name) for spec in history.schema.fields}
    return Release(history.schema, pl.Series(names), cells)


def shop() -> History:
    frame = pl.DataFrame(
        {
            "who": ["a", "a", "b", "b", "c"],
            "day": [date(2011, 1, number) for number in (1, 3, 2, 5, 4)],
            "goods": ["tea", "tea", "tea", "cup", "tea"],
            "price": [1.0, 2.0, 1.0, 4.0, 3.0],
            "units": [1, 2, 1, 1, 5],
        }
    )
    return History.from_frame(frame, Schema("who", (DAY, GOODS, PRICE, UNITS)))


def test_a_range_counts_for_all_of_its_values() -> None:
    cells = RangeCells.of_ranges([0, 1, 3], [3, 1, 3], suppressed=[False, False, True])
    before, after = ordered_distribution(np.array([0, 1, 3]), cells, np.array([-0.5, 0.5, 1.5, 3.5]))
    assert before.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert after.tolist() == pytest.approx([1 / 8, 5 / 8, 2 / 8])


@pytest.mark.half_second
@given(st.lists(st.integers(-50, 3000), min_size=1, max_size=60), st.integers(0, 400))
def test_distributions_add_up_to_one_and_equal_data_overlap_wholly(values: list[int], width: int) -> None:
    frame = pl.DataFrame({"who": [str(number % 7) for number in range(len(values))], "price": values})
    history = History.from_frame(frame, Schema("who", (Column(name="price", kind=Kind.NUMBER),)))
    same = column_distributions(history, as_is(history))
    assert same.tables["columns"]["overlap"][0] == pytest.approx(1.0)
    codes = history.codes["price"]
    wide = Release(
        history.schema, as_is(history).pseudonyms, {"price": RangeCells.of_ranges(codes - width, codes + width)}
    )
    table = column_distributions(history, wide).tables["distribution price"]
    assert table["before"].sum() == pytest.approx(1.0)
    assert table["after"].sum() == pytest.approx(1.0)
    assert (table["to"] > table["from"]).all()


def test_columns_say_how_much_is_exact_and_hidden() -> None:
    history = shop()
    release = as_is(history)
    cells = dict(release.cells)
    cells["price"] = RangeCells.of_ranges(
        [2, 2, 2, 2, 6], [2, 4, 2, 8, 6], suppressed=[True, False, False, False, False]
    )
    found = column_distributions(history, Release(history.schema, release.pseudonyms, cells)).tables["columns"]
    price = found.row(by_predicate=pl.col("column") == "price", named=True)
    assert (price["exact"], price["hidden"], price["missing"], price["scale"]) == (0.4, 0.2, 0.0, "linear")


def test_sets_count_in_equal_parts_and_rare_values_are_not_named() -> None:
    history = shop()
    release = as_is(history)
    sets = SetCells.of_sets([["tea"], ["tea", "cup"], None, ["cup"], ["tea"]], history.categories["goods"])
    changed = Release(history.schema, release.pseudonyms, {**release.cells, "goods": sets})
    counts = value_counts(history, changed, "goods")
    assert counts.rows() == [("tea", 4, 2.5, 3), ("cup", 1, 1.5, 1)]
    assert top_values(history, changed, "goods").rows() == [("tea", 4, 2.5, 3, 1, 1)]
    drawn = column_distributions(history, changed)
    assert drawn.tables["distribution goods"].rows() == [
        ("tea", pytest.approx(0.8), pytest.approx(0.625)),
        (None, pytest.approx(0.2), pytest.approx(0.375)),
    ]
    assert drawn.tables["columns"]["overlap"][1] == pytest.approx(0.825)


def test_correlations_use_the_middle_of_ranges() -> None:
    history = shop()
    release = as_is(history)
    lo, hi = np.array([0, 2, 0, 6, 4]), np.array([4, 6, 4, 10, 8])
    changed = Release(history.schema, release.pseudonyms, {**release.cells, "price": RangeCells.of_ranges(lo, hi)})
    found = {(row[0], row[1]): row[2:] for row in correlations(history, changed).rows()}
    prices, units = [1.0, 2.0, 1.0, 4.0, 3.0], [1, 2, 1, 1, 5]
    expected = float(np.corrcoef(prices, units)[0, 1])
    assert found["price", "units"] == (pytest.approx(expected), pytest.approx(expected))
    assert correlations(sample("constant columns"), as_is(sample("constant columns")))["before"].null_count() == 15


def test_purchases_are_known_by_names_or_by_shape() -> None:
    number = [Column(name=name, kind=Kind.NUMBER) for name in ("x", "y")]
    fine = Column(name="z", kind=Kind.NUMBER, step=0.01)
    assert purchase_columns(Schema("who", (DAY, GOODS, PRICE, UNITS))) == Purchases("day", ("price", "units"))
    assert purchase_columns(Schema("who", (DAY, number[0]))) is None
    assert purchase_columns(Schema("who", (DAY, Column(name="rating", kind=Kind.NUMBER)))) is None
    assert purchase_columns(Schema("who", (DAY, number[0], fine))) is None
    assert purchase_columns(Schema("who", (DAY, *number))) is None
    assert purchase_columns(Schema("who", (GOODS, PRICE))) is None
    assert purchase_columns(Schema("row", (DAY, PRICE))) is None
    assert purchase_columns(sample("mixed").schema) is None


def test_rfm_classes_of_the_same_data_agree() -> None:
    found = rfm_before_after(shop(), as_is(shop()))
    assert found is not None
    classes, grid, overlap = found
    assert overlap == pytest.approx(1.0)
    assert (classes["before"] == classes["after"]).all()
    money = classes.filter(pl.col("measure") == "monetary")
    # a paid 1 + 4, b 1 + 4, c 15: two share the lower classes, c alone is in the highest.
    assert money["before"].to_list()[-1] == 1
    assert money["from"].drop_nulls().to_list() == [5.0, 15.0]
    assert grid["before"].sum() == 3


def test_suppressed_amounts_stand_for_the_mean_and_lost_customers_are_seen() -> None:
    history = shop()
    release = as_is(history)
    hidden = release.cells["price"].suppress([False, False, False, False, True])
    changed = Release(history.schema, release.pseudonyms, {**release.cells, "price": hidden}).take([0, 1, 4])
    found = rfm_before_after(history, changed)
    assert found is not None
    classes, _, overlap = found
    assert classes.filter(pl.col("measure") == "frequency")["after"].sum() == 2
    assert overlap < 1.0


def test_places_are_points_and_rectangles_in_degrees() -> None:
    history = sample("mixed")
    points, boxes = place_points(history, most=5), place_rectangles(history, as_is(history), most=4)
    assert points is not None
    assert boxes is not None
    assert (points.height, boxes.height) == (5, 4)
    assert points["latitude"].is_between(35, 35.1).all()
    assert (boxes["south"] == boxes["north"]).all()
    assert place_points(shop()) is None
    assert place_rectangles(shop(), as_is(shop())) is None


@pytest.mark.parametrize("name", list(SAMPLES))
def test_odd_data_is_compared_without_fault(name: str) -> None:
    history = sample(name)
    release = as_is(history)
    columns = column_distributions(history, release).tables["columns"]
    assert columns.height == len(history.schema.fields)
    assert rfm_before_after(history, release) is None or name.startswith("only")
    assert correlations(history, release).columns == ["first", "second", "before", "after"]
