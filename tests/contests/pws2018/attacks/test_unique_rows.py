"""re-uniq: records that were published unchanged and are unique in the original."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.contests.pws2018.attacks.unique_rows import UniqueRows, link_unique_rows
from tokumei.data.columns import Column
from tokumei.data.history import History, Release
from tokumei.data.schema import Schema
from tokumei.errors import InputError

CASES = ["a01_pseudonym_only", "a02_light", "a03_mixed", "a04_goods_sets", "a05_several_pseudonyms"]
COLUMNS = ["who", "date", "goods", "price", "quantity"]
ROWS = st.lists(st.tuples(st.sampled_from("123"), st.sampled_from("ab"), st.sampled_from("xyz*")), max_size=12)


def _read(path: Path) -> pl.DataFrame:
    rows = [line.split(",") for line in path.read_text().splitlines()]
    return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")


@pytest.mark.parametrize("name", [*CASES, "a06_duplicate_rows"])
def test_golden_guesses_in_output_order(golden: Path, name: str) -> None:
    folder = golden / "pws2018" / name
    expected = json.loads((folder / "expected.json").read_text())["re_uniq"]["F1"]
    guesses = link_unique_rows(_read(folder / "T.csv"), _read(folder / "A1.csv"))
    assert [",".join(row) for row in guesses.pairs().rows()] == expected
    assert guesses.attack == "re-uniq"


@given(original=ROWS, published=ROWS)
def test_links_equal_a_plain_walk_over_the_rows(
    original: list[tuple[str, str, str]], published: list[tuple[str, str, str]]
) -> None:
    tails = [row[1:] for row in original]
    owner = {row[1:]: row[0] for row in original if tails.count(row[1:]) == 1}
    expected: dict[str, str] = {}
    for pseudonym, *cells in published:
        if tuple(cells) in owner:
            expected[pseudonym] = owner[cells[0], cells[1]]
    schema = dict.fromkeys(["subject", "pseudonym", "c"], pl.String)
    frames = [pl.DataFrame(rows, schema=schema, orient="row") for rows in (original, published)]
    assert link_unique_rows(frames[0], frames[1]).pairs().rows() == list(expected.items())


def test_part_links_canonical_text() -> None:
    schema = Schema("who", (Column(name="what"), Column(name="where")))
    frame = pl.DataFrame({"who": ["a", "b", "b"], "what": ["x", "x", "{y"], "where": ["p", "q", "q"]})
    history = History.from_frame(frame, schema)
    cells = {name: history.cells(name).take([2, 1, 0]) for name in ("what", "where")}
    cells["what"] = cells["what"].suppress([False, True, False])
    release = Release(schema, pl.Series(["7", "8", "9"]), cells)
    guesses = UniqueRows().guess(history, release, rng=np.random.default_rng(0))
    assert guesses.pairs().rows() == [("7", "b"), ("9", "a")]


def test_files_of_different_width_are_refused() -> None:
    with pytest.raises(InputError, match="the original has 2 columns and the published file 1; give both alike"):
        link_unique_rows(pl.DataFrame({"a": ["1"], "b": ["2"]}), pl.DataFrame({"a": ["1"]}))
