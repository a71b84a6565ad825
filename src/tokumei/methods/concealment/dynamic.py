"""k-concealment for histories: Algorithm 1 of the paper (spec C.3), a symmetric graph and unions of records.

Records are numbered by time within their subject. Two joined subjects join their records of equal number, both ways;
the records by which one is longer are joined with the last record of the other, under a pseudonym that stands for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import History, Release, Secret
from tokumei.methods.concealment.edge_cover import edge_cover, neighbour_graph
from tokumei.methods.concealment.index_distance import index_distances, nearest_records, time_table
from tokumei.methods.concealment.record_unions import nothing_published, require_subjects, shuffled, union_cells
from tokumei.methods.grouping.blocks import cut_blocks
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.pseudonyms import draw_pseudonyms, generalized_pseudonyms
from tokumei.parts import Method, parameter
from tokumei.progress import stage

GRAPHS = {"edge-cover": edge_cover, "greedy": neighbour_graph}


@dataclass(frozen=True, eq=False, slots=True)
class RecordEdges:
    """The record-level graph H: positions ``one`` and ``other`` of a table are joined, both ways.

    ``surplus`` holds, for every record beyond the end of a joined shorter history, its position and that other unit.
    """

    one: Ints
    other: Ints
    surplus: Ints
    beyond: Ints


def subject_pairs(table: RecordTable, k: int, *, graph: str = "edge-cover", most: int = 2000) -> Ints:
    """Return the symmetric k-concealment graph as pairs of units: everybody has k - 1 partners or more.

    Above ``most`` units they are cut into blocks of like record count, each with a graph of its own.
    """
    found = []
    blocks = cut_blocks(table, most=most, fewest=k)
    with stage("concealment graph", total=len(blocks)) as advance:
        for block in blocks:
            found.append(block.units[GRAPHS[graph](index_distances(block.of(table)), k - 1)])
            advance(1)
    return np.concatenate(found)


def join_records(table: RecordTable, pairs: Ints, *, surplus: str = "last") -> RecordEdges:
    """Join the records of joined subjects by their number (spec C.3, step 4).

    A record beyond the end of the shorter history is joined with its ``last`` record (table 10) or the ``nearest``.
    """
    counts = table.counts()
    first, second = pairs[:, 0], pairs[:, 1]
    shorter = np.where(counts[first] <= counts[second], first, second)
    longer = first + second - shorter
    length = counts[longer]
    pair = np.repeat(np.arange(len(pairs)), length)
    number = np.arange(len(pair)) - np.repeat(np.concatenate(([0], np.cumsum(length)))[:-1], length)
    one = table.offsets[longer][pair] + number
    other = table.offsets[shorter][pair] + np.minimum(number, counts[shorter][pair] - 1)
    extra = np.flatnonzero(number >= counts[shorter][pair])
    if surplus == "nearest":
        other[extra] = nearest_records(table, one[extra], shorter[pair[extra]])
    return RecordEdges(one, other, one[extra], shorter[pair[extra]])


def conceal(
    history: History, pairs: Ints, *, rng: np.random.Generator, surplus: str = "last", method: str = "k-concealment"
) -> tuple[Release, Secret]:
    """Publish the unions of joined records (Algorithm 1, steps 4 to 6) for pairs of subjects, by any graph."""
    table = time_table(history)
    edges = join_records(table, pairs, surplus=surplus)
    own = np.arange(len(history), dtype=np.int64)
    source = table.rows[np.concatenate((own, edges.one, edges.other))]
    target = table.rows[np.concatenate((own, edges.other, edges.one))]
    cells = union_cells(history, source, target, own)
    names = draw_pseudonyms(len(history.subjects), rng=rng, avoid=history.subjects)
    pseudonyms, owners = _pseudonyms(history, names, table.rows[edges.surplus], table.owners[edges.beyond], rng)
    release = Release(history.schema, pseudonyms, cells, method)
    return shuffled(release, Secret(owners, own), rng)


def _pseudonyms(
    history: History, names: pl.Series, rows: Ints, others: Ints, rng: np.random.Generator
) -> tuple[pl.Series, pl.DataFrame]:
    """Return the pseudonym of every record and whom each may stand for.

    A record beyond the end of joined histories stands for its own subject and theirs (Def 3.6 as table 10 shows it);
    each such set gets a fresh number (spec F-C6).
    """
    plain = names[history.subject]
    owners = pl.DataFrame({"pseudonym": names, "subject": history.subjects.cast(pl.String)})
    if len(rows) == 0:
        return plain, owners.sort("pseudonym")
    every = pl.DataFrame(
        {"row": np.concatenate((rows, rows)), "member": pl.concat([names[history.subject[rows]], names[others]])}
    )
    sets = every.group_by("row").agg(pl.col("member").unique().sort()).sort("row")
    fresh, meaning = generalized_pseudonyms(sets["member"], rng=rng, avoid=pl.concat([names, history.subjects]))
    text = plain.to_frame("plain").with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    joined = text.join(sets.select("row", fresh.alias("fresh")), on="row", how="left", maintain_order="left")
    pseudonyms = joined.select(pl.coalesce("fresh", "plain").alias("pseudonym")).to_series()
    shared = meaning.join(owners.rename({"pseudonym": "member"}), on="member").select("pseudonym", "subject")
    return pseudonyms, pl.concat([owners, shared]).sort("pseudonym", "subject")


@dataclass(frozen=True, kw_only=True)
class KConcealment(Method):
    """Symmetric k-concealment of histories, Algorithm 1 of the paper.

    Protects against an attacker who counts hypotheses: every subject is consistent with k pseudonyms or more, each in a
    complete re-identification. All records are published, none is a dummy.

    Does not protect against one who weighs hypotheses: a subject that many are joined with (a hub) leaves its partners
    almost certain, the ``greedy`` graph more often than the edge cover; at k >= 3 the cheapest complete hypothesis is
    mostly the true one. Generalized pseudonyms say who is longer than whom: record counts alone settled 57 % of them on
    purchases. Audit what you publish; `uniform-concealment` bounds single links by proof.
    """

    name: ClassVar[str] = "k-concealment"
    summary: ClassVar[str] = "every history fits k pseudonyms: unions of records of joined subjects (Algorithm 1)"
    source: ClassVar[str] = "k-concealment for history data, Algorithm 1"
    generalizes: ClassVar[bool] = True

    k: int = parameter(2, "how many pseudonyms every subject must fit", low=2)
    graph: str = parameter("edge-cover", "how partners are chosen", choices=tuple(GRAPHS))
    surplus: str = parameter("last", "which record a surplus record joins", choices=("last", "nearest"))
    block: int = parameter(2000, "most subjects that are compared with each other", low=2)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the unions of joined records under plain and generalized pseudonyms, in random order."""
        require_subjects(history, self.k, self.name)
        if len(history) == 0:
            return nothing_published(history, self.name)
        pairs = subject_pairs(time_table(history), self.k, graph=self.graph, most=max(self.block, 2 * self.k))
        return conceal(history, pairs, rng=rng, surplus=self.surplus, method=self.name)
