"""The share of master values that changed: ham of PWS Cup 2016 (spec A.3.4, F-A1).

It detects every change of sex, birthday or country and, since rows are compared through P, a P that does not belong to
the data (Yamaoka anonymization): unrelated customers rarely share a birthday.
"""

from __future__ import annotations

from tokumei.contests.pws2016.shop import MASTER_COLUMNS, MasterRelease, Shop
from tokumei.data import Goal, Score

__all__ = ["master_hamming"]


def master_hamming(original: Shop, release: MasterRelease, *, complement: bool = False) -> Score:
    """Return the share of differing cells, the id left out; texts must be equal to count as equal.

    ``complement`` gives the share of equal cells, which the printed formula of the paper counts.
    """
    columns = MASTER_COLUMNS[1:]
    origin, published = original.master[release.rows - 1], release.shop.master
    differing = sum(int((origin[name] != published[name]).sum()) for name in columns)
    share = differing / (len(columns) * published.height) if published.height else 0.0
    if complement:
        return Score(name="ham", value=1.0 - share, goal=Goal.HIGHER, highest=1.0)
    return Score(name="ham", value=share, goal=Goal.LOWER, highest=1.0)
