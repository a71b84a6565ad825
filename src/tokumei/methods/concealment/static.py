"""k-concealment of a table with one record per subject (Def 2.1; spec C.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.data import History, Release, Secret
from tokumei.errors import InfeasibleError
from tokumei.methods.concealment.dynamic import GRAPHS, conceal, subject_pairs
from tokumei.methods.concealment.index_distance import time_table
from tokumei.methods.concealment.record_unions import nothing_published, require_subjects
from tokumei.parts import Method, parameter


@dataclass(frozen=True, kw_only=True)
class KConcealmentStatic(Method):
    """Every record is a possible original of k published records, each in a complete re-identification.

    The graph is symmetric and holds everybody's own record, so that exchanging two joined records explains every edge;
    published records are the unions of joined ones, and no cell is wider than these need.

    Protects against an attacker who counts hypotheses. Does not protect against one who weighs them (see
    `k-concealment`): with a record that many are joined with, its partners keep their own in most hypotheses; at
    k >= 3 the cheapest hypothesis is mostly the true one. It says nothing about values that all candidates share.
    """

    name: ClassVar[str] = "k-concealment-static"
    summary: ClassVar[str] = "tables with one record per subject: every record fits k published ones (Def 2.1)"
    source: ClassVar[str] = "k-concealment, Def 2.1"
    generalizes: ClassVar[bool] = True

    k: int = parameter(2, "how many published records every subject must fit", low=2)
    graph: str = parameter("edge-cover", "how partners are chosen", choices=tuple(GRAPHS))
    block: int = parameter(2000, "most subjects that are compared with each other", low=2)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the unions of joined records under random pseudonyms, in random order."""
        require_subjects(history, self.k, self.name)
        if len(history) == 0:
            return nothing_published(history, self.name)
        longest = int(history.counts().max())
        if longest > 1:
            message = (
                f"'{self.name}' is for one record per subject, but a subject has {longest}; "
                'use k-concealment, or set subject = "row" in the schema if every row is a person of its own'
            )
            raise InfeasibleError(message)
        pairs = subject_pairs(time_table(history), self.k, graph=self.graph, most=max(self.block, 2 * self.k))
        return conceal(history, pairs, rng=rng, method=self.name)
