"""Published histories as hulls of sets of subjects, whoever of the set is the owner.

A hull has as many rows as the shortest history of its set; the records of all members are aligned jointly, and cells,
row count and suppression come from the set alone. Only the names under which hulls are published and the Secret know
the owners: the same hulls with other owners are the same release.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.data import History, Release, Secret
from tokumei.methods.concealment.record_unions import shuffled
from tokumei.methods.grouping.alignment import align_groups
from tokumei.methods.grouping.candidates import FORBIDDEN, choose_pairs, estimate_costs, exact_graph
from tokumei.methods.grouping.costs import exact_matched, surplus_costs
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.merging import line_cells
from tokumei.methods.grouping.record_table import RecordTable

ALL_PAIRS_UP_TO = 64
ALIGNMENT_ROUNDS = 8


def pair_cost_matrix(table: RecordTable, *, per_unit: int, limit: int, threads: int = 1) -> Floats:
    """Return the cost of publishing two units alike: exact for candidates, an estimate put behind all of them else.

    A unit must not be paired with itself.
    """
    count = len(table)
    if count <= ALL_PAIRS_UP_TO:
        first, second = np.triu_indices(count, 1)
        exact = exact_matched(table, first, second, limit=limit, threads=threads) + surplus_costs(table, first, second)
        cost = np.full((count, count), FORBIDDEN)
    else:
        estimates = estimate_costs(table, threads=threads)
        graph = exact_graph(table, *choose_pairs(table, estimates, per_unit), limit=limit, threads=threads)
        first, second, exact = graph.first, graph.second, graph.cost
        known = estimates.cost[estimates.cost < FORBIDDEN]
        cost = estimates.cost + np.where(estimates.cost < FORBIDDEN, 2.0 * float(known.max(initial=0.0)), 0.0)
    cost[first, second] = cost[second, first] = exact
    return cost


def publish_hulls(
    history: History,
    table: RecordTable,
    hulls: Groups,
    owners: Ints,
    names: pl.Series,
    *,
    method: str,
    rng: np.random.Generator,
    limit: int,
    threads: int = 1,
) -> tuple[Release, Secret]:
    """Publish hull j as ``names[j]`` for its owner ``owners[j]``, a unit of its set; the order of records is random."""
    # Equal sets are aligned once, so that they read the same to the letter.
    sets = [tuple(sorted(members)) for members in hulls.lists()]
    number = {members: position for position, members in enumerate(dict.fromkeys(sets))}
    which = np.array([number[members] for members in sets], dtype=np.int64)
    counts = table.counts()
    ready = Groups.of(list(number)).shortest_first(counts)
    _, position = align_groups(
        table, ready.members, ready.bounds, limit=limit, rounds=ALIGNMENT_ROUNDS, threads=threads, keep=True
    )
    rows = counts[ready.members[ready.bounds[:-1]]]
    line_sizes = np.repeat(ready.sizes(), rows)
    starts = np.concatenate(([0], np.cumsum(line_sizes)))[:-1].astype(np.int64)
    first_line = np.concatenate(([0], np.cumsum(rows)))[:-1]
    lists = ready.lists()
    seat = np.array([lists[group].index(owner) for group, owner in zip(which, owners.tolist(), strict=True)])
    published = rows[which]
    within = np.arange(published.sum()) - np.repeat(np.cumsum(published) - published, published)
    line = np.repeat(first_line[which], published) + within
    source = table.rows[position[starts[line] + np.repeat(seat, published)]]
    originals = table.rows[position]
    cells = {
        name: line_cells(history, name, originals, starts, spread=spread).take(line)
        for name, spread in history.spreads().items()
    }
    release = Release(history.schema, names[np.repeat(np.arange(len(which)), published)], cells, method)
    subjects = history.subjects.cast(pl.String)[table.owners[owners]]
    truth = pl.DataFrame({"pseudonym": names, "subject": subjects}).sort("pseudonym")
    return shuffled(release, Secret(truth, source), rng)
