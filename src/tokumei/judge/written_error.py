"""The utility U of PWS Cup 2018 for an anonymized file as it is written, oddities of the official program included.

The official program looks at the written form only (spec B.8, golden RULES "Utility U"): a plain value costs 0 even if
it was altered, a set of m written elements 1 - 1/m in every column, and the formula of a range is applied even if the
range misses the value. The default gives those figures with a warning that names each oddity met; ``strict`` gives
the expectation that the report defines (spec F-B1, F-B5) and refuses what it does not define.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.celltext import Fault, Form, WrittenCells, read_cells
from tokumei.errors import ContentError, Finding, InfeasibleError
from tokumei.history import Field, Goal, History, Score
from tokumei.kernels.cell_error import range_errors, set_errors

__all__ = ["written_utility"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
NAME = "U"


def written_utility(
    history: History, written: Mapping[str, pl.Series], *, strict: bool = False, file: str = "A"
) -> Score:
    """Return U of text columns that are aligned with the records of the original, row by row.

    >>> from tokumei.history import Column, Kind, Schema
    >>> schema = Schema("who", (Column(name="units", kind=Kind.NUMBER),))
    >>> original = History.from_frame(pl.DataFrame({"who": ["a", "b"], "units": [1, 3]}), schema)
    >>> written_utility(original, {"units": pl.Series(["[1;3]", "*"])}).value
    0.9166666666666667
    """
    parts: dict[str, float] = {}
    warnings: list[str] = []
    for position, spec in enumerate(history.schema.fields, start=2):
        text = written[spec.name]
        if len(text) != len(history):
            message = f"{file} has {len(text)} rows, the original {len(history)}; both must have the same rows in order"
            raise InfeasibleError(message, code="row-count", file=file)
        cells = read_cells(text, spec, history.categories.get(spec.name), literal=True)
        _refuse_unreadable(cells, text, spec, position, file)
        errors = _column_errors(history, cells, text, spec, warnings, strict=strict, file=file)
        parts[spec.name] = float(errors.mean()) if len(errors) else 0.0
    value = float(np.mean(list(parts.values())))
    return Score(name=NAME, value=value, goal=Goal.LOWER, parts=parts, warnings=tuple(warnings))


def _refuse_unreadable(cells: WrittenCells, text: pl.Series, spec: Field, position: int, file: str) -> None:
    """Raise if a range cannot be read; nobody can say what it costs."""
    bad = (cells.form == Form.RANGE) & (cells.fault > 0) & (cells.fault != Fault.REVERSED)
    if spec.nominal or not bad.any():
        return
    rows = np.flatnonzero(bad)
    findings = [
        Finding(
            "bad-range",
            f"'{str(text[int(row)])[:40]}': {Fault(int(cells.fault[row])).reason(spec)}",
            int(row) + 1,
            position,
            spec.name,
        )
        for row in rows[:100]
    ]
    raise ContentError(file, findings, total=len(rows))


def _column_errors(
    history: History,
    cells: WrittenCells,
    text: pl.Series,
    spec: Field,
    warnings: list[str],
    *,
    strict: bool,
    file: str,
) -> Floats:
    """Return the error of every cell of a column and add a warning for every oddity met."""
    values, spread = history.codes[spec.name], history.spread(spec.name)
    is_range, is_set, is_value = cells.form == Form.RANGE, cells.form == Form.SET, cells.form == Form.VALUE
    error = np.where(cells.form == Form.STAR, 1.0, 0.0)
    error[is_set] = set_errors(cells.size[is_set])
    altered = is_value & (
        _altered_items(history, text, spec) if spec.nominal else (cells.lo != values) | (cells.fault > 0)
    )
    _note(warnings, altered, spec, "a plain value other than the original, which costs 0", strict=strict)
    if spec.nominal:
        contains, distinct = _set_facts(cells, values)
        _note(
            warnings,
            is_set & (distinct < cells.size),
            spec,
            "a set with repeated elements, each counted",
            strict=strict,
        )
        _note(
            warnings, is_set & ~contains, spec, "a set without the original value, which costs 1 - 1/m", strict=strict
        )
        if strict:
            error[is_set] = np.where(contains, set_errors(distinct), 1.0)[is_set]
            error[altered] = 1.0
        return error
    _note(warnings, is_set, spec, "a set in an ordered column, which costs 1 - 1/m", strict=strict)
    if strict and is_set.any():
        line = int(np.flatnonzero(is_set)[0]) + 1
        message = (
            f"{file}, line {line}: a set in the {spec.kind} column '{spec.name}' has no defined error; write [lo;hi]"
        )
        raise InfeasibleError(message, code="set-in-ordered-column", file=file, line=line)
    outside = is_range & ((values < cells.lo) | (values > cells.hi))
    _note(warnings, outside, spec, "a range without the original value, put into the same formula", strict=strict)
    if is_range.any():
        error[is_range] = _range_errors(values, cells, spec, spread, is_range, strict=strict, file=file)
    if strict:
        error[altered] = np.abs(values - cells.lo)[altered] / (spread or 1.0)
    return error


def _range_errors(
    values: npt.NDArray[np.int64],
    cells: WrittenCells,
    spec: Field,
    spread: float,
    where: Bools,
    *,
    strict: bool,
    file: str,
) -> Floats:
    """Return the errors of the range cells."""
    x, lo, hi = values[where], cells.lo[where], cells.hi[where]
    if strict:
        inside = range_errors(x, np.minimum(lo, hi), np.maximum(lo, hi), spread)
        distance = np.abs(x - (lo + hi) / 2) / (spread or 1.0)
        return np.where((x < lo) | (x > hi), distance, inside)
    if spread == 0:
        message = (
            f"{file}: the column '{spec.name}' has a range, but all its values in the original are equal: the error is "
            "divided by their standard deviation, which is 0; write the value or *, or use --strict"
        )
        raise InfeasibleError(message, code="zero-spread", file=file, line=int(np.flatnonzero(where)[0]) + 1)
    if (hi - lo + 1 == 0).any():
        message = f"{file}: a range of the column '{spec.name}' ends one step below its start; exchange its ends"
        raise InfeasibleError(message, code="reversed-range", file=file)
    return range_errors(x, lo, hi, spread)


def _altered_items(history: History, text: pl.Series, spec: Field) -> Bools:
    original = history.categories[spec.name].gather(history.codes[spec.name])
    return (text.fill_null("") != original).to_numpy()


def _set_facts(cells: WrittenCells, values: npt.NDArray[np.int64]) -> tuple[Bools, npt.NDArray[np.int64]]:
    """Return, per cell, whether its set holds the value and how many distinct elements it has."""
    owner = np.repeat(np.arange(len(cells)), cells.size)
    contains = np.zeros(len(cells), dtype=np.bool_)
    contains[owner[cells.codes == values[owner]]] = True
    # Elements that the original does not know cannot be told apart by code; they count as written.
    known = cells.codes >= 0
    width = int(cells.codes.max(initial=0)) + 1
    pairs = np.unique(owner[known] * width + cells.codes[known])
    distinct = np.bincount(pairs // width, minlength=len(cells)) + np.bincount(owner[~known], minlength=len(cells))
    return contains, distinct.astype(np.int64)


def _note(warnings: list[str], where: Bools, spec: Field, what: str, *, strict: bool) -> None:
    count = int(where.sum())
    if count and not strict:
        warnings.append(
            f"column '{spec.name}': {count} cell{'s' if count > 1 else ''} with {what} in the official program "
            f"(first in line {int(np.flatnonzero(where)[0]) + 1}; --strict gives the defined error)"
        )
