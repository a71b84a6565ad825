"""Times told from the first record of their person on: intervals and order stay, the calendar goes.

A column with ``relative = true`` is read as its kind says (a date, a time, a number) and counted from the least value
of the same person: days for dates, seconds for times, its own steps for numbers. From there on it is a number like any
other: methods generalize it in groups, and the audit compares it with an original that is counted the same way,
because who holds the original can count, too. Exact intervals are a fingerprint; a relative column is grouped for that
reason, not kept.

With ``relative = "2000-01-01"`` dates stay dates: everybody's are shifted so that the first one is that day. The shift
of a person is what the first record tells, and it is gone; no random shift could hide more.

>>> since_first(np.array([0, 1, 0]), np.array([15, 40, 10]), 2).tolist()
[5, 0, 0]
>>> since_first(np.array([0, 1, 0]), np.array([15, 40, 10]), 2, start=first_code("1970-01-03", clock=False)).tolist()
[7, 2, 2]
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from tokumei.array_types import Ints
from tokumei.data.cells import MISSING

SECONDS_PER_DAY = 86_400


def relative_fault(spec: Mapping[str, Any]) -> str:
    """Return what is wrong with a relative column of a schema in words, or nothing."""
    relative, kind = spec.get("relative"), spec.get("kind")
    if relative and (spec.get("keep") or kind not in ("date", "datetime", "number")):
        return (
            "only a date, a datetime or a number that is not kept can be counted from the first record of its person; "
            "leave out 'relative', or 'keep'"
        )
    if isinstance(relative, str) and (kind == "number" or not _is_day(relative)):
        return 'only dates are shifted to a day: write relative = "2000-01-01" for a date, else relative = true'
    return ""


def _is_day(text: str) -> bool:
    try:
        datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


def first_code(day: str, *, clock: bool) -> int:
    """Return the code of a day: days since 1970, seconds if the column has a clock."""
    since = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return since.days * (SECONDS_PER_DAY if clock else 1)


def since_first(subject: Ints, codes: Ints, subjects: int, *, start: int = 0) -> Ints:
    """Return the codes counted from the least one of the same subject, which becomes ``start``.

    What is missing stays so.
    """
    known = codes != MISSING
    first = np.full(subjects, np.iinfo(np.int64).max)
    np.minimum.at(first, subject[known], codes[known])
    counted = codes.copy()
    counted[known] += start - first[subject[known]]
    return counted
