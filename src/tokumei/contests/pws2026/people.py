"""Seeded people of the shape of PWS Cup 2026: a health check, ten years of watching, and a few rare patients."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
from numpy.random import Generator

from tokumei.contests.pws2026.general import curve_floor, curve_signal
from tokumei.contests.pws2026.table import CENSORED, COLUMNS, RANGES, matrix

# 24 of 1,049 people are rare in the contest, 17 of one kind and 7 of the other.
RARE_SHARES = (17 / 1049, 7 / 1049)
PLACES = ("北海道", "宮城県", "東京都", "神奈川県", "愛知県", "大阪府", "広島県", "福岡県")
PLACE_SHARES = (0.09, 0.05, 0.25, 0.15, 0.12, 0.16, 0.07, 0.11)
LOWEST, HIGHEST, CAP = 4.0, 10.0, 12.0
BACKGROUND, RESERVE = 3, 2


def draw_people(count: int, rng: Generator) -> pl.DataFrame:
    """Draw people with their outcome; ``is_rare`` says who is."""
    kinds = rng.choice(3, count, p=(1 - sum(RARE_SHARES), *RARE_SHARES))
    age = rng.integers(40, 75, count).astype(float)
    sex = (rng.random(count) < 0.5).astype(float)
    smoking = (rng.random(count) < 0.12 + 0.18 * sex).astype(float)
    fat = rng.standard_normal(count)
    bmi = 23.2 + 0.8 * sex + 3.2 * fat - np.where(kinds > 0, 2.5, 0.0)
    sbp = 122 + 0.55 * (age - 57) + 3 * sex + 4.5 * fat + 14 * rng.standard_normal(count)
    tg = np.exp(4.55 + 0.18 * sex + 0.2 * fat + 0.42 * rng.standard_normal(count))
    hdl = 63 - 9 * sex - 4.5 * fat - 3 * smoking + 12 * rng.standard_normal(count)
    alt = np.exp(2.95 + 0.2 * sex + 0.2 * fat + 0.36 * rng.standard_normal(count))
    fpg = 95 + 0.18 * (age - 57) + 2.5 * fat + 2 * sex + 7.5 * rng.standard_normal(count)
    fpg = np.where(kinds == 1, 150 + 10 * rng.standard_normal(count), fpg)
    fpg = np.where(kinds == 2, 175 + 14 * rng.standard_normal(count), fpg)
    raised = 0.075 * np.minimum(fpg - 95, 30) + 0.35 * fat + 0.018 * (age - 57) + 0.25 * smoking + 0.3 * np.log(tg / 95)
    ages = 0.085 * (age - 57) + 0.5 * smoking + 0.3 * sex
    onset = rng.exponential(1.0 / (0.011 * np.exp(raised)))
    death = rng.exponential(1.0 / (0.0035 * np.exp(ages)))
    first = np.minimum(onset, death)
    ended = first < CENSORED
    days = np.clip(np.ceil(np.where(ended, first, CENSORED) * 365.25), 1, 3652)
    columns = {
        "age": age,
        "sex": sex,
        "prefecture": rng.choice(PLACES, count, p=PLACE_SHARES),
        "BMI": np.round(bmi, 2),
        "SBP": np.round(sbp, 1),
        "TG": np.round(tg, 1),
        "HDL": np.round(hdl, 1),
        "ALT": np.round(alt, 1),
        "smoking": smoking,
        "FPG": np.round(fpg, 1),
        "time": np.where(ended, days / 365.25, CENSORED),
        "onset": (ended & (onset <= death)).astype(float),
        "death": (ended & (onset > death)).astype(float),
        "is_rare": (kinds > 0).astype(float),
    }
    limits = [pl.col(name).clip(*limit) for name, limit in RANGES.items()]
    return pl.DataFrame(columns).with_columns(limits)


def write_world(folder: Path, *, size: int, rng: Generator, background: pl.DataFrame | None = None) -> None:
    """Write cohort, background, reference and reserve; the same background serves several cohorts."""
    base = draw_people(BACKGROUND * size, rng) if background is None else background
    cohort, reserve = draw_people(size, rng), draw_people(RESERVE * size, rng)
    majority = base.filter(pl.col("is_rare") == 0) if "is_rare" in base.columns else base
    values = matrix(majority)
    reference = {
        "mu": values.mean(axis=0).tolist(),
        "sigma": np.cov(values, rowvar=False).tolist(),
        "band": {"lo": LOWEST, "hi": HIGHEST, "cap": CAP},
        "b_is_rare": None,
        "km_signal_D": curve_signal(cohort),
        "km_floor": curve_floor(cohort, rng),
    }
    whole = pl.col("age", "sex", "smoking", "onset", "death").cast(pl.Int64)
    for name, frame in (("B_self", cohort), ("reserve", reserve)):
        numbered = frame.with_row_index("record_id").with_columns(whole, pl.col("is_rare").cast(pl.Int64))
        numbered.select("record_id", *COLUMNS, "is_rare").write_csv(folder / f"{name}.csv")
    base.select(COLUMNS).with_columns(whole).write_csv(folder / "A_bg.csv")
    (folder / "utility_ref.json").write_text(json.dumps(reference, indent=1), encoding="utf-8")
