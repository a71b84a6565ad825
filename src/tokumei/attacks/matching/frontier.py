"""Exact posteriors of components that are long but narrow, whatever their size.

Pseudonyms are placed one after the other. Of a state only the subjects matter that are open: some of their candidates
are placed and some are not. A subject whose last candidate was placed without taking it can never be taken, so that the
state is dropped. Long cycles, ladders and blocks joined by few links have few states, where a Markov chain needs long
to get from one end to the other. (Transfer matrices; frontier method of Kawahara, Inoue, Iwashita and Minato 2017.)

>>> circle = np.arange(100)
>>> starts, columns = 2 * np.arange(101), np.stack((circle, (circle + 1) % 100), axis=1).ravel()
>>> marginals, log_count = frontier_marginals(starts, columns)
>>> marginals.min(), marginals.max(), round(np.exp(log_count), 6)
(np.float64(0.5), np.float64(0.5), np.float64(2.0))
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


def frontier_marginals(
    starts: Ints, columns: Ints, weights: Floats | None = None, *, deadline: float | None = None
) -> tuple[Floats, float] | None:
    """Return the marginal of every edge and the logarithm of the (weighted) number of perfect matchings.

    Row r has the edges ``starts[r]:starts[r + 1]`` to ``columns``. None if the component is too wide, or if the
    ``deadline`` (time.monotonic) passes. Raises ValueError if there is no perfect matching.
    """
    if len(starts) - 1 > MOST_ROWS:
        return None
    weight = np.ones(len(columns)) if weights is None else np.asarray(weights, dtype=np.float64)
    orders = (_neighbours_together(starts, columns), np.argsort(np.diff(starts), kind="stable"))
    solved = (_swept(starts, columns, weight, order, deadline) for order in orders)
    return next((result for result in solved if result is not None), None)


def _swept(
    starts: Ints, columns: Ints, weight: Floats, order: Ints, deadline: float | None
) -> tuple[Floats, float] | None:
    """Place the rows in an order; then go back over all states and count how often each edge was used."""
    word, bit, closing = _slots(starts, columns, order)
    masks: Masks = np.zeros((1, closing.shape[1]), dtype=np.uint64)
    forward: list[Floats] = [np.ones(1)]
    layers: list[_Layer] = []
    log_count, transitions = 0.0, 0
    for place, row in enumerate(order):
        if deadline is not None and time.monotonic() > deadline:
            return None
        edges = np.arange(starts[row], starts[row + 1])
        if transitions + len(masks) * len(edges) > 2 * MOST_TRANSITIONS:
            return None
        masks, layer = _placed(masks, edges, word, bit, closing[place])
        transitions += len(layer.edge)
        if len(layer.edge) == 0:
            message = "the component has no perfect matching"
            raise ValueError(message)
        if transitions > MOST_TRANSITIONS:
            return None
        counts = np.bincount(layer.target, forward[-1][layer.source] * weight[layer.edge], minlength=len(masks))
        scale = float(counts.sum())
        log_count += log(scale)
        forward.append(counts / scale)
        layers.append(layer)
    marginals = np.zeros(len(columns))
    backward: Floats = np.ones(len(masks))
    for place in range(len(order) - 1, -1, -1):
        layer = layers[place]
        onward = weight[layer.edge] * backward[layer.target]
        begin, end = starts[order[place]], starts[order[place] + 1]
        shares = np.bincount(layer.edge - begin, forward[place][layer.source] * onward, minlength=end - begin)
        marginals[begin:end] = shares / shares.sum()
        reached = np.bincount(layer.source, onward, minlength=len(forward[place])).astype(np.float64)
        backward = reached / reached.max()
    return marginals, log_count


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
