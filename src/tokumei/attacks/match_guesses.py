"""What the attacks on the match graph share: its making from the attacker's knowledge, and guesses from choices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats
from tokumei.attacks.matching.consistency import Consistency, consistency_graph
from tokumei.attacks.matching.matchings import Bipartite, Matches, NoPerfectMatchingError, find_matches, with_blanks
from tokumei.data import Guesses, History, Release

__all__ = ["MatchView", "make_guesses", "view_matches"]

MOST_BLANK_EDGES = 5_000_000


@dataclass(frozen=True, eq=False, slots=True)
class MatchView:
    """The consistency graph and, if every pseudonym can have a subject of its own, the matches."""

    knowledge: History
    consistency: Consistency
    matches: Matches | None

    @property
    def graph(self) -> Bipartite:
        """The match graph, or the consistency graph where there is no perfect matching."""
        return self.consistency.graph if self.matches is None else self.matches.graph

    def blind(self) -> Floats:
        """Return equal choices among the candidates of every pseudonym."""
        graph = self.graph
        return 1.0 / np.maximum(graph.degrees(), 1)[graph.pseudonym]


def view_matches(knowledge: History, release: Release) -> MatchView:
    """Lay out what the attacker knows; several pseudonyms per subject or changed values leave no perfect matching."""
    consistency = consistency_graph(knowledge, release)
    graph = consistency.graph
    blank_edges = (graph.subjects - graph.pseudonyms) * graph.subjects
    if graph.pseudonyms > graph.subjects or blank_edges > MOST_BLANK_EDGES or len(graph) == 0:
        return MatchView(knowledge, consistency, None)
    try:
        return MatchView(knowledge, consistency, find_matches(with_blanks(graph)))
    except NoPerfectMatchingError:
        return MatchView(knowledge, consistency, None)


def make_guesses(
    view: MatchView, choice: Floats, *, attack: str, rng: np.random.Generator, graph: Bipartite | None = None
) -> Guesses:
    """Name for every pseudonym the candidate with the largest choice, ties at random; the surest guesses come first."""
    graph = view.graph if graph is None else graph
    real = graph.pseudonym < graph.pseudonyms - graph.blanks
    pseudonym, subject, sure = graph.pseudonym[real], graph.subject[real], np.round(choice[real], 9)
    order = np.lexsort((rng.random(len(sure)), -sure, pseudonym))
    _, first = np.unique(pseudonym[order], return_index=True)
    best = order[first]
    best = best[np.argsort(-sure[best], kind="stable")]
    names = view.consistency.histories.names.gather(pseudonym[best])
    return Guesses.of_pairs(names, view.knowledge.subjects.gather(subject[best]), attack=attack)
