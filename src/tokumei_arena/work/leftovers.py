"""Folders of evaluations, and what killed processes leave: such folders, half written files, files nothing refers to.

Files fill the disk, and ground truth that was replaced should not stay for ever. Only what is old goes: an upload of
this moment may become a submission in the next one. A whole file without a row is left alone: the row may be in another
database that shares the store.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.storage import storages

from tokumei_arena import clock, environment
from tokumei_arena.models import Attachment, Blob, DataFile, PublicFile, Submission, TargetFile
from tokumei_arena.records import PART, FolderStorage, discard_blob, empty_blob

OLD = timedelta(days=1)


def sweep_files(*, older: timedelta = OLD) -> int:
    """Remove files that nothing has any more, and half written ones; return how many."""
    before = clock.now() - older
    abandoned = Blob.objects.filter(created_at__lt=before)
    for owners in (Submission.objects, DataFile.objects, TargetFile.objects, Attachment.objects, PublicFile.objects):
        abandoned = abandoned.exclude(pk__in=owners.values_list("blob", flat=True))
    count = 0
    for blob in abandoned:
        discard_blob(blob)
        count += 1
    for area in Blob.Area.values:
        storage = storages[area]
        # A bucket knows no half files.
        for key in _half_files(storage) if isinstance(storage, FolderStorage) else ():
            if storage.get_modified_time(key) < before:
                storage.delete(key)
                count += 1
    return count


def remove_old_uploads() -> int:
    """Remove the bytes of invalid files that need not be kept any longer; return how many."""
    now = clock.now()
    old = Submission.objects.filter(
        verdict=Submission.Verdict.INVALID,
        received_at__lt=now - timedelta(days=settings.ARENA_LIMITS["kept_days"]),
        blob__removed_at=None,
    )
    count = 0
    for submission in old.select_related("blob").iterator():
        empty_blob(submission.blob, now)
        count += 1
    return count


def _half_files(storage: FolderStorage) -> Iterator[str]:
    try:
        folders, _files = storage.listdir("")
    except FileNotFoundError:
        # Nothing was ever stored there.
        return
    for folder in folders:
        yield from (f"{folder}/{name}" for name in storage.listdir(folder)[1] if name.endswith(PART))


def _place() -> Path:
    place = environment.home() / "work"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


@contextmanager
def work_folder() -> Iterator[Path]:
    """Return a new folder that only we can read, for the time of one evaluation; its name tells whose it is."""
    with tempfile.TemporaryDirectory(
        prefix=f"{socket.gethostname()}.{os.getpid()}.", dir=_place(), ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def sweep_folders() -> int:
    """Remove what processes of this machine that are no more left behind; return how many folders."""
    removed = 0
    for folder in _place().glob(f"{socket.gethostname()}.*"):
        number = folder.name.split(".")[-2]
        if number.isdigit() and not Path(f"/proc/{number}").exists() and Path("/proc/self").exists():
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed
