"""Small histories that have tripped somebody: every kind of column, missing values, constants, next to nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

import numpy as np
import polars as pl

from tokumei.contests.pws2016.shop import shop_history
from tokumei.contests.pws2021.table import COLUMNS as COLUMNS_2021
from tokumei.contests.pws2021.table import DOMAINS
from tokumei.contests.pws2021.table import SCHEMA as PWS2021_SCHEMA
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.parts import Part

__all__ = ["SAMPLES", "fitting_samples", "mixed_frame", "sample"]

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


def _shop(customers: int, records: int) -> History:
    """Return records with a table of people; some people may have no records."""
    rng = np.random.default_rng(5)
    ids = [f"SUBJECT-QZX-{number:04}" for number in rng.permutation(customers)]
    people = {
        "customer": ids,
        "sex": [("f", "m")[n] for n in rng.integers(0, 2, customers)],
        "birthday": [f"19{70 + n}/{1 + n % 12}/{1 + n}" for n in rng.integers(0, 20, customers)],
        "country": [("Japan", "Two, parts", "{x}")[n] for n in rng.integers(0, 3, customers)],
    }
    bought = {
        "customer": [ids[n] for n in rng.integers(0, max(customers, 1), records)],
        "invoice": [str(n) for n in rng.integers(500, 530, records)],
        "date": [f"2011/{1 + n % 12}/{1 + n}" for n in rng.integers(0, 28, records)],
        "time": [f"{n}:{10 + n}" for n in rng.integers(0, 24, records)],
        "goods": [("tea", "a;b", "*", "緑茶")[n] for n in rng.integers(0, 4, records)],
        "price": [f"{n / 100:g}" for n in rng.integers(1, 999, records)],
        "quantity": [str(n) for n in rng.integers(1, 9, records)],
    }
    frames = (pl.DataFrame(table, schema=dict.fromkeys(table, pl.String)) for table in (people, bought))
    return shop_history(*frames)


def _health(rows: int) -> History:
    """Return a static table of people, in which an illness depends on age and weight."""
    rng = np.random.default_rng(6)
    age, bmi = rng.integers(20, 81, rows), rng.integers(150, 500, rows) / 10
    flags = {name: rng.integers(0, 2, rows) for name in ("dep", "pir")} | dict.fromkeys(("gh", "mets"), np.zeros(rows))
    flags["dia"] = (age + bmi + rng.integers(0, 60, rows) > 130).astype(np.int64)
    for column in flags.values():
        # A single row is number 1, and must not show its number.
        column[:1] = 0
    nominal = {name: np.array(values)[rng.integers(0, len(values), rows)] for name, values in DOMAINS.items()}
    frame = pl.DataFrame({"age": age, "bmi": bmi, **flags, **nominal})
    return History.from_frame(frame.select(pl.col(name).cast(pl.String) for name in COLUMNS_2021), PWS2021_SCHEMA)


# What parts that need people, or rows, are tried on.
SHOPS: dict[str, Callable[[], History]] = {
    "a shop": lambda: _shop(12, 90),
    "people without records": lambda: _shop(6, 0),
    "one person": lambda: _shop(1, 4),
    "nobody": lambda: _shop(0, 0),
}
TABLES: dict[str, Callable[[], History]] = {
    "a table": lambda: _health(400),
    "three rows": lambda: _health(3),
    "one row": lambda: _health(1),
    "no rows": lambda: _health(0),
}


def fitting_samples(part: type[Part]) -> list[str]:
    """Return the names of the histories that have what a part needs, the usual one first."""
    return list(TABLES if "rows" in part.needs else SHOPS if "people" in part.needs else SAMPLES)


def sample(name: str) -> History:
    """Return one of the small histories."""
    return {**SAMPLES, **SHOPS, **TABLES}[name]()
