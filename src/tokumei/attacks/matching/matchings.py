"""Bipartite graphs of subjects and pseudonyms: perfect matchings, and the edges that lie in one of them.

A perfect matching is one complete hypothesis of who stands behind which pseudonym; an edge is a *match* if some perfect
matching contains it (spec C.1, Def 2.1). One maximum matching decides all edges: in the digraph on pseudonyms with an
arc from v to the pseudonym that the matching gives to u, for every edge (u, v), an edge is a match exactly if both ends
lie in one strongly connected component (Dulmage and Mendelsohn).

Subjects without a pseudonym (wholly deleted) are given to blank pseudonyms that fit everybody.

>>> graph = Bipartite.of_edges(3, 3, [0, 0, 1, 1, 2], [0, 1, 0, 1, 2])
>>> find_matches(graph).graph.degrees().tolist()
[2, 2, 1]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components, maximum_bipartite_matching

from tokumei.array_types import Bools, Ints
from tokumei.data import distinct


@dataclass(frozen=True, eq=False)
class Bipartite:
    """Edges between subjects and pseudonyms, by pseudonym then subject, each once; the last ``blanks`` are blank."""

    subjects: int
    pseudonyms: int
    subject: Ints
    pseudonym: Ints
    blanks: int = 0

    @classmethod
    def of_edges(
        cls, subjects: int, pseudonyms: int, subject: npt.ArrayLike, pseudonym: npt.ArrayLike, *, blanks: int = 0
    ) -> Self:
        """Return the graph with these edges, in any order, with repetitions."""
        width = max(subjects, 1)
        key = distinct(np.asarray(pseudonym, dtype=np.int64) * width + np.asarray(subject, dtype=np.int64))
        return cls(subjects, pseudonyms, key % width, key // width, blanks)

    def __len__(self) -> int:
        """Return the number of edges."""
        return len(self.subject)

    def degrees(self) -> Ints:
        """Return the number of candidate subjects of every pseudonym."""
        return np.bincount(self.pseudonym, minlength=self.pseudonyms)

    def subject_degrees(self) -> Ints:
        """Return the number of candidate pseudonyms of every subject, blanks not counted."""
        real = self.pseudonym < self.pseudonyms - self.blanks
        return np.bincount(self.subject[real], minlength=self.subjects)

    @cached_property
    def starts(self) -> Ints:
        """Where the edges of every pseudonym begin; one more than there are pseudonyms."""
        return np.concatenate(([0], np.cumsum(self.degrees()))).astype(np.int64)

    def places(self, pseudonym: Ints, subject: Ints) -> Ints:
        """Return which edge each of these links is, -1 if it is none."""
        if len(self) == 0:
            return np.full(len(pseudonym), -1, dtype=np.int64)
        wanted = pseudonym * self.subjects + subject
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self) - 1)
        return np.where(self._keys[place] == wanted, place, -1)

    @cached_property
    def _keys(self) -> Ints:
        return self.pseudonym * self.subjects + self.subject

    def keep(self, mask: Bools) -> Bipartite:
        """Return the graph with the edges under the mask."""
        return Bipartite(self.subjects, self.pseudonyms, self.subject[mask], self.pseudonym[mask], self.blanks)

    def matrix(self) -> csr_matrix:
        """Return the adjacency matrix, a row per pseudonym."""
        ones = np.ones(len(self), dtype=np.int8)
        return csr_matrix((ones, (self.pseudonym, self.subject)), shape=(self.pseudonyms, self.subjects))


class NoPerfectMatchingError(ValueError):
    """No hypothesis explains all pseudonyms: together these fit fewer subjects than they are."""

    def __init__(self, pseudonyms: Ints, subjects: Ints) -> None:
        super().__init__(f"{len(pseudonyms)} pseudonyms fit only {len(subjects)} subjects")
        self.pseudonyms = pseudonyms
        self.subjects = subjects


@dataclass(frozen=True, eq=False, slots=True)
class Component:
    """One strongly connected part of the match graph: as many subjects as pseudonyms, closed under all hypotheses."""

    subjects: Ints
    pseudonyms: Ints
    edges: Ints

    def __len__(self) -> int:
        """Return the number of pseudonyms."""
        return len(self.pseudonyms)

    @property
    def complete(self) -> bool:
        """Whether every pseudonym fits every subject."""
        return len(self.edges) == len(self.pseudonyms) ** 2


@dataclass(frozen=True, eq=False)
class Matches:
    """The match graph, one perfect matching (``subject_of[v]``) and the component of every pseudonym."""

    graph: Bipartite
    subject_of: Ints
    component_of: Ints

    @cached_property
    def components(self) -> list[Component]:
        """The components, by their first pseudonym."""
        edges_by = np.argsort(self.component_of[self.graph.pseudonym], kind="stable")
        nodes_by = np.argsort(self.component_of, kind="stable")
        count = int(self.component_of.max(initial=-1)) + 1
        edge_ends = np.cumsum(np.bincount(self.component_of[self.graph.pseudonym], minlength=count))
        node_ends = np.cumsum(np.bincount(self.component_of, minlength=count))
        edges = np.split(edges_by, edge_ends[:-1])
        nodes = np.split(nodes_by, node_ends[:-1])
        return [
            Component(np.sort(self.subject_of[members]), members, inside)
            for members, inside in zip(nodes, edges, strict=True)
            if len(members)
        ]


def with_blanks(graph: Bipartite) -> Bipartite:
    """Return the graph with one blank pseudonym, fitting everybody, for each subject too many."""
    blanks = graph.subjects - graph.pseudonyms
    if blanks <= 0:
        return graph
    subject = np.concatenate((graph.subject, np.tile(np.arange(graph.subjects), blanks)))
    added = graph.pseudonyms + np.repeat(np.arange(blanks), graph.subjects)
    pseudonym = np.concatenate((graph.pseudonym, added))
    return Bipartite(graph.subjects, graph.subjects, subject, pseudonym, blanks)


def find_matches(graph: Bipartite) -> Matches:
    """Return the edges that lie in a perfect matching; raise NoPerfectMatchingError if there is none."""
    matrix = graph.matrix()
    subject_of = maximum_bipartite_matching(matrix, perm_type="column").astype(np.int64)
    if graph.subjects != graph.pseudonyms or (subject_of < 0).any():
        raise _contradiction(graph, subject_of)
    holder = np.empty(graph.subjects, dtype=np.int64)
    holder[subject_of] = np.arange(graph.pseudonyms)
    arcs = csr_matrix(
        (np.ones(len(graph), dtype=np.int8), (graph.pseudonym, holder[graph.subject])),
        shape=(graph.pseudonyms, graph.pseudonyms),
    )
    _, label = connected_components(arcs, directed=True, connection="strong")
    _, first = np.unique(label, return_index=True)
    component_of = np.argsort(np.argsort(first))[label].astype(np.int64)
    inside = component_of[graph.pseudonym] == component_of[holder[graph.subject]]
    return Matches(graph.keep(inside), subject_of, component_of)


def _contradiction(graph: Bipartite, subject_of: Ints) -> NoPerfectMatchingError:
    """Find pseudonyms that together fit too few subjects: all that an unmatched one reaches (Hall)."""
    unmatched = np.flatnonzero(subject_of < 0)
    if len(unmatched) == 0:
        return NoPerfectMatchingError(np.arange(graph.pseudonyms), np.unique(graph.subject))
    holder = np.full(graph.subjects, -1, dtype=np.int64)
    matched = np.flatnonzero(subject_of >= 0)
    holder[subject_of[matched]] = matched
    real = holder[graph.subject] >= 0
    arcs = csr_matrix(
        (np.ones(int(real.sum()), dtype=np.int8), (graph.pseudonym[real], holder[graph.subject[real]])),
        shape=(graph.pseudonyms, graph.pseudonyms),
    )
    reached = np.sort(breadth_first_order(arcs, int(unmatched[0]), return_predecessors=False)).astype(np.int64)
    inside = np.isin(graph.pseudonym, reached)
    return NoPerfectMatchingError(reached, np.unique(graph.subject[inside]))
