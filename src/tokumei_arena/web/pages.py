"""Pages that the referees of a contest wrote, and the files attached to them."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from tokumei_arena.addresses import contest_of
from tokumei_arena.contests import pages_of
from tokumei_arena.models import Attachment, Page
from tokumei_arena.records import attachment
from tokumei_arena.web.frame import frame
from tokumei_arena.web.markdown import render_markdown


@require_GET
def pages(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead to the first page of a contest, or say that there is none."""
    contest = contest_of(request, slug)
    first = pages_of(request.user, contest).first()
    if first is not None:
        return redirect("page", slug, first.slug)
    return render(request, "play/page.html", {**frame(request, contest, "pages"), "page": None})


@require_GET
def page(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show a page with its files."""
    contest = contest_of(request, slug)
    found = get_object_or_404(pages_of(request.user, contest).defer(None), slug=name)
    files = list(found.attachments.select_related("blob"))
    context = {
        **frame(request, contest, "pages"),
        "page": found,
        "text": rendered(slug, found, found.body, files),
        "files": files,
    }
    return render(request, "play/page.html", context)


def rendered(slug: str, found: Page, body: str, files: list[Attachment]) -> SafeString:
    """Return a text of a page as HTML, with the addresses of its files."""
    return render_markdown(body, {one.name: reverse("page_file", args=[slug, found.slug, one.pk]) for one in files})


@require_GET
def page_file(request: HttpRequest, slug: str, name: str, pk: UUID) -> HttpResponseBase:
    """Hand out a file of a page."""
    found = get_object_or_404(pages_of(request.user, contest_of(request, slug)), slug=name)
    file = get_object_or_404(found.attachments.select_related("blob"), pk=pk)
    return attachment(request, file.blob, file.name)
