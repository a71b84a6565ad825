"""Relative times: counted from the first record of a person, generalized and audited like any number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.audits import AuditSettings
from tokumei.data import MISSING, History, Kind, Schema
from tokumei.errors import SchemaError
from tokumei.flow import audit, open_release, plan_of, release
from tokumei.metrics import measure_usefulness
from tokumei.profiles import read_history

TOML = 'subject = "who"\n\n[columns]\n"day" = { kind = "date", format = "%Y-%m-%d", relative = true }\n'
FRAME = pl.DataFrame(
    {
        "who": ["a", "b", "a", "b", "a", "c"],
        "day": ["2026-03-05", "2020-01-31", "2026-03-01", "2020-02-02", None, "1999-12-31"],
    }
)


def test_days_are_counted_from_the_first_of_the_same_person() -> None:
    """The calendar goes, intervals stay, and what is missing stays missing."""
    history = History.from_frame(FRAME, Schema.from_toml(TOML))
    assert history.codes["day"].tolist() == [4, 0, 0, 2, MISSING, 0]
    field = history.schema.field("day")
    assert (field.kind, field.source.kind, field.relative) == (Kind.NUMBER, Kind.DATE, True)


def test_times_and_numbers_are_counted_in_their_own_steps() -> None:
    """Seconds for times, steps for numbers."""
    frame = pl.DataFrame(
        {"who": ["a", "a"], "at": ["2026-03-01 10:00:00", "2026-03-01 11:30:00"], "km": ["12.5", "10.0"]}
    )
    toml = 'subject = "who"\n[columns]\nat = { kind = "datetime", relative = true }\n'
    schema = Schema.from_toml(toml + 'km = { kind = "number", step = 0.5, relative = true }\n')
    history = History.from_frame(frame, schema)
    assert history.codes["at"].tolist() == [0, 5400]
    assert history.codes["km"].tolist() == [5, 0]


def test_a_schema_says_so_and_refuses_what_cannot_be() -> None:
    """The key survives a round trip; categories, kept columns, rows as people and parts are refused with a remedy."""
    assert Schema.from_toml(TOML).to_toml() == TOML
    for spec in ('kind = "category", relative = true', 'kind = "date", relative = true, keep = true'):
        with pytest.raises(SchemaError, match="can be counted from the first record of its person; leave out"):
            Schema.from_toml(f'subject = "who"\n[columns]\nday = {{ {spec} }}\n')
    with pytest.raises(SchemaError, match="every row is a person of its own; leave 'relative' out"):
        Schema.from_toml(TOML.replace('"who"', '"row"'))
    with pytest.raises(SchemaError, match="data that is read in parts does not show; give more --memory"):
        Schema.from_toml(TOML).check_whole()


def test_a_release_of_relative_times_is_read_back_and_audited(tmp_path: Path) -> None:
    """People who do the same at other times are published exactly, and the proof holds for them."""
    days = np.array([0, 7, 30])
    rows = [
        {"who": f"p{who}", "day": np.datetime64("2020-01-01") + int(100 * who + day)}
        for who in range(6)
        for day in days
    ]
    frame = pl.DataFrame({name: [str(row[name]) for row in rows] for name in ("who", "day")})
    frame.write_csv(tmp_path / "visits.csv")
    history = read_history(tmp_path / "visits.csv", Schema.from_toml(TOML))
    made = release(history, plan_of("k-anonymity", k=3), threads=1, audit=False)
    assert made.utility.value == 0.0
    made.write(tmp_path / "release")
    assert set(pl.read_csv(tmp_path / "release" / "data.csv")["day"].to_list()) == {0, 7, 30}
    opened = open_release(tmp_path / "visits.csv", tmp_path / "release", secret=tmp_path / "release.secret")
    assert opened.history.schema.field("day").relative
    assert audit(opened, AuditSettings(quick=True)).verdict.outcome == "safe"
    assert {use.unit for use in measure_usefulness(opened.history, opened.release).columns} == {"days"}


def test_dates_can_be_shifted_so_that_everybody_begins_on_one_day(tmp_path: Path) -> None:
    """Dates stay dates, intervals stay, the calendar goes; the original is shifted in the same way for the audit."""
    toml = TOML.replace("relative = true", 'relative = "2000-01-01"')
    schema = Schema.from_toml(toml)
    assert schema.to_toml() == toml
    history = History.from_frame(FRAME, schema)
    assert history.text()["day"].to_list() == ["2000-01-05", "2000-01-01", "2000-01-01", "2000-01-03", "", "2000-01-01"]
    frame = pl.DataFrame({"who": ["a", "b", "a", "b"], "day": ["2026-03-05", "2020-01-05", "2026-03-01", "2020-01-01"]})
    frame.write_csv(tmp_path / "t.csv")
    made = release(read_history(frame, schema), plan_of("k-anonymity", {"k": 2}))
    made.write(tmp_path / "out")
    assert sorted(made.data["day"].to_list()) == ["2000-01-01", "2000-01-01", "2000-01-05", "2000-01-05"]
    opened = open_release(tmp_path / "t.csv", tmp_path / "out", secret=tmp_path / "out.secret")
    assert audit(opened, AuditSettings(quick=True)).verdict.outcome == "safe"


@pytest.mark.parametrize("spec", ['kind = "number", relative = "2000-01-01"', 'kind = "date", relative = "soon"'])
def test_only_dates_are_shifted_and_only_to_a_day(spec: str) -> None:
    with pytest.raises(SchemaError, match='write relative = "2000-01-01" for a date, else relative = true'):
        Schema.from_toml(f'subject = "who"\n[columns]\nday = {{ {spec} }}\n')
