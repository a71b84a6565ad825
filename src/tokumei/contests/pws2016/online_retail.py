"""Cleansing of the public data set Online Retail (UCI no. 352, D. Chen 2015) into the contest data made from it.

`cleansed` keeps the records that PWS Cup 2016 kept (spec A.1): those with a customer, no cancelled invoice (``C...``),
no bad-debt adjustment (``A...``), a unit price of at least 0.01 and a country that is known. Duplicate rows and all
stock codes stay. On the whole data set this gives 397,636 records of 4,334 customers in 18,524 invoices, with 3,664
goods and 36 countries.

`contest_2016` makes the pair M, T of 2016 from it, with the sex and birthday that the data lacks drawn at random;
`contest_2018` the five columns of 2018, which also left out bank charges and December 2011. The order of the rows is
that of the workbook.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.contests.pws2016.files import FILES
from tokumei.data import SLASH_DATE, Field, Kind, read_table, value_text
from tokumei.errors import ContentError, Finding, SchemaError

_Type = pl.DataType | type[pl.DataType]
COLUMNS: Mapping[str, _Type] = {
    "InvoiceNo": pl.String,
    "StockCode": pl.String,
    "Quantity": pl.Int64,
    "InvoiceDate": pl.Datetime("ms"),
    "UnitPrice": pl.Float64,
    "CustomerID": pl.String,
    "Country": pl.String,
}
# How the copies in circulation write the moment of an invoice; the month comes before the day.
_MOMENTS = ("%m/%d/%Y %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M")
CHEAPEST = 0.01
LAST_DAY_2018 = date(2011, 11, 30)
# One man to five women, born in these years (spec A.1.1).
MEN_SHARE = 1 / 6
FIRST_BIRTHDAY, LAST_BIRTHDAY = date(1960, 1, 1), date(1989, 12, 31)
_PRICE = Field("price", Kind.NUMBER, 0.01)


def read_online_retail(path: str | Path) -> pl.DataFrame:
    """Read a Parquet or CSV copy of the data set, with the seven columns that are used and their types."""
    frame = read_table(path)
    for name in COLUMNS:
        if name not in frame.columns:
            message = (
                f"{path}: the column '{name}' of Online Retail is missing; the file has {', '.join(frame.columns)}"
            )
            raise SchemaError(message, file=str(path))
    return pl.DataFrame([_typed(frame[name], kind, str(path)) for name, kind in COLUMNS.items()])


def _typed(column: pl.Series, kind: _Type, file: str) -> pl.Series:
    """Return the column in its type; customers may be whole numbers, floating-point numbers or text."""
    if column.name == "CustomerID":
        return column.cast(pl.String).str.strip_suffix(".0").replace("", None)
    if column.dtype != pl.String or kind == pl.String:
        return column.cast(kind)
    if column.name == "InvoiceDate":
        readings = [column.str.to_datetime(form, strict=False, time_unit="ms") for form in _MOMENTS]
        typed = min(readings, key=lambda moments: moments.null_count())
    else:
        typed = column.cast(kind, strict=False)
    bad = (typed.is_null() & (column != "")).arg_true()
    if len(bad):
        findings = [
            Finding("bad-value", f"'{column[row]}' cannot be read as {kind}", row + 2, name=column.name)
            for row in bad.head(100).to_list()
        ]
        raise ContentError(file, findings, total=len(bad))
    return typed


def cleansed(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the records of Online Retail that PWS Cup 2016 kept, in their order.

    ``frame`` has the columns of the data set as `read_online_retail` types them (or as any typed copy has them).
    """
    return frame.filter(
        pl.col("CustomerID").is_not_null()
        & ~pl.col("InvoiceNo").str.contains("^[CA]")
        & (pl.col("UnitPrice") >= CHEAPEST)
        & (pl.col("Country") != "Unspecified")
    )


def contest_2016(records: pl.DataFrame, *, rng: np.random.Generator) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return M and T of 2016 from cleansed records, as text columns under the names of the contest files.

    M has one row per customer in the order of their ids: sex (male:female = 1:5) and birthday (a day of 1960 to 1989)
    are random, the country is that of the customer's last transaction (the last in the file among simultaneous ones).
    """
    last = records.sort("InvoiceDate", maintain_order=True).group_by("CustomerID").agg(pl.col("Country").last())
    people = last.with_columns(pl.col("CustomerID").cast(pl.String)).sort("CustomerID")
    men = rng.random(people.height) < MEN_SHARE
    days = rng.integers(FIRST_BIRTHDAY.toordinal(), LAST_BIRTHDAY.toordinal() + 1, people.height)
    birthdays = pl.Series(days - date(1970, 1, 1).toordinal()).cast(pl.Int32).cast(pl.Date)
    master = pl.DataFrame(
        {
            "customer": people["CustomerID"],
            "sex": pl.Series(np.where(men, "m", "f")),
            "birthday": birthdays.dt.strftime(SLASH_DATE),
            "country": people["Country"],
        }
    )
    return master, _named(records).select(FILES["T"].columns)


def contest_2018(records: pl.DataFrame, customers: pl.Series | None = None) -> pl.DataFrame:
    """Return the five columns of 2018 from cleansed records, of all customers or of these (ids as text).

    The contest drew 1,000 customers out of the 4,292 that remain without bank charges and after 2011-11-30.
    """
    kept = records.filter(
        (pl.col("StockCode") != "BANK CHARGES") & (pl.col("InvoiceDate").cast(pl.Date) <= LAST_DAY_2018)
    )
    if customers is not None:
        kept = kept.filter(pl.col("CustomerID").cast(pl.String).is_in(customers.cast(pl.String).implode()))
    return _named(kept).drop("invoice", "time")


def _named(records: pl.DataFrame) -> pl.DataFrame:
    """Return the records as text under the names of the contests; a price has no needless zeros."""
    moment = records["InvoiceDate"]
    pence = (records["UnitPrice"] * 100).round().cast(pl.Int64)
    return pl.DataFrame(
        {
            "customer": records["CustomerID"].cast(pl.String),
            "invoice": records["InvoiceNo"],
            "date": moment.dt.strftime(SLASH_DATE),
            "time": moment.dt.strftime("%-H:%M"),
            "goods": records["StockCode"],
            "price": value_text(pence.to_numpy(), _PRICE),
            "quantity": records["Quantity"].cast(pl.String),
        }
    )
