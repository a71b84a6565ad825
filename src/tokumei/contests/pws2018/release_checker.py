"""The checker of a PWS Cup 2018 file A, given T: every finding with line, cell and code (spec B.4, RULES.md).

The file is read as lines (`release_lines`), rows of five cells that are not deleted are judged column by column
(`release_columns`), and findings become sentences only on demand (`checker_messages`).

>>> names = ["customer", "date", "goods", "price", "quantity"]
>>> original = pl.DataFrame([("7", "2011/1/15", "A", "2.1", "6")], schema=names, orient="row")
>>> check_release(original, b"1,2011/1/16,{A},[2;3],0").places()
[(1, 2, 'NOT_CONTAINED'), (1, 5, 'INVALID')]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
import polars.selectors as cs

from tokumei.array_types import Ints
from tokumei.contests.check_result import CheckResult
from tokumei.contests.pws2018.messages import ReleaseExplainer
from tokumei.contests.pws2018.release_columns import (
    Conflicts,
    Faults,
    check_goods,
    check_pseudonyms,
    check_ranges,
    original_values,
)
from tokumei.contests.pws2018.release_lines import ReleaseLines, split_lines

RELEASE_CODES = (
    "",
    "invalid",
    "not-contained",
    "inconsistent",
    "too-many-cells",
    "not-enough-cells",
    "too-many-lines",
    "not-enough-lines",
    "bad-newline",
    "line-too-long",
)
_COLUMNS = ("customer", "date", "goods", "price", "quantity")
_DELETED_ROW = "*,*,*,*,*"
BATCH_ROWS = 500_000


def check_release(original: pl.DataFrame, raw: bytes) -> CheckResult:
    """Check the bytes of A (already decompressed) against T, whose five columns are text (dictionary-coded or not)."""
    coded = cs.enum() | cs.categorical()
    original = original.select(_COLUMNS).with_columns((cs.all() - coded).cast(pl.String).fill_null(""))
    lines = split_lines(raw, expected=original.height)
    checked = _check_lines(original, lines)
    faults, rows, counts = checked.faults, checked.rows, checked.counts
    at, cell = np.nonzero(faults)
    wrong_count = np.flatnonzero(counts != len(_COLUMNS))
    count_codes = np.where(
        counts[wrong_count] > len(_COLUMNS), _position("too-many-cells"), _position("not-enough-cells")
    )
    found_lines = np.concatenate((rows[at], wrong_count)) + 1
    found_cells = np.concatenate((cell + 1, np.zeros(len(wrong_count), dtype=np.int64)))
    found_codes = np.concatenate((faults[at, cell].astype(np.int64), count_codes))
    order = np.argsort(found_lines, kind="stable")
    return CheckResult(
        *_with_line_fault(lines, found_lines[order], found_cells[order], found_codes[order]),
        RELEASE_CODES,
        ReleaseExplainer(lines, original, _on_lines(checked.conflicts, rows, lines.count)),
        official=True,
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Checked:
    """Cells per line; the judged rows, their faults, and what inconsistent pseudonyms contradict."""

    counts: Ints
    rows: Ints
    faults: Faults
    conflicts: Conflicts | None


def _check_lines(original: pl.DataFrame, lines: ReleaseLines) -> _Checked:
    """Check the lines in batches, so that the memory needed beside the file does not grow with it."""
    unicode = lines.unicode()
    spell = _text if unicode else _bytewise
    known = spell(original.select(pl.col("goods").unique())).to_series()
    counts, rows = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    faults = [np.zeros((0, len(_COLUMNS)), dtype=np.uint8)]
    names = [pl.Series(dtype=pl.String)]
    for start in range(0, lines.count, BATCH_ROWS):
        texts = lines.series(start, min(start + BATCH_ROWS, lines.count), unicode=unicode)
        counts.append(_cell_counts(texts))
        judged = np.flatnonzero((counts[-1] == len(_COLUMNS)) & (texts != _DELETED_ROW).to_numpy())
        rows.append(judged + start)
        found, pseudonyms = _check_cells(original.slice(start, len(texts)), texts, judged, known, spell)
        faults.append(found)
        names.append(pseudonyms)
    every, where = np.concatenate(faults), np.concatenate(rows)
    conflicts = None
    if len(where):
        customers = _text(original.select("customer")).to_series()
        judged_all = len(where) == len(customers)
        every[:, 0], conflicts = check_pseudonyms(pl.concat(names), customers if judged_all else customers[where])
    return _Checked(np.concatenate(counts), where, every, conflicts)


def _position(code: str) -> int:
    return RELEASE_CODES.index(code)


def _cell_counts(texts: pl.Series) -> Ints:
    """Return the number of cells of each line; a blank line has none."""
    commas = texts.str.count_matches(",", literal=True).cast(pl.Int64).to_numpy()
    return np.where((texts == "").to_numpy(), 0, commas + 1)


def _text(original: pl.DataFrame) -> pl.DataFrame:
    """Return rows of T as plain text."""
    return original.select(pl.all().cast(pl.String))


def _bytewise(original: pl.DataFrame) -> pl.DataFrame:
    """Return rows of T with one character per byte of their UTF-8 text, to be compared with lines that are no UTF-8."""
    original = _text(original)
    distinct = original["goods"].unique()
    spelled = [text.encode().decode("latin-1") for text in distinct.to_list()]
    return original.with_columns(pl.col("goods").replace_strict(distinct, spelled, return_dtype=pl.String))


def _check_cells(
    original: pl.DataFrame,
    texts: pl.Series,
    rows: Ints,
    known: pl.Series,
    spell: Callable[[pl.DataFrame], pl.DataFrame],
) -> tuple[Faults, pl.Series]:
    """Return the faults of the judged rows (pseudonyms left out: they need all rows), and their pseudonyms."""
    faults = np.zeros((len(rows), len(_COLUMNS)), dtype=np.uint8)
    if len(rows) == 0:
        return faults, pl.Series(dtype=pl.String)
    if len(rows) < len(texts):
        original, texts = original[rows], texts[rows]
    original = spell(original)
    cells = texts.str.split_exact(",", len(_COLUMNS) - 1).struct.unnest().get_columns()
    faults[:, 2] = check_goods(cells[2], original["goods"], known)
    for place in (1, 3, 4):
        column = _COLUMNS[place]
        faults[:, place] = check_ranges(column, cells[place], original_values(column, original[column]))
    return faults, cells[0]


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
