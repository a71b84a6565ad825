"""Columns that name people are found in all records, whatever the first ones look like, as memory finds them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.flow.parted.test_releasing import SCHEMA, plan, purchases
from tokumei.data import Column, DataSet, History, Kind, Schema, Survey
from tokumei.errors import LeakError
from tokumei.flow import Running, places_of, release_in_parts
from tokumei.flow.parted import identifying
from tokumei.flow.parted.coding import CodeJob, code_rows
from tokumei.flow.parted.identifying import Tallies
from tokumei.profiles import identifier_suspects

PEOPLE = 60


def with_column(values: list[str], name: str = "extra") -> pl.DataFrame:
    """Return purchases with one more column that has a value for every person."""
    frame = purchases(PEOPLE, seed=4)
    place = frame["who"].str.slice(1).cast(pl.Int64)
    return frame.with_columns(pl.Series(values).gather(place).alias(name))


def schema_with(name: str = "extra") -> Schema:
    return replace(SCHEMA, columns=(*SCHEMA.columns, Column(name=name)))


def tallied(frame: pl.DataFrame, schema: Schema, folder: Path, batch: int = 50) -> Tallies:
    """Write the frame in parts and count them."""
    (folder / "data").mkdir()
    for number, first in enumerate(range(0, frame.height, batch)):
        frame[first : first + batch].write_parquet(folder / "data" / f"part-{number}.parquet")
    data = DataSet.open(folder / "data")
    survey = Survey.of(data, schema)
    survey.write(folder / "survey")
    jobs = [
        CodeJob(number=number, data=data, first=first, survey=folder / "survey", folder=folder / "coded")
        for number, first in enumerate(data.batch_starts())
    ]
    for job in jobs:
        code_rows(job)
    return Tallies([job.tally for job in jobs], [job.codes for job in jobs], survey)


CATEGORIES: dict[str, tuple[list[str], str]] = {
    "copies": ([f"p{n}" for n in range(PEOPLE)], "image-copy"),
    "reversed": ([f"p{n}"[::-1] for n in range(PEOPLE)], "image-reversed"),
    "own": ([f"x{n * 7919 % 1000}" for n in range(PEOPLE)], "own-value"),
    "mails": ([f"u{n % 9}@example.org" for n in range(PEOPLE)], "form-email"),
    "title": ([f"{chr(65 + n // 8)}iko {chr(65 + n % 8)}ato" for n in range(PEOPLE)], "name"),
    "sentences": ([f"we met {n * 7919 % 1000} at the sea" for n in range(PEOPLE)], "text"),
    "shared": ([f"town {n % 5}" for n in range(PEOPLE)], ""),
    "empty": (["" for _ in range(PEOPLE)], ""),
}
NUMBERS: dict[str, tuple[list[float], float, str]] = {
    "whole": ([1000.0 + n for n in range(PEOPLE)], 1.0, "image-linear"),
    "halves": ([n * 2.0 + 3 for n in range(PEOPLE)], 0.25, "image-linear"),
    "amounts": ([n * n * 10.0 for n in range(PEOPLE)], 1.0, ""),
}


@pytest.mark.half_second
@pytest.mark.parametrize("held", [5_000_000, 40])
def test_the_counts_of_all_batches_find_what_memory_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    """Also where only some values are held at once; sampled pairs may differ then, what they show does not."""
    monkeypatch.setattr(identifying, "HELD", held)
    frame = purchases(PEOPLE, seed=4)
    place = frame["who"].str.slice(1).cast(pl.Int64)
    values: dict[str, list[str] | list[float]] = {name: some for name, (some, _) in CATEGORIES.items()}
    values |= {name: some for name, (some, _, _) in NUMBERS.items()}
    frame = frame.with_columns(pl.Series(name, some).gather(place) for name, some in values.items())
    columns = [Column(name=name) for name in CATEGORIES]
    columns += [Column(name=name, kind=Kind.NUMBER, step=step) for name, (_, step, _) in NUMBERS.items()]
    schema = replace(SCHEMA, columns=(*SCHEMA.columns, *columns))
    suspects = tuple(tallied(frame, schema, tmp_path).suspects())
    assert suspects == identifier_suspects(History.from_frame(frame, schema))
    expected = {name: why for name, (*_, why) in {**CATEGORIES, **NUMBERS}.items() if why}
    assert {one.column: one.why.code.removeprefix("identifier.") for one in suspects} == expected


def test_pairs_are_counted_where_they_decide(tmp_path: Path) -> None:
    """Every person has an id in one record and a value that two share in several others."""
    frame = purchases(PEOPLE, seed=4).with_row_index("at")
    first = pl.col("at") == pl.col("at").min().over("who")
    number = pl.col("who").str.slice(1).cast(pl.Int64)
    extra = pl.when(first).then("who").otherwise(pl.format("t{}", number // 2)).alias("extra")
    frame = frame.with_columns(extra).drop("at")
    tallies = tallied(frame, schema_with(), tmp_path)
    spread = tallies.spread(3, schema_with().fields[3])
    pairs = frame.select("who", "extra").unique()
    assert spread.pairs == pairs.height
    assert spread.lone == pairs.filter(pl.len().over("extra") == 1).height
    assert (spread.present, spread.distinct) == (PEOPLE, frame["extra"].n_unique())


@pytest.mark.half_second
def test_an_id_in_the_last_part_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    """The first part shows towns, the others ids: more than half of the people have a value of their own."""
    values = [f"town {n % 5}" if n < 12 else f"x{n * 31}" for n in range(PEOPLE)]
    frame = with_column(values).sort(pl.col("who").str.slice(1).cast(pl.Int64))
    data = tmp_path / "data"
    data.mkdir()
    for number, cut in enumerate((frame[:40], frame[40:])):
        cut.write_parquet(data / f"part-{number}.parquet")
    assert identifier_suspects(History.from_frame(frame[:40], schema_with())) == ()
    whole = replace(plan(), schema=schema_with())
    with pytest.raises(LeakError, match=r"'extra'.*allow it by name \(--allow extra\)"):
        release_in_parts(data, whole, places_of(tmp_path / "out"), Running())
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    made = release_in_parts(data, replace(whole, allow=("extra",)), places_of(tmp_path / "out"), Running())
    assert made.published.manifest["pseudonyms"] == PEOPLE


def test_a_column_that_repeats_ids_is_refused_although_it_is_allowed(tmp_path: Path) -> None:
    frame = with_column([f"p{n}" for n in range(PEOPLE)])
    kept = np.random.default_rng(1).random(frame.height) < 0.6
    frame = frame.with_columns(pl.when(pl.Series(kept)).then("extra").otherwise(pl.lit("other")).alias("extra"))
    data = tmp_path / "data.parquet"
    frame.write_parquet(data)
    whole = replace(plan(), schema=schema_with(), allow=("extra",))
    message = f"the column 'extra' repeats the subject id in {int(kept.sum())} of {frame.height} records"
    with pytest.raises(LeakError, match=message):
        release_in_parts(data, whole, places_of(tmp_path / "out"), Running())
