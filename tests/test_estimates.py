"""Estimates from generalized data: known answers, and coverage by simulation."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from tokumei.data import frame_of_library
from tokumei.errors import ParameterError
from tokumei.estimates import estimate_mean, estimate_rate, estimate_regression

SHARES = {"rare": 0.02, "usual": 0.4}
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


@pytest.mark.half_second
def test_rare_values_and_few_people_are_not_told_too_surely() -> None:
    """A value that nobody among ten has may still exist: 0 +- 0 covered one in six of the truths."""
    rng = np.random.default_rng(11)
    covered, people = np.zeros(4), 10
    for _ in range(POPULATIONS):
        who = np.repeat(np.arange(people), rng.integers(1, 6, people))
        own = rng.normal(size=people)[who]
        x = rng.normal(size=len(who))
        y = 2.0 + 0.5 * x + own + rng.normal(size=len(who))
        frame = pl.DataFrame(
            {"pseudonym": who.astype(str)}
            | {
                name: [["yes"] if one else ["no"] for one in rng.random(len(who)) < share]
                for name, share in SHARES.items()
            }
            | {f"{name}_{end}": values for name, values in (("x", x), ("y", y)) for end in ("low", "high")}
        )
        found = [(estimate_rate(frame, name, "yes"), share) for name, share in SHARES.items()]
        found += [(estimate_mean(frame, "y"), 2.0), (estimate_regression(frame, "y", ["x"])["x"], 0.5)]
        covered += [one.interval[0] <= truth <= one.interval[1] for one, truth in found]
        assert all(
            0 <= one.interval[0] <= one.bounds[0] <= one.bounds[1] <= one.interval[1] <= 1 for one, _ in found[:2]
        )
    assert (covered / POPULATIONS >= 0.88).all()


def test_frames_of_pandas_are_read_and_wrong_ones_refused_in_a_sentence() -> None:
    frame = pl.DataFrame(
        {"pseudonym": ["a", "b"], "goods": [["tea"], ["tea", "jam"]], "paid_low": [1.0, 2.0], "paid_high": [1.0, 4.0]}
    )
    pandas = frame_of_library(frame, "pandas") if "pandas" in sys.modules else frame
    assert estimate_mean(pandas, "paid") == estimate_mean(frame, "paid")
    assert estimate_rate(pandas, "goods", "tea") == estimate_rate(frame, "goods", "tea")
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: estimate_mean(5, "paid"), "data must be a polars, pandas or Arrow frame"),  # type: ignore[arg-type]
        (lambda: estimate_mean(frame.drop("pseudonym"), "paid"), "the frame has no column 'pseudonym'; read it with"),
        (lambda: estimate_mean(frame.head(0), "paid"), "the release has no records to estimate from"),
        (lambda: estimate_mean(frame, "paid", range_of=(3, 1)), "range_of must be the least and the greatest value"),
        (lambda: estimate_rate(frame, "paid_low", "1"), "the column 'paid_low' is no category; take estimate_mean"),
        (lambda: estimate_regression(frame, "paid", "paid"), "inputs must be a list of names such as"),
        (lambda: estimate_regression(frame, "paid", []), "inputs must be a list of names such as"),
        (lambda: estimate_regression(frame, "paid", ["paid"], draws=0), "draws must be a whole number of at least 1"),
    ]
    for call, told in wrong:
        with pytest.raises(ParameterError, match=re.escape(told)):
            call()
