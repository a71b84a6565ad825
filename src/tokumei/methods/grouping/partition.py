"""Groups of k >= 3: annealing on approximate costs, then exchanges at exact costs, while they gain enough.

Every unit must lie in exactly one group; a group costs what publishing it alike loses. Good partitions come from
annealing on approximate costs; exchanges of members at exact costs improve them until a pass gains less than a share
(the patience). The best effort, and long histories of few people, look further before that, by column generation: a
linear program over all groups costed so far gives every unit a price, groups whose approximate cost undercuts the
prices of their members are costed exactly and join the pool, and a mixed-integer program picks the best partition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tokumei.array_types import Floats
from tokumei.methods.grouping.candidates import FORBIDDEN, Estimates, choose_pairs, estimate_costs
from tokumei.methods.grouping.costs import exact_matched
from tokumei.methods.grouping.diversity import exchange_short, total_shortfall
from tokumei.methods.grouping.exact_annealing import anneal_exactly, typical_work
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.program import Pool, improve_by_windows, relaxed_prices
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.remainders import absorb
from tokumei.methods.grouping.search import GroupModel, anneal, search_groups
from tokumei.methods.grouping.swapping import exchange_members
from tokumei.progress import is_enough, tell_loss

# So many units are always solved at once.
SMALL_WINDOW = 90
FEW_UNITS, LONG_HISTORY = 1_500, 50
# Annealing on exact costs needs so many of everybody.
EXACT_PER_UNIT = 150
# What it typically saves (0.5 to 8 %, docs/practice.md): whoever asks for more of a pass does without.
ANNEALING_SAVES = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingPlan:
    """How much work the search may do."""

    per_unit: int = 16
    limit: int = 300
    alignments: int = 1
    reach: int = 40
    beam: int = 60
    anneals: int = 1
    moves_per_unit: int = 3000
    # Exchanges of a unit that are costed exactly in a pass, and the share of the cost that a pass has to gain.
    tries: int = 4
    patience: float = 0.002
    most_exchanges: int = 12
    # Cells that may be compared, in the whole data: for exact costs of pairs beyond those ``per_unit``, and for a round
    # of annealing on exact costs (three or four seconds), of which there are so many at most.
    pair_work: float = 5e7
    annealing_work: float = 3e8
    most_annealings: int = 1
    # Rounds of column generation: of long histories of few people, and of all others (none: exchanges are enough).
    long_rounds: int = 4
    rounds: int = 0
    priced_per_unit: int = 3
    window: int = 180
    # A window of most units takes long to prove what two halves find (200 purchasers: 35 CPU seconds against 3).
    window_share: float = 0.5
    passes: int = 2
    threads: int = 1

    def of(self, table: RecordTable) -> GroupingPlan:
        """Return the plan for this table.

        Where a few people have many records each, exchanges of two people alone end early: what one of them gains costs
        the other its surplus records (the T of 2018: U 0.3066 against 0.3039 with the program).
        """
        long = len(table) <= FEW_UNITS and len(table.rows) >= LONG_HISTORY * len(table)
        if not long or not self.long_rounds or self.rounds:
            return self
        # After the program exchanges cost as much again and gain 0.02 % (the same T).
        return replace(self, rounds=self.long_rounds, most_exchanges=0)

    def shared(self, share: float) -> GroupingPlan:
        """Return the plan for a block that is this share of the whole data."""
        return replace(self, pair_work=self.pair_work * share, annealing_work=self.annealing_work * share)

    def pairs_per_unit(self, table: RecordTable) -> int:
        """Return to how many others the exact cost of everybody is computed: to all, where that takes no time."""
        cells = typical_work(table, 2) * len(table)
        return max(self.per_unit, min(int(self.pair_work / max(cells, 1.0)), len(table) - 1))

    def anneals_exactly(self, table: RecordTable, k: int) -> bool:
        """Whether so few people with so few records are grouped that annealing on exact costs can show what it can."""
        if self.patience > ANNEALING_SAVES or not self.most_exchanges:
            return False
        return self.annealing_work > 0 and self.annealing_work >= EXACT_PER_UNIT * len(table) * typical_work(table, k)

    def on(self, threads: int, *, patience: float | None = None) -> GroupingPlan:
        """Return the plan for this many threads, and with another patience if one is given."""
        return replace(self, threads=threads, patience=self.patience if patience is None else patience)


def group_units(table: RecordTable, k: int, plan: GroupingPlan) -> list[list[int]]:
    """Return a partition into groups of at least k units of low total cost."""
    count = len(table)
    if count < 2 * k:
        return [list(range(count))]
    plan = plan.of(table)
    estimates = estimate_costs(table, threads=plan.threads)
    model = _model(table, estimates, k, plan)
    pool = Pool(table, plan.limit, plan.alignments, plan.threads)
    start = _sorted_groups(table, k)
    partitions = [
        anneal(model, start, moves=plan.moves_per_unit * count, seed=seed) for seed in range(1, plan.anneals + 1)
    ]
    partitions = [
        one if _sound(table, one) else _repaired(table, estimates, one, k, plan) for one in [start, *partitions]
    ]
    partitions = _nearest_to_demands(table, partitions)
    pool.add([group for partition in partitions for group in partition])
    # Who stands in no group costs nothing there: everybody in one comes first.
    best = min(partitions, key=lambda one: (-sum(map(len, one)), pool.total(one)))
    if (plan.rounds or not plan.most_exchanges) and not is_enough():
        _generate(pool, model, _shared_prices(pool, best), k, plan)
        window = min(plan.window, max(SMALL_WINDOW, int(count * plan.window_share)))
        best = improve_by_windows(pool, best, width=max(window // k, 4), passes=plan.passes)
    model = _fitted(model, pool)
    best = _exchanged(table, model, best, plan)
    if _covers(table, best) and plan.anneals_exactly(table, k):
        best = _annealed(table, model, best, plan)
    return best


def _covers(table: RecordTable, groups: list[list[int]]) -> bool:
    """Whether everybody stands in a group, as a search that moves members from group to group needs it.

    Who found none without another unit of the same owner stands nowhere.
    """
    return sum(map(len, groups)) == len(table)


def _exchanged(table: RecordTable, model: GroupModel, groups: list[list[int]], plan: GroupingPlan) -> list[list[int]]:
    """Return the groups after exchanges, made as long as a pass gains enough and nobody asks for what there is."""
    if not plan.most_exchanges or not _covers(table, groups):
        return groups
    before, best = np.inf, groups
    cells = len(table.rows) * (len(table.ordered) + len(table.nominal))
    passes = exchange_members(table, model, groups, tries=plan.tries, limit=plan.limit, threads=plan.threads)
    for turn, (cost, found) in enumerate(passes):
        tell_loss(id(table), cost, cells)
        best = found
        if is_enough() or turn == plan.most_exchanges or before - cost < plan.patience * cost:
            break
        before = cost
    return best


def _annealed(table: RecordTable, model: GroupModel, groups: list[list[int]], plan: GroupingPlan) -> list[list[int]]:
    """Return the groups after rounds of annealing on exact costs, each ended by exchanges, while a round gains enough.

    Every round begins with the best groups, but hot, so that it soon looks elsewhere.
    """

    def total(found: list[list[int]]) -> float:
        return float(group_costs(table, Groups.of(found), limit=plan.limit, rounds=1, threads=plan.threads).sum())

    cells = len(table.rows) * (len(table.ordered) + len(table.nominal))
    best, cost = groups, total(groups)
    for turn in range(plan.most_annealings):
        colder = best
        parts = anneal_exactly(table, model, best, limit=plan.limit, most_work=plan.annealing_work, seed=turn + 1)
        for least, groups_so_far in parts:
            colder = groups_so_far
            tell_loss(id(table), min(least, cost), cells)
            if is_enough():
                break
        found = _exchanged(table, model, colder, plan)
        before, after = cost, total(found)
        if after < before:
            best, cost = found, after
        if is_enough() or before - after < plan.patience * before:
            break
    return best


def _generate(pool: Pool, model: GroupModel, prices: Floats, k: int, plan: GroupingPlan) -> None:
    """Add groups that undercut the prices of their members, until none are found or the rounds are over."""
    count = len(pool.table)
    for turn in range(plan.rounds):
        if is_enough():
            break
        model = _fitted(model, pool)
        wider = 2 if turn in (0, plan.rounds - 1) else 1
        found = search_groups(model, prices, k, best=wider * plan.priced_per_unit, beam=plan.beam).tolist()
        if count % k:
            cheap = np.argsort(prices, kind="stable")[: 2 * plan.reach]
            found += search_groups(model, prices, k + 1, seeds=cheap, best=3, beam=plan.beam).tolist()
        if pool.add(found) == 0:
            break
        prices, _ = relaxed_prices(pool)


def _nearest_to_demands(table: RecordTable, partitions: list[list[list[int]]]) -> list[list[list[int]]]:
    """Return the partitions that fall least short of what is demanded, after exchanges of those who fall short."""
    exchanged = [exchange_short(table, one, table.demands) for one in partitions]
    short = [total_shortfall(table.demands, one) for one in exchanged]
    return [one for one, lacks in zip(exchanged, short, strict=True) if lacks <= min(short)]


def _sound(table: RecordTable, partition: list[list[int]]) -> bool:
    """Whether every group has distinct owners."""
    return all(len(set(table.owners[group].tolist())) == len(group) for group in partition)


def _repaired(
    table: RecordTable, estimates: Estimates, partition: list[list[int]], k: int, plan: GroupingPlan
) -> list[list[int]]:
    """Take units out of groups that already hold their owner, and put them where they may be."""
    kept: list[list[int]] = []
    loose: list[int] = []
    for group in partition:
        _, first = np.unique(table.owners[group], return_index=True)
        distinct = [group[one] for one in sorted(first.tolist())]
        if len(distinct) >= k:
            kept.append(distinct)
            loose += [unit for unit in group if unit not in distinct]
        else:
            loose += group
    return absorb(table, estimates, kept, loose, limit=plan.limit, threads=plan.threads)


def _sorted_groups(table: RecordTable, k: int) -> list[list[int]]:
    """Return groups of neighbours by record count; the shortest histories form the larger groups."""
    order = np.lexsort((np.arange(len(table)), -table.counts()))
    groups = [order[start : start + k].tolist() for start in range(0, len(order) // k * k, k)]
    for position, unit in enumerate(order[len(order) // k * k :].tolist()):
        groups[-1 - position % len(groups)].append(unit)
    return groups


def _model(table: RecordTable, estimates: Estimates, k: int, plan: GroupingPlan) -> GroupModel:
    """Return the approximate group costs: exact for candidate pairs, scaled estimates for the rest."""
    counts = table.counts()
    first, second = choose_pairs(table, estimates, plan.pairs_per_unit(table))
    exact = exact_matched(table, first, second, limit=plan.limit, threads=plan.threads)
    fewest = np.minimum(counts[:, None], counts[None, :])
    per_row = (estimates.cost - table.surplus * np.abs(counts[:, None] - counts[None, :])) / fewest
    forbidden = estimates.cost >= FORBIDDEN
    known = per_row[first, second] * fewest[first, second]
    per_row *= float(exact.sum() / max(known.sum(), 1e-9))
    per_row[first, second] = per_row[second, first] = exact / fewest[first, second]
    per_row[forbidden] = FORBIDDEN
    cost = per_row * fewest + table.surplus * np.abs(counts[:, None] - counts[None, :])
    reduced = cost - estimates.prices[:, None] - estimates.prices[None, :]
    reach = min(plan.reach, len(table) - 1)
    neighbours = np.argsort(reduced, axis=1, kind="stable")[:, :reach].astype(np.int64)
    sizes = np.arange(2 * k + 1)
    # For values on a line the hull of g costs about g/3 widths, and the pairs g (g - 1) / 2 times a third of it.
    shares = np.where(sizes > 1, 2.0 / np.maximum(sizes, 1), 0.0)
    return GroupModel(per_row, counts, neighbours, shares, table.surplus, table.demands)


def _fitted(model: GroupModel, pool: Pool) -> GroupModel:
    """Fit the shares to the exact costs in the pool."""
    shares = model.shares.copy()
    by_size: dict[int, list[int]] = {}
    for position, group in enumerate(pool.groups):
        by_size.setdefault(len(group), []).append(position)
    for size, positions in by_size.items():
        members = np.array([pool.groups[one] for one in positions])
        counts = model.counts[members]
        lost = model.surplus * (counts.sum(axis=1) - size * counts.min(axis=1))
        exact = np.array([pool.costs[one] for one in positions]) - lost
        guess = model.costs(members) - lost
        usable = guess < FORBIDDEN / 2
        if guess[usable].sum() > 0 and size < len(shares):
            shares[size] *= exact[usable].sum() / guess[usable].sum()
    return replace(model, shares=shares)


def _shared_prices(pool: Pool, groups: list[list[int]]) -> Floats:
    """Share the cost of every group of a partition equally among its members."""
    prices = np.zeros(len(pool.table))
    for group in groups:
        prices[group] = pool.costs[pool.index(group)] / len(group)
    return prices
