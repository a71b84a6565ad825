"""A release issued again: the same cells in canonical files, under fresh pseudonyms that nothing can compute.

For a release whose files are not canonical, or whose pseudonyms may have been made by something else than chance. The
old one must be withdrawn: who has both can join them by their content.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tokumei.data import History, Lock, Outcome, Release, ReleaseFolder, Secret
from tokumei.errors import InfeasibleError, InputError, ParameterError, TokumeiError
from tokumei.flow.gate import refuse_foreign_secret
from tokumei.flow.large import is_large
from tokumei.flow.making import in_published_order, quick_audit
from tokumei.flow.plan import public_parameters
from tokumei.flow.publishing import Published, check_places, places_of, write_parts
from tokumei.parts import HOW_IT_RAN, Method, find_part, make_part

# As methods draw them: a release issued again looks like any other.
LARGEST_NUMBER = 999_999_999


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reissued:
    """A release under fresh pseudonyms with its new secret, ready to be written; ``verdict`` is None if not audited."""

    release: Release
    secret: Secret
    method: Method
    parameters: dict[str, Any]
    data_format: str
    verdict: tuple[Outcome, int] | None = None

    def write(self, folder: Path, *, secret_file: Path | None = None, lock: Lock | None = None) -> Published:
        """Write the folder and, beside it, the new secret, encrypted if there is a lock."""
        places = places_of(folder, secret_file)
        check_places(places, plan=False, audit=False)
        return write_parts(
            self.release,
            self.secret,
            places,
            parameters=self.parameters,
            about=self.method.summary,
            data_format=self.data_format,
            verdict=self.verdict,
            lock=lock,
        )


def reissue(folder: ReleaseFolder, secret: Secret, history: History | None = None) -> Reissued:
    """Return the release of a folder under fresh pseudonyms of the operating system's entropy.

    ``secret`` is the one of the folder; the new one replaces it for the new release. With the original, ``history``,
    the quick audit is made, whose outcome the summary states. What the old files say beside the cells is left behind.
    """
    refuse_large(folder)
    release = folder.release(history)
    _refuse_other_secret(release, secret, history)
    method, parameters = _stated_method(folder)
    names = pl.concat([release.pseudonyms, *([] if release.people is None else [release.people.pseudonyms])]).unique()
    fresh = _fresh_names(names.sort(), secret)
    people = None if release.people is None else replace(release.people, pseudonyms=_renamed(release.people, fresh))
    apart = None if release.apart is None else release.apart.renamed(fresh)
    renamed = replace(release, pseudonyms=_renamed(release, fresh), people=people, apart=apart)
    owners = secret.owners.with_columns(pl.col("pseudonym").cast(pl.String).replace_strict(fresh, default=None))
    kept = replace(secret, owners=owners.drop_nulls("pseudonym").sort("pseudonym", "subject"), key=None)
    published, hidden = in_published_order(renamed, kept)
    verdict = None
    if history is not None:
        audit = quick_audit(method, history, published, hidden)
        verdict = audit.verdict.outcome, audit.k
    return Reissued(
        release=published,
        secret=hidden,
        method=method,
        parameters=parameters,
        data_format=folder.data.suffix.removeprefix("."),
        verdict=verdict,
    )


def refuse_large(folder: ReleaseFolder) -> None:
    """Raise InfeasibleError for a release that is not held: it would have to be, to draw all its pseudonyms anew."""
    if is_large(folder):
        message = (
            f"{folder.path}: the release is too large to be issued again in memory; make a new one with "
            "'tokumei anonymize', which draws fresh pseudonyms, or allow more memory (--memory)"
        )
        raise InfeasibleError(message, code="in-memory-only", file=str(folder.path))


def _refuse_other_secret(release: Release, secret: Secret, history: History | None) -> None:
    """Raise InputError if the secret is not that of the release."""
    if history is not None:
        refuse_foreign_secret(history, release, secret)
    known = release.pseudonyms.unique().is_in(secret.owners["pseudonym"].cast(pl.String).implode()).all()
    if len(secret.rows) != len(release) or not (known or (secret.rows < 0).any()):
        message = "the secret does not belong to this release; give the one that was written with it"
        raise InputError(message, code="foreign-secret")


def _stated_method(folder: ReleaseFolder) -> tuple[Method, dict[str, Any]]:
    """Return the method of a manifest with those of its parameters that it has, and all of them as they are public."""
    try:
        part = find_part("anonymizer", folder.method)
    except TokumeiError:
        message = (
            f"{folder.path / 'manifest.json'}: the manifest names no method of this installation "
            f"('{folder.method}'); restore the manifest, or anonymize the original again"
        )
        raise ParameterError(message, code="unknown-method", file=str(folder.path)) from None
    names = [info.name for info in part.parameters() if info.name not in HOW_IT_RAN]
    stated = {name: folder.parameters[name] for name in names if folder.parameters.get(name) is not None}
    files = {name: value for name, value in stated.items() if isinstance(value, str) and value.startswith("@")}
    method: Method = make_part(part, {name: value for name, value in stated.items() if name not in files})
    return method, {**public_parameters(method), **files}


def _fresh_names(names: pl.Series, secret: Secret) -> dict[str, str]:
    """Return a new pseudonym for every old one."""
    taken = set(names.to_list()) | set(secret.owners["subject"].cast(pl.String).to_list())
    fresh: dict[str, str] = {}
    for name in names.to_list():
        drawn = str(secrets.randbelow(LARGEST_NUMBER) + 1)
        while drawn in taken:
            drawn = str(secrets.randbelow(LARGEST_NUMBER) + 1)
        taken.add(drawn)
        fresh[name] = drawn
    return fresh


def _renamed(table: Release, fresh: dict[str, str]) -> pl.Series:
    return table.pseudonyms.cast(pl.String).replace_strict(fresh, return_dtype=pl.String).alias("pseudonym")
