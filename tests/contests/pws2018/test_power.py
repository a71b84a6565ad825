"""Power of the safety test against k-anonymized data."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import factorial

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.contests.pws2018.power import best_attempts, detection_power, hit_distribution, power_table, survival
from tokumei.errors import ParameterError


def test_figures_of_the_report_for_2_anonymity() -> None:
    caught = detection_power(2, 24)
    assert caught == pytest.approx(299 / 4096, rel=1e-12)
    assert round(caught, 7) == 0.0729980
    assert round(survival(caught), 7) == 0.3732918


def test_3_anonymity_with_seven_guesses_takes_two_groups_and_one_more() -> None:
    assert detection_power(3, 7) == pytest.approx(1 / 108, rel=1e-12)
    assert detection_power(3, 7, sharp=True) == pytest.approx(1 / 108, rel=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_hits_in_a_class_are_fixed_points_of_a_random_permutation(k: int) -> None:
    for members in range(k + 1):
        counts = [0] * (members + 1)
        for permutation in itertools.permutations(range(k)):
            counts[sum(permutation[i] == i for i in range(members))] += 1
        assert hit_distribution(k, members) == [Fraction(count, factorial(k)) for count in counts]


@given(k=st.integers(1, 6), n=st.integers(0, 40))
def test_power_equals_exact_convolution(k: int, n: int) -> None:
    law = [Fraction(1)]
    for size in [k] * (n // k) + [n % k]:
        part = hit_distribution(k, size)
        longer = [Fraction(0)] * (len(law) + len(part) - 1)
        for (i, a), (j, b) in itertools.product(enumerate(law), enumerate(part)):
            longer[i + j] += a * b
        law = longer
    assert sum(law) == 1
    table = power_table([k], n, smallest_n=n)
    for row in table.iter_rows(named=True):
        exact = float(sum(law[row["threshold"] :], Fraction(0)))
        assert row["caught"] == pytest.approx(exact, rel=1e-11, abs=0)
        assert row["survives"] == pytest.approx((1 - exact) ** 13, rel=1e-9, abs=1e-100)


@pytest.mark.parametrize(
    ("limit", "n", "caught", "survives"), [(24, 18, 0.090, 0.294), (50, 50, 0.212, 0.045), (100, 97, 0.388, 0.0017)]
)
def test_best_sharp_attempt_on_2_anonymity(limit: int, n: int, caught: float, survives: float) -> None:
    best = best_attempts(power_table([2], limit)).row(by_predicate=pl.col("test") == "sharp", named=True)
    assert best["n"] == n
    assert best["caught"] == pytest.approx(caught, abs=5e-4)
    assert best["survives"] == pytest.approx(survives, abs=5e-4)


def test_sharp_test_separates_2_from_3_where_the_official_cannot() -> None:
    best = best_attempts(power_table([2, 3], 1000))
    assert best.select("k", "test", "n", "threshold").rows() == [
        (2, "official", 24, 18),
        (2, "sharp", 1000, 392),
        (3, "official", 7, 7),
        (3, "sharp", 7, 7),
    ]
    assert best["caught"].to_list() == pytest.approx([299 / 4096, 0.99999950457, 1 / 108, 1 / 108], rel=1e-9)


def test_unprotected_data_is_caught_as_soon_as_a_threshold_can_be_reached() -> None:
    table = power_table([1], 9).filter(pl.col("test") == "official")
    assert table["caught"].to_list() == [0.0] * 6 + [1.0] * 3


def test_table_lists_every_k_n_and_test() -> None:
    table = power_table([2, 4], 5, attempts=1)
    assert table.columns == ["untouched", "k", "n", "test", "threshold", "caught", "survives"]
    assert table.select("k", "n", "test").unique().height == table.height == 2 * 5 * 2
    assert (table["caught"] + table["survives"]).to_list() == pytest.approx([1.0] * 20)


def test_no_classes_give_an_empty_table() -> None:
    assert power_table([], 5).height == 0


def test_parameters_outside_their_limits_are_refused() -> None:
    with pytest.raises(ParameterError, match="k must be at least 1, got 0"):
        power_table([0], 5)
    with pytest.raises(ParameterError, match="number of attempts must be at least 1, got 0"):
        power_table([2], 5, attempts=0)
    with pytest.raises(ParameterError, match="number of guesses must be at least 0, got -1"):
        detection_power(2, -1)
    with pytest.raises(ParameterError, match="at most all can be guessed, got 4 of 3"):
        hit_distribution(3, 4)
