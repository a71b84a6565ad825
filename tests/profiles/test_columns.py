"""The profile of raw data against counting by hand."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import polars as pl
import pytest

from tests.sample_histories import SAMPLES, mixed_frame, sample
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.profiles.columns import profile


def test_a_small_table_is_described_by_hand() -> None:
    frame = pl.DataFrame(
        {
            "who": ["a", "a", "b", "c"],
            "day": ["2011-01-02", "2011-01-01", "2011-01-01", ""],
            "item": ["tea", "tea", "cake", ""],
        }
    )
    schema = Schema("who", (Column(name="day", kind=Kind.DATE), Column(name="item")))
    found = profile(History.from_frame(frame, schema))
    assert (found.records, found.subjects) == (4, 3)
    assert found.records_per_subject == {"min": 1, "25 %": 1, "median": 1, "75 %": 1.5, "95 %": 1.9, "max": 2}
    day, item = found.columns
    assert (day.kind, day.distinct, day.missing, day.lowest, day.highest) == ("date", 2, 1, "2011-01-01", "2011-01-02")
    assert (item.kind, item.missing, item.distinct, item.lowest, item.highest) == ("category", 1, 2, "", "")
    assert found.singled_out == {
        "number of records": pytest.approx(1 / 3),
        "one whole record": 1.0,
        "one value of day": pytest.approx(2 / 3),
        "one value of item": 1.0,
    }


@pytest.mark.parametrize("holes", [0.0, 0.4])
def test_shares_singled_out_are_those_of_counting(holes: float) -> None:
    history = sample("mixed") if not holes else sample("missing values")
    rows = history.text().rows()
    found = profile(history).singled_out
    for position, field in enumerate(history.schema.fields, start=1):
        holders: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            holders[row[position]].add(row[0])
        alone = {next(iter(who)) for who in holders.values() if len(who) == 1}
        assert found[f"one value of {field.name}"] == pytest.approx(len(alone) / len(history.subjects))
    counts = Counter(row[0] for row in rows)
    sizes = Counter(counts.values())
    assert found["number of records"] == pytest.approx(sum(sizes[n] == 1 for n in counts.values()) / len(counts))


@pytest.mark.parametrize("name", SAMPLES)
def test_any_history_has_a_profile_that_json_can_hold(name: str) -> None:
    history = sample(name)
    found = profile(history)
    assert found.records == len(history)
    assert len(found.columns) == len(history.schema.fields)
    json.dumps(found.as_dict(), allow_nan=False)
    assert all(0 <= share <= 1 for share in found.singled_out.values())


def test_a_profile_does_not_depend_on_the_order_of_the_rows() -> None:
    frame = mixed_frame(holes=0.2)
    schema = sample("mixed").schema
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=2)
    assert profile(History.from_frame(frame, schema)) == profile(History.from_frame(shuffled, schema))
