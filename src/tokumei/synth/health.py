"""Synthetic health table: the twelve columns of PWS Cup 2021 (spec D.1), one row per person.

Attributes are drawn one after another: age, sex, race, education, marital status, poverty, depression, activity, body
mass index, diabetes. A nominal attribute that depends on several others has the odds that each of them gives it,
multiplied: P(v | a, b) is proportional to P(v | a) P(v | b) / P(v). The 0/1 attributes follow logistic models, the
logarithm of the body mass index a linear one with a longer right tail. The percentages and coefficients are rounded
summaries of a national survey, not records.

Shape
    Compared with the table B of 2021 by ``tests/read/test_synthetic_health.py``, on 20,000 rows:

    ==========================================================  ==============================
    share of every value of every nominal and 0/1 column        within 0.03
    quantiles of age and body mass index (10 to 90 %, 99 %)     within 2 years, 1.5 (2.5)
    crude odds ratio of diabetes for every 0/1 attribute, sex,  within a factor of 1.35
    obesity (BMI 30), age 60 and the least active quarter
    logistic coefficients of age, BMI and sex                   within 0.2
    rows unique in sex, age, race, education and marital        within 0.08 (4,190 rows)
    status
    ==========================================================  ==============================
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.synth.blocks import Block, blocks, categories, draw, resolve_seed

SEX = ("Female", "Male")
RACE = ("Black", "Hispanic", "Mexican", "Other", "White")
EDUCATION = ("11th", "9th", "College", "Graduate", "HighSchool")
MARITAL = ("Divorced", "Married", "Never", "Parther", "Separated", "Widowed")  # spelled as in the contest
ACTIVITY = ("Q1", "Q2", "Q3", "Q4")
OLDEST = 80
BMI_LIMITS = (14.5, 67.3)

# Per cent. Rows are ages 20-29, 30-39 ... 70-79, 80 (and over), or the values of the attribute named last.
_AGE = (16.3, 16.1, 16.2, 15.7, 17.6, 11.1, 7.0)
_RACE_BY_AGE = (
    (22.6, 11.1, 18.2, 17.9, 30.2), (19.2, 14.0, 17.1, 19.3, 30.5), (22.8, 12.4, 17.1, 20.0, 27.7),
    (21.5, 14.6, 16.3, 16.4, 31.2), (21.8, 19.5, 20.7, 11.5, 26.4), (17.0, 12.7, 17.2, 9.7, 43.6),
    (12.2, 5.8, 7.8, 7.8, 66.4),
)  # fmt: skip
_EDUCATION = (11.8, 13.2, 29.0, 24.0, 22.0)
_EDUCATION_BY_RACE = (
    (13.6, 5.7, 35.7, 18.4, 26.7), (14.0, 21.4, 27.0, 16.1, 21.4), (17.7, 36.8, 16.3, 8.4, 20.9),
    (9.7, 9.9, 21.7, 44.4, 14.3), (7.7, 3.9, 35.6, 29.3, 23.5),
)  # fmt: skip
_EDUCATION_BY_AGE = (
    (10.3, 4.7, 35.9, 24.3, 24.8), (11.0, 10.1, 29.1, 29.1, 20.7), (12.2, 12.1, 27.4, 28.4, 19.9),
    (13.9, 12.0, 28.5, 22.5, 23.1), (12.7, 18.6, 25.9, 21.1, 21.7), (9.7, 21.5, 26.8, 22.1, 20.0),
    (12.2, 19.0, 28.5, 15.3, 25.1),
)  # fmt: skip
_MARITAL = (10.6, 51.8, 17.6, 9.3, 3.2, 7.5)
_MARITAL_BY_AGE = (
    (1.5, 23.9, 53.5, 19.2, 1.8, 0.1), (6.7, 55.0, 20.4, 15.5, 2.1, 0.4), (12.1, 62.6, 11.6, 8.4, 4.0, 1.3),
    (14.5, 60.1, 9.7, 6.8, 4.6, 4.3), (14.6, 59.5, 8.8, 4.9, 3.9, 8.3), (16.5, 52.1, 4.3, 2.6, 3.9, 20.6),
    (9.5, 46.1, 3.1, 1.0, 1.0, 39.3),
)  # fmt: skip
_MARITAL_BY_RACE = (
    (13.5, 35.7, 29.9, 9.5, 4.2, 7.3), (12.6, 45.6, 15.6, 13.5, 6.0, 6.7), (7.1, 59.1, 12.1, 11.1, 4.3, 6.3),
    (6.3, 65.6, 17.9, 5.4, 0.9, 3.9), (11.9, 54.1, 13.7, 8.2, 1.9, 10.3),
)  # fmt: skip
_MARITAL_BY_SEX = ((12.3, 46.5, 17.5, 8.9, 3.8, 11.1), (8.9, 57.3, 17.8, 9.6, 2.6, 3.8))
_ACTIVITY = (27.9, 24.5, 23.4, 24.2)
_ACTIVITY_BY_AGE = (
    (14.1, 18.2, 29.2, 38.6), (20.1, 19.9, 26.9, 33.1), (26.4, 25.5, 23.0, 25.2), (28.8, 26.0, 21.8, 23.4),
    (33.6, 30.9, 19.8, 15.7), (35.4, 27.0, 24.7, 12.9), (52.9, 23.7, 13.9, 9.5),
)  # fmt: skip
_ACTIVITY_BY_SEX = ((32.5, 27.1, 22.2, 18.1), (23.1, 21.9, 24.6, 30.4))
_ACTIVITY_BY_EDUCATION = (
    (36.5, 23.9, 15.4, 24.1), (44.8, 23.1, 14.4, 17.7), (23.0, 24.1, 23.8, 29.2), (19.9, 27.9, 34.0, 18.3),
    (28.3, 22.5, 21.0, 28.2),
)  # fmt: skip

# Log-odds (and changes of log BMI), in the order of the values above.
_POVERTY = {"base": -2.36, "age": -0.06, "male": -0.13}
_POVERTY_RACE = (0.61, 0.58, 0.68, 0.56, 0.0)
_POVERTY_EDUCATION = (0.80, 1.32, 0.0, -0.75, 0.44)
_POVERTY_MARITAL = (0.86, 0.0, 0.63, 0.55, 0.72, 0.34)
_DEPRESSION = {"base": -1.33, "age": 0.02, "male": -0.28, "poverty": 0.53}
_DEPRESSION_RACE = (-0.58, 0.0, -0.31, -0.38, 0.0)
_DEPRESSION_MARITAL = (0.40, 0.0, 0.58, 0.17, 0.51, 0.11)
_LOG_BMI = {"base": 3.361, "male": -0.018, "age": 0.008, "age2": -0.012, "depression": 0.016, "poverty": 0.008}
_LOG_BMI_RACE = (0.039, 0.017, 0.047, -0.106, 0.0)
_LOG_BMI_EDUCATION = (0.0, 0.0, 0.0, -0.031, 0.0)
_LOG_BMI_ACTIVITY = (0.026, 0.019, 0.0, 0.0)
_DIABETES = {
    "base": -2.41, "male": 0.41, "age": 0.70, "age2": -0.13, "bmi": 0.48, "depression": 0.38, "poverty": 0.22,
}  # fmt: skip
_DIABETES_RACE = (0.70, 0.45, 0.79, 0.75, 0.0)
_DIABETES_MARITAL = (-0.30, 0.0, 0.10, 0.10, -0.19, -0.20)
_DIABETES_ACTIVITY = (0.41, 0.11, 0.02, 0.0)


def generate_health(subjects: int, *, seed: int | None = None) -> Iterator[pl.DataFrame]:
    """Yield the health table in blocks of rows: gen, age, race, edu, mar, bmi, dep, pir, gh, mets, qm, dia.

    >>> next(generate_health(5, seed=1)).shape
    (5, 12)
    """
    for block in blocks(subjects, resolve_seed(seed)):
        yield _table(block)


def _table(block: Block) -> pl.DataFrame:
    """Draw one block of people."""
    rng, size = block.rng, block.size
    band = draw(rng.uniform(size=size), _AGE)
    age = np.minimum(20 + 10 * band + rng.integers(0, 10, size), OLDEST)
    male = (rng.uniform(size=size) < 0.495).astype(np.int64)
    race = _choose(rng, (_RACE_BY_AGE, band))
    education = _choose(rng, (_EDUCATION_BY_RACE, race), (_EDUCATION_BY_AGE, band), overall=_EDUCATION)
    marital = _choose(rng, (_MARITAL_BY_AGE, band), (_MARITAL_BY_RACE, race), (_MARITAL_BY_SEX, male), overall=_MARITAL)
    activity = _choose(
        rng, (_ACTIVITY_BY_AGE, band), (_ACTIVITY_BY_SEX, male), (_ACTIVITY_BY_EDUCATION, education), overall=_ACTIVITY
    )
    tens = (age - 50) / 10.0
    known: dict[str, npt.NDArray[np.generic]] = {"male": male, "age": tens, "age2": tens**2}
    nominal = _sum((_POVERTY_RACE, race), (_POVERTY_EDUCATION, education), (_POVERTY_MARITAL, marital))
    known["poverty"] = _happens(rng, _linear(_POVERTY, known) + nominal)
    nominal = _sum((_DEPRESSION_RACE, race), (_DEPRESSION_MARITAL, marital))
    known["depression"] = _happens(rng, _linear(_DEPRESSION, known) + nominal)
    nominal = _sum((_LOG_BMI_RACE, race), (_LOG_BMI_EDUCATION, education), (_LOG_BMI_ACTIVITY, activity))
    bmi = _body_mass(rng, _linear(_LOG_BMI, known) + nominal, male)
    known["bmi"] = (bmi - 29.0) / 5.0
    nominal = _sum((_DIABETES_RACE, race), (_DIABETES_MARITAL, marital), (_DIABETES_ACTIVITY, activity))
    diabetes = _happens(rng, _linear(_DIABETES, known) + nominal)
    unused = np.zeros(size, dtype=np.int64)
    return pl.DataFrame(
        {
            "gen": categories(SEX, male),
            "age": age.astype(np.float64),  # written 62.0 in the contest's file
            "race": categories(RACE, race),
            "edu": categories(EDUCATION, education),
            "mar": categories(MARITAL, marital),
            "bmi": bmi,
            "dep": known["depression"],
            "pir": known["poverty"],
            "gh": unused,
            "mets": unused,
            "qm": categories(ACTIVITY, activity),
            "dia": diabetes,
        }
    )


def _choose(
    rng: np.random.Generator,
    *given: tuple[tuple[tuple[float, ...], ...], Ints],
    overall: tuple[float, ...] | None = None,
) -> Ints:
    """Draw a value for everybody from the product of the conditional tables."""
    weight = np.prod([np.array(table)[codes] for table, codes in given], axis=0)
    if overall is not None:
        weight = weight / np.array(overall) ** (len(given) - 1)
    cumulative = np.cumsum(weight, axis=1)
    level = rng.uniform(size=len(weight)) * cumulative[:, -1]
    return (cumulative <= level[:, None]).sum(axis=1).clip(max=weight.shape[1] - 1).astype(np.int64)


def _linear(model: dict[str, float], known: dict[str, npt.NDArray[np.generic]]) -> Floats:
    """Return the linear predictor of a model from the attributes known so far."""
    terms = [factor * known[name].astype(np.float64) for name, factor in model.items() if name != "base"]
    return model["base"] + np.sum(terms, axis=0)


def _sum(*effects: tuple[tuple[float, ...], Ints]) -> Floats:
    """Return the summed effects of nominal attributes."""
    return np.sum([np.array(table)[codes] for table, codes in effects], axis=0)


def _happens(rng: np.random.Generator, log_odds: Floats) -> Ints:
    """Draw 1 with the probability that these log-odds mean."""
    return (rng.uniform(size=len(log_odds)) < 1.0 / (1.0 + np.exp(-log_odds))).astype(np.int64)


def _body_mass(rng: np.random.Generator, log_mean: Floats, male: Ints) -> Floats:
    """Draw body mass indices around the mode, with a longer tail to the right, in steps of 0.1."""
    normal = rng.normal(size=len(log_mean))
    spread = np.where(normal < 0, 0.185, 0.235) * np.where(male == 1, 0.91, 1.07)
    return np.round(np.clip(np.exp(log_mean + spread * normal), *BMI_LIMITS), 1)
