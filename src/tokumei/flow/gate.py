"""The gate: what a release must not show, and whether a secret belongs to it; nothing leaves the flow unseen."""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.data import History, Release, Secret
from tokumei.errors import InputError, LeakError


def refuse_leaks(history: History, release: Release, secret: Secret) -> None:
    """Raise LeakError if a pseudonym is a subject id, or a column that repeats the subject ids is still readable.

    A generalized cell that has the id among its values counts as readable, a suppressed one does not.
    """
    tables = (release,) if release.people is None else (release, release.people)
    ids = pl.concat([table.pseudonyms.cast(pl.String).alias("id") for table in tables]).unique()
    left = ids.filter(ids.is_in(history.subjects.implode()))
    if len(left):
        message = (
            f"{len(left)} pseudonyms of the release are subject ids of the original; "
            "give every subject a fresh pseudonym before publishing"
        )
        raise LeakError(message, code="subject-id-published")
    real = np.flatnonzero(secret.rows >= 0)
    if not len(real):
        return
    rows = secret.rows[real]
    owner = history.subjects.gather(history.subject[rows])
    original = history.text(literal=True)
    for spec in history.schema.fields:
        same = (original[spec.name].gather(rows) == owner).to_numpy()
        # Few columns repeat ids at all: only those are looked at cell by cell.
        if int(same.sum()) * 2 <= len(real):
            continue
        cells = release.cells[spec.name].take(real)
        copied = int((same & cells.contains(history.codes[spec.name][rows]) & ~cells.suppressed).sum())
        if copied * 2 > len(real):
            message = (
                f"the column '{spec.name}' repeats the subject id in {copied} of {len(real)} records; "
                "drop it in the schema ({ drop = true })"
            )
            raise LeakError(message, code="subject-id-column")


def refuse_foreign_secret(history: History, release: Release, secret: Secret) -> None:
    """Raise InputError if the secret cannot be that of this release and original."""
    rows = secret.rows
    fits = len(rows) == len(release) and int(rows.min(initial=0)) >= -1 and int(rows.max(initial=-1)) < len(history)
    if fits:
        published = release.pseudonyms.filter(pl.Series(rows >= 0)).unique()
        owners = secret.owners.filter(pl.col("pseudonym").is_in(published.implode()))
        # Another file of as many records has other people in it.
        people = owners["subject"].is_in(history.subjects.implode()).all()
        fits = owners["pseudonym"].n_unique() == len(published) and people
    if not fits:
        message = "the secret does not belong to this release and original; give the three that belong together"
        raise InputError(message, code="foreign-secret")
