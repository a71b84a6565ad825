"""Searching good groups of k on an approximate group cost: annealing for whole partitions, beams for single groups.

The approximation of a group S with r published rows: ``share[|S|] * r * sum of per-row pair costs + surplus``. The
share is fitted on exact groups; pair costs are exact for near pairs and estimates elsewhere. Everything found here is
costed exactly before it is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.demands import NO_DEMANDS, SLACK, DemandArrays, shortfall_of

HOTTEST, COLDEST = 0.25, 2e-5


@dataclass(frozen=True, eq=False, slots=True)
class GroupModel:
    """What the search needs: cost per matched row of each pair, record counts, neighbours, and the fitted shares.

    Groups that do not meet the ``demands`` are not proposed, and no exchange makes two groups fall shorter of them.
    """

    per_row: Floats
    counts: Ints
    neighbours: Ints
    shares: Floats
    surplus: float
    demands: DemandArrays = NO_DEMANDS

    def costs(self, members: Ints) -> Floats:
        """Return the approximate cost of groups given one per line."""
        return _costs(self.per_row, self.counts, self.shares, self.surplus, members)


@njit(cache=True, nogil=True)
def model_cost(per_row: Floats, counts: Ints, shares: Floats, surplus: float, group: Ints, size: int) -> float:  # noqa: PLR0917
    """Return the approximate cost of a group of this size."""
    fewest, total, pairs = counts[group[0]], 0, 0.0
    for i in range(size):
        fewest = min(fewest, counts[group[i]])
        total += counts[group[i]]
        for j in range(i):
            pairs += per_row[group[i], group[j]]
    return shares[size] * fewest * pairs + surplus * (total - size * fewest)


@njit(cache=True, nogil=True)
def _costs(per_row: Floats, counts: Ints, shares: Floats, surplus: float, members: Ints) -> Floats:
    out = np.empty(len(members))
    for line in range(len(members)):
        out[line] = model_cost(per_row, counts, shares, surplus, members[line], members.shape[1])
    return out


@njit(cache=True, nogil=True)
def _anneal(  # noqa: PLR0917
    per_row: Floats,
    counts: Ints,
    neighbours: Ints,
    shares: Floats,
    surplus: float,
    demands: DemandArrays,
    members: Ints,
    sizes: Ints,
    moves: int,
    hottest: float,
    coldest: float,
    seed: int,
) -> None:
    """Swap members between groups under a falling temperature."""
    np.random.seed(seed)  # noqa: NPY002
    units, reach = neighbours.shape
    home = np.empty(units, dtype=np.int64)
    slot = np.empty(units, dtype=np.int64)
    cost, short = np.empty(len(sizes)), np.zeros(len(sizes))
    for group in range(len(sizes)):
        short[group] = shortfall_of(demands, members[group], sizes[group])
        for position in range(sizes[group]):
            home[members[group, position]] = group
            slot[members[group, position]] = position
        cost[group] = model_cost(per_row, counts, shares, surplus, members[group], sizes[group])
    cooling = (coldest / hottest) ** (1.0 / max(moves, 1))
    heat, demanded = hottest, len(demands.diversities) > 0
    for _ in range(moves):
        heat *= cooling
        unit = np.random.randint(units)  # noqa: NPY002
        target = home[neighbours[unit, np.random.randint(reach)]]  # noqa: NPY002
        source = home[unit]
        if target == source:
            continue
        there = np.random.randint(sizes[target])  # noqa: NPY002
        here = slot[unit]
        other = members[target, there]
        members[target, there] = unit
        members[source, here] = other
        new_target = model_cost(per_row, counts, shares, surplus, members[target], sizes[target])
        new_source = model_cost(per_row, counts, shares, surplus, members[source], sizes[source])
        change = new_target + new_source - cost[target] - cost[source]
        taken = change <= 0.0 or np.random.random() < np.exp(-change / heat)  # noqa: NPY002
        if demanded and (taken or short[target] + short[source] > 0.0):
            new_short = shortfall_of(demands, members[target], sizes[target])
            new_short_source = shortfall_of(demands, members[source], sizes[source])
            more = new_short + new_short_source - short[target] - short[source]
            taken = more < -SLACK or (taken and more <= SLACK)
            if taken:
                short[target], short[source] = new_short, new_short_source
        if taken:
            cost[target], cost[source] = new_target, new_source
            home[unit], home[other] = target, source
            slot[unit], slot[other] = there, here
        else:
            members[target, there] = other
            members[source, here] = unit


def anneal(model: GroupModel, groups: list[list[int]], *, moves: int, seed: int) -> list[list[int]]:
    """Return a better partition with the same group sizes."""
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    if len(groups) < 2:
        return groups
    members = np.full((len(groups), int(sizes.max())), -1, dtype=np.int64)
    for line, group in enumerate(groups):
        members[line, : len(group)] = group
    mean = sum(float(model.costs(np.array([group]))[0]) for group in groups) / len(groups)
    scale = max(mean, 1e-9)
    _anneal(
        model.per_row,
        model.counts,
        model.neighbours,
        model.shares,
        model.surplus,
        model.demands,
        members,
        sizes,
        moves,
        HOTTEST * scale,
        COLDEST * scale,
        seed,
    )
    return [members[line, : sizes[line]].tolist() for line in range(len(sizes))]


@njit(cache=True, nogil=True)
def _beam(  # noqa: PLR0917
    per_row: Floats,
    counts: Ints,
    neighbours: Ints,
    shares: Floats,
    surplus: float,
    demands: DemandArrays,
    prices: Floats,
    seeds: Ints,
    size: int,
    width: int,
    found: Ints,
    value: Floats,
) -> None:
    """For every seed, grow groups from its neighbours, keeping the best ``width`` by cost minus prices."""
    reach = neighbours.shape[1]
    for line in range(len(seeds)):
        unit = seeds[line]
        kept = np.zeros((width, size), dtype=np.int64)
        kept[0, 0] = unit
        last = np.zeros(width, dtype=np.int64)
        last[0] = -1
        alive = 1
        for grown in range(2, size + 1):
            fresh = np.zeros((width, size), dtype=np.int64)
            fresh_last = np.zeros(width, dtype=np.int64)
            score = np.full(width, np.inf)
            count, worst = 0, 0
            trial = np.empty(size, dtype=np.int64)
            for parent in range(alive):
                trial[:] = kept[parent]
                # Neighbours are added in ascending position, so that every set is met once.
                for step in range(last[parent] + 1, reach):
                    other = neighbours[unit, step]
                    trial[grown - 1] = other
                    worth = model_cost(per_row, counts, shares, surplus, trial, grown)
                    for position in range(grown):
                        worth -= prices[trial[position]]
                    if count == width and worth >= score[worst]:
                        continue
                    if grown == size and shortfall_of(demands, trial, size) > 0.0:
                        continue
                    place = count if count < width else worst
                    count = min(count + 1, width)
                    score[place] = worth
                    fresh[place] = trial
                    fresh_last[place] = step
                    if count == width:
                        worst = int(np.argmax(score))
            kept, last, alive = fresh, fresh_last, count
            if grown == size:
                for place in range(alive):
                    found[line * width + place] = kept[place]
                    value[line * width + place] = score[place]


def search_groups(
    model: GroupModel, prices: Floats, size: int, *, seeds: Ints | None = None, best: int, beam: int
) -> Ints:
    """Return distinct groups of this size with low approximate reduced cost, at most ``best`` per seed unit."""
    start = np.arange(len(model.counts)) if seeds is None else seeds
    width = max(best, beam)
    found = np.full((len(start) * width, size), -1, dtype=np.int64)
    value = np.full(len(start) * width, np.inf)
    _beam(
        model.per_row,
        model.counts,
        model.neighbours,
        model.shares,
        model.surplus,
        model.demands,
        prices,
        start,
        size,
        width,
        found,
        value,
    )
    order = np.argsort(value.reshape(len(start), width), axis=1, kind="stable")[:, :best]
    chosen = (order + np.arange(len(start))[:, None] * width).ravel()
    chosen = chosen[np.isfinite(value[chosen]) & (value[chosen] < FORBIDDEN_VALUE)]
    return np.unique(np.sort(found[chosen], axis=1), axis=0)


FORBIDDEN_VALUE = 1e9
