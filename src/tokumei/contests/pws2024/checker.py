"""The checks of PWS Cup 2024: one published table against the original, and an answer file (later contests, spec 3).

All faults are collected; beside them stands what the official ``checkCi.py`` says, which stops at the first class of
faults (file, name, rows, columns, then all columns) or with an exception. ``strict`` refuses what it lets pass by
mistake: a kept Name column, ratings like 4.0, other spellings of a value, lines of other lengths.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tokumei.contests.findings import Findings
from tokumei.contests.pandas_table import Table, parse_table
from tokumei.contests.pws2024.files import HOME, KNOWN, NAME, RATINGS, TEST_ROWS
from tokumei.contests.table_checks import ColumnValues, check_columns, note_lengths, note_wrong
from tokumei.data import read_bytes
from tokumei.errors import TokumeiError

FILE_NAME = re.compile(r"C\d{2}_\d\.csv")
SHOWN_OFFICIAL = 20
_RATING = ColumnValues("rating", frozenset(map(float, RATINGS)), frozenset(RATINGS))
_OFFICIAL = {
    "FILE": "ファイル '{name}' が存在しません",
    "NAME": "ファイル '{name}' の名前のフォーマットが正しくありません",
    "ROWS": "行数が{rows}ではありません",
    "COLUMNS": "列名が一致しません",
    "RATING": "列 {name} に0から5の整数以外の値が含まれています",
    "UNKNOWN_VALUE": "列 {name} にBの当該列に含まれる値以外の値が含まれています",
}


def official_verdict(
    codes: list[tuple[str, str | None]], name: str, rows: int, error: str | None = None
) -> dict[str, Any]:
    """Return the official answer: whether the file passes, the messages with their codes, or an exception."""
    if error is not None:
        return {"valid": False, "error": error, "codes": [], "messages": []}
    kept = codes[:SHOWN_OFFICIAL]
    messages = [_OFFICIAL[code].format(name=column or name, rows=rows) for code, column in kept]
    return {"valid": not codes, "error": None, "codes": [list(pair) for pair in kept], "messages": messages}


def check_file(original: Table, path: Path, *, rows: int, strict: bool = False) -> Findings:
    """Check a file C{ii}_{j}.csv: that it exists, its name, its content."""
    found = Findings(HOME)
    if not path.is_file():
        found.add("file-missing", path.name)
        found.official = official_verdict([("FILE", None)], path.name, rows)
        return found
    checked, _table = check_table(original, read_bytes(path, allow_empty=True), path.name, rows=rows, strict=strict)
    if FILE_NAME.fullmatch(path.name):
        return checked
    found.add("file-name", path.name)
    found.take(checked)
    found.official = official_verdict([("NAME", None)], path.name, rows)
    return found


def check_table(
    original: Table, raw: bytes, file: str, *, rows: int, strict: bool = False
) -> tuple[Findings, Table | None]:
    """Check the content of a table against the same table of B; return the faults, and what was read."""
    found = Findings(HOME)
    try:
        raw.decode("utf-8")
        table = parse_table(raw, file)
    except (UnicodeDecodeError, TokumeiError) as error:
        if isinstance(error, TokumeiError):
            found.add_error(error, file)
        else:
            found.add("no-table", file, error="UnicodeDecodeError")
        found.official = official_verdict([], file, rows, "UnicodeDecodeError")
        return found, None
    if table.error is not None:
        note_lengths(found, table, file)
        found.add("no-table", file, error=table.error)
        found.official = official_verdict([], file, rows, table.error)
        return found, table
    if table.rows != rows:
        found.add("row-count", file, found=table.rows, wanted=rows)
    if strict:
        note_lengths(found, table, file)
        if NAME in table.columns:
            found.add("name-column", file, line=1, column=table.columns.index(NAME) + 1, name=NAME)
    wanted, present = ([name for name in one.columns if name != NAME] for one in (original, table))
    codes: list[tuple[str, str | None]] = []
    if wanted == present:
        columns = {name: _RATING if name not in KNOWN else _known(original, name) for name in wanted}
        refused = check_columns(found, file, table, columns, strict=strict)
        codes = [(columns[name].code.replace("-", "_").upper(), name) for name in refused]
    else:
        found.add("columns", file, line=1, wanted=",".join(wanted))
        codes = [("COLUMNS", None)]
    stops = "ValueError" if len(wanted) != len(present) and table.rows == rows else None
    found.official = official_verdict(codes if table.rows == rows else [("ROWS", None)], file, rows, stops)
    return found, table


def _known(original: Table, name: str) -> ColumnValues:
    return ColumnValues.of("unknown-value", frozenset(original.frame[name].to_list()))


def check_answers(answers: Table, file: str = "E", *, strict: bool = False) -> Findings:
    """Check an answer file: 50 rows of two whole numbers; strict refuses the text that makes a column worthless."""
    found = Findings(HOME)
    if answers.error is not None:
        found.add("no-table", file, error=answers.error)
        return found
    if len(answers.columns) != 2:
        found.add("line-length", file, line=1, found=len(answers.columns), wanted=2)
    if answers.rows != TEST_ROWS:
        found.add("row-count", file, found=answers.rows, wanted=TEST_ROWS)
    for name in answers.columns[:2] if strict else ():
        note_wrong(found, "answer", file, answers, name, lambda text: re.fullmatch("[0-9]*", text) is not None)
    return found
