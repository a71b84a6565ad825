"""Shares of exact, generalized and suppressed cells, counted by hand."""

from __future__ import annotations

import polars as pl
import pytest

from tokumei.data.cell_widths import cell_shares
from tokumei.data.cells import RangeCells, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import Release
from tokumei.data.release_facts import ReleaseFacts
from tokumei.data.schema import Schema

KINDS = {
    "day": (Column(name="day", kind=Kind.DATE), "5 days"),
    "hour": (Column(name="hour", kind=Kind.DATETIME), "4 seconds"),
    "price": (Column(name="price", kind=Kind.NUMBER, step=0.5), "±1"),
}


@pytest.mark.parametrize("name", KINDS)
def test_ranges_are_counted_and_their_width_is_told(name: str) -> None:
    column, typical = KINDS[name]
    cells = RangeCells.of_ranges([0, 2, 1, 0], [0, 6, 5, 0], suppressed=[False, False, False, True])
    release = Release(Schema("who", (column,)), pl.Series(["a", "b", "c", "d"]), {name: cells})
    (one,) = cell_shares(ReleaseFacts.of(release))
    assert (one.name, one.exact, one.generalized, one.suppressed, one.typical) == (name, 0.25, 0.5, 0.25, typical)


def test_long_times_have_large_units_and_sets_their_size() -> None:
    times = RangeCells.of_ranges([0, 0], [7200, 10800])
    sets = SetCells.of_sets([["a", "b", "c"], ["a"]], pl.Series(["a", "b", "c"]))
    schema = Schema("who", (Column(name="t", kind=Kind.DATETIME), Column(name="s")))
    shares = cell_shares(ReleaseFacts.of(Release(schema, pl.Series(["x", "y"]), {"t": times, "s": sets})))
    assert [one.typical for one in shares] == ["2.5 hours", "3 values"]
    assert [one.exact for one in shares] == [0.0, 0.5]


def test_an_empty_release_has_no_shares() -> None:
    release = Release(
        Schema("who", (Column(name="n", kind=Kind.NUMBER),)),
        pl.Series([], dtype=pl.String),
        {"n": RangeCells.of_values([])},
    )
    (one,) = cell_shares(ReleaseFacts.of(release))
    assert (one.exact, one.generalized, one.suppressed, one.typical) == (0.0, 0.0, 0.0, "")
