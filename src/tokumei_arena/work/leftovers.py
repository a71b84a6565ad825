"""What killed processes and replaced data leave in the stores: files that nothing refers to, and half written ones.

They fill the disk, and ground truth that was replaced should not stay for ever. Only what is old goes: an upload of
this moment may become a submission in the next one. A whole file without a row is left alone: the row may be in another
database that shares the store.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.core.files.storage import storages

from tokumei_arena import clock
from tokumei_arena.models import Blob, DataFile, Submission, TargetFile
from tokumei_arena.records import PART, FolderStorage, discard_blob

__all__ = ["sweep_files"]

OLD = timedelta(days=1)


def sweep_files(*, older: timedelta = OLD) -> int:
    """Remove files that no submission, data or target has, and half written ones; return how many."""
    before = clock.now() - older
    abandoned = Blob.objects.filter(created_at__lt=before)
    for owners in (Submission.objects, DataFile.objects, TargetFile.objects):
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


def _half_files(storage: FolderStorage) -> Iterator[str]:
    try:
        folders, _files = storage.listdir("")
    except FileNotFoundError:
        # Nothing was ever stored there.
        return
    for folder in folders:
        yield from (f"{folder}/{name}" for name in storage.listdir(folder)[1] if name.endswith(PART))
