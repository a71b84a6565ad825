"""Tables of digits of PWS Cup 2023: files, checks, utility and the counting of an attack (later contests, spec 5).

A cell is a digit, in A also ``*`` (kept as 10). The official checkers stop at the first fault, line by line; here all
are collected and the first stands under ``official`` in their words.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.findings import Findings
from tokumei.contests.ruby_random import RubyRandom
from tokumei.data import read_bytes
from tokumei.errors import InputError
from tokumei.words import Message

HOME = "tokumei.contests.pws2023"
SECRET_COLUMNS = 10
VALUES = 10
STAR = 10
SEED = re.compile(r"0|[1-9][0-9]*")
_DIGITS = 4000
TEAM = re.compile(r"[0-9][0-9]")


def secret_table(seed: int, rows: int) -> Ints:
    """Return R = G(seed): two tables of draws added modulo 10, each followed by a shuffle that changes nothing."""
    draw = RubyRandom(seed)
    total = np.zeros((rows, SECRET_COLUMNS), dtype=np.int64)
    for _ in range(2):
        total += draw.draws(rows * SECRET_COLUMNS, VALUES).reshape(rows, SECRET_COLUMNS)
        draw.skip_shuffle(rows)
    return total % VALUES


def public_table(seed: int, rows: int, columns: int) -> Ints:
    """Return P: every cell the smaller of two draws, row by row."""
    drawn = RubyRandom(seed).draws(2 * rows * columns, VALUES)
    return drawn.reshape(rows, columns, 2).min(axis=2)


def check_table(raw: bytes, file: str, *, rows: int, columns: int, star: bool = False) -> tuple[Findings, Ints | None]:
    """Check a table of digits, with ``star`` also of ``*``; return the faults and, if there is none, the table."""
    lines = raw.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    texts = pl.Series(lines, dtype=pl.String).str.replace(r"\r$", "")
    digit = "[0-9*]" if star else "[0-9]"
    right = texts.str.contains(rf"^{digit}(,{digit}){{{columns - 1}}}$")
    found = Findings(HOME)
    first = None
    if len(lines) != rows:
        found.add("row-count", file, found=len(lines), wanted=rows)
    for place in (~right).arg_true().to_list():
        said = _add_faults(found, texts[place], file, place + 1, columns, star=star)
        first = first or (said if place < rows else None)
    if len(lines) != rows:
        first = first or (f"line {len(lines) + 1}: not a string" if len(lines) < rows else "too many lines")
    found.official = {"valid": first is None, "message": first}
    return found, _digits(texts, rows, columns) if found.valid else None


def _add_faults(found: Findings, text: str, file: str, line: int, columns: int, *, star: bool) -> str:
    """Add the faults of a line; return the first in the official words."""
    # Ruby cuts an empty line into no cell at all.
    cells = text.split(",") if text else []
    if len(cells) != columns:
        found.add("column-count", file, line=line, found=len(cells), wanted=columns)
        return f"line {line}: wrong number of columns"
    known = set("0123456789*" if star else "0123456789")
    wrong = [(at, cell) for at, cell in enumerate(cells, 1) if cell not in known]
    allowed = Message("word.digit-or-star" if star else "word.digit", {}, HOME)
    for at, cell in wrong:
        found.add("cell", file, line=line, column=at, value=cell, allowed=allowed)
    return f"line {line}: col {wrong[0][0]}: {wrong[0][1]}"


def _digits(texts: pl.Series, rows: int, columns: int) -> Ints:
    cells = np.frombuffer("".join(texts.to_list()).encode(), dtype=np.uint8).reshape(rows, 2 * columns - 1)[:, ::2]
    return np.where(cells == ord("*"), STAR, cells.astype(np.int64) - ord("0"))


def read_digits(path: Path, *, star: bool = False) -> Ints:
    """Read a table of digits that must be right."""
    raw = read_bytes(path)
    lines = raw.count(b"\n") + (not raw.endswith(b"\n"))
    columns = raw.split(b"\n", 1)[0].count(b",") + 1
    found, table = check_table(raw, str(path), rows=lines, columns=columns, star=star)
    if table is None:
        first = found.notes[0]
        message = f"{path}: {first.message['en']} ({found.official['message']}); repair the file"
        raise InputError(message, code=first.code, file=str(path), line=first.line)
    return table


def check_secret(public: Ints, r: Path, seed: Path, *, strict: bool = False) -> tuple[Findings, Ints | None]:
    """Check R and the seed it must come from; return the faults and, if there is none, P and R side by side."""
    raw = read_bytes(seed, allow_empty=True)
    found, number = Findings(HOME), seed_of(raw)
    if number is None:
        found.add("seed", "seed.txt", line=1)
    elif strict and raw.count(b"\n") > 1:
        found.add("seed-lines", "seed.txt", line=2)
    faults, secret = check_table(read_bytes(r, allow_empty=True), "R", rows=len(public), columns=SECRET_COLUMNS)
    found.take(faults)
    if number is not None and secret is not None and (secret_table(number, len(public)) != secret).any():
        found.add("secret", "R")
    return found, np.hstack([public, secret]) if found.valid and secret is not None else None


def table_bytes(table: Ints) -> bytes:
    """Return a table as a file."""
    cells = np.array([*"0123456789", "*"])[table]
    return "".join(f"{','.join(row)}\n" for row in cells.tolist()).encode()


def sorted_rows(table: Ints) -> Ints:
    """Return B: the rows of A in the order of their bytes (C locale), in which ``*`` comes before the digits."""
    keys = np.where(table == STAR, -1, table)
    return table[np.lexsort(keys.T[::-1])]


def seed_of(raw: bytes) -> int | None:
    """Return the seed on the first line, None if there is none that is accepted."""
    first = first_line(raw)
    if SEED.fullmatch(first) is None:
        return None
    number = 0
    # Python converts only so many digits at once.
    for start in range(0, len(first), _DIGITS):
        piece = first[start : start + _DIGITS]
        number = number * 10 ** len(piece) + int(piece)
    return number


def first_line(raw: bytes) -> str:
    """Return the first line of a file without its end, as Ruby's chomp leaves it."""
    return raw.decode("utf-8", "replace").split("\n")[0].removesuffix("\r")


def equal_cells(table: Ints, other: Ints) -> int:
    """Return how many cells are equal; ``*`` never is."""
    return int(np.count_nonzero((table == other) & (table != STAR)))
