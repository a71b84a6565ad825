"""Exact posteriors of narrow components, against all subsets and against counts that are known."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tokumei.array_types import Bools, Ints
from tokumei.attacks.matching.frontier import MOST_ROWS, sweep
from tokumei.attacks.matching.posteriors import exact_marginals


def layout(matrix: Bools) -> tuple[Ints, Ints]:
    return np.concatenate(([0], np.cumsum(matrix.sum(axis=1)))), np.nonzero(matrix)[1]


@pytest.mark.half_second
def test_marginals_are_those_of_all_subsets() -> None:
    rng = np.random.default_rng(1)
    for _ in range(150):
        size = int(rng.integers(1, 12))
        matrix = rng.random((size, size)) < 0.35
        matrix[np.arange(size), rng.permutation(size)] = True
        weights = np.where(matrix, rng.uniform(0.2, 3.0, (size, size)), 0.0)
        expected, permanent = exact_marginals(weights)
        swept = sweep(*layout(matrix), weights[matrix])
        assert swept is not None
        assert swept.marginals() == pytest.approx(expected[matrix], abs=1e-12)
        assert swept.log_count == pytest.approx(permanent, abs=1e-9)


def test_draws_are_matchings_as_probable_as_they_should_be() -> None:
    rng = np.random.default_rng(2)
    matrix = (rng.random((9, 9)) < 0.4) | np.eye(9, dtype=bool)
    weights = rng.uniform(0.2, 3.0, int(matrix.sum()))
    starts, columns = layout(matrix)
    swept = sweep(starts, columns, weights)
    assert swept is not None
    drawn = swept.draws(20_000, rng)
    assert (np.sort(columns[drawn], axis=1) == np.arange(9)).all()
    assert (np.searchsorted(starts, drawn, side="right") - 1 == np.arange(9)).all()
    share = np.bincount(drawn.ravel(), minlength=len(columns)) / len(drawn)
    assert share == pytest.approx(swept.marginals(), abs=0.02)


def test_blocks_joined_by_two_links_are_counted() -> None:
    """Forty blocks of four, neighbours joined both ways: an exchange over a joint leaves 3! x 3! ways on its sides."""
    size = 160
    matrix = np.kron(np.eye(size // 4), np.ones((4, 4))).astype(bool)
    for joint in range(4, size, 4):
        matrix[joint - 1, joint] = matrix[joint, joint - 1] = True
    swept = sweep(*layout(matrix))
    assert swept is not None
    # ways[b]: blocks 0..b done; an exchange costs both blocks a member: 4! becomes 3! or, with one on each side, 2!.
    plain, joined = [24.0], [6.0]
    for _ in range(39):
        plain.append(24 * plain[-1] + 6 * joined[-1])
        joined.append(6 * plain[-2] + 2 * joined[-1])
    assert swept.log_count == pytest.approx(float(np.log(plain[-1])))


@pytest.mark.half_second
def test_what_is_too_wide_too_long_or_too_late_is_left_to_chains() -> None:
    assert sweep(*layout(np.ones((30, 30), dtype=bool))) is None
    long = np.eye(MOST_ROWS + 1, dtype=bool)
    assert sweep(*layout(long)) is None
    assert sweep(*layout(np.ones((4, 4), dtype=bool)), deadline=time.monotonic() - 1) is None


def test_without_a_perfect_matching_it_says_so() -> None:
    matrix = np.array([[True, False], [True, False]])
    with pytest.raises(ValueError, match="the component has no perfect matching"):
        sweep(*layout(matrix))
