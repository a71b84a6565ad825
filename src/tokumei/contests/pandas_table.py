"""Tables as official programs in Python see them: CSV with a header, read like ``pandas.read_csv`` does.

Lines end with LF, CRLF or CR; those of nothing but blanks are skipped. Short lines have missing cells at their end,
surplus cells on the first line move the columns (pandas takes what stands before them as an index), on a later line
they end the reading. A column is a column of numbers if every cell that is not missing is one; True and False alone
make a column of truth values, which equal 1 and 0.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import parse_csv, read_bytes, text_codes, to_utf8
from tokumei.errors import ContentError, InputError

# What pandas reads as a missing cell.
MISSING_TEXTS = frozenset(
    "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null".split("|")  # noqa: SIM905 one line instead of twenty
) | {""}

_BLANK_LINE = re.compile(rb"^[ \t]+$", re.MULTILINE)
_WHOLE = re.compile(r"\s*[-+]?[0-9]+\s*")
_ENDS, _BEHIND = "\n", "end"
_TRUTH = {"true": 1.0, "false": 0.0}
# The whole numbers that a column can hold: signed ones, or with a larger one only those from 0.
_LEAST, _MOST, _MOST_UNSIGNED = -(2**63), 2**63 - 1, 2**64 - 1


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


def read_strictly(path: Path, *, header: bool = True) -> Table:
    """Read a table as the official programs: UTF-8 alone, ``error`` is what they stop with."""
    raw = read_bytes(path, allow_empty=True)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return Table(pl.DataFrame(), np.empty(0, dtype=np.int64), error="UnicodeDecodeError")
    return parse_table(raw, str(path), header=header)


def read_columns(path: Path, columns: Sequence[str], *, hint: str) -> Table:
    """Read a whole table that must have these columns; the hint says what to give."""
    table = refuse_unread(read_table(path), path)
    lacking = [name for name in columns if name not in table.columns]
    if lacking:
        message = f"{path} has no column {', '.join(lacking[:5])}; {hint}"
        raise InputError(message, code="columns", file=str(path))
    return table


def parse_table(raw: bytes, file: str, *, header: bool = True) -> Table:
    """Return the table that this text holds."""
    text, _encoding = to_utf8(raw, file)
    if not text.strip():
        return Table(pl.DataFrame(), np.empty(0, dtype=np.int64), error="EmptyDataError")
    text = _BLANK_LINE.sub(b"", text.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    try:
        records = parse_csv(text, file)
    except ContentError as error:
        if error.code not in ("column-count", "bad-quote"):
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
    # A line behind the end is a record of its own unless a quotation mark is still open.
    reader = csv.reader(io.StringIO(f"{text.rstrip(_ENDS)}\n{_BEHIND}", newline=""))
    for row in reader:
        if row:
            rows.append(row)
            lines.append(reader.line_num)
    if rows.pop() != [_BEHIND]:
        return Table(pl.DataFrame(), np.empty(0, dtype=np.int64), error="ParserError")
    lines.pop()
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
        number = float(text)
    except ValueError:
        return None
    overflown = math.isinf(number) and "inf" not in text.lower()
    return None if overflown or math.isnan(number) else number


def values_of(texts: Iterable[str]) -> dict[str, float | str | None]:
    """Return what the official reader makes of the different texts of a column.

    Numbers if all are numbers or all are truth values, else the texts themselves; None for missing cells.
    """
    distinct = dict.fromkeys(texts)
    present = [text for text in distinct if text not in MISSING_TEXTS]
    values: dict[str, float | None] = {text: _TRUTH.get(text.lower()) for text in present}
    if None in values.values():
        values = {text: number_of(text) for text in present}
    if None in values.values() or _too_large(present):
        return {text: text if text in values else None for text in distinct}
    return {text: values.get(text) for text in distinct}


def _too_large(texts: Sequence[str]) -> bool:
    """Return whether whole numbers are too large for a column of them, which then is one of texts."""
    if all(len(text) < len(str(_MOST)) for text in texts) or not all(map(_WHOLE.fullmatch, texts)):
        return False
    numbers = [int(text) for text in texts]
    return max(numbers) > (_MOST if min(numbers) < 0 else _MOST_UNSIGNED) or min(numbers) < _LEAST


def as_written(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the texts that the official programs make of what they read: 7 for 007, 4.0 for 4 beside a gap."""
    return frame.with_columns(_written(column) for column in frame.iter_columns())


def _written(column: pl.Series) -> pl.Series:
    texts = column.unique().to_list()
    values = values_of(texts)
    if all(isinstance(value, str) or value is None for value in values.values()):
        shown = {text: value or "" for text, value in values.items()}
    elif all(text.lower() in _TRUTH for text, value in values.items() if value is not None):
        shown = {text: "" if value is None else str(bool(value)) for text, value in values.items()}
    elif all(map(_WHOLE.fullmatch, texts)):
        shown = {text: str(int(text)) for text in texts}
    else:
        shown = {text: "" if value is None else str(value) for text, value in values.items()}
    return column.replace_strict(list(shown), list(shown.values()), return_dtype=pl.String)


def joint_codes(original: pl.Series, released: pl.Series) -> tuple[Ints, Ints, int]:
    """Return equal codes for equal values of both columns, -1 for missing ones, and how many codes there are.

    A number never equals a text: if only one of both columns is one of numbers, no value is in both.
    """
    (ours, theirs), texts = text_codes(original, released)
    values: dict[float | str, int] = {}
    tables = []
    for codes in (ours, theirs):
        present = np.unique(codes).tolist()
        read = values_of(texts[code] for code in present)
        table = np.full(len(texts) + 1, -1, dtype=np.int64)
        for code in present:
            value = read[texts[code]]
            if value is not None:
                table[code] = values.setdefault(value, len(values))
        tables.append(table)
    return tables[0][ours], tables[1][theirs], max(len(values), 1)


def table_text(frame: pl.DataFrame, *, line_end: str = "\n", header: bool = True) -> bytes:
    """Return a table as the text of a file; empty cells stay bare."""
    text = frame.with_columns(pl.col(pl.String).replace("", None)).write_csv(
        line_terminator=line_end, include_header=header, quote_style="necessary"
    )
    return text.encode()


def refuse_unread(table: Table, path: Path) -> Table:
    """Return a table that was read as a whole; one on which the official reader stops is no input to compute with."""
    if table.error is None:
        return table
    message = f"{path} is no table that can be read ({table.error}); give a CSV file with a header and equal rows"
    raise InputError(message, code="no-table", file=str(path))
