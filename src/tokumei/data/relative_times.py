"""Times told from the first record of their person on: intervals and order stay, the calendar goes.

A column with ``relative = true`` is read as its kind says (a date, a time, a number) and counted from the least value
of the same person: days for dates, seconds for times, its own steps for numbers. From there on it is a number like any
other: methods generalize it in groups, and the audit compares it with an original that is counted the same way,
because who holds the original can count, too. Exact intervals are a fingerprint; a relative column is grouped for that
reason, not kept.

>>> since_first(np.array([0, 1, 0]), np.array([15, 40, 10]), 2).tolist()
[5, 0, 0]
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Ints
from tokumei.data.cells import MISSING


def since_first(subject: Ints, codes: Ints, subjects: int) -> Ints:
    """Return the codes counted from the least one of the same subject; what is missing stays so."""
    known = codes != MISSING
    first = np.full(subjects, np.iinfo(np.int64).max)
    np.minimum.at(first, subject[known], codes[known])
    counted = codes.copy()
    counted[known] -= first[subject[known]]
    return counted
