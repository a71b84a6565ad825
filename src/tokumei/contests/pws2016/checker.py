"""The checkers of the PWS Cup 2016 files M, T, M', T', P and Q: every finding with line, column and code (spec A.1).

>>> check_rows(pl.Series(["2", "4", "4", "9"]), n=4, expected=4, distinct=True).places()
[(3, 1, 'duplicate-row'), (4, 1, 'row-out-of-range')]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bools
from tokumei.contests.check_result import CheckResult, Language
from tokumei.contests.pws2016.messages import HOME, MASTER_CODES, MasterExplainer
from tokumei.errors import ContentError, Finding
from tokumei.words import Message

MAX_ID_BYTES = 50
_DATE = r"^[1-9][0-9]{3}/[1-9][0-9]?/[1-9][0-9]?$"
_TIME = r"^(1?[0-9]|2[0-3]):[0-5][0-9]$"
_PRICE = r"^[0-9]{1,5}(\.[0-9]{1,2})?$"
_QUANTITY = r"^[1-9][0-9]{0,5}$"
_LONGEST_ROW_NUMBER = 18


@dataclass(frozen=True, eq=False, slots=True)
class FilesCheck:
    """What the checkers found in each file, by its name (M', T', P ...), and warnings that break no rule."""

    files: Mapping[str, CheckResult]
    warnings: tuple[Message, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether all files keep every rule."""
        return all(result.valid for result in self.files.values())

    @property
    def error_count(self) -> int:
        """How many findings there are in all files."""
        return sum(result.error_count for result in self.files.values())

    def as_dict(self, limit: int | None = None, *, language: Language = "en") -> dict[str, object]:
        """Return ``valid``, ``error_count``, ``errors`` (file, line, column, code, message) and ``warnings``."""
        errors: list[dict[str, object]] = []
        for name, result in self.files.items():
            left = None if limit is None else limit - len(errors)
            errors += [
                {"file": name, "line": found.line, "column": found.column, "code": found.code, "message": found.message}
                for found in result.findings(left, language=language)
            ]
        return {
            "valid": self.valid,
            "error_count": self.error_count,
            "errors": errors,
            "warnings": [str(warning) for warning in self.warnings],
        }

    def refuse(self, paths: Mapping[str, str], *, tolerated: Sequence[str] = ()) -> None:
        """Raise a ContentError for the first file with a finding that is not tolerated."""
        for name, result in self.files.items():
            part = result.without(tolerated)
            if not part.valid:
                raise ContentError(paths[name], part.findings(100), total=part.error_count)


def check_master(master: pl.DataFrame, *, limit: int | None = None, originals: pl.Series | None = None) -> CheckResult:
    """Check M, or M' with the number of rows that M has; ids of ``originals`` may not be left in it."""
    if master.height == 0:
        return _empty(master)
    column = master.get_column
    surplus = np.zeros(master.height, dtype=np.bool_)
    if limit is not None and master.height > limit:
        surplus[limit] = True
    faults: list[tuple[int, str, Bools]] = [
        (0, "too-many-rows", surplus),
        (1, "bad-id", _bad_ids(column("customer"))),
        (1, "duplicate-id", ~column("customer").is_first_distinct().to_numpy()),
        (1, "subject-id", _among(column("customer"), originals)),
        (2, "bad-sex", ~column("sex").is_in(["f", "m"]).to_numpy()),
        (3, "bad-birthday", _bad_dates(column("birthday"), None)),
        (4, "missing-country", _blank(column("country"))),
    ]
    return _result(faults, master, {"count": master.height, "n": limit or 0})


def check_transactions(
    transactions: pl.DataFrame,
    ids: pl.Series,
    *,
    master: str,
    years: tuple[int, int] | None = None,
    originals: pl.Series | None = None,
) -> CheckResult:
    """Check T or T' against the ids of its master (which is called ``master``) and the years it may cover."""
    if transactions.height == 0:
        return _empty(transactions)
    column = transactions.get_column
    faults: list[tuple[int, str, Bools]] = [
        (1, "subject-id", _among(column("customer"), originals)),
        (1, "unknown-id", ~_among(column("customer"), ids)),
        (2, "missing-invoice", _blank(column("invoice"))),
        (3, "bad-date", _bad_dates(column("date"), years)),
        (4, "bad-time", ~column("time").str.contains(_TIME).to_numpy()),
        (5, "missing-goods", _blank(column("goods"))),
        (6, "bad-price", _bad_prices(column("price"))),
        (7, "bad-quantity", ~column("quantity").str.contains(_QUANTITY).to_numpy()),
    ]
    span = Message("word.any-year", home=HOME) if years is None else "-".join(map(str, sorted(set(years))))
    return _result(faults, transactions, {"master": master, "years": span})


