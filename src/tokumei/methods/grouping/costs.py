"""Costs of pairs of units: a cheap estimate for all pairs of a block, exact ones for chosen pairs.

**Estimate.** Every field is matched on its own. Sorted values of the shorter history (n_a) go into sorted values of the
longer one (n_b) in order, so the i-th of a can only meet the i-th to the (i + n_b - n_a)-th of b: its distance is at
least the distance to that window. Categories cost what the overlap of both multisets leaves over. Both are lower
bounds of the exact cost up to the cap of a suppressed cell, and need no search. The estimate only chooses candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import njit

from tokumei.array_types import Codes, Floats, Floats32, Ints
from tokumei.engine import spread_over
from tokumei.methods.grouping.record_matching import match_pairs
from tokumei.methods.grouping.record_table import RecordTable

SUPPRESSED_PAIR = 2.0


@dataclass(frozen=True, eq=False, slots=True)
class SortedFields:
    """The fields of a table, each sorted within its unit on its own."""

    ordered: Floats32
    nominal: Codes
    table: RecordTable

    @classmethod
    def of(cls, table: RecordTable) -> SortedFields:
        """Sort every field within every unit."""
        unit = np.repeat(np.arange(len(table)), table.counts())
        ordered = np.empty(table.ordered.shape, dtype=np.float32)
        for line, values in enumerate(table.ordered):
            ordered[line] = values[np.lexsort((values, unit))]
        nominal = np.empty_like(table.nominal)
        for line, codes in enumerate(table.nominal):
            nominal[line] = codes[np.lexsort((codes, unit))]
        return cls(ordered, nominal, table)


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "reassoc"})
def _windowed(a: Floats32, b: Floats32, cap: float) -> float:
    """Return the summed distance of each sorted value of a to its window in sorted b, capped per value."""
    slack = len(b) - len(a)
    total = np.float32(0.0)
    zero, most = np.float32(0.0), np.float32(cap)
    for i in range(len(a)):
        apart = max(b[i] - a[i], a[i] - b[i + slack], zero)
        total += min(apart, most)
    return float(total)


@njit(cache=True, nogil=True)
def unshared(a: Codes, b: Codes) -> int:
    """Return how many of the sorted codes a find no equal partner of their own in the sorted codes b."""
    i, j, left = 0, 0, len(a)
    while i < len(a) and j < len(b):
        x, y = a[i], b[j]
        left -= x == y
        i += x <= y
        j += y <= x
    return left


@njit(cache=True, nogil=True)
def _estimate_row(  # noqa: PLR0917
    ordered: Floats32,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    offsets: Ints,
    unit: int,
    first: int,
    out: Floats32,
) -> None:
    """Write the estimated matched cost of one unit with each unit from ``first`` on."""
    for position in range(len(out)):
        other = first + position
        a, b = unit, other
        if offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b]:
            a, b = b, a
        total = 0.0
        for field in range(ordered.shape[0]):
            total += ordered_weights[field] * _windowed(
                ordered[field, offsets[a] : offsets[a + 1]],
                ordered[field, offsets[b] : offsets[b + 1]],
                SUPPRESSED_PAIR,
            )
        for field in range(nominal.shape[0]):
            total += nominal_weights[field] * unshared(
                nominal[field, offsets[a] : offsets[a + 1]], nominal[field, offsets[b] : offsets[b + 1]]
            )
        out[position] = total


@njit(cache=True, nogil=True)
def _estimate_rows(  # noqa: PLR0917
    ordered: Floats32,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    offsets: Ints,
    start: int,
    stop: int,
    out: Floats32,
) -> None:
    for unit in range(start, stop):
        _estimate_row(
            ordered, ordered_weights, nominal, nominal_weights, offsets, unit, unit + 1, out[unit, unit + 1 :]
        )


def estimate_pairs(table: RecordTable, *, threads: int = 1) -> Floats32:
    """Return the symmetric matrix of estimated matched costs of all pairs of units."""
    fields = SortedFields.of(table)
    count = len(table)
    out = np.zeros((count, count), dtype=np.float32)
    bounds = np.unique(np.linspace(0, count, min(count, 16 * threads) + 1).astype(np.int64))
    ordered_scales, nominal_scales = table.loss.pair_scales
    ordered_weights, nominal_weights = table.ordered_weights * ordered_scales, table.nominal_weights * nominal_scales

    def piece(start: int, stop: int) -> Callable[[], None]:
        return lambda: _estimate_rows(
            fields.ordered, ordered_weights, fields.nominal, nominal_weights, table.offsets, start, stop, out
        )

    spread_over(threads, [piece(int(a), int(b)) for a, b in pairwise(bounds)])
    out += out.T
    return out


def exact_matched(table: RecordTable, first: Ints, second: Ints, *, limit: int, threads: int = 1) -> Floats:
    """Return the exact matched cost of each pair of units (chunked where the cost matrix exceeds limit squared)."""
    counts = table.counts()
    effort = np.minimum(counts[first], counts[second]).astype(np.float64) * np.maximum(counts[first], counts[second])
    # The heaviest pairs first, so that no thread is left with a long one at the end.
    order = np.argsort(-effort, kind="stable")
    costs = np.empty(len(first))
    ahead = np.cumsum(effort[order] + 200.0)
    pieces = np.unique(np.searchsorted(ahead, np.linspace(0, ahead[-1] if len(ahead) else 0, 64 * threads + 1)[1:-1]))
    batches = [batch for batch in np.split(order, pieces) if len(batch)]

    def piece(batch: Ints) -> Callable[[], None]:
        def run() -> None:
            costs[batch] = match_pairs(table, first[batch], second[batch], limit)

        return run

    spread_over(threads, [piece(batch) for batch in batches])
    return costs


def surplus_costs(table: RecordTable, first: Ints, second: Ints) -> Floats:
    """Return what the records cost that remain unmatched in each pair."""
    counts = table.counts()
    return table.surplus * np.abs(counts[first] - counts[second]).astype(np.float64)
