"""Item 2 of PWS Cup 2025: a logistic regression of asthma on the first 80 %, and everything it reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tokumei.array_types import Floats
from tokumei.contests.pws2025.table import Patients
from tokumei.errors import InfeasibleError
from tokumei.parts import need_libraries

TARGET = "asthma_flag"
FIGURES = ("coef", "p_value", "OR_norm", "CI_low_norm", "CI_high_norm", "VIF_norm")
ALWAYS = "ETHNICITY_hispanic"
MOST_ITERATIONS, DEVIANCE_TOLERANCE = 100, 1e-8
LEVEL = 1.959963984540054
LARGEST_EXPONENT = 700.0
SMALLEST_CHANCE = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Fit:
    """The figures per term and the area under the curve of the held-out fifth."""

    table: dict[str, list[float]]
    area: float | None


def fit_logistic(patients: Patients) -> Fit:
    """Fit the model as the official program does (the split is scikit-learn's, so the order of rows matters)."""
    need_libraries("sklearn")
    from scipy.stats import norm
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import train_test_split

    features = {name: column for name, column in patients.features(TARGET).items() if np.ptp(column) > 0}
    answer = patients.answers(TARGET)
    rows = np.arange(patients.height)
    try:
        train, test = train_test_split(rows, test_size=0.2, random_state=42, stratify=answer)
    except ValueError as error:
        message = f"the rows cannot be split by {TARGET}: {error}; every value of it needs two rows or more"
        raise InfeasibleError(message, code="no-split") from error
    design = np.column_stack([np.ones(len(rows)), *features.values()])
    beta, covariance = _iterate(design[train], answer[train])
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    factors = _inflation(design[train])
    table: dict[str, list[float]] = {ALWAYS: [0.0] * len(FIGURES)}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        chances = 2.0 * norm.sf(np.abs(beta / errors))
        for at, name in enumerate(features, 1):
            low, high = beta[at] - LEVEL * errors[at], beta[at] + LEVEL * errors[at]
            shares = [_share(value) for value in (beta[at], low, high)]
            table[name] = [float(beta[at]), float(chances[at]), *shares, 1.0 - 1.0 / factors[at]]
        guessed = _logistic(design[test] @ beta)
    both = 0 < answer[test].sum() < len(test)
    return Fit(table, float(roc_auc_score(answer[test], guessed)) if both else None)


def _share(exponent: float) -> float:
    """Return x / (1 + x) for x = exp(exponent)."""
    return float(_logistic(np.array(exponent)))


def _logistic(value: Floats) -> Floats:
    """Return 1 / (1 + exp(-value)) without overflow: beyond the limit it is 0 or 1 to the last digit."""
    return 1.0 / (1.0 + np.exp(-np.clip(value, -LARGEST_EXPONENT, LARGEST_EXPONENT)))


def _iterate(design: Floats, answer: Floats) -> tuple[Floats, Floats]:
    """Return coefficients and covariance by weighted least squares, ended when the deviance stands still.

    Where a column separates the answers, coefficients run away and hang on every step; so the steps are those of the
    official library: the linear predictor is kept, chances are held off 0 and 1, and the last step is solved again.
    """
    chances = (answer + 0.5) / 2.0
    predictor = np.log(chances / (1.0 - chances))
    before = _deviance(answer, chances)
    root, working = np.ones(len(answer)), answer
    for _ in range(MOST_ITERATIONS):
        held = np.clip(chances, SMALLEST_CHANCE, 1.0 - SMALLEST_CHANCE)
        spread = held * (1.0 - held)
        root, working = np.sqrt(spread), predictor + (answer - chances) / spread
        beta = np.linalg.lstsq(design * root[:, None], working * root, rcond=-1)[0]
        predictor = design @ beta
        chances = _logistic(predictor)
        deviance = _deviance(answer, chances)
        if abs(deviance - before) <= DEVIANCE_TOLERANCE:
            break
        before = deviance
    solver = np.linalg.pinv(design * root[:, None], rcond=1e-15)
    return solver @ (working * root), solver @ solver.T


def _deviance(answer: Floats, chances: Floats) -> float:
    """Return twice the log likelihood that a perfect model has more; a chance of 0 costs much, not everything."""
    right = np.where(answer > 0.5, chances, 1.0 - chances)
    return float(2.0 * np.sum(np.log(np.maximum(1.0 / (right + 1e-20), SMALLEST_CHANCE))))


def _inflation(design: Floats) -> Floats:
    """Return the variance inflation factor of every column but the constant; what has none counts 1."""
    found = np.ones(design.shape[1])
    for at in range(1, design.shape[1]):
        others = np.delete(design, at, axis=1)
        values = design[:, at]
        rest = values - others @ np.linalg.lstsq(others, values, rcond=None)[0]
        away = values - values.mean()
        explained = 1.0 - (rest @ rest) / (away @ away) if away @ away > 0 else 1.0
        factor = 1.0 / (1.0 - explained) if explained < 1.0 else np.inf
        found[at] = factor if np.isfinite(factor) and factor >= 1.0 else 1.0
    return found


def logistic_difference(b: Fit, c: Fit) -> dict[str, Any]:
    """Return the largest differences: coefficients squeezed (final) and as they are (preliminary), and where."""
    terms = sorted({*b.table, *c.table})
    empty = [0.0] * len(FIGURES)
    gaps = np.array([np.subtract(c.table.get(term, empty), b.table.get(term, empty)) for term in terms])
    plain = float(np.abs(gaps).max())
    gaps[:, 0] = 2.0 * _logistic(gaps[:, 0]) - 1.0
    at = np.unravel_index(int(np.abs(gaps).argmax()), gaps.shape)
    return {
        "LR_diff_max": float(np.abs(gaps).max()),
        "LR_worst": [terms[at[0]], FIGURES[at[1]]],
        "LR_diff_max_preliminary": plain,
        "LR": {"AUC_B": b.area, "AUC_C": c.area, "columns": list(FIGURES), "B": b.table, "C": c.table},
    }
