"""Distances of histories whose records are joined by their number: first with first, second with second.

This is the distance of k-concealment for histories (Def 3.3; spec F-C1): for every joined pair of records the error of
the union (spec B.8), summed over both; every record beyond the end of the shorter history costs its weight.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tokumei.array_types import Codes, Floats, Ints
from tokumei.data import History, Kind
from tokumei.methods.grouping.record_table import RecordTable

FAR_AWAY = 1e17


def time_table(history: History) -> RecordTable:
    """Return the records of every subject by time, ties by file order (spec F-C2); without a time, in file order."""
    table = RecordTable.from_history(history)
    times = [history.codes[spec.name] for spec in history.schema.fields if spec.kind in (Kind.DATE, Kind.DATETIME)]
    rows = np.lexsort((np.arange(len(history)), *times[:1], history.subject))
    position = np.empty(len(rows), dtype=np.int64)
    position[table.rows] = np.arange(len(rows))
    return table.regroup(position[rows], table.offsets, table.owners)


@njit(cache=True, nogil=True)
def _record_distance(  # noqa: PLR0917
    ordered: Floats, ordered_weights: Floats, nominal: Codes, nominal_weights: Floats, one: int, other: int
) -> float:
    """Return the error of the union of two records, summed over both; next to a missing value the present is lost."""
    total = 0.0
    for field in range(ordered.shape[0]):
        apart = abs(ordered[field, one] - ordered[field, other])
        total += ordered_weights[field] * (apart if apart < FAR_AWAY else 1.0)
    for field in range(nominal.shape[0]):
        total += 0.0 if nominal[field, one] == nominal[field, other] else nominal_weights[field]
    return total


@njit(cache=True, nogil=True)
def _all_distances(  # noqa: PLR0917
    ordered: Floats,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    offsets: Ints,
    surplus: float,
    out: Floats,
) -> None:
    for one in range(len(out)):
        for other in range(one):
            mine, theirs = offsets[one + 1] - offsets[one], offsets[other + 1] - offsets[other]
            total = surplus * abs(mine - theirs)
            for number in range(min(mine, theirs)):
                total += _record_distance(
                    ordered, ordered_weights, nominal, nominal_weights, offsets[one] + number, offsets[other] + number
                )
            out[one, other] = total
            out[other, one] = total


def index_distances(table: RecordTable) -> Floats:
    """Return the symmetric matrix of distances of all pairs of units."""
    out = np.zeros((len(table), len(table)))
    _all_distances(
        table.ordered, table.ordered_weights, table.nominal, table.nominal_weights, table.offsets, table.surplus, out
    )
    return out


@njit(cache=True, nogil=True)
def _nearest(  # noqa: PLR0917
    ordered: Floats,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    offsets: Ints,
    records: Ints,
    units: Ints,
    out: Ints,
) -> None:
    for line in range(len(records)):
        best = np.inf
        for candidate in range(offsets[units[line]], offsets[units[line] + 1]):
            apart = _record_distance(ordered, ordered_weights, nominal, nominal_weights, records[line], candidate)
            if apart < best:
                best = apart
                out[line] = candidate


def nearest_records(table: RecordTable, records: Ints, units: Ints) -> Ints:
    """Return, for every record position, the nearest record of the unit named beside it (the first of equals)."""
    out = np.empty(len(records), dtype=np.int64)
    _nearest(
        table.ordered, table.ordered_weights, table.nominal, table.nominal_weights, table.offsets, records, units, out
    )
    return out
