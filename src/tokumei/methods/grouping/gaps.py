"""How far groups are from the best that there can be: what they lose by a loss, and what every other choice loses.

For plain tables the floor is that of column generation and branch and bound (`table_bound`), for histories and for the
cell error that of pairs (`strict_bound`), which holds for every k and is tight for k = 2 alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tokumei.data import History, Score
from tokumei.errors import InfeasibleError
from tokumei.methods.grouping.bounds import strict_bound
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.losses import Loss
from tokumei.methods.grouping.pricing import can_be_bounded
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.single_records import records_of
from tokumei.methods.grouping.table_bounds import table_bound

# The floor of pairs compares everybody with everybody: some 64 bytes each in matrices of that size.
MOST_COMPARED = 8_000
# As the method aligns its groups: histories up to this length in one piece.
LIMIT, ROUNDS = 3_000, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The mean loss of a cell in a release, by the loss of that name, and what every k-anonymity loses at least."""

    loss: str
    k: int
    value: float
    floor: Score

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON; ``times`` is how often the floor goes into the loss, null if that is 0."""
        times = self.value / self.floor.value if self.floor.value > 0 else None
        return {"loss": self.loss, "k": self.k, "value": self.value, "floor": self.floor.value, "times": times}


def require_floor(history: History, loss: str) -> None:
    """Raise InfeasibleError if no floor of the loss can be proven for data of this kind and size."""
    table = RecordTable.from_history(history, loss=Loss.of(loss, history))
    if len(table) > MOST_COMPARED and not _by_columns(table):
        message = (
            f"a floor of this loss compares all {len(table):,} people with each other, which is done up to "
            f"{MOST_COMPARED:,}; leave --bound out, or take loss=ncp for one record per person"
        )
        raise InfeasibleError(message)


def loss_gap(
    history: History, groups: Groups, k: int, *, loss: str, weights: Mapping[str, float] | None = None, threads: int = 1
) -> Gap:
    """Return what these groups of subjects lose, beside the floor of every k-anonymity of the history."""
    table = RecordTable.from_history(history, weights, loss=Loss.of(loss, history))
    costs = group_costs(table, groups, limit=LIMIT, rounds=ROUNDS, threads=threads)
    value = float(costs.sum()) / (table.surplus * max(len(history), 1))
    if _by_columns(table):
        floor = table_bound(history, k, loss=loss, weights=weights)
    else:
        floor = strict_bound(history, loss=loss, weights=weights, threads=threads)
    return Gap(loss=loss, k=k, value=value, floor=floor)


def _by_columns(table: RecordTable) -> bool:
    return table.single and can_be_bounded(records_of(table))
