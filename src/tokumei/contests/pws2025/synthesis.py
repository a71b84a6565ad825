"""Methods of PWS Cup 2025: samples after the official programs, and a copula over all columns of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator

from tokumei.contests.pws2025.people import written
from tokumei.contests.pws2025.statistics import statistics_difference, worst_terms
from tokumei.contests.pws2025.table import CATEGORIES, COLUMNS, RULES, Patients


def shuffled(b: Patients, rng: Generator) -> pl.DataFrame:
    """Return B in another order (randomshuffle_rows): the most useful and least safe table."""
    return b.frame[rng.permutation(b.height).tolist()]


def perturbed(b: Patients, rng: Generator, *, share: float = 0.125) -> pl.DataFrame:
    """Change cells with this chance: categories redrawn, counts moved by up to 3, flags flipped, reals by up to 4."""
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        chosen = rng.random(b.height) < share
        if name in CATEGORIES:
            other = b.frame[name].gather(rng.integers(0, b.height, b.height))
            columns[name] = pl.Series(np.where(chosen, other.to_numpy(), b.frame[name].to_numpy()))
            continue
        values = b.answers(name)
        if name.endswith("_flag"):
            moved = 1.0 - values
        elif RULES[name].decimals == 0:
            moved = values + rng.integers(-3, 4, b.height)
        else:
            moved = values + rng.integers(-400, 401, b.height) / 100
        columns[name] = written(name, np.where(chosen, moved, values))
    return pl.DataFrame(columns).select(COLUMNS)


def copula(b: Patients, rng: Generator, *, tries: int = 10) -> pl.DataFrame:
    """Draw new patients from a Gaussian copula over all 18 columns and keep the draw whose statistics are nearest.

    Values are interpolated between those of B, so that none of them is there because a member has it.
    """
    drawn = [_draw(b, rng) for _ in range(tries)]
    return min(drawn, key=lambda frame: worst_terms(statistics_difference(b, Patients(frame)))[0])


def _draw(b: Patients, rng: Generator) -> pl.DataFrame:
    from scipy.special import ndtr, ndtri
    from scipy.stats import rankdata

    codes = np.column_stack(
        [b.frame[name].rank("dense").to_numpy() if name in CATEGORIES else b.answers(name) for name in COLUMNS]
    ).astype(np.float64)
    # Ties are broken at random, so that a flag has a hidden scale.
    order = np.column_stack([rankdata(column + rng.uniform(0, 1e-6, len(column))) for column in codes.T])
    scores = ndtri((order - 0.5) / len(codes))
    related = _uniform_relations(scores, codes)
    weights, axes = np.linalg.eigh(related)
    latent = rng.standard_normal(scores.shape) @ (axes * np.sqrt(np.maximum(weights, 1e-8))).T
    latent /= latent.std(axis=0)
    columns: dict[str, Any] = {}
    for at, name in enumerate(COLUMNS):
        shares = ndtr(latent[:, at])
        if name in CATEGORIES or name.endswith("_flag"):
            known = np.sort(codes[:, at])
            picked = known[np.minimum((shares * len(known)).astype(int), len(known) - 1)]
        else:
            picked = np.quantile(codes[:, at], shares)
        if name in CATEGORIES:
            levels = sorted(b.frame[name].unique().to_list())
            columns[name] = [levels[int(code) - 1] for code in picked]
        else:
            columns[name] = written(name, picked)
    return pl.DataFrame(columns).select(COLUMNS)


def _uniform_relations(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return latent correlations: those of the scores, raised where cutting a flag weakens them.

    A normal variable cut at a share p keeps phi(z) / sqrt(p (1 - p)) of its correlations (Pearson's biserial).
    """
    from scipy.special import ndtri

    with np.errstate(invalid="ignore", divide="ignore"):
        related = np.nan_to_num(np.corrcoef(scores, rowvar=False))
    kept = np.ones(codes.shape[1])
    for at in range(codes.shape[1]):
        levels, counts = np.unique(codes[:, at], return_counts=True)
        if len(levels) == 2:
            share = counts[1] / len(codes)
            density = np.exp(-0.5 * float(ndtri(share)) ** 2) / np.sqrt(2 * np.pi)
            # Random ranks within a level have lost this much already.
            kept[at] = density / np.sqrt(share * (1 - share))
    related = np.clip(related / np.outer(kept, kept) ** 1.0, -0.98, 0.98)
    np.fill_diagonal(related, 1.0)
    return related


METHODS: dict[str, Callable[..., pl.DataFrame]] = {"copula": copula, "perturb": perturbed, "shuffle": shuffled}
SETTINGS: dict[str, dict[str, tuple[type, float, float]]] = {
    "copula": {"tries": (int, 1, 1000)},
    "perturb": {"share": (float, 0.0, 1.0)},
}
