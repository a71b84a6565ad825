"""Records of many histories laid out for matching: ordered fields in spreads, nominal fields as codes.

A *unit* is a history that is published under one pseudonym: all records of a subject, or a chunk of them. Records of
a unit stand next to each other, in the order of `History.order`, so that nothing depends on the order of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tokumei.array_types import Codes, Floats, Ints
from tokumei.data import MISSING, History

# A missing ordered value: equal to itself, farther than any cap from everything else.
ABSENT = 1e18


@dataclass(frozen=True, eq=False, slots=True)
class RecordTable:
    """Arrays for the matching kernels; ``ordered`` and ``nominal`` have one line per field."""

    ordered: Floats
    steps: Floats
    ordered_weights: Floats
    nominal: Codes
    nominal_weights: Floats
    offsets: Ints
    rows: Ints
    owners: Ints

    @classmethod
    def from_history(cls, history: History, weights: Mapping[str, float] | None = None) -> RecordTable:
        """Lay out a history with one unit per subject; a field without a weight has weight 1."""
        weight = dict.fromkeys((spec.name for spec in history.schema.fields), 1.0) | dict(weights or {})
        order = history.order
        ordered_fields = [spec.name for spec in history.schema.fields if not spec.nominal]
        nominal_fields = [spec.name for spec in history.schema.fields if spec.nominal]
        ordered = np.zeros((len(ordered_fields), len(order)))
        steps = np.zeros(len(ordered_fields))
        spreads = [history.spread(name) for name in ordered_fields]
        for line, (name, spread) in enumerate(zip(ordered_fields, spreads, strict=True)):
            codes = history.codes[name][order]
            steps[line] = 1.0 / spread if spread > 0 else 0.0
            ordered[line] = np.where(codes == MISSING, ABSENT, codes * steps[line])
        nominal = np.zeros((len(nominal_fields), len(order)), dtype=np.int32)
        for line, name in enumerate(nominal_fields):
            nominal[line] = history.codes[name][order]
        return cls(
            ordered,
            steps,
            np.array([weight[name] for name in ordered_fields], dtype=np.float64),
            nominal,
            np.array([weight[name] for name in nominal_fields], dtype=np.float64),
            history.offsets,
            order,
            np.arange(len(history.subjects), dtype=np.int64),
        )

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.offsets) - 1

    @property
    def surplus(self) -> float:
        """The price of a record that is not published: every cell lost."""
        return float(self.ordered_weights.sum() + self.nominal_weights.sum())

    def counts(self) -> Ints:
        """Return the number of records of each unit."""
        return np.diff(self.offsets)

    def take(self, units: npt.ArrayLike) -> RecordTable:
        """Return the table of these units alone, in this order."""
        index = np.asarray(units, dtype=np.int64)
        sizes = self.counts()[index]
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        positions = np.arange(offsets[-1]) + np.repeat(self.offsets[index] - offsets[:-1], sizes)
        return self.regroup(positions, offsets, self.owners[index])

    def regroup(self, positions: Ints, offsets: Ints, owners: Ints) -> RecordTable:
        """Return the table whose units are these runs of record positions."""
        return replace(
            self,
            ordered=np.ascontiguousarray(self.ordered[:, positions]),
            nominal=np.ascontiguousarray(self.nominal[:, positions]),
            offsets=offsets,
            rows=self.rows[positions],
            owners=owners,
        )
