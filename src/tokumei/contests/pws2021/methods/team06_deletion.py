"""Steps 1 and 2 of Team 06: delete singular rows, then unique rows at random but evenly over clusters (spec D.8)."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.contests.pws2021.measures import one_hot
from tokumei.contests.pws2021.rows import singletons, uniqueness_keys
from tokumei.contests.pws2021.table import COLUMNS, NOMINAL, HealthTable
from tokumei.errors import InfeasibleError

ROUNDS = 10
UNUSED = ("gh", "mets")


def unit_encoding(table: HealthTable) -> Floats:
    """Return nominal columns as 0/1 columns and numbers scaled to [0, 1]."""
    names = tuple(name for name in COLUMNS if name not in UNUSED)
    matrix = one_hot(table, names)
    place = 0
    for name in names:
        if name in NOMINAL:
            place += len(table.nominal(name)[1])
            continue
        low, high = matrix[:, place].min(), matrix[:, place].max()
        matrix[:, place] = (matrix[:, place] - low) / (high - low if high > low else 1.0)
        place += 1
    return matrix


def singular_rows(table: HealthTable, count: int) -> Ints:
    """Return the unique rows that are farthest from the mean, summed over the columns of the encoding."""
    encoded = unit_encoding(table)
    singularity = np.abs(encoded - encoded.mean(axis=0)).sum(axis=1)
    unique = np.flatnonzero(singletons(uniqueness_keys(table)))
    return np.sort(unique[np.argsort(-singularity[unique], kind="stable")[:count]])


def deletions_needed(table: HealthTable, kept: Ints, limit: float) -> int:
    """Return how many unique rows of the kept ones must go so that uniqrt is within the limit.

    Deleting a unique row changes the uniqueness of no other row.
    """
    unique = int(singletons(uniqueness_keys(table)[kept]).sum())
    return max(0, unique - int(np.floor(limit * table.height + 1e-9)))


def clustered_deletions(
    table: HealthTable, candidates: Ints, count: int, *, clusters: int, rng: np.random.Generator
) -> Ints:
    """Return ``count`` of the candidates, the same share of every cluster, at random within it."""
    if count > len(candidates):
        message = (
            f"{count} unique rows would have to be deleted, but only {len(candidates)} are left; delete fewer first"
        )
        raise InfeasibleError(message, code="uniqueness")
    if count == 0:
        return np.empty(0, dtype=np.int64)
    labels = _medoid_clusters(unit_encoding(table)[candidates], clusters, rng)
    sizes = np.bincount(labels)
    exact = sizes * (count / len(candidates))
    share = np.floor(exact).astype(np.int64)
    share[np.argsort(-(exact - share), kind="stable")[: count - int(share.sum())]] += 1
    chosen = [
        rng.permutation(candidates[labels == label])[:quota] for label, quota in enumerate(share.tolist()) if quota
    ]
    return np.sort(np.concatenate(chosen))


def _medoid_clusters(points: Floats, clusters: int, rng: np.random.Generator) -> Ints:
    """Return the cluster of every point: the nearest of some points, each the most central one of its cluster."""
    medoids = points[rng.permutation(len(points))[: min(clusters, len(points))]]
    labels = np.zeros(len(points), dtype=np.int64)
    for _ in range(ROUNDS):
        distances = np.stack([np.abs(points - medoid).sum(axis=1) for medoid in medoids], axis=1)
        before, labels = labels, distances.argmin(axis=1)
        if (before == labels).all():
            break
        for label in np.unique(labels).tolist():
            members = points[labels == label]
            medoids[label] = members[np.abs(members - members.mean(axis=0)).sum(axis=1).argmin()]
    return labels.astype(np.int64)
