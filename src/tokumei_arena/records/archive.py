"""A whole contest in one file, and from that file into another arena with identical standings.

The file holds everything the judge knows, ground truth and the contest's seed included: whoever has it can undo every
release. It holds no person: no names, addresses, passwords or tokens.
"""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import storages
from django.db import connection, transaction
from django.utils.translation import gettext as _

from tokumei.contests import find_contest
from tokumei_arena import clock
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Blob, Contest, LogEntry, check_slug
from tokumei_arena.records import logbook
from tokumei_arena.records.archive_rows import ADDED, TABLES, row_from_values, rows_of, values_of
from tokumei_arena.records.sealed_zip import SealedReader, SealedWriter, file_sha256, reading, writing
from tokumei_arena.records.storage import discard_blob, need_worker, open_blob, put_file

KIND, VERSION = "tokumei-arena-contest", 1
LOG = "log.json"


@dataclass(frozen=True)
class Archived:
    """What was written or read: the contest, how many rows of each table, how many files, and the archive's hash."""

    contest: str
    slug: str
    rows: dict[str, int]
    files: int
    log_entries: int
    sha256: str


def export_contest(contest: Contest, path: Path) -> Archived:
    """Write a contest to a file that only its owner can read. Only a process that may open ground truth can do it."""
    need_worker()
    with _one_moment():
        tables = {name: [values_of(row) for row in rows_of(name, contest)] for name in TABLES}
        entries = [
            {**logbook.values_of_entry(entry), "hash": entry.hash}
            for entry in LogEntry.objects.filter(contest=contest.pk)
        ]
        last = LogEntry.objects.order_by("-number").first()
    blobs = Blob.objects.in_bulk([row["id"] for row in tables["Blob"]])
    with writing(path, _manifest(contest)) as target:
        for name, rows in tables.items():
            target.add_document(f"tables/{name}.json", rows)
        head = None if last is None else {"number": last.number, "hash": last.hash}
        target.add_document(LOG, {"head": head, "entries": entries})
        for blob in blobs.values():
            _add(target, blob)
    done = Archived(
        str(contest.pk),
        contest.slug,
        {name: len(rows) for name, rows in tables.items()},
        len(blobs),
        len(entries),
        file_sha256(path),
    )
    logbook.record("contest.export", contest, sha256=done.sha256)
    return done


@contextmanager
def _one_moment() -> Iterator[None]:
    """Read all tables as of one moment, while teams go on: SQLite does so in any transaction, PostgreSQL if asked."""
    begins = not connection.in_atomic_block
    with transaction.atomic():
        if begins and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _add(target: SealedWriter, blob: Blob) -> None:
    try:
        with open_blob(blob) as source:
            target.add(f"files/{blob.pk}", source)
    except FileNotFoundError as error:
        message = _("the stored file “%(name)s” (%(key)s) is missing; restore it from a backup first")
        raise RefusedError(message % {"name": blob.name, "key": blob.key}, code="file-missing") from error


def _manifest(contest: Contest) -> dict[str, Any]:
    return {
        "kind": KIND,
        "version": VERSION,
        "made_at": clock.now().isoformat(),
        "contest": {"id": str(contest.pk), "slug": contest.slug, "name": contest.name, "rule_set": contest.rule_set},
        "versions": {
            "tokumei": version("tokumei"),
            "rule_set": find_contest(contest.rule_set).version(),
            "django": version("django"),
            "python": platform.python_version(),
        },
        "warning": "This file holds ground truth and the seed of the contest; keep it as secret as a password.",
    }


