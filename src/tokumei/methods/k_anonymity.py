"""Strict k-anonymity for histories: every published history is the same for at least k pseudonyms of different people.

Protects against: anyone who knows the original data, the algorithm and its parameters, but not the random pseudonyms,
names the owner of a pseudonym with probability at most 1/k (1 over the size of its group), also by the cheapest
matching, because nothing differs between the members of a group. Does not protect against: learning that somebody is
in a group, attributes that all members of a group share, or links leaked from elsewhere (one leaked link in a
pair reveals the other). In split and pooled mode a subject has several pseudonyms; joint attacks on them are not
excluded. Pooled mode publishes every record, and the proof that single links stay at 1/k is in `grouping.pooling`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import History, Release, Secret
from tokumei.engine import Result, run_blocks
from tokumei.errors import InfeasibleError, ParameterError, did_you_mean
from tokumei.methods.grouping.blocks import Block, cut_blocks
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.merging import Merged, Surplus, merge_groups, to_release
from tokumei.methods.grouping.pairing import pair_units
from tokumei.methods.grouping.partition import GroupingPlan, group_units
from tokumei.methods.grouping.pooling import pool_rest, require_shares
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.splitting import cut_units, leftover_units
from tokumei.parts import Method, parameter
from tokumei.progress import stage

LEFTOVER_ROUNDS = 3
MANY_RECORDS = 200_000
# Above that many records, long histories are compared in chunks of so many (their final alignment is not).
MANY_RECORDS_PAIR_LIMIT = 500
# Above this the normal effort searches as the fast one does: minutes would become hours.
VERY_MANY_RECORDS = 1_000_000
# Scales the size of blocks; for tests.
_MOST_UNITS_FACTOR = 1.0


@dataclass(frozen=True, slots=True)
class _Effort:
    """How much work one level of effort does."""

    candidates: int
    pair_limit: int
    final_limit: int
    most_units: int
    plan: GroupingPlan


_EFFORTS = {
    "fast": _Effort(5, 300, 800, 800, GroupingPlan(per_unit=10, limit=150, anneals=1, rounds=1, passes=1, window=180)),
    "normal": _Effort(8, 3000, 3000, 1500, GroupingPlan(anneals=1, window=180)),
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
    ),
}


@dataclass(frozen=True, kw_only=True)
class KAnonymity(Method):
    """Publishes groups of at least k subjects under identical histories, losing as little as possible."""

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "groups of at least k subjects with identical published histories"
    source: ClassVar[str] = "PWS Cup 2018; k-concealment for history data, sections 2 and 3"
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})

    k: int = parameter(3, "members of a group at least", low=2)
    effort: str = parameter(
        "normal", "how long to search (normal is fast above 1,000,000 records)", choices=("fast", "normal", "best")
    )
    surplus: str = parameter(
        "delete", "records by which a member exceeds its group", choices=tuple(one.value for one in Surplus)
    )
    split: int | None = parameter(None, "cut histories into chunks of at most so many records", low=1)
    weights: str = parameter("", "weights of columns, as 'price:2,date:0.5'; 1 where none is given")
    threads: int = parameter(1, "threads to use; the result does not depend on it", low=1)
    resume: str | None = parameter(None, "folder that keeps finished blocks, so that an interrupted run continues")

    @property
    def rule_sets(self) -> frozenset[str]:
        """The rule sets whose format the result satisfies with these parameters."""
        plain = self.surplus == Surplus.DELETE and self.split is None
        return self.valid_under if plain else frozenset()

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return what may be published and what must be kept."""
        subjects = len(history.subjects)
        if subjects < self.k:
            message = (
                f"k-anonymity with k = {self.k} needs at least {self.k} subjects, the data has {subjects}; "
                "lower k or add data"
            )
            raise InfeasibleError(message)
        # The table is gone before cells are made: both together would be the peak of the memory.
        merged = self._merged(RecordTable.from_history(history, read_weights(self.weights, history)))
        with stage("writing cells"):
            return to_release(history, merged, method=self.name, rng=rng)

    def _merged(self, table: RecordTable) -> Merged:
        """Return what is published of the records of a table, in split mode over several rounds."""
        whole = table
        if self.surplus == Surplus.POOLED:
            require_shares(whole, self.k)
        split = self.split is not None or self.surplus in {Surplus.SPLIT, Surplus.POOLED}
        merged, table, spare = self._stage(table if self.split is None else cut_units(table, self.split))
        parts = [merged]
        most = self.split or int(max(table.counts().max(initial=1), 1))
        for _ in range(LEFTOVER_ROUNDS if split else 0):
            rest = leftover_units(table, spare, fewest=1, most=most)
            if len(np.unique(rest.owners)) < 2 * self.k:
                break
            merged, table, spare = self._stage(rest)
            parts.append(merged)
        joined = Merged.join(parts)
        return pool_rest(whole, joined, self.k) if self.surplus == Surplus.POOLED else joined

    def _effort(self, table: RecordTable) -> _Effort:
        """Return how much work to do for so many records."""
        hurried = self.effort == "normal" and len(table.rows) > VERY_MANY_RECORDS
        return _EFFORTS["fast" if hurried else self.effort]

    def groups(self, table: RecordTable) -> Groups:
        """Return the groups of units that are published alike."""
        effort = self._effort(table)
        blocks = cut_blocks(table, most=max(int(effort.most_units * _MOST_UNITS_FACTOR), 4 * self.k), fewest=4 * self.k)
        many = len(table.rows) > MANY_RECORDS and self.effort != "best"
        settings = f"{self.k} {self.effort} {self.weights} {many} 2"
        solved = run_blocks(
            self._solver(effort, many),
            blocks,
            workers=self.threads,
            folder=None if self.resume is None else Path(self.resume),
            digest=lambda block: block.digest(settings),
            label="grouping",
        )
        moved = [
            Groups(result["members"], result["bounds"]).moved(block.units)
            for block, result in zip(blocks, solved, strict=True)
        ]
        return Groups.of([group for part in moved for group in part.lists()])

    def _solver(self, effort: _Effort, many: bool) -> Callable[[Block], Result]:  # noqa: FBT001
        """Return the function that groups one block."""

        def solve(block: Block) -> Result:
            table, threads = block.part(), block.threads(self.threads)
            if self.k == 2:
                limit = min(effort.pair_limit, MANY_RECORDS_PAIR_LIMIT) if many else effort.pair_limit
                wanted = min(effort.candidates, 5) if many else effort.candidates
                lists = pair_units(table, per_unit=wanted, limit=limit, threads=threads)
            else:
                lists = group_units(table, self.k, effort.plan.on(threads))
            groups = Groups.of(lists)
            return {"members": groups.members, "bounds": groups.bounds}

        return solve

    def _stage(self, table: RecordTable) -> tuple[Merged, RecordTable, Ints]:
        """Group the units of a table and merge the groups; return also what was not published."""
        effort = self._effort(table)
        groups = self.groups(table)
        big = len(table.rows) > MANY_RECORDS and self.effort != "best"
        with stage("aligning records"):
            merged, spare = merge_groups(
                table,
                groups,
                limit=min(effort.final_limit, 2500) if big else effort.final_limit,
                rounds=6 if self.effort == "best" else 2,
                surplus=Surplus(self.surplus),
                threads=self.threads,
            )
        return merged, table, spare


def read_weights(text: str, history: History) -> dict[str, float]:
    """Read ``price:2,date:0.5``; a column that is a place gives its weight to both coordinates."""
    weights: dict[str, float] = {}
    fields = history.schema.fields
    names = {spec.name for spec in fields} | {spec.column for spec in fields}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, value = part.rpartition(":")
        if name not in names:
            message = f"weights: there is no column '{name}'{did_you_mean(name, names)}; write them as 'column:number'"
            raise ParameterError(message)
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number < float("inf"):
            raise ParameterError(f"weights: the weight of '{name}' must be a number of at least 0, got '{value}'")
        weights.update({spec.name: number for spec in fields if name in (spec.name, spec.column)})
    return weights
