"""Edge covers against every subset of pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.array_types import Floats, Ints
from tokumei.methods.concealment.edge_cover import cover_cost, edge_cover, greedy_cover, neighbour_graph

TABLE_9 = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]])


def cheapest_by_hand(cost: Floats, least: int) -> float:
    """Grow covers pair by pair with branch and bound; slow and plain."""
    count = len(cost)
    pairs = sorted(combinations(range(count), 2), key=lambda pair: cost[pair])
    best = float("inf")

    def grow(position: int, need: tuple[int, ...], paid: float) -> None:
        nonlocal best
        if paid >= best:
            return
        if max(need) <= 0:
            best = paid
            return
        lacking = next(vertex for vertex in range(count) if need[vertex] > 0)
        for index, (u, v) in enumerate(pairs):
            if lacking in (u, v) and not position >> index & 1:
                less = tuple(value - (vertex in (u, v)) for vertex, value in enumerate(need))
                grow(position | 1 << index, less, paid + float(cost[u, v]))

    grow(0, (least,) * count, 0.0)
    return best


def random_costs(count: int, seed: int, *, coarse: bool = False) -> Floats:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (count, 2)).astype(float) if coarse else rng.random((count, 2))
    return np.linalg.norm(points[:, None] - points[None, :], axis=2)


def partners(pairs: Ints, count: int) -> Ints:
    return np.bincount(pairs.ravel(), minlength=count)


def test_the_minimum_symmetric_graph_of_table_9_is_figure_6() -> None:
    """Alice-Bob and Bob-Carol, cost 5 (spec C.4)."""
    assert edge_cover(TABLE_9).tolist() == [[0, 1], [1, 2]]
    assert cover_cost(TABLE_9, edge_cover(TABLE_9)) == 5.0


@settings(max_examples=examples(40))
@given(st.integers(2, 8), st.integers(0, 10_000), st.integers(0, 1))
def test_covers_by_matching_are_cheapest(count: int, seed: int, coarse: int) -> None:
    cost = random_costs(count, seed, coarse=bool(coarse))
    pairs = edge_cover(cost)
    assert partners(pairs, count).min() >= 1
    assert cover_cost(cost, pairs) == pytest.approx(cheapest_by_hand(cost, 1))


@settings(max_examples=examples(20))
@given(st.integers(4, 6), st.integers(2, 2), st.integers(0, 10_000))
def test_covers_with_more_partners_are_cheapest(count: int, least: int, seed: int) -> None:
    cost = random_costs(count, seed)
    pairs = edge_cover(cost, least)
    assert partners(pairs, count).min() >= least
    assert cover_cost(cost, pairs) == pytest.approx(cheapest_by_hand(cost, least))


@settings(max_examples=examples(30))
@given(st.integers(4, 9), st.integers(1, 3), st.integers(0, 10_000))
def test_greedy_graphs_cover_and_are_never_cheaper(count: int, least: int, seed: int) -> None:
    cost = random_costs(count, seed)
    best = cover_cost(cost, edge_cover(cost, least))
    for graph in (greedy_cover(cost, least), neighbour_graph(cost, least)):
        assert partners(graph, count).min() >= least
        assert cover_cost(cost, graph) >= best - 1e-9


def test_the_neighbour_graph_joins_everybody_to_the_nearest() -> None:
    cost = np.abs(np.subtract.outer([0.0, 1.0, 3.0, 3.5], [0.0, 1.0, 3.0, 3.5]))
    assert neighbour_graph(cost).tolist() == [[0, 1], [2, 3]]
    assert neighbour_graph(cost, 2).tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]


@pytest.mark.parametrize("least", [1, 2])
def test_identical_vertices_do_not_all_hang_on_one(least: int) -> None:
    """Pairs among equals cost nothing: as few as possible are taken, nobody becomes a hub."""
    pairs = edge_cover(np.zeros((8, 8)), least)
    assert partners(pairs, 8).min() >= least
    assert partners(pairs, 8).max() <= 2 * least
    assert len(pairs) <= 4 * least + 2


def test_too_few_vertices_and_bad_costs_are_refused() -> None:
    with pytest.raises(ValueError, match="2 vertices cannot have 2 partners each"):
        edge_cover(np.zeros((2, 2)), 2)
    with pytest.raises(ValueError, match="symmetric and not negative"):
        edge_cover(np.array([[0.0, 1.0], [2.0, 0.0]]))
