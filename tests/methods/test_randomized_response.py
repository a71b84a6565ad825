"""Randomized response: how often the truth stays, and what replaces it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.methods.mixed_histories import category_history, mixed_history, published, run
from tokumei.errors import ParameterError
from tokumei.methods.randomized_response import RandomizedResponse, truth_probability


def test_the_truth_is_e_to_the_epsilon_times_as_likely_as_any_other() -> None:
    for epsilon, categories in ((0.5, 2), (1.0, 4), (3.0, 100)):
        truth = truth_probability(epsilon, categories)
        lie = (1 - truth) / (categories - 1)
        assert truth / lie == pytest.approx(math.exp(epsilon))


def test_lies_are_uniform_over_the_other_categories() -> None:
    people = [str(number) for number in range(30_000)]
    values = ["a"] * 29_997 + ["b", "c", "d"]
    answers = published(RandomizedResponse(epsilon=1.0), category_history(people, values), "goods")
    share = {value: answers.count(value) / 30_000 for value in "abcd"}
    truth = math.e / (math.e + 3)
    assert share["a"] == pytest.approx(truth, abs=0.015)
    for value in "bcd":
        assert share[value] == pytest.approx((1 - truth) / 3, abs=0.012)


def test_the_documented_estimate_is_unbiased() -> None:
    people = [str(number) for number in range(30_000)]
    values = ["a"] * 21_000 + ["b"] * 6000 + ["c"] * 3000
    answers = published(RandomizedResponse(epsilon=2.0), category_history(people, values), "goods")
    p = truth_probability(2.0, 3)
    q = (1 - p) / 2
    estimate = [(answers.count(value) / 30_000 - q) / (p - q) for value in "abc"]
    assert estimate == pytest.approx([0.7, 0.2, 0.1], abs=0.02)


def test_a_column_can_have_its_own_epsilon() -> None:
    history = mixed_history(300)
    release, secret = run(RandomizedResponse(columns="goods=50"), history)
    for name in history.codes:
        assert release.cells[name].equals(history.cells(name).take(secret.rows)).all()  # type: ignore[arg-type]
    noisy, secret = run(RandomizedResponse(columns="goods=0.000001"), history)
    same = noisy.cells["goods"].equals(history.cells("goods").take(secret.rows))  # type: ignore[arg-type]
    assert np.mean(same) < 0.15


def test_a_column_of_one_category_stays() -> None:
    assert published(RandomizedResponse(), category_history(["a", "b"], ["x", "x"]), "goods") == ["x", "x"]


@pytest.mark.parametrize("text", ["0", "-1", "x", "inf", "nan"])
def test_an_epsilon_outside_its_limits_is_refused(text: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        run(RandomizedResponse(columns=f"goods={text}"), category_history(["a"], ["x"]))
    assert str(refusal.value) == (
        "parameter 'columns' of 'randomized-response' must be a number of at least 1e-06 for the column 'goods', "
        f"got '{text}'"
    )
