"""How near a published history is to a subject's when values were changed: noise, swapping, rounding.

The distance of two records is the sum over fields of how far the original value lies outside the published cell: in
standard deviations for ordered fields, at most 1; 0 or 1 for categories; suppressed cells say nothing. A history is as
far from a subject as its records are on average from the subject's nearest ones, plus how far the record counts differ.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.attacks.matching.consistency import Consistency
from tokumei.attacks.matching.record_fit import FitIndex
from tokumei.data import History

MOST_CELLS = 40_000_000
MOST_COMPARISONS = 1_500_000_000


@njit(cache=True, nogil=True)
def _distances(index: FitIndex, rows: Ints, starts: Ints, sizes: Ints, unit: Floats) -> Floats:
    """Return the mean distance of every pseudonym's chosen records to the nearest ones of every subject."""
    pseudonyms, subjects, width = len(starts) - 1, len(index.offsets) - 1, index.codes.shape[1]
    result = np.zeros((pseudonyms, subjects))
    for pseudonym in range(pseudonyms):
        chosen = starts[pseudonym + 1] - starts[pseudonym]
        for subject in range(subjects):
            begin, end = index.offsets[subject], index.offsets[subject + 1]
            total = 0.0
            for place in range(starts[pseudonym], starts[pseudonym + 1]):
                record = rows[place]
                least = float(width)
                for original in range(begin, end):
                    far = 0.0
                    for field in range(width):
                        value = index.codes[original, field]
                        low, high = index.lo[record, field], index.hi[record, field]
                        if low <= value <= high:
                            first, last = index.set_start[record, field], index.set_end[record, field]
                            outside = last > first
                            for position in range(first, last):
                                if index.set_codes[position] == value:
                                    outside = False
                            far += 1.0 if outside else 0.0
                        elif unit[field] <= 0:
                            far += 1.0
                        else:
                            gap = float(low) - float(value) if value < low else float(value) - float(high)
                            far += min(gap * unit[field], 1.0)
                        if far >= least:
                            break
                    least = min(least, far)
                    if least == 0:
                        break
                total += least
            more, fewer = max(sizes[pseudonym], end - begin), min(sizes[pseudonym], end - begin)
            result[pseudonym, subject] = total / max(chosen, 1) + (more - fewer) / max(more, 1)
    return result


def history_distances(history: History, consistency: Consistency) -> Floats | None:
    """Return the distance of every pseudonym to every subject; None if there are too many pairs.

    Of long histories only the rarest records are compared, as many as the amount of work allows.
    """
    histories, index = consistency.histories, consistency.index
    pseudonyms, subjects = len(histories.names), len(history.subjects)
    if pseudonyms * subjects > MOST_CELLS or pseudonyms == 0:
        return None
    most = max(MOST_COMPARISONS // max(pseudonyms * len(history), 1), 1)
    order = np.lexsort((index.admitted[histories.rows], histories.owner[histories.rows]))
    rank = np.arange(len(order)) - np.repeat(histories.starts[:-1], histories.sizes())
    rows = histories.rows[order][rank < most]
    kept = np.minimum(histories.sizes(), most)
    starts = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
    spreads = [0.0 if spec.nominal else history.spread(spec.name) for spec in history.schema.fields]
    unit = np.array([1.0 / spread if spread > 0 else 0.0 for spread in spreads])
    return _distances(index, rows, starts, histories.sizes(), unit)
