"""Random perfect matchings of a component by a worm chain, and whether chains that began far apart agree.

Take a random pseudonym's link away, let the pseudonym without a subject choose among its candidates (by weight) and
push out whoever holds the choice, until one of them chooses the free subject. On the states with and without a gap the
chain satisfies detailed balance (a gap at v has weight W(v) = sum of v's weights), so the perfect matchings it passes
have the wanted distribution; it can turn any cycle, hence reaches every perfect matching. (A chain that only exchanges
two links cannot.)
"""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from tokumei.array_types import Floats, Ints
from tokumei.attacks.matching.matchings import Component, Matches

# Between so many steps of a chain the time is looked at.
STEPS_AT_ONCE = 500_000
# Chains from different matchings that differ by more have not seen the same: nothing is computed.
LARGE_DIFFERENCE = 0.05


@njit(cache=True, nogil=True)
def _scrambled(state: np.uint64) -> np.uint64:
    """Return the next state of a 64-bit xorshift generator (Marsaglia); numba compiles it in no time."""
    state = state ^ (state << np.uint64(13))
    state = state ^ (state >> np.uint64(7))
    return state ^ (state << np.uint64(17))


# Places in the memory of a chain between two calls of the kernel.
_ROW, _FREE, _INSIDE, _PASSED, _DONE, _TAKEN = range(6)


@njit(cache=True, nogil=True)
def _worm(  # noqa: PLR0917
    starts: Ints,
    columns: Ints,
    cumulative: Floats,
    row_edge: Ints,
    holder: Ints,
    settled: Ints,
    since: Ints,
    held: Floats,
    kept: Ints,
    memory: Ints,
    state: npt.NDArray[np.uint64],
    every: int,
    until: int,
) -> None:
    """Run the chain until so many steps are done, also in the middle of a walk; the arrays hold all it knows.

    ``held`` counts for how many of the matchings passed each edge was held, up to when its row last changed.
    """
    rows = len(starts) - 1
    unit = 1.0 / 2.0**53
    draw_state = state[0]
    row, free, inside = memory[_ROW], memory[_FREE], memory[_INSIDE]
    passed, done, taken = memory[_PASSED], memory[_DONE], memory[_TAKEN]
    while done < until:
        if not inside:
            draw_state = _scrambled(draw_state)
            row = int((draw_state >> np.uint64(11)) * unit * rows)
            free = columns[row_edge[row]]
            inside = 1
        done += 1
        low, high = starts[row], starts[row + 1] - 1
        draw_state = _scrambled(draw_state)
        draw = (draw_state >> np.uint64(11)) * unit * cumulative[high]
        while low < high:
            middle = (low + high) // 2
            if cumulative[middle] <= draw:
                low = middle + 1
            else:
                high = middle
        # A row counts with the edge it held whenever it leaves it; what it holds within a walk counts for nothing.
        held[settled[row]] += passed - since[row]
        row_edge[row] = low
        column = columns[low]
        pushed = holder[column]
        holder[column] = row
        settled[row] = low
        since[row] = passed
        if column != free:
            row = pushed
            continue
        inside = 0
        passed += 1
        if taken < len(kept) and done >= every * (taken + 1):
            kept[taken] = row_edge
            taken += 1
    memory[_ROW], memory[_FREE], memory[_INSIDE] = row, free, inside
    memory[_PASSED], memory[_DONE], memory[_TAKEN] = passed, done, taken
    state[0] = draw_state


