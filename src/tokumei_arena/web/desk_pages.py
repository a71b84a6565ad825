"""Writing the pages of a contest: text with a preview, and files."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.files.base import File
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tokumei_arena.addresses import contest_of
from tokumei_arena.contests import attach, detach, pages_of, put_page, remove_page
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Contest, Page
from tokumei_arena.web.desk_event_forms import PageForm
from tokumei_arena.web.desk_frame import desk_context, referee_acts, referee_fills_in, referee_of, too_large
from tokumei_arena.web.frame import act
from tokumei_arena.web.markdown import render_markdown
from tokumei_arena.web.pages import rendered
from tokumei_arena.web.rules import questions_text, rules_text


@referee_fills_in
def pages(request: HttpRequest, slug: str) -> HttpResponse:
    """List the pages, and make a new one; a draft of the rules is written from what the contest knows."""
    contest = contest_of(request, slug)
    if request.method == "POST":
        return _saved(request, contest, None)
    drafts = {"rules": (_("Rules"), rules_text), "questions": (_("Frequent questions"), questions_text)}
    wanted = request.GET.get("draft", "")
    first: dict[str, Any] = {"is_shown": True}
    if wanted in drafts:
        title, text = drafts[wanted]
        first |= {"title": title, "body": text(contest)}
    return _form(request, contest, None, PageForm(initial=first))


@referee_fills_in
def page(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Change a page and its files."""
    contest = contest_of(request, slug)
    found = get_object_or_404(Page, contest=contest, slug=name)
    if request.method == "POST":
        return _saved(request, contest, found)
    fields = {one: getattr(found, one) for one in PageForm.base_fields}
    return _form(request, contest, found, PageForm(initial=fields))


def _saved(request: HttpRequest, contest: Contest, found: Page | None) -> HttpResponse:
    """Keep what was written, or show how it would look."""
    form = PageForm(request.POST)
    if not form.is_valid():
        return _form(request, contest, found, form, status=400)
    if "preview" in request.POST:
        return _form(request, contest, found, form, preview=form.cleaned_data["body"])
    wanted = form.cleaned_data
    try:
        made = put_page(contest, by=referee_of(request), page=found, **wanted)
    except ArenaError as error:
        form.add_error(None, error.message)
        return _form(request, contest, found, form, status=error.status)
    messages.success(request, _("The page is saved."))
    return redirect("desk_page", contest.slug, made.slug)


def _form(
    request: HttpRequest, contest: Contest, found: Page | None, form: PageForm, *, preview: str = "", status: int = 200
) -> HttpResponse:
    files = [] if found is None else list(found.attachments.select_related("blob"))
    shown = render_markdown(preview) if found is None else rendered(contest.slug, found, preview, files)
    context = {
        **desk_context(request, contest, "pages"),
        "listed": pages_of(request.user, contest),
        "page": found,
        "files": files,
        "form": form,
        "preview": shown if preview else "",
    }
    return render(request, "desk/pages.html", context, status=status)


@referee_acts
def attach_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Attach a file to a page."""
    found, by = get_object_or_404(Page, contest=contest_of(request, slug), slug=name), referee_of(request)
    file = request.FILES.get("file")
    if not isinstance(file, File):
        messages.error(request, too_large(request) or _("Choose a file first."))
        return redirect("desk_page", slug, name)
    done = _("The file is attached.")
    return act(request, lambda: attach(found, file, name=file.name or "", by=by), done, "desk_page", slug, name)


@referee_acts
def detach_file(request: HttpRequest, slug: str, name: str, pk: UUID) -> HttpResponse:
    """Take a file off a page."""
    found, by = get_object_or_404(Page, contest=contest_of(request, slug), slug=name), referee_of(request)
    file = get_object_or_404(found.attachments.select_related("blob"), pk=pk)
    return act(request, lambda: detach(file, by=by), _("The file is removed."), "desk_page", slug, name)


@referee_acts
def remove(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Remove a page."""
    found, by = get_object_or_404(Page, contest=contest_of(request, slug), slug=name), referee_of(request)
    return act(request, lambda: remove_page(found, by=by), _("The page is removed."), "desk_pages", slug)
