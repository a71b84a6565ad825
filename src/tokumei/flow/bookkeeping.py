"""A release that is made with a ledger: people stay in their groups, and what was published of whom is written down.

What the releases of a ledger promise together is told in `tokumei.ledgers.cohorts` and proven in docs/ledger.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MANIFEST_NAME, History, Lock, Release, Secret
from tokumei.errors import InfeasibleError, LeakError, ParameterError
from tokumei.ledgers import (
    RENEWED,
    Candidates,
    Entry,
    Ledger,
    Standing,
    audience_of,
    candidate_sets,
    kept_pseudonyms,
    standing_of,
)
from tokumei.methods import draw_pseudonyms
from tokumei.parts import GroupingMethod, Method


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Bookkeeping:
    """The ledger that a release goes into, and who shall see the same pseudonyms again (empty: nobody)."""

    ledger: Ledger
    audience: str = ""

    @classmethod
    def open(cls, folder: str | Path, pseudonyms: str = RENEWED, *, lock: Lock | None = None) -> Bookkeeping:
        """Open a ledger, or begin one, encrypted if there is a lock.

        ``pseudonyms`` is ``renewed``, ``stable`` or ``for:NAME``.
        """
        audience = audience_of(pseudonyms)
        return cls(ledger=Ledger.open(Path(folder), new_lock=lock), audience=audience)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Booking:
    """What a release adds to the ledger: its entry and who is in it.

    ``standing`` says who was withheld and why, ``candidates`` how many candidates everybody is left with.
    """

    ledger: Ledger
    entry: Entry
    table: pl.DataFrame
    standing: Standing
    candidates: Candidates

    @property
    def of_strangers(self) -> bool:
        """Whether the ledger has people, and none of them is in the data: it may be the ledger of other data."""
        return bool(self.ledger.entries) and self.standing.broken == 0 and not (self.standing.cohort >= 0).any()

    def write(self, folder: Path, secret: Path) -> None:
        """Write the ledger; the release has been written to the folder."""
        digest = manifest_digest(folder)
        entry = replace(self.entry, digest=digest, folder=str(folder.resolve()), secret=str(secret.resolve()))
        self.ledger.write_release(entry, self.table)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for ``--json``."""
        return {
            "folder": str(self.ledger.folder),
            "release": self.entry.number,
            "pseudonyms": self.entry.audience or RENEWED,
            "people": self.entry.people,
            "groups": self.entry.groups,
            "returning": int((self.standing.cohort >= 0).sum()),
            "newcomers": int(self.standing.newcomer.sum()),
            "withheld": self.entry.withheld,
            "withheld_group_too_small": self.standing.broken,
            "withheld_waiting": self.standing.waiting,
            "fewest_candidates": self.candidates.fewest,
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GroupedRun:
    """A method that is told by the ledger who must stay together."""

    books: Bookkeeping
    method: GroupingMethod
    k: int
    persons: pl.Series
    standing: Standing
    cohorts: Ints

    @classmethod
    def of(cls, books: Bookkeeping, history: History, method: Method) -> GroupedRun:
        """Look everybody up in the ledger; refuse what cannot be published with it."""
        if not isinstance(method, GroupingMethod) or not method.keeps_groups:
            message = (
                f"a ledger keeps people in their groups, which the method '{method.name}' cannot do as it is set; "
                "use k-anonymity with surplus delete or dummy, without split and suppress, or leave --ledger out"
            )
            raise ParameterError(message, code="ledger-method")
        if history.schema.row_is_subject:
            message = (
                "a ledger recognizes people by their ids, and here every row is a person without one; "
                "name the column of ids with --subject, or leave --ledger out"
            )
            raise ParameterError(message, code="ledger-rows")
        k = int(getattr(method, "k", 1))
        persons = books.ledger.persons(history.subjects)
        standing = standing_of(books.ledger, persons, k)
        if not (standing.cohort >= 0).any() and not standing.newcomer.any():
            message = (
                f"nobody can be published together with the earlier releases: {standing.broken} people are left of "
                f"groups that are too small now, and {standing.waiting} newcomers are fewer than k = {k}; "
                "wait for more data"
            )
            raise InfeasibleError(message, code="ledger-nobody")
        kept, _ = standing.kept()
        return cls(books=books, method=method, k=k, persons=persons, standing=standing, cohorts=kept)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Run the method, and give everybody the pseudonym that the audience knows or a fresh one."""
        free = np.flatnonzero(self.standing.newcomer)
        release, secret = self.method.anonymize_in_groups(history, self.standing.kept()[1], free, rng=rng)
        group = secret.report["group"]
        subjects = np.flatnonzero(group >= 0)
        named = pl.DataFrame(
            {
                "subject": history.subjects[subjects].cast(pl.String),
                "person": self.persons[subjects],
                "cohort": self._cohorts(group)[subjects],
            }
        )
        known = kept_pseudonyms(self.books.ledger, self.books.audience, named)
        used = self.books.ledger.published["pseudonym"].drop_nulls()
        avoid = pl.concat([history.subjects.cast(pl.String).alias("id"), used.alias("id")])
        fresh = draw_pseudonyms(named.height, rng=rng, avoid=avoid)
        named = named.join(known, on="person", how="left", maintain_order="left")
        named = named.with_columns(pl.col("pseudonym").fill_null(fresh))
        renamed = secret.owners.join(named.rename({"pseudonym": "new"}), on="subject")
        names = release.pseudonyms.replace_strict(renamed["pseudonym"], renamed["new"], return_dtype=pl.String)
        owners = named.select("pseudonym", "subject").sort("pseudonym", "subject")
        report = {**secret.report, "booked": named.select("person", "cohort", "pseudonym")}
        return replace(release, pseudonyms=names.alias("pseudonym")), replace(secret, owners=owners, report=report)

    def _cohorts(self, group: Ints) -> Ints:
        """Return the cohort of every group: those that are kept have theirs, new groups get the next numbers."""
        count = int(group.max(initial=-1)) + 1
        new = np.arange(count - len(self.cohorts)) + self.books.ledger.first_new_cohort()
        return np.concatenate((self.cohorts, new))[group]

    def booking(self, release: Release, secret: Secret, parameters: Mapping[str, Any]) -> Booking:
        """Return what goes into the ledger; raise LeakError if the releases together break their promise."""
        ledger, table = self.books.ledger, secret.report["booked"]
        entry = Entry(
            number=len(ledger.entries) + 1,
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            method=self.method.name,
            k=self.k,
            parameters=parameters,
            audience=self.books.audience,
            records=len(release),
            people=table.height,
            groups=table["cohort"].n_unique(),
            withheld=len(self.persons) - table.height,
            digest="",
            folder="",
            secret="",
        )
        candidates = candidate_sets(ledger.with_release(entry, table), entry.number)
        if not candidates.kept:
            message = (
                f"this release and those of the ledger {ledger.folder} together would leave somebody with "
                f"{candidates.fewest} candidates, where {int(candidates.promised.max())} were promised; "
                "restore the ledger from a backup, or withdraw the earlier releases and begin a new one"
            )
            raise LeakError(message, code="intersection")
        return Booking(ledger=ledger, entry=entry, table=table, standing=self.standing, candidates=candidates)


def manifest_digest(folder: Path) -> str:
    """Return the SHA-256 of the manifest of a release folder, by which a ledger recognizes it."""
    return hashlib.sha256((folder / MANIFEST_NAME).read_bytes()).hexdigest()


def refuse_nested(ledger: Path, release: Path) -> None:
    """Raise ParameterError if a release would lie in its ledger, or the ledger in it: one is handed out, one kept."""
    books, folder = ledger.resolve(), release.resolve()
    if folder in (books, *books.parents):
        message = f"the ledger must not lie in the release folder: {ledger}; name another place with --ledger"
        raise ParameterError(message, code="usage", file=str(ledger))
    if books in folder.parents:
        message = f"the release must not lie in the ledger, which you keep: {release}; name a folder outside it"
        raise ParameterError(message, code="usage", file=str(release))
