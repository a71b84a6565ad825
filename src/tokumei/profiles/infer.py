"""A schema from the data alone: the kind of every column, pairs of coordinates, and whose history a record is.

What is inferred is a proposal: `describe` writes it as TOML, and a person corrects it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from tokumei.data import ROW_SUBJECT, Column, Kind, Schema, refuse_patterns, without_words
from tokumei.errors import SchemaError, did_you_mean
from tokumei.profiles.infer_kinds import infer_column, name_tokens
from tokumei.profiles.missing_words import missing_words
from tokumei.profiles.subjects import Proposal, propose_subject
from tokumei.words import Message

_LATITUDES = frozenset(("lat", "latitude", "緯度"))
_LONGITUDES = frozenset(("lon", "lng", "long", "longitude", "経度"))


# One column, several that name a person together, or nobody said it.
Subject = str | Sequence[str] | None
_TIME = r"^[+-]?\d{1,4}:[0-5]\d(:[0-5]\d(\.\d+)?)?$"
# So large a share of the distinct values of a category must be times for it to be told.
_MOST = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred:
    """A schema from the data alone, who it takes the records to be of, and what a person should know of it."""

    schema: Schema
    proposal: Proposal | None
    notes: tuple[Message, ...] = ()


def infer_schema(frame: pl.DataFrame, *, subject: Subject = None) -> Schema:
    """Return the schema that describes this table of text or typed columns best.

    The subject is the named one (several columns name a person together), else that of `propose_subject`.

    >>> frame = pl.DataFrame({"user": ["a", "b"], "day": ["2011/2/17", "2011/2/8"], "lat": [1.5, 1.25], "lon": [1, 2]})
    >>> print(infer_schema(frame).to_toml())
    subject = "user"
    <BLANKLINE>
    [columns]
    "day" = { kind = "date", format = "%Y/%-m/%-d" }
    "position" = { kind = "place", step = 0.01, latitude = "lat", longitude = "lon" }
    <BLANKLINE>
    """
    return propose_schema(frame, subject=subject).schema


def propose_schema(frame: pl.DataFrame, *, subject: Subject = None) -> Inferred:
    """Return what `infer_schema` does, with the proposal and its rivals where no subject is named, and notes."""
    parts = subject_columns(subject, frame.columns)
    refuse_patterns(frame.columns)
    frame = frame.with_columns(pl.col(pl.String).str.strip_chars())
    missing = missing_words(frame)
    frame = frame.with_columns(without_words(pl.col(pl.String), missing))
    columns = {name: infer_column(frame[name]) for name in frame.columns if name not in parts}
    proposal = None if parts else propose_subject(frame, columns)
    chosen = " + ".join(parts) if proposal is None else proposal.subject
    columns.pop(chosen, None)
    if chosen == ROW_SUBJECT and ROW_SUBJECT in frame.columns:
        columns[ROW_SUBJECT] = Column(name=ROW_SUBJECT, drop=True)
    schema = Schema(chosen, _with_places(columns), parts if len(parts) > 1 else (), missing)
    return Inferred(schema=schema, proposal=proposal, notes=tuple(_notes(frame, schema)))


def subject_columns(subject: Subject, present: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are named as the subject: one, or several with a plus between them; none if none is.

    Raises SchemaError if one of them is not there.
    """
    if subject is None:
        return ()
    whole = isinstance(subject, str) and (subject == ROW_SUBJECT or subject in present)
    parts = [subject] if whole else subject.split("+") if isinstance(subject, str) else list(subject)
    names = tuple(str(part).strip() for part in parts)
    for name in names:
        if name != ROW_SUBJECT and name not in present:
            hint = did_you_mean(name, present)
            message = f"there is no column '{name}'{hint} to be the subject; the data has {', '.join(present)}"
            raise SchemaError(message)
    return names


def _notes(frame: pl.DataFrame, schema: Schema) -> Iterator[Message]:
    """Yield what the schema leaves out or reads in one of several ways."""
    for column in schema.columns:
        if column.drop and column.name in frame.columns and column.name != ROW_SUBJECT:
            kind = str(frame[column.name].dtype.base_type()).lower()
            yield Message("reading.dropped", {"column": column.name, "type": kind})
        elif column.decimal:
            yield Message("reading.decimal", {"column": column.name})
        elif "%y" in column.format:
            yield Message("reading.short-year", {"column": column.name, "format": column.format})
        elif column.format.startswith("%s"):
            yield Message("reading.epoch", {"column": column.name})
        elif column.kind is Kind.CATEGORY and not column.drop and _are_times(frame[column.name]):
            yield Message("reading.times", {"column": column.name})
    if schema.missing:
        yield Message("reading.missing", {"words": schema.missing})


def _are_times(values: pl.Series) -> bool:
    """Return whether nearly all values of a category are times of the day or durations, such as 10:05:00."""
    if values.dtype != pl.String:
        return values.dtype == pl.Time
    distinct = values.drop_nulls().unique()
    distinct = distinct.filter(distinct != "")
    return len(distinct) > 0 and int(distinct.str.contains(_TIME).sum()) >= _MOST * len(distinct)


def _with_places(columns: dict[str, Column]) -> tuple[Column, ...]:
    """Return the columns with every latitude and its longitude joined into one place."""
    latitudes, longitudes = _coordinates(columns, _LATITUDES), _coordinates(columns, _LONGITUDES)
    joined = dict(columns)
    for stem in [stem for stem in latitudes if stem in longitudes]:
        latitude, longitude = latitudes[stem], longitudes[stem]
        names = [stem, f"{stem}_position"] if stem else ["position", "place"]
        name = next(text for text in [*names, f"{latitude}_{longitude}"] if text not in columns)
        step = min(columns[latitude].step, columns[longitude].step)
        decimal = columns[latitude].decimal or columns[longitude].decimal
        place = Column(name=name, kind=Kind.PLACE, step=step, latitude=latitude, longitude=longitude, decimal=decimal)
        joined = {key: place if key == latitude else column for key, column in joined.items() if key != longitude}
    return tuple(joined.values())


def _coordinates(columns: dict[str, Column], words: frozenset[str]) -> dict[str, str]:
    """Return the number columns that carry one of these words, by the rest of their name."""
    found = {}
    for name, column in columns.items():
        parts = name_tokens(name)
        if column.kind is Kind.NUMBER and words & set(parts):
            found["_".join(part for part in parts if part not in words)] = name
    return found
