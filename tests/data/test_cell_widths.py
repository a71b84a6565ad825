"""Shares of exact, generalized and suppressed cells, counted by hand."""

from __future__ import annotations

import polars as pl
import pytest

from tokumei.data.cell_widths import cell_shares
from tokumei.data.cells import RangeCells, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release
from tokumei.data.release_facts import ReleaseFacts
from tokumei.data.schema import Schema
from tokumei.data.summary import public_summary
from tokumei.metrics.distributions import column_distributions

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


def test_a_missing_cell_says_no_value_exactly() -> None:
    """The command line said 21.9 % exact of a column of which the report said 0.0 %; summary.md keeps its bytes."""
    numbers = RangeCells.of_ranges([1, 0, 0, 4], [3, 0, 0, 4], missing=[False, True, True, False])
    words = SetCells.of_sets([["a", ""], [""], ["a"], [""]], pl.Series(["", "a"]))
    assert (numbers.missing.tolist(), words.missing.tolist()) == (
        [False, True, True, False],
        [False, True, False, True],
    )
    schema = Schema("who", (Column(name="n", kind=Kind.NUMBER), Column(name="s")))
    release = Release(schema, pl.Series(["w", "x", "y", "z"]), {"n": numbers, "s": words})
    facts = ReleaseFacts.of(release)
    assert [(one.exact, one.generalized, one.suppressed, one.plain) for one in cell_shares(facts)] == [
        (0.25, 0.25, 0.0, 0.75)
    ] * 2
    assert [one.exact for one in cell_shares(facts + facts)] == [0.25, 0.25]
    assert public_summary(facts, parameters={}, about="", verdict=None).count("| 75.0 % | 25.0 % |") == 2
    history = History.from_frame(
        pl.DataFrame({"who": list("wxyz"), "n": [1, None, None, 4], "s": ["a", "", "a", ""]}), schema
    )
    assert column_distributions(history, release).tables["columns"]["exact"].to_list() == [0.25, 0.25]


def test_an_empty_release_has_no_shares() -> None:
    release = Release(
        Schema("who", (Column(name="n", kind=Kind.NUMBER),)),
        pl.Series([], dtype=pl.String),
        {"n": RangeCells.of_values([])},
    )
    (one,) = cell_shares(ReleaseFacts.of(release))
    assert (one.exact, one.generalized, one.suppressed, one.typical) == (0.0, 0.0, 0.0, "")
