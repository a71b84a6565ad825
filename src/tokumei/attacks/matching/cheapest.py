"""Which hypotheses explain a release at the smallest total cell error: what an algorithm that minimises loss betrays.

For every match the cheapest placing of the pseudonym's records on the subject's is found (a sparse assignment over the
fitting records, cell errors of spec B.8). Deleted records cost the same in every hypothesis and are left out. In each
component the optimal prices of the assignment of pseudonyms to subjects tell which links lie in a cheapest matching:
those with reduced cost 0. On these the posterior is computed again (research notes, part 2, section 4).
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from tokumei.array_types import Floats, Ints
from tokumei.attacks.matching.consistency import Consistency
from tokumei.attacks.matching.matchings import Bipartite, Component, Matches, find_matches
from tokumei.attacks.matching.posteriors import component_weights
from tokumei.attacks.matching.record_fit import collect_fits
from tokumei.data import History, RangeCells, Release, assign, cell_errors
from tokumei.progress import stage

MOST_FITS = 4_000_000
LARGEST_COMPONENT = 5_000
# Sums of the same errors in another order differ by rounding only; real differences of cell errors are far larger.
TIE = 1e-6
FORBIDDEN = 1e7
DENSE_CELLS = 400_000


@dataclass(frozen=True, eq=False, slots=True)
class EdgeCosts:
    """The smallest total cell error of every match; NaN where it was not computed (``skipped`` pairs)."""

    cost: Floats
    skipped: int = 0


def edge_costs(
    history: History, release: Release, consistency: Consistency, matches: Matches, *, deadline: float | None = None
) -> EdgeCosts:
    """Return the smallest total cell error of every match.

    In a component whose pseudonyms all published the same history the cost depends on the subject alone, so that all
    its matchings cost the same: it is left at 0 there.
    """
    graph, kind = matches.graph, consistency.histories.kind
    real = graph.pseudonyms - graph.blanks
    cost = np.zeros(len(graph))
    edges = np.concatenate(
        [np.empty(0, dtype=np.int64), *(c.edges for c in matches.components if _differs(c, kind, real))]
    )
    edges = edges[graph.pseudonym[edges] < real]
    pairs = np.stack((kind[graph.pseudonym[edges]], graph.subject[edges]))
    distinct, where = np.unique(pairs, axis=1, return_inverse=True) if len(edges) else (pairs, edges)
    placing = _Placing(history, release, consistency)
    found = np.full(distinct.shape[1], np.nan)
    with stage("cheapest matchings", total=distinct.shape[1]) as advance:
        for position in range(distinct.shape[1]):
            if deadline is not None and time.monotonic() > deadline:
                break
            pseudonym = int(consistency.histories.first_of[distinct[0, position]])
            found[position] = placing.cost(pseudonym, int(distinct[1, position]))
            advance(1)
    cost[edges] = found[where.ravel()]
    return EdgeCosts(cost, int(np.isnan(found).sum()))


def _differs(component: Component, kind: Ints, real: int) -> bool:
    """Whether a component has pseudonyms with different histories (a blank one differs from all)."""
    members = component.pseudonyms
    inside = members[members < real]
    return len(inside) < len(members) or len(np.unique(kind[inside])) > 1


class _Placing:
    """Cheapest placings of a pseudonym's records on a subject's."""

    def __init__(self, history: History, release: Release, consistency: Consistency) -> None:
        self.release = release
        self.consistency = consistency
        self.spread = {spec.name: history.spread(spec.name) for spec in history.schema.fields}

    def cost(self, pseudonym: int, subject: int) -> float:
        """Return the smallest total error, NaN if there are too many fitting records to place them exactly."""
        placed = self.place(pseudonym, subject)
        return float("nan") if placed is None else placed

    def place(self, pseudonym: int, subject: int) -> float | None:
        """Return the smallest total error, None if there are too many fitting records."""
        index = self.consistency.index
        rows = self.consistency.histories.rows_of(pseudonym)
        hidden = rows[index.field[rows] < 0]
        rows = rows[index.field[rows] >= 0]
        blank = float(len(hidden) * index.codes.shape[1])
        if len(rows) == 0:
            return blank
        first, fits = collect_fits(index, rows, subject, MOST_FITS)
        if len(fits) < first[-1]:
            return None
        begin = index.offsets[subject]
        record = np.repeat(rows, np.diff(first))
        error = np.zeros(len(fits))
        for position, spec in enumerate(self.release.schema.fields):
            cells = self.release.cells[spec.name]
            values = index.codes[begin + fits, position]
            error += _errors(values, cells.take(record), self.spread[spec.name])
        width = int(index.offsets[subject + 1] - begin)
        return _cheapest_placing(first, fits, error, width) + blank


def _cheapest_placing(first: Ints, fits: Ints, error: Floats, width: int) -> float:
    """Return the smallest sum of errors that gives every record a fit of its own.

    The sparse solver can take thousands of times longer than the dense one on nearly equal costs, so it is used only
    where a dense matrix would be large, and on rounded costs.
    """
    records = len(first) - 1
    if records * width <= DENSE_CELLS:
        matrix = np.full((records, width), FORBIDDEN)
        matrix[np.repeat(np.arange(records), np.diff(first)), fits] = error
        return assign(matrix).cost
    # The solver reads 0 as "no edge"; one more per record changes no comparison.
    sparse = csr_matrix((np.round(error, 10) + 1.0, fits, first), shape=(records, width))
    chosen = min_weight_full_bipartite_matching(sparse)
    return float(np.asarray(sparse[chosen]).sum()) - records


def _errors(values: Ints, cells: object, spread: float) -> Floats:
    """Return the cell errors; every value is known to lie in its cell."""
    if isinstance(cells, RangeCells):
        return cell_errors(values, cells, spread)
    sizes = np.maximum(cells.sizes(), 1)  # type: ignore[attr-defined]
    return np.where(cells.suppressed, 1.0, 1.0 - 1.0 / sizes)  # type: ignore[attr-defined]


def cheapest_matches(matches: Matches, cost: Floats) -> Matches:
    """Return the links that lie in a cheapest perfect matching; components without costs stay as they are."""
    graph = matches.graph
    tight = np.ones(len(graph), dtype=np.bool_)
    for component in matches.components:
        here = cost[component.edges]
        if len(component) == 1 or not here.any() or np.isnan(here).any() or len(component) > LARGEST_COMPONENT:
            continue
        matrix = np.full((len(component), len(component)), FORBIDDEN)
        present = component_weights(graph, component) > 0
        matrix[present] = here
        solved = assign(matrix)
        reduced = matrix - solved.row_prices[:, None] - solved.column_prices[None, :]
        tight[component.edges] = reduced[present] < TIE
    kept: Bipartite = graph.keep(tight)
    return find_matches(kept)
