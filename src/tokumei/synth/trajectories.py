"""Synthetic trajectories: people of one town at fixed times of the day (user, time, lat, lon).

Everybody has a home, a place of work and a usual place at noon; places of work gather around stations. A working day
goes from home to work, out at noon, sometimes on an errand, and home again; on weekends and for those who roam, the
day is a tour of several places. Between places people move in a straight line at their own pace. The town is central
Tokyo as in the people-flow data (35.65 to 35.75 N, 139.68 to 139.80 E), the times are a 20-minute grid from 9:00 to
18:40; with ``cells`` a position is the centre of its cell in a grid of 20 by 20, as in that data.

Shape
    Compared with the people-flow data by ``tests/read/test_synthetic_trajectories.py``, in cells, for one day of 1,000
    users (middle of five seeds; about one seed in fifteen has a figure beyond its tolerance):

    ==============================================  ===================
    distance travelled, quantiles 25, 50, 75, 90 %  within 35 %
    radius of gyration, quantiles 25, 50, 75, 90 %  within 25 %
    cells visited, quantiles 25, 50, 75, 90 %       within 2
    share of steps that stay in the cell            within 0.10
    share of points in the 10 (50) busiest cells    within 0.05 (0.10)
    ==============================================  ===================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats, Ints
from tokumei.errors import ParameterError
from tokumei.synth.blocks import Block, blocks, draw, resolve_seed, world_rng

FIRST_DAY = date(2013, 7, 1)
SOUTH, NORTH, WEST, EAST = 35.65, 35.75, 139.68, 139.80
CELLS = 20
MINUTES = np.arange(9 * 60, 19 * 60, 20, dtype=np.int64)
KM_PER_DEGREE = 6371.0 * np.pi / 180.0
HEIGHT = (NORTH - SOUTH) * KM_PER_DEGREE
WIDTH = (EAST - WEST) * KM_PER_DEGREE * np.cos(np.radians(35.7))
STATIONS = 45
STOPS = 7
ROAMING_SHARE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """Where people live and work, in kilometres from the south-west corner, and how fast they move (km/h)."""

    home: Floats
    work: Floats
    noon: Floats
    pace: Floats
    reach: Floats
    roams: Bools


def generate_trajectories(
    subjects: int, *, seed: int | None = None, days: int = 1, cells: bool = False
) -> Iterator[pl.DataFrame]:
    """Yield trajectories in blocks of users, ordered by user and time, thirty points a day.

    >>> frame = next(generate_trajectories(2, seed=1, days=3))
    >>> frame.columns, frame.height
    (['user', 'time', 'lat', 'lon'], 180)
    """
    if days < 1:
        raise ParameterError(f"days must be 1 or more, got {days}")
    seed = resolve_seed(seed)
    rng = world_rng(seed)
    station = rng.uniform(0.08, 0.92, (STATIONS, 2)) * (WIDTH, HEIGHT)
    busy = np.array([1.0 / (rank + 3.0) for rank in range(STATIONS)])
    for block in blocks(subjects, seed):
        people = _people(block, station, busy)
        weekdays = [(FIRST_DAY.weekday() + day) % 7 for day in range(days)]
        points = [_day(people, block.rng, weekend=weekday >= 5) for weekday in weekdays]
        yield _frame(block, np.stack(points, axis=1), cells=cells)


def _people(block: Block, station: Floats, busy: Floats) -> _People:
    """Draw who lives and works where."""
    rng, size = block.rng, block.size
    work = station[draw(rng.uniform(size=size), busy)] + rng.normal(0.0, 0.3, (size, 2))
    reach = rng.lognormal(np.log(0.95), 0.7, size)
    return _People(
        home=_inside(_around(work, 3.0 * reach, rng)),
        work=_inside(work),
        noon=_inside(_around(work, 0.2 * reach, rng)),
        pace=rng.lognormal(np.log(1.5), 0.3, size),
        reach=reach,
        roams=rng.uniform(size=size) < ROAMING_SHARE,
    )


def _around(centre: Floats, distance: Floats, rng: np.random.Generator) -> Floats:
    """Return points in random directions at about this distance."""
    return _ahead(centre, rng.uniform(0.0, 2.0 * np.pi, len(centre)), distance, rng)


def _ahead(centre: Floats, angle: Floats, distance: Floats, rng: np.random.Generator) -> Floats:
    """Return points in these directions at about this distance."""
    length = distance * rng.lognormal(0.0, 0.35, len(centre))
    return centre + length[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))


def _inside(place: Floats) -> Floats:
    """Reflect places at the borders of the town."""
    size = np.array([WIDTH, HEIGHT])
    folded = np.abs(place) % (2.0 * size)
    return np.minimum(folded, 2.0 * size - folded).clip(0.0, size * (1.0 - 1e-9))


def _day(people: _People, rng: np.random.Generator, *, weekend: bool) -> Floats:
    """Return everybody's positions at the times of one day: (people, times, 2)."""
    size = len(people.pace)
    tours = people.roams | weekend
    errand = _inside(_around(people.work, 0.8 * people.reach, rng))
    errand = np.where((rng.uniform(size=size) < 0.4)[:, None], errand, people.work)
    stops = np.stack((people.home, people.work, people.noon, people.work, errand, people.home, people.home), axis=1)
    leave = np.array([9.0, 12.0, 12.9, 16.4, 17.3, 19.0]) * 60 + rng.normal(0.0, 25.0, (size, STOPS - 1))
    tour = _tour(people, rng)
    tour_leave = 9 * 60 + np.cumsum(rng.exponential(85.0, (size, STOPS - 1)), axis=1)
    stops = np.where(tours[:, None, None], tour, stops)
    leave = np.where(tours[:, None], tour_leave, leave)
    return _walk(stops, leave, people.pace)


