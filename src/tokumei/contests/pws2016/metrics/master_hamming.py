"""The share of master values that changed: ham of PWS Cup 2016 (spec A.3.4, F-A1).

It detects every change of sex, birthday or country and, since rows are compared through P, a P that does not belong to
the data (Yamaoka anonymization): unrelated customers rarely share a birthday.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tokumei.contests.pws2016.files import MASTER_COLUMNS
from tokumei.contests.pws2016.shop import claimed_rows, shop_of
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.parts import Metric, parameter


@dataclass(frozen=True, kw_only=True)
class MasterHamming(Metric):
    """The share of differing cells of the master, the id left out."""

    name: ClassVar[str] = "ham"
    summary: ClassVar[str] = "share of the values of the master that changed"
    source: ClassVar[str] = "PWS Cup 2016"
    needs: ClassVar[tuple[str, ...]] = ("records", "people")

    complement: bool = parameter(False, "give the share of equal cells, which the printed formula of the paper counts")

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Compare M' with M through P."""
        columns = MASTER_COLUMNS[1:]
        origin, published = shop_of(history).master[claimed_rows(secret)], shop_of(release).master
        differing = sum(int((origin[name] != published[name]).sum()) for name in columns)
        share = differing / (len(columns) * published.height) if published.height else 0.0
        if self.complement:
            return Score(name=self.name, value=1.0 - share, goal=Goal.HIGHER, highest=1.0)
        return Score(name=self.name, value=share, goal=Goal.LOWER, highest=1.0)
