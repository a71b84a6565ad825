"""Check A against T by the official rules (golden RULES)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from benchmarks import plain
from benchmarks.harness import Benchmark
from benchmarks.inputs import Inputs
from tokumei.contests.pws2018.rules import Original, Rules2018

__all__ = ["benchmark", "count_errors"]

PSEUDONYM = re.compile(r"[1-9][0-9]{0,8}")
DATE = re.compile(r"201[01]/[0-9]{1,2}/[0-9]{1,2}")
PRICE = re.compile(r"(0|[1-9][0-9]{0,4})(\.[0-9]{1,2})?")
QUANTITY = re.compile(r"[1-9][0-9]{0,5}")


def benchmark(inputs: Inputs) -> Benchmark:
    """Return the benchmark."""

    def library() -> dict[str, float]:
        result = Rules2018().check(Original.read(inputs.t), inputs.a)
        return {"valid": result.valid, "errors": result.error_count}

    def by_hand() -> dict[str, float]:
        errors = count_errors(inputs.t, inputs.a)
        return {"valid": errors == 0, "errors": errors}

    return Benchmark(name="check", summary="read T, check A", library=library, plain=by_hand, limit=0.5)


def count_errors(t: Path, a: Path) -> int:
    """Return the number of wrong cells and lines."""
    original = plain.read_rows(t)
    goods = {row[2] for row in original}
    lines = a.read_bytes().decode("utf-8").split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    customer_of: dict[str, str] = {}
    pseudonym_of: dict[str, str] = {}
    errors = int(len(lines) != len(original))
    for row, raw in zip(original, lines, strict=False):
        line = raw.removesuffix("\r")
        cells = line.split(",")
        if len(line) > 8000 or "\r" in line or len(cells) != 5:
            errors += 1
            continue
        if line == "*,*,*,*,*":
            continue
        errors += _pseudonym_is_wrong(cells[0], row[0], customer_of, pseudonym_of)
        errors += _range_is_wrong(cells[1], row[1], DATE, plain.days)
        errors += _set_is_wrong(cells[2], row[2], goods)
        errors += _range_is_wrong(cells[3], row[3], PRICE, plain.pence)
        errors += _range_is_wrong(cells[4], row[4], QUANTITY, plain.whole)
    return errors


def _pseudonym_is_wrong(
    pseudonym: str, customer: str, customer_of: dict[str, str], pseudonym_of: dict[str, str]
) -> bool:
    if not PSEUDONYM.fullmatch(pseudonym):
        return True
    if pseudonym not in customer_of and customer not in pseudonym_of:
        customer_of[pseudonym], pseudonym_of[customer] = customer, pseudonym
    return customer_of.get(pseudonym) != customer or pseudonym_of.get(customer) != pseudonym


def _range_is_wrong(cell: str, value: str, form: re.Pattern[str], parse: Callable[[str], int]) -> bool:
    if cell == "*":
        return False
    ends = cell[1:-1].split(";") if cell.startswith("[") and cell.endswith("]") else [cell, cell]
    if len(ends) != 2 or not all(form.fullmatch(end) for end in ends):
        return True
    try:
        low, high = parse(ends[0]), parse(ends[1])
    except ValueError:
        return True
    return low > high or (form is PRICE and low == 0) or not low <= parse(value) <= high


def _set_is_wrong(cell: str, value: str, goods: set[str]) -> bool:
    if cell in ("*", value):
        return False
    if not (cell.startswith("{") and cell.endswith("}")):
        return True
    elements = cell[1:-1].split(";")
    distinct = set(elements)
    return not (len(elements) <= 100 and len(distinct) == len(elements) and value in distinct and distinct <= goods)
