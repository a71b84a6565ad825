"""The graph of single records, by which the tables of the papers are judged."""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.attacks.matching.consistency import MOST_PAIRS
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.attacks.matching.record_fit import fit_index, probe_pairs
from tokumei.data import History, Release


def record_graph(history: History, release: Release) -> Bipartite:
    """Return the graph of single records: which published record can stand for which original (spec C.4, T8).

    Originals are numbered in file order, published records as released; pseudonyms are ignored. In a static table this
    is the graph of Def 2.1.
    """
    single = Release(release.schema, pl.Series(np.arange(len(release))).cast(pl.String), release.cells)
    index = fit_index(history, single)
    alone = index._replace(owner=np.arange(len(history)), offsets=np.arange(len(history) + 1))
    every = np.arange(len(release), dtype=np.int64)
    left, right, _ = probe_pairs(alone, every, np.ones(len(release), dtype=np.int64), MOST_PAIRS)
    return Bipartite.of_edges(len(history), len(release), history.order[right], left)
