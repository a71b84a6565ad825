"""How much work grouping does: frozen values that go with every block to wherever it is solved.

A block is grouped and merged on its own; of the whole it has to know only how many records there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tokumei.array_types import Ints
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.merging import Merged, Surplus, merge_groups
from tokumei.methods.grouping.pairing import pair_units
from tokumei.methods.grouping.partition import LONG_HISTORY, GroupingPlan, group_units
from tokumei.methods.grouping.plain_tables import SinglePlan, group_singles
from tokumei.methods.grouping.record_table import RecordTable

MANY_RECORDS = 200_000
# Above that many records, long histories are compared in chunks of so many (their final alignment is not).
MANY_RECORDS_PAIR_LIMIT, MANY_RECORDS_FINAL_LIMIT, MANY_RECORDS_CANDIDATES = 500, 2500, 5
# Above this the normal effort searches as the fast one does: minutes would become hours. Pairs then get a little more
# than there: 1,084,382 records lose 0.13 % less, for 6 % more CPU.
VERY_MANY_RECORDS = 1_000_000
VERY_MANY_CANDIDATES, VERY_MANY_UNITS = 6, 1000
MANY_SINGLE_RECORDS = 300_000
SEARCHED_UNITS = 800


@dataclass(frozen=True, slots=True)
class _Effort:
    """How much work one level of effort does."""

    candidates: int
    pair_limit: int
    final_limit: int
    most_units: int
    plan: GroupingPlan
    single: SinglePlan


_EFFORTS = {
    "fast": _Effort(
        5,
        100,
        1000,
        800,
        GroupingPlan(per_unit=10, limit=150, tries=2, patience=0.005, long_rounds=1, passes=1, annealing_work=0),
        SinglePlan(most_units=8_000, leaf=500, near=12, tries=0.5),
    ),
    "normal": _Effort(8, 3000, 3000, 1500, GroupingPlan(), SinglePlan()),
    "best": _Effort(
        12,
        5000,
        5000,
        2000,
        GroupingPlan(
            per_unit=24,
            limit=500,
            reach=60,
            beam=100,
            anneals=2,
            tries=10,
            patience=0.0005,
            most_exchanges=40,
            annealing_work=6e8,
            most_annealings=4,
            rounds=7,
            priced_per_unit=6,
            passes=4,
            window=300,
            window_share=1.0,
        ),
        SinglePlan(most_units=64_000, leaf=3_000, near=40, tries=20.0, exchanges=4),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingWork:
    """What grouping a block takes: the size of groups, the effort, and how many records the whole data has.

    ``single`` says that it is a plain table, with one record per person. ``patience`` is the share of the loss that
    a pass of the search has to gain for another to follow (default: that of the effort). ``units`` is how many people
    the whole data has (0: not known).
    """

    k: int
    effort: str
    records: int
    surplus: Surplus = Surplus.DELETE
    single: bool = False
    patience: float | None = None
    units: int = 0

    @property
    def _level(self) -> _Effort:
        most = MANY_SINGLE_RECORDS if self.single else VERY_MANY_RECORDS
        hurried = self.effort == "normal" and self.records > most
        return _EFFORTS["fast" if hurried else self.effort]

    @property
    def _many(self) -> bool:
        return self.records > MANY_RECORDS and self.effort != "best"

    @property
    def _very_many(self) -> bool:
        """Whether priced groups and exchanges are left out: half of the CPU of k >= 3 for 0.1 % of the loss."""
        return self.records > VERY_MANY_RECORDS and self.effort != "best"

    @property
    def name(self) -> str:
        """What decides the groups of a block, as a text: of the number of records only what it changes."""
        level = f"{self.k} {self.effort} {self._many} {self.records > VERY_MANY_RECORDS} {self.single} {self._level}"
        return level if self.patience is None else f"{level} {self.patience}"

    @property
    def can_end_early(self) -> bool:
        """Whether the search has groups to show at any time: pairs are matched all at once."""
        return self.k > 2 and not self.single

    @property
    def most_units(self) -> int:
        """How many units are compared with each other."""
        if self.single:
            return self._level.single.most_units
        # Groups of three and more are found by annealing, which larger blocks make longer and no better (CDNOW, k = 5).
        long = self.records >= LONG_HISTORY * max(self.units, 1)
        hurried = self.k > 2 and self.effort != "best" and (not long or self._very_many)
        if self._very_many and self.k == 2:
            return max(self._level.most_units, VERY_MANY_UNITS)
        return min(self._level.most_units, SEARCHED_UNITS) if hurried else self._level.most_units

    def groups(self, table: RecordTable, *, threads: int = 1) -> Groups:
        """Return the groups of a block."""
        level = self._level
        if table.single:
            return group_singles(table, self.k, level.single)
        if self.k > 2:
            plan = replace(level.plan, long_rounds=0, most_exchanges=0) if self._very_many else level.plan
            plan = plan.shared(len(table.rows) / max(self.records, 1))
            return Groups.of(group_units(table, self.k, plan.on(threads, patience=self.patience)))
        limit = min(level.pair_limit, MANY_RECORDS_PAIR_LIMIT) if self._many else level.pair_limit
        wanted = min(level.candidates, MANY_RECORDS_CANDIDATES) if self._many else level.candidates
        wanted = VERY_MANY_CANDIDATES if self._very_many else wanted
        return Groups.of(pair_units(table, per_unit=wanted, limit=limit, threads=threads))

    def merged(self, table: RecordTable, groups: Groups, *, threads: int = 1) -> tuple[Merged, Ints]:
        """Return what is published of the groups of a table, and the record positions that are not."""
        final = self._level.final_limit
        return merge_groups(
            table,
            groups,
            limit=min(final, MANY_RECORDS_FINAL_LIMIT) if self._many else final,
            rounds=6 if self.effort == "best" else 2,
            surplus=self.surplus,
            threads=threads,
        )
