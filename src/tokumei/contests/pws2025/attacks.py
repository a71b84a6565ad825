"""Attacks of PWS Cup 2025: which rows of A are in B, told from the table C and the model D."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.contests.pws2025.model import TARGET, predict, right_predictions
from tokumei.contests.pws2025.table import Patients

CONFIDENT = 0.1
BLOCK = 256


def embed(a: Patients, *tables: Patients) -> list[Floats]:
    """Return tables as points: numbers scaled by A's range (gaps at A's median), texts one-hot in lower case."""
    parts: list[list[Floats]] = [[] for _ in tables]
    for name in a.frame.columns:
        values = a.numbers(name)
        known = values[np.isfinite(values)]
        if len(known):
            low, spread = known.min(), np.ptp(known)
            for part, table in zip(parts, tables, strict=True):
                own = table.numbers(name)
                filled = np.where(np.isfinite(own), own, np.median(known))
                part.append(((filled - low) / (spread if spread > 0 else 1.0))[:, None].astype(np.float32))
            continue
        texts = [table.frame[name].str.to_lowercase() for table in tables]
        levels = sorted({level for text in (a.frame[name].str.to_lowercase(), *texts) for level in text.unique()})
        for part, text in zip(parts, texts, strict=True):
            part.append(np.column_stack([(text == level).to_numpy() for level in levels]).astype(np.float32))
    return [np.hstack(part).astype(np.float64) for part in parts]


def nearest(points: Floats, others: Floats) -> tuple[Ints, Floats]:
    """Return for every point the nearest other one (the first of several) and its Manhattan distance."""
    from scipy.spatial.distance import cdist

    rows, away = [], []
    for start in range(0, len(points), BLOCK):
        distances = cdist(points[start : start + BLOCK], others, "cityblock")
        rows.append(distances.argmin(axis=1))
        away.append(distances.min(axis=1))
    return np.concatenate(rows), np.concatenate(away)


def nearest_marks(a: Patients, c: Patients) -> Bools:
    """Mark the row of A that is nearest to each row of C (AttackCiNN)."""
    points, made = embed(a, a, c)
    marks = np.zeros(a.height, dtype=bool)
    marks[nearest(made, points)[0]] = True
    return marks


def doubts(a: Patients, model: bytes) -> tuple[Floats, Bools]:
    """Return how far the model is from the truth in every row of A, and where it is right."""
    answer, chances = a.answers(TARGET), predict(model, a)
    return np.abs(chances - answer), right_predictions(chances, answer)


def smallest(values: Floats, count: int) -> Bools:
    """Mark so many smallest values; the earlier row of equal ones."""
    marks = np.zeros(len(values), dtype=bool)
    marks[np.argsort(values, kind="stable")[:count]] = True
    return marks


def sample_attacks(a: Patients, c: Patients, model: bytes, count: int) -> dict[str, Bools]:
    """Return the marks of every sample attack, as its program writes them."""
    away, right = doubts(a, model)
    near, sure = nearest_marks(a, c), away <= CONFIDENT
    votes = near.astype(int) + sure + right
    return {"pred": right, "conf": sure, "topconf": smallest(away, count), "nn": near, "mix": votes >= 2}


def in_order(marks: Bools, away: Floats, count: int) -> Bools:
    """Return exactly so many marks: marked rows first, then those that are nearest."""
    return smallest(np.where(marks, away, away + 1e6), count)


def nearness(a: Patients, c: Patients, count: int) -> Bools:
    """Mark the rows of A that stand nearer to C than people of A stand to each other.

    A row in a crowd is near to C whether it is a member or not; the distance to its next neighbour in A says how
    near that is. The model is asked last: it breaks ties.
    """
    points, made = embed(a, a, c)
    to_c = nearest(points, made)[1]
    crowd = np.empty(len(points))
    from scipy.spatial import cKDTree

    crowd[:] = cKDTree(points).query(points, k=2, p=1)[0][:, 1]
    return smallest((to_c + 1e-6) / (crowd + 0.05), count)
