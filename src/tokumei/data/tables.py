"""Tables of people: text (with or without header, plain or gzip), workbooks, JSON and Parquet, read as a frame.

Errors of the content carry the lines of the file, also where quoted cells span several lines. A CSV column is text;
its kind comes from the schema, given or inferred. A Parquet column has its type, and its rows count as lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cells import MISSING
from tokumei.data.cleaning import cleaned, plain_floats
from tokumei.data.columns import Kind
from tokumei.data.csv_text import CsvRecords, parse_csv
from tokumei.data.date_formats import hold_values
from tokumei.data.history import History
from tokumei.data.inputs.addresses import input_path
from tokumei.data.inputs.json_text import is_json, read_json
from tokumei.data.inputs.separators import BLANKS, find_separator, words_with_tabs
from tokumei.data.inputs.several_tables import ENDING, joined_bytes
from tokumei.data.inputs.workbooks import MAGICS as WORKBOOK_MAGICS
from tokumei.data.inputs.workbooks import read_sheet
from tokumei.data.raw import Source, to_utf8
from tokumei.data.schema import Schema
from tokumei.errors import SHOWN_FINDINGS, ContentError, Finding, UnreadableError
from tokumei.words import Message

PARQUET_MAGIC = b"PAR1"
# So many records after the first line show what the columns hold.
_HEADER_SAMPLE = 1000
_LONGEST_NAME = 1000
_GROUPED_NUMBER = r"\s*[+-]?[¥$€£]?\d{1,3}(,\d{3})+(\.\d+)?\s*"


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Table:
    """A frame with the line of the file on which every record begins, and what reading had to decide."""

    frame: pl.DataFrame
    lines: Ints
    notes: tuple[Message, ...] = ()


def read_table(path: str | Path, *, header: bool | None = None) -> pl.DataFrame:
    """Return a CSV file as text columns (missing cells are empty text), or a Parquet file with its types.

    ``header`` says whether the first line names the columns; None decides by what it and the others hold. Without
    header the columns are ``column_1``, ``column_2`` and so on.
    """
    return open_table(Path(path), header=header).frame


def history_of(frame: pl.DataFrame, schema: Schema, *, file: str, lines: Ints) -> History:
    """Clean a frame and code it as `History.from_frame` does, with the lines of the file in what is reported."""
    schema.check_against(frame.columns, file)
    try:
        history = History.from_frame(cleaned(frame, schema), schema, file=file, first_line=0, rounding=True)
        _refuse_far_places(history, frame.columns, file)
    except ContentError as error:
        placed = [one if one.line is None else replace(one, line=int(lines[one.line])) for one in error.findings]
        raise ContentError(file, [_with_advice(one) for one in placed], total=error.total) from None
    return history


def _with_advice(finding: Finding) -> Finding:
    """Return the finding with what to do about a number that only its separators spoil."""
    if finding.code != "bad-value" or not re.fullmatch(_GROUPED_NUMBER, finding.value or ""):
        return finding
    what = str(finding.message).partition(";")[0]
    return replace(finding, message=f"{what}; write it without separators between thousands")


def _refuse_far_places(history: History, columns: list[str], file: str) -> None:
    """Raise ContentError if a coordinate lies outside the globe."""
    findings: list[Finding] = []
    total = 0
    for column in history.schema.columns:
        if column.drop or column.kind is not Kind.PLACE:
            continue
        for name, what, most in ((column.latitude, "latitude", 90), (column.longitude, "longitude", 180)):
            codes = history.codes[name]
            far = np.flatnonzero((codes != MISSING) & (np.abs(codes) > round(most / column.step)))
            total += len(far)
            findings += [
                Finding(
                    "bad-place",
                    f"{codes[row] * column.step:.12g} is no {what} from -{most} to {most}; correct the value, or "
                    "exchange latitude and longitude in the schema",
                    int(row),
                    columns.index(name) + 1,
                    name,
                )
                for row in far[:SHOWN_FINDINGS]
            ]
    if findings:
        raise ContentError(file, sorted(findings, key=lambda one: (one.line or 0, one.column or 0)), total=total)


def read_data(path: str | Path) -> Source:
    """Read data, once: a file, a table of a database, or all tables that a file of several names."""
    path = input_path(path)
    if path.suffix == ENDING and path.is_file():
        return Source(path, joined_bytes(path, lambda place: open_table(Source.read(place)).frame))
    return Source.read(path)


def open_table(file: Path | Source, *, header: bool | None = None, schema: Schema | None = None) -> Table:
    """Return a file as a frame with its lines; the names of a ``schema`` help to tell whether it has a header."""
    source = file if isinstance(file, Source) else Source.read(file)
    path, raw = source.path, source.content()
    if raw.startswith(PARQUET_MAGIC) or path.suffix == ".parquet":
        return _typed_table(_read_parquet(raw, str(path)))
    if raw.startswith(WORKBOOK_MAGICS):
        frame, notes = read_sheet(raw, str(path), source.part)
        return _typed_table(frame, notes, first=2)
    text, _ = to_utf8(_from_utf16(raw, str(path)), str(path))
    if is_json(text, path.name):
        return _typed_table(read_json(text, str(path)))
    return _text_table(text, str(path), schema, header=header)


def _typed_table(frame: pl.DataFrame, notes: tuple[Message, ...] = (), *, first: int = 1) -> Table:
    """Return a frame that knows the types of its columns; its rows count from ``first``."""
    plain = frame.with_columns(plain_floats())
    return Table(plain, np.arange(first, first + frame.height), notes)


def _from_utf16(raw: bytes, file: str) -> bytes:
    """Return UTF-16 text (as spreadsheets export it) as UTF-8; anything else as it is."""
    if not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw
    try:
        return raw.decode("utf-16").encode("utf-8")
    except UnicodeDecodeError:
        message = f"{file}: this is UTF-16 text; save it as UTF-8 (it is cut off or damaged)"
        raise UnreadableError(message, file=file) from None


def _text_table(text: bytes, file: str, schema: Schema | None, *, header: bool | None) -> Table:
    notes: tuple[Message, ...] = ()
    separator = find_separator(text)
    if separator == BLANKS:
        text, separator, notes = words_with_tabs(text), "\t", (Message("reading.blanks"),)
    records = parse_csv(text, file, separator=separator)
    if records.frame.height == 0:
        message = f"{file}: the file holds nothing but empty lines; give one with data in it"
        raise UnreadableError(message, file=file)
    if header is None:
        header = _header_wanted(records.frame, schema)
    return replace(_under_header(records, file) if header else Table(records.frame, records.lines), notes=notes)


def _read_parquet(raw: bytes, file: str) -> pl.DataFrame:
    """Return the frame of a Parquet file; what is not a number in a floating-point column is missing."""
    try:
        frame = pl.read_parquet(raw)
    except (pl.exceptions.PolarsError, OSError):
        message = f"{file}: this is not a Parquet file, or it is damaged; write or download it again"
        raise UnreadableError(message, file=file) from None
    if frame.width == 0:
        message = f"{file}: the Parquet file has no columns; give one with data in it"
        raise UnreadableError(message, file=file)
    return frame


def _under_header(records: CsvRecords, file: str) -> Table:
    """Return the records below the first one, under its names; a column without name keeps its number."""
    given = [str(cell).strip() for cell in records.frame.row(0)]
    names = [cell or f"column_{number}" for number, cell in enumerate(given, start=1)]
    longest = max(len(name) for name in names)
    if longest > _LONGEST_NAME:
        line = int(records.lines[0])
        message = f"{file}, line {line}: a column name of {longest:,} characters is too long; is this CSV text?"
        raise UnreadableError(message, file=file, line=line)
    repeated = [position for position, name in enumerate(names) if name in names[:position]]
    if repeated:
        findings = [
            Finding(
                "duplicate-name",
                f"the header names the column '{names[position]}' twice; rename one of them",
                int(records.lines[0]),
                position + 1,
                value=names[position],
            )
            for position in repeated
        ]
        raise ContentError(file, findings)
    frame = records.frame[1:]
    frame.columns = names
    return Table(frame, records.lines[1:])


def _header_wanted(frame: pl.DataFrame, schema: Schema | None) -> bool:
    """Decide whether the first record is a header; the names of a schema are the best witnesses."""
    first = [str(cell).strip() for cell in frame.row(0)]
    if schema is not None and schema.sources():
        wanted = set(schema.sources())
        if wanted <= set(first):
            return True
        if wanted <= set(frame.columns) and any(first):
            return False
        # A header without any name gives columns the numbers that they have without a header: values decide.
    if hold_values([pl.Series([cell]) for cell in first]):
        return False
    rest = frame[1:]
    if hold_values(rest.head(_HEADER_SAMPLE).get_columns()):
        return True
    # Text everywhere: a name stands once, above values that differ from it.
    recurring = any((column == cell).any() for column, cell in zip(rest.get_columns(), first, strict=True))
    return "" not in first and len(set(first)) == len(first) and not recurring
