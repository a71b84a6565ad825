"""Pages of a contest: referees write them in Markdown and attach files; everybody who sees the contest reads them."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePath
from typing import Any

from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.errors import RefusedError, TooManyError
from tokumei_arena.models import Attachment, Blob, Contest, Page, Person, check_slug
from tokumei_arena.records import discard_blob, put_file, record

LONGEST_BODY, MOST_PAGES, MOST_FILES = 100_000, 40, 30
LARGEST_FILE, LONGEST_NAME = 50_000_000, 100
# What may be attached, and how such a file begins where that is fixed.
BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".gif": (b"GIF87a", b"GIF89a"),
    ".webp": (b"RIFF",),
    ".pdf": (b"%PDF-",),
    ".zip": (b"PK\x03\x04", b"PK\x05\x06"),
    ".xlsx": (b"PK\x03\x04",),
    ".gz": (b"\x1f\x8b",),
    ".parquet": (b"PAR1",),
    **dict.fromkeys((".csv", ".tsv", ".txt", ".md", ".json", ".jsonl", ".toml", ".yaml", ".ipynb", ".py", ".r"), ()),
}


def pages_of(viewer: access.Viewer, contest: Contest) -> QuerySet[Page]:
    """Return the pages of a contest that this viewer may read, in their order; officials read hidden ones too."""
    everything = Page.objects.filter(contest=contest).defer("body")
    return everything if access.sees_all(viewer, contest) else everything.filter(is_shown=True)


def put_page(
    contest: Contest,
    *,
    by: Person,
    title: str,
    body: str,
    slug: str = "",
    is_shown: bool = True,
    position: int | None = None,
    page: Page | None = None,
) -> Page:
    """Make a page, or change the given one; its address stays."""
    access.need_referee(by, contest)
    title, body = " ".join(title.split()), body.replace("\0", "").replace("\r\n", "\n")
    if not title:
        raise RefusedError(_("give the page a title"), code="no-title")
    if len(body) > LONGEST_BODY:
        message = _("the text is longer than %(limit)d characters; make two pages of it") % {"limit": LONGEST_BODY}
        raise RefusedError(message, code="long-page")
    with transaction.atomic():
        Contest.objects.select_for_update().get(pk=contest.pk)
        made = page or _new_page(contest, slug or slugify(title)[:40].strip("-") or "page", chosen=bool(slug))
        made.title, made.body, made.is_shown, made.edited_at = title, body, is_shown, clock.now()
        made.position = made.position if position is None else position
        made.save()
        action = "page.make" if page is None else "page.edit"
        record(action, made, actor=by, page=made.slug, title=title, shown=is_shown, length=len(body))
    return made


def _new_page(contest: Contest, slug: str, *, chosen: bool) -> Page:
    """Return an unsaved page under a name that is free; one that was chosen is taken as it is."""
    check_slug(slug)
    taken = set(contest.pages.values_list("slug", flat=True))
    if len(taken) >= MOST_PAGES:
        raise TooManyError(_("a contest has at most %(limit)d pages") % {"limit": MOST_PAGES}, code="too-many-pages")
    if chosen and slug in taken:
        message = _("another page has the short name “%(slug)s”; choose a different one") % {"slug": slug}
        raise RefusedError(message, code="slug-taken")
    stem, number = slug, 1
    while slug in taken:
        number += 1
        slug = f"{stem[:36]}-{number}"
    last = contest.pages.aggregate(last=Max("position"))["last"]
    return Page(contest=contest, slug=slug, position=0 if last is None else last + 1)


def remove_page(page: Page, *, by: Person) -> None:
    """Remove a page with its files; the log keeps that it was there."""
    access.need_referee(by, page.contest)
    with transaction.atomic():
        blobs = [one.blob for one in page.attachments.select_related("blob")]
        record("page.remove", page, actor=by, page=page.slug, title=page.title)
        page.delete()
        for blob in blobs:
            discard_blob(blob)


def safe_name(name: str) -> str:
    """Return the name of a file without what could lead elsewhere or hide what it is.

    >>> safe_name("../../ru les?.PDF"), safe_name(".htaccess.txt")
    ('ru les_.pdf', 'htaccess.txt')
    """
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    visible = "".join(letter for letter in last if unicodedata.category(letter)[0] != "C")
    tidy = re.sub(r"\s+", " ", re.sub(r'[<>:"|?*#%&]', "_", visible)).strip(" .")
    path = PurePath(tidy or "file")
    ending = path.suffix.lower()
    return f"{tidy[: len(tidy) - len(ending)][: LONGEST_NAME - len(ending)]}{ending}" if ending else tidy[:LONGEST_NAME]


def attach(page: Page, file: File[Any], *, name: str, by: Person) -> Attachment:
    """Attach a file to a page; one of the same name takes the place of the old one."""
    access.need_referee(by, page.contest)
    name = safe_name(name)
    _check_file(file, name)
    blob = put_file(Blob.Area.PUBLISHED, name, file)
    try:
        with transaction.atomic():
            Page.objects.select_for_update().get(pk=page.pk)
            old = page.attachments.filter(name=name).select_related("blob").first()
            if old is None and page.attachments.count() >= MOST_FILES:
                message = _("a page has at most %(limit)d files") % {"limit": MOST_FILES}
                raise TooManyError(message, code="too-many-files")
            if old is not None:
                before, old.blob = old.blob, blob
                old.save(update_fields=["blob"])
            made = old or Attachment.objects.create(page=page, name=name, blob=blob)
            record("page.attach", page, actor=by, page=page.slug, file=name, sha256=blob.sha256, size=blob.size)
    except (TooManyError, IntegrityError):
        discard_blob(blob)
        raise
    if old is not None:
        discard_blob(before)
    return made


def _check_file(file: File[Any], name: str) -> None:
    """Raise one sentence about a file that must not be handed out."""
    ending = PurePath(name).suffix
    if ending not in BEGINNINGS:
        message = _("files “%(ending)s” cannot be attached; these can: %(known)s")
        known = " ".join(sorted(BEGINNINGS))
        raise RefusedError(message % {"ending": ending or name, "known": known}, code="file-type")
    if not file.size:
        raise RefusedError(_("the file is empty; choose another one"), code="empty-file")
    if file.size > LARGEST_FILE:
        message = _("the file has more than %(limit)d MB; make it smaller") % {"limit": LARGEST_FILE // 1_000_000}
        raise RefusedError(message, code="large-file")
    beginning = file.read(16)
    file.seek(0)
    if BEGINNINGS[ending] and not beginning.startswith(BEGINNINGS[ending]):
        message = _("“%(name)s” is no file of the kind that its name says") % {"name": name}
        raise RefusedError(message, code="file-kind")


def detach(attachment: Attachment, *, by: Person) -> None:
    """Take a file off its page."""
    page, blob = attachment.page, attachment.blob
    access.need_referee(by, page.contest)
    with transaction.atomic():
        record("page.detach", page, actor=by, page=page.slug, file=attachment.name, sha256=blob.sha256)
        attachment.delete()
        discard_blob(blob)
