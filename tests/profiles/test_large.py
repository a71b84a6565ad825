"""Data that is not held is described as data in memory is; what was asked of some people is told as such."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.sample_histories import mixed_frame
from tokumei.data import memory_limit
from tokumei.errors import InputError, SchemaError
from tokumei.profiles import describe_data, read_history, some_people
from tokumei.profiles import large as large_data

pytestmark = pytest.mark.half_second

# Gigabytes that hold 55 records.
LITTLE = 0.3001


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder of parts with dates, places, numbers, categories and holes."""
    frame = mixed_frame(40, seed=8, holes=0.1)
    for number, begin in enumerate(range(0, frame.height, 50)):
        frame[begin : begin + 50].write_parquet(tmp_path / f"part-{number:05d}.parquet")
    return tmp_path


def test_counts_and_risks_are_those_of_the_data_in_memory(data: Path) -> None:
    held = describe_data(data)
    with memory_limit(LITTLE):
        streamed = describe_data(data)
    assert (held.large, streamed.large) == (False, True)
    assert streamed.sample.schema == held.sample.schema
    assert streamed.profile.as_dict() == held.profile.as_dict()
    assert streamed.risk.facts == held.risk.facts
    assert streamed.risk.columns == held.risk.columns
    # Everybody is in the sample: what is asked of it is exact too.
    assert streamed.risk.pairs == held.risk.pairs
    assert streamed.risk.most_telling_record == held.risk.most_telling_record
    for number, share in streamed.risk.known.items():
        assert share.interval is not None
        assert share.interval.low <= held.risk.known[number].value <= share.interval.high
    assert held.sampled() == []
    assert "for 40 of 40 people drawn at random" in str(streamed.sampled()[0])


def test_a_sample_stands_for_all(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_data.describe_large, "__kwdefaults__", {"subject": None, "people": 7})
    with memory_limit(LITTLE):
        described = describe_data(data)
    assert (len(described.sample.subjects), described.profile.subjects) == (7, 40)


def test_all_records_of_some_people_are_read(data: Path) -> None:
    whole = read_history(data)
    some, people = some_people(data, people=5)
    assert (people, len(some.subjects)) == (40, 5)
    mine = whole.text().filter(pl.col(whole.schema.subject).is_in(some.subjects.implode()))
    assert some.text().equals(mine)


def test_parts_that_do_not_belong_together(data: Path) -> None:
    (data / "part-00001.parquet").rename(data / "part-00099.parquet")
    with pytest.raises(InputError, match="the part number 1 is not there; restore it"):
        describe_data(data)
    (data / "part-00099.parquet").rename(data / "part-00001.parquet")
    part = pl.read_parquet(data / "part-00001.parquet")
    part.rename({part.columns[1]: "other"}).write_parquet(data / "part-00001.parquet")
    with pytest.raises(SchemaError, match=r"part-00001\.parquet: the column .* differs between the parts"):
        describe_data(data)
