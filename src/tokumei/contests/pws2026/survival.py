"""U_spec of PWS Cup 2026: Cox models of onset on B and on C, their intervals and their concordance (lifelines)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Floats
from tokumei.contests.pws2026.table import World, clip
from tokumei.metrics import CoxModel, concordance, fit_cox, fitted_cox, interval_overlap

COVARIATES = ("age", "sex", "BMI", "SBP", "log_TG", "HDL", "log_ALT", "FPG", "smoking")
# Below this much above one half, B's own model orders nobody: then there is nothing to lose.
SMALLEST_SKILL = 0.02


def covariates(frame: pl.DataFrame, names: tuple[str, ...] = COVARIATES) -> dict[str, Floats]:
    """Return what the models see."""
    columns = {}
    for name in names:
        values = frame[name.removeprefix("log_")].to_numpy()
        columns[name] = np.log(np.maximum(values, 1e-6)) if name.startswith("log_") else values
    return columns


def fit_cause(frame: pl.DataFrame, cause: str, *, penalizer: float, names: tuple[str, ...] = COVARIATES) -> Any:
    """Fit time to onset or death."""
    return fit_cox(covariates(frame, names), frame["time"].to_numpy(), frame[cause].to_numpy(), penalizer=penalizer)


def _model(frame: pl.DataFrame) -> CoxModel | None:
    return fitted_cox(covariates(frame), frame["time"].to_numpy(), frame["onset"].to_numpy())


def _concordance(frame: pl.DataFrame, model: CoxModel) -> float:
    return concordance(covariates(frame), frame["time"].to_numpy(), frame["onset"].to_numpy(), model)


@lru_cache(maxsize=2)
def _model_of_the_cohort(world: World) -> tuple[CoxModel, float] | None:
    """Return B's own model and how well it orders B, fitted once for all tables that are measured against it."""
    model = _model(world.cohort)
    return None if model is None else (model, _concordance(world.cohort, model))


def special_utility(world: World, made: pl.DataFrame) -> tuple[float, dict[str, Any]]:
    """Return U_spec and its parts."""
    fitted, theirs = _model_of_the_cohort(world), _model(made)
    if fitted is None or theirs is None:
        return 0.0, {"cox_converged": False, "error": True}
    mine, own = fitted
    overlap, counted = interval_overlap(mine, theirs)
    other = _concordance(world.cohort, theirs)
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
