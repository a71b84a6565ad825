"""Methods of PWS Cup 2026: the sample defences of the kit, and a synthesis of our own.

The samples draw from numpy's generator in the order of the kit. Ours draws the majority and the rare people from
copulas of their own, sex and smoking with them, and keeps that draw of the outcomes whose Cox model is nearest to B's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator

from tokumei.array_types import Bools, Floats
from tokumei.contests.pws2026.table import CENSORED, COLUMNS, CONTINUOUS, HORIZON, RANGES, World, matrix

SMALLEST_EIGENVALUE = 1e-8
STEPS = {"age": 10.0, "BMI": 5.0, "SBP": 20.0, "TG": 50.0, "HDL": 20.0, "ALT": 20.0, "FPG": 20.0}
PENALTY = 0.1
DECIMALS = {"BMI": 2, "SBP": 1, "TG": 1, "HDL": 1, "ALT": 1, "FPG": 1}
MIXED = (*CONTINUOUS, "sex", "smoking")


def unchanged(world: World, rng: Generator) -> pl.DataFrame:
    """Return B itself: the most useful and least safe release."""
    return world.cohort.sample(fraction=1.0, shuffle=True, seed=int(rng.integers(2**31)))


def rounded(world: World, rng: Generator) -> pl.DataFrame:
    """Round to the steps of the kit's notebook, half to even."""
    del rng
    steps = [(pl.col(name) / step).round(mode="half_to_even") * step for name, step in STEPS.items()]
    return clipped(world.cohort.with_columns(steps))


def perturbed(world: World, rng: Generator, *, k: float = 0.3) -> pl.DataFrame:
    """Add k standard deviations of normal noise, flip flags, and stretch times."""
    b = world.cohort
    made: dict[str, Any] = {}
    for name in CONTINUOUS:
        values = b[name].to_numpy()
        made[name] = values + rng.normal(0.0, 1.0, b.height) * k * values.std()
    for name in ("sex", "smoking"):
        flipped = rng.random(b.height) < min(0.5, 0.15 * k)
        made[name] = np.where(flipped, 1.0 - b[name].to_numpy(), b[name].to_numpy())
    made["time"] = b["time"].to_numpy() * (1.0 + 0.1 * k * rng.normal(0.0, 1.0, b.height))
    made["age"] = np.floor(made["age"])
    return clipped(b.with_columns(pl.Series(name, values) for name, values in made.items()))


