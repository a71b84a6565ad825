"""Which value of a range each record of a row has, by what is known from the rest of the release."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tokumei.attacks.ladder.range_posteriors import RangeGuesses, range_posteriors
from tokumei.attacks.ladder.range_values import Ties, values_in_ranges


def test_goods_get_their_own_price_at_the_ends_and_between_them() -> None:
    """Every good has one price, and three are bought in every row: the middle one stands in no range of its row."""
    rng = np.random.default_rng(4)
    price = np.array([100, 250, 300, 475, 500, 820])
    goods = np.stack([rng.permutation(6)[:3] for _ in range(80)])
    paid = price[goods]
    low, high = (np.repeat(ends, 3) for ends in (paid.min(axis=1), paid.max(axis=1)))
    row, category = np.repeat(np.arange(80), 3), goods.ravel()
    tied = Ties(row, category, category, np.zeros(240, dtype=np.int64))
    guessed = values_in_ranges(low, high, np.zeros(240, dtype=np.bool_), tied, by_class=False)
    assert (guessed == paid.ravel()).mean() > 0.9
    assert np.array_equal(guessed.reshape(80, 3).min(axis=1), paid.min(axis=1))
    assert np.array_equal(guessed.reshape(80, 3).max(axis=1), paid.max(axis=1))


def test_a_middle_day_is_one_that_the_class_shows_elsewhere() -> None:
    """The day 20 is the commonest of the first class, 25 of the second: who is at no end came then."""
    low, high = np.array([10, 20, 20, 10, 10, 10, 25, 25, 10, 10]), np.array([20, 30, 30, 20, 30, 25, 30, 30, 25, 30])
    row, number, nothing = np.repeat(np.arange(10), 3), np.repeat([0, 1], 15), np.zeros(30, dtype=np.int64)
    ends = (np.repeat(low, 3), np.repeat(high, 3), np.zeros(30, dtype=np.bool_))
    guessed = values_in_ranges(*ends, Ties(row, nothing, nothing, number), by_class=True).reshape(10, 3)
    assert np.array_equal(np.sort(guessed[4]), [10, 20, 30])
    assert np.array_equal(np.sort(guessed[9]), [10, 25, 30])


def test_ranges_of_one_value_and_rows_of_one_record() -> None:
    low, high = np.array([7, 7, 3]), np.array([7, 7, 9])
    row, nothing = np.array([0, 0, 1]), np.zeros(3, dtype=np.int64)
    tied, shown = Ties(row, nothing, nothing, nothing), np.zeros(3, dtype=np.bool_)
    guessed = values_in_ranges(low, high, shown, tied, by_class=True)
    assert guessed[:2].tolist() == [7, 7]
    assert guessed[2] in (3, 7, 9)
    empty = np.empty(0, dtype=np.int64)
    none = Ties(empty, empty, empty, empty)
    assert len(values_in_ranges(empty, empty, empty.astype(np.bool_), none, by_class=True)) == 0


def test_a_hidden_price_is_that_of_the_goods_elsewhere() -> None:
    price = np.array([100, 250, 300])
    goods = np.tile([0, 1, 2], 5)
    ends, hidden = price[goods], np.arange(15) == 13
    shown = np.where(hidden, 0, ends)
    nothing = np.zeros(15, dtype=np.int64)
    tied = Ties(np.arange(15), goods, goods, nothing)
    guessed = values_in_ranges(shown, shown, hidden, tied, by_class=False)
    assert np.array_equal(guessed, ends)


def test_kindred_goods_of_a_class_come_on_one_day() -> None:
    """Two visits: goods 0 to 3 on day 10, their kin 4 to 7 on day 20; rows show a pair of days and of goods."""
    goods = np.array([0, 4, 1, 5, 2, 6, 3, 7, 0, 1])
    low, high = np.repeat([10, 10, 10, 10, 10], 2), np.repeat([20, 20, 20, 20, 10], 2)
    tied = Ties(np.repeat(np.arange(5), 2), goods, goods // 4, np.zeros(10, dtype=np.int64))
    guessed = values_in_ranges(low, high, np.zeros(10, dtype=np.bool_), tied, by_class=True)
    assert guessed.tolist() == [10, 20, 10, 20, 10, 20, 10, 20, 10, 10]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_probabilities_are_those_of_all_ways_to_hold_both_ends(size: int) -> None:
    """One row whose range is 0 to 4, and values of known frequency: every way to give them out is counted."""
    usual = np.array([0.3, 0.1, 0.2, 0.15, 0.25, 0.0])
    everybody, nothing = np.arange(size), np.zeros(size, dtype=np.int64)
    guesses = RangeGuesses(
        rows=np.array([0, size]),
        blocks=np.array([0, 1]),
        low=nothing,
        high=nothing + 4,
        begin=nothing + 1,
        end=nothing + 4,
        hidden=np.zeros(size, dtype=np.bool_),
        category=everybody,
        coarse=nothing,
        fine=everybody,
        places=np.arange(size + 1) * 5,
        portion=1.0,
    )
    found = range_posteriors(guesses, usual, np.array([size]), 1).reshape(size, 5)
    expected = np.zeros((size, 5))
    for values in product(range(5), repeat=size):
        if size == 1 or (min(values) == 0 and max(values) == 4):
            expected[everybody, list(values)] += np.prod(usual[list(values)])
    expected /= expected.sum(axis=1, keepdims=True)
    assert found[:, [0, 2, 3, 4, 1]] == pytest.approx(expected, abs=1e-6)


def test_records_of_one_category_have_both_ends() -> None:
    """Two members bought the same: nothing tells who has which end, but one has each."""
    nothing = np.zeros(2, dtype=np.int64)
    tied = Ties(nothing, nothing, nothing, nothing)
    guessed = values_in_ranges(nothing + 3, nothing + 9, np.zeros(2, dtype=np.bool_), tied, by_class=True)
    assert sorted(guessed.tolist()) == [3, 9]


def test_a_middle_price_is_where_all_ranges_of_the_goods_meet() -> None:
    """Goods 9 stand between others in every row: only 40 lies in all their ranges and is a price of anything."""
    pairs = [(10, 40, 50), (40, 40, 80), (20, 40, 45), (35, 40, 90), (40, 40, 40), (30, 40, 60)]
    others = [(1, 5), (9, 8), (2, 4), (3, 7), (9, 9), (6, 10)]
    low, high = (np.repeat([pair[end] for pair in pairs], 3) for end in (0, 2))
    goods = np.array([[one, 9, other] for one, other in others]).ravel()
    tied = Ties(np.repeat(np.arange(6), 3), goods, goods, np.zeros(18, dtype=np.int64))
    guessed = values_in_ranges(low, high, np.zeros(18, dtype=np.bool_), tied, by_class=False).reshape(6, 3)
    assert (guessed[:, 1] == 40).all()


def test_rare_values_are_tried_at_the_ends_of_their_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more values than are kept the rare ones stand for each other, and an end is still a value of its row."""
    monkeypatch.setattr("tokumei.attacks.ladder.range_values.MOST_VALUES", 2)
    low, high = np.array([1, 1, 50, 50, 1, 1, 7, 7]), np.array([50, 50, 90, 90, 1, 1, 61, 61])
    nothing = np.zeros(8, dtype=np.int64)
    tied = Ties(np.repeat(np.arange(4), 2), np.array([0, 1, 0, 1, 0, 0, 2, 3]), nothing, nothing)
    guessed = values_in_ranges(low, high, np.zeros(8, dtype=np.bool_), tied, by_class=False)
    assert set(guessed[6:].tolist()) <= {7, 61, 50}
    assert guessed[:2].tolist() == [1, 50]
