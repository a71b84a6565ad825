"""Unicity with four known records beside what was published of other data."""

from __future__ import annotations

import polars as pl

from tokumei.data import Column, History, Schema
from tokumei.profiles import unicity


def test_who_has_four_records_that_nobody_else_has_together_is_singled_out() -> None:
    """A and b share all four records of b; c has one of its own: two of three are singled out."""
    rows = [("a", goods) for goods in "vwxyz"] + [("b", goods) for goods in "vwxy"] + [("c", goods) for goods in "vwxq"]
    frame = pl.DataFrame(rows, schema=["who", "goods"], orient="row")
    score = unicity(History.from_frame(frame, Schema("who", (Column(name="goods"),))))
    # Of the five sets of four that a has, four hold z.
    assert score.value == (4 / 5 + 0 + 1) / 3
    assert score.parts == {"mobile": 0.95, "cards": 0.90}