def clipped(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose numbers keep their ranges."""
    limits = [pl.col(name).clip(*limit) for name, limit in RANGES.items()]
    return frame.with_columns(*limits, pl.col("time").clip(1e-6, HORIZON)).select(COLUMNS)


def normal_scores(values: Floats) -> Floats:
    """Return the normal scores of mean ranks, column by column."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    return np.asarray(ndtri(rankdata(values, axis=0) / (len(values) + 1)))


def draw_copula(values: Floats, count: int, rng: Generator) -> Floats:
    """Draw rows from a Gaussian copula with the margins of these values."""
    from scipy.special import ndtr

    with np.errstate(invalid="ignore", divide="ignore"):
        related = np.atleast_2d(np.nan_to_num(np.corrcoef(normal_scores(values), rowvar=False)))
    np.fill_diagonal(related, 1.0)
    weights, axes = np.linalg.eigh(related)
    root = axes * np.sqrt(np.maximum(weights, SMALLEST_EIGENVALUE))
    shares = ndtr(rng.standard_normal((count, values.shape[1])) @ root.T)
    return np.column_stack([np.quantile(values[:, at], shares[:, at]) for at in range(values.shape[1])])


def _margins(world: World, rng: Generator, covariates: Floats) -> pl.DataFrame:
    """Return drawn continuous columns with sex, smoking and prefecture from their margins."""
    b, count = world.cohort, len(covariates)
    columns: dict[str, Any] = dict(zip(CONTINUOUS, covariates.T, strict=True))
    for name in ("sex", "smoking", "prefecture"):
        columns[name] = b[name].gather(rng.integers(0, b.height, count))
    return pl.DataFrame(columns).with_columns(pl.col("age").round())


def copula_synth(world: World, rng: Generator) -> pl.DataFrame:
    """Draw the outcome apart from the covariates: a state, then a time within it."""
    b = world.cohort
    made = _margins(world, rng, draw_copula(matrix(b), b.height, rng))
    rows = rng.integers(0, b.height, b.height)
    return clipped(made.with_columns(b[name].gather(rows) for name in ("time", "onset", "death")))


def copula_survival(world: World, rng: Generator) -> pl.DataFrame:
    """Draw the outcome from cause-specific Cox models, given the covariates."""
    b = world.cohort
    made = _margins(world, rng, draw_copula(matrix(b), b.height, rng))
    return clipped(Outcomes.of(b, PENALTY).draw(made, rng))


class Outcomes:
    """Cause-specific Cox models of onset and death, and draws of outcomes from them."""

    def __init__(self, hazards: dict[str, tuple[Any, Floats, Floats]]) -> None:
        """Keep for every cause its model, times and cumulative hazard."""
        self._hazards = hazards

    @classmethod
    def of(cls, b: pl.DataFrame, penalty: float) -> Outcomes:
        """Fit both models; a cause that nobody has, has none."""
        from tokumei.contests.pws2026.survival import fit_cause

        found = {}
        for cause in ("onset", "death"):
            if b[cause].sum():
                fit = fit_cause(b, cause, penalizer=penalty)
                base = fit.baseline_cumulative_hazard_
                found[cause] = (fit, np.append(0.0, base.index.to_numpy()), np.append(0.0, base.to_numpy()[:, 0]))
        return cls(found)

    def draw(self, covariates: pl.DataFrame, rng: Generator) -> pl.DataFrame:
        """Return the rows with time, onset and death; the earlier event wins, none before the end is censored."""
        import pandas as pd

        from tokumei.contests.pws2026.survival import covariates as seen_by_cox

        table, count = pd.DataFrame(seen_by_cox(covariates)), covariates.height
        times = {cause: np.full(count, np.inf) for cause in ("onset", "death")}
        for cause, (fit, moments, hazard) in self._hazards.items():
            needed = rng.exponential(size=count) / fit.predict_partial_hazard(table).to_numpy()
            rising = np.concatenate([[True], np.diff(hazard) > 0])
            times[cause] = np.where(needed > hazard[-1], np.inf, np.interp(needed, hazard[rising], moments[rising]))
        first = np.minimum(times["onset"], times["death"])
        ended = first < CENSORED
        onset = ended & (times["onset"] <= times["death"])
        days = np.maximum(np.round(np.where(ended, first, CENSORED) * 365.25), 1.0)
        return covariates.with_columns(
            pl.Series("time", np.where(ended, days / 365.25, CENSORED)),
            pl.Series("onset", onset.astype(np.float64)),
            pl.Series("death", (ended & ~onset).astype(np.float64)),
        )


def calibrated(world: World, rng: Generator, *, tries: int = 30) -> pl.DataFrame:
    """Draw majority and rare people apart, and choose among drawn covariates and outcomes those most like B's."""
    from tokumei.contests.pws2026.general import correlation_part, tail_part

    b = world.cohort
    rare = world.reference.distances(b) >= world.reference.lowest

    def covariates() -> pl.DataFrame:
        parts = [
            _part(world, chosen, rng, rare=kind) for kind, chosen in ((False, ~rare), (True, rare)) if chosen.any()
        ]
        return pl.concat(parts)

    def loss(frame: pl.DataFrame) -> float:
        tail, related = tail_part(world, frame), correlation_part(matrix(b, MIXED), matrix(frame, MIXED))
        return max(0.0, tail["shiftz"] - 2.0) / 5.0 + 2.0 * tail["spike"] + 1.0 - related["score"]

    made = min((covariates() for _ in range(tries)), key=loss)
    models = Outcomes.of(b, 0.0 if b["onset"].sum() >= 20 else PENALTY)
    drawn = [clipped(models.draw(made, rng)) for _ in range(tries)]
    return max(drawn, key=lambda frame: _likeness(world, frame)).sample(
        fraction=1.0, shuffle=True, seed=int(rng.integers(2**31))
    )


def _likeness(world: World, frame: pl.DataFrame) -> float:
    from tokumei.contests.pws2026.general import time_part
    from tokumei.contests.pws2026.survival import special_utility

    return min(special_utility(world, frame)[0], time_part(world, frame)["time_dz"])


def _part(world: World, chosen: Bools, rng: Generator, *, rare: bool) -> pl.DataFrame:
    """Return as many new people as were chosen, on the same side of the limit of rarity as far as can be."""
    people = world.cohort.filter(pl.Series(chosen))
    count = people.height
    values = matrix(people, MIXED)
    pool = draw_copula(values + rng.uniform(-1e-6, 1e-6, values.shape), 4 * count, rng)
    columns: dict[str, Any] = dict(zip(MIXED, pool.T, strict=True))
    columns |= {name: np.round(columns[name]) for name in ("age", "sex", "smoking")}
    columns |= {name: np.round(columns[name], digits) for name, digits in DECIMALS.items()}
    columns["prefecture"] = people["prefecture"].gather(rng.integers(0, count, 4 * count))
    frame = pl.DataFrame(columns)
    fits = (world.reference.distances(frame) >= world.reference.lowest) == rare
    order = np.argsort(~fits, kind="stable")[:count]
    return frame[order.tolist()].with_columns(time=pl.lit(CENSORED), onset=pl.lit(0.0), death=pl.lit(0.0)).pipe(clipped)


METHODS: dict[str, Callable[..., pl.DataFrame]] = {
    "calibrated": calibrated,
    "copula-survival": copula_survival,
    "copula-synth": copula_synth,
    "perturb": perturbed,
    "rounding": rounded,
    "unchanged": unchanged,
}
SETTINGS: dict[str, dict[str, tuple[type, float, float]]] = {
    "perturb": {"k": (float, 0.0, 10.0)},
    "calibrated": {"tries": (int, 1, 1000)},
}
