"""What separates the cells of a text: commas, tabs, semicolons, vertical bars, or blanks.

The comma is believed as long as all lines have it equally often. In a text of semicolons commas stand between digits,
as decimal signs. Blanks separate only where nothing else does, every line has as many words, and some column then
holds numbers or dates.
"""

from __future__ import annotations

import re

import polars as pl

from tokumei.data.date_formats import hold_values

# So many lines show it.
_SAMPLE = 1000
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_OTHERS = ("\t", ";", "|")
BLANKS = " "


def find_separator(text: bytes) -> str:
    """Return the separator of a text; a comma where nothing speaks for another one."""
    head = text[: 1 << 20].decode("utf-8", "replace")
    lines = _QUOTED.sub("x", head).splitlines()
    lines = [line for line in (lines[:-1] if len(text) > 1 << 20 else lines) if line.strip()][:_SAMPLE]
    if not lines:
        return ","
    equal = [sign for sign in (",", *_OTHERS) if _equally_often(lines, sign)]
    others = [sign for sign in equal if sign != ","]
    if others and ("," not in equal or _between_digits(lines)):
        # With commas in some lines only, a sign that stands in every line equally often separates.
        return others[0]
    if equal or any("," in line for line in lines):
        return ","
    return BLANKS if _words(lines) else ","


def _equally_often(lines: list[str], sign: str) -> bool:
    counts = {line.count(sign) for line in lines}
    return len(counts) == 1 and counts != {0} and len(lines) > 1


def _between_digits(lines: list[str]) -> bool:
    """Return whether every comma is a decimal sign."""
    return not any(re.search(r"(?<!\d),|,(?!\d)", line) for line in lines)


def _words(lines: list[str]) -> bool:
    rows = [line.split() for line in lines]
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths == {1} or len(lines) < 2:
        return False
    columns = zip(*rows[1:], strict=True)
    return hold_values([pl.Series(list(column)) for column in columns])


def words_with_tabs(text: bytes) -> bytes:
    """Return lines of words between blanks as lines of cells between tabs."""
    lines = text.decode("utf-8").splitlines()
    return ("\n".join("\t".join(line.split()) for line in lines) + "\n").encode()
