"""Dependent rounding: perfect matchings, and the probability of every link exact."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.array_types import Ints
from tokumei.methods.concealment import dependent_rounding
from tokumei.methods.concealment.dependent_rounding import draw_matching


def circulant(count: int, k: int) -> tuple[Ints, Ints]:
    """Return the k-regular design in which hull j fits j, j + 1, ..., j + k - 1."""
    row = np.repeat(np.arange(count), k)
    return row, (row + np.tile(np.arange(k), count)) % count


def random_design(count: int, k: int, seed: int) -> tuple[Ints, Ints]:
    """Return k disjoint permutations, found by trying."""
    rng = np.random.default_rng(seed)
    rows: list[Ints] = []
    while len(rows) < k:
        drawn = rng.permutation(count)
        if all((drawn != other).all() for other in rows):
            rows.append(drawn)
    return np.tile(np.arange(count), k), np.concatenate(rows)


class Script:
    """A generator that replays choices and remembers how many there were at each."""

    def __init__(self, choices: list[int]) -> None:
        self.choices = choices
        self.sizes: list[int] = []

    def integers(self, low: int, high: int) -> int:
        """Return the next choice of the script, the first one after its end."""
        self.sizes.append(int(high - low))
        position = len(self.sizes) - 1
        return low + (self.choices[position] if position < len(self.choices) else 0)


def exact_probabilities(row: Ints, column: Ints, weight: Ints, monkeypatch: pytest.MonkeyPatch) -> list[Fraction]:
    """Return the probability of every link by playing through all random choices."""
    for name in ("_step", "_shift", "round_weights"):
        monkeypatch.setattr(dependent_rounding, name, getattr(dependent_rounding, name).py_func)
    found = [Fraction(0)] * len(row)
    choices: list[int] | None = []
    while choices is not None:
        script: Any = Script(choices)
        held = draw_matching(row, column, weight, rng=script)
        chance = Fraction(1)
        for size in script.sizes:
            chance /= size
        found = [value + chance * int(in_it) for value, in_it in zip(found, held, strict=True)]
        choices = following(choices, script.sizes)
    return found


def following(choices: list[int], sizes: list[int]) -> list[int] | None:
    """Return the next sequence of choices in the order of the tree, None after the last."""
    played = [*choices, *[0] * (len(sizes) - len(choices))]
    while played and played[-1] + 1 >= sizes[len(played) - 1]:
        played.pop()
    if not played:
        return None
    return [*played[:-1], played[-1] + 1]


@pytest.mark.parametrize(
    ("row", "column", "weight"),
    [
        (*circulant(2, 2), np.ones(4, dtype=np.int64)),
        (*circulant(3, 2), np.ones(6, dtype=np.int64)),
        (*circulant(5, 2), np.ones(10, dtype=np.int64)),
        pytest.param(*circulant(3, 3), np.ones(9, dtype=np.int64), marks=pytest.mark.slow),
        (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([1, 3, 3, 1])),
        (np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 1, 2, 0, 1, 1, 2]), np.array([1, 1, 2, 3, 1, 2, 2])),
    ],
)
def test_every_link_has_exactly_its_probability(
    row: Ints, column: Ints, weight: Ints, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All random choices are played through with exact fractions: no tolerance."""
    total = int(weight[row == 0].sum())
    assert exact_probabilities(row, column, weight, monkeypatch) == [Fraction(int(one), total) for one in weight]


@given(st.integers(3, 30), st.integers(2, 4), st.integers(0, 1000))
def test_what_is_drawn_is_a_perfect_matching(count: int, k: int, seed: int) -> None:
    row, column = circulant(max(count, k), k)
    held = draw_matching(row, column, np.ones(len(row), dtype=np.int64), rng=np.random.default_rng(seed))
    assert sorted(row[held]) == list(range(max(count, k)))
    assert sorted(column[held]) == list(range(max(count, k)))


@pytest.mark.half_second
@pytest.mark.parametrize(("count", "k"), [(9, 3), (12, 4), (40, 3)])
def test_large_designs_keep_their_probabilities(count: int, k: int) -> None:
    """2,000 draws: no link is farther from 1/k than five standard deviations."""
    row, column = random_design(count, k, seed=count)
    rng = np.random.default_rng(7)
    ones = np.ones(len(row), dtype=np.int64)
    share = np.mean([draw_matching(row, column, ones, rng=rng) for _ in range(2000)], axis=0)
    assert np.abs(share - 1 / k).max() < 5 * np.sqrt((1 - 1 / k) / k / 2000)


def test_unequal_sums_are_refused_and_nothing_gives_nothing() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="the same sum at every row and every column"):
        draw_matching([0, 0, 1], [0, 1, 1], [1, 1, 1], rng=rng)
    assert len(draw_matching([], [], [], rng=rng)) == 0
