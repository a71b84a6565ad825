"""The utility U of PWS Cup 2018 for an anonymized file as it is written, oddities of the official program included.

The official program looks at the written form only (spec B.8, golden RULES "Utility U"): a plain value costs 0 even if
it was altered, a set of m written elements 1 - 1/m in every column, and the formula of a range is applied even if the
range misses the value. The default gives those figures with a warning that names each oddity met; ``strict`` gives
the expectation that the report defines (spec F-B1, F-B5) and refuses what it does not define.

Long columns are read in batches of rows, so that the memory needed beside the text does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats, Ints
from tokumei.contests.pws2018.messages import HOME
from tokumei.data import (
    Fault,
    Field,
    Form,
    Goal,
    History,
    Score,
    WrittenCells,
    expected_errors,
    range_errors,
    read_cells,
    set_errors,
)
from tokumei.errors import ContentError, Finding, InfeasibleError
from tokumei.words import Message

NAME = "U"
BATCH_ROWS = 500_000
SHOWN_FINDINGS = 100


def written_utility(
    history: History, written: Mapping[str, pl.Series], *, strict: bool = False, file: str = "A"
) -> Score:
    """Return U of text columns that are aligned with the records of the original, row by row.

    >>> from tokumei.data.history import Column, Kind, Schema
    >>> schema = Schema("who", (Column(name="units", kind=Kind.NUMBER),))
    >>> original = History.from_frame(pl.DataFrame({"who": ["a", "b"], "units": [1, 3]}), schema)
    >>> written_utility(original, {"units": pl.Series(["[1;2]", "*"])}).value
    0.75
    """
    meter = UtilityMeter(history, strict=strict, file=file)
    for column in meter.columns:
        text = written[column.spec.name]
        if len(text) != len(history):
            raise _unequal(len(text), len(history), file)
        for start in range(0, len(text), BATCH_ROWS):
            column.add(text.slice(start, BATCH_ROWS))
        column.refuse_unreadable()
    return meter.score()


def _unequal(rows: int, wanted: int, file: str) -> InfeasibleError:
    message = f"{file} has {rows} rows, the original {wanted}; both must have the same rows in order"
    return InfeasibleError(message, code="row-count", file=file)


class UtilityMeter:
    """U of rows that come slice by slice, in the order of the original; of a slice only its sums are kept."""

    def __init__(self, history: History, *, strict: bool = False, file: str = "A") -> None:
        """Prepare the columns of the original."""
        self.columns = [
            _Column(
                spec=spec,
                position=position,
                values=history.codes[spec.name],
                spread=0.0 if spec.nominal else history.spread(spec.name),
                categories=history.categories.get(spec.name),
                strict=strict,
                file=file,
            )
            for position, spec in enumerate(history.schema.fields, start=2)
        ]
        self._expected = len(history)
        self._file = file

    def add(self, written: Mapping[str, pl.Series]) -> None:
        """Measure the next rows."""
        for column in self.columns:
            column.add(written[column.spec.name])

    def score(self) -> Score:
        """Return U once all rows were added."""
        for column in self.columns:
            if column.rows != self._expected:
                raise _unequal(column.rows, self._expected, self._file)
            column.refuse_unreadable()
        parts = {column.spec.name: column.mean_error() for column in self.columns}
        warnings = tuple(sentence for column in self.columns for sentence in column.warnings())
        return Score(
            name=NAME, value=float(np.mean(list(parts.values()))), goal=Goal.LOWER, parts=parts, warnings=warnings
        )


@dataclass(kw_only=True)
class _Column:
    """One column of the original and what is met while the written cells are compared with it."""

    spec: Field
    position: int
    values: Ints
    spread: float
    categories: pl.Series | None
    strict: bool
    file: str
    rows: int = 0
    total: float = 0.0
    unreadable: list[Finding] = field(default_factory=list)
    unreadable_count: int = 0
    oddities: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, text: pl.Series) -> None:
        """Compare the next cells with the original."""
        start, self.rows = self.rows, self.rows + len(text)
        if self.rows > len(self.values):
            raise _unequal(self.rows, len(self.values), self.file)
        cells = read_cells(text, self.spec, self.categories, literal=True)
        rows = self._unreadable(cells)
        self.unreadable_count += len(rows)
        self.unreadable += [self._finding(cells, text, int(row), start) for row in rows[:SHOWN_FINDINGS]]
        if not self.unreadable_count:
            self.total += float(self._errors(cells, self.values[start : self.rows], start).sum())

    def refuse_unreadable(self) -> None:
        """Raise if some cells have no error."""
        if self.unreadable:
            raise ContentError(self.file, self.unreadable, total=self.unreadable_count)

    def mean_error(self) -> float:
        """Return the mean error of the cells."""
        return self.total / self.rows if self.rows else 0.0

    def warnings(self) -> list[Message]:
        """Return one message for every oddity met."""
        return [
            Message(
                "warning.oddities" if count > 1 else "warning.oddity",
                {"column": self.spec.name, "count": count, "what": Message(f"oddity.{what}", home=HOME), "line": line},
                HOME,
            )
            for what, (count, line) in self.oddities.items()
        ]

    def _note(self, where: Bools, start: int, what: str) -> None:
        """Count the cells of an oddity; strict figures have none."""
        count = int(np.count_nonzero(where))
        if count and not self.strict:
            before, line = self.oddities.get(what, (0, start + int(np.argmax(where)) + 1))
            self.oddities[what] = (before + count, line)

    def _unreadable(self, cells: WrittenCells) -> Ints:
        """Return the rows that cannot be read, so that nobody can say what they cost.

        The official program reads the ends of ranges only; the defined error needs every value and every set.
        """
        needed = (cells.form == Form.RANGE) & (cells.fault != Fault.REVERSED)
        if self.strict:
            needed |= cells.form == (Form.SET if self.spec.nominal else Form.VALUE)
            return np.flatnonzero(needed & (cells.fault > 0) & (cells.fault != Fault.UNKNOWN_CATEGORY))
        return np.flatnonzero(needed & (cells.fault > 0))

    def _finding(self, cells: WrittenCells, text: pl.Series, row: int, start: int) -> Finding:
        reason = Fault(int(cells.fault[row])).reason(self.spec)
        code = f"bad-{Form(int(cells.form[row])).name.lower()}"
        return Finding(code, f"'{str(text[row])[:40]}': {reason}", start + row + 1, self.position, self.spec.name)

    def _errors(self, cells: WrittenCells, values: Ints, start: int) -> Floats:
        """Return the error of every cell and note every oddity met."""
        error = (cells.form == Form.STAR).astype(np.float64)
        is_set = cells.form == Form.SET
        if is_set.any():
            error[is_set] = set_errors(cells.size[is_set])
        if self.spec.nominal:
            self._nominal_errors(error, cells, values, is_set, start)
        else:
            self._ordered_errors(error, cells, values, is_set, start)
        return error

    def _nominal_errors(self, error: Floats, cells: WrittenCells, values: Ints, is_set: Bools, start: int) -> None:
        """Complete the errors of a column of categories."""
        plain = np.flatnonzero(cells.form == Form.VALUE)
        altered = np.zeros(len(cells), dtype=np.bool_)
        altered[plain] = cells.codes[cells.offsets[plain]] != values[plain]
        self._note(altered, start, "altered-value")
        if is_set.any():
            contains, distinct = _set_facts(cells, values)
            self._note(is_set & (distinct < cells.size), start, "repeated-elements")
            self._note(is_set & ~contains, start, "set-without-original")
            if self.strict:
                error[is_set] = np.where(contains, set_errors(distinct), 1.0)[is_set]
        if self.strict:
            error[altered] = 1.0

    def _ordered_errors(self, error: Floats, cells: WrittenCells, values: Ints, is_set: Bools, start: int) -> None:
        """Complete the errors of a column of dates or numbers."""
        altered = (cells.form == Form.VALUE) & ((cells.lo != values) | (cells.fault > 0))
        self._note(altered, start, "altered-value")
        self._note(is_set, start, "ordered-set")
        if self.strict and is_set.any():
            line = start + int(np.argmax(is_set)) + 1
            message = (
                f"{self.file}, line {line}: a set in the {self.spec.kind} column '{self.spec.name}' has no defined "
                "error; write [lo;hi]"
            )
            raise InfeasibleError(message, code="set-in-ordered-column", file=self.file, line=line)
        is_range = cells.form == Form.RANGE
        if is_range.any():
            outside = is_range & ((values < cells.lo) | (values > cells.hi))
            self._note(outside, start, "range-without-original")
            self._check_ranges(cells, is_range, start)
            # Cheaper for every cell than for picked ones; what it gives for other cells is not used.
            if self.strict:
                lo, hi = np.minimum(cells.lo, cells.hi), np.maximum(cells.lo, cells.hi)
                of_ranges = expected_errors(values, lo, hi, self.spread)
            else:
                of_ranges = range_errors(values, cells.lo, cells.hi, self.spread)
            np.copyto(error, of_ranges, where=is_range)
        if self.strict:
            error[altered] = expected_errors(values[altered], cells.lo[altered], cells.lo[altered], self.spread)

    def _check_ranges(self, cells: WrittenCells, where: Bools, start: int) -> None:
        """Raise if the official formula has no value for a range."""
        if self.strict:
            return
        name = self.spec.name
        if self.spread == 0:
            line = start + int(np.argmax(where)) + 1
            message = (
                f"{self.file}: the column '{name}' has a range, but all its values in the original are equal: the "
                "error is divided by their standard deviation, which is 0; write the value or *, or use --strict"
            )
            raise InfeasibleError(message, code="zero-spread", file=self.file, line=line)
        if (cells.hi - cells.lo == -1).any():
            message = f"{self.file}: a range of the column '{name}' ends one step below its start; exchange its ends"
            raise InfeasibleError(message, code="reversed-range", file=self.file)


def _set_facts(cells: WrittenCells, values: Ints) -> tuple[Bools, Ints]:
    """Return, per cell, whether its set holds the value and how many distinct elements it has."""
    owner = np.repeat(np.arange(len(cells)), cells.size)
    contains = np.zeros(len(cells), dtype=np.bool_)
    contains[owner[cells.codes == values[owner]]] = True
    # Elements that the original does not know cannot be told apart by code; they count as written.
    known = cells.codes >= 0
    width = int(cells.codes.max(initial=0)) + 1
    pairs = owner * width + cells.codes
    if not known.all():
        pairs = pairs[known]
    if (pairs[1:] > pairs[:-1]).all():
        return contains, cells.size
    pairs.sort()
    repeated = pairs[1:][pairs[1:] == pairs[:-1]] // width
    return contains, cells.size - np.bincount(repeated, minlength=len(cells))
