"""A certified floor for the loss of a plain table at k: prices by column generation in leaves, proven on the whole.

Whatever the prices, the search of `pricing` over the whole table puts them right: what is left of their sum is a floor
for every partition of all records. Leaves are there because the program over tens of thousands of records takes hours;
prices at their borders are too high, and that is what the floor loses by them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import Goal, History, Score
from tokumei.errors import InfeasibleError
from tokumei.methods.grouping.columns import ColumnPlan, proven_prices
from tokumei.methods.grouping.exchanges import place_rest
from tokumei.methods.grouping.k_members import grow_leaves, nearest_records
from tokumei.methods.grouping.leaves import cut_leaves
from tokumei.methods.grouping.losses import Loss, LossName
from tokumei.methods.grouping.pricing import can_be_bounded, price_groups
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.single_records import Records, records_of

NEIGHBOURS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundPlan:
    """How much work the proof may do: records of a leaf, column generation in it, steps of the last search."""

    leaf: int = 600
    columns: ColumnPlan = field(default_factory=lambda: ColumnPlan(rounds=4, budget=500))
    budget: int = 2_000


def table_bound(history: History, k: int, *, loss: str = LossName.AUTO, plan: BoundPlan | None = None) -> Score:
    """Return what every k-anonymity of a plain table loses at least per cell, by a loss (not the cell error)."""
    chosen = plan or BoundPlan()
    table = RecordTable.from_history(history, loss=Loss.of(loss, history))
    records = records_of(table)
    if not table.single or not can_be_bounded(records):
        message = (
            "the floor is for one record per person, and for losses by which no group gets cheaper when it grows: not "
            "the cell error, and entropy or variance only without missing values; take another loss or strict_bound"
        )
        raise InfeasibleError(message)
    if len(table) < k:
        raise InfeasibleError(f"k = {k} needs at least {k} records, the data has {len(table)}; lower k or add data")
    floor = float(whole_prices(records, k, chosen).sum())
    cells = table.surplus * max(len(history), 1)
    return Score(name="table-bound", value=max(floor, 0.0) / cells, goal=Goal.LOWER)


def whole_prices(records: Records, k: int, plan: BoundPlan) -> Floats:
    """Return a price of every record such that no group of the whole table costs less than those of its members."""
    asked = np.zeros(len(records.hefts))
    for leaf in cut_leaves(records, plan.leaf, 4 * k):
        asked[leaf] = _leaf_prices(records._replace(values=records.values[leaf], hefts=records.hefts[leaf]), k, plan)
    return asked + price_groups(records, asked, k, budget=plan.budget).savings


def _leaf_prices(part: Records, k: int, plan: BoundPlan) -> Floats:
    """Return prices that no group inside a leaf undercuts."""
    count = len(part.hefts)
    if count < 2 * k:
        return np.zeros(count)
    everybody, bounds = np.arange(count, dtype=np.int64), np.array([0, count], dtype=np.int64)
    near: Ints = nearest_records(part, everybody, bounds, min(max(NEIGHBOURS, k), count - 1))
    labels: Ints = grow_leaves(part, everybody, bounds, k)
    place_rest(part, labels, near, 2 * k - 1)
    return proven_prices(part, labels, near, k, plan.columns)
