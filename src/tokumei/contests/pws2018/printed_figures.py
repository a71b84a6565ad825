"""The figures that the PWS Cup 2018 report prints: tables 3, 5 and 6 to 10, from ``printed_figures.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from io import StringIO
from typing import Any

import polars as pl


@cache
def _printed() -> dict[str, Any]:
    home = files("tokumei.contests.pws2018")
    return tomllib.loads(home.joinpath("printed_figures.toml").read_text(encoding="utf-8"))


def printed_correlations() -> dict[tuple[int, str], float | None]:
    """Return Pearson's r with U by table and measure; None where the report prints "-"."""
    return {
        (int(table), measure): None if value == "-" else value
        for table, measures in _printed()["correlations"].items()
        for measure, value in measures.items()
    }


def _table(name: str) -> pl.DataFrame:
    frame = pl.read_csv(StringIO(_printed()[name]), schema_overrides={"team": pl.String})
    return frame.with_columns(pl.exclude("team").cast(pl.Float64))


def published_utility() -> pl.DataFrame:
    """Return the utility U of each team (table 3): team, U."""
    return _table("tables_6_and_7").select("team", "U")


def published_result() -> pl.DataFrame:
    """Return table 3: team, U, hit (whether an effective re-identification was received)."""
    hit = _printed()["table_3_hit"]
    return published_utility().with_columns(hit=pl.col("team").is_in(hit))


def published_kinds() -> list[dict[str, Any]]:
    """Return table 5: the kind of a file, customers untouched, k of the rest, how many files and how many survived."""
    return list(_printed()["table_5"])


def published_figures() -> pl.DataFrame:
    """Return tables 6 to 10 as one long frame: table, team, measure, published."""
    both = _table("tables_6_and_7").drop("U")
    last_two = ["rows", "top_items_error"]
    tables = {
        6: both.drop(last_two),
        7: both.select("team", *last_two),
        8: _table("table_8"),
        9: _table("table_9"),
        10: _table("table_10"),
    }
    long = [
        frame.unpivot(index="team", variable_name="measure", value_name="published").select(
            pl.lit(number, dtype=pl.Int32).alias("table"), "team", "measure", "published"
        )
        for number, frame in tables.items()
    ]
    return pl.concat(long)
