"""What a table tells of each of its cells: how many people, how many records, the sum of a number."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import MISSING, History, Kind
from tokumei.errors import ParameterError

PEOPLE, RECORDS, SUM = "people", "records", "sum"
# The larger bound of a sum has at least so many units.
_UNITS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure: ``what`` is people, records or sum; a sum is of a column whose values are clamped to its bounds."""

    what: str
    column: str = ""
    low: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, text: str) -> Measure:
        """Read ``people``, ``records`` or ``sum:COLUMN:LOW:HIGH``.

        >>> Measure.of("sum:price:0:100").name
        'sum of price'
        """
        if text in (PEOPLE, RECORDS):
            return cls(what=text)
        what, _, rest = text.partition(":")
        parts = rest.rsplit(":", 2)
        try:
            if what != SUM or len(parts) != 3 or not parts[0]:
                raise ValueError
            low, high = float(parts[1]), float(parts[2])
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise ValueError
        except ValueError:
            message = (
                f"a measure is people, records or sum:COLUMN:LOW:HIGH with LOW below HIGH (bounds of a value, from "
                f"public knowledge), got '{text[:60]}'"
            )
            raise ParameterError(message) from None
        return cls(what=SUM, column=parts[0], low=low, high=high)

    @property
    def name(self) -> str:
        """The name of the column in the table."""
        return f"sum of {self.column}" if self.what == SUM else self.what

    @property
    def unit(self) -> float:
        """In what it is counted: people and records one by one, a sum in a power of ten that its bounds alone give.

        The step of a column in the data would tell of somebody who alone has finer values. A thousandth of the larger
        bound is far below the noise.
        """
        return 10.0 ** math.floor(math.log10(max(abs(self.low), abs(self.high)) / _UNITS)) if self.what == SUM else 1.0

    def values(self, history: History) -> Ints:
        """Return what every record brings, in whole units; a missing value brings nothing."""
        if self.what != SUM:
            return np.ones(len(history), dtype=np.int64)
        field = history.schema.field(self.column)
        if field.kind is not Kind.NUMBER:
            raise ParameterError(f"'{self.column}' is a {field.kind.value}, and only numbers can be summed")
        codes = history.codes[self.column]
        # What is far beyond the bounds would not fit into a whole number.
        inside = np.clip(codes * field.step, self.low, self.high)
        values = np.clip(np.rint(inside / self.unit).astype(np.int64), *self._bounds())
        return np.where(codes == MISSING, 0, values)

    def largest(self, records: int) -> int:
        """Return by how much one person, with so many records in a cell, can change the cell at most, in units."""
        if self.what == PEOPLE:
            return 1
        if self.what == RECORDS:
            return records
        return records * max(abs(one) for one in self._bounds())

    def _bounds(self) -> tuple[int, int]:
        return math.ceil(round(self.low / self.unit, 9)), math.floor(round(self.high / self.unit, 9))
