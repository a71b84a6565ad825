"""MDAV: groups of at least k points that lie close together (maximum distance to average vector)."""

from __future__ import annotations

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Floats32, Ints

BLOCK = 2048


@njit(cache=True)
def _squared_distances(points: Floats32, count: int, center: Floats, distance: Floats) -> None:
    """Write the squared distance of the first ``count`` points (columns) from the center."""
    distance[:count] = 0.0
    # Blocks that stay in the fastest cache while all coordinates are added up.
    for first in range(0, count, BLOCK):
        block = distance[first : min(first + BLOCK, count)]
        for line in range(points.shape[0]):
            values, middle = points[line, first:], center[line]
            for place in range(len(block)):
                gap = values[place] - middle
                block[place] += gap * gap


@njit(cache=True)
def _farthest(distance: Floats, left: Ints, count: int) -> int:
    """Return the place of the largest distance; of equal ones that of the first point."""
    best = 0
    for place in range(1, count):
        if distance[place] > distance[best] or (distance[place] == distance[best] and left[place] < left[best]):
            best = place
    return best


@njit(cache=True)
def _nearest(distance: Floats, left: Ints, count: int, k: int) -> Ints:
    """Return the places of the k smallest distances, ascending; of equal ones those of the first points."""
    bound = np.partition(distance[:count], k - 1)[k - 1]
    chosen = np.flatnonzero(distance[:count] < bound)
    equal = np.flatnonzero(distance[:count] == bound)
    equal = equal[np.argsort(left[equal])][: k - len(chosen)]
    return np.sort(np.concatenate((chosen, equal)))


@njit(cache=True)
def _remove(points: Floats32, left: Ints, distance: Floats, count: int, places: Ints) -> int:
    """Fill the gaps at these ascending places with the last points; return how many are left."""
    for place in places[::-1]:
        count -= 1
        left[place] = left[count]
        distance[place] = distance[count]
        points[:, place] = points[:, count]
    return count


@njit(cache=True)
def _mdav(points: Floats32, k: int) -> Ints:
    """Return the group of every point; the points are overwritten."""
    lines, count = points.shape
    labels = np.zeros(count, dtype=np.int64)
    left = np.arange(count)
    distance = np.empty(count)
    total = np.empty(lines)
    for line in range(lines):
        total[line] = points[line].astype(np.float64).sum()
    label = 0
    while count >= 2 * k:
        center = total / count
        _squared_distances(points, count, center, distance)
        rounds = 2 if count >= 3 * k else 1
        for _ in range(rounds):
            start = _farthest(distance, left, count)
            center = points[:, start].astype(np.float64)
            _squared_distances(points, count, center, distance)
            # The point itself belongs to its group even if others lie at the same place.
            distance[start] = -1.0
            group = _nearest(distance, left, count, k)
            labels[left[group]] = label
            for place in group:
                total -= points[:, place]
            count = _remove(points, left, distance, count, group)
            label += 1
    labels[left[:count]] = label
    return labels


def mdav_groups(points: Floats, k: int) -> Ints:
    """Return the group of every point (one line per coordinate, one column per point), numbered from 0.

    Generic MDAV of Domingo-Ferrer and Torra (2005): around the point farthest from the average of those
    that are left, and around the point farthest from that one, groups of the k nearest are made as long as 3 k points
    are left; from 2 k on one such group, and the rest. All groups have k to 2 k - 1 points if there are at least k
    points. Time grows with the square of their number. Ties go to the point that comes first.

    >>> mdav_groups(np.array([[0.0, 9.0, 1.0, 8.0, 10.0]]), 2).tolist()
    [0, 1, 0, 1, 1]
    """
    # Single precision halves the memory that every pass must read; distances are summed in double precision.
    return _mdav(np.array(points, dtype=np.float32, order="C"), k)