class WormChain:
    """A chain on a component whose row r has the edges ``starts[r]:starts[r + 1]`` to ``columns``.

    ``row_edge`` is a perfect matching to begin with. Of ``steps`` steps ``samples`` matchings are kept.
    """

    def __init__(
        self,
        starts: Ints,
        columns: Ints,
        row_edge: Ints,
        rng: np.random.Generator,
        weights: Floats | None = None,
        *,
        steps: int,
        samples: int = 0,
    ) -> None:
        weight = np.ones(len(columns)) if weights is None else np.asarray(weights, dtype=np.float64)
        running = np.cumsum(weight)
        before = np.concatenate(([0.0], running))[starts[:-1]]
        rows = len(starts) - 1
        self._begin, self._edge, self._steps = row_edge, row_edge.copy(), steps
        self._holder = np.empty(rows, dtype=np.int64)
        self._holder[columns[row_edge]] = np.arange(rows)
        self._graph = (starts, columns, running - np.repeat(before, np.diff(starts)))
        self._settled, self._since, self._held = row_edge.copy(), np.zeros(rows, dtype=np.int64), np.zeros(len(columns))
        self._kept, self._memory = np.empty((samples, rows), dtype=np.int64), np.zeros(6, dtype=np.int64)
        self._state = np.array([int(rng.integers(1, 2**62))], dtype=np.uint64)

    def run(self, upto: int, deadline: float | None = None) -> bool:
        """Go on until ``upto`` steps are done in all; return False if the deadline passed before."""
        starts, columns, cumulative = self._graph
        every = self._steps // (len(self._kept) + 1) + 1
        while self._memory[_DONE] < upto:
            if deadline is not None and time.monotonic() >= deadline:
                return False
            until = min(int(self._memory[_DONE]) + STEPS_AT_ONCE, upto)
            _worm(
                starts, columns, cumulative, self._edge, self._holder, self._settled, self._since, self._held,
                self._kept, self._memory, self._state, every, until,
            )  # fmt: skip
        return True

    def shares(self) -> Floats:
        """Return the share of time every edge was held."""
        passed = int(self._memory[_PASSED])
        held = self._held.copy()
        if passed == 0:
            held[self._begin] = 1.0
            return held
        np.add.at(held, self._settled, passed - self._since)
        return held / passed

    def kept(self) -> Ints:
        """Return the matchings kept so far, as edge numbers per row; none as long as the first walk goes on."""
        return self._kept[: int(self._memory[_TAKEN])]


def agreeing_chains(
    starts: Ints,
    columns: Ints,
    row_edge: Ints,
    rng: np.random.Generator,
    weights: Floats | None = None,
    *,
    steps: int,
    kind: Ints | None = None,
    enough: float = 0.0,
    deadline: float | None = None,
) -> Floats:
    """Return the shares that two chains from matchings far from each other give, a row each.

    Rows of one ``kind`` have equal edges and so equal shares: their mean is taken, which has far less noise. The chains
    end after so many steps. With ``enough`` they end once they agree within it, or where even with all steps they would
    differ by more than LARGE_DIFFERENCE (noise falls with the square root of the steps; twice that is allowed for).
    """
    begins = (row_edge, far_matching(starts, columns, row_edge, rng))
    chains = [WormChain(starts, columns, begin, rng, weights, steps=steps) for begin in begins]
    upto = min(STEPS_AT_ONCE, steps) if enough else steps
    alike = None if kind is None else _alike(starts, columns, kind)
    while True:
        # Every chain gets its share of the time that is left.
        now = time.monotonic()
        ends = [None if deadline is None else now + (deadline - now) * (turn + 1) / 2 for turn in range(2)]
        in_time = [chain.run(upto, end) for chain, end in zip(chains, ends, strict=True)]
        runs = np.stack([chain.shares() for chain in chains])
        if alike is not None:
            runs = np.stack([(np.bincount(alike, run) / np.bincount(alike))[alike] for run in runs])
        apart = float(np.ptp(runs, axis=0).max())
        hopeless = apart * (upto / steps) ** 0.5 > 2 * LARGE_DIFFERENCE
        if upto >= steps or not all(in_time) or apart <= enough or hopeless:
            return runs
        upto = min(2 * upto, steps)


def _alike(starts: Ints, columns: Ints, kind: Ints) -> Ints:
    """Return a number for every edge that edges of one kind to the same column share."""
    key = np.repeat(kind, np.diff(starts)) * len(kind) + columns
    return np.unique(key, return_inverse=True)[1]


def far_matching(starts: Ints, columns: Ints, row_edge: Ints, rng: np.random.Generator) -> Ints:
    """Return a perfect matching with as few edges of this one as possible, a random one of those, as edge numbers."""
    cost = rng.uniform(1.0, 2.0, size=len(columns))
    cost[row_edge] += 2.0 * len(row_edge)
    rows = len(starts) - 1
    matrix = csr_matrix((cost, columns, starts), shape=(rows, rows))
    row, column = min_weight_full_bipartite_matching(matrix)
    held = np.full(rows, -1, dtype=np.int64)
    held[row] = column
    return np.flatnonzero(columns == held[np.repeat(np.arange(rows), np.diff(starts))]).astype(np.int64)


def chain_layout(matches: Matches, component: Component) -> tuple[Ints, Ints, Ints]:
    """Return a component as rows of edges, and the known perfect matching as edge numbers."""
    graph = matches.graph
    row = np.searchsorted(component.pseudonyms, graph.pseudonym[component.edges])
    columns = np.searchsorted(component.subjects, graph.subject[component.edges])
    starts = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(component))))).astype(np.int64)
    held = graph.subject[component.edges] == matches.subject_of[graph.pseudonym[component.edges]]
    return starts, columns.astype(np.int64), np.flatnonzero(held).astype(np.int64)
