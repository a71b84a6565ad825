"""Several tables of the same people as one: a small file names the table of people and those of their records.

    subject = "patient"             # the column that all tables share
    people  = "master.csv"          # one row per person; may be left out

    [tables]
    visits = "visits.csv"           # as many rows per person as there are
    labs   = "labs.xlsx#2024"

Everybody's history is all rows of all tables; a column ``table`` says where a row stands, and what its table does not
have is missing there. So the row of a person in the table of people is a record of the history like any other: it is
grouped, published, attacked and measured together with the rest, and nobody can be told by two tables together who
cannot be told by the whole. Names of files are relative to the file that names them.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tokumei.errors import SchemaError, UnreadableError

TABLE, PEOPLE = "table", "people"
ENDING = ".toml"
_KEYS = ("subject", PEOPLE, "tables")


@dataclass(frozen=True, slots=True)
class SeveralTables:
    """What the file says: the column that names people, and where every table is, that of people first."""

    subject: str
    places: Mapping[str, str]

    @classmethod
    def of_toml(cls, text: str, file: str) -> SeveralTables:
        """Read the file; SchemaError says in one sentence what is wrong with it."""

        def refuse(what: str) -> SchemaError:
            return SchemaError(f"{file}: {what}", file=file)

        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise refuse(f"this is no TOML: {error}") from None
        if "columns" in document and "tables" not in document:
            raise refuse("this is a schema, not data; name the data and give the schema with --schema")
        unknown = [key for key in document if key not in _KEYS]
        if unknown:
            raise refuse(f"unknown key '{unknown[0]}'; known are {', '.join(_KEYS)}")
        subject, tables = document.get("subject"), document.get("tables")
        if not isinstance(subject, str) or not subject:
            raise refuse('it must say which column names people in all tables: subject = "patient"')
        if not isinstance(tables, dict) or not all(isinstance(place, str) for place in tables.values()) or not tables:
            raise refuse('it must name at least one table of records: [tables] visits = "visits.csv"')
        if PEOPLE in tables:
            raise refuse("'people' is the name of the table of people; write it above [tables]")
        people = document.get(PEOPLE)
        if people is not None and not isinstance(people, str):
            raise refuse('the table of people is one file: people = "master.csv"')
        return cls(subject, {**({} if people is None else {PEOPLE: people}), **tables})

    def joined(self, tables: Mapping[str, pl.DataFrame], file: str) -> pl.DataFrame:
        """Return all rows of all tables, with what they do not have missing."""
        for name, frame in tables.items():
            self._check(name, frame, file)
        marked = [frame.select(pl.lit(name).alias(TABLE), pl.all()) for name, frame in tables.items()]
        try:
            return pl.concat(marked, how="diagonal_relaxed")
        except pl.exceptions.PolarsError:
            # A column is text in one table and a number in another.
            return pl.concat([frame.select(pl.all().cast(pl.String)) for frame in marked], how="diagonal")

    def _check(self, name: str, frame: pl.DataFrame, file: str) -> None:
        place = f"{file}: the table '{name}' ({self.places[name]})"
        if self.subject not in frame.columns:
            raise SchemaError(f"{place} has no column '{self.subject}', which says whose row it is", file=file)
        if TABLE in frame.columns:
            message = (
                f"{place} has a column '{TABLE}', the name under which a release says where a row stands; rename it"
            )
            raise SchemaError(message, file=file)
        if name == PEOPLE and frame[self.subject].n_unique() < frame.height:
            message = f"{place} has several rows of a person; a table of people has one each: name it under [tables]"
            raise SchemaError(message, file=file)


def joined_bytes(path: Path, open_frame: Any) -> bytes:
    """Return the tables that a file names as one Parquet file; ``open_frame`` reads one of them."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        message = f"{path}: a file that names tables is UTF-8 text; save it as such"
        raise UnreadableError(message, file=str(path)) from None
    several = SeveralTables.of_toml(text, str(path))
    frames = {}
    for name, place in several.places.items():
        where = place if "://" in place else path.parent / place
        frames[name] = open_frame(where)
    buffer = io.BytesIO()
    several.joined(frames, str(path)).write_parquet(buffer, compression="uncompressed")
    return buffer.getvalue()


def said_subject(path: Path) -> str | None:
    """Return the column that a file of tables names as that of people, None for any other file."""
    if path.suffix != ENDING or not path.is_file():
        return None
    return SeveralTables.of_toml(path.read_text(encoding="utf-8"), str(path)).subject
