"""The gate: what a release must not show, and whether a secret belongs to it; nothing leaves the flow unseen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from tokumei.data import History, Reason, Release, Secret, toml_value
from tokumei.errors import InputError, LeakError
from tokumei.profiles import Suspect, identifier_suspects, refuse_unknown_columns
from tokumei.words import Message


def refuse_identifiers(history: History, allow: Sequence[str] = ()) -> None:
    """Raise LeakError for the first column that seems to name people, unless it is dropped, kept or allowed by name.

    What the schema keeps unchanged is published on the publisher's word; the audit tells of it.
    """
    refuse_unknown_columns(history, allow)
    refuse_suspects(identifier_suspects(history), allow)


def refuse_suspects(suspects: Iterable[Suspect], allow: Sequence[str] = ()) -> None:
    """Raise LeakError for the first of some columns that is neither kept nor allowed by name."""
    for suspect in suspects:
        if suspect.kept or suspect.column in allow:
            continue
        values = {"what": suspect.message(), "entry": toml_value(suspect.column), "column": suspect.column}
        message = Message("identifier.stop", values)
        raise LeakError(message, code="identifier-column")


def identifier_findings(
    history: History, release: Release, allow: Sequence[str] = ()
) -> tuple[tuple[Reason, ...], tuple[Reason, ...]]:
    """Return the columns of a release that seem to name people and are readable: those refused, those allowed."""
    refused: list[Reason] = []
    allowed: list[Reason] = []
    tables = (release,) if release.people is None else (release, release.people)
    for suspect in identifier_suspects(history):
        cells = [table.cells[suspect.field] for table in tables if suspect.field in table.cells]
        if not any((~column.suppressed).any() for column in cells):
            continue
        # A column that is published on somebody's word is told of, and does not decide.
        kept = suspect.kept or suspect.column in allow
        code = "identifier-allowed" if kept else "identifier-column"
        (allowed if kept else refused).append(Reason(code=code, values={"what": suspect.message()}))
    return tuple(refused), tuple(allowed)


def household_findings(history: History, release: Release, secret: Secret | None, k: int | None) -> tuple[Reason, ...]:
    """Return whether some history is shared by pseudonyms of fewer than k households, where these are declared.

    Who knows an own household knows its histories: of a group only other households are cover.
    """
    if history.households is None or secret is None or k is None:
        return ()
    from tokumei.audits import history_digests  # noqa: PLC0415 - loads numba and scipy

    houses = pl.DataFrame({"subject": history.subjects.cast(pl.String), "house": history.households})
    shown, told_apart = history_digests(release), ["digest"]
    if release.apart is not None:
        # Tables beside the records tell equal histories of other groups apart.
        shown, told_apart = shown.join(release.apart.groups, on="pseudonym", how="left"), ["digest", "group"]
    behind = shown.join(secret.owners.cast(pl.String), on="pseudonym").join(houses, on="subject")
    counted = behind.group_by(told_apart).agg(pl.col("house").n_unique())
    fewest = counted["house"].min()
    if not isinstance(fewest, int) or fewest >= k:
        return ()
    few = int((counted["house"] < k).sum())
    return (Reason(code="household-cover", values={"count": few, "fewest": fewest, "k": k}),)


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
    owner = history.subjects[history.subject[rows]]
    original = history.text(literal=True)
    for spec in history.schema.fields:
        same = (original[spec.name][rows] == owner).to_numpy()
        # Few columns repeat ids at all: only those are looked at cell by cell.
        if int(same.sum()) * 2 <= len(real):
            continue
        cells = release.cells[spec.name].take(real)
        copied = int((same & cells.contains(history.codes[spec.name][rows]) & ~cells.suppressed).sum())
        refuse_copied_ids(spec.name, copied, len(real))


def refuse_copied_ids(name: str, copied: int, records: int) -> None:
    """Raise LeakError if a column repeats the subject id in more than half of the records."""
    if copied * 2 > records:
        message = (
            f"the column '{name}' repeats the subject id in {copied} of {records} records; "
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
