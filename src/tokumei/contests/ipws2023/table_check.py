"""The check of iPWS Cup 2023: a health table of the shape of B, and answers about drawn rows (spec 6)."""

from __future__ import annotations

import re
from typing import Any

from tokumei.contests.notes import KEPT_NOTES, LONGEST_VALUE
from tokumei.contests.pws2021.table import COLUMNS, DOMAINS, NUMBERS
from tokumei.contests.values import Both, Note

RANGES = {"age": (13.0, 87.0), "bmi": (8.0, 91.0)}
_FLAG = (0.0, 1.0)
# Always 0 in the data, and not checked.
_FREE = ("gh", "mets")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
SENTENCES: dict[str, Both] = {
    "row-count": {"en": "there are {found} lines instead of {wanted}", "ja": "{wanted}行のはずが{found}行です"},
    "column-count": {
        "en": "the line has {found} cells instead of {wanted}",
        "ja": "この行は{wanted}個のはずが{found}個の値があります",
    },
    "number": {
        "en": "'{value}' is no number from {low:g} to {high:g}",
        "ja": "「{value}」は{low:g}から{high:g}の数ではありません",
    },
    "unknown-value": {"en": "'{value}' is none of {known}", "ja": "「{value}」は{known}のどれでもありません"},
    "row-number": {
        "en": "'{value}' is no row from 0 to {last}",
        "ja": "「{value}」は0から{last}の行番号ではありません",
    },
}


def _note(code: str, file: str, line: int | None = None, column: int | None = None, **facts: Any) -> Note:
    shown = {key: fact[:LONGEST_VALUE] if isinstance(fact, str) else fact for key, fact in facts.items()}
    message = {language: text.format(**shown) for language, text in SENTENCES[code].items()}
    name = COLUMNS[column - 1] if column is not None and file == "anonymized" else None
    return Note(code, message, file, line, column, name, shown.get("value"))


def _lines(raw: bytes) -> list[str]:
    return raw.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n").splitlines() if raw.strip() else []


def check_table(raw: bytes, rows: int) -> tuple[list[Note], int]:
    """Return the first faults of an anonymized table, and how many there are."""
    lines = _lines(raw)
    notes = [] if len(lines) == rows else [_note("row-count", "anonymized", found=len(lines), wanted=rows)]
    count = len(notes)
    for number, line in enumerate(lines, 1):
        cells = line.split(",")
        if len(cells) != len(COLUMNS):
            found = [_note("column-count", "anonymized", number, found=len(cells), wanted=len(COLUMNS))]
        else:
            found = [note for at, cell in enumerate(cells, 1) if (note := _cell(cell, number, at)) is not None]
        count += len(found)
        notes += found[: max(KEPT_NOTES - len(notes), 0)]
    return notes, count


def _cell(cell: str, line: int, at: int) -> Note | None:
    name = COLUMNS[at - 1]
    if name in DOMAINS:
        if cell in DOMAINS[name]:
            return None
        return _note("unknown-value", "anonymized", line, at, value=cell, known=", ".join(DOMAINS[name]))
    low, high = RANGES.get(name, _FLAG)
    if name in _FREE and _NUMBER.fullmatch(cell.strip()):
        return None
    if name in NUMBERS and _NUMBER.fullmatch(cell.strip()) and low <= float(cell) <= high:
        return None
    return _note("number", "anonymized", line, at, value=cell, low=low, high=high)


def check_answers(raw: bytes, rows: int, wanted: int) -> tuple[list[Note], list[int]]:
    """Return the faults of an answer file, and its row numbers."""
    lines = _lines(raw)
    notes = [] if len(lines) == wanted else [_note("row-count", "estimated", found=len(lines), wanted=wanted)]
    numbers = []
    for number, line in enumerate(lines, 1):
        right = re.fullmatch(r"\d{1,9}", line.strip(), re.ASCII) is not None and int(line) < rows
        numbers.append(int(line) if right else -1)
        if not right and len(notes) < KEPT_NOTES:
            notes.append(_note("row-number", "estimated", number, 1, value=line, last=rows - 1))
    return notes, numbers
