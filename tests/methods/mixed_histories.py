"""Small histories with every kind of column, for tests of the standard methods."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import polars as pl

from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.parts import Method

MIXED = Schema(
    "who",
    (
        Column(name="day", kind=Kind.DATE),
        Column(name="moment", kind=Kind.DATETIME),
        Column(name="price", kind=Kind.NUMBER, step=0.01),
        Column(name="goods"),
        Column(name="spot", kind=Kind.PLACE, latitude="lat", longitude="lon", step=0.001),
    ),
)


def mixed_frame(size: int, *, missing: bool = True, seed: int = 7) -> pl.DataFrame:
    """Return records of about ``size / 5`` subjects; some values are missing."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "who": [f"p{number}" for number in rng.integers(0, max(size // 5, 1), size)],
            "day": [date(2011, 1, 1) + timedelta(days=int(number)) for number in rng.integers(0, 300, size)],
            "moment": [
                datetime(2011, 1, 1) + timedelta(seconds=int(number)) for number in rng.integers(0, 10**7, size)
            ],
            "price": rng.integers(1, 5000, size) / 100,
            "goods": [f"g{number}" for number in rng.integers(0, 30, size)],
            "lat": 35 + rng.integers(0, 500, size) / 1000,
            "lon": 139 + rng.integers(0, 500, size) / 1000,
        },
        schema_overrides={"who": pl.String, "day": pl.Date, "moment": pl.Datetime("ms"), "goods": pl.String},
    )
    if not missing:
        return frame
    holes = [pl.when(pl.Series(rng.random(size) >= 0.1)).then(name).alias(name) for name in frame.columns[1:]]
    return frame.with_columns(holes)


def mixed_history(size: int, *, missing: bool = True) -> History:
    """Return such records as a history."""
    return History.from_frame(mixed_frame(size, missing=missing), MIXED)


def number_history(people: list[str], amounts: list[float | None], *, step: float = 1.0) -> History:
    """Return a history with the one column ``amount``."""
    schema = Schema("who", (Column(name="amount", kind=Kind.NUMBER, step=step),))
    frame = pl.DataFrame({"who": people, "amount": amounts}, schema={"who": pl.String, "amount": pl.Float64})
    return History.from_frame(frame, schema)


def category_history(people: list[str], values: list[str], *, name: str = "goods") -> History:
    """Return a history with one column of categories."""
    schema = Schema("who", (Column(name=name),))
    return History.from_frame(
        pl.DataFrame({"who": people, name: values}, schema={"who": pl.String, name: pl.String}), schema
    )


def run(part: Method, history: History, seed: int = 1) -> tuple[Release, Secret]:
    """Run a method under a seed."""
    return part.anonymize(history, rng=np.random.default_rng(seed))


def published(part: Method, history: History, name: str, seed: int = 1) -> list[str]:
    """Return the text of a published column, in the order of the original rows."""
    release, secret = run(part, history, seed)
    text = release.text()[name].to_list()
    return [text[place] for place in np.argsort(secret.rows)]
