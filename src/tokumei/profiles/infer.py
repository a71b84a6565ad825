"""A schema from the data alone: the kind of every column, pairs of coordinates, and whose history a record is.

What is inferred is a proposal: `describe` writes it as TOML, and a person corrects it.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from tokumei.data import ROW_SUBJECT, Column, Kind, Schema, refuse_patterns
from tokumei.errors import SchemaError, did_you_mean
from tokumei.profiles.infer_kinds import infer_column, name_tokens

# Words that name a person, the plainest first.
_PERSON_WORDS = ("subject", "pseudonym", "person", "customer", "user", "member", "patient", "client", "cardholder")
_PERSON_NAMES = ("id", "uid", "pid")
_PERSON_SIGNS = ("顧客", "会員", "利用者", "患者", "仮名")
_LATITUDES = frozenset(("lat", "latitude", "緯度"))
_LONGITUDES = frozenset(("lon", "lng", "long", "longitude", "経度"))
# Below so few rows a column that repeats is taken for the subject however often it repeats.
_SMALL_TABLE = 100


def infer_schema(frame: pl.DataFrame, *, subject: str | None = None) -> Schema:
    """Return the schema that describes this table of text or typed columns best.

    The subject is the named one; else the column named after a person (customer, user, patient, id ...); else the
    first column that repeats, dates aside, if it has many values (their square reaches the number of rows), or a
    column of keys before it; else every row is a person of its own (``row``).

    >>> frame = pl.DataFrame({"user": ["a", "b"], "day": ["2011/2/17", "2011/2/8"], "lat": [1.5, 1.25], "lon": [1, 2]})
    >>> print(infer_schema(frame).to_toml())
    subject = "user"
    <BLANKLINE>
    [columns]
    "day" = { kind = "date", format = "%Y/%-m/%-d" }
    "position" = { kind = "place", step = 0.01, latitude = "lat", longitude = "lon" }
    <BLANKLINE>
    """
    if subject is not None and subject != ROW_SUBJECT and subject not in frame.columns:
        hint = did_you_mean(subject, frame.columns)
        message = f"there is no column '{subject}'{hint} to be the subject; the data has {', '.join(frame.columns)}"
        raise SchemaError(message)
    refuse_patterns(frame.columns)
    named = subject or _named_subject(frame.columns)
    columns = {name: infer_column(frame[name]) for name in frame.columns if name != named}
    chosen = named or _repeating_subject(frame, columns.values())
    columns.pop(chosen, None)
    if chosen == ROW_SUBJECT and ROW_SUBJECT in frame.columns:
        columns[ROW_SUBJECT] = Column(name=ROW_SUBJECT, drop=True)
    return Schema(chosen, _with_places(columns))


def _named_subject(names: Iterable[str]) -> str | None:
    """Return the column whose name says that it is a person."""
    words = {name: name_tokens(name) for name in names}
    for person in _PERSON_WORDS:
        for name, parts in words.items():
            if person in parts or person + "s" in parts:
                return name
    for name in words:
        if name.lower() in _PERSON_NAMES or any(sign in name for sign in _PERSON_SIGNS):
            return name
    return None


def _repeating_subject(frame: pl.DataFrame, columns: Iterable[Column]) -> str:
    """Return the first column that repeats and can be an identifier, or a key before it, or ``row``."""
    key = ROW_SUBJECT
    for column in columns:
        if column.drop or column.kind in (Kind.DATE, Kind.DATETIME):
            continue
        distinct = frame[column.name].n_unique()
        if distinct == frame.height:
            key = column.name if key == ROW_SUBJECT and _key_like(frame[column.name], column) else key
            continue
        fine = column.kind is Kind.NUMBER and column.step < 1.0
        many = distinct**2 >= frame.height or frame.height < _SMALL_TABLE
        return column.name if key == ROW_SUBJECT and many and distinct > 1 and not fine else key
    return ROW_SUBJECT


def _key_like(values: pl.Series, column: Column) -> bool:
    """Return whether values that never repeat look like keys: text, or whole numbers of one length or without gaps."""
    if column.kind is not Kind.NUMBER:
        return True
    if column.step < 1.0:
        return False
    numbers = values.cast(pl.Float64, strict=False).drop_nulls()
    lengths = values.cast(pl.String).str.len_chars()
    gapless = bool(len(numbers)) and float(numbers.max()) - float(numbers.min()) == len(numbers) - 1  # type: ignore[arg-type]
    return gapless or lengths.n_unique() == 1


def _with_places(columns: dict[str, Column]) -> tuple[Column, ...]:
    """Return the columns with every latitude and its longitude joined into one place."""
    latitudes, longitudes = _coordinates(columns, _LATITUDES), _coordinates(columns, _LONGITUDES)
    joined = dict(columns)
    for stem in [stem for stem in latitudes if stem in longitudes]:
        latitude, longitude = latitudes[stem], longitudes[stem]
        names = [stem, f"{stem}_position"] if stem else ["position", "place"]
        name = next(text for text in [*names, f"{latitude}_{longitude}"] if text not in columns)
        step = min(columns[latitude].step, columns[longitude].step)
        place = Column(name=name, kind=Kind.PLACE, step=step, latitude=latitude, longitude=longitude)
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
