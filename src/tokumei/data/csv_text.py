"""CSV text to a frame of text columns, with the line of every record; all lines of a wrong length are reported.

Polars parses; before that, counting separators outside quotation marks shows whether every record has the same number
of cells, and where it has not. Text whose quotation marks do not follow RFC 4180 but are still clear (``12" RULER``)
takes the slower way through Python's reader.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bytes, Ints
from tokumei.errors import ContentError, Finding, UnreadableError

MAX_COLUMNS = 10_000
SHOWN_FINDINGS = 100
PIECE = 1 << 18
_QUOTE, _LF, _CR = 34, 10, 13
_COMMA = ","


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class CsvRecords:
    """Records as text columns ``column_1``, ``column_2`` ..., and the line of the file on which each begins."""

    frame: pl.DataFrame
    lines: Ints


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class _Layout:
    """How many cells every record has, and on which line it begins."""

    cells: Ints
    lines: Ints


def parse_csv(
    text: bytes, file: str, *, width: int | None = None, quoting: bool = True, separator: str = _COMMA
) -> CsvRecords:
    """Parse UTF-8 text into records of ``width`` cells (default: as many as the text itself agrees on).

    Blank lines at the end are ignored. Without ``quoting`` a quotation mark is a character like any other.
    """
    if text.endswith((b"\n\n", b"\n\r\n")) or text.strip(b"\r\n") == b"":
        text = text.rstrip(b"\r\n")
    if not text:
        return CsvRecords(_empty(width or 0), np.empty(0, dtype=np.int64))
    if not quoting or b'"' not in text:
        return _parse_plain(text, file, width, separator, quoting=quoting)
    marks = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == _QUOTE)
    if _well_quoted(np.frombuffer(text, dtype=np.uint8), marks, separator):
        return _parse_quoted(text, file, width, separator, marks)
    return _parse_sloppy(text, file, width, separator)


def _parse_plain(text: bytes, file: str, width: int | None, separator: str, *, quoting: bool) -> CsvRecords:
    """Parse text without quotation marks: every record is a line."""
    end = text.find(b"\n")
    found = text.count(separator.encode(), 0, end if end >= 0 else len(text)) + 1
    count = _count(text, _LF) + (not text.endswith(b"\n"))
    wanted = found if width is None else width
    if wanted == found and _count(text, ord(separator)) == (wanted - 1) * count:
        frame = _through_polars(text, file, wanted, separator, quoting=False)
        if frame is not None:
            return CsvRecords(frame, np.arange(1, count + 1))
    layout = _layout(text, np.empty(0, dtype=np.int64), separator)
    raise _ragged(layout, file, width, quoting=quoting)


def _count(text: bytes, byte: int) -> int:
    """Return how often a byte occurs; piece by piece, which is ten times as fast as bytes.count and needs no memory."""
    data = np.frombuffer(text, dtype=np.uint8)
    pieces = range(0, len(data), PIECE)
    return sum(int(np.count_nonzero(data[start : start + PIECE] == byte)) for start in pieces)


def _parse_quoted(text: bytes, file: str, width: int | None, separator: str, marks: Ints) -> CsvRecords:
    """Parse text whose quotation marks are in order; records may span lines."""
    layout = _layout(text, marks, separator)
    wanted = int(layout.cells[0]) if width is None else width
    if (layout.cells == wanted).all():
        frame = _through_polars(text, file, wanted, separator, quoting=True)
        if frame is not None and frame.height == len(layout.lines):
            return CsvRecords(frame, layout.lines)
        return _parse_sloppy(text, file, width, separator)
    raise _ragged(layout, file, width, quoting=True)


def _parse_sloppy(text: bytes, file: str, width: int | None, separator: str) -> CsvRecords:
    """Parse text with quotation marks inside bare cells; a mark that opens a cell must still be closed properly."""
    limit = csv.field_size_limit(len(text) + 1)
    rows: list[list[str]] = []
    lines = [1]
    try:
        reader = csv.reader(io.StringIO(text.decode("utf-8"), newline=""), delimiter=separator, strict=True)
        for row in reader:
            rows.append(row or [""])
            lines.append(reader.line_num + 1)
    except csv.Error:
        what = "a quotation mark opens a cell here and is not closed properly; close it, and double the marks inside"
        raise ContentError(file, [Finding("bad-quote", what, lines[-1])]) from None
    finally:
        csv.field_size_limit(limit)
    layout = _Layout(np.array([len(row) for row in rows], dtype=np.int64), np.array(lines[:-1], dtype=np.int64))
    wanted = int(layout.cells[0]) if width is None else width
    if (layout.cells != wanted).any():
        raise _ragged(layout, file, width, quoting=True)
    _check_width(wanted, file)
    frame = pl.DataFrame(rows, schema=_names(wanted), orient="row")
    return CsvRecords(frame, layout.lines)


def _well_quoted(data: Bytes, marks: Ints, separator: str) -> bool:
    """Return whether every quotation mark opens, closes or (doubled) stands inside a quoted cell."""
    if len(marks) % 2:
        return False
    opening, closing = marks[::2], marks[1::2]
    before = data[np.maximum(opening - 1, 0)]
    after = data[np.minimum(closing + 1, len(data) - 1)]
    opens = (opening == 0) | (before == ord(separator)) | (before == _LF) | (before == _QUOTE)
    closes = (closing == len(data) - 1) | np.isin(after, (ord(separator), _LF, _CR, _QUOTE))
    return bool(opens.all() and closes.all())


def _layout(text: bytes, marks: Ints, separator: str) -> _Layout:
    """Count the cells of every record; separators after an odd number of quotation marks are content."""
    data = np.frombuffer(text, dtype=np.uint8)
    commas, breaks = np.flatnonzero(data == ord(separator)), np.flatnonzero(data == _LF)
    every_break = breaks
    if len(marks):
        commas = commas[np.searchsorted(marks, commas) % 2 == 0]
        breaks = breaks[np.searchsorted(marks, breaks) % 2 == 0]
    ends = breaks if len(breaks) and breaks[-1] == len(data) - 1 else np.append(breaks, len(data))
    cells = np.diff(np.searchsorted(commas, ends), prepend=0) + 1
    starts = np.concatenate(([0], ends[:-1] + 1))
    return _Layout(cells.astype(np.int64), (np.searchsorted(every_break, starts) + 1).astype(np.int64))


def _ragged(layout: _Layout, file: str, width: int | None, *, quoting: bool) -> ContentError:
    """Report every record whose number of cells differs from the wanted or, without one, the commonest."""
    wanted = _commonest(layout.cells) if width is None else width
    wrong = np.flatnonzero(layout.cells != wanted)
    surplus = "delete the surplus or put cells that hold commas in quotation marks" if quoting else "delete the surplus"
    findings = []
    for row in wrong[:SHOWN_FINDINGS]:
        found = int(layout.cells[row])
        noun, advice = "cell" if found == 1 else "cells", surplus if found > wanted else "add what is missing"
        message = f"the line has {found} {noun}, but {wanted} are expected; {advice}"
        findings.append(Finding("column-count", message, int(layout.lines[row])))
    return ContentError(file, findings, total=len(wrong))


def _commonest(cells: Ints) -> int:
    """Return the commonest number of cells; among equally common ones that of the first record, else the least."""
    sizes, counts = np.unique(cells, return_counts=True)
    best = sizes[counts == counts.max()]
    return int(cells[0]) if cells[0] in best else int(best[0])


def _check_width(width: int, file: str) -> None:
    if width > MAX_COLUMNS:
        message = f"{file}, line 1: {width} columns are more than the {MAX_COLUMNS} that can be read; check its commas"
        raise UnreadableError(message, file=file, line=1)


def _names(width: int) -> list[str]:
    return [f"column_{number}" for number in range(1, width + 1)]


def _empty(width: int) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(_names(width), pl.String))


def _through_polars(text: bytes, file: str, width: int, separator: str, *, quoting: bool) -> pl.DataFrame | None:
    """Return the parsed frame, or None where polars finds the lines ragged."""
    _check_width(width, file)
    try:
        frame = pl.read_csv(
            text,
            has_header=False,
            separator=separator,
            quote_char='"' if quoting else None,
            schema=dict.fromkeys(_names(width), pl.String),
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None
    return _filled(frame)


def _filled(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the text columns with empty text in place of nothing."""
    if not any(column.null_count() for column in frame.get_columns()):
        return frame
    return frame.with_columns(pl.all().fill_null(""))
