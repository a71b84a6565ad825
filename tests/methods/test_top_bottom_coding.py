"""Top and bottom coding by values and percentages, as limits and as ranges."""

from __future__ import annotations

import numpy as np
import pytest

from tests.methods.mixed_histories import mixed_history, number_history, published, run
from tokumei.errors import ParameterError
from tokumei.methods.top_bottom_coding import TopBottomCoding

AMOUNTS: list[float | None] = [1, 2, 5, 8, 9, None]


def coded(text: str, *, ranges: bool = False) -> list[str]:
    history = number_history(list("abcdef"), AMOUNTS)
    return published(TopBottomCoding(columns=f"amount={text}", ranges=ranges), history, "amount")


def test_values_beyond_the_limits_become_the_limits() -> None:
    assert coded("2..8") == ["2", "2", "5", "8", "8", ""]
    assert coded("..5") == ["1", "2", "5", "5", "5", ""]
    assert coded("5..") == ["5", "5", "5", "8", "9", ""]
    assert coded("3..7") == ["3", "3", "5", "7", "7", ""]
    assert coded("5..5") == ["5", "5", "5", "5", "5", ""]
    assert coded("-4..40") == ["1", "2", "5", "8", "9", ""]


def test_ranges_reach_from_the_limit_to_the_end_of_the_column() -> None:
    assert coded("2..8", ranges=True) == ["[1;2]", "[1;2]", "5", "[8;9]", "[8;9]", ""]
    assert coded("..7", ranges=True) == ["1", "2", "5", "[7;9]", "[7;9]", ""]
    assert coded("5..5", ranges=True) == ["[1;5]", "[1;5]", "[1;9]", "[5;9]", "[5;9]", ""]
    assert coded("0..10", ranges=True) == ["1", "2", "5", "8", "9", ""]


def test_ranges_contain_the_original() -> None:
    history = mixed_history(300)
    release, secret = run(TopBottomCoding(ranges=True), history)
    for name, cells in release.cells.items():
        assert (cells.contains(history.codes[name][secret.rows])).all()


def test_percentages_are_nearest_ranks_of_the_present_values() -> None:
    assert coded("20%..80%") == ["1", "2", "5", "8", "8", ""]
    assert coded("21%..60%") == ["2", "2", "5", "5", "5", ""]
    assert coded("0%..100%") == ["1", "2", "5", "8", "9", ""]
    hundred = number_history([str(number) for number in range(100)], [float(number) for number in range(1, 101)])
    values = published(TopBottomCoding(columns="amount=7%.."), hundred, "amount")
    assert min(values, key=float) == "7"


def test_without_a_list_every_ordered_column_is_cut_at_5_and_95_percent() -> None:
    history = number_history([str(number) for number in range(100)], [float(number) for number in range(1, 101)])
    values = np.array([int(value) for value in published(TopBottomCoding(), history, "amount")])
    assert (values == np.clip(np.arange(1, 101), 5, 95)).all()


def test_dates_are_limited_by_dates() -> None:
    history = mixed_history(100, missing=False)
    days = published(TopBottomCoding(columns="day=2011-03-01..2011-06-30"), history, "day")
    assert min(days) == "2011-03-01"
    assert max(days) == "2011-06-30"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7", "must be low..high, low.. or ..high for the column 'amount', got '7'"),
        ("..", "must be low..high, low.. or ..high for the column 'amount', got '..'"),
        ("8..2", "must be a lower limit below the upper one for the column 'amount', got '8..2'"),
        ("..x", "must be a number in steps of 1 for the column 'amount', got 'x'"),
        ("..101%", "must be a percentage from 0% to 100% for the column 'amount', got '101%'"),
        ("x%..", "must be a percentage from 0% to 100% for the column 'amount', got 'x%'"),
    ],
)
def test_wrong_limits_are_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        coded(text)
    assert str(refusal.value) == f"parameter 'columns' of 'top-bottom-coding' {message}"


def test_a_wrong_date_is_refused_with_its_form() -> None:
    with pytest.raises(
        ParameterError, match=r"must be a date of the form %Y-%m-%d for the column 'day', got '1.5.2011'"
    ):
        run(TopBottomCoding(columns="day=1.5.2011.."), mixed_history(10))
