"""Files that come with a form: one, or several that are packed into one."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.core.files.base import File
from django.http import HttpRequest
from django.utils.translation import gettext as _

from tokumei.contests import FileSpec
from tokumei_arena.errors import RefusedError
from tokumei_arena.work import was_cut

FIELD = "file"
MEGABYTE = 1_000_000
# How gzip and zip begin.
PACKED = (b"\x1f\x8b", b"PK")
EPOCH = (1980, 1, 1, 0, 0, 0)
OWNER_READS = 0o600 << 16
PIECE = 1 << 20


class Upload(NamedTuple):
    """A file, and what its sender called it."""

    file: File[Any]
    name: str


def field_name(spec: FileSpec) -> str:
    """Return the name of the field for one of several files."""
    return f"{FIELD}-{spec.name}"


def largest() -> str:
    """Return the size of the largest upload in words."""
    size = settings.ARENA_LIMITS["upload_bytes"]
    if size < MEGABYTE:
        return _("%(size)d bytes") % {"size": size}
    return f"{size / MEGABYTE:g} MB"


def received(request: HttpRequest, specs: Sequence[FileSpec]) -> Upload:
    """Return what was sent: the one file (or zip), or the several ones packed into a zip in the order of the rules."""
    files = request.FILES
    if was_cut(request):
        message = _("the upload is larger than %(limit)s; compress it (.gz or .zip) or make it smaller")
        raise RefusedError(message % {"limit": largest()}, code="too-large")
    whole = files.get(FIELD)
    if isinstance(whole, File):
        return Upload(whole, Path(whole.name or FIELD).name)
    parts = {spec.name: files.get(field_name(spec)) for spec in specs} if len(specs) > 1 else {}
    given = {name: part for name, part in parts.items() if isinstance(part, File)}
    if not given:
        raise RefusedError(_("choose a file first"), code="no-file")
    _refuse_incomplete(specs, given)
    packed = pack(given)
    return Upload(packed, str(packed.name))


def _refuse_incomplete(specs: Sequence[FileSpec], given: Mapping[str, File[Any]]) -> None:
    missing = [f"{spec.name}.csv" for spec in specs if spec.name not in given and not spec.optional]
    if missing:
        message = _("these files are missing: %(names)s; choose all files, or one zip that holds them")
        raise RefusedError(message % {"names": ", ".join(missing)}, code="files-missing")
    empty = [f"{name}.csv" for name, part in given.items() if not part.size]
    if empty:
        message = _("these files are empty: %(names)s; choose others")
        raise RefusedError(message % {"names": ", ".join(empty)}, code="empty-file")
    packed = [f"{name}.csv" for name, part in given.items() if _is_packed(part)]
    if packed:
        message = _("these files are compressed: %(names)s; choose plain ones, or one zip that holds all of them")
        raise RefusedError(message % {"names": ", ".join(packed)}, code="packed-file")


def _is_packed(file: File[Any]) -> bool:
    file.seek(0)
    start = file.read(2)
    file.seek(0)
    return start in PACKED


def pack(files: Mapping[str, File[Any]]) -> File[Any]:
    """Return a zip of these files, in this order, each named after its key; nothing in it depends on the clock."""
    packed = tempfile.TemporaryFile()  # noqa: SIM115 - the caller's File closes it
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, file in files.items():
            entry = zipfile.ZipInfo(f"{name}.csv", EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, OWNER_READS, 3
            file.seek(0)
            with archive.open(entry, "w", force_zip64=True) as target:
                shutil.copyfileobj(file, target, PIECE)
    packed.seek(0)
    return File(packed, name="files.zip")
