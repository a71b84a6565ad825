"""Leaves of single records: cut again and again where records differ most, so that like records stay together.

The field that is cut is the one in which two records of a leaf differ most on average, at the loss that is asked for:
ordered values at their median, categories so that the most frequent one stands against the rest or, if none fills a
third, in halves along their order of frequency.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.methods.grouping.cell_costs import ENTROPY, FAR_AWAY, HIERARCHY, SET_ERROR
from tokumei.methods.grouping.single_records import Records

# At least this share of the records of a leaf must lie on either side of a cut.
SMALLEST_SIDE = 0.02
SAMPLE = 2000


def cut_leaves(records: Records, most: int, fewest: int, *, share: float = 0.5) -> list[Ints]:
    """Return the records in leaves of at most ``most``, none of fewer than ``fewest``.

    ``share`` of the records of a leaf should lie before a cut: another share gives other borders.
    """
    waiting = [np.arange(len(records.hefts), dtype=np.int64)]
    leaves: list[Ints] = []
    while waiting:
        members = waiting.pop()
        side = _cut(records, members, fewest, share) if len(members) > max(most, 2 * fewest) else None
        if side is None:
            leaves.append(members)
        else:
            waiting += [members[side], members[~side]]
    return leaves


def _cut(records: Records, members: Ints, fewest: int, share: float) -> Bools | None:
    """Return which members go to the first side; None where no field parts them into two that are large enough."""
    sample = members[:: max(len(members) // SAMPLE, 1)]
    gains = np.array([_difference(records, sample, field) for field in range(len(records.kinds))])
    least = max(fewest, int(SMALLEST_SIDE * len(members)))
    for field in np.argsort(-gains, kind="stable").tolist():
        if gains[field] <= 0.0:
            break
        values = records.values[members, field]
        side = _below(values, share) if records.kinds[field] <= HIERARCHY else _frequent(values, share)
        if least <= int(side.sum()) <= len(members) - least:
            return side
    return None


def _difference(records: Records, sample: Ints, field: int) -> float:
    """Return about what two of the records cost together in a field."""
    values, kind = records.values[sample, field], int(records.kinds[field])
    if kind > HIERARCHY:
        counts = np.bincount(values.astype(np.int64))
        differ = 1.0 - float(((counts / len(sample)) ** 2).sum())
        return differ * float(records.weights[field]) * (0.5 if kind == SET_ERROR else float(records.steps[field]))
    known = values[values < FAR_AWAY]
    if not len(known):
        return 0.0
    scale = 1.0 / float(records.lengths[field]) if kind in {ENTROPY, HIERARCHY} else 1.0
    return 2.0 * float(np.abs(known - np.median(known)).mean() * records.weights[field]) * scale


def _below(values: Floats, share: float) -> Bools:
    """Return which values lie below the cut."""
    cut = np.quantile(values, share, method="lower")
    below = values < cut
    # Many equal values at the cut go to the side that is smaller without them.
    return below if below.mean() >= share / 2 else values <= cut


def _frequent(values: Floats, share: float) -> Bools:
    """Return where the most frequent code is, or one of the more frequent half."""
    codes = values.astype(np.int64)
    counts = np.bincount(codes)
    order = np.argsort(-counts, kind="stable")
    filled = np.cumsum(counts[order]) / len(codes)
    last = int(np.searchsorted(filled, share)) if filled[0] < 1 / 3 else 0
    chosen = np.zeros(len(counts), dtype=np.bool_)
    chosen[order[: last + 1]] = True
    return chosen[codes]
