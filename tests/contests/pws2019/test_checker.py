"""The format check of PWS Cup 2019 against a slow one, cell by cell."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.effort import EFFORT
from tokumei.contests.official import StoppedError
from tokumei.contests.pws2019.checker import check_cells
from tokumei.contests.pws2019.traces import read_cells

FILES = 2_000 if EFFORT == "campaign" else 50
ODD = (
    "0",
    "1025",
    "-3",
    "*",
    "* 5",
    "5 *",
    "5  6",
    "5 6",
    "7 7",
    " 5",
    "5 ",
    "5.0",
    "05",
    "x",
    '"5"',
    '""',
    "5,6",
    "1e2",
    "NA",
    "+5",
    "５",
)


def damaged(rng: np.random.Generator, rows: int) -> bytes:
    """Return a file with some odd cells, lines or a header."""
    lines = ["reg_id", *(str(rng.integers(1, 1025)) for _ in range(rows))]
    for _ in range(int(rng.integers(0, 4))):
        kind, at = int(rng.integers(8)), int(rng.integers(1, len(lines)))
        if kind <= 4:
            lines[at] = str(rng.choice(ODD))
        elif kind == 5:
            lines.insert(at, str(rng.choice(["", "9"])))
        elif kind == 6:
            lines[0] = str(rng.choice(["reg", "reg_id,x", " reg_id", "reg_id"]))
        else:
            lines.pop(at)
        if len(lines) < 3:
            break
    end = str(rng.choice(["\n", "\r\n"]))
    return (["", "\ufeff"][int(rng.integers(2))] + end.join(lines) + end).encode()


def slow_check(raw: bytes, rows: int) -> tuple[str, list[int]]:
    """Return the official code and rows, in the words of the specification."""
    text = raw.decode()
    if text[0] == "\ufeff":
        text = text[1:]
    lines = [line for line in re.split(r"\r?\n", text) if line]
    header = [re.sub(r'^"|"$', "", word.strip()) for word in lines[0].split(",")]
    cells = []
    for line in lines[1:]:
        first = line.split(",")[0].strip(" \t")
        cells.append(first[1:-1] if len(first) >= 2 and first[0] == first[-1] == '"' else first)
    if len(header) != 1:
        return "COLUMN_COUNT", []
    if len(cells) != rows:
        return "ROW_COUNT", []
    if header != ["reg_id"]:
        return "COLUMN_NAME", []
    if "" in cells or "NA" in cells:
        return "EXCEPTION", []
    number = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
    padded = re.compile(r"[-+]?0\d")
    # A column of numbers is read as numbers unless one is padded with zeros.
    numeric = all(number.fullmatch(cell) and cell.isascii() and not padded.match(cell) for cell in cells)
    bad = []
    for place, cell in enumerate(cells, 1):
        if numeric:
            right = float(cell) == int(float(cell)) and 1 <= float(cell) <= 1024
        else:
            right = True
            for part in cell.split(" "):
                right = right and (part == "*" or any(part == str(region) for region in range(1, 1025)))
        if not right:
            bad.append(place)
    return ("REG_ID", bad[:10]) if bad else ("OK", [])


@pytest.mark.effort
def test_damaged_files_get_the_verdict_of_the_slow_check(record_property: Any) -> None:
    rng = np.random.default_rng(2019)
    for number in range(FILES):
        rows = int(rng.integers(2, 9))
        raw = damaged(rng, rows)
        checked = check_cells(raw, "ano1", rows=rows)
        notes, count, official = checked.notes, checked.count, checked.official
        found = (official["code"], official.get("rows", []))
        assert found == slow_check(raw, rows), (number, raw)
        assert official["valid"] == (found[0] == "OK")
        assert (count == 0) == (len(notes) == 0) == official["valid"], (number, raw, notes)
        assert check_cells(raw, "ano1", rows=rows, strict=True).count >= count
    record_property("figure", f"{FILES} damaged files")


def test_all_faults_are_told_with_line_and_value() -> None:
    checked = check_cells(b"region\n5\n1025\n\n5 x\n", "ano1", rows=4)
    assert [(note.code, note.line, note.value) for note in checked.notes] == [
        ("row-count", None, None),
        ("column-name", 1, None),
        ("region", 3, "1025"),
        ("region", 5, "5 x"),
    ]
    assert (checked.count, checked.official["code"]) == (4, "ROW_COUNT")
    assert checked.notes[0].message == {"en": "there are 3 rows instead of 4", "ja": "4行のはずが3行です"}


def test_strict_refuses_a_star_in_a_set_and_what_is_read_by_accident() -> None:
    raw = b"reg_id\n5 *\n6 \n7\n"
    assert check_cells(raw, "ano1", rows=3).count == 0
    notes = check_cells(raw, "ano1", rows=3, strict=True).notes
    assert [(note.code, note.line) for note in notes] == [("star-in-set", 2), ("written", 3)]


def test_an_endless_number_ends_the_evaluator_as_one_beyond_the_grid() -> None:
    with pytest.raises(StoppedError) as stopped:
        read_cells(["1", "9" * 30], 2, "ano1")
    assert stopped.value.exception == "IndexError"
    assert read_cells(["9" * 30], 1, "etable", sets=False, grid=False).members[0] > 1024
