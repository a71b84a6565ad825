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
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy
from scipy.sparse import csc_matrix, csr_matrix

from tokumei.array_types import Floats, Ints
from tokumei.engine import spread_over
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.record_table import RecordTable

SLACK = 3e-5
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
    result = scipy.optimize.linprog(
        np.array(pool.costs), A_eq=pool.matrix(), b_eq=np.ones(len(pool.table)), bounds=(0, None), method="highs"
    )
    return np.asarray(result.eqlin.marginals, dtype=np.float64), float(result.fun)


def improve_by_windows(
    pool: Pool, partition: list[list[int]], *, width: int, passes: int, slack: float = SLACK
) -> list[list[int]]:
    """Return a partition that no window of ``width`` groups of like record count can improve much.

    A pass solves two layers of windows. The windows of a layer have no unit in common, so they are solved side by side
    and the result does not depend on the number of threads. Each is solved up to a ``slack`` of the cost of the whole
    partition: among short histories many groups cost nearly the same, and telling them apart takes longest.
    """
    windows = Windows.of(pool)
    current = np.array([pool.index(group) for group in partition], dtype=np.int64)
    for turn in range(passes):
        before = float(windows.costs[current].sum())
        shift = (turn % 2) * (width // 4)
        for first in (-shift, width // 2 - shift):
            current = windows.solve_layer(current, first, width, slack=slack * before, threads=pool.threads)
        if float(windows.costs[current].sum()) > before * (1 - slack):
            break
    return [list(pool.groups[one]) for one in current.tolist()]


@dataclass(frozen=True, eq=False, slots=True)
class Windows:
    """The groups of a pool as arrays: which unit lies in which group, costs, sizes, mean record counts."""

    matrix: csr_matrix
    costs: Floats
    sizes: Ints
    mean: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, pool: Pool) -> Windows:
        """Return the groups of a pool."""
        matrix = pool.matrix()
        sizes = np.diff(matrix.indptr).astype(np.int64)
        mean = np.add.reduceat(pool.table.counts()[matrix.indices], matrix.indptr[:-1]) / sizes
        return cls(matrix.tocsr(), np.array(pool.costs), sizes, mean)

    def solve_layer(self, current: Ints, first: int, width: int, *, slack: float, threads: int) -> Ints:
        """Return the groups after dissolving them window by window, in order of mean record count."""
        current = current[np.lexsort((current, self.mean[current]))]
        inner = np.arange(first, len(current), width)
        parts = np.split(current, inner[inner > 0])
        solved = list(parts)
        skipped = first > 0

        def piece(position: int) -> Callable[[], None]:
            def run() -> None:
                solved[position] = self.solve(parts[position], slack)

            return run

        with silence:
            spread_over(threads, [piece(position) for position in range(int(skipped), len(parts))])
        return np.concatenate(solved)

    def solve(self, dissolved: Ints, slack: float) -> Ints:
        """Return the cheapest groups that cover exactly the units of the dissolved ones."""
        units = np.unique(self.matrix[:, dissolved].nonzero()[0])
        inside = self.matrix[units]
        usable = np.flatnonzero(np.asarray(inside.sum(axis=0)).ravel() == self.sizes)
        before = float(self.costs[dissolved].sum())
        if len(usable) <= len(dissolved) or before <= 0:
            return dissolved
        result = scipy.optimize.milp(
            self.costs[usable],
            constraints=scipy.optimize.LinearConstraint(inside[:, usable], 1, 1),
            integrality=np.ones(len(usable)),
            bounds=scipy.optimize.Bounds(0, 1),
            options={"node_limit": NODES, "mip_rel_gap": min(slack / before, 1.0)},
        )
        if result.x is None or result.fun >= before:
            return dissolved
        return usable[result.x > 0.5]


class _Silence:
    """Keeps the solver's own remarks, which it writes past Python, out of standard output while anyone solves."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._saved: int | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._saved = _turned_off()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._saved is not None:
                os.dup2(self._saved, 1)
                os.close(self._saved)


def _turned_off() -> int | None:
    """Send standard output nowhere; return where it went before, or nothing if it is closed."""
    sys.stdout.flush()
    try:
        saved = os.dup(1)
    except OSError:
        return None
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return saved


silence = _Silence()
