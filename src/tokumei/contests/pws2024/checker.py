"""The checks of PWS Cup 2024: one published table against the original, and an answer file (later contests, spec 3).

All faults are collected; beside them stands what the official ``checkCi.py`` says, which stops at the first class of
faults (file, name, rows, columns, then all columns) or with an exception. ``strict`` refuses what it lets pass by
mistake: a kept Name column, ratings like 4.0, other spellings of a value, lines of other lengths.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokumei.contests.notes import KEPT_NOTES, LONGEST_VALUE, note_of_error
from tokumei.contests.pws2024.files import KNOWN, NAME, RATINGS, TEST_ROWS
from tokumei.contests.pws2024.table import MISSING_TEXTS, Table, number_of, parse_table, values_of
from tokumei.contests.values import Both, Note
from tokumei.data import read_bytes
from tokumei.errors import TokumeiError

FILE_NAME = re.compile(r"C\d{2}_\d\.csv")
SHOWN_OFFICIAL = 20
_RATING_NUMBERS = frozenset(map(float, RATINGS))
SENTENCES: dict[str, Both] = {
    "file-missing": {"en": "the file does not exist", "ja": "ファイルが存在しません"},
    "file-name": {
        "en": "the name must be C, two digits of the team, _ and one digit of the table, and .csv",
        "ja": "ファイル名は「C」＋チーム番号2桁＋「_」＋表番号1桁＋「.csv」にしてください",
    },
    "no-table": {"en": "the file is no table that can be read ({error})", "ja": "表として読めません（{error}）"},
    "row-count": {"en": "there are {found} rows instead of {wanted}", "ja": "{wanted}行のはずが{found}行です"},
    "columns": {"en": "the columns must be {wanted}, in this order", "ja": "列は順に{wanted}でなければなりません"},
    "rating": {"en": "'{value}' is no rating from 0 to 5", "ja": "「{value}」は0から5の整数ではありません"},
    "unknown-value": {
        "en": "'{value}' does not occur in this column of B",
        "ja": "「{value}」はBのこの列に含まれません",
    },
    "name-column": {"en": "the column Name must be left out", "ja": "Name列は除いてください"},
    "line-length": {
        "en": "the line has {found} cells instead of {wanted}",
        "ja": "この行は{wanted}個のはずが{found}個の値があります",
    },
    "answer": {
        "en": "'{value}' is no answer; write a whole number, or leave the cell empty",
        "ja": "「{value}」は答えになりません。整数を書くか、空欄にしてください",
    },
}
_OFFICIAL = {
    "FILE": "ファイル '{name}' が存在しません",
    "NAME": "ファイル '{name}' の名前のフォーマットが正しくありません",
    "ROWS": "行数が{rows}ではありません",
    "COLUMNS": "列名が一致しません",
    "RATING": "列 {name} に0から5の整数以外の値が含まれています",
    "UNKNOWN_VALUE": "列 {name} にBの当該列に含まれる値以外の値が含まれています",
}


@dataclass
class Findings:
    """Faults of one file, as notes in both languages; all are counted, the first ones kept."""

    file: str
    notes: list[Note] = field(default_factory=list)
    count: int = 0

    def add(self, code: str, *, line: int | None = None, column: int | None = None, **facts: Any) -> None:
        """Add a fault; ``name`` is that of its column, ``value`` what stands there."""
        self.count += 1
        if len(self.notes) < KEPT_NOTES:
            shown = {key: str(fact)[:LONGEST_VALUE] for key, fact in facts.items()}
            message = {language: text.format(**shown) for language, text in SENTENCES[code].items()}
            self.notes.append(Note(code, message, self.file, line, column, shown.get("name"), shown.get("value")))

    def add_cells(self, code: str, table: Table, name: str, wrong: Callable[[str], bool]) -> bool:
        """Add a fault for every cell of a column whose text is wrong; return whether there is one."""
        at, cells = table.columns.index(name) + 1, table.frame[name].to_list()
        texts = {text for text in set(cells) if wrong(text)}
        for row, text in enumerate(cells if texts else ()):
            if text in texts:
                self.add(code, line=int(table.lines[row]), column=at, name=name, value=text)
        return bool(texts)


@dataclass(frozen=True, slots=True)
class TableCheck:
    """What is wrong with a table, what was read, and what the official program says."""

    findings: Findings
    official: dict[str, Any]
    table: Table | None = None

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong."""
        return self.findings.count == 0

    def as_dict(self, language: str = "en") -> dict[str, Any]:
        """Return plain values for JSON."""
        errors = [{**note.as_dict(), "message": note.message[language]} for note in self.findings.notes]
        return {"valid": self.valid, "error_count": self.findings.count, "errors": errors, "official": self.official}


