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

from tokumei.array_types import Bools
from tokumei.contests.pws2026.survival import COVARIATES, covariates, fit_cause, special_utility
from tokumei.contests.pws2026.table import CENSORED, COLUMNS, CONTINUOUS, HORIZON, RANGES, World, matrix
from tokumei.synth import Hazard, draw_copula, draw_first_events, draw_margin

STEPS = {"age": 10.0, "BMI": 5.0, "SBP": 20.0, "TG": 50.0, "HDL": 20.0, "ALT": 20.0, "FPG": 20.0}
PENALTY, FEWEST_ONSETS = 0.1, 20
DAYS = 365.25
# Of so many drawn tables that are most like B, the one with the likeliest rare people is taken (forests take time).
FINALISTS = 5
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


def _margins(world: World, rng: Generator) -> pl.DataFrame:
    """Return drawn continuous columns with sex, smoking and prefecture from their margins, as the kit draws them."""
    b = world.cohort
    columns: dict[str, Any] = dict(zip(CONTINUOUS, draw_copula(matrix(b), b.height, rng).T, strict=True))
    for name in ("sex", "smoking", "prefecture"):
        columns[name] = draw_margin(b[name].to_numpy(), rng)
    return pl.DataFrame(columns).with_columns(pl.col("age").floor())


def copula_synth(world: World, rng: Generator) -> pl.DataFrame:
    """Draw the outcome apart from the covariates: a state, then a time within it."""
    b = world.cohort
    made = _margins(world, rng)
    onset, death, times = (b[name].to_numpy() for name in ("onset", "death", "time"))
    states = onset + 2 * death
    drawn, time = draw_margin(states, rng), np.zeros(b.height)
    for state in np.unique(states):
        chosen = drawn == state
        time[chosen] = rng.choice(times[states == state], size=int(chosen.sum()))
    return clipped(made.with_columns(time=time, onset=np.mod(drawn, 2), death=np.floor_divide(drawn, 2)))


def copula_survival(world: World, rng: Generator) -> pl.DataFrame:
    """Draw the outcome from cause-specific Cox models of the plain covariates, given those."""
    made = _margins(world, rng)
    return clipped(_with_outcomes(made, _hazards(world.cohort, made, PENALTY, MIXED), rng, end=HORIZON))


def _hazards(b: pl.DataFrame, made: pl.DataFrame, penalty: float, names: tuple[str, ...]) -> dict[str, Hazard]:
    """Return what B's cause-specific models say of new people; a cause that nobody has, has none."""
    import pandas as pd

    found = {}
    for cause in ("onset", "death"):
        if b[cause].sum():
            fit = fit_cause(b, cause, penalizer=penalty, names=names)
            base = fit.baseline_cumulative_hazard_
            relative = fit.predict_partial_hazard(pd.DataFrame(covariates(made, names))).to_numpy()
            found[cause] = Hazard(base.index.to_numpy(), base.to_numpy()[:, 0], relative)
    return found


def _with_outcomes(made: pl.DataFrame, hazards: dict[str, Hazard], rng: Generator, *, end: float) -> pl.DataFrame:
    time, causes = draw_first_events(hazards, made.height, rng, end=end)
    nobody = np.zeros(made.height, dtype=bool)
    happened = {cause: causes.get(cause, nobody).astype(np.float64) for cause in ("onset", "death")}
    return made.with_columns(time=time, **happened)


def calibrated(world: World, rng: Generator, *, tries: int = 30) -> pl.DataFrame:
    """Draw majority and rare people apart, and choose among drawn covariates and outcomes those most like B's."""
    from tokumei.contests.pws2026.general import correlation_part, tail_part

    b = world.cohort
    rare = world.reference.distances(b) >= world.reference.lowest

    def people() -> pl.DataFrame:
        parts = [
            _part(world, chosen, rng, rare=kind) for kind, chosen in ((False, ~rare), (True, rare)) if chosen.any()
        ]
        return pl.concat(parts)

    def loss(frame: pl.DataFrame) -> float:
        tail, related = tail_part(world, frame), correlation_part(matrix(b, MIXED), matrix(frame, MIXED))
        return max(0.0, tail["shiftz"] - 2.0) / 5.0 + 2.0 * tail["spike"] + 1.0 - related["score"]

    best = sorted((people() for _ in range(tries)), key=loss)[:FINALISTS]
    made = max(best, key=lambda frame: _rare_likeness(world, frame))
    hazards = _hazards(b, made, 0.0 if b["onset"].sum() >= FEWEST_ONSETS else PENALTY, COVARIATES)
    days = (pl.col("time") * DAYS).round().clip(lower_bound=1.0) / DAYS
    drawn = [clipped(_with_outcomes(made, hazards, rng, end=CENSORED).with_columns(days)) for _ in range(tries)]
    return max(drawn, key=lambda frame: _likeness(world, frame)).sample(
        fraction=1.0, shuffle=True, seed=int(rng.integers(2**31))
    )


def _rare_likeness(world: World, frame: pl.DataFrame) -> float:
    """Return how like B's rare people those of a table are; too few of them are like nobody."""
    from tokumei.contests.pws2026.rarity import GATES, profile, two_sample

    found = frame.filter(pl.Series(world.reference.distances(frame) >= world.reference.lowest))
    true = world.cohort.filter(pl.Series(world.rare))
    if min(found.height, true.height) < GATES["c2st_cal"]:
        return float(found.height) - true.height
    return min(profile(found, true), two_sample(found, true))


def _likeness(world: World, frame: pl.DataFrame) -> float:
    from tokumei.contests.pws2026.general import time_part

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
