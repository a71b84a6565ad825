"""The exact cost of publishing two histories as one: records matched one-to-one so that the least is lost.

A record x of one and y of the other become one published record. Per field, summed over both members (spec B.8 for the
cell error, `cell_costs` for the others): an
ordered cell becomes the hull and costs |x - y| / sd, or is suppressed and costs 2, whichever is less (research part
2: inside a pair the tight hull is optimal); a category costs 0 if equal and 2 (1 - 1/2) = 1 if not; a value missing in
one of them suppresses the cell, which costs the other 1. Every record of the shorter history is matched, the surplus
of the longer one is lost at the weight of all its cells.

Histories of which the cost matrix would be too large are cut into chunks of consecutive records; the chunks of both
keep step (``j_c = i_c + floor((n_b - n_a) c / k)``), so that no chunk has more rows than columns.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tokumei.array_types import Codes, Floats, Ints
from tokumei.data import solve_assignment
from tokumei.methods.grouping.cell_costs import CELL_ERROR, FAR_AWAY, SET_ERROR, LossArrays
from tokumei.methods.grouping.loss_lines import add_range_line, add_set_line
from tokumei.methods.grouping.record_table import RecordTable

SUPPRESSED_PAIR = 2.0


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _fill_row(  # noqa: PLR0917
    loss: LossArrays,
    ordered: Floats,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    record: int,
    first: int,
    line: Floats,
) -> None:
    """Write the cost of one record with each record from ``first`` on into a line of the cost matrix."""
    columns = len(line)
    line[:] = 0.0
    for field in range(ordered.shape[0]):
        value, weight = ordered[field, record], ordered_weights[field]
        others = ordered[field, first : first + columns]
        if loss.kinds[field] != CELL_ERROR:
            add_range_line(loss, field, weight, ordered[field, record : record + 1], others, line)
            continue
        for column in range(columns):
            apart = abs(value - others[column])
            cost = min(apart, SUPPRESSED_PAIR)
            line[column] += weight * (cost if apart < FAR_AWAY else 1.0)
    for field in range(nominal.shape[0]):
        code, weight = nominal[field, record], nominal_weights[field]
        codes = nominal[field, first : first + columns]
        if loss.kinds[ordered.shape[0] + field] != SET_ERROR:
            own = nominal[field, record : record + 1]
            add_set_line(loss, ordered.shape[0] + field, weight, own, codes, line)
            continue
        for column in range(columns):
            line[column] += 0.0 if codes[column] == code else weight


@njit(cache=True, nogil=True)
def chunk_count(shorter: int, longer: int, limit: int) -> int:
    """Return into how many chunks a matching is cut so that each cost matrix stays within ``limit`` squared cells."""
    if shorter == 0:
        return 1
    chunks = 1
    while chunks < shorter:
        height = (shorter + chunks - 1) // chunks
        width = height + (longer - shorter + chunks - 1) // chunks
        if height * width <= limit * limit:
            break
        chunks += 1
    return chunks


@njit(cache=True, nogil=True)
def match_pair(  # noqa: PLR0917
    loss: LossArrays,
    ordered: Floats,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    a_start: int,
    a_count: int,
    b_start: int,
    b_count: int,
    limit: int,
    partner: Ints,
) -> float:
    """Match all records of the shorter history a into the longer b; fill their partners, return the matched cost."""
    chunks = chunk_count(a_count, b_count, limit)
    total = 0.0
    for chunk in range(chunks):
        top, bottom = a_count * chunk // chunks, a_count * (chunk + 1) // chunks
        left = top + (b_count - a_count) * chunk // chunks
        right = bottom + (b_count - a_count) * (chunk + 1) // chunks
        cost = np.empty((bottom - top, right - left))
        for row in range(bottom - top):
            _fill_row(
                loss, ordered, ordered_weights, nominal, nominal_weights, a_start + top + row, b_start + left, cost[row]
            )
        column_of = np.empty(bottom - top, dtype=np.int64)
        solve_assignment(cost, column_of, np.empty(right - left))
        for row in range(bottom - top):
            total += cost[row, column_of[row]]
            partner[top + row] = left + column_of[row]
    return total


@njit(cache=True, nogil=True)
def _match_pairs(  # noqa: PLR0917
    loss: LossArrays,
    ordered: Floats,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    offsets: Ints,
    first: Ints,
    second: Ints,
    limit: int,
    costs: Floats,
) -> None:
    for pair in range(len(first)):
        a, b = first[pair], second[pair]
        if offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b]:
            a, b = b, a
        count = offsets[a + 1] - offsets[a]
        partner = np.empty(count, dtype=np.int64)
        costs[pair] = match_pair(
            loss,
            ordered,
            ordered_weights,
            nominal,
            nominal_weights,
            offsets[a],
            count,
            offsets[b],
            offsets[b + 1] - offsets[b],
            limit,
            partner,
        )


def match_pairs(table: RecordTable, first: Ints, second: Ints, limit: int) -> Floats:
    """Return, for pairs of units, the cost of their matched records (without the surplus)."""
    costs = np.empty(len(first))
    _match_pairs(
        table.loss.arrays,
        table.ordered,
        table.ordered_weights,
        table.nominal,
        table.nominal_weights,
        table.offsets,
        first,
        second,
        limit,
        costs,
    )
    return costs
