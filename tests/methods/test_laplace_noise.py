"""Laplace noise: its distribution, its unit, its bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.methods.mixed_histories import mixed_history, number_history, published, run
from tokumei.data.cells import MISSING, RangeCells
from tokumei.errors import ParameterError
from tokumei.methods.laplace_noise import LaplaceNoise, discrete_laplace


@pytest.mark.parametrize("scale", [0.5, 1.0, 7.0])
def test_noise_has_the_discrete_laplace_distribution(scale: float) -> None:
    """P(z) = (1 - a) / (1 + a) a^|z| with a = exp(-1 / scale), so the variance is 2 a / (1 - a)^2."""
    noise = discrete_laplace(200_000, scale=scale, rng=np.random.default_rng(1))
    a = math.exp(-1 / scale)
    for z in (-2, -1, 0, 1, 2):
        expected = (1 - a) / (1 + a) * a ** abs(z)
        assert (noise == z).mean() == pytest.approx(expected, abs=5 * math.sqrt(expected / 200_000))
    assert noise.var() == pytest.approx(2 * a / (1 - a) ** 2, rel=0.03)


def test_extreme_scales_neither_overflow_nor_fail() -> None:
    assert not discrete_laplace(100, scale=1e-9, rng=np.random.default_rng(1)).any()
    wild = discrete_laplace(100, scale=1e25, rng=np.random.default_rng(1))
    assert (np.abs(wild) <= 2**53).all()
    assert discrete_laplace(0, scale=1.0, rng=np.random.default_rng(1)).tolist() == []


def test_the_sensitivity_is_in_the_unit_of_the_column() -> None:
    """Mean absolute noise of a wide scale is the scale: 0.5 / 0.1 = 5, that is 500 steps of 0.01."""
    history = number_history([str(number) for number in range(20_000)], [50.0] * 20_000, step=0.01)
    values = published(LaplaceNoise(epsilon=0.1, columns="amount=0.5", clip=False), history, "amount")
    distance = np.abs(np.array([float(value) for value in values]) - 50)
    assert distance.mean() == pytest.approx(5.0, rel=0.05)


def test_without_a_list_the_sensitivity_is_the_width_of_the_column() -> None:
    amounts: list[float | None] = [0.0, 100.0, *([50.0] * 20_000)]
    history = number_history([str(number) for number in range(20_002)], amounts)
    values = published(LaplaceNoise(epsilon=10.0, clip=False), history, "amount")
    distance = np.abs(np.array([int(value) for value in values])[2:] - 50)
    assert distance.mean() == pytest.approx(10.0, rel=0.05)


def test_clipped_values_stay_inside_the_column() -> None:
    history = mixed_history(300)
    release, _ = run(LaplaceNoise(epsilon=0.01), history)
    for name in ("day", "moment", "price", "lat", "lon"):
        noisy, codes = release.cells[name], history.codes[name]
        assert isinstance(noisy, RangeCells)
        inside, before = noisy.lo[~noisy.suppressed], codes[codes != MISSING]
        assert (inside.min(), inside.max()) == (before.min(), before.max())


def test_dates_without_clipping_keep_four_digit_years() -> None:
    release, _ = run(LaplaceNoise(epsilon=1e-6, columns="day=100000,moment=100000000", clip=False), mixed_history(200))
    days = [text for text in release.text()["day"].to_list() if text]
    assert min(days) == "0001-01-01"
    assert max(days) == "9999-12-31"
    moments = release.text()["moment"].to_list()
    assert max(moments) == "9999-12-31 23:59:59"


def test_a_constant_column_needs_no_noise() -> None:
    assert published(LaplaceNoise(), number_history(["a", "b"], [7, 7]), "amount") == ["7", "7"]


def test_categories_stay() -> None:
    history = mixed_history(100)
    release, secret = run(LaplaceNoise(), history)
    assert release.cells["goods"].equals(history.cells("goods").take(secret.rows)).all()  # type: ignore[arg-type]


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="'epsilon' of 'laplace-noise' must be a number of at least 1e-06, got 0"):
        LaplaceNoise(epsilon=0)
    with pytest.raises(ParameterError, match="a positive multiple of 1 for the column 'amount', got '-3'"):
        run(LaplaceNoise(columns="amount=-3"), number_history([], []))
