"""Cheapest sets of pairs that give everybody enough partners: edge covers of a complete graph.

One partner each is exact by matching: with c(v) the cost of the cheapest pair of v, everybody could take that pair; a
pair (u, v) that serves both saves c(u) + c(v) - cost(u, v), and the pairs of a matching save independently, so that the
matching of greatest saving, and the cheapest pair of whoever is left, is the cheapest cover (Schrijver, Combinatorial
Optimization, section 27.1). More partners each are a mixed-integer program over the pairs that can occur in an optimum:
a pair that only u needs is among u's cheapest; one that both need costs at most what the last of the cheapest of both
cost together. Where these are too many for the solver a greedy cover is taken.

Pairs are lines (u, v) with u < v, sorted.

>>> table_9 = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
>>> edge_cover(table_9).tolist()
[[0, 1], [1, 2]]
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import rustworkx as rx
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from tokumei.array_types import Floats, Ints

# Matching works on whole numbers: costs are compared to one part in 2^40 of the largest.
RESOLUTION = float(2**40)
MOST_PAIRS = 20_000
GAP = 1e-4
MOST_NODES = 2_000


def edge_cover(cost: npt.ArrayLike, least: int = 1) -> Ints:
    """Return the cheapest pairs in which everybody has at least ``least`` partners (0 <= cost, symmetric)."""
    matrix = _without_diagonal(cost, least)
    if least == 1:
        return _cover_by_matching(matrix)
    first, second = _useful_pairs(matrix, least)
    if len(first) > MOST_PAIRS:
        return greedy_cover(cost, least)
    return _cover_by_program(matrix, first, second, least)


def greedy_cover(cost: npt.ArrayLike, least: int = 1) -> Ints:
    """Return a cover that takes pairs by rising cost while an end lacks partners, then drops the dearest needless."""
    matrix = _without_diagonal(cost, least)
    first, second = _useful_pairs(matrix, least)
    order = _by_cost(matrix, first, second)
    have = [0] * len(matrix)
    lacking = len(matrix)
    taken = []
    for u, v in zip(first[order].tolist(), second[order].tolist(), strict=True):
        if have[u] < least or have[v] < least:
            taken.append((u, v))
            for end in (u, v):
                have[end] += 1
                lacking -= have[end] == least
            if lacking == 0:
                break
    return _without_needless(np.array(taken, dtype=np.int64), len(matrix), least)


def neighbour_graph(cost: npt.ArrayLike, least: int = 1) -> Ints:
    """Return everybody's ``least`` nearest partners, both directions (the paper's likely graph, spec C.3)."""
    matrix = _without_diagonal(cost, least)
    nearest = np.argsort(matrix, axis=1, kind="stable")[:, :least]
    return _sorted_pairs(np.stack((np.repeat(np.arange(len(matrix)), least), nearest.ravel()), axis=1))


def cover_cost(cost: npt.ArrayLike, pairs: Ints) -> float:
    """Return the summed cost of the pairs."""
    return float(np.asarray(cost, dtype=np.float64)[pairs[:, 0], pairs[:, 1]].sum())


def _without_diagonal(cost: npt.ArrayLike, least: int) -> Floats:
    """Return the costs with nobody near to himself; refuse what cannot be covered."""
    matrix = np.array(cost, dtype=np.float64)
    if len(matrix) <= least:
        raise ValueError(f"{len(matrix)} vertices cannot have {least} partners each")
    np.fill_diagonal(matrix, np.inf)
    if (matrix < 0).any() or (matrix != matrix.T).any():
        raise ValueError("the costs of an edge cover must be symmetric and not negative")
    return matrix


def _sorted_pairs(pairs: Ints) -> Ints:
    return np.unique(np.sort(pairs.reshape(-1, 2), axis=1), axis=0).astype(np.int64)


def _by_cost(matrix: Floats, first: Ints, second: Ints) -> Ints:
    """Return the pairs by rising cost; among equals neighbours by number come first, so that nobody becomes a hub."""
    return np.lexsort((first, second - first, matrix[first, second]))


def _without_needless(pairs: Ints, count: int, least: int) -> Ints:
    """Drop pairs, the last first, whose ends both have partners to spare."""
    have = np.bincount(pairs.ravel(), minlength=count).tolist()
    kept = []
    for u, v in reversed(pairs.tolist()):
        if have[u] > least and have[v] > least:
            have[u] -= 1
            have[v] -= 1
        else:
            kept.append((u, v))
    return _sorted_pairs(np.array(kept, dtype=np.int64))


def _cover_by_matching(matrix: Floats) -> Ints:
    nearest = np.argmin(matrix, axis=1)
    cheapest = matrix[np.arange(len(matrix)), nearest]
    saving = cheapest[:, None] + cheapest[None, :] - matrix
    first, second = np.nonzero(np.triu(saving > 0, 1))
    scale = RESOLUTION / max(float(saving.max(initial=0.0)), 1e-300)
    gain = np.round(saving[first, second] * scale).astype(np.int64)
    graph: rx.PyGraph[int, int] = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(len(matrix)))
    graph.add_edges_from(list(zip(first.tolist(), second.tolist(), gain.tolist(), strict=True)))
    matched = np.array(sorted(rx.max_weight_matching(graph, weight_fn=int)), dtype=np.int64).reshape(-1, 2)
    alone = np.setdiff1d(np.arange(len(matrix)), matched)
    own = np.stack((alone, nearest[alone]), axis=1)
    return _sorted_pairs(np.concatenate((matched, _shared_ties(alone, own, saving))))


def _shared_ties(alone: Ints, own: Ints, saving: Floats) -> Ints:
    """Return the pairs of those left alone, two of them in one pair where that costs no more.

    Among equals (identical records) everybody's nearest is the same: without this they would all hang on one.
    """
    free = np.ones(len(alone), dtype=np.bool_)
    pairs = []
    for place, vertex in enumerate(alone.tolist()):
        if not free[place]:
            continue
        free[place] = False
        partner = np.flatnonzero(free & (saving[vertex, alone] == 0.0))
        if len(partner):
            free[partner[0]] = False
            pairs.append((vertex, int(alone[partner[0]])))
        else:
            pairs.append((vertex, int(own[place, 1])))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _useful_pairs(matrix: Floats, least: int) -> tuple[Ints, Ints]:
    """Return the pairs that some cheapest cover can hold."""
    nearest = np.argsort(matrix, axis=1, kind="stable")[:, :least]
    last = np.take_along_axis(matrix, nearest[:, -1:], axis=1)
    useful = matrix <= last + last.T
    useful[np.arange(len(matrix))[:, None], nearest] = True
    first, second = np.nonzero(np.triu(useful | useful.T, 1))
    return first.astype(np.int64), second.astype(np.int64)


def _cover_by_program(matrix: Floats, first: Ints, second: Ints, least: int) -> Ints:
    pairs = np.arange(len(first))
    ends = csr_matrix(
        (np.ones(2 * len(first)), (np.concatenate((first, second)), np.tile(pairs, 2))), shape=(len(matrix), len(first))
    )
    solved = milp(
        matrix[first, second],
        constraints=LinearConstraint(ends, least, np.inf),
        integrality=np.ones(len(first)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": GAP if len(matrix) > 64 else 0.0, "node_limit": MOST_NODES},
    )
    greedy = greedy_cover(np.where(np.isinf(matrix), 0.0, matrix), least)
    if solved.x is None or solved.fun > cover_cost(matrix, greedy):
        return greedy
    chosen = solved.x > 0.5
    first, second = first[chosen], second[chosen]
    order = _by_cost(matrix, first, second)
    return _without_needless(np.stack((first, second), axis=1)[order], len(matrix), least)
