"""Attacks on synthetic cohorts: the reference attacks of PWS Cup 2026, and our own.

Each gives a confidence per candidate that the person is in the target's cohort, and a time per challenge row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.contests.pws2026.table import CENSORED, matrix
from tokumei.contests.pws2026.validity import NEIGHBOUR_COLUMNS

KNOWN = ("age", "SBP", "TG", "HDL", "ALT")
ONSET_NEIGHBOURS = 5
SMALLEST_DENSITY = 1e-300


def density_ratio(made: pl.DataFrame, background: pl.DataFrame, candidates: pl.DataFrame) -> Floats:
    """Return r / (1 + r), r = density of C over density of the background (Gaussian kernels, Scott's width).

    A singular covariance gives 1/2, as far as scipy notices it; fewer rows than columns raise ValueError.
    """
    from scipy.stats import gaussian_kde

    base = matrix(background)
    middle, spread = base.mean(axis=0), base.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    c, a, x = ((matrix(frame) - middle) / spread for frame in (made, background, candidates))
    try:
        mine, theirs = gaussian_kde(c.T)(x.T), gaussian_kde(a.T)(x.T)
    except np.linalg.LinAlgError:
        return np.full(len(x), 0.5)
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = mine / np.maximum(theirs, SMALLEST_DENSITY)
        return np.where(np.isinf(ratio), 1.0, ratio / (1.0 + ratio))


def nearest_rows(made: pl.DataFrame, background: pl.DataFrame, rows: pl.DataFrame, count: int) -> list[Ints]:
    """Return the nearest rows of C for every row: of the same sex and prefecture, else sex, else any."""
    return [block[np.argsort(away, kind="stable")[:count]] for block, away in _distances(made, background, rows)]


def _distances(made: pl.DataFrame, background: pl.DataFrame, rows: pl.DataFrame) -> Iterator[tuple[Ints, Floats]]:
    """Yield for every row the rows of C that may be nearest, and how far they are."""
    spread = matrix(background, KNOWN).std(axis=0, ddof=1)
    spread = np.where(spread > 0, spread, 1.0)
    c, x = (matrix(frame, KNOWN) / spread for frame in (made, rows))
    sex, place = made["sex"].to_numpy(), made["prefecture"].to_numpy()
    every = np.arange(len(c))
    blocks: dict[tuple[float, str], Ints] = {}
    for row, key in zip(x, rows.select("sex", "prefecture").iter_rows(), strict=True):
        if key not in blocks:
            choices = (every[(sex == key[0]) & (place == key[1])], every[sex == key[0]], every)
            blocks[key] = next(block for block in choices if len(block))
        block = blocks[key]
        yield block, np.sqrt(((c[block] - row) ** 2).mean(axis=1))


def nearest_time(made: pl.DataFrame, background: pl.DataFrame, rows: pl.DataFrame) -> tuple[Floats, Floats]:
    """Return the time of the nearest row of C, and the share of onset among the five nearest."""
    time, onset = made["time"].to_numpy(), made["onset"].to_numpy()
    times, shares = [], []
    for block, away in _distances(made, background, rows):
        count = min(ONSET_NEIGHBOURS, len(block))
        # Which of equally near rows count is left to numpy, as in the official attack.
        near = block if count == len(block) else block[np.argpartition(away, count - 1)[:count]]
        times.append(time[block[np.argmin(away)]])
        shares.append(onset[near].mean())
    return np.array(times), np.array(shares)


def nearness_ratio(made: pl.DataFrame, background: pl.DataFrame, candidates: pl.DataFrame) -> Floats:
    """Return how much nearer a candidate's whole row stands to C than to the background, between 0 and 1.

    Unlike the densities it uses time, onset, death, sex and smoking too, and sees a single copied row.
    """
    from scipy.spatial import cKDTree

    base = matrix(background, NEIGHBOUR_COLUMNS)
    middle, spread = base.mean(axis=0), base.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    c, a, x = ((matrix(frame, NEIGHBOUR_COLUMNS) - middle) / spread for frame in (made, background, candidates))
    # The background may be larger: as many of its rows as C has are as near by chance alone.
    near = cKDTree(c).query(x)[0] + 1e-9
    depth = max(1, round(len(a) / len(c)))
    far = cKDTree(a).query(x, k=[depth])[0][:, 0] + 1e-9
    return np.asarray(far / (near + far))


def cautious_time(made: pl.DataFrame, background: pl.DataFrame, rows: pl.DataFrame) -> Floats:
    """Return the time of the nearest row where it is much nearer than the background's, else the end of the study.

    Controls are answered with the end of the study as often as members, so that only true copies count.
    """
    near, own = nearest_rows(made, background, rows, 1), nearest_rows(background, background, rows, 1)
    spread = matrix(background, KNOWN).std(axis=0, ddof=1)
    spread = np.where(spread > 0, spread, 1.0)
    c, a, x = (matrix(frame, KNOWN) / spread for frame in (made, background, rows))
    to_c = np.sqrt(((c[[block[0] for block in near]] - x) ** 2).mean(axis=1))
    to_a = np.sqrt(((a[[block[0] for block in own]] - x) ** 2).mean(axis=1))
    times = made["time"].to_numpy()[[block[0] for block in near]]
    return np.where(to_c < 0.5 * to_a, times, CENSORED)


Membership = Callable[[pl.DataFrame, pl.DataFrame, pl.DataFrame], Floats]
ATTACKS: dict[str, tuple[Membership, Membership]] = {
    "reference": (density_ratio, lambda made, base, rows: nearest_time(made, base, rows)[0]),
    "nearness": (nearness_ratio, cautious_time),
}
