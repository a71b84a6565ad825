"""The subset-sum test against trying every assignment of pseudonyms to subjects."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.attacks.matching.record_counts import prune_by_counts


@st.composite
def split_counts(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Return the counts of pseudonyms and the subject each belongs to."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=2, max_size=6))
    owners = draw(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)))
    return sizes, owners


@given(split_counts())
@settings(max_examples=examples(100))
def test_no_possible_owner_is_dropped(case: tuple[list[int], list[int]]) -> None:
    """A link that some assignment with exact sums uses stays; the true one always does."""
    sizes, owners = case
    records = np.bincount(owners, weights=sizes, minlength=3).astype(np.int64)
    subject, pseudonym = np.meshgrid(np.arange(3), np.arange(len(sizes)))
    pruned = prune_by_counts(
        Bipartite.of_edges(3, len(sizes), subject.ravel(), pseudonym.ravel()), np.array(sizes), records
    )
    left = set(zip(pruned.pseudonym.tolist(), pruned.subject.tolist(), strict=True))
    for chosen in product(range(3), repeat=len(sizes)):
        if (np.bincount(chosen, weights=sizes, minlength=3) == records).all():
            assert set(enumerate(chosen)) <= left


def test_counts_that_cannot_add_up_are_dropped() -> None:
    """Seven records cannot be made of four and two: the four and the two belong to the subject with six."""
    graph = Bipartite.of_edges(2, 3, [0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2])
    pruned = prune_by_counts(graph, np.array([7, 4, 2]), np.array([7, 6]))
    assert list(zip(pruned.pseudonym.tolist(), pruned.subject.tolist(), strict=True)) == [(0, 0), (1, 1), (2, 1)]


def test_deletions_leave_slack() -> None:
    graph = Bipartite.of_edges(2, 2, [0, 1, 0, 1], [0, 0, 1, 1])
    assert len(prune_by_counts(graph, np.array([3, 3]), np.array([4, 4]))) == 4
