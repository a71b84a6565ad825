"""How far the RFM table of a shop moved: -RMSE over its 1,000 cells (spec A.3.3, F-A13).

It detects lost, added, split or merged customers and shifted dates and amounts, whatever the pseudonyms are. It uses
neither master nor P and so sees nothing of a P that does not belong to the data.
"""

from __future__ import annotations

import math

from tokumei.array_types import Ints
from tokumei.contests.pws2016.shop import MasterRelease, Shop, codes_of
from tokumei.data import Goal, Score
from tokumei.metrics import rfm_distance, rfm_table

__all__ = ["rfm_error", "shop_table"]

CELLS = 1000


def shop_table(shop: Shop) -> Ints:
    """Return the number of customers in each cell, from the ids that occur in the transactions; money in pence."""
    (customer,), (invoice,) = (codes_of(shop.transactions[name]) for name in ("customer", "invoice"))
    return rfm_table(customer, shop.day, invoice, shop.paid)


def rfm_error(original: Shop, release: MasterRelease) -> Score:
    """Return minus the root mean square of the differences between the tables; 0 is best."""
    before, after = shop_table(original), shop_table(release.shop)
    value = 0.0 - rfm_distance(before, after) / math.sqrt(CELLS)
    worst = math.hypot(int(before.sum()), int(after.sum())) / math.sqrt(CELLS)
    return Score(
        name="rfm", value=value, goal=Goal.HIGHER, lowest=float("-inf"), highest=0.0, parts={"scale": worst or 1.0}
    )
