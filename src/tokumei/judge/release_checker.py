"""The checker of a PWS Cup 2018 file A, given T: every finding with line, cell and code (spec B.4, RULES.md).

The file is read as lines (`release_lines`), rows of five cells that are not deleted are judged column by column
(`release_columns`), and findings become sentences only on demand (`checker_messages`).

>>> names = ["customer", "date", "goods", "price", "quantity"]
>>> original = pl.DataFrame([("7", "2011/1/15", "A", "2.1", "6")], schema=names, orient="row")
>>> check_release(original, b"1,2011/1/16,{A},[2;3],0").places()
[(1, 2, 'NOT_CONTAINED'), (1, 5, 'INVALID')]
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.judge.check_result import CheckResult
from tokumei.judge.checker_messages import ReleaseExplainer
from tokumei.judge.release_columns import (
    Conflicts,
    Faults,
    check_goods,
    check_pseudonyms,
    check_ranges,
    original_values,
)
from tokumei.judge.release_lines import ReleaseLines, split_lines

__all__ = ["RELEASE_CODES", "check_release"]

Ints = npt.NDArray[np.int64]
RELEASE_CODES = (
    "",
    "INVALID",
    "NOT_CONTAINED",
    "INCONSISTENT",
    "TOO_MANY_CELLS",
    "NOT_ENOUGH_CELLS",
    "TOO_MANY_LINES",
    "NOT_ENOUGH_LINES",
    "BAD_NEWLINE",
    "LINE_TOO_LONG",
)
_COLUMNS = ("customer", "date", "goods", "price", "quantity")
_DELETED_ROW = "*,*,*,*,*"


def check_release(original: pl.DataFrame, raw: bytes) -> CheckResult:
    """Check the bytes of A (already decompressed) against T, whose five columns are text."""
    original = original.select(pl.col(_COLUMNS).cast(pl.String).fill_null(""))
    lines = split_lines(raw, expected=original.height)
    texts, unicode = lines.series()
    counts = _cell_counts(texts)
    judged = (counts == len(_COLUMNS)) & (texts != _DELETED_ROW).to_numpy()
    rows = np.flatnonzero(judged)
    faults, conflicts = _check_cells(original if unicode else _bytewise(original), texts, rows)
    at, cell = np.nonzero(faults)
    wrong_count = np.flatnonzero(counts != len(_COLUMNS))
    count_codes = np.where(
        counts[wrong_count] > len(_COLUMNS), _position("TOO_MANY_CELLS"), _position("NOT_ENOUGH_CELLS")
    )
    found_lines = np.concatenate((rows[at], wrong_count)) + 1
    found_cells = np.concatenate((cell + 1, np.zeros(len(wrong_count), dtype=np.int64)))
    found_codes = np.concatenate((faults[at, cell].astype(np.int64), count_codes))
    order = np.argsort(found_lines, kind="stable")
    return CheckResult(
        *_with_line_fault(lines, found_lines[order], found_cells[order], found_codes[order]),
        RELEASE_CODES,
        ReleaseExplainer(lines, original, _on_lines(conflicts, rows, lines.count)),
    )


def _position(code: str) -> int:
    return RELEASE_CODES.index(code)


def _cell_counts(texts: pl.Series) -> Ints:
    """Return the number of cells of each line; a blank line has none."""
    commas = texts.str.count_matches(",", literal=True).cast(pl.Int64).to_numpy()
    return np.where((texts == "").to_numpy(), 0, commas + 1)


def _bytewise(original: pl.DataFrame) -> pl.DataFrame:
    """Return T with one character per byte of its UTF-8 text, to be compared with lines that are no UTF-8."""
    goods = original["goods"]
    distinct = goods.unique()
    spelled = [text.encode().decode("latin-1") for text in distinct.to_list()]
    return original.with_columns(goods.replace_strict(distinct, spelled, return_dtype=pl.String))


def _check_cells(original: pl.DataFrame, texts: pl.Series, rows: Ints) -> tuple[Faults, Conflicts | None]:
    """Return a matrix of faults (judged rows by columns), and what inconsistent pseudonyms contradict."""
    faults = np.zeros((len(rows), len(_COLUMNS)), dtype=np.uint8)
    if len(rows) == 0:
        return faults, None
    known = original["goods"].unique()
    if len(rows) < original.height:
        original, texts = original[rows], texts.gather(rows)
    cells = texts.str.split_exact(",", len(_COLUMNS) - 1).struct.unnest().get_columns()
    faults[:, 0], conflicts = check_pseudonyms(cells[0], original["customer"])
    faults[:, 2] = check_goods(cells[2], original["goods"], known)
    for place in (1, 3, 4):
        column = _COLUMNS[place]
        faults[:, place] = check_ranges(column, cells[place], original_values(column, original[column]))
    return faults, conflicts


def _with_line_fault(lines: ReleaseLines, *found: Ints) -> tuple[Ints, Ints, Ints]:
    """Append the finding that ended the reading of the file, if there is one."""
    found_lines, found_cells, found_codes = found
    if lines.fault is None:
        return found_lines, found_cells, found_codes
    last = (lines.fault_line, 0, _position(lines.fault))
    appended = [np.append(values, value) for values, value in zip(found, last, strict=True)]
    return appended[0], appended[1], appended[2]


def _on_lines(conflicts: Conflicts | None, rows: Ints, count: int) -> Conflicts | None:
    """Return the conflicts by 0-based line, with 1-based lines as content and 0 for none."""
    if conflicts is None:
        return None
    lines = []
    for earlier in (conflicts.customer_row, conflicts.pseudonym_row):
        by_line = np.zeros(count, dtype=np.int64)
        by_line[rows] = np.where(earlier >= 0, rows[earlier] + 1, 0)
        lines.append(by_line)
    return Conflicts(*lines)
