"""Cleansing of Online Retail: exactly the contest's records, and 2018's own file line by line."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.contests.pws2016.online_retail import cleansed, contest_2016, contest_2018, read_online_retail
from tokumei.contests.pws2017.files import FILES as FILES_2017
from tokumei.contests.pws2018.files import FILES as FILES_2018
from tokumei.contests.reading import read_contest
from tokumei.errors import ContentError, SchemaError

HEADER = "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n"
ROWS = """536365,85123A,"HEART, ""T"" X",6,12/1/2010 8:26,2.55,17850,United Kingdom
C536379,D,Discount,-1,12/1/2010 9:41,27.5,14527,United Kingdom
A563185,B,Adjust bad debt,1,8/12/2011 14:50,11062.06,,United Kingdom
536370,22728,CLOCK,24,12/1/2010 8:45,3.75,,France
536371,22729,CLOCK,24,12/1/2010 8:45,0.001,12583,France
536372,22730,CLOCK,24,12/1/2010 8:45,10,12583,Unspecified
536373,22731,CLOCK,80,12/1/2010 18:05,10,12583.0,France
536374,BANK CHARGES,,1,11/30/2011 10:00,15,12583,France
581587,22138,SET,3,12/9/2011 12:50,4.95,12583,Belgium
"""


def copy(folder: Path, text: str = HEADER + ROWS) -> Path:
    path = folder / "retail.csv"
    path.write_text(text)
    return path


def test_each_rule_of_the_cleansing_removes_its_records(tmp_path: Path) -> None:
    records = cleansed(read_online_retail(copy(tmp_path)))
    assert records["InvoiceNo"].to_list() == ["536365", "536373", "536374", "581587"]
    assert records["CustomerID"].to_list() == ["17850", "12583", "12583", "12583"]
    assert records["InvoiceDate"][0] == datetime(2010, 12, 1, 8, 26)


def test_2016_pair(tmp_path: Path) -> None:
    records = cleansed(read_online_retail(copy(tmp_path)))
    master, transactions = contest_2016(records, rng=np.random.default_rng(1))
    assert transactions.rows()[:2] == [
        ("17850", "536365", "2010/12/1", "8:26", "85123A", "2.55", "6"),
        ("12583", "536373", "2010/12/1", "18:05", "22731", "10", "80"),
    ]
    assert master.select("customer", "country").rows() == [("12583", "Belgium"), ("17850", "United Kingdom")]


def test_2018_columns_leave_out_bank_charges_and_december(tmp_path: Path) -> None:
    records = cleansed(read_online_retail(copy(tmp_path)))
    everybody = [("17850", "2010/12/1", "85123A", "2.55", "6"), ("12583", "2010/12/1", "22731", "10", "80")]
    assert contest_2018(records).rows() == everybody
    assert contest_2018(records, pl.Series(["12583"])).rows() == everybody[1:]


def test_the_country_of_simultaneous_transactions_is_the_last_in_the_file() -> None:
    records = pl.DataFrame(
        {
            "InvoiceNo": ["1", "2", "3"],
            "StockCode": ["a", "b", "c"],
            "Quantity": [1, 1, 1],
            "InvoiceDate": [datetime(2011, 1, 2), datetime(2011, 1, 2), datetime(2011, 1, 1)],
            "UnitPrice": [1.0, 1.0, 1.0],
            "CustomerID": [7, 7, 7],
            "Country": ["Japan", "Italy", "Spain"],
        }
    )
    master, _ = contest_2016(cleansed(records), rng=np.random.default_rng(1))
    assert master["country"].to_list() == ["Italy"]


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=r"retail\.csv: the column 'StockCode' of Online Retail is missing"):
        read_online_retail(copy(tmp_path, "InvoiceNo,Price\n1,2\n"))


def test_unusable_values_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"line 10: 'many' cannot be read as Int64") as caught:
        read_online_retail(copy(tmp_path, HEADER + ROWS.replace(",3,12/9", ",many,12/9")))
    assert caught.value.total == 1
    with pytest.raises(ContentError, match="line 2: 'once' cannot be read as Datetime"):
        read_online_retail(copy(tmp_path, HEADER + ROWS.replace("12/1/2010 8:26", "once")))


def test_the_figures_of_the_paper(real_data: Path) -> None:
    """Table 1 of the 2016 paper (spec A.1)."""
    records = cleansed(read_online_retail(real_data / "online_retail.parquet"))
    assert records.height == 397_636
    distinct = [records[name].n_unique() for name in ("CustomerID", "InvoiceNo", "StockCode", "Country")]
    assert distinct == [4_334, 18_524, 3_664, 36]
    moments = records["InvoiceDate"]
    assert (moments.min(), moments.max()) == (datetime(2010, 12, 1, 8, 26), datetime(2011, 12, 9, 12, 50))


@pytest.mark.half_second
@pytest.mark.parametrize("name", ["pwscup2018_T.csv", "pwscup2018_T_final_reconstructed.csv"])
def test_2018_files_are_reproduced_line_by_line(real_data: Path, name: str) -> None:
    records = cleansed(read_online_retail(real_data / "online_retail.parquet"))
    official = read_contest(real_data / name, FILES_2018["T"])
    made = contest_2018(records, official["customer"].unique())
    assert made.equals(official)
    assert contest_2018(records)["customer"].n_unique() == 4_292


@pytest.mark.half_second
def test_2017_transactions_are_among_those_of_2016(real_data: Path) -> None:
    records = cleansed(read_online_retail(real_data / "online_retail.parquet"))
    _, transactions = contest_2016(records, rng=np.random.default_rng(1))
    official = read_contest(real_data / "pwscup2017_T.csv", FILES_2017["T"])
    ours = transactions.filter(
        pl.col("customer").is_in(official["customer"].unique().implode()) & ~pl.col("date").str.starts_with("2011/12/")
    ).with_columns(invoice=pl.lit("0"))
    assert ours.sort(ours.columns).equals(official.sort(official.columns))


@pytest.mark.half_second
def test_the_random_part_of_the_master(real_data: Path) -> None:
    records = cleansed(read_online_retail(real_data / "online_retail.parquet"))
    master, _ = contest_2016(records, rng=np.random.default_rng(1))
    again, _ = contest_2016(records, rng=np.random.default_rng(1))
    other, _ = contest_2016(records, rng=np.random.default_rng(2))
    assert master.equals(again)
    assert not master.equals(other)
    assert master["customer"].is_sorted()
    assert (master["sex"] == "m").mean() == pytest.approx(1 / 6, abs=0.02)
    birthdays = master["birthday"].str.to_date("%Y/%m/%d")
    assert date(1960, 1, 1) <= min(birthdays) <= max(birthdays) <= date(1989, 12, 31)
    assert birthdays.dt.year().n_unique() == 30
