"""Synthetic purchases have the columns of the 2018 T and the shape of the real one, within the tolerances below."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_matrix

from tokumei.array_types import Floats
from tokumei.errors import ParameterError
from tokumei.synth.blocks import BLOCK_SUBJECTS
from tokumei.synth.purchases import generate_purchases
from tokumei.synth.shop import FIRST_DAY, make_calendar, make_catalogue

LEVELS = (0.10, 0.25, 0.50, 0.75, 0.90, 0.99)

# Figure: how far it may be from that of the real T, relative to it, or absolutely (whichever allows more).
TOLERANCES: dict[str, tuple[float, float]] = {
    "record counts": (0.30, 2.0),
    "top customers": (0.0, 0.05),
    "top goods": (0.0, 0.02),
    "Zipf exponent": (0.0, 0.08),
    "prices": (0.25, 0.0),
    "quantities": (0.35, 1.0),
    "basket sizes": (0.25, 1.0),
    "weekdays": (0.0, 0.04),
    "months": (0.0, 0.03),
    "repeats": (0.0, 0.06),
    "similarity": (0.0, 0.04),
    "unique": (0.0, 0.12),
    "price by goods": (0.0, 0.03),
    "quantity by customer": (0.0, 0.10),
    "price and quantity": (0.0, 0.10),
}


def _quantiles(values: pl.Series) -> Floats:
    return np.quantile(values.to_numpy(), LEVELS)


def nearest_similarity(frame: pl.DataFrame) -> Floats:
    """Return for every customer the largest Jaccard similarity of goods with another customer."""
    pairs = frame.select(pl.col("customer", "goods").rank("dense").cast(pl.Int64) - 1).unique()
    customer, goods = pairs["customer"].to_numpy(), pairs["goods"].to_numpy()
    bought = csr_matrix((np.ones(len(pairs)), (customer, goods)))
    size = np.bincount(customer)
    common = (bought @ bought.T).toarray()
    similarity = common / (size[:, None] + size[None, :] - common)
    np.fill_diagonal(similarity, 0.0)
    nearest: Floats = similarity.max(axis=1)
    return nearest


def purchase_shape(frame: pl.DataFrame) -> dict[str, Floats]:
    """Return the figures of a table of purchases, each as an array."""
    total = frame.height
    counts = frame.group_by("customer").len()["len"].sort(descending=True)
    sold = frame.group_by("goods").len()["len"].sort(descending=True).to_numpy()
    ranks = np.arange(10, 501)
    slope = np.polyfit(np.log(ranks), np.log(sold[ranks - 1]), 1)[0]
    weekday = np.bincount(frame["date"].dt.weekday().to_numpy(), minlength=8)[1:]
    month = frame.group_by(pl.col("date").dt.strftime("%Y%m")).len().sort("date")["len"].to_numpy()
    first = frame.with_columns(
        pl.col("date").min().over("customer").alias("first"),
        pl.col("date").min().over("customer", "goods").alias("met"),
    ).filter(pl.col("date") > pl.col("first"))
    unique = frame.group_by("goods", "price", "quantity").agg(pl.col("customer").unique().alias("buyers"))
    alone = unique.filter(pl.col("buyers").list.len() == 1).explode("buyers")["buyers"].n_unique()
    return {
        "record counts": _quantiles(counts),
        "top customers": np.array([counts[: len(counts) // 100].sum() / total]),
        "top goods": np.array([sold[:10].sum() / total, sold[:100].sum() / total]),
        "Zipf exponent": np.array([-slope]),
        "prices": _quantiles(frame["price"]),
        "quantities": _quantiles(frame["quantity"]),
        "basket sizes": _quantiles(frame.group_by("customer", "date").len()["len"]),
        "weekdays": weekday / total,
        "months": month / total,
        "repeats": np.array([(first["met"] < first["date"]).mean()], dtype=np.float64),
        "similarity": np.quantile(nearest_similarity(frame), LEVELS[:-1]),
        "unique": np.array([alone / len(counts)]),
        "price by goods": _explained(frame, "price", "goods"),
        "quantity by customer": _explained(frame, "quantity", "customer"),
        "price and quantity": np.corrcoef(frame["price"].log().to_numpy(), frame["quantity"].log().to_numpy())[0, 1:],
    }


def _explained(frame: pl.DataFrame, column: str, group: str) -> Floats:
    """Return the share of the variance of a logarithm that lies between the groups."""
    logs = frame.select(pl.col(column).log().alias("log"), group)
    left = logs.select(pl.col("log") - pl.col("log").mean().over(group))["log"].to_numpy()
    return np.array([1.0 - np.var(left) / np.var(logs["log"].to_numpy())])


def _all(subjects: int, seed: int) -> pl.DataFrame:
    return pl.concat(generate_purchases(subjects, seed=seed))


@pytest.mark.half_second
def test_the_shape_is_that_of_the_real_data(real_data: Path) -> None:
    """The middle of five seeds: the 99 % quantile of 1,000 customers is one customer, and differs from draw to draw."""
    names = ["customer", "date", "goods", "price", "quantity"]
    real = pl.read_csv(
        real_data / "pwscup2018_T.csv", has_header=False, new_columns=names, schema_overrides={"goods": pl.String}
    ).with_columns(pl.col("date").str.to_date("%Y/%m/%d"))
    wanted = purchase_shape(real)
    shapes = [purchase_shape(_all(1000, seed)) for seed in range(1, 6)]
    found = {name: np.median([shape[name] for shape in shapes], axis=0) for name in wanted}
    far = {
        name: (wanted[name], found[name])
        for name, (relative, absolute) in TOLERANCES.items()
        if (np.abs(found[name] - wanted[name]) > np.maximum(relative * np.abs(wanted[name]), absolute)).any()
    }
    assert TOLERANCES.keys() == wanted.keys()
    assert not far


@pytest.mark.parametrize("seed", [4, 5, 6])
def test_a_few_of_a_thousand_customers_have_thousands_of_records(seed: int) -> None:
    counts = _all(1000, seed).group_by("customer").len()["len"].sort(descending=True).to_list()
    assert 1500 < counts[0] < 9000
    assert sum(count > 600 for count in counts) >= 5
    assert min(counts) <= 3


def test_values_have_the_form_of_the_2018_data() -> None:
    frame = _all(1500, 7)
    assert frame.schema == {
        "customer": pl.Int64, "date": pl.Date, "goods": pl.String, "price": pl.Float64, "quantity": pl.Int64,
    }  # fmt: skip
    assert frame["customer"].n_unique() == 1500
    assert frame["goods"].str.contains(r"^\d{5}[A-Z]?$").all()
    assert frame["goods"].str.contains("[A-Z]$").any()
    assert frame["date"].min() == date(2010, 12, 1)
    assert frame["date"].max() == date(2011, 11, 30)
    assert 6 not in frame["date"].dt.weekday().unique()
    assert frame["date"].n_unique() == 297
    cents = frame["price"].to_numpy() * 100
    assert np.abs(cents - np.rint(cents)).max() < 1e-9
    assert frame["price"].min() > 0  # type: ignore[operator]
    assert frame["quantity"].min() == 1


def test_records_of_a_block_are_in_order_of_time() -> None:
    first, second = generate_purchases(BLOCK_SUBJECTS + 5, seed=8)
    assert first["date"].is_sorted()
    assert second["date"].is_sorted()
    assert second["customer"].n_unique() == 5


def test_the_first_customers_are_the_same_however_many_follow() -> None:
    assert next(generate_purchases(BLOCK_SUBJECTS, seed=9)).equals(next(generate_purchases(3 * BLOCK_SUBJECTS, seed=9)))


def test_the_seed_decides() -> None:
    assert _all(20, 1).equals(_all(20, 1))
    assert not _all(20, 1).equals(_all(20, 2))
    assert not next(generate_purchases(20)).equals(next(generate_purchases(20)))


@pytest.mark.parametrize(("subjects", "seed", "message"), [
    (0, 1, "subjects must be 1 or more, got 0"),
    (-3, 1, "subjects must be 1 or more, got -3"),
    (1, -1, "seed must be 0 or more, got -1"),
])  # fmt: skip
def test_impossible_numbers_are_refused(subjects: int, seed: int, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}$"):
        next(generate_purchases(subjects, seed=seed))


def test_one_customer_has_a_history() -> None:
    assert _all(1, 1).height >= 1


def test_goods_are_drawn_by_theme_and_month() -> None:
    catalogue = make_catalogue(12, np.random.default_rng(1))
    draws = 20_000
    theme = np.full(draws, 7)
    goods = catalogue.draw(np.random.default_rng(2).uniform(size=draws), np.full(draws, 3), theme)
    low, high = catalogue.bounds[0, 7], catalogue.bounds[0, 8]
    assert goods.min() >= low
    assert goods.max() < high
    sales = np.diff(catalogue.cumulative)[catalogue.bounds[3, 7] : catalogue.bounds[3, 8]]
    found = np.bincount(goods - low, minlength=high - low) / draws
    assert np.abs(found - sales / sales.sum()).max() < 0.02


def test_goods_ids_are_distinct() -> None:
    assert make_catalogue(12, np.random.default_rng(3)).ids.is_unique().all()


def test_the_calendar_has_no_saturday_and_no_holiday() -> None:
    calendar = make_calendar(date(2011, 11, 30), np.random.default_rng(1))
    days = [date.fromordinal(FIRST_DAY.toordinal() + int(day)) for day in calendar.day]
    assert len(days) == 297
    assert all(day.weekday() != 5 for day in days)
    assert date(2011, 1, 3) not in days
    assert (calendar.weight > 0).all()
