"""Groups of units that are published alike, as flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.alignment import align_groups
from tokumei.methods.grouping.record_table import RecordTable


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """Group g holds the units ``members[bounds[g]:bounds[g + 1]]``."""

    members: Ints
    bounds: Ints

    @classmethod
    def of(cls, groups: Iterable[Sequence[int] | Ints]) -> Groups:
        """Return groups from lists of units."""
        lists = [np.asarray(group, dtype=np.int64) for group in groups]
        sizes = np.array([len(group) for group in lists], dtype=np.int64)
        members = np.concatenate(lists) if lists else np.empty(0, dtype=np.int64)
        return cls(members, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64))

    @classmethod
    def of_equal(cls, members: Ints) -> Groups:
        """Return groups of equal size from a matrix with one group per line."""
        count, size = members.shape
        return cls(members.ravel().astype(np.int64), np.arange(0, count * size + 1, size, dtype=np.int64))

    @classmethod
    def join(cls, parts: Sequence[Groups]) -> Groups:
        """Return the groups of several parts as one, in this order."""
        sizes = np.concatenate([part.sizes() for part in parts]) if parts else np.empty(0, dtype=np.int64)
        members = np.concatenate([part.members for part in parts]) if parts else np.empty(0, dtype=np.int64)
        return cls(members, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64))

    def arrays(self) -> dict[str, Ints]:
        """Return the groups as the result of a block."""
        return {"members": self.members, "bounds": self.bounds}

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.bounds) - 1

    def sizes(self) -> Ints:
        """Return the number of members of each group."""
        return np.diff(self.bounds)

    def lists(self) -> list[list[int]]:
        """Return the members of each group."""
        return [part.tolist() for part in np.split(self.members, self.bounds[1:-1])] if len(self) else []

    def shortest_first(self, counts: Ints) -> Groups:
        """Return the same groups with the members of each sorted by record count, then by number."""
        group = np.repeat(np.arange(len(self)), self.sizes())
        return Groups(self.members[np.lexsort((self.members, counts[self.members], group))], self.bounds)

    def moved(self, units: Ints) -> Groups:
        """Return the groups with unit i renamed to ``units[i]``."""
        return Groups(units[self.members], self.bounds)


def group_costs(table: RecordTable, groups: Groups, *, limit: int, rounds: int = 3, threads: int = 1) -> Floats:
    """Return the whole cost of each group: merged cells and records that are not published."""
    if len(groups) == 0:
        return np.empty(0)
    counts = table.counts()
    ready = groups.shortest_first(counts)
    matched, _ = align_groups(table, ready.members, ready.bounds, limit=limit, rounds=rounds, threads=threads)
    total = np.add.reduceat(counts[ready.members], ready.bounds[:-1])
    lost = total - counts[ready.members[ready.bounds[:-1]]] * ready.sizes()
    return matched + table.surplus * lost
