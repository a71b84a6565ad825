"""A person is forgotten: out of the ledger and out of the Secrets of its releases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.data import ReleaseFolder, Secret, read_secret_and_lock, write_secret
from tokumei.errors import InputError, TokumeiError
from tokumei.flow.keeping import drop_kept
from tokumei.ledgers import Ledger, Trace, forgotten, traces_of


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Forgotten:
    """What was found of people before they were forgotten, and what became of the Secrets.

    ``unknown`` counts the ids that nothing was published of; ``cleaned`` are the Secrets that no longer have them,
    ``absent`` those that are not where they were written: each may still have them.
    """

    people: int
    unknown: int
    traces: Sequence[Trace]
    cleaned: Sequence[Path]
    absent: Sequence[Path]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for ``--json``, without an id."""
        return {
            "forgotten": self.people - self.unknown,
            "unknown": self.unknown,
            "published": [trace.as_dict() for trace in self.traces],
            "secrets_cleaned": [str(path) for path in self.cleaned],
            "secrets_absent": [str(path) for path in self.absent],
        }


def forget(ledger: Ledger, subjects: Iterable[str], secrets: Sequence[Path] = ()) -> Forgotten:
    """Find what was published of these people, then take them out of the ledger and of all Secrets.

    ``secrets`` are further Secret files (copies, files that were moved); what is read is checked before anything is
    written.
    """
    names = list(dict.fromkeys(name for name in subjects if name))
    if not names:
        message = "no id was given; write one id per line to standard input"
        raise InputError(message, code="no-ids")
    traces = traces_of(ledger, pl.Series(names, dtype=pl.String))
    folders = {Path(entry.secret): Path(entry.folder) for entry in ledger.entries}
    places = {path: folders.get(path.resolve()) for path in (*folders, *secrets)}
    cleaned: list[tuple[Path, Secret, Any]] = []
    for path, folder in places.items():
        if not path.exists():
            continue
        secret, lock = read_secret_and_lock(path)
        rest = _without(secret, names, folder)
        if rest is not secret:
            cleaned.append((path, rest, lock))
    if not traces and not cleaned:
        message = (
            f"none of the {len(names)} ids given is in this ledger or in a secret of it, so that nothing was changed; "
            "write them as the original data has them, one per line"
        )
        raise InputError(message, code="no-ids")
    forgotten(ledger, names)
    for path, rest, lock in cleaned:
        write_secret(rest, path, lock=lock)
        folder = places[path]
        if folder is not None:
            drop_kept(folder)
    return Forgotten(
        people=len(names),
        unknown=len(names) - len({trace.person for trace in traces}),
        traces=traces,
        cleaned=[path for path, _, _ in cleaned],
        absent=[path for path in places if not path.exists()],
    )


def _without(secret: Secret, names: Sequence[str], folder: Path | None) -> Secret:
    """Return a Secret without these people; where the release is at hand, their records lose their original rows."""
    gone = secret.owners["subject"].cast(pl.String).is_in(names)
    if not gone.any():
        return secret
    rows = secret.rows
    pseudonyms = _pseudonyms(folder)
    if pseudonyms is not None and len(pseudonyms) == len(rows):
        theirs = pseudonyms.is_in(secret.owners.filter(gone)["pseudonym"].implode())
        rows = np.where(theirs.to_numpy(), -1, rows)
    return replace(secret, owners=secret.owners.filter(~gone), rows=rows)


def _pseudonyms(folder: Path | None) -> pl.Series | None:
    """Return the pseudonyms of the records of a release, None where it is not at hand."""
    if folder is None or not folder.is_dir():
        return None
    try:
        return ReleaseFolder.open(folder).release().pseudonyms
    except TokumeiError:
        return None
