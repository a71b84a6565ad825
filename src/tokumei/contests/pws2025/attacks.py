"""Attacks of PWS Cup 2025: which rows of A are in B, told from the table C and the model D."""

from __future__ import annotations

import numpy as np
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.contests.pws2025.model import TARGET, predict, right_predictions
from tokumei.contests.pws2025.table import CATEGORIES, COLUMNS, RULES, Patients

CONFIDENT = 0.1
BLOCK = 256
# How far a method that adds noise moves whole numbers, and reals.
MOVED = {False: 3.0, True: 4.0}


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


def linkage(a: Patients, c: Patients, count: int, *, kept: float = 0.7) -> Bools:
    """Mark the rows of A from which the rows of C most probably came, cell by cell.

    Fellegi and Sunter's record linkage (1969): an equal cell says more the rarer its value is in A, a number that moved
    a little says something, everything else speaks against. Every row of C then shares itself out over the rows of A by
    what they explain of it; a member is who gets most. Distances see only that a row is near, not that nobody else is.
    """
    x, y, equal, near, steps = _evidence(a, c, kept)
    far = np.log(np.where(steps > 0, 0.1, 1.0) * (1.0 - kept))
    return smallest(-_shared_out(x, y, equal, near, steps, far), count)


def _evidence(a: Patients, c: Patients, kept: float) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return the cells of A and of C as numbers, what equal and near ones say by cell of A, and how far is near."""
    xs, ys, equal, near, steps = [], [], [], [], []
    for name in COLUMNS:
        if name in CATEGORIES:
            levels = sorted({*a.frame[name].unique(), *c.frame[name].unique()})
            codes = {level: float(at) for at, level in enumerate(levels)}
            x, y = (np.array([codes[text] for text in table.frame[name]]) for table in (a, c))
        else:
            x, y = a.answers(name), c.answers(name)
        step = 0.0 if name in CATEGORIES or name.endswith("_flag") else MOVED[RULES[name].decimals != 0]
        ordered = np.sort(x)
        same, around = (_share_within(ordered, x, width) for width in (0.0, step))
        xs.append(x)
        ys.append(y)
        equal.append(np.log((kept + (1.0 - kept) * same) / same))
        near.append(np.log(0.9 * (1.0 - kept) / around))
        steps.append(step)
    return np.column_stack(xs), np.column_stack(ys), np.column_stack(equal), np.column_stack(near), np.array(steps)


def _share_within(ordered: Floats, x: Floats, width: float) -> Floats:
    """Return the share of sorted values that are at most so far from each of these."""
    reach = width + 1e-9
    inside = np.searchsorted(ordered, x + reach, side="right") - np.searchsorted(ordered, x - reach)
    return np.maximum(inside, 1) / len(ordered)


@njit(cache=True)
def _shared_out(x: Floats, y: Floats, equal: Floats, near: Floats, steps: Floats, far: Floats) -> Floats:
    """Return how much of all rows of C every row of A explains."""
    people, columns = x.shape
    total = np.zeros(people)
    weights = np.empty(people)
    for row in range(len(y)):
        for person in range(people):
            weight = 0.0
            for column in range(columns):
                gap = abs(x[person, column] - y[row, column])
                if gap == 0.0:
                    weight += equal[person, column]
                elif gap <= steps[column] + 1e-9:
                    weight += near[person, column]
                else:
                    weight += far[column]
            weights[person] = weight
        weights = np.exp(weights - weights.max())
        total += weights / weights.sum()
    return total
