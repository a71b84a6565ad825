"""What the studio shows of an input before anything is done with it: its first rows, its columns, a proposed schema."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import polars as pl

from tokumei.data import DataSet, Schema, exceeds_memory, file_and_part, read_table
from tokumei.errors import UnreadableError
from tokumei.profiles import Proposal, hints, identifier_suspects, propose_schema, read_history
from tokumei.words import Message

SHOWN_ROWS, SHOWN_VALUES, LONGEST_VALUE = 8, 4, 28
# Of larger data, so many rows show what the columns mean.
FIRST_ROWS = 200_000


@dataclass(frozen=True, eq=False)
class Look:
    """An input at first sight; ``records`` is None where not all of it was read.

    ``whose`` says why that subject is proposed, and what makes it doubtful; None where somebody named the subject.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    records: int | None
    samples: Mapping[str, Sequence[str]]
    proposed: Schema
    whose: Proposal | None
    notes: Sequence[Message]


def look_at(path: Path, subject: str | None = None) -> Look:
    """Look at a file or a folder of parts; the proposal is around this subject if one is named."""
    about = _state(path)
    return _look(path, about.st_mtime_ns, about.st_size, subject)


def file_of(path: Path) -> Path:
    """Return the file of an input, which may name a sheet of it (``book.xlsx#labs``)."""
    return file_and_part(path)[0]


def _state(path: Path) -> os.stat_result:
    """Return what tells whether an input changed; pipes and devices, which may never end, are refused."""
    file = file_of(path)
    about = file.stat()
    if not (file.is_file() or file.is_dir()):
        message = f"{path}: this is neither a file nor a folder; name one"
        raise UnreadableError(message, file=str(path))
    return about


@lru_cache(maxsize=4)
def _look(path: Path, _changed: int, _size: int, subject: str | None) -> Look:
    frame, records = _frame(path)
    inferred = propose_schema(frame, subject=subject)
    return Look(
        columns=frame.columns,
        rows=[[_short(cell) for cell in row] for row in frame.head(SHOWN_ROWS).rows()],
        records=records,
        samples={name: _samples(frame[name]) for name in frame.columns},
        proposed=inferred.schema,
        whose=inferred.proposal,
        notes=inferred.notes,
    )


def _frame(path: Path) -> tuple[pl.DataFrame, int | None]:
    if path.is_dir() or exceeds_memory(path):
        return DataSet.open(path).head(FIRST_ROWS), None
    frame = read_table(path)
    return frame, frame.height


def _samples(values: pl.Series) -> list[str]:
    """Return some of the values, the most frequent first."""
    counts = values.drop_nulls().head(FIRST_ROWS).value_counts(sort=True, name="n")
    return [_short(value) for value in counts[values.name].head(SHOWN_VALUES)]


def _short(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


@dataclass(frozen=True)
class Noted:
    """What should be looked at in the columns: messages by column, and why some seem to name people."""

    hints: Mapping[str, Sequence[Message]]
    identifiers: Mapping[str, Message]


def note_columns(path: Path, schema: Schema) -> Noted:
    """Read an input after a schema and note what a person should look at; nothing where it is too large for a page.

    Raises ContentError with the first cells that do not fit the schema.
    """
    if path.is_dir() or exceeds_memory(path):
        return Noted({}, {})
    about = _state(path)
    return _noted(path, about.st_mtime_ns, about.st_size, schema)


@lru_cache(maxsize=4)
def _noted(path: Path, _changed: int, _size: int, schema: Schema) -> Noted:
    history = read_history(path, schema)
    by_column: dict[str, list[Message]] = {}
    for message in hints(history):
        by_column.setdefault(str(message.values.get("column", "")), []).append(message)
    return Noted(by_column, {one.column: one.why for one in identifier_suspects(history)})