def _tour(people: _People, rng: np.random.Generator) -> Floats:
    """Return a chain of places that begins near a station and mostly keeps its direction."""
    places = [people.work]
    angle = rng.uniform(0.0, 2.0 * np.pi, len(people.home))
    for _ in range(STOPS - 1):
        angle += rng.normal(0.0, 0.5, len(angle))
        places.append(_inside(_ahead(places[-1], angle, 0.7 * people.reach, rng)))
    return np.stack(places, axis=1)


def _walk(stops: Floats, leave: Floats, pace: Floats) -> Floats:
    """Return the positions at the times of the grid of people who leave stop after stop, at the earliest when there."""
    size = len(pace)
    position = np.repeat(stops[:, :1], len(MINUTES), axis=1)
    free = np.zeros(size)
    for leg in range(STOPS - 1):
        start, end = stops[:, leg], stops[:, leg + 1]
        begin = np.maximum(leave[:, leg], free)
        takes = np.maximum(np.linalg.norm(end - start, axis=1) / pace * 60.0, 1e-9)
        progress = np.clip((MINUTES[None, :] - begin[:, None]) / takes[:, None], 0.0, 1.0)
        moved = start[:, None] + progress[:, :, None] * (end - start)[:, None]
        position = np.where((progress > 0.0)[:, :, None], moved, position)
        free = begin + takes
    return position


def _frame(block: Block, points: Floats, *, cells: bool) -> pl.DataFrame:
    """Return positions of shape (people, days, times, 2) as records."""
    size, days, times, _ = points.shape
    share = points.reshape(-1, 2) / (WIDTH, HEIGHT)
    if cells:
        share = (np.floor(share * CELLS) + 0.5) / CELLS
    first = (FIRST_DAY - date(1970, 1, 1)).days
    minute: Ints = (first + np.arange(days))[:, None] * 24 * 60 + MINUTES[None, :]
    return pl.DataFrame(
        {
            "user": np.repeat(block.numbers + 1, days * times),
            "time": pl.Series(np.tile(minute.ravel(), size) * 60_000).cast(pl.Datetime("ms")),
            "lat": np.round(SOUTH + share[:, 1] * (NORTH - SOUTH), 6),
            "lon": np.round(WEST + share[:, 0] * (EAST - WEST), 6),
        }
    )
