"""Tables of digits of PWS Cup 2023: files, checks, utility and the counting of an attack (later contests, spec 5).

A cell is a digit, in A also ``*`` (kept as 10). The official checkers stop at the first fault, line by line; here all
are collected and the first stands under ``official`` in their words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.notes import KEPT_NOTES, LONGEST_VALUE
from tokumei.contests.values import Both, Note
from tokumei.data import read_bytes
from tokumei.errors import InputError

STAR = 10
SEED = re.compile(r"0|[1-9][0-9]*")
TEAM = re.compile(r"[0-9][0-9]")
SENTENCES: dict[str, Both] = {
    "row-count": {"en": "there are {found} lines instead of {wanted}", "ja": "{wanted}行のはずが{found}行です"},
    "column-count": {
        "en": "the line has {found} cells instead of {wanted}",
        "ja": "この行は{wanted}個のはずが{found}個の値があります",
    },
    "cell": {"en": "'{value}' must be {allowed}", "ja": "「{value}」は{allowed_ja}でなければなりません"},
    "seed": {
        "en": "the seed must be a whole number without leading zeros",
        "ja": "シードは先頭に0のない整数にしてください",
    },
    "seed-lines": {
        "en": "only the first line of the seed counts; leave the others out",
        "ja": "シードは1行だけにしてください",
    },
    "secret": {"en": "R is not what the seed gives", "ja": "Rがシードから生成される表と一致しません"},
    "team-id": {"en": "the file must hold two digits, the number of the team", "ja": "チーム番号2桁を書いてください"},
    "surplus": {"en": "'{value}' is no file of this submission", "ja": "「{value}」はこの提出のファイルではありません"},
}


def note(code: str, file: str, *, line: int | None = None, column: int | None = None, **facts: Any) -> Note:
    """Return a fault in both languages; ``value`` is the cell."""
    shown = {key: fact[:LONGEST_VALUE] if isinstance(fact, str) else fact for key, fact in facts.items()}
    message = {language: text.format(**shown) for language, text in SENTENCES[code].items()}
    return Note(code, message, file, line, column, None, shown.get("value"))


@dataclass(frozen=True, slots=True)
class TableCheck:
    """The first faults of a file, how many there are, what the official checker says, and the table if it is right."""

    notes: tuple[Note, ...]
    count: int
    message: str | None
    table: Ints | None


def check_table(raw: bytes, file: str, *, rows: int, columns: int, star: bool) -> TableCheck:
    """Check a table of digits; with ``star`` cells may be ``*``."""
    lines = raw.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    texts = pl.Series(lines, dtype=pl.String).str.replace(r"\r$", "")
    digit = "[0-9*]" if star else "[0-9]"
    right = texts.str.contains(rf"^{digit}(,{digit}){{{columns - 1}}}$")
    notes: list[Note] = []
    count, first = 0, None
    for place in (~right).arg_true().to_list():
        found, told = _faults(texts[place], file, place + 1, columns, star=star)
        first = first or (told if place < rows else None)
        count += len(found)
        notes += found[: max(KEPT_NOTES - len(notes), 0)]
    if len(lines) != rows:
        notes.insert(0, note("row-count", file, found=len(lines), wanted=rows))
        count += 1
        first = first or (f"line {len(lines) + 1}: not a string" if len(lines) < rows else "too many lines")
    return TableCheck(tuple(notes), count, first, None if count else _digits(texts, rows, columns))


def _digits(texts: pl.Series, rows: int, columns: int) -> Ints:
    cells = np.frombuffer("".join(texts.to_list()).encode(), dtype=np.uint8).reshape(rows, 2 * columns - 1)[:, ::2]
    return np.where(cells == ord("*"), STAR, cells.astype(np.int64) - ord("0"))


def _faults(text: str, file: str, line: int, columns: int, *, star: bool) -> tuple[list[Note], str]:
    """Return the faults of a line, and the first in the official words."""
    cells = text.split(",")
    if len(cells) != columns:
        return [
            note("column-count", file, line=line, found=len(cells), wanted=columns)
        ], f"line {line}: wrong number of columns"
    known = set("0123456789*" if star else "0123456789")
    wrong = [(at, cell) for at, cell in enumerate(cells, 1) if cell not in known]
    words = ("a digit or *", "数字1文字または*") if star else ("a digit", "数字1文字")
    facts = {"allowed": words[0], "allowed_ja": words[1]}
    found = [note("cell", file, line=line, column=at, value=cell, **facts) for at, cell in wrong]
    return found, f"line {line}: col {wrong[0][0]}: {wrong[0][1]}"


def read_digits(path: Path, *, star: bool = False) -> Ints:
    """Read a table of digits that must be right."""
    raw = read_bytes(path)
    lines = raw.count(b"\n") + (not raw.endswith(b"\n"))
    columns = raw.split(b"\n", 1)[0].count(b",") + 1
    checked = check_table(raw, str(path), rows=lines, columns=columns, star=star)
    if checked.table is None:
        message = f"{path}: {checked.notes[0].message['en']} ({checked.message}); repair the file"
        raise InputError(message, code=checked.notes[0].code, file=str(path), line=checked.notes[0].line)
    return checked.table


def text_lines(table: Ints) -> list[str]:
    """Return the lines of a table."""
    cells = np.array([*"0123456789", "*"])[table]
    return [",".join(row) for row in cells.tolist()]


def table_bytes(table: Ints) -> bytes:
    """Return a table as a file."""
    return "".join(f"{line}\n" for line in text_lines(table)).encode()


def sorted_bytes(table: Ints) -> bytes:
    """Return B: the rows of A in the order of their bytes (C locale)."""
    return "".join(f"{line}\n" for line in sorted(text_lines(table))).encode()


def seed_of(raw: bytes) -> int | None:
    """Return the seed on the first line, None if there is none that is accepted."""
    first = re.sub(r"\r$", "", raw.decode("utf-8", "replace").split("\n")[0])
    return int(first) if SEED.fullmatch(first) else None


def equal_cells(table: Ints, other: Ints) -> int:
    """Return how many cells are equal; ``*`` never is."""
    return int(np.count_nonzero((table == other) & (table != STAR)))
