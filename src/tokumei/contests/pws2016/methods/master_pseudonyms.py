"""What the methods of 2016 share: pseudonyms for a master and its transactions, made from separate random streams.

A pseudonym is HMAC-SHA-256 of the customer id under a fresh secret key (spec A.1.4). Whoever re-identifies a release
sees some of its random choices; drawn from one stream, they would lead back to the key. Key, order and everything that
can be seen in the release therefore come from streams that say nothing about each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pws2016.shop import shop_of
from tokumei.data import History, Release, Secret
from tokumei.methods import keyed_pseudonyms
from tokumei.parts import Method

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


class MasterMethod(Method):
    """Publishes a table of people with their records, both under keyed pseudonyms."""

    needs: ClassVar[tuple[str, ...]] = ("records", "people")
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2016"})

    def shuffled(self, history: History, streams: Streams, *, length: int) -> tuple[Release, Secret]:
        """Return everybody in a random order, with their records grouped alike."""
        order = streams.order.permutation(shop_of(history).customers).astype(np.int64)
        return self.pseudonymized(history, order, streams.key, length=length, regroup=True)

    def pseudonymized(
        self, history: History, rows: Ints, key: bytes, *, length: int, regroup: bool = False
    ) -> tuple[Release, Secret]:
        """Return the customers at these rows of the master, in this order, under pseudonyms, with their records.

        Records keep their order; ``regroup`` puts them in the order of the new master, since the old order would show
        which customer is which.
        """
        shop = shop_of(history)
        names = keyed_pseudonyms(shop.master["customer"], key, length=length)
        place = np.full(shop.customers + 1, -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        at = place[shop.owner]
        kept = np.flatnonzero(at >= 0)
        if regroup:
            kept = kept[np.argsort(at[kept], kind="stable")]
        people = self._published(shop.people, rows, names[rows])
        release = self._published(history, kept, names[shop.owner[kept]], people)
        owners = owners_of(names[rows], shop.master["customer"][rows])
        return release, Secret(owners, kept, key, people=rows)

    def _published(self, history: History, rows: Ints, names: pl.Series, people: Release | None = None) -> Release:
        cells = {spec.name: history.cells(spec.name).take(rows) for spec in history.schema.fields}
        return Release(history.schema, names, cells, self.name, people)


def owners_of(pseudonyms: pl.Series, subjects: pl.Series) -> pl.DataFrame:
    """Return who stands behind each pseudonym, every pair once."""
    return pl.DataFrame({"pseudonym": pseudonyms, "subject": subjects}).unique().sort("pseudonym", "subject")
