"""Microaggregation: equal histories in groups of at least k, averages by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.methods.mixed_histories import category_history, mixed_history, number_history, published, run
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError, ParameterError
from tokumei.methods.grouping.points import refine
from tokumei.methods.mdav import mdav_groups
from tokumei.methods.microaggregation import Microaggregation, subject_features


def test_a_static_table_gets_the_means_of_its_groups() -> None:
    """MDAV joins 1 with 2 and 10 with 13; halves are rounded up."""
    history = number_history(list("abcd"), [1, 10, 2, 13])
    assert published(Microaggregation(k=2), history, "amount") == ["2", "12", "2", "12"]


def test_the_most_frequent_category_is_taken_and_ties_go_to_the_first() -> None:
    history = category_history(list("abc"), ["y", "x", "y"])
    assert published(Microaggregation(k=3), history, "goods") == ["y", "y", "y"]
    tie = category_history(list("abc"), ["z", "x", "y"])
    assert published(Microaggregation(k=3), tie, "goods") == ["x", "x", "x"]


def test_missing_values_do_not_count_and_a_group_without_values_publishes_none() -> None:
    history = number_history(list("abc"), [4, None, 6])
    assert published(Microaggregation(k=3), history, "amount") == ["5", "5", "5"]
    nothing = number_history(list("abc"), [None, None, None])
    assert published(Microaggregation(k=3), nothing, "amount") == ["", "", ""]


def test_longer_histories_give_records_evenly() -> None:
    """Of 1, 2, 3, 4, 5, 6 the middles of two halves are 2 and 5; averaged with 10 and 20: 6 and 12.5, up to 13."""
    history = number_history(["a"] * 6 + ["b"] * 2, [1, 2, 3, 4, 5, 6, 10, 20])
    release, secret = run(Microaggregation(k=2), history)
    assert sorted(secret.rows.tolist()) == [1, 4, 6, 7]
    by_row = dict(zip(secret.rows.tolist(), release.text()["amount"].to_list(), strict=True))
    assert by_row == {1: "6", 4: "13", 6: "6", 7: "13"}


@pytest.mark.parametrize("k", [2, 3, 7])
def test_at_least_k_pseudonyms_publish_the_same_history(k: int) -> None:
    history = mixed_history(400)
    release, _ = run(Microaggregation(k=k), history)
    text = release.text()
    record = pl.concat_str(text.columns[1:], separator="|").alias("record")
    histories = text.group_by("pseudonym").agg(record.sort())
    crowds = histories.group_by("record").len()["len"]
    assert crowds.min() >= k  # type: ignore[operator]
    assert crowds.sum() == len(history.subjects)


def test_features_of_single_records_have_the_distance_of_generic_mdav() -> None:
    schema = Schema("row", (Column(name="age", kind=Kind.NUMBER), Column(name="sex"), Column(name="job")))
    frame = pl.DataFrame({"age": [20, 40], "sex": ["f", "m"], "job": ["x", "x"]})
    features = subject_features(History.from_frame(frame, schema), categories=5)
    # Ages are one standard deviation (10) to either side of their mean; the sexes differ, the jobs do not.
    assert ((features[:, 0] - features[:, 1]) ** 2).sum() == pytest.approx(2.0**2 + 1.0)


def test_only_the_most_frequent_categories_are_looked_at() -> None:
    history = category_history(list("abcdef"), ["x", "x", "y", "y", "z", "w"])
    assert subject_features(history, categories=2).shape == (3, 6)
    assert np.count_nonzero(subject_features(history, categories=2)) == 4


def test_too_few_subjects_are_refused_and_nobody_is_not() -> None:
    with pytest.raises(InfeasibleError) as refusal:
        run(Microaggregation(k=5), number_history(list("abca"), [1, 2, 3, 4]))
    assert str(refusal.value) == "'microaggregation' needs at least k = 5 subjects, the data has 3; lower k"
    assert len(run(Microaggregation(), number_history([], []))[0]) == 0
    with pytest.raises(ParameterError, match="'k' of 'microaggregation' must be a whole number of at least 2, got 1"):
        Microaggregation(k=1)


@pytest.mark.half_second
def test_a_search_goes_below_mdav_and_never_below_its_floor() -> None:
    rng = np.random.default_rng(4)
    points = rng.standard_normal((3, 120))
    labels = mdav_groups(points, 4)
    start = refine(points, labels, 4, rounds=0)
    found = refine(points, labels, 4, rounds=1)
    groups = [points[:, found.labels == group] for group in np.unique(found.labels)]
    error = sum(float(((group.T - group.mean(axis=1)) ** 2).sum()) for group in groups)
    total = float(((points.T - points.mean(axis=1)) ** 2).sum())
    assert found.loss == pytest.approx(error / total)
    assert found.floor <= found.loss < start.loss
    assert min(group.shape[1] for group in groups) >= 4
    history = number_history(list("abcdef"), [1, 10, 2, 13, 11, 3])
    assert published(Microaggregation(k=3, effort="fast"), history, "amount") == ["2", "11", "2", "11", "11", "2"]
