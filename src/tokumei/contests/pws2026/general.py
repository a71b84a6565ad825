"""U_gen of PWS Cup 2026: margins, correlations, propensity, Kaplan-Meier curves and tails (later_contests 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Floats
from tokumei.contests.pws2026.table import CONTINUOUS, HORIZON, World, clip, matrix, scoring
from tokumei.metrics import (
    curve_grid,
    kaplan_meier,
    ks_distance,
    middle_half,
    rank_correlations,
    tail_percentiles,
    total_variation,
)

NOMINAL = ("sex", "smoking", "prefecture")
CORRELATED = ("age", "sex", "BMI", "SBP", "TG", "HDL", "ALT", "FPG", "smoking")
MEAN_SCALE, TAIL_SCALE, TAIL_QUANTILE = 0.40, 0.80, 0.90
MOST_ITERATIONS, STEP_TOLERANCE, RIDGE = 200, 1e-8, 1e-10
# Nobody is too near to the majority.
FAR = (95.0, 99.0, 99.9)


def general_utility(world: World, made: pl.DataFrame) -> tuple[float, dict[str, Any]]:
    """Return U_gen and its parts under the names of the official program."""
    b = world.cohort
    margins = {
        **{name: 1.0 - ks_distance(_column(b, name), _column(made, name)) for name in CONTINUOUS},
        **{name: 1.0 - total_variation(b[name].to_list(), made[name].to_list()) for name in NOMINAL},
    }
    correlation = correlation_part(matrix(b, CORRELATED), matrix(made, CORRELATED))
    error, ceiling = propensity_error(b, made)
    time = time_part(world, made)
    tail = tail_part(world, made)
    detail = {
        "marginal": margins,
        "marginal_mean": float(np.mean(list(margins.values()))),
        "marginal_worst": min(margins.values()),
        "corr_score": correlation["score"],
        "correlation": correlation,
        "pmse": error,
        "pmse_ceiling": ceiling,
        "pmse_score": clip(1.0 - error / ceiling),
        "time_dz": time["time_dz"],
        "time": time,
        "tail_score": min(tail["u_shift"], tail["u_spike"]),
        "tail": tail,
    }
    names = ("marginal_mean", "corr_score", "pmse_score", "time_dz", "tail_score")
    return float(min(detail[name] for name in names)), detail


def _column(frame: pl.DataFrame, name: str) -> Floats:
    return frame[name].to_numpy()


def correlation_part(one: Floats, other: Floats) -> dict[str, Any]:
    """Compare all rank correlations: undefined on one side counts 1, on both it is left out."""
    above = np.triu_indices(one.shape[1], 1)
    mine, theirs = (rank_correlations(values)[above] for values in (one, other))
    known, both = np.isfinite(mine) | np.isfinite(theirs), np.isfinite(mine) & np.isfinite(theirs)
    gaps = np.where(both, np.abs(mine - theirs), 1.0)[known]
    mean, tail = (float(gaps.mean()), float(np.quantile(gaps, TAIL_QUANTILE))) if len(gaps) else (np.inf, np.inf)
    scores = clip(1.0 - mean / MEAN_SCALE), clip(1.0 - tail / TAIL_SCALE)
    return {
        "enabled": True,
        "score": min(scores),
        "features": list(CORRELATED),
        "method": "spearman",
        "observed_mean_dist": mean if len(gaps) else None,
        "observed_tail_dist": tail if len(gaps) else None,
        "mean_score": scores[0],
        "tail_score": scores[1],
        "mean_scale": MEAN_SCALE,
        "tail_scale": TAIL_SCALE,
        "tail_quantile": TAIL_QUANTILE,
        "n_pairs_total": len(mine),
        "n_pairs_used": len(gaps),
        "n_pairs_both_finite": int(both.sum()),
        "n_pairs_one_invalid": int((known & ~both).sum()),
        "n_pairs_excluded": int((~known).sum()),
        "mean_dist": mean if len(gaps) else None,
        "tail_dist": tail if len(gaps) else None,
    }


def propensity_error(b: pl.DataFrame, made: pl.DataFrame) -> tuple[float, float]:
    """Return the mean squared distance of C's estimated share from its true one, and the largest it can be."""
    stacked = np.vstack([matrix(made), matrix(b)])
    spread = stacked.std(axis=0)
    scaled = np.divide(stacked - stacked.mean(axis=0), spread, out=np.zeros_like(stacked), where=spread > 0)
    flags = np.vstack([matrix(made, ("sex", "smoking")), matrix(b, ("sex", "smoking"))])
    design = np.column_stack([scaled, flags, np.ones(len(stacked))])
    answer = np.repeat([1.0, 0.0], [made.height, b.height])
    chances = _logistic_chances(design, answer)
    share = made.height / len(answer)
    return float(np.mean((chances - share) ** 2)), share * (1.0 - share)


