"""The whole arena in one file: database, stored files and keys; and from that file an arena as it was.

The database is copied as of one moment while the server goes on. Files are stored before the rows that name them and
never change, so that copying them afterwards misses none of that moment.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import File
from django.core.files.storage import storages
from django.db import connection
from django.utils.translation import gettext as _

from tokumei.data import OWNER_ONLY, atomic_path, check_file_target
from tokumei_arena import clock, environment
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Blob
from tokumei_arena.records.sealed_zip import SealedReader, SealedWriter, file_sha256, reading, writing
from tokumei_arena.records.storage import need_worker, open_blob

KIND, VERSION = "tokumei-arena-backup", 1
DATABASE, FILES = "database", "files/"
# Keys that stand in the folder; those of the environment are kept by whoever set them.
KEYS = {"secret.key": "TOKUMEI_ARENA_SECRET", environment.LOG_KEY_FILE: "TOKUMEI_ARENA_LOG_KEY"}
# A table that every arena has.
MARK = "arena_person"


@dataclass(frozen=True)
class BackedUp:
    """What was written or read: which kind of database, how many files, what could not be found, and the hash."""

    database: str
    files: int
    missing: tuple[str, ...]
    sha256: str


def back_up(path: Path) -> BackedUp:
    """Write everything to a file that only its owner can read; files that are gone are listed, not skipped silently."""
    manifest = {
        "kind": KIND,
        "version": VERSION,
        "made_at": clock.now().isoformat(),
        "database": connection.vendor,
        "versions": {"tokumei": version("tokumei"), "django": version("django")},
        "warning": "This file holds every secret of the arena; keep it as secret as a password.",
    }
    missing: list[str] = []
    need_worker()
    check_file_target(path)
    with tempfile.TemporaryDirectory(prefix="arena-backup-", dir=path.resolve().parent) as temporary:
        snapshot = Path(temporary) / DATABASE
        _dump(snapshot)
        with writing(path, manifest) as target:
            with snapshot.open("rb") as file:
                target.add(DATABASE, file)
            for name, variable in KEYS.items():
                key = environment.home() / name
                if key.exists() and not os.environ.get(variable):
                    with key.open("rb") as file:
                        target.add(name, file)
            for blob in Blob.objects.order_by("pk").iterator():
                _add(target, blob, missing)
            count = sum(name.startswith(FILES) for name in target.members)
    return BackedUp(connection.vendor, count, tuple(missing), file_sha256(path))


def _add(target: SealedWriter, blob: Blob, missing: list[str]) -> None:
    try:
        with open_blob(blob) as file:
            target.add(f"{FILES}{blob.area}/{blob.key}", file)
    except FileNotFoundError:
        missing.append(f"{blob.area}/{blob.key}")


def _dump(target: Path) -> None:
    """Copy the database as of now."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(target)) as copy:
            connection.connection.backup(copy)
        return
    _run_postgres("pg_dump", "--format=custom", "--no-owner", f"--file={target}")


def _run_postgres(program: str, *words: str) -> None:
    """Run a program of PostgreSQL on the arena's database; the password goes through its environment."""
    found = shutil.which(program)
    if found is None:
        message = _("%(program)s is not installed; install the client programs of PostgreSQL, or use its own backup")
        raise RefusedError(message % {"program": program}, code="no-postgres-client")
    database = settings.DATABASES["default"]
    place = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    known = {name: str(database.get(key) or "") for name, key in place.items()}
    own = {**os.environ, **{name: value for name, value in known.items() if value}}
    done = subprocess.run([found, *words], env=own, capture_output=True, check=False, text=True)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or [str(done.returncode)]
        message = _("%(program)s failed: %(reason)s") % {"program": program, "reason": reason[0]}
        raise RefusedError(message, code="postgres-failed")


def restore(path: Path) -> BackedUp:
    """Make the arena that a backup holds, where there is none yet."""
    with reading(path, kind=KIND, version=VERSION) as source:
        vendor = source.manifest["database"]
        if vendor != connection.vendor:
            message = _("this backup is of a %(found)s database, but this arena is set up for %(here)s")
            raise NotNowError(message % {"found": vendor, "here": connection.vendor}, code="other-database")
        _refuse_existing()
        names = [name for name in source.members if name.startswith(FILES)]
        for name in names:
            _put_back(source, name)
        for key in KEYS:
            if key in source.members:
                with atomic_path(environment.home() / key, mode=OWNER_ONLY) as temporary, temporary.open("wb") as file:
                    source.copy(key, file)
        # Last: an arena without its database is no arena, so that a restore that was cut off can be begun again.
        _load(source)
    return BackedUp(vendor, len(names), (), file_sha256(path))


def _refuse_existing() -> None:
    if MARK in connection.introspection.table_names():
        message = _("there is an arena here already; restore into an empty folder or database")
        raise NotNowError(message, code="arena-exists")


def _put_back(source: SealedReader, name: str) -> None:
    """Store a file under the key it had; one that is there already from a restore that was cut off is replaced."""
    area, _slash, key = name.removeprefix(FILES).partition("/")
    with tempfile.TemporaryFile() as temporary:
        source.copy(name, temporary)
        temporary.seek(0)
        try:
            storage = storages[Blob.Area(area)]
            storage.delete(key)
            storage.save(key, File(temporary))
        except (ValueError, SuspiciousFileOperation) as error:
            message = _("%(file)s cannot be used: “%(name)s” is no place for a file")
            raise RefusedError(message % {"file": source.path, "name": name}, code="bad-archive") from error


def _load(source: SealedReader) -> None:
    """Put the database in its place, whole or not at all."""
    connection.close()
    if connection.vendor == "sqlite":
        target = Path(settings.DATABASES["default"]["NAME"])
        with atomic_path(target, mode=OWNER_ONLY) as temporary:
            with temporary.open("wb") as file:
                source.copy(DATABASE, file)
            _check_sqlite(temporary)
        return
    with tempfile.TemporaryDirectory(prefix="arena-restore-") as folder:
        dump = Path(folder) / DATABASE
        with dump.open("wb") as file:
            source.copy(DATABASE, file)
        words = ("--no-owner", "--exit-on-error", "--single-transaction")
        _run_postgres("pg_restore", *words, f"--dbname={settings.DATABASES['default']['NAME']}", str(dump))


def _check_sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("PRAGMA integrity_check").fetchone()[0]
    if found != "ok":
        raise RefusedError(_("the database in this backup is damaged"), code="bad-archive")
