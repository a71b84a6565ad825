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
from tokumei.data import History
from tokumei.methods.grouping.demands import NO_DEMANDS, DemandArrays
from tokumei.methods.grouping.losses import Loss, LossName


@dataclass(frozen=True, eq=False, slots=True)
class RecordTable:
    """Arrays for the matching kernels; ``ordered`` and ``nominal`` have one line per field.

    ``hefts`` says how many people each record stands for, on average 1; plain tables alone have other hefts than 1.
    ``houses`` has the household of every owner, None where nobody belongs to anybody; ``demands`` is what groups of the
    units have to meet.
    """

    ordered: Floats
    steps: Floats
    ordered_weights: Floats
    nominal: Codes
    nominal_weights: Floats
    offsets: Ints
    rows: Ints
    owners: Ints
    loss: Loss
    hefts: Floats
    houses: Ints | None = None
    demands: DemandArrays = NO_DEMANDS

    @classmethod
    def from_history(
        cls,
        history: History,
        weights: Mapping[str, float] | None = None,
        *,
        loss: Loss | None = None,
        spreads: Mapping[str, float] | None = None,
    ) -> RecordTable:
        """Lay out a history with one unit per subject; a field without a weight has weight 1.

        ``loss`` is what groups lose (default: the cell error, by the ``spreads`` of the whole data where the history is
        a part of it). Survey weights count where everybody has one record.
        """
        weight = dict.fromkeys((spec.name for spec in history.schema.fields), 1.0) | dict(weights or {})
        order = history.order
        measure = loss or Loss.of(LossName.CELL_ERROR, history, spreads=spreads)
        nominal = np.zeros((len(measure.nominal), len(order)), dtype=np.int32)
        for line, name in enumerate(measure.nominal):
            nominal[line] = history.codes[name][order]
        hefts = np.ones(len(order))
        if history.weights is not None and int(history.counts().max(initial=0)) <= 1:
            hefts = history.weights[order] / history.weights.mean()
        return cls(
            measure.ordered_values(history, order),
            measure.arrays.steps[: len(measure.ordered)],
            np.array([weight[name] for name in measure.ordered], dtype=np.float64),
            nominal,
            np.array([weight[name] for name in measure.nominal], dtype=np.float64),
            history.offsets,
            order,
            np.arange(len(history.subjects), dtype=np.int64),
            measure,
            hefts,
            history.households,
        )

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.offsets) - 1

    @property
    def surplus(self) -> float:
        """The price of a record that is not published: every cell lost."""
        return float(self.ordered_weights.sum() + self.nominal_weights.sum())

    @property
    def single(self) -> bool:
        """Whether every unit is one record of an owner of its own: a plain table."""
        return bool((self.counts() == 1).all()) and len(np.unique(self.owners)) == len(self)

    def counts(self) -> Ints:
        """Return the number of records of each unit."""
        return np.diff(self.offsets)

    def take(self, units: npt.ArrayLike) -> RecordTable:
        """Return the table of these units alone, in this order."""
        index = np.asarray(units, dtype=np.int64)
        sizes = self.counts()[index]
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        positions = np.arange(offsets[-1]) + np.repeat(self.offsets[index] - offsets[:-1], sizes)
        return replace(self.regroup(positions, offsets, self.owners[index]), demands=self.demands.take(index))

    def regroup(self, positions: Ints, offsets: Ints, owners: Ints) -> RecordTable:
        """Return the table whose units are these runs of record positions."""
        return replace(
            self,
            ordered=np.ascontiguousarray(self.ordered[:, positions]),
            nominal=np.ascontiguousarray(self.nominal[:, positions]),
            offsets=offsets,
            rows=self.rows[positions],
            hefts=self.hefts[positions],
            owners=owners,
        )
