"""Logistic regression by iteratively reweighted least squares, with Wald p-values.

Binomial GLM with logit link, maximum likelihood (spec D.5.3). Start, stopping rule (deviance, 1e-8) and the weights
behind the p-values are those of the contest's library, so that even slowly converging fits agree with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats

MAX_STEPS = 100
DEVIANCE_TOLERANCE = 1e-8
BLOCK = 400
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False, slots=True)
class LogisticFit:
    """The estimated coefficients, their p-values and covariance, and how the iteration ended."""

    coefficients: Floats
    covariance: Floats
    fitted: Floats
    converged: bool
    perfect: bool

    @property
    def p_values(self) -> Floats:
        """Two-sided p-values of the Wald test."""
        from scipy.special import ndtr

        with np.errstate(divide="ignore", invalid="ignore"):
            z = self.coefficients / np.sqrt(np.diag(self.covariance))
        return 2.0 * ndtr(-np.abs(z))


def fit_logistic(design: Floats, outcome: Floats, *, start: Floats | None = None) -> LogisticFit:
    """Fit the outcome (0 to 1) on the design; ``start`` are coefficients of a similar fit to begin with."""
    if start is None:
        fitted = (outcome + 0.5) / 2.0
        predictor = np.log(fitted / (1.0 - fitted))
    else:
        predictor = _times(design, start)
        fitted = _probabilities(predictor)
    deviance = _deviance(outcome, fitted)
    coefficients = np.zeros(design.shape[1])
    information = np.eye(design.shape[1])
    converged = perfect = False
    for _ in range(MAX_STEPS):
        weight = fitted * (1.0 - fitted)
        information, right = _normal_equations(design, weight, weight * predictor + outcome - fitted)
        coefficients = _solved(information, right)
        predictor = _times(design, coefficients)
        fitted = _probabilities(predictor)
        before, deviance = deviance, _deviance(outcome, fitted)
        perfect = bool(np.all(np.abs(fitted - outcome) <= DEVIANCE_TOLERANCE))
        converged = abs(before - deviance) <= DEVIANCE_TOLERANCE
        if converged or perfect:
            break
    return LogisticFit(coefficients, _inverse(information), fitted, converged, perfect)


# Products are taken in blocks of rows so small that BLAS stays in one thread: the result does not depend on the
# number of threads, and no time is lost by waking them.
def _times(design: Floats, coefficients: Floats) -> Floats:
    parts = [design[low : low + BLOCK] @ coefficients for low in range(0, len(design), BLOCK)]
    return np.concatenate(parts)


def _normal_equations(design: Floats, weight: Floats, response: Floats) -> tuple[Floats, Floats]:
    """Return the weighted products of the columns with each other, and those with the response."""
    information = np.zeros((design.shape[1], design.shape[1]))
    right = np.zeros(design.shape[1])
    for low in range(0, len(design), BLOCK):
        block = slice(low, low + BLOCK)
        rows = design[block].T
        information += (rows * weight[block]) @ rows.T
        right += rows @ response[block]
    return information, right


def _probabilities(predictor: Floats) -> Floats:
    with np.errstate(over="ignore"):
        fitted = 1.0 / (1.0 + np.exp(-predictor))
    return np.clip(fitted, SMALLEST_PROBABILITY, 1.0 - SMALLEST_PROBABILITY)


def _deviance(outcome: Floats, fitted: Floats) -> float:
    """Return twice the log-likelihood lost against a perfect fit, up to a constant of the outcome."""
    return float(-2.0 * np.sum(outcome * np.log(fitted) + (1.0 - outcome) * np.log1p(-fitted)))


def _solved(information: Floats, right: Floats) -> Floats:
    """Solve the normal equations; of several solutions (collinear columns) take the shortest."""
    try:
        np.linalg.cholesky(information)
        return np.asarray(np.linalg.solve(information, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(information, right, rcond=None)[0], dtype=np.float64)


def _inverse(information: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.inv(information), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(information), dtype=np.float64)