def _logistic_chances(design: Floats, answer: Floats) -> Floats:
    """Fit without a penalty by Newton's steps; where they break off, with the usual penalty of scikit-learn.

    The steps are those of the official library (statsmodels): a ridge is added to the Hessian of the mean likelihood,
    and one that cannot be inverted at the end counts as not converged. If a flag separates the tables its coefficient
    runs away, and it hangs on such details which of both fits counts.
    """
    count = len(answer)
    beta, steps, moved = np.zeros(design.shape[1]), 0, np.inf
    with np.errstate(all="ignore"):
        try:
            while steps < MOST_ITERATIONS and moved > STEP_TOLERANCE:
                chances = _chances(design, beta)
                bent = -((chances * (1.0 - chances)) * design.T @ design) / count
                bent[np.diag_indices_from(bent)] += RIDGE
                step = np.linalg.solve(bent, (answer - chances) @ design / count)
                beta, steps, moved = beta - step, steps + 1, float(np.abs(step).max())
            chances = _chances(design, beta)
            np.linalg.inv((chances * (1.0 - chances)) * design.T @ design / count)
            converged = steps < MOST_ITERATIONS and bool(np.isfinite(beta).all())
        except np.linalg.LinAlgError:
            converged = False
    if converged:
        return chances
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=1000).fit(design, answer)
    return np.asarray(model.predict_proba(design)[:, 1])


def _chances(design: Floats, beta: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-(design @ beta))))


def curve_distance(b: pl.DataFrame, made: pl.DataFrame) -> float:
    """Return the area between two curves of onset by the trapezoid rule on all times."""
    grid = curve_grid(_column(b, "time"), _column(made, "time"), begin=0.0, end=HORIZON)
    mine, theirs = (kaplan_meier(_column(one, "time"), _column(one, "onset"), grid) for one in (b, made))
    return float(np.trapezoid(np.abs(mine - theirs), grid))


def curve_signal(b: pl.DataFrame) -> float:
    """Return the area above the curve of onset: how far a cohort without illness is away."""
    grid = curve_grid(_column(b, "time"), begin=0.0, end=HORIZON)
    return float(np.trapezoid(1.0 - kaplan_meier(_column(b, "time"), _column(b, "onset"), grid), grid))


def curve_floor(b: pl.DataFrame, rng: np.random.Generator, *, pairs: int = 200, level: float = 95.0) -> float:
    """Return how far two bootstrap samples of the cohort are apart, at this percentile."""
    found = []
    for _ in range(pairs):
        one = rng.integers(0, b.height, b.height)
        other = rng.integers(0, b.height, b.height)
        found.append(curve_distance(b[one], b[other]))
    return float(np.percentile(found, level))


def time_part(world: World, made: pl.DataFrame) -> dict[str, Any]:
    """Compare the curves of onset, beyond the distance that chance alone gives."""
    away, floor = curve_distance(world.cohort, made), world.reference.floor
    signal = curve_signal(world.cohort) if world.reference.signal is None else world.reference.signal
    score = clip(1.0 - max(0.0, away - floor) / max(signal, 1e-9))
    return {"km_l1_integral": away, "km_signal_D": signal, "km_floor": floor, "time_dz": score, "tau": HORIZON}


def tail_statistics(world: World, frame: pl.DataFrame) -> dict[str, float]:
    """Return the extreme percentiles of the six laboratory values and of the distance from the majority."""
    found = {
        f"{name}_q{percentile:g}": value
        for name in CONTINUOUS[1:]
        for percentile, value in tail_percentiles(_column(frame, name)).items()
    }
    away = tail_percentiles(world.reference.distances(frame), FAR)
    return found | {f"maha_q{percentile:g}": value for percentile, value in away.items()}


def tail_part(world: World, made: pl.DataFrame) -> dict[str, Any]:
    """Compare the tails: a common shift of all of them, and single ones that stand out."""
    table = scoring()["tail"]
    mine, theirs = tail_statistics(world, world.cohort), tail_statistics(world, made)
    columns = {name: _column(world.cohort, name) for name in CONTINUOUS[1:]}
    columns["maha"] = world.reference.distances(world.cohort)
    middle = {name: middle_half(values) for name, values in columns.items()}
    upper: list[float] = []
    lower: list[float] = []
    spikes: list[float] = []
    for name, value in mine.items():
        ratio = table["ratio"][name]
        if ratio > table["ratio_max"]:
            continue
        column, percentile = name.split("_q")
        spread = table["floor_sd"][name] * max(ratio, 1.0)
        moved = theirs[name] - value
        (upper if float(percentile) > 50 else lower).append(moved / spread)
        unit = max(3.0 * spread, table["iqr_guard"] * middle[column])
        spikes.append(min(max(0.0, abs(moved) / unit - 1.0), table["spike_cap"]))
    up, down = float(np.mean(upper)), float(np.mean(lower))
    shift = float(np.hypot(up / table["shift_norm_up"], down / table["shift_norm_dn"]) / np.sqrt(2.0))
    spike = float(np.mean(spikes))
    return {
        "enabled": True,
        "u_shift": clip(1.0 - max(0.0, shift - table["shift_deadzone_z"]) / table["shift_scale"]),
        "u_spike": clip(1.0 - spike / table["spike_scale"]),
        "shiftz": shift,
        "spike": spike,
        "mean_z_up": up,
        "mean_z_dn": down,
        "n_stat": len(spikes),
        "statistics_C": theirs,
        "statistics_B": mine,
    }
