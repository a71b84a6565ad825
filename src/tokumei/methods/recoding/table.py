"""A table of one record per subject as leaves of hierarchies, and what publishing their ancestors loses.

The loss is that of ARX (its quality model "Loss", the default): per column the mean of (values below the published node
- 1) / (values of the hierarchy - 1), 1 for a suppressed record (Iyengar 2002); over the columns the geometric mean of
1 + loss, less 1. It agrees with the figures that ARX states in its own tests (docs/tables.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import FieldHierarchy, packed_keys

AGGREGATES = ("geometric", "mean")


@dataclass(frozen=True, eq=False, slots=True)
class LeafTable:
    """``leaf[row, column]``; ``nodes`` and ``losses`` are ``[column, level, leaf]``, filled up with the top level."""

    leaf: Ints
    nodes: Ints
    losses: Floats
    levels: Ints

    @classmethod
    def of(cls, hierarchies: Mapping[str, FieldHierarchy]) -> LeafTable:
        """Return the records of hierarchies in the order of their content, whatever that of the file."""
        trees = list(hierarchies.values())
        levels = np.array([tree.levels for tree in trees])
        shape = (len(trees), int(levels.max()), max(tree.nodes.shape[1] for tree in trees))
        nodes, losses = np.zeros(shape, dtype=np.int64), np.ones(shape)
        for column, tree in enumerate(trees):
            width = tree.nodes.shape[1]
            nodes[column, : tree.levels, :width] = tree.nodes
            losses[column, : tree.levels, :width] = tree.losses
        return cls(np.column_stack([tree.leaf for tree in trees]), nodes, losses, levels)

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.leaf)

    def order(self) -> Ints:
        """Return the records by content."""
        return np.lexsort(packed_keys(list(self.leaf.T))[::-1]).astype(np.int64)

    def classes(self, rows: Ints, levels: Ints) -> Ints:
        """Return the class of every one of these records if all columns are published at these levels."""
        columns = range(len(levels))
        keys = [self.nodes[column, levels[column], self.leaf[rows, column]] for column in columns]
        packed = packed_keys(keys)
        if len(packed) == 1:
            return np.unique(packed[0], return_inverse=True)[1].astype(np.int64)
        return np.unique(np.column_stack(packed), axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def aggregated(column_losses: Floats, aggregate: str) -> Floats:
    """Return one figure for the losses of the columns (last axis)."""
    if aggregate == "mean":
        return column_losses.mean(axis=-1)
    return np.expm1(np.log1p(column_losses).mean(axis=-1))
