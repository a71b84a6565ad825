"""The printed tables of the 2018 report, their correlations, and their reproduction from the submissions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.contests.pws2018.files import SCHEMA
from tokumei.contests.pws2018.printed_figures import published_figures, published_utility
from tokumei.contests.pws2018.report_tables import ReportTables, published_correlations, reproduce_tables
from tokumei.contests.pws2018.use_cases import UseCaseOptions
from tokumei.data.history import History
from tokumei.errors import InputError, ParameterError

NAMES = ["customer", "date", "goods", "price", "quantity"]


def _history(frame: pl.DataFrame) -> History:
    return History.from_frame(frame, SCHEMA)


def _real_tables(folder: Path) -> ReportTables:
    path = folder / "pwscup2018_T_final_reconstructed.csv"
    history = _history(pl.read_csv(path, has_header=False, new_columns=NAMES, infer_schema=False))
    submissions = pl.read_parquet(folder / "pwscup2018_A1_resampled.parquet")
    return reproduce_tables(history, submissions, rng=np.random.default_rng(2018), fillings=30)


def test_printed_tables_are_complete() -> None:
    figures = published_figures()
    assert figures.null_count().sum_horizontal().item() == 0
    sizes = figures.group_by("table", maintain_order=True).len().rows()
    assert sizes == [(6, 65), (7, 26), (8, 91), (9, 91), (10, 91)]
    assert published_utility()["U"].sum() == pytest.approx(3.836)


def test_printed_sums_and_means_fit_together() -> None:
    """Both follow from T's sum and rows, which ties the typed columns to each other (team 12 deletes no row)."""
    last = published_figures().filter(pl.col("team") == "12")
    for table in (8, 9, 10):
        row = dict(last.filter(pl.col("table") == table).select("measure", "published").rows())
        assert row["sum"] / 89278 == pytest.approx(row["mean"], abs=6e-4)


def test_correlations_are_those_of_the_report() -> None:
    """Spec B.11: recomputed from the rounded columns, tolerance 0.005."""
    table = published_correlations()
    both = table.drop_nulls("published")
    assert both["recomputed"].null_count() == 0
    assert (both["published"] - both["recomputed"]).abs().max() <= 0.005  # type: ignore[operator]
    assert table.filter(pl.col("published").is_null())["recomputed"].null_count() == 3
    first = table.filter(pl.col("table") <= 7)["recomputed"].round(4).to_list()
    assert first == pytest.approx([0.6536, 0.6127, 0.8783, 0.9495, 0.5913, 0.2035, 0.8560], abs=1e-4)


def test_significant_are_all_use_cases_top_list_mean_date_and_least_price() -> None:
    significant = published_correlations().filter("significant").select("table", "measure").rows()
    assert [pair for pair in significant if pair[0] > 6] == [(7, "top_items_error"), (8, "mean"), (9, "min")]
    assert len([pair for pair in significant if pair[0] == 6]) == 5


# How far the mean over 13 teams may lie from the report: what one draw allows (data README).
LIMITS = {
    "rfm_error": 0.002,
    "similarity_retail": 0.003,
    "similarity_wholesale": 0.008,
    "similarity_top": 0.005,
    "top_items_error": 0.015,
    "rows": 0.0,
}


@pytest.mark.slow
def test_tables_made_from_the_submissions_agree_with_the_report(real_data: Path) -> None:
    """One test: making the tables takes the time."""
    tables = _real_tables(real_data)
    agreement = tables.agreement()
    for measure, limit in LIMITS.items():
        difference = agreement.filter(pl.col("measure") == measure)["mean_difference"].item()
        assert difference <= limit, measure
    # Frequent sets agree without team 12.
    figures = tables.figures.filter((pl.col("measure") == "itemset_error") & (pl.col("team") != "12"))
    assert figures["difference"].abs().mean() <= 0.015  # type: ignore[operator]
    for table in (8, 9, 10):
        chosen = agreement.filter((pl.col("table") == table) & (pl.col("measure") == "sum"))
        assert chosen["mean_relative_difference"].item() <= 0.015, table
    _check_side_by_side(tables)


