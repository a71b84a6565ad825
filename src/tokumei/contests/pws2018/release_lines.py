r"""The lines of a 2018 file A: where they begin and end, and where reading stops (RULES.md "A: file level").

Lines end with LF or CRLF. Reading stops at a CR that no LF follows, at a line of more than 8000 bytes and at the first
line beyond those of T; what stands before is still checked. Bytes are not decoded here, so that a byte order mark or
a broken encoding spoils only the cells that hold it.

>>> lines = split_lines(b"1,a\n2,b\r\n3\r,c\n", expected=3)
>>> lines.count, lines.fault, lines.fault_line
(2, <LineFault.BAD_NEWLINE: 'bad-newline'>, 3)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl

from tokumei.array_types import Bytes, Ints

MAX_LINE_LENGTH = 8000
_LF, _CR = 10, 13
_PIECE = 1 << 22


class LineFault(StrEnum):
    """Why reading a file ended before, or other than, at its last line."""

    BAD_NEWLINE = "bad-newline"
    LINE_TOO_LONG = "line-too-long"
    TOO_MANY_LINES = "too-many-lines"
    NOT_ENOUGH_LINES = "not-enough-lines"


@dataclass(frozen=True, eq=False, slots=True)
class ReleaseLines:
    """The bytes of a file, the ends of its lines without newlines, and how many of them can be checked."""

    raw: bytes
    starts: Ints
    ends: Ints
    count: int
    fault: LineFault | None
    fault_line: int

    def text(self, line: int) -> str:
        """Return one line (1-based) as text, with a substitute for bytes that are no UTF-8."""
        return self.raw[self.starts[line - 1] : self.ends[line - 1]].decode("utf-8", "replace")

    def length(self, line: int) -> int:
        """Return the number of bytes of one line (1-based), up to a stray CR."""
        return int(self.ends[line - 1] - self.starts[line - 1])

    def unicode(self) -> bool:
        """Return whether the lines to check are UTF-8."""
        body = memoryview(self.raw)[: self._stop(self.count)]
        if self.raw.isascii():
            return True
        try:
            str(body, "utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def series(self, first: int, last: int, *, unicode: bool) -> pl.Series:
        """Return the lines from ``first`` up to ``last`` (0-based) as text; without unicode a character is a byte."""
        if last <= first:
            return pl.Series("line", [], dtype=pl.String)
        body = self.raw[int(self.starts[first]) : self._stop(last)]
        text = body.decode("utf-8" if unicode else "latin-1")
        lines = pl.Series("line", [text]).str.split("\n").explode().head(last - first)
        return lines.str.strip_suffix("\r") if b"\r" in body else lines

    def _stop(self, line: int) -> int:
        """Return where a line (0-based) begins, or the end of the file if there is none."""
        return int(self.starts[line]) if line < len(self.starts) else len(self.raw)


def split_lines(raw: bytes, *, expected: int) -> ReleaseLines:
    """Find the lines of a file that must have the expected number of them."""
    data = np.frombuffer(raw, dtype=np.uint8)
    newlines = _places(data, _LF)
    starts = np.concatenate(([0], newlines + 1))
    ends = np.concatenate((newlines, [len(raw)]))
    if starts[-1] == len(raw):
        starts, ends = starts[:-1], ends[:-1]
    stop, fault = len(starts), None
    if b"\r" in raw:
        stop, ends = _without_carriage_returns(data, ends)
        fault = LineFault.BAD_NEWLINE if stop < len(starts) else None
    too_long = np.flatnonzero(ends[: stop + 1] - starts[: stop + 1] > MAX_LINE_LENGTH)
    if len(too_long):
        stop, fault = int(too_long[0]), LineFault.LINE_TOO_LONG
    # A line that cannot be read is reported as such even where it would be one line too many.
    if stop > expected:
        stop, fault = expected, LineFault.TOO_MANY_LINES
    if fault is None and stop < expected:
        return ReleaseLines(raw, starts, ends, stop, LineFault.NOT_ENOUGH_LINES, stop)
    return ReleaseLines(raw, starts, ends, stop, fault, stop + 1 if fault else 0)


def _without_carriage_returns(data: Bytes, ends: Ints) -> tuple[int, Ints]:
    """Return the index of the line with the first stray CR (or the number of lines), and ends that leave CRs out."""
    returns = _places(data, _CR)
    inside = returns + 1 < len(data)
    paired = inside.copy()
    paired[inside] = data[returns[inside] + 1] == _LF
    ends = ends.copy()
    ends[np.searchsorted(ends, returns[paired] + 1)] -= 1
    stray = returns[~paired]
    if len(stray) == 0:
        return len(ends), ends
    line = int(np.searchsorted(ends, stray[0]))
    # Reading ends at the stray CR: only what stands before it counts for the length of its line.
    ends[line] = stray[0]
    return line, ends


def _places(data: Bytes, byte: int) -> Ints:
    """Return where a byte occurs, without a mask as large as the file."""
    pieces = [np.flatnonzero(data[at : at + _PIECE] == byte) + at for at in range(0, len(data), _PIECE)]
    return np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int64)
