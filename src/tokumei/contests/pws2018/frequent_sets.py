"""Sets of goods that are often bought together, found level by level on bit vectors (apriori with vertical bitmaps).

Every goods is a vector with one bit per basket; the baskets that hold a set are the bits common to its goods. A set of
k + 1 goods can only be frequent if two frequent sets of k goods that differ in their last element make it up, so
each level is one AND of bit matrices and a count of bits (Agrawal & Srikant 1994; vertical layout: Zaki 2000).

>>> levels = frequent_sets([0, 0, 1, 1, 2], [5, 7, 5, 7, 5], min_support=2)
>>> [level.tolist() for level in levels]
[[[5], [7]], [[5, 7]]]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tokumei.array_types import Ints
from tokumei.data import distinct

Words = npt.NDArray[np.uint64]

# How many candidate sets are intersected, and how many goods are packed, at a time: bounds memory, not results.
_BLOCK = 1 << 12
_ROWS = 256


def frequent_sets(
    basket: npt.ArrayLike, goods: npt.ArrayLike, *, min_support: int, max_size: int | None = None
) -> list[Ints]:
    """Return all sets that at least ``min_support`` baskets hold: per size an array (sets, size), rows ascending.

    Codes of baskets and goods must not be negative; a goods counts once per basket.
    """
    bits, singles = _bit_vectors(np.asarray(basket, dtype=np.int64), np.asarray(goods, dtype=np.int64), min_support)
    levels: list[Ints] = []
    sets, vectors = singles[:, None], bits
    while len(sets) and (max_size is None or len(levels) < max_size):
        levels.append(sets)
        sets, vectors = _next_level(sets, vectors, min_support)
    return levels


def shared_sets(sets: Sequence[Ints], others: Sequence[Ints]) -> int:
    """Count the sets that both lists of levels hold."""
    return sum(len(np.intersect1d(_rows(one), _rows(other))) for one, other in zip(sets, others, strict=False))


def _bit_vectors(basket: Ints, goods: Ints, min_support: int) -> tuple[Words, Ints]:
    """Return one bit vector per frequent goods, and these goods in ascending order.

    Only baskets with two or more frequent goods have a bit: single goods are counted here, and no other basket can
    hold a larger set.
    """
    if len(basket) == 0:
        return np.empty((0, 0), dtype=np.uint64), np.empty(0, dtype=np.int64)
    span = int(goods.max()) + 1
    basket, goods = np.divmod(distinct(basket * span + goods), span)
    support = np.bincount(goods, minlength=span)
    frequent = support >= max(min_support, 1)
    singles = np.flatnonzero(frequent).astype(np.int64)
    basket, row = basket[frequent[goods]], (np.cumsum(frequent) - 1)[goods[frequent[goods]]]
    new = np.diff(basket, prepend=-1) != 0
    column = np.cumsum(new) - 1
    shared = np.bincount(column, minlength=1) > 1
    row, column = row[shared[column]], (np.cumsum(shared) - 1)[column[shared[column]]]
    words = (int(shared.sum()) + 63) // 64
    vectors = np.zeros((len(singles), words), dtype=np.uint64)
    for start in range(0, len(singles), _ROWS):
        inside = (row >= start) & (row < start + _ROWS)
        bits = np.zeros((min(_ROWS, len(singles) - start), words * 64), dtype=np.bool_)
        bits[row[inside] - start, column[inside]] = True
        vectors[start : start + _ROWS] = np.packbits(bits, axis=1).view(np.uint64)
    return vectors, singles


def _next_level(sets: Ints, vectors: Words, min_support: int) -> tuple[Ints, Words]:
    """Return the frequent sets with one element more, and their bit vectors."""
    left, right = _joinable(sets)
    found, kept = [], []
    for start in range(0, len(left), _BLOCK):
        one, other = left[start : start + _BLOCK], right[start : start + _BLOCK]
        common = vectors[one] & vectors[other]
        frequent = np.bitwise_count(common).sum(axis=1, dtype=np.int64) >= max(min_support, 1)
        one, other = one[frequent], other[frequent]
        found.append(np.concatenate((sets[one], sets[other, -1:]), axis=1))
        kept.append(common[frequent])
    if not found:
        return np.empty((0, sets.shape[1] + 1), dtype=np.int64), vectors[:0]
    return np.concatenate(found), np.concatenate(kept)


def _joinable(sets: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of rows (in order) that agree in everything but the last element; rows are sorted."""
    count = len(sets)
    differs = (np.diff(sets[:, :-1], axis=0) != 0).any(axis=1)
    starts = np.concatenate(([0], np.flatnonzero(differs) + 1, [count]))
    end = np.repeat(starts[1:], np.diff(starts))
    later = end - np.arange(count) - 1
    left = np.repeat(np.arange(count), later)
    within = np.arange(len(left)) - np.repeat(np.cumsum(later) - later, later)
    return left, left + 1 + within


def _rows(sets: Ints) -> npt.NDArray[np.void]:
    """Return every row as one comparable value."""
    packed = np.ascontiguousarray(sets)
    return packed.view(np.dtype((np.void, packed.dtype.itemsize * packed.shape[1]))).ravel()
