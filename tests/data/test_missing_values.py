"""A value that is missing in the original is published as such, apart from one that is withheld."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tokumei
from tokumei.attacks.matching.record_fit import fit_index
from tokumei.data import MISSING, Column, Field, History, Kind, RangeCells, Release, Schema
from tokumei.data.cell_text import cell_text
from tokumei.data.written_cells import read_cells

WEIGHT = Field("weight", Kind.NUMBER)
VISITS = pl.DataFrame(
    {"patient": ["a", "b", "c", "d", "a", "b"], "day": [1, 1, 5, 5, 9, 9], "weight": [None, None, 60, 62, 70, None]}
)
SCHEMA = Schema("patient", (Column(name="day", kind=Kind.NUMBER), Column(name="weight", kind=Kind.NUMBER)))


def test_a_group_without_any_value_is_missing_and_one_with_some_is_withheld() -> None:
    cells = RangeCells.of_values([MISSING, MISSING, 3, MISSING, 4, 7]).hull_of_groups([0, 2, 4])
    assert cell_text(cells, WEIGHT).to_list() == ["", "*", "[4;7]"]
    assert cells.missing.tolist() == [True, False, False]
    assert cells.withheld.tolist() == [False, True, False]
    assert cells.contains([MISSING, MISSING, 5]).tolist() == [True, True, True]
    assert cells.contains([0, 0, MISSING]).tolist() == [False, True, False], "only what is withheld may be anything"
    assert cell_text(cells.suppress([True, False, False]), WEIGHT).to_list() == ["*", "*", "[4;7]"]


@pytest.mark.parametrize("times", [1, 4])
def test_empty_text_is_a_missing_number_except_in_contest_files(times: int) -> None:
    text = pl.Series(["", "*", "[1;2]", "5"] * times)
    back = read_cells(text, WEIGHT).to_cells(WEIGHT)
    assert isinstance(back, RangeCells)
    assert back.missing.tolist() == [True, False, False, False] * times
    assert cell_text(back, WEIGHT).to_list() == text.to_list()
    assert read_cells(text, WEIGHT, literal=True).fault.astype(bool).tolist() == [True, False, False, False] * times


@pytest.mark.parametrize("data_format", ["csv", "parquet"])
def test_both_signs_survive_the_release_folder(tmp_path: Path, data_format: str) -> None:
    made = tokumei.anonymize(VISITS, schema=SCHEMA, k=2, data_format=data_format, audit=False)
    made.write(tmp_path / "out")
    text = tokumei.read_release(tmp_path / "out", values="text")
    assert sorted(text["weight"].to_list()) == ["", "", "*", "*", "[60;62]", "[60;62]"]
    frame = tokumei.read_release(tmp_path / "out")
    assert frame["weight_missing"].sum() == 2
    assert frame.filter("weight_missing")["weight_low"].null_count() == 2
    assert tokumei.audit(VISITS, made, quick=True).verdict.outcome.value == "safe"


def test_whoever_has_a_value_does_not_fit_a_missing_cell() -> None:
    history = History.from_frame(VISITS, SCHEMA)
    day = RangeCells.of_ranges([0], [0], suppressed=[True])
    weight = RangeCells.of_values([MISSING])
    release = Release(history.schema, pl.Series(["1"]), {"day": day, "weight": weight})
    index = fit_index(history, release)
    fits = [bool(index.lo[0, 1] <= code <= index.hi[0, 1]) for code in np.unique(history.codes["weight"])]
    assert fits == [True, False, False, False]
