"""Synthetic trajectories are commuter-like and move about as the people-flow data do, within stated tolerances."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.array_types import Floats
from tokumei.errors import ParameterError
from tokumei.synth.trajectories import CELLS, EAST, NORTH, SOUTH, WEST, generate_trajectories

LEVELS = (0.25, 0.50, 0.75, 0.90)
POINTS = 30
# Figure: tolerance relative to the real figure, or absolute (whichever allows more).
TOLERANCES: dict[str, tuple[float, float]] = {
    "distance": (0.35, 0.0),
    "radius": (0.25, 0.0),
    "cells": (0.0, 2.0),
    "stays": (0.0, 0.10),
    "busiest 10": (0.0, 0.05),
    "busiest 50": (0.0, 0.10),
}


def _all(subjects: int, seed: int, *, days: int = 1, cells: bool = False) -> pl.DataFrame:
    return pl.concat(generate_trajectories(subjects, seed=seed, days=days, cells=cells))


def _in_kilometres(frame: pl.DataFrame) -> pl.DataFrame:
    radius = 6371.0
    return (
        frame.sort("user", "time")
        .with_columns(
            x=pl.col("lon").radians() * radius * np.cos(np.radians(35.7)),
            y=pl.col("lat").radians() * radius,
            day=pl.col("time").dt.date(),
        )
        .with_columns(step=(pl.col("x").diff() ** 2 + pl.col("y").diff() ** 2).sqrt().over("user", "day"))
    )


def trajectory_shape(frame: pl.DataFrame) -> dict[str, Floats]:
    """Return how people move: on days with all points, except for the shares, which are over everything."""
    points = _in_kilometres(frame)
    days = (
        points.group_by("user", "day")
        .agg(
            pl.len(),
            distance=pl.col("step").sum(),
            radius=(pl.col("x").var(ddof=0) + pl.col("y").var(ddof=0)).sqrt(),
            cells=pl.struct("lat", "lon").n_unique(),
        )
        .filter(pl.col("len") == POINTS)
    )
    steps = points["step"].drop_nulls().to_numpy()
    busiest = points.group_by("lat", "lon").len()["len"].sort(descending=True).to_numpy()
    shape = {name: np.quantile(days[name].to_numpy(), LEVELS) for name in ("distance", "radius", "cells")}
    shape["stays"] = np.array([(steps < 1e-6).mean()])
    shape["busiest 10"] = np.array([busiest[:10].sum() / busiest.sum()])
    shape["busiest 50"] = np.array([busiest[:50].sum() / busiest.sum()])
    return shape


def test_people_move_as_in_the_people_flow_data(real_data: Path) -> None:
    """The middle of five seeds, so that the test is about the generator and not about one draw."""
    wanted = trajectory_shape(pl.read_parquet(real_data / "people_flow_tokyo.parquet"))
    shapes = [trajectory_shape(_all(1000, seed, cells=True)) for seed in range(1, 6)]
    found = {name: np.median([shape[name] for shape in shapes], axis=0) for name in wanted}
    far = {
        name: (wanted[name], found[name])
        for name, (relative, absolute) in TOLERANCES.items()
        if (np.abs(found[name] - wanted[name]) > np.maximum(relative * wanted[name], absolute)).any()
    }
    assert TOLERANCES.keys() == wanted.keys()
    assert not far


def test_points_lie_on_the_time_grid_inside_the_town() -> None:
    frame = _all(1200, 4, days=2)
    assert frame.schema == {"user": pl.Int64, "time": pl.Datetime("ms"), "lat": pl.Float64, "lon": pl.Float64}
    assert frame.height == 1200 * 2 * POINTS
    assert frame.select("user", "time").is_unique().all()
    assert frame["time"].min() == datetime(2013, 7, 1, 9, 0)
    assert frame["time"].max() == datetime(2013, 7, 2, 18, 40)
    assert set(frame["time"].dt.minute().unique()) == {0, 20, 40}
    assert frame["lat"].is_between(SOUTH, NORTH).all()
    assert frame["lon"].is_between(WEST, EAST).all()


def test_cells_are_the_centres_of_a_grid_and_contain_the_points() -> None:
    exact, cells = _all(300, 5), _all(300, 5, cells=True)
    assert cells["lat"].n_unique() <= CELLS
    assert cells["lon"].n_unique() <= CELLS
    assert (exact["lat"] - cells["lat"]).abs().max() <= (NORTH - SOUTH) / CELLS / 2 + 1e-6  # type: ignore[operator]
    assert (exact["lon"] - cells["lon"]).abs().max() <= (EAST - WEST) / CELLS / 2 + 1e-6  # type: ignore[operator]
    assert abs(float(np.min(cells["lat"].to_numpy())) - 35.6525) < 1e-6


def test_commuters_work_at_the_same_place_on_every_working_day() -> None:
    # At 15:00 those who do not roam (half of the users) are at work, unless they live far away.
    frame = _all(1000, 6, days=5).filter(pl.col("time").dt.strftime("%H:%M") == "15:00")
    places = frame.group_by("user").agg(pl.struct("lat", "lon").n_unique().alias("places"))["places"]
    assert 0.3 < (places == 1).mean() < 0.6  # type: ignore[operator]


def test_commuters_are_out_at_noon() -> None:
    frame = _in_kilometres(_all(1000, 7))
    hour = frame.group_by(pl.col("time").dt.hour()).agg((pl.col("step") > 1e-6).mean()).sort("time")
    moving = dict(hour.rows())
    assert moving[12] > moving[11]
    assert moving[12] > moving[14]


def test_nobody_flies() -> None:
    steps = _in_kilometres(_all(500, 8, days=2))["step"].drop_nulls().to_numpy()
    assert steps.max() * 3 < 8.0  # km/h; steps are 20 minutes


def test_the_seed_decides() -> None:
    assert _all(20, 1).equals(_all(20, 1))
    assert not _all(20, 1).equals(_all(20, 2))


@pytest.mark.parametrize(("subjects", "days", "message"), [
    (0, 1, "subjects must be 1 or more, got 0"), (1, 0, "days must be 1 or more, got 0"),
])  # fmt: skip
def test_impossible_numbers_are_refused(subjects: int, days: int, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}$"):
        next(generate_trajectories(subjects, seed=1, days=days))