def official_verdict(codes: list[tuple[str, str | None]], name: str, rows: int, error: str | None) -> dict[str, Any]:
    """Return the official answer: whether the file passes, the messages with their codes, or an exception."""
    if error is not None:
        return {"valid": False, "error": error, "codes": [], "messages": []}
    kept = codes[:SHOWN_OFFICIAL]
    messages = [_OFFICIAL[code].format(name=column or name, rows=rows) for code, column in kept]
    return {"valid": not codes, "error": None, "codes": [list(pair) for pair in kept], "messages": messages}


def check_file(original: Table, path: Path, *, rows: int, strict: bool = False) -> TableCheck:
    """Check a file C{ii}_{j}.csv: that it exists, its name, its content."""
    findings = Findings(path.name)
    if not path.is_file():
        findings.add("file-missing")
        return TableCheck(findings, official_verdict([("FILE", None)], path.name, rows, None))
    checked = check_table(original, read_bytes(path, allow_empty=True), path.name, rows=rows, strict=strict)
    if FILE_NAME.fullmatch(path.name) is None:
        findings.add("file-name")
        findings.notes += checked.findings.notes
        findings.count += checked.findings.count
        return TableCheck(findings, official_verdict([("NAME", None)], path.name, rows, None), checked.table)
    return checked


def check_table(original: Table, raw: bytes, file: str, *, rows: int, strict: bool = False) -> TableCheck:
    """Check the content of a table against the same table of B."""
    findings = Findings(file)
    try:
        raw.decode("utf-8")
        table = parse_table(raw, file)
    except UnicodeDecodeError:
        findings.add("no-table", error="UnicodeDecodeError")
        return TableCheck(findings, official_verdict([], file, rows, "UnicodeDecodeError"))
    except TokumeiError as error:
        findings.notes.append(note_of_error(error, file))
        findings.count = 1
        return TableCheck(findings, official_verdict([], file, rows, "UnicodeDecodeError"))
    if table.error is not None:
        _note_lengths(findings, table)
        findings.add("no-table", error=table.error)
        return TableCheck(findings, official_verdict([], file, rows, table.error), table)
    if table.rows != rows:
        findings.add("row-count", found=table.rows, wanted=rows)
    if strict:
        _note_lengths(findings, table)
        if NAME in table.columns:
            findings.add("name-column", line=1, column=table.columns.index(NAME) + 1, name=NAME)
    wanted, found = ([name for name in one.columns if name != NAME] for one in (original, table))
    codes: list[tuple[str, str | None]] = []
    if wanted != found:
        findings.add("columns", line=1, wanted=",".join(wanted))
    else:
        codes = _check_values(original, table, wanted, findings, strict=strict)
    stopped = "ValueError" if len(wanted) != len(found) and table.rows == rows else None
    first: list[tuple[str, str | None]] = [("ROWS", None)] if table.rows != rows else []
    if wanted != found and not first:
        first = [("COLUMNS", None)]
    return TableCheck(findings, official_verdict(first or codes, file, rows, stopped), table)


def _note_lengths(findings: Findings, table: Table) -> None:
    for line, cells in table.ragged:
        findings.add("line-length", line=line, found=cells, wanted=len(table.columns))


def _check_values(
    original: Table, table: Table, names: list[str], findings: Findings, *, strict: bool
) -> list[tuple[str, str | None]]:
    """Add every wrong cell; return the columns that the official program reports."""
    codes: list[tuple[str, str | None]] = []
    for name in names:
        known = set(original.frame[name].to_list())
        rating = name not in KNOWN
        allowed, code = (_is_rating, "rating") if rating else (_member_of(known), "unknown-value")
        written = set(RATINGS) if rating else known
        if any(not allowed(text) for text in set(table.frame[name].to_list())):
            codes.append(("RATING" if rating else "UNKNOWN_VALUE", name))
        findings.add_cells(code, table, name, _not(written.__contains__ if strict else allowed))
    return codes


def _not(rule: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda text: not rule(text)


def _is_rating(text: str) -> bool:
    """Return whether a cell is a rating; cells are judged by themselves, not by their column."""
    return text not in MISSING_TEXTS and number_of(text) in _RATING_NUMBERS


def _member_of(known: set[str]) -> Callable[[str], bool]:
    values = {value for value in values_of(known).values() if value is not None}
    numeric = not any(isinstance(value, str) for value in values)
    return lambda text: text not in MISSING_TEXTS and (number_of(text) if numeric else text) in values


def check_answers(answers: Table, file: str = "E", *, strict: bool = False) -> Findings:
    """Check an answer file: 50 rows of two whole numbers; strict refuses the text that makes a column worthless."""
    findings = Findings(file)
    if answers.error is not None:
        findings.add("no-table", error=answers.error)
        return findings
    if len(answers.columns) != 2:
        findings.add("line-length", line=1, found=len(answers.columns), wanted=2)
    if answers.rows != TEST_ROWS:
        findings.add("row-count", found=answers.rows, wanted=TEST_ROWS)
    if strict:
        for name in answers.columns[:2]:
            findings.add_cells("answer", answers, name, lambda text: re.fullmatch("[0-9]*", text) is None)
    return findings
