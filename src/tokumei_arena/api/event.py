"""Operations of organisers and readers around a contest: pages, copies, longer phases, lists, the log, the archive."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.conf import settings
from django.core.files.base import File
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Field, Query, Schema, Status
from pydantic import AwareDatetime

from tokumei_arena import access, contests
from tokumei_arena.addresses import contest_of, round_of
from tokumei_arena.api import schemas, show
from tokumei_arena.api.auth import READ, REFEREE, caller
from tokumei_arena.api.router import operations
from tokumei_arena.boards import reveal_next
from tokumei_arena.contests import clone_contest, extend_for_team, pages_of, put_page
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Attachment, Page
from tokumei_arena.records import LogFilter, attachment, values_of_entry
from tokumei_arena.teams import ListRefusedError, invite_list
from tokumei_arena.work import was_cut

get, post = operations("events")
CONTEST = "/contests/{slug}"
PAGE = CONTEST + "/pages/{page}"
MOST_ENTRIES = 1000


class PageOut(Schema):
    """A page in Markdown, with the files attached to it."""

    name: str
    title: str
    body: str
    shown: bool
    edited_at: datetime
    files: list[schemas.FileOut]


class PageIn(Schema):
    """A page to make or change; without a name in the address of the request one is made from the title."""

    title: Annotated[str, Field(max_length=120)]
    body: str = ""
    shown: bool = True
    position: Annotated[int, Field(ge=0, le=999)] | None = None


class CloneIn(Schema):
    """A new contest like another one."""

    name: Annotated[str, Field(max_length=120)]
    begins: AwareDatetime
    slug: str = ""


class ExtensionIn(Schema):
    """Until when a phase lasts for one team, and why."""

    phase: str
    until: AwareDatetime
    reason: str


class ExtensionOut(Schema):
    """A phase that lasts longer for one team."""

    round: str
    phase: str
    team: str
    until: datetime
    reason: str


class FaultOut(Schema):
    """What is wrong in a line of a list."""

    line: int
    message: str


class InvitedOut(Schema):
    """What came of a list of participants; with faults nothing was changed."""

    teams: int
    invited: int
    known: int
    faults: list[FaultOut]


class RevealIn(Schema):
    """Which ranking: anonymizers or attackers."""

    ranking: str


class RevealedOut(Schema):
    """The rank that was revealed, and who has it."""

    rank: int | None
    teams: list[str]


def _page_document(slug: str, page: Page) -> PageOut:
    def file(one: Attachment) -> schemas.FileOut:
        url = reverse(f"{show.NAMESPACE}:page_file", args=[slug, page.slug, one.pk])
        size, sha256 = one.blob.size, one.blob.sha256
        return schemas.FileOut(id=one.pk, name=one.name, file=one.name, size=size, sha256=sha256, url=url)

    files = [file(one) for one in page.attachments.select_related("blob")]
    return PageOut(
        name=page.slug, title=page.title, body=page.body, shown=page.is_shown, edited_at=page.edited_at, files=files
    )


def _page(request: HttpRequest, slug: str, name: str) -> Page:
    return get_object_or_404(pages_of(caller(request), contest_of(request, slug)).defer(None), slug=name)


@get(CONTEST + "/pages", auth=READ, response=list[PageOut])
def list_pages(request: HttpRequest, slug: str) -> list[PageOut]:
    """List the pages that the caller may read."""
    found = pages_of(caller(request), contest_of(request, slug)).defer(None)
    return [_page_document(slug, one) for one in found]


@get(PAGE + "/files/{uuid:file}", auth=READ, url_name="page_file")
def page_file(request: HttpRequest, slug: str, page: str, file: UUID) -> HttpResponseBase:
    """Download a file of a page."""
    found = get_object_or_404(_page(request, slug, page).attachments.select_related("blob"), pk=file)
    return attachment(request, found.blob, found.name)


@post(CONTEST + "/pages", auth=REFEREE, response={201: PageOut})
def make_page(request: HttpRequest, slug: str, body: PageIn) -> Status[PageOut]:
    """Make a page."""
    fields = {"title": body.title, "body": body.body, "is_shown": body.shown, "position": body.position}
    made = put_page(contest_of(request, slug), by=caller(request), **fields)  # type: ignore[arg-type]
    return Status(201, _page_document(slug, made))


@post(PAGE, auth=REFEREE, response=PageOut)
def change_page(request: HttpRequest, slug: str, page: str, *, body: PageIn) -> PageOut:
    """Change a page."""
    contest = contest_of(request, slug)
    access.need_referee(caller(request), contest)
    fields = {"title": body.title, "body": body.body, "is_shown": body.shown, "position": body.position}
    made = put_page(contest, by=caller(request), page=_page(request, slug, page), **fields)  # type: ignore[arg-type]
    return _page_document(slug, made)


_FILE_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}
            }
        },
    }
}


def _file(request: HttpRequest) -> File[Any]:
    if was_cut(request):
        raise RefusedError(_("the upload is too large; compress it (.gz)"), code="too-large")
    file = request.FILES.get("file")
    if not isinstance(file, File):
        raise RefusedError(_("send a form with the file in the field “file”"), code="no-file")
    return file


@post(PAGE + "/files", auth=REFEREE, response={201: PageOut}, openapi_extra=_FILE_FORM)
def attach_file(request: HttpRequest, slug: str, page: str) -> Status[PageOut]:
    """Attach a file to a page."""
    found, file = _page(request, slug, page), _file(request)
    contests.attach(found, file, name=file.name or "", by=caller(request))
    return Status(201, _page_document(slug, found))


@post(CONTEST + "/clone", auth=REFEREE, response={201: schemas.ContestOut})
def clone(request: HttpRequest, slug: str, body: CloneIn) -> Status[schemas.ContestOut]:
    """Make a new contest with the settings, rounds and pages of this one."""
    made = clone_contest(
        contest_of(request, slug), name=body.name, begins=body.begins, slug=body.slug, by=caller(request)
    )
    return Status(201, show.contest_document(made, caller(request)))


@post(CONTEST + "/rounds/{kind}/teams/{uuid:number}/extend", auth=REFEREE, response=ExtensionOut)
def extend_team(request: HttpRequest, slug: str, kind: str, number: UUID, *, body: ExtensionIn) -> ExtensionOut:
    """Let a phase last longer for one team."""
    round_ = round_of(request, slug, kind)
    phase = get_object_or_404(round_.phases.select_related("round__contest"), kind=body.phase)
    team = get_object_or_404(round_.contest.teams.all(), pk=number)
    made = extend_for_team(phase, team, body.until, by=caller(request), reason=body.reason)
    return ExtensionOut(round=kind, phase=phase.kind, team=team.name, until=made.until, reason=made.reason)


@post(CONTEST + "/participants", auth=REFEREE, response={200: InvitedOut, 400: InvitedOut}, openapi_extra=_FILE_FORM)
def participants(request: HttpRequest, slug: str) -> Status[InvitedOut]:
    """Invite everybody in a CSV file (columns: team, email, role, affiliation); all faults are told together."""
    contest = contest_of(request, slug)
    try:
        done = invite_list(
            contest, _file(request).read(), by=caller(request), address_of=lambda token: _join(request, token)
        )
    except ListRefusedError as error:
        faults = [FaultOut(line=one.line, message=one.text) for one in error.faults]
        return Status(400, InvitedOut(teams=0, invited=0, known=0, faults=faults))
    return Status(200, InvitedOut(teams=done.teams, invited=len(done.invited), known=done.known, faults=[]))


def _join(request: HttpRequest, token: str) -> str:
    path = reverse("join_team", args=[token])
    return f"{settings.ARENA_URL}{path}" if settings.ARENA_URL else request.build_absolute_uri(path)


@post(CONTEST + "/rounds/{kind}/reveal", auth=REFEREE, response=RevealedOut)
def reveal(request: HttpRequest, slug: str, kind: str, body: RevealIn) -> RevealedOut:
    """Reveal the next rank at the ceremony of a round."""
    rows = reveal_next(round_of(request, slug, kind), body.ranking, by=caller(request))
    return RevealedOut(rank=rows[0].rank, teams=[row.team for row in rows])


class LogQuery(Schema):
    """Which entries: of a kind of action, of somebody (name, address or id), of days (2026-01-31), after a number."""

    action: str = ""
    actor: str = ""
    since: str = ""
    until: str = ""
    after: int = 0


@get(CONTEST + "/log", auth=REFEREE, response=list[dict[str, Any]])
def contest_log(request: HttpRequest, slug: str, query: Query[LogQuery]) -> list[dict[str, Any]]:
    """List entries of the log of a contest, oldest first, with their hashes; at most 1,000 at once."""
    contest = contest_of(request, slug)
    access.need_observer(caller(request), contest)
    asked = LogFilter(action=query.action, actor=query.actor, since=query.since, until=query.until)
    found = asked.entries(contest.pk).filter(number__gt=query.after)[:MOST_ENTRIES]
    return [{**values_of_entry(entry), "hash": entry.hash} for entry in found]


@get(CONTEST + "/archive", auth=READ, response=dict[str, Any])
def archive(request: HttpRequest, slug: str) -> dict[str, Any]:
    """Return the public archive of a finished contest."""
    contest = contest_of(request, slug)
    if contest.archive is None:
        raise Http404
    return {"contest": contest.slug, "name": contest.name, "made_at": contest.archived_at, **contest.archive}
