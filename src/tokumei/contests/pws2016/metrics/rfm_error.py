"""How far the RFM table of a shop moved: -RMSE over its 1,000 cells (spec A.3.3, F-A13).

It detects lost, added, split or merged customers and shifted dates and amounts, whatever the pseudonyms are. It uses
neither master nor P and so sees nothing of a P that does not belong to the data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from tokumei.array_types import Ints
from tokumei.contests.pws2016.shop import Shop, codes_of, shop_of
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.metrics import rfm_distance, rfm_table
from tokumei.parts import Metric

CELLS = 1000


def shop_table(shop: Shop) -> Ints:
    """Return the number of customers in each cell, from the ids that occur in the transactions; money in pence."""
    (customer,), (invoice,) = (codes_of(shop.transactions[name]) for name in ("customer", "invoice"))
    return rfm_table(customer, shop.day, invoice, shop.paid)


@dataclass(frozen=True, kw_only=True)
class RfmError(Metric):
    """Minus the root mean square of the differences between the RFM tables; 0 is best."""

    name: ClassVar[str] = "rfm"
    summary: ClassVar[str] = "how far the table of customers by recency, frequency and money moved"
    source: ClassVar[str] = "PWS Cup 2016"
    needs: ClassVar[tuple[str, ...]] = ("records", "people")

    def measure(self, history: History, release: Release, secret: Secret) -> Score:  # noqa: ARG002
        """Compare the tables of both shops."""
        before, after = shop_table(shop_of(history)), shop_table(shop_of(release))
        value = 0.0 - rfm_distance(before, after) / math.sqrt(CELLS)
        worst = math.hypot(int(before.sum()), int(after.sum())) / math.sqrt(CELLS)
        parts = {"scale": worst or 1.0}
        return Score(name=self.name, value=value, goal=Goal.HIGHER, lowest=float("-inf"), highest=0.0, parts=parts)
