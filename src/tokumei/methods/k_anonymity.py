"""Strict k-anonymity for histories: every published history is the same for at least k pseudonyms of different people.

Protects against: anyone who knows the original data, the algorithm and its parameters, but not the random pseudonyms,
names the owner of a pseudonym with probability at most 1/k (1 over the size of its group), also by the cheapest
matching, because nothing differs between the members of a group. Does not protect against: learning that somebody is
in a group, attributes that all members of a group share, or links leaked from elsewhere (one leaked link in a
pair reveals the other). In split and pooled mode a subject has several pseudonyms; joint attacks on them are not
excluded. Pooled mode publishes every record, and the proof that single links stay at 1/k is in `grouping.pooling`.
"""

from __future__ import annotations

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
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.losses import Loss, LossName, usual_loss
from tokumei.methods.grouping.merging import Merged, Surplus, to_release
from tokumei.methods.grouping.pooling import pool_rest, require_shares
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.remainders import without_worst
from tokumei.methods.grouping.splitting import cut_units, leftover_units
from tokumei.methods.grouping.work import GroupingWork
from tokumei.parts import Method, parameter
from tokumei.progress import stage

LEFTOVER_ROUNDS = 3
# Scales the size of blocks; for tests.
_MOST_UNITS_FACTOR = 1.0


@dataclass(frozen=True, kw_only=True)
class KAnonymity(Method):
    """Publishes groups of at least k subjects under identical histories, losing as little as possible."""

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "groups of at least k subjects with identical published histories"
    source: ClassVar[str] = "PWS Cup 2018; k-concealment for history data, sections 2 and 3"
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})
    not_in_0_1: ClassVar[frozenset[str]] = frozenset({"loss", "suppress"})

    k: int = parameter(3, "members of a group at least", low=2)
    effort: str = parameter(
        "normal", "how long to search (normal is fast above 1,000,000 records)", choices=("fast", "normal", "best")
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
        # The table is gone before cells are made: both together would be the peak of the memory.
        loss = Loss.of(self.loss, history)
        merged = self._merged(RecordTable.from_history(history, read_weights(self.weights, history), loss=loss))
        with stage("writing cells"):
            return to_release(history, merged, method=self.name, rng=rng, capped=loss.caps_ranges)

    def fitted(self, history: History) -> KAnonymity:
        """Return the method with the loss that fits the data, if none was asked for."""
        return replace(self, loss=usual_loss(history).value) if self.loss == LossName.AUTO else self

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

    def work(self, records: int, *, single: bool = False) -> GroupingWork:
        """Return how groups are found in data of so many records: what every block needs to know of the whole."""
        surplus = Surplus(self.surplus)
        return GroupingWork(k=self.k, effort=self.effort, records=records, surplus=surplus, single=single)

    def cut(self, work: GroupingWork) -> dict[str, int]:
        """Return how units are cut into blocks: most and fewest of them, and what their number is a multiple of."""
        most = max(int(work.most_units * _MOST_UNITS_FACTOR), 4 * self.k)
        return {"most": most, "fewest": 4 * self.k, "multiple": self.k}

    def groups(self, table: RecordTable, work: GroupingWork) -> Groups:
        """Return the groups of units that are published alike."""
        blocks = cut_blocks(table, **self.cut(work))
        settings = f"{work.name} {self.weights} {table.loss.name} 3"
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

    def _stage(self, table: RecordTable) -> tuple[Merged, RecordTable, Ints]:
        """Group the units of a table and merge the groups; return also what was not published."""
        work = self.work(len(table.rows), single=table.single)
        groups = without_worst(table, self.groups(table, work), self.suppress)
        with stage("aligning records"):
            merged, spare = work.merged(table, groups, threads=self.threads)
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
