"""The consistency graph: which subjects each pseudonym can stand for, from the original data and the release alone.

Pseudonyms with identical published histories are examined once. Of every history the rarest record (the one whose most
selective cell admits the fewest originals) names the candidate subjects; the exact bipartite matching of records is run
only for these.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.attacks.matching.record_fit import FitIndex, fit_index, match_histories, probe_pairs
from tokumei.data import History, Release
from tokumei.progress import stage

PAIRS_AT_ONCE = 4096
MOST_PAIRS = 50_000_000


@dataclass(frozen=True, eq=False)
class Histories:
    """The published records by pseudonym, and which pseudonyms published the same.

    Pseudonym v (``names[v]``) has the records ``rows[starts[v]:starts[v + 1]]``; ``kind[v]`` numbers the distinct
    histories, ``first_of[h]`` is the first pseudonym with history h.
    """

    names: pl.Series
    rows: Ints
    starts: Ints
    kind: Ints
    first_of: Ints

    def sizes(self) -> Ints:
        """Return the number of records of every pseudonym."""
        return np.diff(self.starts)

    def rows_of(self, pseudonym: int) -> Ints:
        """Return the published records of a pseudonym."""
        return self.rows[self.starts[pseudonym] : self.starts[pseudonym + 1]]

    @cached_property
    def owner(self) -> Ints:
        """The pseudonym of every published record, in the order of the release."""
        pseudonym = np.empty(len(self.rows), dtype=np.int64)
        pseudonym[self.rows] = np.repeat(np.arange(len(self.names)), self.sizes())
        return pseudonym


def row_content(release: Release) -> Ints:
    """Return numbers that are equal exactly where published records say the same, pseudonyms aside."""
    keys = [key for spec in release.schema.fields for key in release.cells[spec.name].sort_keys()]
    if not keys:
        return np.zeros(len(release), dtype=np.int64)
    frame = pl.DataFrame({str(number): key for number, key in enumerate(keys)})
    return frame.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64)


def published_histories(release: Release) -> Histories:
    """Group the published records by pseudonym and find identical histories (multisets of records)."""
    text = release.pseudonyms.cast(pl.String)
    names = text.unique().sort().alias("pseudonym")
    if len(names) == 0:
        nothing = np.empty(0, dtype=np.int64)
        return Histories(names, nothing, np.zeros(1, dtype=np.int64), nothing, nothing)
    pseudonym = text.cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()
    content = row_content(release)
    rows = np.lexsort((content, pseudonym)).astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(np.bincount(pseudonym, minlength=len(names))))).astype(np.int64)
    if len(names) == len(rows):
        said = content[rows]
    else:
        sorted_content = pl.DataFrame({"pseudonym": pseudonym[rows], "content": content[rows]})
        joined = sorted_content.group_by("pseudonym", maintain_order=True).agg(
            pl.col("content").cast(pl.String).str.join(",")
        )
        said = joined["content"].rank("dense").to_numpy()
    _, first_of, kind = np.unique(said, return_index=True, return_inverse=True)
    return Histories(names, rows, starts, kind.astype(np.int64), first_of.astype(np.int64))


@dataclass(frozen=True, eq=False, slots=True)
class Consistency:
    """The graph, the histories and the index it was made from; ``unchecked`` pairs were left in for lack of time."""

    graph: Bipartite
    histories: Histories
    index: FitIndex
    unchecked: int = 0

    def contradiction(self, pseudonym: int, subject: int) -> int:
        """Return the published record that cannot stand for any of the subject's; -1: none, -2: too many records."""
        return int(self.contradictions(pseudonym, np.array([subject]))[0])

    def contradictions(self, pseudonym: int, subjects: Ints) -> Ints:
        """Return the same for many subjects."""
        rows, starts = _rarest_first(self.histories, self.index)
        kind = np.full(len(subjects), self.histories.kind[pseudonym])
        return match_histories(self.index, rows, starts, kind, subjects)


def _rarest_first(histories: Histories, index: FitIndex) -> tuple[Ints, Ints]:
    """Return the records of the distinct histories, those that admit the fewest originals first."""
    sizes = histories.sizes()[histories.first_of]
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    shift = np.repeat(histories.starts[histories.first_of] - starts[:-1], sizes)
    rows = histories.rows[np.arange(starts[-1]) + shift]
    # Wholly suppressed records go to the very end of their history.
    rarity = np.where(index.field[rows] < 0, np.iinfo(np.int64).max, index.admitted[rows])
    order = np.lexsort((rarity, np.repeat(np.arange(len(sizes)), sizes)))
    return rows[order], starts


def consistency_graph(history: History, release: Release, *, deadline: float | None = None) -> Consistency:
    """Return which pseudonym fits which subject; after the deadline (time.monotonic) the rest stays unchecked."""
    histories = published_histories(release)
    index = fit_index(history, release)
    rows, starts = _rarest_first(histories, index)
    sizes = np.diff(starts)
    left, right, cut = probe_pairs(index, rows[starts[:-1]], sizes, MOST_PAIRS)
    keep = np.ones(len(left), dtype=np.bool_)
    unchecked = int(cut)
    with stage("fitting histories", total=len(left)) as advance:
        for begin in range(0, len(left), PAIRS_AT_ONCE):
            if deadline is not None and time.monotonic() > deadline:
                unchecked += len(left) - begin
                break
            part = slice(begin, begin + PAIRS_AT_ONCE)
            keep[part] = match_histories(index, rows, starts, left[part], right[part]) == -1
            advance(min(PAIRS_AT_ONCE, len(left) - begin))
    graph = _expand(histories, left[keep], right[keep], len(history.subjects))
    return Consistency(graph, histories, index, unchecked)


def _expand(histories: Histories, kind: Ints, subject: Ints, subjects: int) -> Bipartite:
    """Give the edges of every distinct history to all pseudonyms that published it."""
    order = np.argsort(kind, kind="stable")
    counts = np.bincount(kind, minlength=len(histories.first_of))
    begin = np.concatenate(([0], np.cumsum(counts)))[:-1][histories.kind]
    sizes = counts[histories.kind]
    pseudonym = np.repeat(np.arange(len(histories.names)), sizes)
    first = np.repeat(np.concatenate(([0], np.cumsum(sizes)))[:-1] - begin, sizes)
    edges = order[np.arange(len(pseudonym)) - first]
    return Bipartite.of_edges(subjects, len(histories.names), subject[edges], pseudonym)
