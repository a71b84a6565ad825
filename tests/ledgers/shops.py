"""A small shop that people join and leave, and whose customers buy more from release to release."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

# Days after which a release is made, who is there first, and who leaves.
TIMES = (150, 220, 300)
PEOPLE = (range(21), [*range(27)], [*range(33)])
GONE = (frozenset[int](), frozenset({4, 11}), frozenset({4, 11, 22}))


def shop(people: Iterable[int], until: int) -> pl.DataFrame:
    """Return what these customers bought before a day; the same customer always bought the same."""
    rows = []
    for number in people:
        rng = np.random.default_rng(1000 + number)
        bought = [(int(rng.integers(0, 300)), int(rng.zipf(1.5)) % 12, int(rng.integers(1, 50))) for _ in range(6)]
        # Everybody is there from the beginning.
        bought[0] = (int(rng.integers(0, TIMES[0])), *bought[0][1:])
        day = np.datetime64("2021-01-01")
        rows += [(f"c{number:03}", str(day + when), f"g{goods}", paid) for when, goods, paid in bought if when < until]
    return pl.DataFrame(rows, schema=["who", "day", "goods", "price"], orient="row")


def growing_shop() -> list[pl.DataFrame]:
    """Return the data of three releases: people join and leave, records are added."""
    return [
        shop([number for number in people if number not in gone], until)
        for people, gone, until in zip(PEOPLE, GONE, TIMES, strict=True)
    ]
