"""Groups of two: a minimum-weight perfect matching of the units on the graph of candidate pairs (blossom).

With an odd number of units a stand-in is matched too; whoever gets it joins a pair afterwards.
"""

from __future__ import annotations

import numpy as np
import rustworkx as rx

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.candidates import Estimates, PairGraph, choose_pairs, estimate_costs, exact_graph
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.remainders import absorb, joining_costs

# Blossom works on whole numbers; costs are compared to a millionth of a cell.
SCALE = 1e6
FEWEST_FOR_ESTIMATE = 3


def match_graph(count: int, first: Ints, second: Ints, cost: Floats) -> list[tuple[int, int]]:
    """Return a matching with most pairs and, among these, the least cost."""
    graph: rx.PyGraph[int, int] = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    highest = float(cost.max(initial=0.0)) + 1.0
    gain = np.round((highest - cost) * SCALE).astype(np.int64)
    graph.add_edges_from(list(zip(first.tolist(), second.tolist(), gain.tolist(), strict=True)))
    pairs = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in pairs)


def pair_units(table: RecordTable, *, per_unit: int, limit: int, threads: int = 1) -> list[list[int]]:
    """Return groups of two (one of three if the number is odd) of least total cost among the candidate pairs."""
    count = len(table)
    if count <= FEWEST_FOR_ESTIMATE:
        return [list(range(count))]
    estimates = estimate_costs(table, threads=threads, pairs=True)
    first, second = choose_pairs(table, estimates, per_unit)
    graph = exact_graph(table, first, second, limit=limit, threads=threads)
    return _matched(table, estimates, graph, limit=limit, threads=threads)


def _matched(
    table: RecordTable, estimates: Estimates, graph: PairGraph, *, limit: int, threads: int
) -> list[list[int]]:
    """Match the graph; leave one unit over if their number is odd, and put what is left into larger groups."""
    count = len(table)
    first, second, cost = graph.first, graph.second, graph.cost
    if count % 2:
        spare, extra = joining_costs(table, estimates, 2, limit=limit, threads=threads)
        first, second = np.concatenate((first, spare)), np.concatenate((second, np.full(len(spare), count)))
        cost = np.concatenate((cost, extra))
    pairs = match_graph(count + count % 2, first, second, cost)
    groups = [list(pair) for pair in pairs if pair[1] < count]
    left = sorted(set(range(count)) - {unit for group in groups for unit in group})
    return absorb(table, estimates, groups, left, limit=limit, threads=threads)