def check_rows(rows: pl.Series, *, n: int, expected: int, distinct: bool, whole: str = "M'") -> CheckResult:
    """Check P (``distinct``) or Q, which has one row number of M, from 1 to n, for each of the rows of M'.

    ``whole`` names the file that says how many there must be.
    """
    frame = rows.alias("row").to_frame()
    formed = rows.str.contains("^[0-9]+$")
    number = rows.str.head(_LONGEST_ROW_NUMBER).cast(pl.Int64, strict=False).fill_null(0)
    outside = (formed & ((number < 1) | (number > n) | (rows.str.len_chars() > _LONGEST_ROW_NUMBER))).to_numpy()
    repeated = np.zeros(len(rows), dtype=np.bool_)
    if distinct:
        repeated = (formed & ~number.is_first_distinct()).to_numpy() & ~outside
    surplus, missing = np.zeros((2, len(rows) + 1), dtype=np.bool_)
    surplus[expected : expected + 1] = len(rows) > expected
    missing[len(rows)] = len(rows) < expected
    faults = [
        (0, "too-many-numbers", surplus),
        (1, "bad-row", ~formed.to_numpy()),
        (1, "row-out-of-range", outside),
        (1, "duplicate-row", repeated),
        (0, "not-enough-numbers", missing),
    ]
    figures = {"count": len(rows), "n": n, "expected": expected, "whole": whole}
    return _result(faults, frame, figures)


def unreadable_lines(error: ContentError) -> CheckResult:
    """Return the findings of a file whose lines have a wrong number of cells."""
    lines = np.array([found.line or 1 for found in error.findings], dtype=np.int64)
    code = np.full(len(lines), MASTER_CODES.index("wrong-cells"))
    return CheckResult(lines, np.zeros(len(lines), dtype=np.int64), code, MASTER_CODES, _Repeated(error.findings))


@dataclass(frozen=True, eq=False, slots=True)
class _Repeated:
    """Repeats the sentences that a reader made."""

    findings: Sequence[Finding]

    def finding(self, line: int, cell: int | None, code: str) -> Finding:
        """Return the reader's finding of this line under the checker's code."""
        text = next(found.message for found in self.findings if (found.line or 1) == line)
        return Finding(code, Message("finding.wrong-cells", {"text": text}, HOME), line, cell)


def _empty(frame: pl.DataFrame) -> CheckResult:
    return _result([(0, "empty-file", np.ones(1, dtype=np.bool_))], frame, {})


def _result(
    faults: Sequence[tuple[int, str, Bools]], frame: pl.DataFrame, figures: Mapping[str, object]
) -> CheckResult:
    """Return all findings in the order of lines and cells; a cell that breaks two rules has two."""
    lines = [np.flatnonzero(wrong) + 1 for _, _, wrong in faults]
    sizes = [len(found) for found in lines]
    cells = np.repeat([cell for cell, _, _ in faults], sizes)
    codes = np.repeat([MASTER_CODES.index(code) for _, code, _ in faults], sizes)
    joined = np.concatenate(lines)
    order = np.lexsort((cells, joined))
    explainer = MasterExplainer(frame, figures)
    return CheckResult(joined[order], cells[order], codes[order], MASTER_CODES, explainer)


def _bad_ids(ids: pl.Series) -> Bools:
    return (_blank(ids)) | (ids.str.len_bytes() > MAX_ID_BYTES).to_numpy()


def _blank(texts: pl.Series) -> Bools:
    return (texts.str.strip_chars() == "").to_numpy()


def _among(ids: pl.Series, known: pl.Series | None) -> Bools:
    if known is None:
        return np.zeros(len(ids), dtype=np.bool_)
    return ids.is_in(known.unique().implode()).to_numpy()


def _bad_dates(texts: pl.Series, years: tuple[int, int] | None) -> Bools:
    """Return which texts are no real date without leading zeros, within the years."""
    distinct = texts.unique()
    dates = distinct.str.to_date("%Y/%m/%d", strict=False)
    good = distinct.str.contains(_DATE) & dates.is_not_null()
    if years is not None:
        good &= dates.dt.year().is_between(*years).fill_null(value=False)
    return ~_among(texts, distinct.filter(good))


def _bad_prices(texts: pl.Series) -> Bools:
    distinct = texts.unique()
    good = distinct.str.contains(_PRICE) & (distinct.cast(pl.Float64, strict=False).fill_null(0.0) > 0)
    return ~_among(texts, distinct.filter(good))
