"""Small tables of one row per person and small trajectories, and releases of them by any method."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.flow import plan_of, release
from tokumei.flow.making import Made
from tokumei.parts import Method, find_part, make_part

__all__ = ["made", "method", "table", "walks"]

TABLE = Schema("row", (Column(name="age", kind=Kind.NUMBER), Column(name="job"), Column(name="town")))


def table(people: int = 90, *, seed: int = 4) -> History:
    """Return a table with one row per person, most of them unique."""
    rng = np.random.default_rng(seed)
    jobs, towns = [f"job {n}" for n in range(12)], [f"town {n}" for n in range(8)]
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 80, people),
            "job": [jobs[n] for n in np.minimum(rng.geometric(0.25, people) - 1, 11)],
            "town": [towns[n] for n in np.minimum(rng.geometric(0.3, people) - 1, 7)],
        }
    )
    return History.from_frame(frame, TABLE)


def walks(people: int = 60, *, slots: int = 4, seed: int = 2) -> History:
    """Return trajectories: one place per hour around a home, for most hours."""
    rng = np.random.default_rng(seed)
    home = rng.random((people, 2)) * 0.5
    who, slot = np.nonzero(rng.random((people, slots)) < 0.8)
    place = home[who] + rng.normal(0, 0.02, (len(who), 2))
    frame = pl.DataFrame(
        {
            "who": [f"p{n:03}" for n in who],
            "at": pl.Series(slot * 3600_000, dtype=pl.Int64).cast(pl.Datetime("ms")),
            "lat": np.round(35 + place[:, 0], 3),
            "lon": np.round(139 + place[:, 1], 3),
        }
    )
    columns = (
        Column(name="at", kind=Kind.DATETIME),
        Column(name="spot", kind=Kind.PLACE, step=0.001, latitude="lat", longitude="lon"),
    )
    return History.from_frame(frame, Schema("who", columns))


def method(name: str, **settings: Any) -> Method:
    part: Method = make_part(find_part("anonymizer", name), settings)
    return part


def made(history: History, name: str, seed: int = 11, **settings: Any) -> Made:
    return release(history, plan_of(name, settings, seed=seed), audit=False)
