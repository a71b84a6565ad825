"""The 2018 format rules once more, line by line and cell by cell, straight from RULES.md.

Slow and plain on purpose, and without anything of `tokumei`: the fast checkers are compared with this.
"""

from __future__ import annotations

import calendar
import re
from decimal import Decimal

Place = tuple[int, int | None, str]
Row = tuple[str, str, str, str, str]

PSEUDONYM = re.compile(rb"[1-9][0-9]{0,8}")
PRICE = re.compile(r"(0|[1-9][0-9]{0,4})(\.[0-9]{1,2})?", re.ASCII)
QUANTITY = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)
DATE = re.compile(r"([0-9]{4})/([0-9]{1,2})/([0-9]{1,2})", re.ASCII)
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)


def read_lines(raw: bytes, rows: int) -> tuple[list[bytes], Place | None]:
    """Read byte by byte; return the lines to check and the finding that ended the reading."""
    lines: list[bytes] = []
    at = 0
    while at < len(raw):
        line = bytearray()
        while at < len(raw) and raw[at] != 10:
            if raw[at] == 13:
                if raw[at + 1 : at + 2] != b"\n":
                    return lines, (len(lines) + 1, None, "BAD_NEWLINE")
                at += 1
                break
            line.append(raw[at])
            at += 1
            if len(line) > 8000:
                return lines, (len(lines) + 1, None, "LINE_TOO_LONG")
        at += 1
        if len(lines) == rows:
            return lines, (rows + 1, None, "TOO_MANY_LINES")
        lines.append(bytes(line))
    if len(lines) < rows:
        return lines, (len(lines), None, "NOT_ENOUGH_LINES")
    return lines, None


def day(text: str) -> tuple[int, int, int] | None:
    match = DATE.fullmatch(text)
    if match is None:
        return None
    year, month, number = map(int, match.groups())
    if year not in (2010, 2011) or not 1 <= month <= 12:
        return None
    return (year, month, number) if 1 <= number <= calendar.monthrange(year, month)[1] else None


def price(text: str) -> Decimal | None:
    return Decimal(text) if PRICE.fullmatch(text) and Decimal(text) > 0 else None


def quantity(text: str) -> Decimal | None:
    return Decimal(text) if QUANTITY.fullmatch(text) else None


def ordered_cell(cell: str, original: str, column: int) -> str | None:
    """Return the code of a date, price or quantity cell."""
    read = {1: day, 3: price, 4: quantity}[column]
    true: object = day(original) if column == 1 else Decimal(original) if NUMBER.fullmatch(original) else None
    if cell == "*":
        return None
    if cell.startswith("[") and cell.endswith("]"):
        bounds = cell[1:-1].split(";")
        if len(bounds) != 2:
            return "INVALID"
        low, high = read(bounds[0]), read(bounds[1])
    else:
        low = high = read(cell)
    if low is None or high is None or low > high:  # type: ignore[operator]
        return "INVALID"
    if true is None or true < low or true > high:  # type: ignore[operator]
        return "NOT_CONTAINED"
    return None


def goods_cell(cell: bytes, original: bytes, known: set[bytes]) -> str | None:
    """Return the code of a goods cell."""
    if cell == b"*":
        return None
    if len(cell) > 2 and cell[:1] == b"{" and cell[-1:] == b"}" and not set(cell[1:-1]) & set(b"{}"):
        elements = cell[1:-1].split(b";")
        if len(elements) > 100 or len(set(elements)) < len(elements) or not set(elements) <= known - {b""}:
            return "INVALID"
        return None if original in elements else "NOT_CONTAINED"
    return None if cell == original else "NOT_CONTAINED"


def release_places(original: list[Row], raw: bytes) -> list[Place]:
    """Return (line, cell, code) of every finding in a file A."""
    lines, end = read_lines(raw, len(original))
    known = {row[2].encode() for row in original}
    pseudonym_of: dict[str, bytes] = {}
    customer_of: dict[bytes, str] = {}
    found: list[Place] = []
    for number, (line, row) in enumerate(zip(lines, original, strict=False), start=1):
        cells = line.split(b",") if line else []
        if len(cells) != 5:
            found.append((number, None, "TOO_MANY_CELLS" if len(cells) > 5 else "NOT_ENOUGH_CELLS"))
            continue
        if line == b"*,*,*,*,*":
            continue
        pseudonym, customer = cells[0], row[0]
        if not PSEUDONYM.fullmatch(pseudonym):
            found.append((number, 1, "INVALID"))
        elif pseudonym_of.get(customer, pseudonym) != pseudonym or customer_of.get(pseudonym, customer) != customer:
            found.append((number, 1, "INCONSISTENT"))
        else:
            pseudonym_of[customer], customer_of[pseudonym] = pseudonym, customer
        for column in (1, 2, 3, 4):
            if column == 2:
                code = goods_cell(cells[2], row[2].encode(), known)
            else:
                code = ordered_cell(cells[column].decode("latin-1"), row[column], column)
            if code:
                found.append((number, column + 1, code))
    return [*found, end] if end else found


def guess_places(customers: list[str], pseudonyms: list[str], raw: bytes) -> list[tuple[int, str]]:
    """Return (line, code) of every wrong line of a file F'."""
    found: list[tuple[int, str]] = []
    seen: set[bytes] = set()
    for number, line in enumerate(raw.splitlines(), start=1):
        if not re.fullmatch(rb"[0-9]+,[0-9]+", line):
            found.append((number, "INVALID_FORMAT"))
            continue
        pseudonym, customer = line.split(b",")
        if pseudonym.decode() not in pseudonyms:
            found.append((number, "UNKNOWN_PSEUDONYM"))
            continue
        if customer.decode() not in customers:
            found.append((number, "UNKNOWN_CUSTOMER"))
        elif pseudonym in seen:
            found.append((number, "DUPLICATE_PSEUDONYM"))
        seen.add(pseudonym)
    return found
