"""The right to erasure: what was published of a person is found, and the person is taken out of the ledger.

In every release the keyed hash of the id is replaced by one random token, and the pseudonym is deleted. The token is no
id and nothing computes it: it only keeps the count of the group right, so that the promise to the others can still be
checked. A tombstone tells when it happened and which releases it concerned, and nothing else.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl

from tokumei.ledgers.book import Entry, Ledger

TOMBSTONES = "tombstones"


@dataclass(frozen=True, slots=True)
class Trace:
    """What one release has of a person: under which pseudonym, in a group of so many."""

    person: int
    entry: Entry
    pseudonym: str
    group: int

    def as_dict(self) -> dict[str, Any]:
        """Return plain values; people are told by their place in the list of ids, not by the id."""
        about = {"release": self.entry.number, "time": self.entry.time, "folder": self.entry.folder}
        return {"person": self.person, **about, "pseudonym": self.pseudonym, "group": self.group}


def traces_of(ledger: Ledger, subjects: pl.Series) -> list[Trace]:
    """Return what the releases of a ledger have of these people, in their order; nothing of who is not in it."""
    persons = pl.DataFrame({"person": ledger.persons(subjects), "place": range(1, len(subjects) + 1)})
    sizes = ledger.published.group_by("release", "cohort").agg(pl.len().alias("size"))
    rows = ledger.published.join(persons, on="person").join(sizes, on=["release", "cohort"]).sort("place", "release")
    entries = {entry.number: entry for entry in ledger.entries}
    found = rows.select("place", "release", "pseudonym", "size").rows()
    return [Trace(place, entries[release], pseudonym, size) for place, release, pseudonym, size in found]


def forgotten(ledger: Ledger, subjects: Sequence[str]) -> Ledger:
    """Take these people out of the ledger, leave tombstones, and return the ledger without them; write it at once."""
    persons = ledger.persons(pl.Series(sorted(set(subjects)), dtype=pl.String))
    known = [one for one in persons.to_list() if (ledger.published["person"] == one).any()]
    tokens = {person: f"forgotten-{secrets.token_hex(11)}" for person in known}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    stones = [
        {"time": now, "releases": ledger.published.filter(pl.col("person") == person)["release"].sort().to_list()}
        for person in known
    ]
    gone = pl.col("person").is_in(known)
    published = ledger.published.with_columns(
        pl.when(gone).then(None).otherwise(pl.col("pseudonym")).alias("pseudonym"),
        pl.col("person").replace(tokens) if tokens else pl.col("person"),
    )
    return ledger.rewritten(published, **{TOMBSTONES: [*ledger.rest.get(TOMBSTONES, []), *stones]})
