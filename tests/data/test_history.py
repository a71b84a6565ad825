"""Histories: text and typed columns become the same codes; order and offsets do not depend on the file."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tests.sample_histories import COLUMNS, SAMPLES, SCHEMA, mixed_frame, sample
from tokumei.data.cells import MISSING
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.errors import ContentError, SchemaError


def _one(kind: Kind, values: list[object], dtype: pl.DataType | type[pl.DataType], **spec: object) -> list[int]:
    """Return the codes of one column."""
    column = Column(name="x", kind=kind, **spec)  # type: ignore[arg-type]
    frame = pl.DataFrame({"who": ["a"] * len(values), "x": pl.Series(values, dtype=dtype)})
    return History.from_frame(frame, Schema("who", (column,))).codes["x"].tolist()


def test_codes_count_steps_days_and_seconds() -> None:
    assert _one(Kind.NUMBER, ["1.69", "-0.5", "3", ""], pl.String(), step=0.01) == [169, -50, 300, MISSING]
    assert _one(Kind.NUMBER, [1.69, -0.5, None], pl.Float64(), step=0.01) == [169, -50, MISSING]
    assert _one(Kind.NUMBER, [Decimal("1.69"), None], pl.Decimal(10, 2), step=0.01) == [169, MISSING]
    assert _one(Kind.NUMBER, [5, None], pl.UInt8()) == [5, MISSING]
    assert _one(Kind.DATE, ["1970-01-02", "1969-12-31", None], pl.String()) == [1, -1, MISSING]
    assert _one(Kind.DATE, [date(1970, 1, 2)], pl.Date()) == [1]
    assert _one(Kind.DATE, [datetime(1970, 1, 2, 23)], pl.Datetime("us")) == [1]
    assert _one(Kind.DATETIME, ["1970-01-01 00:01:00"], pl.String()) == [60]
    assert _one(Kind.DATETIME, [datetime(1970, 1, 1, 0, 1, 0, 999_999)], pl.Datetime("us")) == [60]
    assert _one(Kind.DATETIME, [datetime(1969, 12, 31, 23, 59, 59, 500_000)], pl.Datetime("ns")) == [-1]
    assert _one(Kind.DATETIME, [datetime(1970, 1, 1, 1, tzinfo=UTC)], pl.Datetime("ms", "UTC")) == [3600]


def test_a_time_with_a_zone_is_what_the_clock_there_shows() -> None:
    """A release has no zones: midnight in Tokyo must not become three in the afternoon of the day before."""
    midnight = [datetime(1970, 1, 2, tzinfo=ZoneInfo("Asia/Tokyo"))]
    assert _one(Kind.DATE, [*midnight], pl.Datetime("us", "Asia/Tokyo")) == [1]
    assert _one(Kind.DATETIME, [*midnight], pl.Datetime("ms", "Asia/Tokyo")) == [86_400]
    twice = [datetime(2024, 10, 27, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=fold) for fold in (0, 1)]
    assert len(set(_one(Kind.DATETIME, [*twice], pl.Datetime("us", "Europe/Berlin")))) == 1


def test_categories_are_the_sorted_texts_and_missing_ones_are_empty() -> None:
    frame = pl.DataFrame({"who": ["a", "a", "b"], "x": ["z", None, "y"]})
    history = History.from_frame(frame, Schema("who", (Column(name="x"),)))
    assert history.categories["x"].to_list() == ["", "y", "z"]
    assert history.codes["x"].tolist() == [2, 0, 1]
    typed = pl.DataFrame({"who": [1, 2], "x": [True, False]})
    assert History.from_frame(typed, Schema("who", (Column(name="x"),))).categories["x"].to_list() == ["false", "true"]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (Kind.NUMBER, ["one", "1.5", "1e30", "9" * 25, "-9223372036854775808", str(2**62), "inf", "nan", "1,5", " 1"]),
        (Kind.DATE, ["2011-02-30", "2011-2-3x", "20110203", "2011-02-03 00:00"]),
        (Kind.DATETIME, ["2011-02-03", "2011-02-03 24:00:00", "2011-02-03 1"]),
    ],
)
def test_every_cell_that_cannot_be_used_is_reported(kind: Kind, values: list[str]) -> None:
    frame = pl.DataFrame({"who": ["a"] * len(values), "x": values})
    with pytest.raises(ContentError) as raised:
        History.from_frame(frame, Schema("who", (Column(name="x", kind=kind),)), file="f", first_line=2)
    findings = raised.value.findings
    wrong = [value for value in values if value != " 1" or len(findings) == len(values)]
    assert [finding.value for finding in findings] == wrong
    assert [finding.line for finding in findings] == list(range(2, 2 + len(wrong)))
    assert {(finding.code, finding.column, finding.name) for finding in findings} == {("bad-value", 2, "x")}


def test_a_hundred_findings_are_shown_and_all_are_counted() -> None:
    frame = pl.DataFrame({"who": ["a"] * 250, "x": ["?"] * 250, "y": ["!"] * 250})
    columns = (Column(name="x", kind=Kind.NUMBER), Column(name="y", kind=Kind.DATE))
    with pytest.raises(ContentError, match=r"f, line 1, column 2 \(x\): '\?' is not a number;.*\(499 more") as raised:
        History.from_frame(frame, Schema("who", columns), file="f")
    assert len(raised.value.findings) == 100
    assert raised.value.total == 500


def test_columns_that_no_kind_describes_are_refused() -> None:
    frame = pl.DataFrame({"who": ["a"], "x": [[1]], "y": [{"z": 1}]})
    for name, held in (("x", "list"), ("y", "struct")):
        with pytest.raises(SchemaError, match=f"the column '{name}' holds {held} data, which no kind describes"):
            History.from_frame(frame, Schema("who", (Column(name=name),)))
    with pytest.raises(SchemaError, match="the column 'x' holds list data"):
        History.from_frame(frame, Schema("x", ()))


def test_typed_values_beyond_the_codes_are_reported() -> None:
    frame = pl.DataFrame({"who": ["a"] * 3, "x": pl.Series([2**64 - 1, 1, 2**62], dtype=pl.UInt64)})
    with pytest.raises(ContentError) as raised:
        History.from_frame(frame, Schema("who", (Column(name="x", kind=Kind.NUMBER),)))
    assert [finding.line for finding in raised.value.findings] == [1, 3]


@pytest.mark.parametrize("kind", list(Kind)[:4])
@pytest.mark.parametrize("dtype", [pl.Date(), pl.Datetime("ms"), pl.Datetime("us")])
def test_typed_dates_outside_the_calendar_are_reported(dtype: pl.DataType, kind: Kind) -> None:
    """Polars cannot write them as text, so that nothing may try."""
    far = 2**31 - 1 if dtype == pl.Date else 2**60
    physical = pl.Series([0, far, -far], dtype=pl.Int32 if dtype == pl.Date else pl.Int64)
    frame = pl.DataFrame({"who": ["a"] * 3, "x": physical.cast(dtype)})
    message = r"line 2, column 2 \(x\): the date lies outside the years 1 to 9999; correct it \(1 more such finding\)"
    with pytest.raises(ContentError, match=message):
        History.from_frame(frame, Schema("who", (Column(name="x", kind=kind),)))
    with pytest.raises(ContentError, match="outside the years 1 to 9999"):
        History.from_frame(frame, Schema("x", ()))


def test_every_row_can_be_a_subject() -> None:
    history = sample("every row a subject")
    assert len(history.subjects) == len(history)
    assert history.subjects.to_list() == sorted(history.subjects.to_list())
    assert history.subject.tolist() == list(range(len(history)))


@pytest.mark.parametrize("name", SAMPLES)
def test_order_and_offsets_partition_the_records(name: str) -> None:
    history = sample(name)
    assert sorted(history.order.tolist()) == list(range(len(history)))
    assert history.offsets[0] == 0
    assert history.offsets[-1] == len(history)
    assert (np.diff(history.subject[history.order]) >= 0).all()
    assert history.counts().tolist() == np.bincount(history.subject, minlength=len(history.subjects)).tolist()


@pytest.mark.half_second
@settings(max_examples=examples(15))
@given(st.integers(0, 1000))
def test_a_shuffled_file_gives_the_same_records_in_order(seed: int) -> None:
    frame = mixed_frame(6, holes=0.2)
    history = History.from_frame(frame, SCHEMA)
    other = History.from_frame(frame.sample(fraction=1.0, shuffle=True, seed=seed), SCHEMA)
    assert history.text()[history.order].equals(other.text()[other.order])


@pytest.mark.parametrize("name", SAMPLES)
def test_text_and_frame_tell_the_same_and_read_back_equal(name: str) -> None:
    history = sample(name)
    if history.schema.row_is_subject:
        return
    from_text = History.from_frame(history.text(literal=True), history.schema)
    from_typed = History.from_frame(history.frame, history.schema)
    for again in (from_text, from_typed):
        assert again.subjects.equals(history.subjects)
        for field in history.schema.fields:
            assert np.array_equal(again.codes[field.name], history.codes[field.name])


def test_taking_records_keeps_subjects_and_dictionaries() -> None:
    history = sample("mixed")
    part = history.take([3, 1])
    assert part.text().equals(history.text()[[3, 1]])
    assert part.subjects.equals(history.subjects)
    assert part.categories["goods"].equals(history.categories["goods"])


def test_the_spread_is_that_of_the_values_present() -> None:
    frame = pl.DataFrame({"who": ["a", "b", "c"], "x": ["1", "", "3"], "y": ["", "", ""]})
    columns = (Column(name="x", kind=Kind.NUMBER), Column(name="y", kind=Kind.NUMBER))
    history = History.from_frame(frame, Schema("who", columns))
    assert history.spread("x") == 1.0
    assert history.spread("y") == 0.0


def test_a_missing_value_is_published_as_missing() -> None:
    history = History.from_frame(
        pl.DataFrame({"who": ["a"], "x": [""]}), Schema("who", (Column(name="x", kind=Kind.NUMBER),))
    )
    assert history.text().rows() == [("a", "")]
    release = Release(history.schema, pl.Series(["p"]), {"x": history.cells("x")})
    assert release.text().rows() == [("p", "")]


def test_a_release_and_its_secret_are_cut_alike() -> None:
    history = sample("mixed")
    cells = {field.name: history.cells(field.name) for field in history.schema.fields}
    release = Release(history.schema, history.subjects.gather(history.subject), cells)
    secret = Secret(pl.DataFrame({"pseudonym": ["p"], "subject": ["s"]}), np.arange(len(history)), b"k", 3)
    some = [4, 0, 4]
    assert release.take(some).text().equals(release.text()[some])
    assert secret.take(some).rows.tolist() == some
    assert (secret.take(some).key, secret.take(some).seed) == (b"k", 3)


def test_a_place_is_two_fields() -> None:
    assert [field.name for field in Schema("who", COLUMNS[-1:]).fields] == ["lat", "lon"]
    assert {field.column for field in Schema("who", COLUMNS[-1:]).fields} == {"spot"}
