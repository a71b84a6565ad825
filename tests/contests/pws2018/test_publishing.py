"""Contest files out: A aligned with T, and A' as sorted bytes."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tokumei.contests.pws2018.publishing import aligned_lines, published_bytes
from tokumei.data.cells import RangeCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema


def test_records_stand_where_they_came_from_and_missing_ones_are_deleted() -> None:
    schema = Schema("who", (Column(name="units", kind=Kind.NUMBER),))
    history = History.from_frame(pl.DataFrame({"who": ["a", "b", "a"], "units": [1, 2, 3]}), schema)
    release = Release(schema, pl.Series(["p", "q", "d"]), {"units": RangeCells.of_ranges([3, 1, 7], [3, 2, 7])})
    secret = Secret(pl.DataFrame({"pseudonym": ["p", "q"], "subject": ["a", "b"]}), np.array([2, 1, -1]))
    assert aligned_lines(history, release, secret).to_list() == ["*,*", "q,[1;2]", "p,3"]


def test_deleted_rows_are_dropped_and_the_rest_sorted() -> None:
    assert published_bytes(b"9,x\r\n*,*\r\n10,y\r\n\r\n\xe3\x81\x82\n") == (b"10,y\n9,x\n\xe3\x81\x82\n", 3)
    assert published_bytes(b"") == (b"", 0)


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))))
def test_the_order_of_the_bytes_is_that_of_the_code_points(lines: list[str]) -> None:
    data, count = published_bytes("".join(line + "\n" for line in lines).encode())
    wanted = sorted(line for line in lines if line and not line.startswith("*"))
    assert data.decode() == "".join(line + "\n" for line in wanted)
    assert count == len(wanted)
