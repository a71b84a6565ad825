"""What the anonymizers of 2016 share: pseudonyms for a master and its transactions, made from separate random streams.

A pseudonym is HMAC-SHA-256 of the customer id under a fresh secret key (spec A.1.4). Whoever re-identifies a release
sees some of its random choices; drawn from one stream, they would lead back to the key. Key, order and everything that
can be seen in the release therefore come from streams that say nothing about each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2016.shop import MasterRelease, Shop
from tokumei.methods import keyed_pseudonyms

__all__ = ["Streams", "pseudonymized"]

KEY_BYTES = 32


@dataclass(frozen=True, eq=False, slots=True)
class Streams:
    """Independent generators: for the key, for P, and for what the release shows."""

    key: bytes
    order: np.random.Generator
    shown: np.random.Generator

    @classmethod
    def split(cls, rng: np.random.Generator) -> Streams:
        """Return three streams that depend on the generator and not on each other."""
        key, order, shown = rng.spawn(3)
        return cls(key.bytes(KEY_BYTES), order, shown)


def pseudonymized(shop: Shop, rows: Ints, key: bytes, *, length: int, regroup: bool = False) -> MasterRelease:
    """Return the customers at these master rows (from 0), in this order, under pseudonyms, with their transactions.

    Transactions keep their order; ``regroup`` puts them in the order of the new master, since the old order would
    show which customer is which.
    """
    names = keyed_pseudonyms(shop.master["customer"], key, length=length)
    place = np.full(shop.customers + 1, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    at = place[shop.owner]
    kept = np.flatnonzero(at >= 0)
    if regroup:
        kept = kept[np.argsort(at[kept], kind="stable")]
    master = shop.master[rows].with_columns(names.gather(rows).alias("customer"))
    ids = names.gather(shop.owner[kept]).alias("customer")
    transactions = shop.transactions[kept].with_columns(ids)
    return MasterRelease(Shop(master, transactions), rows + 1, np.ones(len(rows), dtype=np.int64))
