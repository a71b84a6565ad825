"""Zips that the server writes: the same files give the same bytes, and nothing in them depends on the clock."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from typing import IO, Any

from django.core.files.base import File

from tokumei.contests import file_name
from tokumei_arena.models import Blob
from tokumei_arena.records.storage import open_blob

EPOCH = (1980, 1, 1, 0, 0, 0)
OWNER_READS = 0o600 << 16
PIECE = 1 << 20


class ZipWriter:
    """A zip that is written to a file without a name; whatever happens, nothing of it stays."""

    def __init__(self) -> None:
        self._packed = tempfile.TemporaryFile()  # noqa: SIM115 - whoever takes the result closes it
        self._archive = zipfile.ZipFile(self._packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6)

    def add(self, name: str, source: IO[bytes] | File[Any]) -> None:
        """Add what can be read, from its beginning."""
        entry = zipfile.ZipInfo(name, EPOCH)
        entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, OWNER_READS, 3
        source.seek(0)
        with self._archive.open(entry, "w", force_zip64=True) as target:
            shutil.copyfileobj(source, target, PIECE)

    def add_bytes(self, name: str, data: bytes) -> None:
        """Add bytes."""
        with tempfile.SpooledTemporaryFile(max_size=PIECE) as source:
            source.write(data)
            self.add(name, source)

    def add_blob(self, name: str, blob: Blob) -> None:
        """Add a stored file."""
        with open_blob(blob) as source:
            self.add(name, source)

    def close(self, name: str) -> File[Any]:
        """Return the zip, ready to be read, under a name."""
        self._archive.close()
        self._packed.seek(0)
        return File(self._packed, name=name)


def pack(files: Mapping[str, File[Any]]) -> File[Any]:
    """Return a zip of these files, in this order, each named after its key."""
    writer = ZipWriter()
    for name, file in files.items():
        writer.add(file_name(name), file)
    return writer.close("files.zip")
