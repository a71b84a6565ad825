"""Concealment by assignment: cost against pairing, cycles, orientation, what is published."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tests.methods.concealment.test_concealment import random_history
from tokumei.array_types import Floats, Ints
from tokumei.attacks.matching.consistency import consistency_graph
from tokumei.attacks.matching.matchings import find_matches
from tokumei.errors import InfeasibleError
from tokumei.methods.concealment.by_assignment import (
    KConcealmentByAssignment,
    cut_cycles,
    cycles_of,
    disjoint_permutations,
    turn_cycles,
)
from tokumei.methods.concealment.hulls import pair_cost_matrix
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.metrics.cell_error import CellError

RNG = np.random.default_rng


def random_costs(count: int, seed: int) -> Floats:
    points = RNG(seed).random((count, 2))
    return np.linalg.norm(points[:, None] - points[None, :], axis=2)


def cheapest_pairing(cost: Floats, left: tuple[int, ...]) -> float:
    if not left:
        return 0.0
    first, rest = left[0], left[1:]
    return min(
        cost[first, other] + cheapest_pairing(cost, tuple(one for one in rest if one != other)) for other in rest
    )


def cost_of(cost: Floats, permutation: Ints) -> float:
    """Return the loss of the hulls {j, s(j)}: half the pair cost each."""
    return float(cost[np.arange(len(cost)), permutation].sum()) / 2


def test_assignment_is_never_dearer_than_the_best_pairing() -> None:
    """On 200 small instances, also after even cycles were cut; and it is the cheapest derangement (n <= 6)."""
    for seed in range(200):
        _check_against_the_best_pairing(seed)


def _check_against_the_best_pairing(seed: int) -> None:
    count = 2 * (1 + seed % 4)
    cost = random_costs(count, seed)
    found = cut_cycles(disjoint_permutations(cost, 1)[0], cost)
    assert (found != np.arange(count)).all()
    assert cost_of(cost, found) <= cheapest_pairing(cost, tuple(range(count))) + 1e-9
    if count <= 6:
        best = min(
            cost_of(cost, np.array(order))
            for order in permutations(range(count))
            if all(place != image for place, image in enumerate(order))
        )
        assert cost_of(cost, found) == pytest.approx(best)


def test_real_costs_of_histories_are_never_dearer_than_the_best_pairing() -> None:
    for seed in range(10):
        table = RecordTable.from_history(random_history(6, 4, seed))
        cost = pair_cost_matrix(table, per_unit=10, limit=100)
        assert cost_of(cost, disjoint_permutations(cost, 1)[0]) <= cheapest_pairing(cost, tuple(range(6))) + 1e-9


@given(st.integers(3, 30), st.sampled_from([3, 5]), st.integers(0, 1000))
def test_cycles_are_cut_to_the_limit(count: int, longest: int, seed: int) -> None:
    cost = random_costs(count, seed)
    whole = np.roll(RNG(seed).permutation(count), 1)
    whole = whole if (whole != np.arange(count)).all() else np.roll(np.arange(count), 1)
    lengths = {len(cycle) for cycle in cycles_of(cut_cycles(whole, cost, longest))}
    assert lengths <= {2, 3, 5}
    assert max(lengths) <= longest


def test_an_even_cycle_becomes_its_better_pairing() -> None:
    cost = np.array([[0.0, 1, 9, 5], [1, 0, 5, 9], [9, 5, 0, 1], [5, 9, 1, 0]])
    assert cut_cycles(np.array([1, 2, 3, 0]), cost).tolist() == [1, 0, 3, 2]


def test_permutations_are_disjoint_and_without_fixed_points() -> None:
    found = disjoint_permutations(random_costs(7, 1), 6)
    columns = np.concatenate((np.arange(7)[None, :], found))
    assert all(sorted(column) == list(range(7)) for column in columns.T)
    with pytest.raises(ValueError, match="3 elements have no 3 such permutations"):
        disjoint_permutations(np.zeros((3, 3)), 3)


def test_the_direction_of_a_cycle_is_one_fair_coin() -> None:
    permutation = np.array([1, 2, 0, 4, 3])
    rng = RNG(1)
    turned = np.array([turn_cycles(permutation, rng=rng) for _ in range(400)])
    same = (turned == np.arange(5)).astype(int)
    assert (same[:, :3].min(axis=1) == same[:, :3].max(axis=1)).all()
    assert abs(same[:, 0].mean() - 0.5) < 0.125
    assert abs(same[:, 3].mean() - 0.5) < 0.125


@settings(max_examples=examples(15))
@given(st.integers(3, 9), st.integers(2, 3), st.integers(0, 999))
def test_everybody_fits_k_pseudonyms(subjects: int, k: int, seed: int) -> None:
    history = random_history(subjects, 4, seed)
    release, secret = KConcealmentByAssignment(k=k).anonymize(history, rng=RNG(seed))
    for spec in history.schema.fields:
        assert release.cells[spec.name].contains(history.codes[spec.name][secret.rows]).all()
    assert secret.owners["subject"].sort().to_list() == history.subjects.to_list()
    named = dict(secret.owners.iter_rows())
    assert [named[one] for one in release.pseudonyms] == history.subjects.gather(history.subject[secret.rows]).to_list()
    assert find_matches(consistency_graph(history, release).graph).graph.subject_degrees().min() >= k


def test_loss_is_that_of_the_assignment_for_either_direction() -> None:
    """Cost / (records x columns) is the utility U, whatever the coins."""
    history = random_history(7, 4, 3)
    table = RecordTable.from_history(history)
    cost = pair_cost_matrix(table, per_unit=10, limit=100)
    permutation = cut_cycles(disjoint_permutations(cost, 1)[0], cost, 3)
    expected = cost_of(cost, permutation) / (3 * len(history))
    for seed in range(4):
        result = KConcealmentByAssignment().anonymize(history, rng=RNG(seed))
        assert CellError().measure(history, *result).value == pytest.approx(expected)


def test_blocks_and_threads_change_nothing_that_matters() -> None:
    history = random_history(40, 3, 8)
    one = KConcealmentByAssignment(threads=1).anonymize(history, rng=RNG(2))[0]
    two = KConcealmentByAssignment(threads=2).anonymize(history, rng=RNG(2))[0]
    assert one.text().equals(two.text())
    release, _ = KConcealmentByAssignment(block=10).anonymize(history, rng=RNG(2))
    assert release.pseudonyms.n_unique() == 40


def test_one_subject_cannot_be_hidden() -> None:
    with pytest.raises(InfeasibleError, match="'k-concealment-assignment' needs at least k = 2 subjects"):
        KConcealmentByAssignment().anonymize(random_history(1, 3, 1), rng=RNG(1))
