"""Reading the files of contests, leniently about their wrapping and strictly about their columns.

UTF-8 with or without BOM, CP932, LF or CRLF, plain or gzip are all read alike; rule checkers that must judge the
wrapping look at the raw lines (`tokumei.data.raw`). No file of the PWS Cups has a header, none uses quotation marks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tokumei.data import parse_csv, read_bytes, to_utf8


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestFile:
    """One file of a contest: what it holds, and its columns in order."""

    summary: str
    columns: tuple[str, ...]
    may_be_empty: bool = False


def read_contest(path: str | Path, file: ContestFile) -> pl.DataFrame:
    """Return a contest file as text columns under their names, every line a row (deleted rows included).

    All lines with a wrong number of cells are reported together in a ContentError.
    """
    text, _ = to_utf8(read_bytes(path, allow_empty=file.may_be_empty), str(path))
    frame = parse_csv(text, str(path), width=len(file.columns), quoting=False).frame
    frame.columns = list(file.columns)
    return frame
