"""Multinomial logistic regression with a small ridge, fitted by L-BFGS; scikit-learn would be a dependency for this."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Floats

# Keeps weights finite where classes can be told apart perfectly; per record.
RIDGE = 1e-3
MOST_STEPS = 60


def fit_softmax(design: Floats, target: Floats) -> Floats:
    """Return one column of weights per class; ``target`` has one share per record and class (rows sum to 1)."""
    from scipy.optimize import minimize  # noqa: PLC0415 - half a second, and few need it

    records, features, classes = len(design), design.shape[1], target.shape[1]

    def objective(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(features, classes)
        scores = design @ weights
        top = scores.max(axis=1, keepdims=True)
        logs = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
        value = -(target * logs).sum() / records + RIDGE / 2 * float((flat**2).sum())
        gradient = design.T @ (np.exp(logs) - target) / records + RIDGE * weights
        return float(value), gradient.ravel()

    start = np.zeros(features * classes)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": MOST_STEPS})
    return np.asarray(found.x).reshape(features, classes)


def probabilities(design: Floats, weights: Floats) -> Floats:
    """Return the probability of every class of every record."""
    scores = design @ weights
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)
