"""Files that nothing refers to, because a process was killed between storing them and writing their row.

They harm nobody but fill the disk. Only what is old goes: a file of this moment may get its row in the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.core.files.storage import Storage, storages

from tokumei_arena.core import clock
from tokumei_arena.core.storage import discard
from tokumei_arena.models import Blob, Submission

__all__ = ["sweep_files"]

OLD = timedelta(days=1)


def sweep_files(*, older: timedelta = OLD) -> int:
    """Remove uploads without a submission and stored files without a row; return how many."""
    before = clock.now() - older
    taken_in = Submission.objects.values("blob")
    abandoned = Blob.objects.filter(area=Blob.Area.UPLOADS, created_at__lt=before).exclude(pk__in=taken_in)
    count = 0
    for blob in abandoned:
        discard(blob)
        count += 1
    for area in Blob.Area.values:
        storage = storages[area]
        known = set(Blob.objects.filter(area=area).values_list("key", flat=True))
        for key in _keys(storage):
            if key not in known and storage.get_modified_time(key) < before:
                storage.delete(key)
                count += 1
    return count


def _keys(storage: Storage) -> Iterator[str]:
    """Give the names of all files: each is in one of the folders of an area, half written ones too."""
    try:
        folders, _files = storage.listdir("")
    except FileNotFoundError:
        # Nothing was ever stored there.
        return
    for folder in sorted(folders):
        for name in sorted(storage.listdir(folder)[1]):
            yield f"{folder}/{name}"
