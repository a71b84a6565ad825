"""Rounding to multiples of a base."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from tests.methods.mixed_histories import number_history, published
from tokumei.data.cells import MISSING
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.errors import ParameterError
from tokumei.methods.rounding import Rounding, rounded

VALUES = np.array([-6, -5, -1, 0, 4, 5, 9, 10, MISSING])


def test_values_become_the_nearest_multiple_and_halves_go_up() -> None:
    result = rounded(VALUES, 10, style="nearest", rng=np.random.default_rng(0))
    assert result.tolist() == [-10, 0, 0, 0, 0, 10, 10, 10, MISSING]


def test_values_become_the_multiple_below() -> None:
    result = rounded(VALUES, 10, style="down", rng=np.random.default_rng(0))
    assert result.tolist() == [-10, -10, -10, 0, 0, 0, 0, 10, MISSING]


def test_random_rounding_is_unbiased_and_keeps_multiples() -> None:
    values = np.repeat([3, -3, 20], 20_000)
    result = rounded(values, 10, style="random", rng=np.random.default_rng(0)).reshape(3, -1)
    assert set(result[0]) == {0, 10}
    assert result[0].mean() == pytest.approx(3, abs=0.15)
    assert set(result[1]) == {-10, 0}
    assert result[1].mean() == pytest.approx(-3, abs=0.15)
    assert set(result[2]) == {20}


def test_the_base_is_written_in_the_unit_of_the_column() -> None:
    history = number_history(["a", "b", "a"], [0.26, 1.74, None], step=0.01)
    assert published(Rounding(columns="amount=0.5"), history, "amount") == ["0.5", "1.5", ""]


def test_without_a_list_the_base_is_a_round_number_below_the_standard_deviation() -> None:
    """The standard deviation of 0, 10, 20, 30 is 11.2, so the base is 10; that of equal values gives the step."""
    history = number_history(list("abcd"), [0, 14, 16, 30])
    assert published(Rounding(), history, "amount") == ["0", "10", "20", "30"]
    assert published(Rounding(), number_history(["a", "b"], [7, 7]), "amount") == ["7", "7"]


def test_dates_are_rounded_in_days() -> None:
    schema = Schema("who", (Column(name="day", kind=Kind.DATE),))
    frame = pl.DataFrame({"who": ["a", "b"], "day": [date(1970, 1, 4), date(1970, 1, 5)]})
    assert published(Rounding(columns="day=7"), History.from_frame(frame, schema), "day") == [
        "1970-01-01",
        "1970-01-08",
    ]


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(ParameterError, match="parameter 'style' of 'rounding' must be one of nearest, down, random"):
        Rounding(style="up")
