"""CSV of the contest as text cells with their line numbers, read as its checker reads it: UTF-8, BOM, blank lines."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats
from tokumei.contests.pandas_table import distinct_names

# Other characters that end a line to Python, such as U+2028, are part of a cell to the official reader.
LINE_END = re.compile(r"\r\n|\r|\n")


class UnreadableError(Exception):
    """The bytes are no such table; ``code`` says why."""

    def __init__(self, code: str) -> None:
        """Keep the code."""
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, eq=False)
class Cells:
    """A table with a header: text cells by column, and the line of every row in the file."""

    frame: pl.DataFrame
    lines: list[int]

    @classmethod
    def read(cls, raw: bytes) -> Cells:
        """Read a file; UnreadableError if it is empty, in another encoding, without rows or ragged."""
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UnreadableError("ENCODING") from error
        kept = [(number, line) for number, line in enumerate(LINE_END.split(text), 1) if line.strip()]
        if not kept:
            # The official reader stops on a file of blank lines, and knows one without any byte.
            raise UnreadableError("NOT_CSV" if raw else "EMPTY_FILE")
        if len(kept) == 1:
            raise UnreadableError("NO_ROWS")
        clean = "\n".join(line for _, line in kept).encode()
        try:
            frame = pl.read_csv(io.BytesIO(clean), infer_schema=False, has_header=False)
        except pl.exceptions.PolarsError as error:
            raise UnreadableError("NOT_CSV") from error
        frame = frame.fill_null("")
        names = distinct_names(frame.row(0))
        frame = frame[1:].rename(dict(zip(frame.columns, names, strict=True)))
        return cls(frame, [number for number, _ in kept[1:]])

    @property
    def columns(self) -> list[str]:
        """The names of the header."""
        return self.frame.columns

    def numbers(self, name: str) -> Floats:
        """Return a column as numbers; NaN where a cell is none, or one too large for the official reader."""
        text = self.frame[name].str.strip_chars()
        values = text.cast(pl.Float64, strict=False).fill_null(np.nan)
        written = text.str.to_lowercase().str.contains("inf", literal=True)
        too_large = (values == np.inf) & ~written
        return np.asarray(values.set(too_large, np.nan).to_numpy(), dtype=np.float64)

    def flags(self, name: str) -> Bools:
        """Return a column of 0 and 1, or of False and True: everything but 0 and False counts."""
        written = self.frame[name].str.strip_chars().str.to_lowercase()
        return np.asarray((self.numbers(name) != 0) & (written != "false").to_numpy())

    def of(self, name: str, values: Sequence[str]) -> Cells:
        """Return the rows that have one of these values."""
        chosen = self.frame[name].is_in(values)
        lines = [line for line, kept in zip(self.lines, chosen, strict=True) if kept]
        return Cells(self.frame.filter(chosen), lines)

    def position(self, name: str) -> int:
        """Return the number of a column from 1."""
        return self.frame.columns.index(name) + 1
