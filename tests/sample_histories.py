"""Small histories that have tripped somebody: every kind of column, missing values, constants, next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

import numpy as np
import polars as pl

from tokumei.data.cells import Cells, RangeCells, SetCells
from tokumei.data.history import Column, History, Kind, Schema

__all__ = ["SAMPLES", "mixed_frame", "sample"]

COLUMNS = (
    Column(name="day", kind=Kind.DATE),
    Column(name="seen", kind=Kind.DATETIME),
    Column(name="goods", kind=Kind.CATEGORY),
    Column(name="price", kind=Kind.NUMBER, step=0.01),
    Column(name="units", kind=Kind.NUMBER),
    Column(name="spot", kind=Kind.PLACE, step=0.001, latitude="lat", longitude="lon"),
)
SCHEMA = Schema("customer", COLUMNS)


def mixed_frame(subjects: int = 9, *, seed: int = 3, holes: float = 0.0) -> pl.DataFrame:
    """Return records with every kind of column; ``holes`` is the share of missing cells outside the subject."""
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 6, size=subjects)
    # Ids that cannot occur by chance, so that they can be searched for.
    who = np.repeat([f"SUBJECT-QZX-{number:04}" for number in range(subjects)], count)
    size = len(who)
    goods = np.array(["tea", "a;b", "{x}", "*", "50%", "100%3B", 'say "hi"', "two, parts", "緑茶", "line\nbreak"])
    frame = pl.DataFrame(
        {
            "customer": who,
            "day": [date(2011, 1, 1) + timedelta(days=int(n)) for n in rng.integers(0, 60, size)],
            "seen": [datetime(2011, 1, 1) + timedelta(seconds=int(n)) for n in rng.integers(0, 10**6, size)],
            "goods": goods[rng.integers(0, len(goods), size)],
            "price": rng.integers(-500, 5000, size) / 100,
            "units": rng.integers(1, 9, size),
            "lat": np.round(35 + rng.random(size) / 10, 3),
            "lon": np.round(139 + rng.random(size) / 10, 3),
        }
    )
    if holes:
        gone = {name: pl.Series(rng.random(size) < holes) for name in frame.columns[1:]}
        frame = frame.with_columns(pl.when(~mask).then(pl.col(name)).alias(name) for name, mask in gone.items())
    return frame


def _history(frame: pl.DataFrame, schema: Schema = SCHEMA) -> History:
    return History.from_frame(frame, schema)


def _constant() -> History:
    frame = mixed_frame()
    first = frame.row(0, named=True)
    return _history(frame.with_columns(pl.lit(first[name]).alias(name) for name in frame.columns[1:]))


def _all_missing() -> History:
    frame = mixed_frame()
    gone = [pl.lit(None, dtype=frame.schema[name]).alias(name) for name in ("day", "goods", "price", "lat")]
    return _history(frame.with_columns(gone))


SAMPLES: dict[str, Callable[[], History]] = {
    "mixed": lambda: _history(mixed_frame()),
    "missing values": lambda: _history(mixed_frame(holes=0.3)),
    "columns without a value": _all_missing,
    "constant columns": _constant,
    "empty": lambda: _history(mixed_frame().head(0)),
    "one record": lambda: _history(mixed_frame().head(1)),
    "one subject": lambda: _history(mixed_frame().filter(pl.col("customer") == "SUBJECT-QZX-0003")),
    "two subjects": lambda: _history(mixed_frame(2)),
    "every row a subject": lambda: _history(mixed_frame().drop("customer"), Schema("row", COLUMNS)),
    "only a category": lambda: _history(mixed_frame(), Schema("customer", COLUMNS[2:3])),
    "only a number": lambda: _history(mixed_frame(), Schema("customer", COLUMNS[4:5])),
}


def sample(name: str) -> History:
    """Return one of the small histories."""
    return SAMPLES[name]()


def concat_cells(columns: Sequence[Cells]) -> Cells:
    """Return one column made of several of the same sort and dictionary, one after the other."""
    first = columns[0]
    suppressed = np.concatenate([column.suppressed for column in columns])
    if isinstance(first, RangeCells):
        ranges = [column for column in columns if isinstance(column, RangeCells)]
        return RangeCells(
            np.concatenate([column.lo for column in ranges]),
            np.concatenate([column.hi for column in ranges]),
            suppressed,
        )
    sets = [column for column in columns if isinstance(column, SetCells)]
    sizes = np.concatenate([column.sizes() for column in sets])
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return SetCells(offsets, np.concatenate([column.codes for column in sets]), suppressed, first.categories)
