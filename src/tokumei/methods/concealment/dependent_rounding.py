"""Draw a perfect matching of which every link has exactly the wanted probability.

Weights on the edges of a bipartite graph that sum to one at every vertex are rounded to 0 or 1 step by step: walk along
fractional edges until a cycle closes, then raise every second edge of it and lower the others until one of them is
whole; up or down is drawn so that no weight changes on average. Every vertex keeps its sum, so that a perfect matching
remains at the end, and the probability of a link is the weight it began with (bipartite dependent rounding: Gandhi,
Khuller, Parthasarathy, Srinivasan, J. ACM 53, 2006; research part 3). Weights are whole numbers of equal parts: nothing
is lost to rounding, and nothing has to mix.

What it does not give: independence. Links of one component stand or fall together more often than in a group in
which everybody fits everything.

>>> held = draw_matching([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1], rng=np.random.default_rng(1))
>>> bool(held.tolist() in ([True, False, False, True], [False, True, True, False]))
True
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from tokumei.array_types import Bools, Ints


def draw_matching(
    row: npt.ArrayLike, column: npt.ArrayLike, weight: npt.ArrayLike, *, rng: np.random.Generator
) -> Bools:
    """Return which edges are in the drawn matching; edge e with probability ``weight[e]`` / (sum at a vertex).

    Weights are positive whole numbers with the same sum at every row and every column.
    """
    rows, columns, weights = (np.ascontiguousarray(values, dtype=np.int64) for values in (row, column, weight))
    if len(rows) == 0:
        return np.zeros(0, dtype=np.bool_)
    sums = np.concatenate((np.bincount(rows, weights), np.bincount(columns, weights)))
    if (weights <= 0).any() or (sums != sums[0]).any():
        raise ValueError("the weights must be positive and have the same sum at every row and every column")
    # Columns are numbered after the rows, so that one walk can step on both.
    nodes = int(rows.max()) + 1
    ends = np.stack((rows, columns + nodes), axis=1)
    order = np.argsort(ends.T.ravel(), kind="stable")
    at_node = order % len(rows)
    starts = np.concatenate(([0], np.cumsum(np.bincount(ends.ravel())))).astype(np.int64)
    total = int(sums[0])
    rounded = round_weights(ends, at_node, starts, weights.copy(), total, rng)
    return rounded == total


@njit(cache=True, nogil=True)
def _step(  # noqa: PLR0917
    node: int, came_by: int, at_node: Ints, starts: Ints, weights: Ints, total: int, rng: np.random.Generator
) -> int:
    """Return a random fractional edge of a node other than the one the walk came by."""
    choices = 0
    for position in range(starts[node], starts[node + 1]):
        edge = at_node[position]
        choices += edge != came_by and 0 < weights[edge] < total
    wanted = rng.integers(0, choices) if choices > 1 else 0
    for position in range(starts[node], starts[node + 1]):
        edge = at_node[position]
        if edge != came_by and 0 < weights[edge] < total:
            if wanted == 0:
                return edge
            wanted -= 1
    return -1


@njit(cache=True, nogil=True)
def _shift(  # noqa: PLR0917
    path: Ints, first: int, last: int, weights: Ints, total: int, rng: np.random.Generator
) -> None:
    """Round the cycle ``path[first:last]``: one edge at least becomes whole, no weight changes on average."""
    rise, fall = total, total
    for position in range(first, last):
        weight = weights[path[position]]
        room, rest = total - weight, weight
        if (position - first) % 2 == 1:
            room, rest = rest, room
        rise, fall = min(rise, room), min(fall, rest)
    change = rise if rng.integers(0, rise + fall) < fall else -fall
    for position in range(first, last):
        weights[path[position]] += change if (position - first) % 2 == 0 else -change


@njit(cache=True, nogil=True)
def round_weights(  # noqa: PLR0917
    ends: Ints, at_node: Ints, starts: Ints, weights: Ints, total: int, rng: np.random.Generator
) -> Ints:
    """Round all weights in place to 0 or ``total``; the inner form of `draw_matching`."""
    seen = np.full(len(starts) - 1, -1, dtype=np.int64)
    path = np.empty(len(starts), dtype=np.int64)
    nodes = np.empty(len(starts), dtype=np.int64)
    for edge in range(len(weights)):
        while 0 < weights[edge] < total:
            node, came_by, length = ends[edge, 0], -1, 0
            while seen[node] < 0:
                seen[node] = length
                nodes[length] = node
                came_by = _step(node, came_by, at_node, starts, weights, total, rng)
                path[length] = came_by
                node = ends[came_by, 1] if ends[came_by, 0] == node else ends[came_by, 0]
                length += 1
            first = seen[node]
            for position in range(length):
                seen[nodes[position]] = -1
            _shift(path, first, length, weights, total, rng)
    return weights
