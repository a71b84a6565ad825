"""Where files are kept: written whole or not at all, never overwritten; web processes cannot open ground truth."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage, storages

from tokumei_arena.models import Blob

PIECE = 1 << 20
# How the name of a file ends while it is being written.
PART = ".part"


class Stored(NamedTuple):
    """Where bytes are kept, and what they are."""

    key: str
    sha256: str
    size: int


class TruthClosedError(PermissionError):
    """A web process asked for ground truth."""


class NoStorage(Storage):
    """The default storage of Django, unused here: every file belongs to an area."""


class FolderStorage(FileSystemStorage):
    """Files in a folder: written under another name, flushed to the disk, then renamed."""

    def _save(self, name: str, content: File[Any]) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = target.with_name(f".{secrets.token_hex(8)}{PART}")
        try:
            with temporary.open("xb") as file:
                for piece in content.chunks(PIECE):
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o600)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        return name


def _digest(file: File[Any]) -> str:
    digest = hashlib.sha256()
    for piece in file.chunks(PIECE):
        digest.update(piece)
    file.seek(0)
    return digest.hexdigest()


def store(area: Blob.Area, file: File[Any]) -> Stored:
    """Store a file under a key that nobody can guess; the database is not asked."""
    sha256 = _digest(file)
    random = secrets.token_hex(16)
    return Stored(storages[area].save(f"{random[:2]}/{random}", file), sha256, file.size)


def make_blob(area: Blob.Area, name: str, stored: Stored) -> Blob:
    """Return the new row of a stored file, which the caller's transaction keeps or not."""
    return Blob.objects.create(area=area, name=Path(name).name[:200] or "file", **stored._asdict())


def put_file(area: Blob.Area, name: str, file: File[Any]) -> Blob:
    """Store a file; return its row."""
    return make_blob(area, name, store(area, file))


def put_bytes(area: Blob.Area, name: str, data: bytes) -> Blob:
    """Store bytes."""
    return put_file(area, name, ContentFile(data, name=name))


def discard_blob(blob: Blob) -> None:
    """Remove what was stored for something that was then refused, so that nothing refers to it."""
    blob.delete()
    storages[blob.area].delete(blob.key)


def empty_blob(blob: Blob, at: datetime) -> None:
    """Remove the bytes of a row that is kept; whose they were and their hash stand in the log."""
    old, stored = blob.key, store(Blob.Area(blob.area), ContentFile(b"", name=blob.name))
    blob.key, blob.sha256, blob.size, blob.removed_at = *stored, at
    blob.save(update_fields=["key", "sha256", "size", "removed_at"])
    storages[blob.area].delete(old)


def need_worker() -> None:
    """Refuse processes that must not see ground truth."""
    if settings.ARENA_ROLE != "worker":
        raise TruthClosedError("ground truth is opened by workers only")


def open_stored(blob: Blob) -> File[Any]:
    """Open stored bytes for reading, to be closed by the caller; ground truth only in a worker."""
    if blob.area == Blob.Area.TRUTH:
        need_worker()
    return storages[blob.area].open(blob.key, "rb")


@contextmanager
def open_blob(blob: Blob) -> Iterator[IO[bytes]]:
    """Open stored bytes for reading; ground truth only in a worker."""
    with open_stored(blob) as file:
        yield file


def copy_to(blob: Blob, path: Path) -> None:
    """Copy stored bytes to a file."""
    with open_blob(blob) as source, path.open("wb") as target:
        shutil.copyfileobj(source, target, PIECE)
