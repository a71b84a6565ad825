"""U_rare of PWS Cup 2026: how many rare people C has, and whether they are like the true ones of B."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Floats
from tokumei.contests.pws2026.table import CONTINUOUS, World, clip, matrix
from tokumei.metrics import ks_distance

GATES = {"prof_cal": 3, "onset_cal": 3, "c2st_cal": 8}
TREES, MOST_FOLDS = 200, 5
SMALLEST_BASE = 1e-6


def rare_utility(world: World, made: pl.DataFrame) -> tuple[float, dict[str, Any]]:
    """Return U_rare and its parts; a part that B itself cannot be measured by is left out."""
    lowest = world.reference.lowest
    found_b, found_c = (world.reference.distances(frame) >= lowest for frame in (world.cohort, made))
    true, rows_b, rows_c = (
        frame.filter(pl.Series(chosen))
        for frame, chosen in ((world.cohort, world.rare), (world.cohort, found_b), (made, found_c))
    )
    share_b, share_c = float(found_b.mean()), float(found_c.mean())
    error = float(np.sqrt(share_b * (1.0 - share_b) / world.cohort.height))
    parts = {"mass_star": clip(1.0 - max(0.0, abs(share_c - share_b) - 2.0 * error) / max(share_b, 1e-6))}
    detail: dict[str, Any] = {"mass_C": share_c, "mass_B": share_b, "mass_se": error, "mass_star": parts["mass_star"]}
    gated = []
    for name, measure in (("prof_cal", profile), ("onset_cal", onset_agreement), ("c2st_cal", two_sample)):
        gate, short = GATES[name], name.removesuffix("_cal")
        measurable = min(true.height, rows_b.height) >= gate
        base = measure(rows_b, true) if measurable else None
        value = measure(rows_c, true) if measurable and rows_c.height >= gate else None
        calibrated: float | None = None
        if base is not None and base > SMALLEST_BASE and value is not None:
            calibrated = clip(value / base)
        elif measurable and value is None:
            calibrated = 0.0
            gated.append(name)
        if calibrated is not None:
            parts[name] = calibrated
        detail |= {f"{short}_val": value, f"{short}_base": base, name: calibrated}
    right = int((found_b & world.rare).sum())
    return min(parts.values()), {
        **detail,
        "aggregate": "min",
        "parts_used": list(parts),
        "rare_detected_C": rows_c.height,
        "rare_detected_B": rows_b.height,
        "rare_true_B": true.height,
        "rare_gate": GATES["c2st_cal"],
        "rare_gate_prof_onset": GATES["prof_cal"],
        "u_rare_gated": gated,
        "b_detector_precision": right / rows_b.height if rows_b.height else None,
        "b_detector_recall": right / true.height if true.height else None,
    }


def profile(rows: pl.DataFrame, true: pl.DataFrame) -> float:
    """Return how alike the continuous columns are, on average."""
    pairs = zip(matrix(rows).T, matrix(true).T, strict=True)
    return float(np.mean([1.0 - ks_distance(one, other) for one, other in pairs]))


def onset_agreement(rows: pl.DataFrame, true: pl.DataFrame) -> float:
    """Return how alike the shares of onset are."""
    shares = (float(frame["onset"].to_numpy().mean()) for frame in (rows, true))
    return clip(1.0 - abs(next(shares) - next(shares)))


def two_sample(rows: pl.DataFrame, true: pl.DataFrame) -> float:
    """Return how badly a random forest tells both samples apart (scikit-learn; the figure hangs on its version)."""
    return _two_sample(_sorted_rows(matrix(rows)).tobytes(), _sorted_rows(matrix(true)).tobytes())


@lru_cache(maxsize=64)
def _two_sample(one: bytes, other: bytes) -> float:
    """Train the forests once for the same rows: those of B are compared with each other for every C."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    samples = [np.frombuffer(raw).reshape(-1, len(CONTINUOUS)) for raw in (one, other)]
    sizes = [len(sample) for sample in samples]
    answer = np.repeat([1, 0], sizes)
    folds = StratifiedKFold(min(MOST_FOLDS, *sizes), shuffle=True, random_state=0)
    forest = RandomForestClassifier(n_estimators=TREES, random_state=0, n_jobs=1)
    chances = cross_val_predict(forest, np.vstack(samples), answer, cv=folds, method="predict_proba")[:, 1]
    return clip(1.0 - 2.0 * abs(float(roc_auc_score(answer, chances)) - 0.5))


def _sorted_rows(values: Floats) -> Floats:
    return values[np.lexsort(values.T[::-1])]
