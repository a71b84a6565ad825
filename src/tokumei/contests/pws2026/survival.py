"""U_spec of PWS Cup 2026: Cox models of onset on B and on C, their intervals and their concordance (lifelines)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats
from tokumei.contests.pws2026.table import World, clip

if TYPE_CHECKING:
    import pandas as pd

COVARIATES = ("age", "sex", "BMI", "SBP", "log_TG", "HDL", "log_ALT", "FPG", "smoking")
# Below this much above one half, B's own model orders nobody: then there is nothing to lose.
SMALLEST_SKILL = 0.02


@dataclass(frozen=True, eq=False)
class CoxModel:
    """A fitted Cox model: coefficients and their 95 % intervals."""

    beta: Floats
    low: Floats
    high: Floats

    @property
    def significant(self) -> Bools:
        """Whether an interval leaves 0 out, per coefficient."""
        return np.asarray((self.low > 0) | (self.high < 0))


def covariates(frame: pl.DataFrame) -> pd.DataFrame:
    """Return what the models see."""
    import pandas as pd

    columns = {}
    for name in COVARIATES:
        values = frame[name.removeprefix("log_")].to_numpy()
        columns[name] = np.log(np.maximum(values, 1e-6)) if name.startswith("log_") else values
    return pd.DataFrame(columns)


def fit_cox(frame: pl.DataFrame, event: str = "onset", *, penalizer: float = 0.0) -> Any:
    """Fit time to an event with lifelines (Efron's ties); warnings about the data are not errors."""
    from lifelines import CoxPHFitter

    table = covariates(frame)
    table["time"], table["event"] = frame["time"].to_numpy(), frame[event].to_numpy()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return CoxPHFitter(penalizer=penalizer).fit(table, "time", "event")


def cox_model(frame: pl.DataFrame) -> CoxModel | None:
    """Return the model of onset; None if there is none, or one that says nothing."""
    from lifelines.exceptions import ConvergenceError

    try:
        fit = fit_cox(frame)
    except (ConvergenceError, ValueError, ArithmeticError, np.linalg.LinAlgError):
        return None
    errors = fit.standard_errors_.to_numpy()
    bounds = fit.confidence_intervals_.to_numpy()
    model = CoxModel(fit.params_.to_numpy(), bounds[:, 0], bounds[:, 1])
    usable = np.isfinite(model.beta).all() and np.isfinite(bounds).all() and (errors > 0).all()
    return model if usable else None


def interval_overlap(one: CoxModel, other: CoxModel) -> tuple[Floats, Floats]:
    """Return the overlap of both intervals of every coefficient, and what it counts (0 for another finding)."""
    shared = np.minimum(one.high, other.high) - np.maximum(one.low, other.low)
    overlap = np.clip(0.5 * (shared / (one.high - one.low) + shared / (other.high - other.low)), 0.0, 1.0)
    differ = one.significant != other.significant
    opposite = one.significant & other.significant & (np.sign(one.beta) != np.sign(other.beta))
    return overlap, np.where(differ | opposite, 0.0, overlap)


def concordance(frame: pl.DataFrame, model: CoxModel) -> float:
    """Return how well a model orders the onsets of a cohort."""
    from lifelines.utils import concordance_index

    table = covariates(frame).to_numpy()
    return float(concordance_index(frame["time"].to_numpy(), -(table @ model.beta), frame["onset"].to_numpy()))


@lru_cache(maxsize=2)
def _model_of_the_cohort(world: World) -> tuple[CoxModel, float] | None:
    """Return B's own model and how well it orders B, fitted once for all tables that are measured against it."""
    model = cox_model(world.cohort)
    return None if model is None else (model, concordance(world.cohort, model))


def special_utility(world: World, made: pl.DataFrame) -> tuple[float, dict[str, Any]]:
    """Return U_spec and its parts."""
    fitted, theirs = _model_of_the_cohort(world), cox_model(made)
    if fitted is None or theirs is None:
        return 0.0, {"cox_converged": False, "error": True}
    mine, own = fitted
    overlap, counted = interval_overlap(mine, theirs)
    other = concordance(world.cohort, theirs)
    score = 1.0 if own - 0.5 < SMALLEST_SKILL else clip((other - 0.5) / (own - 0.5))
    part = float(counted.mean())
    coefficients = {
        name: {
            "beta_B": float(mine.beta[at]),
            "beta_C": float(theirs.beta[at]),
            "sig_B": bool(mine.significant[at]),
            "sig_C": bool(theirs.significant[at]),
            "io": float(overlap[at]),
            "contrib": float(counted[at]),
        }
        for at, name in enumerate(COVARIATES)
    }
    return min(part, score), {
        "cox_converged": True,
        "io_part": part,
        "per_coefficient": coefficients,
        "tstr_c_index": other,
        "tstr": clip(2.0 * other - 1.0),
        "trtr_c_index": own,
        "tstr_cal": score,
    }