def _check_side_by_side(tables: ReportTables) -> None:
    """Check that all teams and the correlations are there."""
    seventh = tables.side_by_side(7)
    assert seventh["team"].to_list() == [*published_utility()["team"].to_list(), "Pearson"]
    assert seventh["rows_published"].to_list()[:2] == [1912.0, 2622.0]
    assert seventh["rows_difference"].to_list()[:-1] == [0.0] * 13
    assert seventh["rows_reproduced"].to_list()[-1] == pytest.approx(0.2035, abs=1e-4)
    assert tables.critical == pytest.approx(0.5529, abs=5e-5)


ORIGINAL = [("1", "2011/3/1", "A", "1", "12"), ("1", "2011/3/1", "B", "2", "3"), ("2", "2011/3/4", "A", "3", "5")]


def _submission(team: str, price: float | None = 1.0) -> pl.DataFrame:
    frame = pl.DataFrame(ORIGINAL, schema=dict.fromkeys(NAMES, pl.String), orient="row")
    return frame.select(
        pl.lit(team).alias("team"),
        pl.col("customer").alias("pseudonym"),
        pl.col("date").str.to_date("%Y/%m/%d"),
        "goods",
        pl.when(pl.int_range(pl.len()) == 0)
        .then(pl.lit(price, dtype=pl.Float64))
        .otherwise(pl.col("price").cast(pl.Float64))
        .alias("price"),
        pl.col("quantity").cast(pl.Int32),
    )


@pytest.fixture
def small() -> History:
    return _history(pl.DataFrame(ORIGINAL, schema=dict.fromkeys(NAMES, pl.String), orient="row"))


OPTIONS = UseCaseOptions(min_support=1)


def test_an_unchanged_submission_has_no_errors(small: History) -> None:
    tables = reproduce_tables(
        small, _submission("10"), rng=np.random.default_rng(0), fillings=2, correct_dates=False, options=OPTIONS
    )
    absent = ["similarity_wholesale", "similarity_retail"]
    assert tables.figures.filter(pl.col("reproduced").is_null())["measure"].to_list() == absent
    figures = tables.figures.filter(~pl.col("measure").is_in(absent))
    assert figures["reproduced"].to_list() == [0.0] * figures.height
    assert figures["difference"].to_list() == [-value for value in figures["published"].to_list()]


def test_dates_are_corrected_by_a_day_or_none(small: History) -> None:
    """Three dates move by half a day on average, the last never beyond the original's last day."""
    tables = reproduce_tables(small, _submission("10"), rng=np.random.default_rng(0), fillings=400, options=OPTIONS)
    row = tables.figures.filter((pl.col("table") == 8) & (pl.col("measure") == "sum"))
    assert row["reproduced"].item() == pytest.approx(1.0, abs=0.15)
    assert tables.figures.filter((pl.col("table") == 8) & (pl.col("measure") == "max"))["reproduced"].item() == 0.0


def test_empty_cells_are_filled_anew(small: History) -> None:
    """A suppressed price of 1 is drawn from 1 to 3 pounds: on average one pound away."""
    tables = reproduce_tables(
        small, _submission("10", None), rng=np.random.default_rng(0), fillings=800, options=OPTIONS
    )
    row = tables.figures.filter((pl.col("table") == 9) & (pl.col("measure") == "sum"))
    assert row["reproduced"].item() == pytest.approx(100.0, abs=8.0)


def test_a_team_that_the_report_does_not_have_stands_alone(small: History) -> None:
    tables = reproduce_tables(small, _submission("99"), rng=np.random.default_rng(0), fillings=1, options=OPTIONS)
    assert tables.figures["team"].unique().to_list() == ["99"]
    assert tables.figures["difference"].null_count() == tables.figures.height


def test_unusable_submissions_are_refused(small: History) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="the submissions lack the column 'goods'; they need team, pseudonym"):
        reproduce_tables(small, _submission("10").drop("goods"), rng=rng)
    with pytest.raises(InputError, match="the submissions hold no rows"):
        reproduce_tables(small, _submission("10").clear(), rng=rng)
    with pytest.raises(ParameterError, match=r"'fillings' .* of at least 1, got 0"):
        reproduce_tables(small, _submission("10"), rng=rng, fillings=0)
