"""How much work grouping does: frozen values that go with every block to wherever it is solved.

A block is grouped and merged on its own; of the whole it has to know only how many records there are.
"""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.array_types import Ints
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.merging import Merged, Surplus, merge_groups
from tokumei.methods.grouping.pairing import pair_units
from tokumei.methods.grouping.partition import GroupingPlan, group_units
from tokumei.methods.grouping.plain_tables import SinglePlan, group_singles
from tokumei.methods.grouping.record_table import RecordTable

MANY_RECORDS = 200_000
# Above that many records, long histories are compared in chunks of so many (their final alignment is not).
MANY_RECORDS_PAIR_LIMIT, MANY_RECORDS_FINAL_LIMIT, MANY_RECORDS_CANDIDATES = 500, 2500, 5
# Above this the normal effort searches as the fast one does: minutes would become hours.
VERY_MANY_RECORDS = 1_000_000
MANY_SINGLE_RECORDS = 300_000


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
        GroupingPlan(per_unit=10, limit=150, anneals=1, rounds=1, passes=1, window=180),
        SinglePlan(most_units=8_000, leaf=500, near=12, tries=0.5),
    ),
    "normal": _Effort(8, 3000, 3000, 1500, GroupingPlan(anneals=1, window=180), SinglePlan()),
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

    ``single`` says that it is a plain table, with one record per person.
    """

    k: int
    effort: str
    records: int
    surplus: Surplus = Surplus.DELETE
    single: bool = False

    @property
    def _level(self) -> _Effort:
        most = MANY_SINGLE_RECORDS if self.single else VERY_MANY_RECORDS
        hurried = self.effort == "normal" and self.records > most
        return _EFFORTS["fast" if hurried else self.effort]

    @property
    def _many(self) -> bool:
        return self.records > MANY_RECORDS and self.effort != "best"

    @property
    def name(self) -> str:
        """What decides the groups of a block, as a text: of the number of records only what it changes."""
        return f"{self.k} {self.effort} {self._many} {self.records > VERY_MANY_RECORDS} {self.single} {self._level}"

    @property
    def most_units(self) -> int:
        """How many units are compared with each other."""
        return self._level.single.most_units if self.single else self._level.most_units

    def groups(self, table: RecordTable, *, threads: int = 1) -> Groups:
        """Return the groups of a block."""
        level = self._level
        if table.single:
            return group_singles(table, self.k, level.single)
        if self.k > 2:
            return Groups.of(group_units(table, self.k, level.plan.on(threads)))
        limit = min(level.pair_limit, MANY_RECORDS_PAIR_LIMIT) if self._many else level.pair_limit
        wanted = min(level.candidates, MANY_RECORDS_CANDIDATES) if self._many else level.candidates
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
