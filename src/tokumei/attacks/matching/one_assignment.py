"""One assignment of all pseudonyms to subjects that explains the release best, each subject at most once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from tokumei.array_types import Floats, Ints

# Above so many pairs only the best subjects of every pseudonym are kept.
MOST_PAIRS = 25_000_000
NEIGHBOURS = 30


def best_subjects(scores: Floats, *, one_each: bool) -> Ints:
    """Return the best subject (column) of every row, each subject once if ``one_each`` and there are enough of them."""
    if not one_each or scores.shape[0] > scores.shape[1]:
        return np.argmax(scores, axis=1).astype(np.int64)
    return scipy.optimize.linear_sum_assignment(scores, maximize=True)[1].astype(np.int64)


def assigned_by_blocks(blocks: Iterable[tuple[int, Floats]], pseudonyms: int, subjects: int) -> Ints:
    """Return the subject of every pseudonym from blocks of scores; in large tables by its best subjects alone."""
    if pseudonyms * subjects <= MOST_PAIRS:
        scores = np.concatenate([rows for _, rows in blocks])
        return best_subjects(scores, one_each=True)
    near, weight = [], []
    for _, rows in blocks:
        best = np.sort(np.argpartition(-rows, NEIGHBOURS, axis=1)[:, :NEIGHBOURS], axis=1)
        near.append(best)
        weight.append(np.take_along_axis(rows, best, axis=1))
    return _sparse_assignment(np.concatenate(near), np.concatenate(weight), subjects)


def _sparse_assignment(near: Ints, weight: Floats, subjects: int) -> Ints:
    """Return an assignment within lists of near subjects; who finds none there takes its best, whoever else has it."""
    pseudonyms, width = near.shape
    alone = np.argmax(weight, axis=1)
    if pseudonyms > subjects:
        return near[np.arange(pseudonyms), alone]
    # Costs are positive, as the solver asks; a column of its own, dearer than all others, is there for everybody.
    cost = weight.max(axis=1, keepdims=True) - weight + 1.0
    dearest = float(cost.max()) + 1.0
    every = np.arange(pseudonyms)
    rows = np.concatenate((np.repeat(every, width), every))
    columns = np.concatenate((near.ravel(), subjects + every))
    costs = np.concatenate((cost.ravel(), np.full(pseudonyms, dearest)))
    table = csr_matrix((costs, (rows, columns)), shape=(pseudonyms, subjects + pseudonyms))
    chosen = min_weight_full_bipartite_matching(table)[1].astype(np.int64)
    return np.where(chosen < subjects, chosen, near[every, alone])
