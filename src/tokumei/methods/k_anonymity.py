"""Strict k-anonymity for histories: every published history is the same for at least k pseudonyms of different people.

Protects against: anyone who knows the original data, the algorithm and its parameters, but not the random pseudonyms,
names the owner of a pseudonym with probability at most 1/k (1 over the size of its group), also by the cheapest
matching, because nothing differs between the members of a group. Does not protect against: learning that somebody is
in a group, attributes that all members of a group share, or links leaked from elsewhere (one leaked link in a
pair reveals the other). In split and pooled mode a subject has several pseudonyms; joint attacks on them are not
excluded. Pooled mode publishes every record, and the proof that single links stay at 1/k is in `grouping.pooling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import History, Release, Secret
from tokumei.engine import Result, run_blocks
from tokumei.errors import InfeasibleError, ParameterError, did_you_mean
from tokumei.methods.grouping.blocks import Block, cut_blocks, table_digest
from tokumei.methods.grouping.demands import NO_DEMANDS
from tokumei.methods.grouping.diversity import NOTHING_DEMANDED, TRIAL_LIMIT, GroupDemands, diverse_groups
from tokumei.methods.grouping.group_values import with_group_values
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.households import groupable, households_apart, refuse_large_households
from tokumei.methods.grouping.losses import Loss, LossName, usual_loss
from tokumei.methods.grouping.merging import Merged, Surplus, to_release
from tokumei.methods.grouping.pooling import pool_rest, require_shares
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.remainders import without_worst
from tokumei.methods.grouping.splitting import cut_units, leftover_units
from tokumei.methods.grouping.work import GroupingWork
from tokumei.parts import GroupingMethod, parameter
from tokumei.progress import searching, stage

LEFTOVER_ROUNDS = 3
# Scales the size of blocks; for tests.
_MOST_UNITS_FACTOR = 1.0


@dataclass(frozen=True, kw_only=True)
class KAnonymity(GroupingMethod):
    """Publishes groups of at least k subjects under identical histories, losing as little as possible."""

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "groups of at least k subjects with identical published histories"
    source: ClassVar[str] = "PWS Cup 2018; k-concealment for history data, sections 2 and 3"
    generalizes: ClassVar[bool] = True
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})
    not_in_0_1: ClassVar[frozenset[str]] = frozenset({"loss", "suppress"})
    stated_if_set: ClassVar[frozenset[str]] = frozenset({"patience"})

    k: int = parameter(3, "members of a group at least", low=2)
    effort: str = parameter(
        "normal", "how long to search (normal is fast above 1,000,000 records)", choices=("fast", "normal", "best")
    )
    patience: float | None = parameter(
        None, "search on while a pass saves this share of the loss (default: by effort)", low=0, high=1
    )
    surplus: str = parameter(
        "delete", "records by which a member exceeds its group", choices=tuple(one.value for one in Surplus)
    )
    split: int | None = parameter(None, "cut histories into chunks of at most so many records", low=1)
    weights: str = parameter("", "weights of columns, as 'price:2,date:0.5'; 1 where none is given")
    loss: str = parameter(
        LossName.AUTO.value,
        "what groups lose least of (auto: cell-error for histories, ncp for tables, variance for numbers alone)",
        choices=tuple(one.value for one in LossName),
    )
    suppress: float = parameter(0.0, "at most this share of the people is left out, in whole groups", low=0, high=0.5)
    threads: int = parameter(1, "threads to use; the result does not depend on it", low=1)
    resume: str | None = parameter(None, "folder that keeps finished blocks, so that an interrupted run continues")

    @property
    def rule_sets(self) -> frozenset[str]:
        """The rule sets whose format the result satisfies with these parameters."""
        plain = self.surplus == Surplus.DELETE and self.split is None and self.suppress == 0
        return self.valid_under if plain else frozenset()

    @property
    def truthful(self) -> bool:
        """Whether every cell holds the value of its record: it does, unless records are made up."""
        return self.surplus != Surplus.DUMMY

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return what may be published and what must be kept."""
        subjects = len(history.subjects)
        if subjects < self.k:
            message = (
                f"k-anonymity with k = {self.k} needs at least {self.k} subjects, the data has {subjects}; "
                "lower k or add data"
            )
            raise InfeasibleError(message)
        loss = Loss.of(self.loss, history)
        demands = GroupDemands.of(history)
        weights = dict.fromkeys(demands.names(), 0.0) | read_weights(self.weights, history)
        if demands:
            demands.refuse_impossible()
            if history.schema.household:
                message = (
                    "groups cannot be repaired for sensitive columns and keep households apart at once; only measure "
                    "the columns (sensitive = { l = 1 } in the schema), or leave the household out"
                )
                raise InfeasibleError(message)
            self._refuse_parts_of_histories()
        # The table is gone before cells are made: both together would be the peak of the memory.
        table = RecordTable.from_history(history, weights, loss=loss)
        merged = self._merged(replace(table, demands=demands.arrays()), demands)
        del table
        with stage("writing cells"):
            release, secret = to_release(history, merged, method=self.name, rng=rng, capped=loss.caps_ranges)
        if merged.group is not None:
            whole = [column.name for column in demands.widened]
            release = with_group_values(history, release, secret, merged.group, demands.names(), whole)
            secret = replace(secret, report={**secret.report, "group": merged.group})
        return release, secret

    def _refuse_parts_of_histories(self) -> None:
        """Raise InfeasibleError if histories are cut: what a group shows is then not all that its members have."""
        if self.split is not None or self.surplus in {Surplus.SPLIT, Surplus.POOLED, Surplus.SHARED}:
            message = (
                "sensitive columns demand groups of whole histories; leave split out, take surplus = delete or dummy, "
                "or only measure them (sensitive = { l = 1 } in the schema)"
            )
            raise InfeasibleError(message)

    @property
    def keeps_groups(self) -> bool:
        """Whether groups of an earlier release can be kept: in these modes everybody has one pseudonym."""
        return self.surplus in {Surplus.DELETE, Surplus.DUMMY} and self.split is None and self.suppress == 0

    @property
    def respects_households(self) -> bool:
        """Whether nobody is covered by the own household: where whole histories are grouped."""
        return self.keeps_groups

    def anonymize_in_groups(
        self, history: History, kept: Sequence[Ints], free: Ints, *, rng: np.random.Generator
    ) -> tuple[Release, Secret]:
        """Publish the groups of ``kept`` again, and those who are ``free`` in new groups among themselves."""
        loss = Loss.of(self.loss, history)
        table = RecordTable.from_history(history, read_weights(self.weights, history), loss=loss)
        work = self.work(len(table.rows), len(table), single=table.single)
        if table.houses is not None:
            free = free[groupable(table.houses[free], self.k)]
        found = [self.groups(table.take(free), work).moved(free)] if len(free) else []
        groups = Groups.join([Groups.of(kept), *found])
        merged, _ = work.merged(table, groups, threads=self.threads)
        release, secret = to_release(history, merged, method=self.name, rng=rng, capped=loss.caps_ranges)
        group = np.full(len(history.subjects), -1, dtype=np.int64)
        group[groups.members] = np.repeat(np.arange(len(groups)), groups.sizes())
        return release, replace(secret, report={"group": group})

    def fitted(self, history: History) -> KAnonymity:
        """Return the method with the loss that fits the data, if none was asked for."""
        return replace(self, loss=usual_loss(history).value) if self.loss == LossName.AUTO else self

    def _merged(self, table: RecordTable, demands: GroupDemands = NOTHING_DEMANDED) -> Merged:
        """Return what is published of the records of a table, in split mode over several rounds."""
        whole = table
        if self.surplus == Surplus.POOLED:
            require_shares(whole, self.k)
        split = self.split is not None or self.surplus in {Surplus.SPLIT, Surplus.POOLED}
        merged, table, spare = self._stage(table if self.split is None else cut_units(table, self.split), demands)
        parts = [merged]
        most = self.split or int(max(table.counts().max(initial=1), 1))
        for _ in range(LEFTOVER_ROUNDS if split else 0):
            rest = leftover_units(table, spare, fewest=1, most=most)
            if len(np.unique(rest.owners)) < 2 * self.k:
                break
            merged, table, spare = self._stage(rest, demands)
            parts.append(merged)
        joined = Merged.join(parts)
        return pool_rest(whole, joined, self.k) if self.surplus == Surplus.POOLED else joined

    def work(self, records: int, units: int, *, single: bool = False) -> GroupingWork:
        """Return how groups are found in data of so many records of so many people: what every block needs to know."""
        return GroupingWork(
            k=self.k,
            effort=self.effort,
            records=records,
            units=units,
            surplus=Surplus(self.surplus),
            single=single,
            patience=self.patience,
        )

    def cut(self, work: GroupingWork) -> dict[str, int]:
        """Return how units are cut into blocks: most and fewest of them, and what their number is a multiple of."""
        most = max(int(work.most_units * _MOST_UNITS_FACTOR), 4 * self.k)
        return {"most": most, "fewest": 4 * self.k, "multiple": self.k}

    def groups(self, table: RecordTable, work: GroupingWork) -> Groups:
        """Return the groups of units that are published alike; nobody is in one with the own household."""
        if table.houses is not None:
            apart = replace(table, owners=table.houses[table.owners])
            refuse_large_households(apart, self.k)
            return households_apart(apart, self.groups(replace(table, houses=None), work), self.k)
        blocks = cut_blocks(table, **self.cut(work))
        settings = f"{work.name} {self.weights} {table.loss.name} 4"
        with searching() if work.can_end_early else nullcontext():
            solved = run_blocks(
                partial(_grouped_block, table, work, self.threads),
                blocks,
                workers=self.threads,
                folder=None if self.resume is None else Path(self.resume),
                digest=lambda block: table_digest(block.of(table), settings),
                label="grouping",
            )
        moved = [
            Groups(result["members"], result["bounds"]).moved(block.units)
            for block, result in zip(blocks, solved, strict=True)
        ]
        return Groups.join(moved)

    def _groups_under(self, table: RecordTable, work: GroupingWork, demands: GroupDemands) -> Groups:
        """Return groups that meet all demands: found under them, or found without and repaired if that loses less."""
        free = (replace(table, demands=NO_DEMANDS),) if demands.columns else ()
        found = [self.groups(one, work) for one in (table, *free)]
        if not free:
            return without_worst(table, found[0], self.suppress)
        with stage("sensitive columns"):
            # Groups are left out last: those who stay may not have all values that a merger could need.
            met = [without_worst(table, diverse_groups(table, groups, demands), self.suppress) for groups in found]
            lost = [group_costs(table, groups, limit=TRIAL_LIMIT, rounds=1).sum() for groups in met]
            return met[int(np.argmin(lost))]

    def _stage(self, table: RecordTable, demands: GroupDemands) -> tuple[Merged, RecordTable, Ints]:
        """Group the units of a table and merge the groups; return also what was not published."""
        work = self.work(len(table.rows), len(table), single=table.single)
        groups = self._groups_under(table, work, demands)
        with stage("aligning records"):
            merged, spare = work.merged(table, groups, threads=self.threads)
        if demands:
            group = np.full(len(table), -1, dtype=np.int64)
            group[table.owners[groups.members]] = np.repeat(np.arange(len(groups)), groups.sizes())
            merged = replace(merged, group=group)
        return merged, table, spare


def _grouped_block(table: RecordTable, work: GroupingWork, threads: int, block: Block) -> Result:
    """Return the groups of one block as arrays."""
    return work.groups(block.of(table), threads=block.threads(threads)).arrays()


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
