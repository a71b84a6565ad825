"""Tables as official programs in Python see them: CSV with a header, read like ``pandas.read_csv`` does.

Blank lines are skipped, short lines have missing cells at their end, surplus cells on the first line move the columns
(pandas takes what stands before them as an index), on a later line they end the reading. A column is a column of
numbers if every cell that is not missing is one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import parse_csv, read_bytes, to_utf8
from tokumei.errors import ContentError, InputError

# What pandas reads as a missing cell.
MISSING_TEXTS = frozenset(
    "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null".split("|")  # noqa: SIM905 one line instead of twenty
) | {""}


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Text columns under their names, the line of every row, and what the reading had to put up with.

    ``ragged`` are lines with another number of cells than the header, and how many they have; ``error`` is the
    exception with which the official reader stops.
    """

    frame: pl.DataFrame
    lines: Ints
    ragged: tuple[tuple[int, int], ...] = ()
    error: str | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.frame.columns

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.frame.height


def read_table(path: Path, *, header: bool = True) -> Table:
    """Read a table; without ``header`` its columns are numbered from 0."""
    return parse_table(read_bytes(path, allow_empty=True), str(path), header=header)


def parse_table(raw: bytes, file: str, *, header: bool = True) -> Table:
    """Return the table that this text holds."""
    text, _encoding = to_utf8(raw, file)
    if not text.strip():
        return Table(pl.DataFrame(), np.empty(0, dtype=np.int64), error="EmptyDataError")
    try:
        records = parse_csv(text.replace(b"\r\n", b"\n"), file)
    except ContentError as error:
        if error.code != "column-count":
            raise
        return _uneven(text.decode("utf-8"), header=header)
    frame, lines = records.frame, records.lines
    if not header:
        return Table(frame.rename(dict(zip(frame.columns, map(str, range(frame.width)), strict=True))), lines)
    names = distinct_names(frame.row(0))
    return Table(frame[1:].rename(dict(zip(frame.columns, names, strict=True))), lines[1:])


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return the names with a number behind those that were there before, as pandas reads them."""
    found: dict[str, int] = {}
    for position, given in enumerate(names):
        plain = name = given or f"Unnamed: {position}"
        while name in found:
            found[plain] += 1
            name = f"{plain}.{found[plain]}"
        found[name] = 0
    return list(found)


def _uneven(text: str, *, header: bool) -> Table:
    """Read lines of different lengths as the official reader does."""
    rows, lines = [], []
    reader = csv.reader(io.StringIO(text, newline=""))
    for row in reader:
        if row:
            rows.append(row)
            lines.append(reader.line_num)
    names = distinct_names(rows[0]) if header else list(map(str, range(len(rows[0]))))
    body, lines = (rows[1:], lines[1:]) if header else (rows, lines)
    width = len(names)
    moved = max(len(body[0]) - width, 0) if body else 0
    ragged = tuple((line, len(row)) for line, row in zip(lines, body, strict=True) if len(row) != width)
    too_long = any(len(row) > width + moved for row in body)
    cells = [(row[moved:] + [""] * width)[:width] for row in body]
    frame = pl.DataFrame(cells, schema=dict.fromkeys(names, pl.String), orient="row")
    return Table(frame, np.array(lines, dtype=np.int64), ragged, "ParserError" if too_long else None)


def number_of(text: str) -> float | None:
    """Return the number that a cell is to the official reader; None for any other text."""
    if not text.isascii() or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def values_of(texts: Iterable[str]) -> dict[str, float | str | None]:
    """Return what the official reader makes of the different texts of a column.

    Numbers if all are numbers, else the texts themselves; None for missing cells.
    """
    numbers = {text: None if text in MISSING_TEXTS else number_of(text) for text in texts}
    if all(number is not None or text in MISSING_TEXTS for text, number in numbers.items()):
        return dict(numbers)
    return {text: None if text in MISSING_TEXTS else text for text in numbers}


def text_codes(*columns: pl.Series) -> tuple[list[Ints], list[str]]:
    """Return equal codes for equal texts of several columns, and the text of every code in rising order."""
    cells = [column.to_list() for column in columns]
    texts = sorted(set().union(*cells))
    codes = {text: code for code, text in enumerate(texts)}
    return [np.fromiter(map(codes.__getitem__, column), dtype=np.int64, count=len(column)) for column in cells], texts


def table_text(frame: pl.DataFrame, *, line_end: str = "\n", header: bool = True) -> bytes:
    """Return a table as the text of a file."""
    text = frame.write_csv(line_terminator=line_end, include_header=header, quote_style="necessary")
    return text.encode()


def refuse_unread(table: Table, path: Path) -> Table:
    """Return a table that was read as a whole; one on which the official reader stops is no input to compute with."""
    if table.error is None:
        return table
    message = f"{path} is no table that can be read ({table.error}); give a CSV file with a header and equal rows"
    raise InputError(message, code="no-table", file=str(path))
