"""The format check of PWS Cup 2019: one column of region ids, sets or stars (later contests, spec 4).

All faults are collected; beside them stands what the server's R program says: the first of column count, row count,
column name and cells that fails, with at most ten rows. It reads as readr does: blank lines skipped, blanks around a
cell trimmed, what follows a comma dropped, and a column of numbers read as numbers. ``strict`` refuses what passes by
that, and a star inside a set, on which the evaluator stops.
"""

from __future__ import annotations

import re
from typing import Any

from tokumei.contests.findings import Findings
from tokumei.contests.pws2019.traces import GRID
from tokumei.data import HIDDEN_REGION

HOME = "tokumei.contests.pws2019"
NAME = "reg_id"
SHOWN_ROWS = 10
_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d+)?|[-+]?\.\d+([eE][-+]?\d+)?")
_KNOWN = frozenset([*map(str, range(1, GRID.count + 1)), HIDDEN_REGION])


def _cells(line: str) -> list[str]:
    """Return the cells of a line as readr does: trimmed, without quotation marks."""
    return [cell.strip(" \t").strip('"') if '"' in cell else cell.strip(" \t") for cell in line.split(",")]


def check_cells(raw: bytes, file: str, *, rows: int, strict: bool = False) -> Findings:
    """Return the faults of a file, and the official answer (code, rows, message)."""
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    numbered = [(at, line) for at, line in enumerate(text.split("\n"), 1) if line != ""]
    header, body = (_cells(numbered[0][1]), numbered[1:]) if numbered else ([], [])
    cells = [_cells(line)[0] for _at, line in body]
    kinds = {cell: _kind(cell) for cell in set(cells)}
    numbers = all(kind in ("id", "number") for kind in kinds.values())
    found = Findings(HOME)
    if len(header) != 1:
        found.add("column-count", file, line=1, found=len(header))
    if len(body) != rows:
        found.add("row-count", file, found=len(body), wanted=rows)
    if header[:1] != [NAME]:
        found.add("column-name", file, line=1)
    right = {cell for cell, kind in kinds.items() if kind in ("id", "set") or (numbers and _is_region(cell))}
    bad = [place for place, cell in enumerate(cells) if cell not in right]
    codes = dict.fromkeys(bad, "region")
    if strict:
        for place, (cell, (_at, line)) in enumerate(zip(cells, body, strict=True)):
            if line != cell or kinds[cell] == "number":
                codes.setdefault(place, "written")
            elif HIDDEN_REGION in cell and cell != HIDDEN_REGION:
                codes.setdefault(place, "star-in-set")
    for place, code in sorted(codes.items()):
        found.add(code, file, line=body[place][0], column=1, name=NAME, value=body[place][1])
    found.official = _official(len(header), len(body), rows, header[:1] == [NAME], cells, bad)
    return found


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
    return _NUMBER.fullmatch(cell) is not None and float(cell) in range(1, GRID.count + 1)
