"""U_valid of PWS Cup 2026: censoring, invented relations, copies, and rows taken from the background."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats
from tokumei.contests.pws2026.table import COLUMNS, CONTINUOUS, HORIZON, World, clip, matrix
from tokumei.metrics import ks_distance

TARGETS = ("BMI", "SBP", "TG", "HDL", "ALT", "FPG", "onset")
GROUPS = ("prefecture", "sex", "smoking")
FABRICATION_TOLERANCE, FABRICATION_SCALE = 0.08, 0.5
COPY_SCALE = 0.2
NEARNESS_DEADZONE = 0.0534
NEIGHBOUR_COLUMNS = (*CONTINUOUS, "time", "sex", "smoking", "onset", "death")


def validity(world: World, made: pl.DataFrame) -> tuple[float, dict[str, Any]]:
    """Return U_valid and its parts."""
    censoring = censoring_part(world.cohort, made)
    fabrication = fabrication_part(world.cohort, made)
    copies = made.height - made.select(COLUMNS).n_unique()
    rate = copies / made.height
    novelty = novelty_part(world, made)
    detail = {
        "censoring_realism_rate": censoring,
        "no_fab": 1.0 - fabrication["mean_penalty"],
        "no_fab_detail": fabrication,
        "no_dup": 1.0 - clip(rate / COPY_SCALE),
        "no_dup_detail": {"dup_rate": rate, "n_dup_rows": copies, "tol": 0.0, "scale": COPY_SCALE},
        "novel": novelty["novel"],
        "novel_detail": novelty,
    }
    names = ("censoring_realism_rate", "no_fab", "no_dup", "novel")
    return float(np.mean([detail[name] for name in names])), detail


def at_horizon(frame: pl.DataFrame) -> Bools:
    """Return who was watched to the end; 9.9986 years count as ten."""
    return np.asarray(np.abs(frame["time"].to_numpy() - HORIZON) <= 0.01 + 1e-4)


def censoring_part(b: pl.DataFrame, made: pl.DataFrame) -> float:
    """Return whether those without an event were watched to the end, and as many as in B."""
    near = at_horizon(made)
    without = (made["onset"].to_numpy() == 0) & (made["death"].to_numpy() == 0)
    kept = float(near[without].mean()) if without.any() else 0.0
    return min(kept, 1.0 - abs(float(near.mean()) - float(at_horizon(b).mean())))


def association(values: Floats, groups: pl.Series, spread: float) -> float:
    """Return the weighted spread of the group means, in units of a spread."""
    codes = groups.rank("dense").to_numpy() - 1
    counts = np.bincount(codes)
    means = np.bincount(codes, weights=values) / counts
    return float(np.sqrt(np.average((means - values.mean()) ** 2, weights=counts)) / spread)


def fabrication_part(b: pl.DataFrame, made: pl.DataFrame) -> dict[str, Any]:
    """Return by how much groups explain a value more than they do in B."""
    pairs = {}
    for target in TARGETS:
        mine = b[target].to_numpy()
        spread = float(mine.std())
        if spread <= 1e-9:
            continue
        theirs = np.clip(made[target].to_numpy(), mine.min(), mine.max())
        for group in GROUPS:
            one, other = association(mine, b[group], spread), association(theirs, made[group], spread)
            penalty = clip((other - one - FABRICATION_TOLERANCE) / FABRICATION_SCALE)
            pairs[f"{group}:{target}"] = {"assoc_C": other, "assoc_B": one, "penalty": penalty}
    mean = float(np.mean([pair["penalty"] for pair in pairs.values()])) if pairs else 0.0
    return {
        "tol": FABRICATION_TOLERANCE,
        "scale": FABRICATION_SCALE,
        "mean_penalty": mean,
        "n_pairs": len(pairs),
        "pairs": pairs,
    }


def novelty_part(world: World, made: pl.DataFrame) -> dict[str, Any]:
    """Return whether C stands nearer to the background table than B does."""
    from scipy.spatial import cKDTree

    background = matrix(world.background, NEIGHBOUR_COLUMNS)
    middle, spread = background.mean(axis=0), background.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    tree = cKDTree((background - middle) / spread)
    mine, theirs = (
        tree.query((matrix(frame, NEIGHBOUR_COLUMNS) - middle) / spread)[0] for frame in (world.cohort, made)
    )
    nearer = ks_distance(mine, theirs, signed=True)
    return {
        "enabled": True,
        "novel": clip(1.0 - max(0.0, nearer - NEARNESS_DEADZONE) / (1.0 - NEARNESS_DEADZONE)),
        "d_plus": nearer,
        "deadzone": NEARNESS_DEADZONE,
        "n_rows_C": made.height,
        "n_rows_B": world.cohort.height,
        "nn_dist_C_median": float(np.median(theirs)),
        "nn_dist_B_median": float(np.median(mine)),
        "n_rows_A_bg": world.background.height,
        "features": list(NEIGHBOUR_COLUMNS),
    }
