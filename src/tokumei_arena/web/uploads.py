"""Handing in by a form: one file, or several that are packed into one."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.files.base import File
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tokumei.contests import FileSpec, file_name
from tokumei_arena.errors import ArenaError, RefusedError
from tokumei_arena.models import Person, Submission
from tokumei_arena.records import pack
from tokumei_arena.wording import in_language
from tokumei_arena.work import LONGEST_NOTE, was_cut

FIELD = "file"
MEGABYTE = 1_000_000
# How gzip and zip begin.
PACKED = (b"\x1f\x8b", b"PK")


class Upload(NamedTuple):
    """A file, and what its sender called it."""

    file: File[Any]
    name: str


def _field_name(spec: FileSpec) -> str:
    """Return the name of the field for one of several files."""
    return f"{FIELD}-{spec.name}"


def _largest() -> str:
    """Return the size of the largest upload in words."""
    size = settings.ARENA_LIMITS["upload_bytes"]
    if size < MEGABYTE:
        return _("%(size)d bytes") % {"size": size}
    return f"{size / MEGABYTE:g} MB"


def hand_in(
    request: HttpRequest, specs: Sequence[FileSpec], submit: Callable[..., Submission], done: str
) -> HttpResponse | ArenaError:
    """Take in what a form sent and go on to the page of the submission; return the error if it is refused."""
    if not isinstance(request.user, Person):
        return redirect_to_login(request.path)
    try:
        file, name = received(request, specs)
        note, key = request.POST.get("note", "").strip(), _form_key(request, file)
        with file:
            made = submit(request.user, file=file, name=name, note=note, client_key=key)
    except ArenaError as error:
        return error
    messages.success(request, done)
    return redirect("submission", made.round.contest.slug, made.pk)


def _form_key(request: HttpRequest, file: File[Any]) -> str:
    """Return a key that is the same if a form is sent twice with the same file, and another one for another file."""
    nonce = request.POST.get("nonce", "")
    if not nonce:
        return ""
    digest = hashlib.sha256(nonce.encode())
    for piece in file.chunks():
        digest.update(piece)
    file.seek(0)
    return digest.hexdigest()


def upload_form(specs: tuple[FileSpec, ...], refused: ArenaError | None, request: HttpRequest) -> dict[str, Any]:
    """Return what the template of an upload form needs."""
    return {
        "single": len(specs) == 1,
        "specs": [(_field_name(one), one, in_language(one.about)) for one in specs],
        "about": in_language(specs[0].about) if len(specs) == 1 else "",
        "largest": _largest(),
        "nonce": secrets.token_hex(16),
        "error": refused.message if refused else "",
        "note": request.POST.get("note", "")[:LONGEST_NOTE],
    }


def received(request: HttpRequest, specs: Sequence[FileSpec]) -> Upload:
    """Return what was sent: the one file (or zip), or the several ones packed into a zip in the order of the rules."""
    files = request.FILES
    if was_cut(request):
        message = _("the upload is larger than %(limit)s; compress it (.gz or .zip) or make it smaller")
        raise RefusedError(message % {"limit": _largest()}, code="too-large")
    whole = files.get(FIELD)
    if isinstance(whole, File):
        return Upload(whole, Path(whole.name or FIELD).name)
    parts = {spec.name: files.get(_field_name(spec)) for spec in specs} if len(specs) > 1 else {}
    given = {name: part for name, part in parts.items() if isinstance(part, File)}
    if not given:
        raise RefusedError(_("choose a file first"), code="no-file")
    _refuse_incomplete(specs, given)
    packed = pack(given)
    return Upload(packed, str(packed.name))


def _refuse_incomplete(specs: Sequence[FileSpec], given: Mapping[str, File[Any]]) -> None:
    missing = [spec.filename for spec in specs if spec.name not in given and not spec.optional]
    if missing:
        message = _("these files are missing: %(names)s; choose all files, or one zip that holds them")
        raise RefusedError(message % {"names": ", ".join(missing)}, code="files-missing")
    empty = [file_name(name) for name, part in given.items() if not part.size]
    if empty:
        message = _("these files are empty: %(names)s; choose others")
        raise RefusedError(message % {"names": ", ".join(empty)}, code="empty-file")
    packed = [file_name(name) for name, part in given.items() if _is_packed(part)]
    if packed:
        message = _("these files are compressed: %(names)s; choose plain ones, or one zip that holds all of them")
        raise RefusedError(message % {"names": ", ".join(packed)}, code="packed-file")


def _is_packed(file: File[Any]) -> bool:
    file.seek(0)
    start = file.read(2)
    file.seek(0)
    return start in PACKED
