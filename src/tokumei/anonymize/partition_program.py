"""The set partitioning program over a pool of costed groups: prices by its relaxation, better partitions by windows.

The relaxation gives a price per unit and a floor for everything the pool can do. A partition is improved window by
window: some dozens of groups of like record count are dissolved and the cheapest partition of their units is taken
from the pool by a mixed-integer program. Limits are counts of nodes, never times, so that results do not depend on the
machine.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csc_matrix

from tokumei.anonymize.groups import Groups, group_costs
from tokumei.kernels.record_table import RecordTable

__all__ = ["Pool", "improve_by_windows", "relaxed_prices"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

GAP = 1e-5
NODES = 300


@dataclass(eq=False, slots=True)
class Pool:
    """All groups costed so far."""

    table: RecordTable
    limit: int
    rounds: int
    threads: int
    groups: list[tuple[int, ...]] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    known: dict[tuple[int, ...], int] = field(default_factory=dict)

    def add(self, groups: list[list[int]]) -> int:
        """Cost the groups that are new and have distinct owners; return how many there were."""
        fresh = sorted({tuple(sorted(group)) for group in groups} - self.known.keys())
        owners = self.table.owners.tolist()
        fresh = [group for group in fresh if len({owners[unit] for unit in group}) == len(group)]
        costs = group_costs(self.table, Groups.of(fresh), limit=self.limit, rounds=self.rounds, threads=self.threads)
        for group, cost in zip(fresh, costs.tolist(), strict=True):
            self.known[group] = len(self.groups)
            self.groups.append(group)
            self.costs.append(cost)
        return len(fresh)

    def index(self, group: list[int]) -> int:
        """Return the position of a group that has been added."""
        return self.known[tuple(sorted(group))]

    def total(self, partition: list[list[int]]) -> float:
        """Return the cost of a partition whose groups have all been added."""
        return sum(self.costs[self.index(group)] for group in partition)

    def matrix(self) -> csc_matrix:
        """Return which unit (line) lies in which group (column)."""
        groups = Groups.of(self.groups)
        return csc_matrix(
            (np.ones(len(groups.members)), groups.members, groups.bounds), shape=(len(self.table), len(groups))
        )


def relaxed_prices(pool: Pool) -> tuple[Floats, float]:
    """Solve the linear program over the pool; return the price of every unit and the floor."""
    result = linprog(
        np.array(pool.costs), A_eq=pool.matrix(), b_eq=np.ones(len(pool.table)), bounds=(0, None), method="highs"
    )
    return np.asarray(result.eqlin.marginals, dtype=np.float64), float(result.fun)


def improve_by_windows(pool: Pool, partition: list[list[int]], *, width: int, passes: int) -> list[list[int]]:
    """Return a partition that no window of ``width`` groups of like record count can improve much."""
    counts = pool.table.counts()
    matrix = pool.matrix().tocsr()
    current = [pool.index(group) for group in partition]
    mean = np.array([counts[list(group)].mean() for group in pool.groups])
    for turn in range(passes):
        before = sum(pool.costs[one] for one in current)
        shift = (turn % 2) * (width // 4)
        for start in range(-shift, len(current), max(width // 2, 1)):
            current.sort(key=lambda one: (mean[one], one))
            first, last = max(start, 0), max(start, 0) + width
            current = current[:first] + _solve_window(pool, matrix, current[first:last]) + current[last:]
        if sum(pool.costs[one] for one in current) > before * (1 - GAP):
            break
    return [list(pool.groups[one]) for one in current]


def _solve_window(pool: Pool, matrix: csc_matrix, dissolved: list[int]) -> list[int]:
    """Return the cheapest groups of the pool that cover exactly the units of the dissolved ones."""
    units = sorted(unit for one in dissolved for unit in pool.groups[one])
    inside = matrix[units]
    sizes = np.array([len(group) for group in pool.groups])
    usable = np.flatnonzero(np.asarray(inside.sum(axis=0)).ravel() == sizes)
    if len(usable) <= len(dissolved):
        return dissolved
    with _silence():
        result = milp(
            np.array(pool.costs)[usable],
            constraints=LinearConstraint(inside[:, usable], 1, 1),
            integrality=np.ones(len(usable)),
            bounds=Bounds(0, 1),
            options={"node_limit": NODES, "mip_rel_gap": GAP},
        )
    if result.x is None or result.fun >= sum(pool.costs[one] for one in dissolved):
        return dissolved
    return [int(one) for one in usable[result.x > 0.5]]


_one_at_a_time = threading.Lock()


@contextmanager
def _silence() -> Iterator[None]:
    """Keep the solver's own remarks, which it writes past Python, out of standard output."""
    with _one_at_a_time:
        sys.stdout.flush()
        try:
            saved = os.dup(1)
        except OSError:
            yield
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
        try:
            yield
        finally:
            os.dup2(saved, 1)
            os.close(saved)
