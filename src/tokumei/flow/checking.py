"""Whether a Secret can be read, belongs to its release, and is the same as its backup."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.data import History, Lock, Reason, ReleaseFolder, Secret, read_secret_and_lock
from tokumei.errors import InputError
from tokumei.flow.gate import refuse_foreign_secret


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretCheck:
    """What was found of a Secret; it is sound if there are no ``findings``."""

    encrypted: bool
    records: int
    pseudonyms: int
    unowned: int
    findings: tuple[Reason, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for ``--json``."""
        return {
            "sound": not self.findings,
            "encrypted": self.encrypted,
            "records": self.records,
            "pseudonyms": self.pseudonyms,
            "forgotten": self.unowned,
            "findings": [finding.as_dict() for finding in self.findings],
        }


def check_secret(
    path: Path, folder: Path, *, history: History | None = None, backup: Path | None = None, lock: Lock | None = None
) -> SecretCheck:
    """Check a Secret against its release, and, where they are given, against the original and a backup copy."""
    secret, key = read_secret_and_lock(path, lock=lock)
    release = ReleaseFolder.open(folder).release(history)
    names = release.pseudonyms.cast(pl.String)
    known = names.is_in(secret.owners["pseudonym"].implode()).to_numpy()
    findings: list[Reason] = []
    if len(secret.rows) != len(release):
        findings.append(Reason(code="secret-records", values={"secret": len(secret.rows), "release": len(release)}))
    elif (~known & (secret.rows >= 0)).any():
        count = names.filter(pl.Series(~known & (secret.rows >= 0))).n_unique()
        findings.append(Reason(code="secret-owners", values={"count": count}))
    elif history is not None:
        try:
            refuse_foreign_secret(history, release, secret)
        except InputError:
            findings.append(Reason(code="secret-original"))
    if backup is not None and not _same(secret, read_secret_and_lock(backup, lock=lock)[0]):
        findings.append(Reason(code="secret-backup", values={"file": str(backup)}))
    return SecretCheck(
        encrypted=key is not None,
        records=len(secret.rows),
        pseudonyms=secret.owners["pseudonym"].n_unique(),
        unowned=names.filter(pl.Series(~known)).n_unique(),
        findings=tuple(findings),
    )


def _same(one: Secret, other: Secret) -> bool:
    """Return whether two Secrets hold the same."""
    none = np.empty(0, dtype=np.int64)
    return (
        one.owners.sort("pseudonym", "subject").equals(other.owners.sort("pseudonym", "subject"))
        and np.array_equal(one.rows, other.rows)
        and np.array_equal(none if one.people is None else one.people, none if other.people is None else other.people)
        and (one.key, one.seed) == (other.key, other.seed)
    )
