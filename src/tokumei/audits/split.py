"""The audit of releases in which a subject may have several pseudonyms (split, renewed or generalized ones).

Who owns what is then a packing problem, not a perfect matching: posteriors are not computed. What is tested: which
subjects every pseudonym fits, whether record counts add up, and whether the records of pseudonyms already tied to a
subject leave room for the next one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.attacks import Bipartite, MatchView, RecordCounts, record_counts_detail
from tokumei.audits.result import AttackFigure


@dataclass(frozen=True, eq=False, slots=True)
class SplitFindings:
    """The candidates after the tests of counts and packing, and what the joint attack names."""

    pruned: Bipartite
    figure: AttackFigure

    def certainty(self) -> Floats:
        """Return one over the number of candidates of every pseudonym."""
        return 1.0 / np.maximum(self.pruned.degrees(), 1)


def split_findings(view: MatchView, owner: Ints | None) -> SplitFindings:
    """Prune the candidates by record counts and by packing; return what this names."""
    raw, subjects = view.consistency.graph, len(view.knowledge.subjects)
    choice = next(RecordCounts().choices(view))
    # A contradiction (somebody left without candidate) means deletions or dummies the counts cannot know of.
    refuted = bool((choice.graph.degrees() == 0).any())
    pruned = raw if refuted else choice.graph
    detail = record_counts_detail(raw, pruned)
    share, baseline = _share(pruned, owner, subjects), _share(raw, owner, subjects)
    observed = share if owner is not None else None
    return SplitFindings(pruned, AttackFigure(share=share, baseline=baseline, observed=observed, detail=detail))


def _share(graph: Bipartite, owner: Ints | None, subjects: int) -> float:
    """Return the expected share of subjects of whom the best known pseudonym is named."""
    chance = 1.0 / np.maximum(graph.degrees(), 1)
    if owner is None:
        return float(chance.mean())
    best = np.zeros(subjects)
    known = owner >= 0
    np.maximum.at(best, owner[known], chance[known])
    return float(best.mean())
