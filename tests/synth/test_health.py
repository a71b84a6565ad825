"""The synthetic health table has the columns of PWS Cup 2021 and the marginals and odds of the real table B."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.array_types import Floats
from tokumei.contests.pws2021.logistic import fit_logistic
from tokumei.errors import ParameterError
from tokumei.synth.health import generate_health

COLUMNS = ["gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia"]
# Column: quantile level, largest difference.
QUANTILES = [("age", 0.1, 2.0), ("age", 0.5, 2.0), ("age", 0.9, 2.0), ("bmi", 0.1, 1.5), ("bmi", 0.5, 1.5),
             ("bmi", 0.9, 1.5), ("bmi", 0.99, 2.5)]  # fmt: skip
EXPOSURES = {
    "male": pl.col("gen") == "Male",
    "depression": pl.col("dep") == 1,
    "poverty": pl.col("pir") == 1,
    "obese": pl.col("bmi") >= 30,
    "sixty": pl.col("age") >= 60,
    "inactive": pl.col("qm") == "Q1",
    "white": pl.col("race") == "White",
    "graduate": pl.col("edu") == "Graduate",
    "never married": pl.col("mar") == "Never",
}


@pytest.fixture
def real(real_data: Path) -> pl.DataFrame:
    return pl.read_csv(real_data / "pwscup2021_B.csv", has_header=False, new_columns=COLUMNS)


@pytest.fixture(scope="module")
def made() -> pl.DataFrame:
    return pl.concat(generate_health(20_000, seed=1))


def _odds_ratio(frame: pl.DataFrame, exposure: pl.Expr) -> float:
    """Return the crude odds ratio of diabetes."""
    table = frame.group_by(exposure.alias("exposed")).agg(pl.col("dia").mean()).sort("exposed")["dia"].to_numpy()
    odds = table / (1.0 - table)
    return float(odds[1] / odds[0])


def _coefficients(frame: pl.DataFrame) -> Floats:
    """Return the log-odds of diabetes by ten years of age, five of body mass index, and sex."""
    known = [(frame["age"] - 50) / 10, (frame["bmi"] - 29) / 5, (frame["gen"] == "Male").cast(pl.Float64)]
    design = np.column_stack([np.ones(frame.height), *(column.to_numpy() for column in known)])
    return fit_logistic(design, frame["dia"].to_numpy().astype(np.float64)).coefficients[1:]


def _unique_share(frame: pl.DataFrame) -> float:
    return float((frame.select(pl.len().over("gen", "age", "race", "edu", "mar"))["len"].to_numpy() == 1).mean())


@pytest.mark.parametrize("column", ["gen", "race", "edu", "mar", "dep", "pir", "qm", "dia"])
def test_every_value_is_as_frequent_as_in_the_real_table(real: pl.DataFrame, made: pl.DataFrame, column: str) -> None:
    wanted = dict(real[column].value_counts(normalize=True).rows())
    found = dict(made[column].value_counts(normalize=True).rows())
    assert found.keys() == wanted.keys()
    assert {value: share for value, share in found.items() if abs(share - wanted[value]) > 0.03} == {}


@pytest.mark.parametrize(("column", "level", "tolerance"), QUANTILES)
def test_quantiles_are_those_of_the_real_table(
    real: pl.DataFrame, made: pl.DataFrame, column: str, level: float, tolerance: float
) -> None:
    wanted, found = (float(np.quantile(frame[column].to_numpy(), level)) for frame in (real, made))
    assert found == pytest.approx(wanted, abs=tolerance)


@pytest.mark.parametrize("exposure", EXPOSURES)
def test_odds_ratios_of_diabetes_are_those_of_the_real_table(
    real: pl.DataFrame, made: pl.DataFrame, exposure: str
) -> None:
    ratio = _odds_ratio(made, EXPOSURES[exposure]) / _odds_ratio(real, EXPOSURES[exposure])
    assert 1 / 1.35 < ratio < 1.35


def test_the_logistic_model_of_diabetes_is_that_of_the_real_table(real: pl.DataFrame, made: pl.DataFrame) -> None:
    assert _coefficients(made) == pytest.approx(_coefficients(real), abs=0.2)


def test_people_are_as_unique_as_in_the_real_table(real: pl.DataFrame, made: pl.DataFrame) -> None:
    assert _unique_share(made.head(real.height)) == pytest.approx(_unique_share(real), abs=0.08)


def test_values_lie_in_the_domains_of_the_contest(made: pl.DataFrame) -> None:
    assert made.columns == COLUMNS
    assert made["age"].min() == 20
    assert made["age"].max() == 80
    assert made["bmi"].is_between(14.5, 67.3).all()
    tenths = made["bmi"].to_numpy() * 10
    assert np.abs(tenths - np.rint(tenths)).max() < 1e-9
    assert set(made["mar"].unique()) == {"Divorced", "Married", "Never", "Parther", "Separated", "Widowed"}
    assert made["gh"].to_list() == made["mets"].to_list() == [0] * made.height


def test_the_seed_decides() -> None:
    first, again, other = (pl.concat(generate_health(1500, seed=seed)) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^subjects must be 1 or more, got 0$"):
        next(generate_health(0, seed=1))
