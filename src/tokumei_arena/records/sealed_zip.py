"""Zip files that say what they hold: a manifest with the sha256 of every member, checked whenever one is read.

Contest archives and backups are such files. Both hold secrets, so they are written for their owner only.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from django.utils.translation import gettext as _

from tokumei.data import OWNER_ONLY, atomic_path
from tokumei_arena.errors import RefusedError

MANIFEST = "manifest.json"
PIECE = 1 << 20
# A manifest lists some hundred bytes per member; more than this is no manifest.
LARGEST_DOCUMENT = 1 << 30


class _Hashing:
    """A writable file that hashes what goes through it."""

    def __init__(self, target: IO[bytes]) -> None:
        self.target, self.digest = target, hashlib.sha256()

    def write(self, piece: bytes) -> int:
        self.digest.update(piece)
        return self.target.write(piece)


class SealedWriter:
    """Adds members to a zip and keeps their hashes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.members: dict[str, str] = {}

    def add(self, name: str, source: IO[bytes]) -> None:
        """Copy a file into the zip."""
        with self._archive.open(name, "w", force_zip64=True) as target:
            through = _Hashing(target)
            shutil.copyfileobj(source, through, PIECE)
        self.members[name] = through.digest.hexdigest()

    def add_document(self, name: str, document: Any) -> None:
        """Write plain values as JSON; floats keep every bit."""
        data = json.dumps(document, ensure_ascii=False, indent=1).encode()
        self._archive.writestr(name, data)
        self.members[name] = hashlib.sha256(data).hexdigest()


@contextmanager
def writing(path: Path, manifest: Mapping[str, Any]) -> Iterator[SealedWriter]:
    """Write a sealed zip, whole or not at all, readable by its owner only."""
    with (
        atomic_path(path, mode=OWNER_ONLY) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        writer = SealedWriter(archive)
        yield writer
        sealed = {**manifest, "members": dict(writer.members)}
        archive.writestr(MANIFEST, json.dumps(sealed, ensure_ascii=False, indent=1))


class SealedReader:
    """Reads members of a zip and refuses those that are not what the manifest says."""

    def __init__(self, archive: zipfile.ZipFile, manifest: dict[str, Any], path: Path) -> None:
        self._archive, self.manifest, self.path = archive, manifest, path
        self.members: dict[str, str] = manifest["members"]

    def copy(self, name: str, target: IO[bytes]) -> None:
        """Copy a member out, and check it."""
        if name not in self.members:
            raise _refused(self.path, _("“%(name)s” is missing") % {"name": name})
        through = _Hashing(target)
        try:
            with self._archive.open(name) as source:
                shutil.copyfileobj(source, through, PIECE)
        except (zipfile.BadZipFile, EOFError) as error:
            raise _refused(self.path, _("“%(name)s” is damaged") % {"name": name}) from error
        if through.digest.hexdigest() != self.members[name]:
            raise _refused(self.path, _("“%(name)s” was changed") % {"name": name})

    def document(self, name: str) -> Any:
        """Return the plain values of a JSON member."""
        if name in self.members and self._archive.getinfo(name).file_size > LARGEST_DOCUMENT:
            raise _refused(self.path, _("“%(name)s” is too large") % {"name": name})
        target = BytesIO()
        self.copy(name, target)
        return json.loads(target.getvalue())


@contextmanager
def reading(path: Path, *, kind: str, version: int) -> Iterator[SealedReader]:
    """Open a sealed zip of this kind; anything else is refused in one sentence."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise _refused(path, _("there is no such file")) from error
    except (zipfile.BadZipFile, OSError) as error:
        raise _refused(path, _("it is no zip file, or it is damaged")) from error
    with archive:
        yield SealedReader(archive, _manifest(archive, path, kind, version), path)


def _manifest(archive: zipfile.ZipFile, path: Path, kind: str, version: int) -> dict[str, Any]:
    try:
        manifest = json.loads(archive.read(MANIFEST))
        found, members = (manifest["kind"], manifest["version"]), manifest["members"]
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile) as error:
        raise _refused(path, _("it has no manifest of the arena")) from error
    if found[0] != kind:
        raise _refused(path, _("it is a “%(found)s”, not a “%(kind)s”") % {"found": found[0], "kind": kind})
    if found[1] != version:
        message = _("its format has version %(found)s; this arena reads version %(version)d")
        raise _refused(path, message % {"found": found[1], "version": version})
    if {*members, MANIFEST} != set(archive.namelist()):
        raise _refused(path, _("its files are not those its manifest lists"))
    return manifest


def _refused(path: Path, reason: str) -> RefusedError:
    message = _("%(file)s cannot be used: %(reason)s")
    return RefusedError(message % {"file": path, "reason": reason}, code="bad-archive")


def file_sha256(path: Path) -> str:
    """Return the hash of a whole file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
