"""Exact posteriors of components that are long but narrow, whatever their size.

Pseudonyms are placed one after the other. Of a state only the subjects matter that are open: some of their candidates
are placed and some are not. A subject whose last candidate was placed without taking it can never be taken, so that the
state is dropped. Long cycles, ladders and blocks joined by few links have few states, where a Markov chain needs long
to get from one end to the other. (Transfer matrices; frontier method of Kawahara, Inoue, Iwashita and Minato 2017.)

>>> circle = np.arange(100)
>>> columns = np.stack((circle, (circle + 1) % 100), axis=1).ravel()
>>> swept = sweep(2 * np.arange(101), columns)
>>> float(swept.marginals().max()), round(float(np.exp(swept.log_count)), 6)
(0.5, 2.0)
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from tokumei.array_types import Floats, Ints

MOST_ROWS = 512
MOST_TRANSITIONS = 2_000_000
_BITS = 64

Masks = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False, slots=True)
class _Layer:
    """The transitions of one placed row: from which state, over which edge, to which state."""

    source: Ints
    edge: Ints
    target: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Sweep:
    """All ways to place the rows of a component: states after each row, and how they came about.

    ``forward[i]`` is how many (weighted) ways lead to each state before the row ``order[i]``, scaled to sum to one;
    ``log_count`` is the logarithm of the (weighted) number of perfect matchings.
    """

    starts: Ints
    order: Ints
    weight: Floats
    layers: list[_Layer]
    forward: list[Floats]
    log_count: float

    def marginals(self) -> Floats:
        """Return the probability of every edge in a random perfect matching."""
        marginals = np.zeros(len(self.weight))
        backward: Floats = np.ones(1)
        for place in range(len(self.order) - 1, -1, -1):
            layer, begin, end = self._layer(place)
            onward = self.weight[layer.edge] * backward[layer.target]
            shares = np.bincount(layer.edge - begin, self.forward[place][layer.source] * onward, minlength=end - begin)
            marginals[begin:end] = shares / shares.sum()
            reached = np.bincount(layer.source, onward, minlength=len(self.forward[place])).astype(np.float64)
            backward = reached / reached.max()
        return marginals

    def draws(self, count: int, rng: np.random.Generator) -> Ints:
        """Return independent random perfect matchings, a row each of the edge of every row of the component."""
        drawn = np.empty((count, len(self.order)), dtype=np.int64)
        state = np.zeros(count, dtype=np.int64)
        for place in range(len(self.order) - 1, -1, -1):
            layer, _, _ = self._layer(place)
            ways = self.forward[place][layer.source] * self.weight[layer.edge]
            by_target = np.argsort(layer.target, kind="stable")
            upto = np.concatenate(([0.0], np.cumsum(ways[by_target])))
            bounds = np.searchsorted(layer.target[by_target], np.arange(int(layer.target.max()) + 2))
            low, high = upto[bounds[state]], upto[bounds[state + 1]]
            chosen = np.searchsorted(upto, low + rng.random(count) * (high - low), side="right") - 1
            chosen = by_target[np.clip(chosen, bounds[state], bounds[state + 1] - 1)]
            drawn[:, self.order[place]] = layer.edge[chosen]
            state = layer.source[chosen]
        return drawn

    def _layer(self, place: int) -> tuple[_Layer, int, int]:
        row = self.order[place]
        return self.layers[place], int(self.starts[row]), int(self.starts[row + 1])


def sweep(
    starts: Ints,
    columns: Ints,
    weights: Floats | None = None,
    *,
    most: int = MOST_TRANSITIONS,
    deadline: float | None = None,
) -> Sweep | None:
    """Return all ways to match a component whose row r has the edges ``starts[r]:starts[r + 1]`` to ``columns``.

    None if the component is too long or too wide (more than ``most`` transitions), or if the ``deadline``
    (time.monotonic) passes. Raises ValueError if there is no perfect matching.
    """
    if len(starts) - 1 > MOST_ROWS:
        return None
    weight = np.ones(len(columns)) if weights is None else np.asarray(weights, dtype=np.float64)
    orders = (_neighbours_together(starts, columns), np.argsort(np.diff(starts), kind="stable"))
    swept = (_swept(starts, columns, weight, order, most, deadline) for order in orders)
    return next((result for result in swept if result is not None), None)


def _swept(  # noqa: PLR0917
    starts: Ints, columns: Ints, weight: Floats, order: Ints, most: int, deadline: float | None
) -> Sweep | None:
    """Place the rows in an order; None if that takes too many states or too long."""
    word, bit, closing = _slots(starts, columns, order)
    masks: Masks = np.zeros((1, closing.shape[1]), dtype=np.uint64)
    forward: list[Floats] = [np.ones(1)]
    layers: list[_Layer] = []
    log_count, transitions = 0.0, 0
    for place, row in enumerate(order):
        edges = np.arange(starts[row], starts[row + 1])
        late = deadline is not None and time.monotonic() > deadline
        if late or transitions + len(masks) * len(edges) > 2 * most:
            return None
        masks, layer = _placed(masks, edges, word, bit, closing[place])
        transitions += len(layer.edge)
        if len(layer.edge) == 0:
            message = "the component has no perfect matching"
            raise ValueError(message)
        if transitions > most:
            return None
        counts = np.bincount(layer.target, forward[-1][layer.source] * weight[layer.edge], minlength=len(masks))
        scale = float(counts.sum())
        log_count += log(scale)
        forward.append(counts / scale)
        layers.append(layer)
    return Sweep(starts, order, weight, layers, forward, log_count)


def _neighbours_together(starts: Ints, columns: Ints) -> Ints:
    """Return the rows in an order in which rows with common columns stand near each other."""
    rows = len(starts) - 1
    table = csr_matrix((np.ones(len(columns)), columns, starts), shape=(rows, rows))
    return reverse_cuthill_mckee(csr_matrix(table @ table.T), symmetric_mode=True).astype(np.int64)


def _slots(starts: Ints, columns: Ints, order: Ints) -> tuple[Ints, Masks, Masks]:
    """Return the word and the bit of every edge's column while it is open, and the bits that close after each row."""
    rows = len(order)
    place = np.empty(rows, dtype=np.int64)
    place[order] = np.arange(rows)
    when = np.repeat(place, np.diff(starts))
    first, last = np.full(rows, rows, dtype=np.int64), np.full(rows, -1, dtype=np.int64)
    np.minimum.at(first, columns, when)
    np.maximum.at(last, columns, when)
    opened, closed = np.argsort(first, kind="stable"), np.argsort(last, kind="stable")
    slot = np.full(rows, -1, dtype=np.int64)
    free: list[int] = []
    width = opens = closes = 0
    for now in range(rows):
        while opens < rows and first[opened[opens]] == now:
            if not free:
                free.append(width)
                width += 1
            slot[opened[opens]] = free.pop()
            opens += 1
        while closes < rows and last[closed[closes]] == now:
            free.append(int(slot[closed[closes]]))
            closes += 1
    word, bit = slot // _BITS, np.uint64(1) << (slot % _BITS).astype(np.uint64)
    closing: Masks = np.zeros((rows, (width - 1) // _BITS + 1), dtype=np.uint64)
    np.bitwise_or.at(closing, (last, word), bit)
    return word[columns], bit[columns], closing


def _placed(masks: Masks, edges: Ints, word: Ints, bit: Masks, closing: Masks) -> tuple[Masks, _Layer]:
    """Place one row on every free column of every state; return the states after it and how they came about."""
    source, choice = np.nonzero((masks[:, word[edges]] & bit[edges]) == 0)
    after = masks[source]
    after[np.arange(len(source)), word[edges[choice]]] |= bit[edges[choice]]
    # A column that closes must be taken by now.
    kept = ((after & closing) == closing).all(axis=1)
    source, choice, after = source[kept], choice[kept], after[kept] & ~closing
    if after.shape[1] == 1:
        states, target = np.unique(after[:, 0], return_inverse=True)
        return states[:, None], _Layer(source.astype(np.int64), edges[choice], target.astype(np.int64))
    states, target = np.unique(after, axis=0, return_inverse=True)
    return states, _Layer(source.astype(np.int64), edges[choice], target.ravel().astype(np.int64))