def import_contest(path: Path, *, slug: str = "") -> Archived:
    """Read a contest from a file into this arena: all of it, or nothing if anything in the file is not right."""
    with reading(path, kind=KIND, version=VERSION) as source:
        tables = {name: _rows(source, name) for name in TABLES}
        entries = source.document(LOG)["entries"]
        _check_log(entries)
        _check_inside(tables, source)
        contest = _the_contest(tables["Contest"], source)
        contest.slug = slug or contest.slug
        check_slug(contest.slug)
        _refuse_known(contest)
        blobs: list[Blob] = []
        try:
            with transaction.atomic():
                for row in tables.pop("Blob"):
                    # The list says what to remove if a later one fails.
                    blobs.append(_store(source, row))  # noqa: PERF401
                _save(row for rows in tables.values() for row in rows)
                done = Archived(
                    str(contest.pk),
                    contest.slug,
                    {"Blob": len(blobs), **{name: len(rows) for name, rows in tables.items()}},
                    len(blobs),
                    len(entries),
                    file_sha256(path),
                )
                logbook.record("contest.import", contest, sha256=done.sha256, log_entries=len(entries))
        except BaseException:
            for blob in blobs:
                storages[blob.area].delete(blob.key)
            raise
    return done


def _rows(source: SealedReader, name: str) -> list[Any]:
    """Return the unsaved rows of a table; one that was added since is empty in older archives."""
    if name in ADDED and f"tables/{name}.json" not in source.members:
        return []
    try:
        return [row_from_values(name, values) for values in source.document(f"tables/{name}.json")]
    except (ValueError, TypeError, AttributeError) as error:
        message = _("%(file)s cannot be used: its tables are not those of this version (%(where)s)")
        raise RefusedError(message % {"file": source.path, "where": error}, code="bad-archive") from error


def _check_log(entries: list[dict[str, Any]]) -> None:
    """Refuse an extract of the log in which an entry is not what its own hash says."""
    for values in entries:
        if logbook.hash_of_values({key: value for key, value in values.items() if key != "hash"}) != values["hash"]:
            message = _("entry %(number)s of the log in this archive was changed") % {"number": values["number"]}
            raise RefusedError(message, code="log-changed")


def _check_inside(tables: Mapping[str, list[Any]], source: SealedReader) -> None:
    """Refuse rows that refer to what the archive does not hold: a team of it must not get into another contest."""
    held = {TABLES[name]: {row.pk for row in rows} for name, rows in tables.items()}
    for name, rows in tables.items():
        for field in TABLES[name]._meta.concrete_fields:
            if field.related_model not in held:
                continue
            used = {getattr(row, field.attname) for row in rows} - {None}
            if not used <= held[field.related_model]:
                message = _("%(file)s cannot be used: “%(name)s” refers to what is not in it")
                raise RefusedError(message % {"file": source.path, "name": f"{name}.{field.name}"}, code="bad-archive")


def _the_contest(rows: list[Contest], source: SealedReader) -> Contest:
    if len(rows) != 1:
        message = _("%(file)s cannot be used: it must hold exactly one contest")
        raise RefusedError(message % {"file": source.path}, code="bad-archive")
    find_contest(rows[0].rule_set)
    return rows[0]


def _refuse_known(contest: Contest) -> None:
    if Contest.objects.filter(pk=contest.pk).exists():
        message = _("the contest “%(name)s” is in this arena already; nothing was imported")
        raise NotNowError(message % {"name": contest.name}, code="already-imported")
    if Contest.objects.filter(slug=contest.slug).exists():
        message = _("another contest has the short name “%(slug)s”; import this one under another (--slug)")
        raise NotNowError(message % {"slug": contest.slug}, code="slug-taken")


def _store(source: SealedReader, row: Blob) -> Blob:
    """Put a file of the archive into the storage of its area, under a new key."""
    with tempfile.TemporaryFile() as temporary:
        source.copy(f"files/{row.pk}", temporary)
        temporary.seek(0)
        stored = put_file(Blob.Area(row.area), row.name, File(temporary, name=row.name))
    if (stored.sha256, stored.size) != (row.sha256, row.size):
        discard_blob(stored)
        message = _("%(file)s cannot be used: “%(name)s” was changed")
        raise RefusedError(message % {"file": source.path, "name": row.name}, code="bad-archive")
    row.key = stored.key
    stored.delete()
    _save([row])
    return row


def _save(rows: Iterable[Any]) -> None:
    """Write rows exactly as they are: raw keeps the moments at which they were first made."""
    for row in rows:
        row.save_base(raw=True, force_insert=True)
