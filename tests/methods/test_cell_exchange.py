"""Cells that change places: counts stay, groups stay, and two-way tables keep to their budget."""

from __future__ import annotations

import numpy as np
import pytest

from tokumei.methods import exchange_pairs, exchange_to_budget, permute_within


def test_exchanges_keep_every_column_and_permutations_every_group() -> None:
    rng = np.random.default_rng(1)
    rows, groups = rng.integers(5, size=(80, 3)), rng.integers(4, size=80)
    made = exchange_pairs(rows, 200, rng)
    assert (np.sort(made, axis=0) == np.sort(rows, axis=0)).all()
    assert (made != rows).any()
    moved = permute_within(rows, groups, rng)
    for group in range(4):
        own = groups == group
        assert sorted(map(tuple, moved[own])) == sorted(map(tuple, rows[own]))


@pytest.mark.parametrize("allowed", [20.0, 60.0])
def test_two_way_tables_change_by_what_is_allowed(allowed: float) -> None:
    rng = np.random.default_rng(2)
    known = rng.integers(4, size=200)
    truth = np.stack([(known + rng.integers(2, size=200)) % 5 for _ in range(3)], axis=1)
    together = ~np.eye(3, dtype=bool)
    made = exchange_to_budget(truth, [known], together, allowed=allowed, tries=200, rng=np.random.default_rng(3))
    assert (np.sort(made, axis=0) == np.sort(truth, axis=0)).all()

    def change(first: int, second: int) -> int:
        before, after = (
            np.bincount((known if first < 0 else rows[:, first]) * 5 + rows[:, second], minlength=25)
            for rows in (truth, made)
        )
        return int(np.abs(before - after).sum())

    changes = [change(first, second) for second in range(3) for first in range(-1, second)]
    assert max(changes) <= allowed
    assert max(changes) > allowed / 2


def test_columns_without_any_table_are_only_permuted() -> None:
    truth = np.arange(12).reshape(6, 2) % 3
    nothing = np.zeros((2, 2), dtype=bool)
    made = exchange_to_budget(truth, [], nothing, allowed=0.0, tries=5, rng=np.random.default_rng(4))
    assert (np.sort(made, axis=0) == np.sort(truth, axis=0)).all()
