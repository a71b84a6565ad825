"""Full-domain recoding: the one vector of levels that loses least, records in small classes suppressed up to a limit.

All vectors of levels form a lattice. What generalization alone loses is known without looking at classes, never more
than the loss with suppression, so vectors are tried in the order of that bound and the search ends when it reaches the
best loss found: the result is optimal. A vector that would suppress too many records excludes every vector below
it, because classes only fall apart there (LeFevre et al., Incognito, 2005: roll-up).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.errors import InfeasibleError
from tokumei.methods.recoding.table import LeafTable, aggregated

LARGEST_LATTICE = 1_000_000


@dataclass(frozen=True, eq=False, slots=True)
class FullDomain:
    """The best vector of levels, which records are suppressed, the loss, and how many vectors were looked at."""

    levels: Ints
    suppressed: Bools
    loss: float
    tried: int
    lattice: int


def best_levels(table: LeafTable, k: int, *, limit: float, aggregate: str) -> FullDomain:
    """Return the optimum; raises InfeasibleError if no vector suppresses few enough, or if there are too many."""
    size = int(np.prod(table.levels.astype(np.float64)))
    if size > LARGEST_LATTICE:
        message = (
            f"the hierarchies have {size:,} combinations of levels, too many to find the best ({LARGEST_LATTICE:,}); "
            "use scope=local, or hierarchies of fewer levels"
        )
        raise InfeasibleError(message)
    vectors = np.array(list(product(*(range(levels) for levels in table.levels))), dtype=np.int64)
    means = _level_means(table)
    bounds = aggregated(np.column_stack([means[column][vectors[:, column]] for column in range(len(means))]), aggregate)
    # Ties go to the vector of lower levels, whatever the order of the sort.
    order = np.lexsort((*vectors.T[::-1], vectors.sum(axis=1), bounds))
    most = int(limit * len(table) + 1e-9)
    best: FullDomain | None = None
    tried = 0
    excluded: list[Ints] = []
    rows = np.arange(len(table))
    for at in order:
        vector = vectors[at]
        if best is not None and bounds[at] >= best.loss:
            break
        if excluded and bool((vector <= np.array(excluded)).all(axis=1).any()):
            continue
        tried += 1
        group = table.classes(rows, vector)
        hidden = np.bincount(group)[group] < k
        if int(hidden.sum()) > most:
            excluded.append(vector)
            continue
        loss = float(aggregated(recoded_losses(table, np.tile(vector, (len(table), 1)), hidden), aggregate))
        if best is None or loss < best.loss:
            best = FullDomain(vector, hidden, loss, 0, size)
    if best is None:
        message = f"no combination of levels leaves at most {most:,} records in classes below k = {k}; allow more"
        raise InfeasibleError(message)
    return FullDomain(best.levels, best.suppressed, best.loss, tried, size)


def _level_means(table: LeafTable) -> list[Floats]:
    """Return, by column, the mean loss of all records at every level."""
    means = []
    for column, levels in enumerate(table.levels):
        counts = np.bincount(table.leaf[:, column], minlength=table.nodes.shape[2])
        means.append(table.losses[column, :levels] @ counts / max(len(table), 1))
    return means


def recoded_losses(table: LeafTable, levels: Ints, suppressed: Bools) -> Floats:
    """Return the mean loss of every column for levels by record and column."""
    columns = np.arange(table.leaf.shape[1])
    cells = table.losses[columns, levels, table.leaf]
    return np.where(suppressed[:, None], 1.0, cells).mean(axis=0) if len(table) else np.zeros(len(columns))
