"""Matches against the enumeration of all perfect matchings, and what a graph without one reports."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.array_types import Bools
from tokumei.attacks.matching.matchings import Bipartite, NoPerfectMatchingError, find_matches, with_blanks


def square_graphs(largest: int) -> st.SearchStrategy[Bools]:
    """Return adjacency matrices (pseudonym x subject)."""
    return st.integers(1, largest).flatmap(
        lambda size: st.lists(st.booleans(), min_size=size * size, max_size=size * size).map(
            lambda flat: np.array(flat).reshape(size, size)
        )
    )


def graph_of(matrix: Bools) -> Bipartite:
    pseudonym, subject = np.nonzero(matrix)
    return Bipartite.of_edges(matrix.shape[1], matrix.shape[0], subject, pseudonym)


def all_matchings(matrix: Bools) -> list[tuple[int, ...]]:
    size = len(matrix)
    return [order for order in permutations(range(size)) if all(matrix[row, order[row]] for row in range(size))]


@pytest.mark.half_second
@given(square_graphs(5))
@settings(max_examples=examples(150))
def test_matches_are_the_links_of_all_perfect_matchings(matrix: Bools) -> None:
    worlds = all_matchings(matrix)
    if not worlds:
        with pytest.raises(NoPerfectMatchingError, match=r"pseudonyms fit only \d+ subjects") as caught:
            find_matches(graph_of(matrix))
        reached = matrix[caught.value.pseudonyms].any(axis=0)
        assert np.flatnonzero(reached).tolist() == caught.value.subjects.tolist()
        assert len(caught.value.subjects) < len(caught.value.pseudonyms)
        return
    matches = find_matches(graph_of(matrix))
    expected = {(row, order[row]) for order in worlds for row in range(len(matrix))}
    assert set(zip(matches.graph.pseudonym.tolist(), matches.graph.subject.tolist(), strict=True)) == expected
    assert sum(len(component.edges) for component in matches.components) == len(expected)
    for component in matches.components:
        assert len(component.subjects) == len(component.pseudonyms)


def test_a_deleted_subject_is_given_to_a_blank_pseudonym() -> None:
    graph = with_blanks(Bipartite.of_edges(3, 2, [0, 1, 0, 1], [0, 0, 1, 1]))
    matches = find_matches(graph)
    assert matches.graph.blanks == 1
    assert matches.graph.degrees()[:2].tolist() == [2, 2]
    assert matches.graph.subject_degrees().tolist() == [2, 2, 0]
