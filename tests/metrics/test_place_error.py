"""Distances of published places in kilometres."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.data.cells import RangeCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History, Release, Secret
from tokumei.data.schema import Schema
from tokumei.errors import SchemaError
from tokumei.metrics.place_error import KM_PER_DEGREE, PlaceError, box_errors

SCHEMA = Schema("who", (Column(name="where", kind=Kind.PLACE, step=0.01, latitude="lat", longitude="lon"),))


def test_a_box_without_extent_costs_the_plain_distance() -> None:
    corner = np.array([[3.0, 4.0]])
    uniform, centre = box_errors(np.zeros((1, 2)), corner, corner)
    assert uniform.tolist() == pytest.approx([5.0])
    assert centre.tolist() == pytest.approx([5.0])


def test_a_point_at_the_end_of_a_line_is_half_its_length_away() -> None:
    uniform, centre = box_errors(np.zeros((1, 2)), np.zeros((1, 2)), np.array([[2.0, 0.0]]))
    assert uniform.tolist() == pytest.approx([1.0])
    assert centre.tolist() == pytest.approx([1.0])


def test_the_corner_of_a_square_has_the_known_mean_distance() -> None:
    """(sqrt 2 + asinh 1) / 3 of the side."""
    uniform, _ = box_errors(np.zeros((1, 2)), np.zeros((1, 2)), np.ones((1, 2)))
    assert uniform[0] == pytest.approx((np.sqrt(2) + np.arcsinh(1)) / 3, rel=1e-12)


@pytest.mark.parametrize("thin", [0.0, 1e-9, 1e-6, 1e-3])
def test_a_thin_box_is_nearly_a_line(thin: float) -> None:
    """From (0, 1), a line of length 2 through the origin: (sqrt 5 + asinh(2) / 2) / 2 on average, nearly, if thin."""
    low, high = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[2.0, 1.0 + thin], [1.0 + thin, 2.0]])
    uniform, _ = box_errors(np.zeros((2, 2)), low, high)
    assert uniform.tolist() == pytest.approx([(np.sqrt(5) + np.arcsinh(2) / 2) / 2] * 2, abs=thin + 1e-6)


@settings(max_examples=examples(20))
@given(st.integers(0, 1000))
def test_the_expected_distance_is_that_of_random_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low, point = rng.random((1, 2)), rng.random((1, 2))
    high = low + rng.random((1, 2))
    drawn = rng.uniform(low[0], high[0], (20_000, 2))
    uniform, _ = box_errors(point, low, high)
    assert uniform[0] == pytest.approx(np.linalg.norm(drawn - point, axis=1).mean(), abs=0.02)


def test_the_metric_averages_over_subjects_and_leaves_hidden_places_out() -> None:
    """At the equator a step of 0.01 degrees is 1.11 km both ways: subject a is 0 and 2 steps off, b is hidden once."""
    frame = pl.DataFrame({"who": ["a", "a", "b", "b"], "lat": [0.0] * 4, "lon": [0.0, 0.02, 0.04, 0.06]})
    history = History.from_frame(frame, SCHEMA)
    cells = {
        "lat": RangeCells.of_values([0, 0, 0, 0]),
        "lon": RangeCells.of_ranges([0, 4, 5, 0], [0, 4, 5, 0], suppressed=[False, False, False, True]),
    }
    release = Release(SCHEMA, pl.Series(["1", "1", "2", "2"]), cells)
    secret = Secret(pl.DataFrame({"pseudonym": ["1", "2"], "subject": ["a", "b"]}), np.array([0, 1, 2, 3]))
    score = PlaceError().measure(history, release, secret)
    assert score.value == pytest.approx(0.01 * KM_PER_DEGREE, rel=1e-6)
    assert score.parts["shown"] == 0.75
    assert PlaceError(point="centre").measure(history, release, secret).value == pytest.approx(score.value)


def test_data_without_places_is_refused() -> None:
    schema = Schema("who", (Column(name="n", kind=Kind.NUMBER),))
    history = History.from_frame(pl.DataFrame({"who": ["a"], "n": [1]}), schema)
    release = Release(schema, pl.Series(["1"]), {"n": RangeCells.of_values([1])})
    with pytest.raises(SchemaError, match="'place-error' needs a place"):
        PlaceError().measure(history, release, Secret(pl.DataFrame(), np.array([0])))
