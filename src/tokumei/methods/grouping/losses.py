"""The loss that groups are chosen by, as one value: what a cell costs that several records publish alike.

`Loss.of` measures the columns of a history once; costs, grouping, alignment, merging and bounds then ask the value.
Fields are laid out for it: in standard deviations (cell error, variance), in widths of the column (ncp), as ranks
(entropy) or as leaves of a hierarchy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import MISSING, FieldHierarchy, History, field_hierarchies
from tokumei.methods.grouping.cell_costs import (
    CELL_ERROR,
    ENTROPY,
    HIERARCHY,
    NCP,
    SET_ENTROPY,
    SET_ERROR,
    SET_NCP,
    SET_VARIANCE,
    VARIANCE,
    LossArrays,
)

# A missing ordered value: equal to itself, farther than any cap from everything else.
ABSENT = 1e18


class LossName(StrEnum):
    """The losses to choose from; with ``auto`` the data decides."""

    AUTO = "auto"
    CELL_ERROR = "cell-error"
    NCP = "ncp"
    ENTROPY = "entropy"
    VARIANCE = "variance"
    HIERARCHY = "hierarchy"


_KINDS = {
    LossName.CELL_ERROR: CELL_ERROR,
    LossName.NCP: NCP,
    LossName.ENTROPY: ENTROPY,
    LossName.VARIANCE: VARIANCE,
    LossName.HIERARCHY: HIERARCHY,
}


def usual_loss(history: History) -> LossName:
    """Return the loss that fits the data: cell error for histories, variance for numbers, else ncp for plain tables."""
    if int(history.counts().max(initial=0)) > 1:
        return LossName.CELL_ERROR
    fields = history.schema.fields
    return LossName.NCP if not fields or any(spec.nominal for spec in fields) else LossName.VARIANCE


@dataclass(frozen=True, eq=False, slots=True)
class Loss:
    """One loss measured on the columns of one history; its arrays have the ordered fields first."""

    name: LossName
    arrays: LossArrays

    ordered: tuple[str, ...]
    nominal: tuple[str, ...]

    @classmethod
    def of(cls, name: LossName | str, history: History, *, spreads: Mapping[str, float] | None = None) -> Loss:
        """Measure the columns of a history for the loss of this name; ``spreads`` are known if it is a part of data."""
        chosen = LossName(name)
        if chosen is LossName.AUTO:
            chosen = usual_loss(history)
        kind = _KINDS[chosen]
        fields = history.schema.fields
        ordered = [spec.name for spec in fields if not spec.nominal or kind == HIERARCHY]
        nominal = [spec.name for spec in fields if spec.name not in ordered]
        trees = field_hierarchies(history) if kind == HIERARCHY else {}
        measures = [_of_tree(trees[one]) if one in trees else _of_range(kind, history, one, spreads) for one in ordered]
        measures += [_of_set(kind, history, one) for one in nominal]
        arrays = LossArrays(
            np.array([one.kind for one in measures], dtype=np.int64),
            np.array([one.step for one in measures], dtype=np.float64),
            np.cumsum([1, *(len(one.table) for one in measures)])[:-1].astype(np.int64),
            np.array([one.length for one in measures], dtype=np.int64),
            np.concatenate([np.zeros(1), *(one.table for one in measures)]),
        )
        return cls(chosen, arrays, tuple(ordered), tuple(nominal))

    @property
    def caps_ranges(self) -> bool:
        """Whether a wide range can cost more than a suppressed cell."""
        return self.name is LossName.CELL_ERROR

    def ordered_values(self, history: History, order: Ints) -> Floats:
        """Return the ordered fields as the kernels read them, one line each, a missing value far away."""
        lines = np.zeros((len(self.ordered), len(order)))
        trees = field_hierarchies(history) if self.name is LossName.HIERARCHY else {}
        for line, name in enumerate(self.ordered):
            codes = history.codes[name][order]
            if name in trees:
                lines[line] = _leaf_places(trees[name])[trees[name].leaf[order]]
                continue
            if self.arrays.kinds[line] == ENTROPY:
                values = np.searchsorted(_present(history, name), codes).astype(np.float64)
            else:
                values = codes * self.arrays.steps[line]
            lines[line] = np.where(codes == MISSING, ABSENT, values)
        return lines

    @property
    def pair_scales(self) -> tuple[Floats, Floats]:
        """About what two records cost together per unit of distance (ordered fields), and if they differ (nominal)."""
        kinds, steps, lengths = self.arrays.kinds, self.arrays.steps, np.maximum(self.arrays.lengths, 1)
        scales = np.ones(len(kinds))
        scales[kinds == NCP] = 2.0
        looked_up = (kinds == ENTROPY) | (kinds == HIERARCHY)
        scales[looked_up] = 2.0 / lengths[looked_up]
        of_set = {SET_NCP: 2.0, SET_VARIANCE: 1.0, SET_ENTROPY: 2.0 * np.log(2.0)}
        for kind, factor in of_set.items():
            scales[kinds == kind] = factor * steps[kinds == kind]
        return scales[: len(self.ordered)], scales[len(self.ordered) :]

    @property
    def floor_scales(self) -> tuple[Floats, Floats]:
        """What two records cost at least, in the same way; 0 where no such floor is known.

        Two codes of masses p and q cost at least 2 log 2 by entropy, because (p + q)^2 >= 4 p q.
        """
        ordered, nominal = self.pair_scales
        proven = np.isin(self.arrays.kinds[: len(ordered)], (CELL_ERROR, NCP))
        return np.where(proven, ordered, 0.0), nominal


@dataclass(frozen=True, eq=False, slots=True)
class _Measure:
    """What the kernels need of one field."""

    kind: int
    step: float
    table: Floats = field(default_factory=lambda: np.zeros(0))
    length: int = 0


def _present(history: History, name: str) -> Ints:
    codes = history.codes[name]
    return np.unique(codes[codes != MISSING])


def _over(number: float) -> float:
    """Return 1 over the number; of a column that has only one value nothing can get lost."""
    return 1.0 / number if number > 0 else 0.0


def _entropy(mass: Floats) -> float:
    return float(-(mass * np.log(mass, where=mass > 0, out=np.zeros_like(mass))).sum())


def _of_range(kind: int, history: History, name: str, spreads: Mapping[str, float] | None) -> _Measure:
    """Measure an ordered field."""
    if kind in {CELL_ERROR, VARIANCE}:
        return _Measure(kind, _over(history.spread(name) if spreads is None else spreads[name]))
    codes = history.codes[name]
    codes = codes[codes != MISSING]
    if kind == ENTROPY:
        _, counts = np.unique(codes, return_counts=True)
        mass = counts / max(counts.sum(), 1)
        return _Measure(kind, _over(_entropy(mass)), np.concatenate(([0.0], np.cumsum(mass))), len(mass))
    return _Measure(NCP, _over(float(codes.max() - codes.min()) if len(codes) else 0.0))


def _of_set(kind: int, history: History, name: str) -> _Measure:
    """Measure a nominal field."""
    if kind == CELL_ERROR:
        return _Measure(SET_ERROR, 1.0)
    counts = np.bincount(history.codes[name], minlength=len(history.categories[name]))
    mass = counts / max(counts.sum(), 1)
    if kind == ENTROPY:
        return _Measure(SET_ENTROPY, _over(_entropy(mass)), mass)
    if kind == VARIANCE:
        return _Measure(SET_VARIANCE, _over(1.0 - float((mass * mass).sum())))
    return _Measure(SET_NCP, _over(float((counts > 0).sum() - 1)))


def _leaf_places(tree: FieldHierarchy) -> Floats:
    """Return the place of every value in an order in which the values of each node stand together."""
    place = np.empty(tree.nodes.shape[1])
    place[np.lexsort(tree.nodes)] = np.arange(len(place))
    return place


def _of_tree(tree: FieldHierarchy) -> _Measure:
    """Measure a field by its hierarchy: what the lowest common ancestor of neighbouring leaves loses.

    That of leaves farther apart is the largest between them, kept for runs of 1, 2, 4, ... neighbours.
    """
    order = np.lexsort(tree.nodes)
    count = len(order)
    gaps = np.zeros(count)
    for level in range(tree.levels - 1, -1, -1):
        same = tree.nodes[level, order[:-1]] == tree.nodes[level, order[1:]]
        gaps[: count - 1][same] = tree.losses[level, order[:-1]][same]
    runs, run = [gaps], 1
    while 2 * run < count:
        longer = runs[-1].copy()
        longer[: count - run] = np.maximum(runs[-1][: count - run], runs[-1][run:])
        runs.append(longer)
        run *= 2
    return _Measure(HIERARCHY, 1.0, np.concatenate(runs), count)
