"""Swapping of values between records of similar rank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.methods.mixed_histories import category_history, mixed_history, number_history, published, run
from tokumei.errors import ParameterError
from tokumei.methods.swapping import Swapping, swapped


@given(count=st.integers(0, 60), share=st.floats(0, 1), width=st.integers(1, 70), seed=st.integers(0, 1000))
def test_values_change_places_in_pairs_within_the_limit(count: int, share: float, width: int, seed: int) -> None:
    values = np.random.default_rng(seed).permutation(count)
    result = swapped(values, share=share, width=width, rng=np.random.default_rng(seed + 1))
    assert sorted(result) == list(range(count))
    # Distinct values 0..n-1 are their own ranks; a pair that exchanged them is undone by exchanging again.
    partner = np.empty(count, dtype=np.int64)
    partner[values] = result
    assert (partner[partner] == np.arange(count)).all()
    assert (np.abs(partner - np.arange(count)) < width).all()
    assert (result != values).sum() <= round(share * count)


def test_every_value_moves_if_all_are_drawn_and_none_is_left_over() -> None:
    values = np.arange(1000)
    result = swapped(values, share=1.0, width=1000, rng=np.random.default_rng(0))
    moved = result != values
    # A cut at a random rank makes two blocks; each may leave one value behind.
    assert moved.sum() >= 998


def test_every_column_keeps_its_values() -> None:
    history = mixed_history(200)
    release, secret = run(Swapping(share=1.0), history)
    for name, codes in history.codes.items():
        before = history.cells(name)
        assert sorted(map(tuple, np.transpose(release.cells[name].sort_keys()))) == sorted(
            map(tuple, np.transpose(before.sort_keys()))
        )
        assert len(codes) == len(secret.rows)


def test_only_the_named_columns_change() -> None:
    history = mixed_history(200, missing=False)
    release, secret = run(Swapping(share=1.0, columns="price=1"), history)
    for name in history.codes:
        unchanged = release.cells[name].equals(history.cells(name).take(secret.rows))  # type: ignore[arg-type]
        assert unchanged.all() == (name != "price")


def test_ranks_limit_the_distance() -> None:
    amounts: list[float | None] = [float(number) for number in range(100)]
    history = number_history([str(number) for number in range(100)], amounts)
    values = [int(text) for text in published(Swapping(share=1.0, columns="amount=0.03"), history, "amount")]
    distance = np.abs(np.array(values) - np.arange(100))
    assert distance.max() <= 3
    assert (distance > 0).mean() > 0.7


@pytest.mark.half_second
def test_two_records_exchange_their_values() -> None:
    """With a limit of one rank the cut falls between the two in half of the cases."""
    history = number_history(["a", "b"], [1, 2])
    results = [tuple(published(Swapping(share=1.0), history, "amount", seed)) for seed in range(200)]
    assert set(results) == {("1", "2"), ("2", "1")}
    assert results.count(("2", "1")) / 200 == pytest.approx(0.5, abs=0.12)


def test_a_category_has_no_ranks() -> None:
    history = category_history(["a", "b"], ["x", "y"])
    with pytest.raises(
        ParameterError,
        match=r"'columns' of 'swapping' must be 1 for the category 'goods', which has no ranks, got '0.5'",
    ):
        run(Swapping(columns="goods=0.5"), history)
    assert sorted(published(Swapping(share=1.0, columns="goods=1"), history, "goods")) == ["x", "y"]


@pytest.mark.parametrize("text", ["0", "1.1", "-1", "x", "nan"])
def test_a_distance_outside_its_limits_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=f"must be above 0 and at most 1 for the column 'amount', got '{text}'"):
        run(Swapping(columns=f"amount={text}"), number_history(["a", "b"], [1, 2]))
