"""Sheets of Excel and OpenDocument workbooks, through fastexcel (extra ``excel``)."""

from __future__ import annotations

import warnings
from typing import Any

import polars as pl

from tokumei.errors import UnreadableError
from tokumei.words import Message

_COMPOUND = b"\xd0\xcf\x11\xe0"
MAGICS = (b"PK\x03\x04", _COMPOUND)
_ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
# The stream of a compound file that an encrypted workbook lies in (MS-OFFCRYPTO 2.3.4.4), as the directory names it.
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


def read_sheet(raw: bytes, file: str, part: str) -> tuple[pl.DataFrame, tuple[Message, ...]]:
    """Return a sheet (default: the first with something in it), and a note where other sheets were left out."""
    try:
        import fastexcel  # noqa: PLC0415 - an extra
    except ImportError:
        message = f"{file}: workbooks need the extra 'excel': pip install 'tokumei[excel]'; or export the sheet as CSV"
        raise UnreadableError(message, file=file, code="extra") from None
    try:
        book: Any = fastexcel.read_excel(raw)
    except fastexcel.FastExcelError:
        raise UnreadableError(f"{file}: {_why_unreadable(raw, file)}", file=file) from None
    names = list(book.sheet_names)
    if part and part not in names:
        message = f"{file}: the workbook has no sheet '{part}'; it has {', '.join(names)}"
        raise UnreadableError(message, file=file, code="no-sheet")
    sheets = {name: _frame(book, name) for name in ([part] if part else names)}
    filled = [name for name, frame in sheets.items() if frame.height and frame.width]
    if not filled:
        message = f"{file}: the workbook holds no rows below a line of names; give one with data in it"
        raise UnreadableError(message, file=file)
    notes = [Message("reading.sheet", {"sheet": filled[0], "others": tuple(filled[1:])})] if filled[1:] else []
    return sheets[filled[0]], tuple(notes)


def _why_unreadable(raw: bytes, file: str) -> str:
    """Return why a file that begins as a workbook cannot be opened, and what to do."""
    if _ENCRYPTED in raw:
        return "this workbook is protected by a password; save it without one, or export the sheet as CSV"
    if raw.startswith(_COMPOUND) or file.lower().endswith(_ENDINGS):
        return "this is no workbook that can be read, or it is damaged; save it again as .xlsx, or export it as CSV"
    return "this is a zip archive or an Excel workbook; unpack it or export the sheet as CSV"


def _frame(book: Any, name: str) -> pl.DataFrame:
    """Return one sheet; columns without a name are numbered as in CSV, whole numbers are whole."""
    with warnings.catch_warnings():
        # A column of several types is told by its values, as text.
        warnings.simplefilter("ignore")
        frame: pl.DataFrame = book.load_sheet(name, schema_sample_rows=None).to_polars()
    frame = frame.rename(
        {old: f"column_{at}" for at, old in enumerate(frame.columns, 1) if old.startswith("__UNNAMED")}
    )
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null())) if frame.width else frame
    return frame.with_columns(_whole(column) for column in frame.get_columns())


def _whole(column: pl.Series) -> pl.Series:
    """Return numbers without decimals as integers: a sheet knows floating-point numbers only."""
    if column.dtype != pl.Float64 or not bool(((column == column.round()) & (column.abs() < 2.0**53)).all()):
        return column
    return column.cast(pl.Int64)
