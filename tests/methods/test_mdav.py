"""MDAV groups against a plain implementation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.methods.mdav import mdav_groups


def plain_mdav(points: Sequence[tuple[int, ...]], k: int) -> list[int]:
    """Return the groups, step by step as the paper says, on Python lists with whole-number coordinates."""
    labels = [-1] * len(points)
    left = list(range(len(points)))
    label = 0

    def gap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
        return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))

    def close(center: int) -> None:
        nonlocal label
        order = sorted(left, key=lambda place: (place != center, gap(points[place], points[center]), place))
        for place in order[:k]:
            labels[place] = label
            left.remove(place)
        label += 1

    while len(left) >= 2 * k:
        double = len(left) >= 3 * k
        # Sums instead of means keep whole numbers exact: distances from the mean, scaled by the number of points.
        total = [sum(points[place][line] for place in left) for line in range(len(points[0]))]
        scaled = {place: tuple(len(left) * value for value in points[place]) for place in left}
        first = max(left, key=lambda place: (gap(scaled[place], tuple(total)), -place))
        close(first)
        if double:
            close(max(left, key=lambda place: (gap(points[place], points[first]), -place)))
    for place in left:
        labels[place] = label
    return labels


@given(points=st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=16), k=st.integers(2, 4))
def test_groups_are_those_of_the_plain_algorithm(points: list[tuple[int, int]], k: int) -> None:
    count = len(points)
    # Coordinates times the least common multiple of 1 to 16 make every mean a whole number, hence every tie exact.
    exact = [(720_720 * a, 720_720 * b) for a, b in points]
    groups = mdav_groups(np.array(exact, dtype=np.float64).T, k).tolist()
    assert groups == plain_mdav(exact, k)
    sizes = np.bincount(groups)
    if count >= k:
        assert sizes.min() >= k
        assert sizes.max() < 2 * k


def test_a_worked_example() -> None:
    """Mean 5: 0 and 10 are equally far, the first one starts; then 10, the farthest from 0; 5 and 6 are left over."""
    values = np.array([[0.0, 1.0, 5.0, 10.0, 8.0, 6.0]])
    assert mdav_groups(values, 2).tolist() == [0, 0, 2, 1, 1, 2]


def test_the_points_are_left_as_they_were() -> None:
    points = np.arange(20.0).reshape(2, 10)
    mdav_groups(points, 3)
    assert (points == np.arange(20.0).reshape(2, 10)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 50])
def test_equal_points_are_grouped_all_the_same(count: int) -> None:
    sizes = np.bincount(mdav_groups(np.zeros((3, count)), 2))
    assert sizes.sum() == count
    if count >= 2:
        assert set(sizes) <= {2, 3}
