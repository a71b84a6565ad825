"""Posteriors against the enumeration of all perfect matchings, and the chain against the exact computation."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.attacks.matching.test_matchings import all_matchings, graph_of, square_graphs
from tests.effort import examples
from tokumei.array_types import Bools
from tokumei.attacks.matching import posteriors
from tokumei.attacks.matching.matchings import find_matches
from tokumei.attacks.matching.posteriors import Effort, exact_marginals, posterior


@given(square_graphs(6), st.integers(0, 2**20))
@settings(max_examples=examples(100))
def test_exact_marginals_equal_enumeration(matrix: Bools, seed: int) -> None:
    weights = np.where(matrix, np.random.default_rng(seed).uniform(0.1, 3.0, size=matrix.shape), 0.0)
    worlds = all_matchings(matrix)
    if not worlds:
        with pytest.raises(ValueError, match="perfect matching"):
            exact_marginals(weights)
        return
    rows = np.arange(len(matrix))
    mass = np.array([weights[rows, list(order)].prod() for order in worlds])
    expected = np.zeros(matrix.shape)
    for order, amount in zip(worlds, mass, strict=True):
        expected[rows, list(order)] += amount / mass.sum()
    marginals, log_permanent = exact_marginals(weights)
    assert marginals == pytest.approx(expected, abs=1e-12)
    assert log_permanent == pytest.approx(log(mass.sum()))


@given(square_graphs(6))
@settings(max_examples=examples(60))
def test_posterior_of_a_graph_equals_enumeration(matrix: Bools) -> None:
    worlds = all_matchings(matrix)
    if not worlds:
        return
    found = posterior(find_matches(graph_of(matrix)), rng=np.random.default_rng(0))
    for pseudonym, subject, probability in zip(
        found.graph.pseudonym, found.graph.subject, found.probability, strict=True
    ):
        share = np.mean([order[pseudonym] == subject for order in worlds])
        assert probability == pytest.approx(share, abs=1e-12)
    assert np.exp(found.log_matchings.sum()) == pytest.approx(len(worlds))


def _cycle(size: int) -> Bools:
    return np.eye(size, dtype=bool) | np.roll(np.eye(size, dtype=bool), 1, axis=1)


def _star(size: int) -> Bools:
    matrix = np.eye(size, dtype=bool)
    matrix[0], matrix[:, 0] = True, True
    return matrix


def _random(size: int, seed: int) -> Bools:
    chosen = np.random.default_rng(seed).random((size, size)) < 0.25
    return chosen | _cycle(size)


@pytest.mark.half_second
@pytest.mark.parametrize(
    "matrix",
    [_cycle(18), _star(16), _random(12, 1), _random(15, 2), _random(18, 3)],
    ids=["cycle18", "star16", "random12", "random15", "random18"],
)
def test_the_chain_agrees_with_the_exact_posterior(matrix: Bools) -> None:
    """A long cycle too: a chain of exchanges of two links could not turn it."""
    matches = find_matches(graph_of(matrix))
    exact = posterior(matches, rng=np.random.default_rng(0))
    sampled = posterior(matches, rng=np.random.default_rng(1), exact_size=1, effort=Effort(steps=4_000_000))
    assert sampled.sampled == 1
    assert np.abs(sampled.probability - exact.probability).max() < 0.02
    assert sampled.difference < 0.02


def test_the_chain_follows_weights() -> None:
    matrix = _random(12, 5)
    matches = find_matches(graph_of(matrix))
    weights = np.random.default_rng(6).uniform(0.2, 2.0, size=len(matches.graph))
    exact = posterior(matches, rng=np.random.default_rng(0), weights=weights)
    sampled = posterior(
        matches, rng=np.random.default_rng(1), weights=weights, exact_size=1, effort=Effort(steps=4_000_000)
    )
    assert np.abs(sampled.probability - exact.probability).max() < 0.02


def test_a_star_leaves_its_leaves_almost_certain() -> None:
    """A hub with L leaves has L + 1 perfect matchings; a leaf keeps its owner in L of them (research notes, part 1)."""
    found = posterior(find_matches(graph_of(_star(10))), rng=np.random.default_rng(0))
    assert found.of_pairs(np.arange(1, 10), np.arange(1, 10)) == pytest.approx(np.full(9, 0.9))
    assert found.largest()[0] == pytest.approx(0.1)


def test_worlds_of_a_complete_component_are_permutations_that_need_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups that grids made large took seconds each: all ways to match them were begun, and given up."""
    monkeypatch.setattr(posteriors, "sweep", pytest.fail)
    size = 40
    matches = find_matches(graph_of(np.ones((size, size), dtype=bool)))
    samples = posteriors.sample_matchings(
        matches, posterior(matches, rng=np.random.default_rng(0)), rng=np.random.default_rng(1), count=200
    )[0]
    assert samples.shape == (200, size)
    pseudonyms, subjects = matches.graph.pseudonym[samples], matches.graph.subject[samples]
    assert (np.sort(pseudonyms, axis=1) == np.arange(size)).all()
    assert (np.sort(subjects, axis=1) == np.arange(size)).all()
    assert len(np.unique(subjects, axis=0)) == 200
