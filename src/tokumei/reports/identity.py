"""What a document is about: the names and hashes of the files, the day it is written, and who answers for it."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from tokumei.data import ReleaseFolder
from tokumei.errors import ParameterError
from tokumei.reports.material import Identity

_BLOCK = 1 << 20


def identify(
    original: Path | None, folder: ReleaseFolder | None, *, original_sha256: str = "", date: str = "", author: str = ""
) -> Identity:
    """Return the identity of a document on a release folder; ``date`` is today unless it is told (YYYY-MM-DD).

    ``original_sha256`` is of the original where it was read before; else it is computed. Only the names of files are
    told, never where they lie.
    """
    return Identity(
        original="" if original is None else original.name,
        original_digest="" if original is None else original_sha256 or _digest(original),
        release="" if folder is None else folder.path.resolve().name,
        digests={} if folder is None else folder.digests,
        date=_day(date),
        author=author,
    )


def _day(text: str) -> str:
    if not text:
        return datetime.now(tz=UTC).astimezone().date().isoformat()
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
    except ValueError:
        message = f"--date takes a day such as 2026-11-18; got '{text}'"
        raise ParameterError(message, code="usage") from None


def _digest(file: Path) -> str:
    """Return the SHA-256 of a file, read piece by piece; empty for what is not one file."""
    if not file.is_file():
        return ""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
