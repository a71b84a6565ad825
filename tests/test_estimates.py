"""Estimates from generalized data: known answers, and coverage by simulation."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tokumei.errors import ParameterError
from tokumei.estimates import estimate_mean, estimate_rate, estimate_regression

POPULATIONS = 100


def test_known_answers_by_hand() -> None:
    frame = pl.DataFrame(
        {
            "pseudonym": ["a", "a", "b", "b"],
            "paid_low": [1.0, 2.0, 4.0, None],
            "paid_high": [3.0, 2.0, 4.0, None],
            "goods": [["tea"], ["tea", "jam"], ["jam"], None],
        }
    )
    paid = estimate_mean(frame, "paid")
    assert (paid.value, paid.bounds, paid.withheld) == (2.625, (2.0, 3.25), 0.25)
    assert paid.interval[0] < paid.bounds[0]
    assert paid.bounds[1] < paid.interval[1]
    assert estimate_mean(frame, "paid", range_of=(0, 10)).bounds == (1.75, 4.75)
    tea = estimate_rate(frame, "goods", "tea")
    assert (tea.value, tea.bounds) == (0.5, (0.25, 0.75))
    with pytest.raises(ParameterError, match="no column 'payd_low' \\(did you mean 'paid_low'"):
        estimate_mean(frame, "payd")


def test_a_regression_without_ranges_is_the_usual_one() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 4.1, 5.9, 8.0])
    names = {"pseudonym": list("abcd"), "x_low": x, "x_high": x, "y_low": y, "y_high": y}
    slope = estimate_regression(pl.DataFrame(names), "y", ["x"])["x"]
    assert slope.value == pytest.approx(np.polyfit(x, y, 1)[0])
    assert slope.bounds == pytest.approx((slope.value, slope.value))
    wide = pl.DataFrame({**names, "y_low": y - 0.5, "y_high": y + 0.5})
    bounds = estimate_regression(wide, "y", ["x"])["x"].bounds
    # The weights of the slope are -0.3, -0.1, 0.1 and 0.3: half a unit each way moves it by 0.4.
    assert bounds == pytest.approx((slope.value - 0.4, slope.value + 0.4))


@pytest.mark.half_second
def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """100 populations, values rounded outwards in groups: 95 % intervals must cover at least 95 % (less chance)."""
    rng = np.random.default_rng(7)
    covered = np.zeros(3)
    for _ in range(POPULATIONS):
        people, records = 60, 3
        who = np.repeat(np.arange(people), records)
        x = np.sort(rng.normal(size=people))[who] + 0.1 * rng.normal(size=len(who))
        y = 2.0 + 0.5 * x + np.repeat(rng.normal(size=people), records) * 0.5 + 0.3 * rng.normal(size=len(who))
        bought = rng.random(len(who)) < 0.3
        # Groups of three people; the same value for all of their records.
        groups = {name: values.reshape(-1, 3 * records) for name, values in (("x", x), ("y", y))}
        ends = {
            name: [np.repeat(end, 3 * records) for end in (values.min(axis=1), values.max(axis=1))]
            for name, values in groups.items()
        }
        hidden = rng.random(len(who)) < 0.5
        goods = [
            ["tea", "jam"] if hide else ["tea" if one else "jam"] for hide, one in zip(hidden, bought, strict=True)
        ]
        frame = pl.DataFrame(
            {"pseudonym": who.astype(str), "goods": goods}
            | {f"{name}_{end}": ends[name][at] for name in ends for at, end in enumerate(("low", "high"))}
        )
        found = (
            estimate_mean(frame, "y"),
            estimate_rate(frame, "goods", "tea"),
            estimate_regression(frame, "y", ["x"], draws=5)["x"],
        )
        for at, (one, truth) in enumerate(zip(found, (2.0, 0.3, 0.5), strict=True)):
            covered[at] += one.interval[0] <= truth <= one.interval[1]
    assert (covered / POPULATIONS >= 0.93).all()
