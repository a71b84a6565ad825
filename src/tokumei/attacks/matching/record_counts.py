"""What record counts give away when a subject has several pseudonyms: the counts of its pseudonyms must add up.

If nothing was deleted, the records of a subject's pseudonyms sum to exactly its number of records (with D deletions in
all: to at least that number less D). A pseudonym can belong to a subject only if some set of the subject's candidates
that includes it has such a sum. Pseudonyms with a single candidate left are then fixed, and the rest is asked again.

Sums are held as bits of whole numbers: bit i is set if i can be reached.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Bools, Ints
from tokumei.attacks.matching.consistency import Consistency
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.attacks.matching.record_fit import match_histories

MOST_ROUNDS = 20


def prune_by_counts(graph: Bipartite, sizes: Ints, records: Ints) -> Bipartite:
    """Return the links that survive the subset-sum test; sizes are the pseudonyms' records, records the subjects'."""
    slack = int(records.sum() - sizes.sum())
    for _ in range(MOST_ROUNDS):
        fixed = graph.degrees()[graph.pseudonym] == 1
        keep = np.ones(len(graph), dtype=np.bool_)
        order = np.argsort(graph.subject, kind="stable")
        ends = np.cumsum(np.bincount(graph.subject, minlength=graph.subjects))
        for subject, edges in enumerate(np.split(order, ends[:-1])):
            if len(edges):
                counts = sizes[graph.pseudonym[edges]]
                keep[edges] = _summable(counts, fixed[edges], int(records[subject]), slack)
        if keep.all():
            break
        graph = graph.keep(keep)
    return graph


def _summable(counts: Ints, fixed: Bools, total: int, slack: int) -> Bools:
    """Return which counts lie in a set that holds all fixed ones and sums to between total - slack and total."""
    target = total - int(counts[fixed].sum())
    result = np.ones(len(counts), dtype=np.bool_)
    if target < 0:
        # Contradictory: leave the links alone, the audit reports the contradiction elsewhere.
        return result
    open_ = np.flatnonzero(~fixed)
    values = [int(value) for value in counts[open_]]
    limit = (1 << (target + 1)) - 1
    lowest = max(target - max(slack, 0), 0)
    # after[i]: what may have been reached before element i so that elements i, i + 1, ... can complete the sum.
    after = [(limit >> lowest) << lowest]
    for value in reversed(values):
        after.append(after[-1] | after[-1] >> value)
    after.reverse()
    if not after[0] & 1:
        return result
    reached = 1
    for position, value in enumerate(values):
        result[open_[position]] = bool((reached << value) & after[position + 1])
        reached |= (reached << value) & limit
    return result


def prune_by_packing(consistency: Consistency, graph: Bipartite) -> Bipartite:
    """Drop links whose records do not fit beside those of the pseudonyms already fixed to the subject (one round)."""
    histories, index = consistency.histories, consistency.index
    degree = graph.degrees()
    fixed = degree[graph.pseudonym] == 1
    fixed_rows: dict[int, list[Ints]] = {}
    for edge in np.flatnonzero(fixed):
        fixed_rows.setdefault(int(graph.subject[edge]), []).append(histories.rows_of(int(graph.pseudonym[edge])))
    keep = np.ones(len(graph), dtype=np.bool_)
    asked = [edge for edge in np.flatnonzero(~fixed) if int(graph.subject[edge]) in fixed_rows]
    rarity = np.where(index.field < 0, np.iinfo(np.int64).max, index.admitted)
    for edge in asked:
        subject = int(graph.subject[edge])
        rows = np.concatenate([*fixed_rows[subject], histories.rows_of(int(graph.pseudonym[edge]))])
        rows = rows[np.argsort(rarity[rows], kind="stable")]
        starts = np.array([0, len(rows)])
        keep[edge] = match_histories(index, rows, starts, np.array([0]), np.array([subject]))[0] == -1
    return graph.keep(keep)
