"""A certified floor for the loss of a plain table at k: prices by column generation in leaves, proven on the whole.

Whatever the prices, the search of `pricing` over the whole table puts them right: what is left of their sum is a floor
for every partition of all records. Leaves are there because the program over tens of thousands of records takes hours;
prices at their borders are too high, and the mean over leaves with other borders can be taken. Equal records have one
price.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import Goal, History, Score
from tokumei.errors import InfeasibleError
from tokumei.methods.grouping.columns import ColumnPlan, proven_prices, settle
from tokumei.methods.grouping.exchanges import place_rest
from tokumei.methods.grouping.k_members import grow_leaves, nearest_records
from tokumei.methods.grouping.leaves import cut_leaves
from tokumei.methods.grouping.losses import Loss, LossName
from tokumei.methods.grouping.pricing import all_alike, can_be_bounded
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.single_records import Records, records_of

NEIGHBOURS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundPlan:
    """How much work the proof may do: records of a leaf, column generation in it, then steps and turns on the whole.

    Leaves are cut once for each of the ``shares``.
    """

    leaf: int = 400
    columns: ColumnPlan = field(default_factory=lambda: ColumnPlan(rounds=6, budget=3_000))
    shares: tuple[float, ...] = (0.5,)
    budget: int = 20_000
    turns: int = 3


def table_bound(
    history: History,
    k: int,
    *,
    loss: str = LossName.AUTO,
    weights: Mapping[str, float] | None = None,
    plan: BoundPlan | None = None,
) -> Score:
    """Return what every k-anonymity of a plain table loses at least per cell, by a loss (not the cell error)."""
    chosen = plan or BoundPlan()
    table = RecordTable.from_history(history, weights, loss=Loss.of(loss, history))
    records = records_of(table)
    if not table.single or not can_be_bounded(records):
        message = (
            "the floor is for one record per person, and for losses by which no group gets cheaper when it grows: not "
            "the cell error, and entropy or variance only without missing values; take another loss or strict_bound"
        )
        raise InfeasibleError(message)
    if len(table) < k:
        raise InfeasibleError(f"k = {k} needs at least {k} records, the data has {len(table)}; lower k or add data")
    copies, prices = whole_prices(records, k, chosen)
    cells = table.surplus * max(len(history), 1)
    return Score(name="table-bound", value=max(float(copies @ prices), 0.0) / cells, goal=Goal.LOWER)


def whole_prices(records: Records, k: int, plan: BoundPlan) -> tuple[Ints, Floats]:
    """Return how often every distinct record occurs, and its price: no group costs less than those of its members."""
    points, copies = _distinct(records)
    asked = np.zeros(len(copies))
    for share in plan.shares:
        for leaf in cut_leaves(points, plan.leaf, 4 * k, share=share):
            part = points._replace(values=points.values[leaf], hefts=points.hefts[leaf])
            asked[leaf] += _leaf_prices(part, copies[leaf], k, plan) / len(plan.shares)
    some = None if (copies == 1).all() else copies
    prices, _ = settle(points, asked, k, budget=plan.budget, turns=plan.turns, copies=some)
    return copies, prices


def _distinct(records: Records) -> tuple[Records, Ints]:
    """Return the distinct records and how often each occurs; all of them where losses differ between members."""
    if not all_alike(records):
        return records, np.ones(len(records.hefts), dtype=np.int64)
    values, copies = np.unique(records.values, axis=0, return_counts=True)
    return records._replace(values=values, hefts=np.ones(len(values))), copies.astype(np.int64)


def _leaf_prices(part: Records, copies: Ints, k: int, plan: BoundPlan) -> Floats:
    """Return prices that no group inside a leaf undercuts."""
    count, total = len(copies), int(copies.sum())
    if total < 2 * k or count < 2:
        return np.zeros(count)
    near: Ints = nearest_records(part, np.arange(count), np.array([0, count]), min(max(NEIGHBOURS, k), count - 1))
    every = np.repeat(np.arange(count), copies)
    repeated = part._replace(values=part.values[every], hefts=part.hefts[every])
    everybody, bounds = np.arange(total, dtype=np.int64), np.array([0, total], dtype=np.int64)
    labels: Ints = grow_leaves(repeated, everybody, bounds, k, 2 * k - 1)
    first = np.cumsum(copies) - copies
    place_rest(repeated, labels, first[near[every]], 2 * k - 1)
    some = None if (copies == 1).all() else copies
    return proven_prices(part, labels, near, k, plan.columns, some)
