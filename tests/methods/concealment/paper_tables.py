"""Tables 1 to 10 of the paper on k-concealment for history data (spec C.1 and C.4) as histories and releases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import polars as pl

from tests.attacks.matching.record_graphs import record_graph
from tokumei.attacks.matching.matchings import find_matches
from tokumei.data.cells import Cells, RangeCells, SetCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release
from tokumei.data.schema import Schema

DIGITS = ("d1", "d2", "d3", "d4", "d5")
PEOPLE = Schema(
    "name", (Column(name="age", kind=Kind.NUMBER), *(Column(name=digit, kind=Kind.CATEGORY) for digit in DIGITS))
)
VISITS = Schema("name", (Column(name="date", kind=Kind.DATE), Column(name="goods", kind=Kind.CATEGORY)))
DECEMBER = 17_501  # 2017-12-01 in days since 1970


def table_1() -> History:
    """Return five people: age and zip code, one column per digit."""
    rows = [
        ("Alice", 30, "10055"),
        ("Bob", 21, "10055"),
        ("Carol", 21, "10023"),
        ("David", 55, "10165"),
        ("Eve", 47, "10224"),
    ]
    columns = {digit: [code[place] for _, _, code in rows] for place, digit in enumerate(DIGITS)}
    frame = pl.DataFrame({"name": [row[0] for row in rows], "age": [row[1] for row in rows], **columns})
    return History.from_frame(frame, PEOPLE)


def people_release(rows: Sequence[tuple[int, int, str]]) -> Release:
    """Return published people: age from, age to, zip code with ``*`` for any digit."""
    history = table_1()
    cells: dict[str, Cells] = {"age": RangeCells.of_ranges([row[0] for row in rows], [row[1] for row in rows])}
    for place, digit in enumerate(DIGITS):
        written = [None if row[2][place] == "*" else [row[2][place]] for row in rows]
        cells[digit] = SetCells.of_sets(written, history.categories[digit])
    names = pl.Series("pseudonym", [str(number) for number in range(1, len(rows) + 1)])
    return Release(PEOPLE, names, cells)


TABLE_2 = [(21, 55, "10***")] * 5
TABLE_3 = [(21, 30, "100**")] * 3 + [(47, 55, "10***")] * 2
TABLE_4 = [(21, 30, "10055"), (21, 30, "100**"), (21, 21, "100**"), (47, 55, "10***"), (47, 55, "10***")]


def table_5() -> History:
    """Return seven visits of three people."""
    frame = pl.DataFrame(
        {
            "name": ["Alice", "Alice", "Alice", "Bob", "Bob", "Carol", "Carol"],
            "date": [f"2017-12-0{day}" for day in (1, 2, 3, 2, 3, 3, 4)],
            "goods": list("abcdefg"),
        }
    )
    return History.from_frame(frame, VISITS)


def visit_release(rows: Sequence[tuple[str, int, int, str]]) -> Release:
    """Return published visits: pseudonym, first day, last day, goods."""
    cells: dict[str, Cells] = {
        "date": RangeCells.of_ranges(*(np.array([row[end] for row in rows]) + DECEMBER - 1 for end in (1, 2))),
        "goods": SetCells.of_sets([list(row[3]) for row in rows], table_5().categories["goods"]),
    }
    return Release(VISITS, pl.Series("pseudonym", [row[0] for row in rows]), cells)


COMMON_ROWS = ((2, 3, "bdf"), (3, 4, "ceg"))
TABLE_6 = [(name, *row) for name in "123" for row in ((1, 1, "a"), *COMMON_ROWS)]
TABLE_7 = [("123", 1, 1, "a"), *((name, *row) for name in "123" for row in COMMON_ROWS)]
TABLE_8 = [
    ("12", 1, 3, "af"),
    ("1", 2, 3, "bf"),
    ("1", 3, 4, "cg"),
    ("2", 1, 2, "abd"),
    ("2", 3, 3, "ce"),
    ("3", 2, 3, "df"),
    ("3", 3, 4, "eg"),
]
TABLE_9 = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
TABLE_10 = [
    ("1", 1, 2, "ad"),
    ("1", 2, 3, "be"),
    ("12", 3, 3, "ce"),
    ("2", 1, 3, "adf"),
    ("2", 2, 4, "bceg"),
    ("3", 2, 3, "df"),
    ("3", 3, 4, "eg"),
]


def record_level(history: History, release: Release) -> tuple[int, int, int]:
    """Return edges, edges that are matches, and the number of perfect matchings (counted one by one)."""
    graph = record_graph(history, release)
    fits = set(zip(graph.subject.tolist(), graph.pseudonym.tolist(), strict=True))
    found = sum(
        all(pair in fits for pair in enumerate(order)) for order in permutations(range(len(release)), len(history))
    )
    return len(graph), len(find_matches(graph).graph), found
