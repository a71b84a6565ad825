"""The format check of PWS Cup 2019: one column of region ids, sets or stars (later contests, spec 4).

All faults are collected; beside them stands what the server's R program says: the first of column count, row count,
column name and cells that fails, with at most ten rows. It reads as readr does: blank lines skipped, blanks around a
cell trimmed, what follows a comma dropped, and a column of numbers read as numbers. ``strict`` refuses what passes by
that, and a star inside a set, on which the evaluator stops.
"""

from __future__ import annotations

import re
from typing import Any

from tokumei.contests.notes import KEPT_NOTES, LONGEST_VALUE
from tokumei.contests.pws2019.regions import REGIONS
from tokumei.contests.pws2019.traces import HIDDEN
from tokumei.contests.values import Both, Note

NAME = "reg_id"
SHOWN_ROWS = 10
_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d+)?|[-+]?\.\d+([eE][-+]?\d+)?")
_KNOWN = frozenset([*map(str, range(1, REGIONS + 1)), HIDDEN])
SENTENCES: dict[str, Both] = {
    "column-count": {"en": "there are {found} columns instead of one", "ja": "1列のはずが{found}列です"},
    "row-count": {"en": "there are {found} rows instead of {wanted}", "ja": "{wanted}行のはずが{found}行です"},
    "column-name": {"en": "the column must be named reg_id", "ja": "列名はreg_idでなければなりません"},
    "region": {
        "en": "'{value}' must be a region from 1 to 1024, several of them separated by one blank each, or *",
        "ja": "「{value}」は1から1024の地域ID、半角空白1つで区切った複数のID、または*でなければなりません",
    },
    "written": {
        "en": "'{value}' is read only by accident; write ids without blanks, points, commas or quotation marks",
        "ja": "「{value}」は偶然読めるだけです。空白、小数点、コンマ、引用符のないIDを書いてください",
    },
    "star-in-set": {"en": "* cannot stand inside a set; '{value}'", "ja": "集合の中に*は使えません：「{value}」"},
    "low-utility": {"en": "the utility {found:.4f} is below {least}", "ja": "有用性{found:.4f}が{least}未満です"},
    "answer": {
        "en": "'{value}' is no answer; write one whole number",
        "ja": "「{value}」は答えになりません。整数を1つ書いてください",
    },
    "data": {"en": "the files do not hold traces of the same users", "ja": "同じ利用者のトレースではありません"},
}


def note(code: str, file: str, *, line: int | None = None, **facts: Any) -> Note:
    """Return a fault in both languages; ``value`` is the cell."""
    shown = {key: fact[:LONGEST_VALUE] if isinstance(fact, str) else fact for key, fact in facts.items()}
    message = {language: text.format(**shown) for language, text in SENTENCES[code].items()}
    column, name = (1, NAME) if "value" in facts else (None, None)
    return Note(code, message, file, line, column, name, shown.get("value"))


def _cells(line: str) -> list[str]:
    """Return the cells of a line as readr does: trimmed, without quotation marks."""
    return [cell.strip(" \t").strip('"') if '"' in cell else cell.strip(" \t") for cell in line.split(",")]


def check_cells(raw: bytes, file: str, *, rows: int, strict: bool = False) -> tuple[list[Note], int, dict[str, Any]]:
    """Return the first faults, how many there are, and the official answer (code, rows, message)."""
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    numbered = [(at, line) for at, line in enumerate(text.split("\n"), 1) if line != ""]
    header, body = (_cells(numbered[0][1]), numbered[1:]) if numbered else ([], [])
    cells = [_cells(line)[0] for _at, line in body]
    kinds = {cell: _kind(cell) for cell in set(cells)}
    numbers = all(kind in ("id", "number") for kind in kinds.values())
    notes: list[Note] = []
    if len(header) != 1:
        notes.append(note("column-count", file, line=1, found=len(header)))
    if len(body) != rows:
        notes.append(note("row-count", file, found=len(body), wanted=rows))
    if header[:1] != [NAME]:
        notes.append(note("column-name", file, line=1))
    wrong = {cell for cell, kind in kinds.items() if not (kind in ("id", "set") or (numbers and _is_region(cell)))}
    bad = [place for place, cell in enumerate(cells) if cell in wrong]
    found = dict.fromkeys(bad, "region")
    if strict:
        for place, (_at, line) in enumerate(body):
            if place not in found and line != cells[place]:
                found[place] = "written"
            elif place not in found and HIDDEN in cells[place] and cells[place] != HIDDEN:
                found[place] = "star-in-set"
            elif place not in found and kinds[cells[place]] == "number":
                found[place] = "written"
    count = len(notes) + len(found)
    for place, code in sorted(found.items())[:KEPT_NOTES]:
        notes.append(note(code, file, line=body[place][0], value=body[place][1]))
    return notes, count, _official(len(header), len(body), rows, header[:1] == [NAME], cells, bad)


def _official(columns: int, found: int, rows: int, named: bool, cells: list[str], bad: list[int]) -> dict[str, Any]:
    if columns != 1:
        return {"code": "COLUMN_COUNT", "message": "列数エラーです", "valid": False}
    if found != rows:
        return {"code": "ROW_COUNT", "message": "行数エラーです", "valid": False}
    if not named:
        return {"code": "COLUMN_NAME", "message": "列名エラーです", "valid": False}
    if any(cell in ("", "NA") for cell in cells):
        return {"code": "EXCEPTION", "message": "ERROR vctrs_error_ptype2", "valid": False}
    if bad:
        shown = [place + 1 for place in bad[:SHOWN_ROWS]]
        message = "\n".join(f"{row} 行目のreg_idがエラーです" for row in shown)
        return {"code": "REG_ID", "rows": shown, "message": message, "valid": False}
    return {"code": "OK", "message": "OK", "valid": True}


def _kind(cell: str) -> str:
    """Return what a cell is: an id, a set (or star), another number, or nothing that is allowed."""
    if cell.isascii() and cell.isdigit() and cell in _KNOWN:
        return "id"
    if all(part in _KNOWN for part in cell.split(" ")):
        return "set"
    return "number" if _NUMBER.fullmatch(cell) else "other"


def _is_region(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None and float(cell) in range(1, REGIONS + 1)
