"""Linking the groups of two releases of the same people by content: no original, no knowledge of anybody.

Somebody who is in both releases brings the same values into both: ends of ranges, elements of sets, and above all pairs
of them in one row. Rare ones weigh more (inverse document frequency; Sparck Jones 1972), and groups are compared by the
cosine of what they show.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import scipy.sparse as sp

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.attacks.ladder.field_values import FieldValues

# So many pairs of fields are compared at most, and so many entries of the overlap are held at once.
MOST_PAIRS, MOST_ENTRIES = 30, 20_000_000
_SPAN = 2**31


def linked_people(first: PublishedClasses, second: PublishedClasses, own_first: Ints, own_second: Ints) -> Bools:
    """Return of which people the class in the second release is among the best ones for their class in the first.

    A class of k members has up to k classes in the other release: the k that overlap most are taken for them.
    """
    one, other = _weighted(first, second)
    linked = np.zeros(len(own_first), dtype=np.bool_)
    step = max(MOST_ENTRIES // max(len(second), 1), 1)
    for begin in range(0, len(first), step):
        people = np.flatnonzero((own_first >= begin) & (own_first < begin + step))
        overlap = (one[begin : begin + step] @ other.T).toarray()
        mine = overlap[own_first[people] - begin]
        own = mine[np.arange(len(people)), own_second[people]]
        # Equal overlaps are no link: those before count, and all that tie.
        better = (mine > own[:, None]).sum(axis=1)
        ties = (mine == own[:, None]).sum(axis=1)
        linked[people] = (own > 0) & (better + ties <= first.members[own_first[people]])
    return linked


def _weighted(first: PublishedClasses, second: PublishedClasses) -> tuple[sp.csr_array, sp.csr_array]:
    """Return what every class shows, weighted by rarity over both releases and of length one."""
    blocks: tuple[list[sp.csr_array], list[sp.csr_array]] = ([], [])
    pairs = list(combinations(range(len(first.fields)), 2))[:MOST_PAIRS]
    for fields in [(field,) for field in range(len(first.fields))] + pairs:
        shown = [_tokens(classes, fields) for classes in (first, second)]
        every = np.intersect1d(shown[0][1], shown[1][1])
        if len(every) == 0:
            continue
        counts = [_table(len(classes), *tokens, every) for classes, tokens in zip((first, second), shown, strict=True)]
        spread = np.asarray(counts[0].sum(axis=0)).ravel() + np.asarray(counts[1].sum(axis=0)).ravel()
        rarity = np.log((len(first) + len(second)) / np.maximum(spread, 1.0))
        for block, table in zip(blocks, counts, strict=True):
            block.append((table @ sp.diags_array(rarity)).tocsr())
    return _unit(len(first), blocks[0]), _unit(len(second), blocks[1])


def _tokens(classes: PublishedClasses, fields: tuple[int, ...]) -> tuple[Ints, Ints]:
    """Return the class and a number for everything that the rows show in one field, or in two together."""
    rows, codes = _shown(classes, classes.shown[classes.fields[fields[0]]])
    if len(fields) == 1:
        return classes.numbers[rows], codes
    other = classes.shown[classes.fields[fields[1]]]
    sizes = np.diff(other.bounds)[rows]
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    places = np.arange(starts[-1]) + np.repeat(other.bounds[rows] - starts[:-1], sizes)
    second = _shown(classes, other)[1][places]
    # Codes are small numbers: both fit into one.
    return np.repeat(classes.numbers[rows], sizes), np.repeat(codes, sizes) * _SPAN + second % _SPAN


def _shown(classes: PublishedClasses, shown: FieldValues) -> tuple[Ints, Ints]:
    """Return the row and the code of every end or element of a field."""
    rows = np.repeat(np.arange(len(shown.bounds) - 1), np.diff(shown.bounds))
    return rows, shown.values[shown.inside[shown.starts[classes.numbers[rows]] + shown.marks]]


def _table(classes: int, number: Ints, token: Ints, every: Ints) -> sp.csr_array:
    """Return which class shows which of the tokens that both releases have."""
    place = np.minimum(np.searchsorted(every, token), len(every) - 1)
    common = every[place] == token
    entries = np.ones(int(common.sum())), (number[common], place[common])
    table = sp.coo_array(entries, shape=(classes, len(every))).tocsr()
    table.data[:] = 1.0
    return table


def _unit(classes: int, blocks: list[sp.csr_array]) -> sp.csr_array:
    if not blocks:
        return sp.csr_array((classes, 1))
    table = sp.hstack(blocks).tocsr()
    length: Floats = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1.0 / np.maximum(length, 1e-300)) @ table)
