"""The synthetic master and transactions have the form of the 2016 M and T (spec A.1) and belong together."""

from __future__ import annotations

from datetime import date, time

import polars as pl
import pytest

from tokumei.errors import ParameterError
from tokumei.synth.master import FIRST_INVOICE, master_rows, transactions


@pytest.fixture(scope="module")
def tables() -> tuple[pl.DataFrame, pl.DataFrame]:
    return pl.concat(master_rows(2500, 1)), pl.concat(transactions(2500, 1))


def test_every_customer_has_one_master_row_and_transactions(tables: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    master, transactions = tables
    assert master.columns == ["customer", "sex", "birthday", "country"]
    assert transactions.columns == ["customer", "invoice", "date", "time", "goods", "price", "quantity"]
    assert master["customer"].is_unique().all()
    assert set(master["customer"]) == set(transactions["customer"])


def test_the_master_follows_the_rules_of_its_making(tables: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    master, _ = tables
    assert set(master["sex"].unique()) == {"f", "m"}
    assert (master["sex"] == "m").mean() == pytest.approx(1 / 6, abs=0.03)
    assert master["birthday"].is_between(date(1960, 1, 1), date(1989, 12, 31)).all()
    years = master["birthday"].dt.year().value_counts()["count"]
    assert len(years) == 30
    assert years.max() < 2 * 2500 / 30  # type: ignore[operator]
    assert (master["country"] == "United Kingdom").mean() == pytest.approx(0.905, abs=0.03)
    assert 20 <= master["country"].n_unique() <= 36


def test_an_invoice_is_one_basket_of_one_customer(tables: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    _, transactions = tables
    invoices = transactions.group_by("invoice").agg(pl.struct("customer", "date", "time").n_unique().alias("baskets"))
    assert (invoices["baskets"] == 1).all()
    assert invoices["invoice"].min() == FIRST_INVOICE
    assert invoices["invoice"].max() == FIRST_INVOICE + invoices.height - 1


def test_transactions_fill_the_period_and_the_hours_of_2016(tables: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    _, transactions = tables
    assert transactions["date"].min() == date(2010, 12, 1)
    assert transactions["date"].max() == date(2011, 12, 9)
    assert transactions["time"].is_between(time(7), time(20)).all()
    invoices = transactions.unique("invoice")
    assert invoices["time"].dt.hour().median() == pytest.approx(12, abs=1)


def test_sex_does_not_repeat_the_numbers_behind_the_purchases(tables: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    master, transactions = tables
    counts = transactions.group_by("customer").len().join(master, on="customer")
    medians = dict(counts.group_by("sex").agg(pl.col("len").median()).rows())
    assert medians["m"] == pytest.approx(medians["f"], rel=0.35)


def test_the_seed_decides() -> None:
    (first,), (again,), (other,) = (list(master_rows(30, seed)) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)
    (first,), (again,), (other,) = (list(transactions(30, seed)) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^subjects must be 1 or more, got 0$"):
        next(master_rows(0, 1))
