"""A release that was made goes to the disk: its folder and, beside it, what only the publisher keeps."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokumei.data import (
    Lock,
    Outcome,
    Release,
    ReleaseFacts,
    Secret,
    check_file_target,
    check_folder_target,
    default_secret_path,
    public_summary,
    write_release,
    write_sealed,
    write_secret,
)
from tokumei.errors import OutputError, ParameterError
from tokumei.flow.bookkeeping import refuse_nested

if TYPE_CHECKING:
    from tokumei.flow.making import Made


@dataclass(frozen=True, slots=True)
class Places:
    """Where a release goes, and beside its folder, never inside, what only the publisher keeps."""

    folder: Path
    secret: Path
    plan: Path
    audit: Path


@dataclass(frozen=True, eq=False)
class Published:
    """Where the parts of a release are on the disk, and what its manifest says."""

    places: Places
    manifest: dict[str, Any]


def places_of(folder: Path, secret: Path | None = None) -> Places:
    """Return where the parts of a release go; ``secret`` names another place for the secret than beside the folder."""
    beside = default_secret_path(folder)
    plan, audit = (beside.with_name(f"{beside.stem}.{ending}") for ending in ("plan.toml", "audit.json"))
    return Places(folder, secret or beside, plan, audit)


def check_places(places: Places, *, plan: bool = True, audit: bool = True) -> None:
    """Raise an error if a release, its secret and, if they are written, its plan and its audit cannot be written.

    Nothing is ever written over: the secret of an earlier release cannot be made again.
    """
    secret = places.secret
    beside = [place for place, written in ((places.plan, plan), (places.audit, audit)) if written]
    inside = secret.resolve()
    if places.folder.resolve() in (inside, *inside.parents):
        message = f"the secret must not lie in the release folder: {secret}; name another place with --secret"
        raise ParameterError(message, file=str(secret))
    if inside in map(Path.resolve, beside):
        message = f"{secret} is where the plan or the audit goes; name another place with --secret"
        raise ParameterError(message, file=str(secret))
    check_folder_target(places.folder)
    if secret.exists():
        message = f"{secret} exists already; keep it and name another place with --secret, or remove it"
        raise OutputError(message, file=str(secret))
    for other in beside:
        if other.exists():
            message = f"{other} exists already and belongs to another release; name another folder, or move it away"
            raise OutputError(message, file=str(other))
        check_file_target(other)
    check_file_target(secret)


def publish(
    made: Made, folder: Path, *, secret_file: Path | None = None, keep_plan: bool = True, lock: Lock | None = None
) -> Published:
    """Write the release folder and, beside it, the secret; with ``keep_plan`` the plan and the audit too.

    With a ``lock`` what is kept is encrypted.

    Of an audit the folder tells the outcome alone: its figures say which guesses are right.
    """
    places = places_of(folder, secret_file)
    private: dict[Path, str] = {}
    if keep_plan:
        private[places.plan] = made.plan.to_toml()
        if made.audit is not None:
            figures = json.dumps(made.audit.as_dict(), indent=2, ensure_ascii=False, default=float)
            private[places.audit] = figures + "\n"
    if made.booking is not None:
        refuse_nested(made.booking.ledger.folder, folder)
    check_places(places, plan=places.plan in private, audit=places.audit in private)
    published = write_parts(
        made.release,
        made.secret,
        places,
        parameters=made.parameters,
        about=made.method.summary,
        data_format=made.plan.data_format,
        verdict=None if made.audit is None else (made.audit.verdict.outcome, made.audit.k),
        private=private,
        lock=lock,
    )
    if made.booking is not None:
        try:
            made.booking.write(places.folder, places.secret)
        except BaseException:
            # A release that the ledger does not know would be mixed with the next one.
            shutil.rmtree(places.folder, ignore_errors=True)
            for place in (places.secret, *private):
                place.unlink(missing_ok=True)
            raise
    return published


def write_parts(
    release: Release,
    secret: Secret,
    places: Places,
    *,
    parameters: Mapping[str, Any],
    about: str,
    data_format: str,
    verdict: tuple[Outcome, int] | None,
    private: Mapping[Path, str] | None = None,
    lock: Lock | None = None,
) -> Published:
    """Write what is kept, the texts of ``private`` included, then the folder; all of it or nothing."""
    summary = public_summary(ReleaseFacts.of(release), parameters=parameters, about=about, verdict=verdict)
    # What is kept goes first: a release whose secret could not be written would be lost to its publisher.
    written: list[Path] = []
    try:
        write_secret(secret, places.secret, lock=lock, new=True)
        written.append(places.secret)
        for place, text in (private or {}).items():
            write_sealed(place, text.encode(), lock, new=True)
            written.append(place)
        manifest = write_release(
            release, places.folder, parameters=parameters, data_format=data_format, summary=summary
        )
    except BaseException:
        for place in written:
            place.unlink(missing_ok=True)
        raise
    return Published(places, manifest)
