"""Designs of uniform concealment: which sets of subjects are published as hulls, decided from the data alone.

In a design every subject lies in as many hulls as makes its chances sum to one: a hull of a set of g subjects gives
each of them 1/g. Two kinds are offered. *Sets* partitions the subjects into cliques (k or more subjects that publish g
copies of their common hull: k-anonymity) and into sets of k + 1 that publish the hulls of all their k-subsets (for
k = 2 a triangle); of all designs beyond cliques these have the lowest joint risk for their gain (research part 3).
*Assignment* takes the union of k disjoint permutations, cheaper and with larger components.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csc_matrix

from tokumei.array_types import Floats, Ints
from tokumei.data import assign
from tokumei.methods.concealment.by_assignment import assignment_hulls
from tokumei.methods.concealment.hulls import pair_cost_matrix
from tokumei.methods.grouping.blocks import cut_blocks
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.progress import stage

Set = tuple[int, ...]

# Subsets of this many near neighbours are tried per subject: about 10 to 20 sets each.
REACH = {2: 10, 3: 6, 4: 5}
OPEN_REACH = {2: 7, 3: 5}
GAP = 1e-4
MOST_NODES = 500


def assignment_design(
    table: RecordTable, k: int, *, per_unit: int, limit: int, block: int, longest: int = 0, threads: int = 1
) -> Groups:
    """Return the hulls of the union of k disjoint permutations."""
    members = assignment_hulls(table, k, longest=longest, per_unit=per_unit, limit=limit, block=block, threads=threads)
    return Groups.of_equal(members)


def set_design(table: RecordTable, k: int, *, per_unit: int, limit: int, block: int, threads: int = 1) -> Groups:
    """Return the hulls of the cheapest found partition into cliques and sets of k + 1 that publish their k-subsets."""
    hulls: list[Ints] = []
    blocks = cut_blocks(table, most=max(block, 2 * k), fewest=k)
    with stage("uniform design", total=len(blocks)) as advance:
        for part in blocks:
            cost = pair_cost_matrix(part.of(table), per_unit=per_unit, limit=limit, threads=threads)
            cliques, open_sets = _choose(part.of(table), cost, k, limit=limit, threads=threads)
            for clique in cliques:
                hulls += [part.units[list(clique)]] * len(clique)
            for members in open_sets:
                hulls += [part.units[list(subset)] for subset in combinations(members, k)]
            advance(1)
    return Groups.of(hulls)


def expected_costs(table: RecordTable, hulls: Groups, *, limit: int, threads: int = 1) -> Floats:
    """Return what every hull is expected to lose: the cost of publishing its set alike, shared among the set."""
    sets = [tuple(sorted(members)) for members in hulls.lists()]
    number = {members: position for position, members in enumerate(dict.fromkeys(sets))}
    costs = group_costs(table, Groups.of(list(number)), limit=limit, rounds=8, threads=threads)
    return costs[[number[members] for members in sets]] / hulls.sizes()


def _choose(table: RecordTable, cost: Floats, k: int, *, limit: int, threads: int) -> tuple[list[Set], list[Set]]:
    """Return the cliques and the sets of k + 1 of the cheapest partition in a pool of near sets."""
    base = _sorted_cliques(table, k)
    near = _near_sets(cost, k, REACH.get(k, k))
    open_sets = _near_sets(cost, k + 1, OPEN_REACH.get(k, k + 1)) if len(table) > k else []
    cliques = sorted({*base, *near, *(subset for members in open_sets for subset in combinations(members, k))})
    # A quick alignment is enough to choose; what is published is aligned with care.
    costs = group_costs(table, Groups.of(cliques), limit=limit, rounds=1, threads=threads)
    number = {members: position for position, members in enumerate(cliques)}
    open_costs = [sum(costs[number[subset]] for subset in combinations(members, k)) / k for members in open_sets]
    pool = [*cliques, *open_sets]
    every = np.concatenate((costs, np.array(open_costs)))
    lengths = np.array([len(members) for members in pool])
    lies_in = csc_matrix(
        (np.ones(lengths.sum()), np.concatenate([np.array(one) for one in pool]), np.append(0, np.cumsum(lengths))),
        shape=(len(table), len(pool)),
    )
    solved = milp(
        every,
        constraints=LinearConstraint(lies_in, 1, 1),
        integrality=np.ones(len(pool)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": GAP, "node_limit": MOST_NODES},
    )
    if solved.x is None:
        return base, []
    chosen = np.flatnonzero(solved.x > 0.5).tolist()
    return [pool[one] for one in chosen if one < len(cliques)], [pool[one] for one in chosen if one >= len(cliques)]


def _sorted_cliques(table: RecordTable, k: int) -> list[Set]:
    """Return neighbours by record count as cliques of k, the remainder in the last one: a partition there always is."""
    order = np.lexsort((np.arange(len(table)), table.counts()))
    groups = len(order) // k
    return [tuple(sorted(part.tolist())) for part in np.array_split(order, groups)]


def _near_sets(cost: Floats, size: int, reach: int) -> list[Set]:
    """Return, for every unit, all sets of this size of it and its nearest by reduced cost."""
    solution = assign(cost)
    prices = (solution.row_prices + solution.column_prices) / 2.0
    reduced = cost - prices[:, None] - prices[None, :]
    nearest = np.argsort(reduced, axis=1, kind="stable")[:, : min(reach, len(cost) - 1)]
    found = {
        tuple(sorted((unit, *others)))
        for unit, line in enumerate(nearest.tolist())
        for others in combinations([one for one in line if one != unit], size - 1)
    }
    return sorted(found)
