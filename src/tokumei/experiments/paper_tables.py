"""The worked tables of the paper on k-concealment for history data, made again by the methods of this program.

Tables 1 to 4 are static: five people with an age and a zip code. Tables 5 to 10 are dynamic: seven visits of three
people. Where the paper fixes a choice that a method would make otherwise (which records stand beside each other, which
people are joined), that choice is given to the method here, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.attacks import consistency_graph, find_matches
from tokumei.data import Column, History, Kind, Release, ReleaseFacts, Schema, Secret, cell_shares
from tokumei.methods import (
    Groups,
    KConcealmentStatic,
    RecordTable,
    Surplus,
    complete,
    conceal,
    edge_cover,
    merge_groups,
    publish_slots,
    to_release,
)

PEOPLE = Schema("name", (Column(name="age", kind=Kind.NUMBER), Column(name="zip", kind=Kind.CATEGORY)))
VISITS = Schema("name", (Column(name="date", kind=Kind.DATE), Column(name="goods", kind=Kind.CATEGORY)))
# Table 9: what joining Alice, Bob and Carol costs.
DISTANCES = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
# Tables 6 and 7 join the last records: in each line those of Bob, Carol and Alice.
LAST_RECORDS = np.array([3, 5, 1, 4, 6, 2])
# Figure 4: whom each pseudonym of table T10 stands for.
FIGURE_4 = ((0, 2), (0, 1), (1, 2))


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class PaperTable:
    """One table: its rows under pseudonyms that name whom they stand for, and its figures."""

    name: str
    rows: pl.DataFrame
    records: int
    dummies: int
    k_anonymity: int
    k_concealment: int | None
    changed_cells: int


def people() -> History:
    """Return table 1."""
    ages, codes = [30, 21, 21, 55, 47], ["10055", "10055", "10023", "10165", "10224"]
    names = ["Alice", "Bob", "Carol", "David", "Eve"]
    return History.from_frame(pl.DataFrame({"name": names, "age": ages, "zip": codes}), PEOPLE)


def visits() -> History:
    """Return table 5."""
    names = ["Alice"] * 3 + ["Bob"] * 2 + ["Carol"] * 2
    dates = [f"2017-12-0{day}" for day in (1, 2, 3, 2, 3, 3, 4)]
    return History.from_frame(pl.DataFrame({"name": names, "date": dates, "goods": list("abcdefg")}), VISITS)


def paper_tables() -> list[PaperTable]:
    """Return tables 2 to 4, 6, 7 and 10, and T10 of the interpolated records."""
    rng = np.random.default_rng(0)
    static, dynamic = people(), visits()
    completed = complete(dynamic, slot=0)
    hulls = Groups.of([list(members) for members in FIGURE_4])
    return [
        _table("2", static, *_groups(static, [[0, 1, 2, 3, 4]], rng)),
        _table("3", static, *_groups(static, [[0, 1, 2], [3, 4]], rng)),
        _table("4", static, *KConcealmentStatic(k=2).anonymize(static, rng=rng)),
        _table("6", dynamic, *_groups(dynamic, [[0, 1, 2]], rng, Surplus.DUMMY, LAST_RECORDS)),
        _table("7", dynamic, *_groups(dynamic, [[0, 1, 2]], rng, Surplus.SHARED, LAST_RECORDS)),
        _table("10", dynamic, *conceal(dynamic, edge_cover(DISTANCES), rng=rng)),
        _table(
            "T10",
            completed.history,
            *publish_slots(completed, hulls, np.array([2, 0, 1]), rng=rng, method="record-interpolation"),
        ),
    ]


def _groups(
    history: History,
    groups: list[list[int]],
    rng: np.random.Generator,
    surplus: Surplus = Surplus.DELETE,
    position: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None,
) -> tuple[Release, Secret]:
    """Publish these groups alike."""
    table = RecordTable.from_history(history)
    merged, _ = merge_groups(table, Groups.of(groups), limit=len(history), surplus=surplus, position=position)
    return to_release(history, merged, method="k-anonymity", rng=rng)


def _table(name: str, history: History, release: Release, secret: Secret) -> PaperTable:
    behind = secret.owners.group_by("pseudonym").agg(pl.col("subject").sort().str.join("+").alias("stands for"))
    single = set(behind.filter(~pl.col("stands for").str.contains("+", literal=True))["pseudonym"])
    consistency = consistency_graph(history, release)
    alone = np.array([pseudonym in single for pseudonym in consistency.histories.names])
    kinds = consistency.histories.kind[alone]
    # Neither shared names nor records that nobody made are matched one by one.
    matched = alone.all() and len(release) == len(history)
    fields = [spec.name for spec in history.schema.fields]
    shares = cell_shares(ReleaseFacts.of(release))
    return PaperTable(
        name=name,
        rows=release.text().join(behind, on="pseudonym").select("stands for", *fields).sort("stands for", *fields),
        records=len(release),
        dummies=int((secret.rows < 0).sum()),
        k_anonymity=int(np.unique(kinds, return_counts=True)[1].min()),
        k_concealment=int(find_matches(consistency.graph).graph.subject_degrees().min()) if matched else None,
        changed_cells=round(sum((share.generalized + share.suppressed) * len(release) for share in shares)),
    )
