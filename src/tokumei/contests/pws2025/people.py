"""Seeded patients of the shape of PWS Cup 2025."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.random import Generator

from tokumei.contests.pws2025.table import COLUMNS, RULES

RACES = ("asian", "black", "hawaiian", "native", "other", "white")
RACE_SHARES = (0.2, 0.12, 0.05, 0.05, 0.08, 0.5)


def draw_patients(count: int, rng: Generator) -> pl.DataFrame:
    """Draw patients as text cells: counts that grow with age, tied measurements, rarer flags."""
    age = np.clip(rng.gamma(6.0, 9.0, count), 2, 110).round()
    male = rng.random(count) < 0.49
    care = rng.standard_normal(count)
    fat = rng.standard_normal(count)
    encounters = np.exp(2.6 + 0.016 * age + 0.45 * care)
    counts = {
        "encounter_count": encounters,
        "num_procedures": rng.poisson(encounters * 0.45),
        "num_medications": rng.poisson(np.exp(0.8 + 0.022 * age + 0.7 * care)),
        "num_immunizations": rng.poisson(4 + np.where(age < 18, 8, 0.06 * age)),
        "num_allergies": np.where(rng.random(count) < 0.12, rng.poisson(3.0, count), 0),
        "num_devices": rng.poisson(np.exp(-2.2 + 0.03 * age + 0.5 * care)),
    }
    bmi = 27 + 4.2 * fat - np.where(age < 18, 7, 0)
    chances = {
        "asthma_flag": -2.6 - 0.006 * age + 0.12 * counts["num_allergies"],
        "stroke_flag": -6.6 + 0.05 * age + 0.3 * care,
        "obesity_flag": -3.0 + 0.45 * (bmi - 27),
        "depression_flag": -3.2 + 0.3 * care,
    }
    flags = {name: rng.random(count) < 1.0 / (1.0 + np.exp(-value)) for name, value in chances.items()}
    systolic = 108 + 0.3 * age + 2.5 * fat + 9 * rng.standard_normal(count)
    measured = {
        "mean_systolic_bp": systolic,
        "mean_diastolic_bp": 0.62 * systolic + 5 * rng.standard_normal(count),
        "mean_bmi": bmi,
        "mean_weight": bmi * np.where(male, 3.0, 2.6) * np.where(age < 18, 0.5 + age / 36, 1.0),
    }
    columns: dict[str, object] = {
        "GENDER": np.where(male, "M", "F"),
        "RACE": rng.choice(RACES, count, p=RACE_SHARES),
        "ETHNICITY": np.where(rng.random(count) < 0.14, "hispanic", "nonhispanic"),
    }
    for name, values in {"AGE": age, **counts, **flags, **measured}.items():
        columns[name] = written(name, np.asarray(values, dtype=np.float64))
    return pl.DataFrame(columns).select(COLUMNS)


def written(name: str, values: np.ndarray) -> list[str]:
    """Return numbers as the contest writes them: within their range, whole or with up to two decimals."""
    rule = RULES[name]
    kept = np.round(np.clip(values, float(rule.low), float(rule.high)), rule.decimals or 0)
    return [f"{value:.0f}" if rule.decimals == 0 else repr(float(value)) for value in kept.tolist()]
