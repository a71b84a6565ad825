"""A release that was made goes to the disk: its folder and, beside it, what only the publisher keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokumei.data import (
    OWNER_ONLY,
    check_file_target,
    check_folder_target,
    default_secret_path,
    public_summary,
    write_release,
    write_secret,
    write_text,
)
from tokumei.errors import OutputError, ParameterError

if TYPE_CHECKING:
    from tokumei.flow.making import Made

_ENDINGS = {"plan": "plan.toml", "audit": "audit.json"}


@dataclass(frozen=True, eq=False)
class Published:
    """Where the parts of a release are on the disk, and what its manifest says."""

    folder: Path
    secret_file: Path
    manifest: dict[str, Any]


def places_beside(folder: Path) -> dict[str, Path]:
    """Return where the plan and the internal audit of a release go: beside the folder, never inside."""
    secret = default_secret_path(folder)
    return {what: secret.with_name(f"{secret.stem}.{ending}") for what, ending in _ENDINGS.items()}


def check_places(folder: Path, secret_file: Path | None = None, *, beside: Sequence[Path] = ()) -> Path:
    """Raise an error if a release, its secret and what lies beside it cannot be written; return the secret's place.

    Nothing is ever written over: the secret of an earlier release cannot be made again.
    """
    path = secret_file or default_secret_path(folder)
    inside = path.resolve()
    if folder.resolve() in (inside, *inside.parents):
        message = f"the secret must not lie in the release folder: {path}; name another place with --secret"
        raise ParameterError(message, file=str(path))
    if any(inside == other.resolve() for other in beside):
        message = f"{path} is where the plan or the audit goes; name another place with --secret"
        raise ParameterError(message, file=str(path))
    check_folder_target(folder)
    if path.exists():
        message = f"{path} exists already; keep it and name another place with --secret, or remove it"
        raise OutputError(message, file=str(path))
    for other in beside:
        if other.exists():
            message = f"{other} exists already and belongs to another release; name another folder, or move it away"
            raise OutputError(message, file=str(other))
        check_file_target(other)
    check_file_target(path)
    return path


def publish(made: Made, folder: Path, *, secret_file: Path | None = None, keep_plan: bool = True) -> Published:
    """Write the release folder and, beside it, the secret; with ``keep_plan`` the plan and the audit too.

    Of an audit the folder tells the outcome alone: its figures say which guesses are right.
    """
    private: dict[Path, str] = {}
    if keep_plan:
        places = places_beside(folder)
        private[places["plan"]] = made.plan.to_toml()
        if made.audit is not None:
            figures = json.dumps(made.audit.as_dict(), indent=2, ensure_ascii=False, default=float)
            private[places["audit"]] = figures + "\n"
    path = check_places(folder, secret_file, beside=list(private))
    parameters = made.parameters
    verdict = None if made.audit is None else (made.audit.verdict.outcome, made.audit.k)
    summary = public_summary(
        made.release, made.shares, parameters=parameters, about=made.method.summary, verdict=verdict
    )
    # What is kept goes first: a release whose secret could not be written would be lost to its publisher.
    written: list[Path] = []
    try:
        write_secret(made.secret, path)
        written.append(path)
        for place, text in private.items():
            write_text(place, text, mode=OWNER_ONLY)
            written.append(place)
        manifest = write_release(
            made.release, folder, parameters=parameters, data_format=made.plan.data_format, summary=summary
        )
    except BaseException:
        for place in written:
            place.unlink(missing_ok=True)
        raise
    return Published(folder, path, manifest)
