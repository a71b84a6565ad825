"""A hierarchy of values: which values stand together at every level, from the values themselves to all of them.

>>> tree = Hierarchy.of_chains([("apple", "fruit"), ("pear", "fruit"), ("leek", "vegetable")])
>>> tree.levels, tree.nodes.tolist(), [round(float(loss), 2) for loss in tree.losses[1]]
(3, [[0, 1, 2], [0, 0, 1], [0, 0, 0]], [0.5, 0.5, 0.0])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.errors import InputError

EVERYTHING = "*"
SHOWN = 40


class UnnestedError(InputError):
    """A node has two parents; ``position`` is the chain that contradicts an earlier one."""

    def __init__(self, message: str, position: int) -> None:
        """Remember which chain is at fault."""
        super().__init__(message, code="unnested")
        self.position = position


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Level 0 is the values themselves, the last level one node for everything.

    ``nodes[level, i]`` is the node of value i at a level; ``losses[level, i]`` what publishing it instead of the value
    loses, from 0 to 1: by default (values below the node - 1) / (all values - 1), the loss of Iyengar (2002).
    ``names[level]`` is how the node of every value is called at a level.
    """

    values: pl.Series
    nodes: Ints
    losses: Floats
    names: Sequence[pl.Series] = ()

    @classmethod
    def of_chains(cls, chains: Sequence[Sequence[str]]) -> Hierarchy:
        """Return the hierarchy of lines ``value, parent, grandparent ...``; a shorter line repeats its last name."""
        height = max((len(chain) for chain in chains), default=1)
        full = [[*chain, *[chain[-1]] * (height - len(chain))] for chain in chains]
        columns = [pl.Series([line[level] for line in full], dtype=pl.String) for level in range(height)]
        if columns[-1].n_unique() > 1 or height == 1:
            columns.append(pl.Series([EVERYTHING] * len(full), dtype=pl.String))
        nodes = np.array([_numbered(column) for column in columns])
        _refuse_two_parents(columns, nodes)
        return cls(columns[0], nodes, counted_losses(nodes), columns)

    @property
    def levels(self) -> int:
        """How many levels there are, the values themselves and the whole included."""
        return len(self.nodes)


def counted_losses(nodes: Ints) -> Floats:
    """Return (values below the node - 1) / (all values - 1) for every value at every level."""
    sizes = np.array([np.bincount(level)[level] for level in nodes])
    return (sizes - 1) / max(nodes.shape[1] - 1, 1)


def _numbered(column: pl.Series) -> Ints:
    """Return the number of every text, in the order of first appearance."""
    distinct = column.unique(maintain_order=True)
    return column.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.Int64).to_numpy().copy()


def _refuse_two_parents(columns: Sequence[pl.Series], nodes: Ints) -> None:
    """Raise UnnestedError if values that stand together at one level are parted at the next."""
    for level in range(len(nodes) - 1):
        _, first = np.unique(nodes[level], return_index=True)
        parent = nodes[level + 1][first]
        wrong = np.flatnonzero(parent[nodes[level]] != nodes[level + 1])
        if len(wrong):
            at = int(wrong[0])
            name, one = columns[level][at][:SHOWN], columns[level + 1][int(first[nodes[level][at]])][:SHOWN]
            other = columns[level + 1][at][:SHOWN]
            what = f"'{name}' stands below '{one}' and below '{other}'; give every name one parent"
            raise UnnestedError(what, at)
