"""A data set in parts is read as one table, and its survey codes every part as the whole would be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.data import Column, DataSet, History, Kind, Schema, Sums, Survey
from tokumei.errors import ContentError, SchemaError, UnreadableError

SCHEMA = Schema("who", (Column(name="paid", kind=Kind.NUMBER, step=0.5), Column(name="what")))
FRAME = pl.DataFrame(
    {"who": ["b", "a", "c", "b"], "paid": [2.5, 1.0, None, 0.5], "what": ["tea", "milk", "tea", "coffee"]}
)


def parted(folder: Path, frame: pl.DataFrame, cut: int) -> Path:
    folder.mkdir()
    frame[:cut].write_parquet(folder / "part-00000.parquet")
    frame[cut:].write_parquet(folder / "part-00001.parquet")
    return folder


def test_parts_are_one_table_in_the_order_of_their_names(tmp_path: Path) -> None:
    data_set = DataSet.open(parted(tmp_path / "data", FRAME, 3))
    assert (data_set.rows, len(data_set)) == ((3, 1), 4)
    assert data_set.scan().collect().equals(FRAME)
    batches = list(data_set.batches(["who"], rows=2))
    assert [(batch.first, batch.line, batch.frame.height) for batch in batches] == [(0, 1, 2), (2, 3, 1), (3, 1, 1)]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_survey_codes_parts_as_the_whole_is_coded(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "data"
    if ending == "parquet":
        parted(folder, FRAME, 2)
    else:
        folder.mkdir()
        FRAME[:2].write_csv(folder / "a.csv")
        FRAME[2:].write_csv(folder / "b.csv")
    data_set = DataSet.open(folder)
    survey = Survey.of(data_set, SCHEMA)
    whole = History.from_frame(FRAME, SCHEMA)
    assert survey.records == 4
    assert survey.subjects.to_list() == whole.subjects.to_list()
    assert survey.categories["what"].to_list() == ["coffee", "milk", "tea"]
    assert survey.spreads()["paid"] == pytest.approx(whole.spread("paid"), rel=1e-15)
    parts = [survey.coded(batch.history(SCHEMA)) for batch in data_set.batches()]
    assert np.concatenate([part.subject for part in parts]).tolist() == whole.subject.tolist()
    for name, codes in whole.codes.items():
        assert np.concatenate([part.codes[name] for part in parts]).tolist() == codes.tolist()


def test_rows_that_are_subjects_are_named_by_their_number(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": list(range(12))})
    schema = Schema("row", (Column(name="age", kind=Kind.NUMBER),))
    survey = Survey.of(DataSet.open(parted(tmp_path / "data", frame, 5)), schema)
    assert survey.subjects.to_list() == History.from_frame(frame, schema).subjects.to_list()


def test_sums_are_exact_however_large_the_numbers() -> None:
    values = np.array([2**40, 2**40 + 3, -(2**41), 7], dtype=np.int64)
    sums = Sums.of(values[:2]) + Sums.of(values[2:])
    exact = values.tolist()
    assert sums == Sums(4, sum(exact), sum(value * value for value in exact), min(exact), max(exact))
    assert sums.spread() == pytest.approx(float(np.std(values.astype(np.float64))))


def test_parts_with_other_columns_are_refused(tmp_path: Path) -> None:
    folder = parted(tmp_path / "data", FRAME, 2)
    FRAME[2:].with_columns(pl.col("paid").cast(pl.String)).write_parquet(folder / "part-00001.parquet")
    with pytest.raises(SchemaError, match=r"part-00001.parquet: the column 'paid' differs between the parts") as caught:
        DataSet.open(folder)
    assert "part-00000.parquet: Float64, here: String" in str(caught.value)


def test_a_part_that_disappears_or_is_damaged_is_named(tmp_path: Path) -> None:
    folder = parted(tmp_path / "data", FRAME, 2)
    data_set = DataSet.open(folder)
    (folder / "part-00001.parquet").unlink()
    with pytest.raises(UnreadableError, match=r"part-00001.parquet: this part of the data is not there any more"):
        Survey.of(data_set, SCHEMA)
    (folder / "part-00001.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(UnreadableError, match=r"part-00001.parquet: this is not a Parquet file, or it is damaged"):
        DataSet.open(folder)
    (tmp_path / "none").mkdir()
    with pytest.raises(UnreadableError, match="the folder holds no parts"):
        DataSet.open(tmp_path / "none")


def test_a_cell_that_cannot_be_used_is_told_with_its_part_and_line(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    FRAME[:2].write_csv(folder / "a.csv")
    (folder / "b.csv").write_text("who,paid,what\nc,1.0,tea\nb,much,tea\n")
    with pytest.raises(ContentError, match=r"b.csv.*line 3, column 2 \(paid\): 'much'"):
        Survey.of(DataSet.open(folder), SCHEMA)
