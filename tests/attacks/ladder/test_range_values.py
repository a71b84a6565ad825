"""Which value of a range each record of a row has, by what is known from the rest of the release."""

from __future__ import annotations

import numpy as np

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
    guessed = values_in_ranges(low, high, np.zeros(240, dtype=np.bool_), tied, rng=rng)
    assert (guessed == paid.ravel()).mean() > 0.9
    assert np.array_equal(guessed.reshape(80, 3).min(axis=1), paid.min(axis=1))
    assert np.array_equal(guessed.reshape(80, 3).max(axis=1), paid.max(axis=1))


def test_a_middle_day_is_one_that_the_class_shows_elsewhere() -> None:
    """The day 20 is the commonest of the first class, 25 of the second: who is at no end came then."""
    low, high = np.array([10, 20, 20, 10, 10, 10, 25, 25, 10, 10]), np.array([20, 30, 30, 20, 30, 25, 30, 30, 25, 30])
    row, number, nothing = np.repeat(np.arange(10), 3), np.repeat([0, 1], 15), np.zeros(30, dtype=np.int64)
    ends = (np.repeat(low, 3), np.repeat(high, 3), np.zeros(30, dtype=np.bool_))
    guessed = values_in_ranges(*ends, Ties(row, nothing, nothing, number), rng=np.random.default_rng(1)).reshape(10, 3)
    assert np.array_equal(np.sort(guessed[4]), [10, 20, 30])
    assert np.array_equal(np.sort(guessed[9]), [10, 25, 30])


def test_ranges_of_one_value_and_rows_of_one_record() -> None:
    low, high = np.array([7, 7, 3]), np.array([7, 7, 9])
    row, nothing = np.array([0, 0, 1]), np.zeros(3, dtype=np.int64)
    tied, shown = Ties(row, nothing, nothing, nothing), np.zeros(3, dtype=np.bool_)
    guessed = values_in_ranges(low, high, shown, tied, rng=np.random.default_rng(1))
    assert guessed[:2].tolist() == [7, 7]
    assert guessed[2] in (3, 7, 9)
    empty = np.empty(0, dtype=np.int64)
    none = Ties(empty, empty, empty, empty)
    assert len(values_in_ranges(empty, empty, empty.astype(np.bool_), none, rng=np.random.default_rng(1))) == 0


def test_a_hidden_price_is_that_of_the_goods_elsewhere() -> None:
    price = np.array([100, 250, 300])
    goods = np.tile([0, 1, 2], 5)
    ends, hidden = price[goods], np.arange(15) == 13
    shown = np.where(hidden, 0, ends)
    nothing = np.zeros(15, dtype=np.int64)
    tied = Ties(np.arange(15), goods, goods, nothing)
    guessed = values_in_ranges(shown, shown, hidden, tied, rng=np.random.default_rng(1))
    assert np.array_equal(guessed, ends)


def test_kindred_goods_of_a_class_come_on_one_day() -> None:
    """Two visits: goods 0 to 3 on day 10, their kin 4 to 7 on day 20; rows show a pair of days and of goods."""
    goods = np.array([0, 4, 1, 5, 2, 6, 3, 7, 0, 1])
    low, high = np.repeat([10, 10, 10, 10, 10], 2), np.repeat([20, 20, 20, 20, 10], 2)
    tied = Ties(np.repeat(np.arange(5), 2), goods, goods // 4, np.zeros(10, dtype=np.int64))
    guessed = values_in_ranges(low, high, np.zeros(10, dtype=np.bool_), tied, rng=np.random.default_rng(1))
    assert guessed.tolist() == [10, 20, 10, 20, 10, 20, 10, 20, 10, 10]
