"""Rows drawn from copulas, and first events drawn from hazards."""

from __future__ import annotations

import numpy as np
import pytest

from tokumei.synth import Hazard, draw_copula, draw_first_events, draw_margin


def test_a_copula_keeps_margins_and_rank_correlations() -> None:
    rng = np.random.default_rng(1)
    related = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]])
    given = rng.multivariate_normal(np.zeros(3), related, size=2000)
    given[:, 1] = np.exp(given[:, 1])
    drawn = draw_copula(given, 2000, rng)
    assert (drawn.min(axis=0) >= given.min(axis=0)).all()
    assert (drawn.max(axis=0) <= given.max(axis=0)).all()
    assert np.quantile(drawn, [0.25, 0.5, 0.75], axis=0) == pytest.approx(
        np.quantile(given, [0.25, 0.5, 0.75], axis=0), abs=0.15
    )
    ranks = np.asarray(np.corrcoef(drawn.argsort(axis=0).argsort(axis=0), rowvar=False))
    assert ranks[0, 1] == pytest.approx(0.786, abs=0.04)
    assert abs(ranks[0, 2]) < 0.06


def test_columns_that_say_the_same_or_nothing_can_be_drawn() -> None:
    rng = np.random.default_rng(2)
    one = rng.random(50)
    drawn = draw_copula(np.column_stack([one, one, np.full(50, 3.0)]), 20, rng)
    assert np.isfinite(drawn).all()
    assert drawn[:, 0] == pytest.approx(drawn[:, 1], abs=0.05)
    assert set(drawn[:, 2]) == {3.0}


def test_a_margin_keeps_its_shares() -> None:
    drawn = draw_margin(np.repeat(["a", "b"], [100, 900]), np.random.default_rng(3))
    assert len(drawn) == 1000
    assert np.mean(drawn == "a") == pytest.approx(0.1, abs=0.03)


def test_the_earliest_event_happens_and_nothing_after_the_end() -> None:
    rng = np.random.default_rng(4)
    moments = np.linspace(0.01, 20.0, 2000)
    hazards = {
        "ill": Hazard(moments, 0.05 * moments, np.ones(20_000)),
        "dead": Hazard(moments, 0.05 * moments, np.full(20_000, 2.0)),
    }
    times, causes = draw_first_events(hazards, 20_000, rng, end=10.0)
    assert times.max() == 10.0
    assert not (causes["ill"] & causes["dead"]).any()
    assert ((times < 10.0) == (causes["ill"] | causes["dead"])).all()
    # Together a hazard of .15 a year, one third of it illness.
    assert np.mean(times == 10.0) == pytest.approx(np.exp(-1.5), abs=0.01)
    assert causes["ill"].sum() / (times < 10.0).sum() == pytest.approx(1 / 3, abs=0.015)


def test_without_hazards_nothing_happens() -> None:
    times, causes = draw_first_events({}, 3, np.random.default_rng(0), end=5.0)
    assert times.tolist() == [5.0] * 3
    assert causes == {}
