"""Operations of referees: contests, phases, data, teams, queue, announcements, answers."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from django.core.files.base import File
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Field, Form, Schema, Status
from pydantic import AwareDatetime

from tokumei.contests import find_contest
from tokumei_arena import access, contests
from tokumei_arena.addresses import contest_of, round_of
from tokumei_arena.api import schemas, show
from tokumei_arena.api.auth import REFEREE, caller
from tokumei_arena.api.router import operations
from tokumei_arena.contests import ContestPlan, DataReport, RoundPlan, generate_common, generate_private
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Feedback, Phase, Submission, Target, Team, WorkState
from tokumei_arena.teams import approve, disqualify
from tokumei_arena.work import was_cut

get, post = operations("refereeing", auth=REFEREE)
ROUND = "/contests/{slug}/rounds/{kind}"
FIELD = "file"
# What the database takes for a small count.
Small = Annotated[int, Field(ge=0, le=32_767)]


class RoundIn(Schema):
    """A round of a new contest: when each phase begins (it ends when the next one begins), and what it allows."""

    kind: str
    weight: Decimal
    starts: dict[str, AwareDatetime]
    private_data: bool = False
    release_limit: Small | None = None
    attack_limit: Small = 1
    release_feedback: Feedback = Feedback.EXACT
    attack_feedback: Feedback = Feedback.DELAYED
    blind: bool = True
    freeze_minutes: Small = 0
    ceremony: bool = False
    name: Annotated[str, Field(max_length=60)] = ""


class LookOut(Schema):
    """The identity of a contest: its colour, and whether it has a logo."""

    colour: str
    logo: bool


class ContestIn(Schema):
    """A new contest."""

    name: Annotated[str, Field(min_length=1, max_length=120)]
    rule_set: str
    rounds: list[RoundIn]
    slug: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)
    about: str = ""
    terms: str = ""
    team_size: Small = 10
    needs_approval: bool = True
    open: bool = False


class ReasonIn(Schema):
    """Why; it is kept in the log."""

    reason: str


class ExtendIn(ReasonIn):
    """Until when a phase shall last, and why; what becomes of a round that would begin before the results are out."""

    until: AwareDatetime
    following: contests.Following = contests.Following.ASK


class GenerateIn(Schema):
    """How many persons the generated data shall have."""

    subjects: int | None = None


class DataOut(Schema):
    """What was stored, and what the checker says about it."""

    files: list[schemas.FileOut]
    figures: dict[str, Any]


class AnnouncementIn(Schema):
    """Something to tell everybody."""

    title: Annotated[str, Field(max_length=200)]
    body: str


class AnswerIn(Schema):
    """An answer, for the team that asked or for everybody."""

    answer: str
    for_everybody: bool = False


class QueueOut(Schema):
    """How much is waiting, being evaluated, done and failed."""

    submissions: dict[str, int]
    targets: dict[str, int]


@post("/contests", response={201: schemas.ContestOut})
def create_contest(request: HttpRequest, body: ContestIn) -> Status[schemas.ContestOut]:
    """Create a contest with its rounds and phases."""
    person = caller(request)
    fields = body.dict(exclude={"rounds", "open"})
    plan = ContestPlan(**fields, rounds=tuple(RoundPlan(**one.dict()) for one in body.rounds))
    made = contests.create_contest(plan, by=person)
    if body.open:
        contests.open_contest(made, by=person)
    return Status(201, show.contest_document(made, person))


@post("/contests/{slug}/look", response=LookOut)
def look(
    request: HttpRequest,
    slug: str,
    *,
    colour: Annotated[str | None, Form()] = None,
    without_logo: Annotated[bool, Form()] = False,
) -> LookOut:
    """Set the colour of a contest (such as #27418f; empty: that of the arena) and its logo (file ``logo``)."""
    contest = contest_of(request, slug)
    file = request.FILES.get("logo")
    logo = file if isinstance(file, File) else None
    contests.change_look(contest, by=caller(request), colour=colour, logo=logo, without_logo=without_logo)
    return LookOut(colour=contest.colour, logo=bool(contest.logo_tag))


@post("/contests/{slug}/open", response=schemas.ContestOut)
def open_contest(request: HttpRequest, slug: str) -> schemas.ContestOut:
    """Show a contest to everybody."""
    found = contest_of(request, slug)
    contests.open_contest(found, by=caller(request))
    return show.contest_document(found, caller(request))


@post("/contests/{slug}/hide", response=schemas.ContestOut)
def hide_contest(request: HttpRequest, slug: str) -> schemas.ContestOut:
    """Hide a contest from everybody but its teams and referees."""
    found = contest_of(request, slug)
    contests.hide_contest(found, by=caller(request))
    return show.contest_document(found, caller(request))


def _phase(request: HttpRequest, slug: str, kind: str, phase: str) -> Phase:
    return get_object_or_404(round_of(request, slug, kind).phases.select_related("round__contest"), kind=phase)


@post(ROUND + "/phases/{phase}/extend", response=schemas.RoundOut)
def extend_phase(request: HttpRequest, slug: str, kind: str, phase: str, *, body: ExtendIn) -> schemas.RoundOut:
    """Move the end of a phase; later phases are pushed back."""
    contests.extend_phase(
        _phase(request, slug, kind, phase), body.until, by=caller(request), reason=body.reason, following=body.following
    )
    return show.round_document(round_of(request, slug, kind))


@post(ROUND + "/phases/{phase}/close", response=schemas.RoundOut)
def close_phase(request: HttpRequest, slug: str, kind: str, phase: str, *, body: ReasonIn) -> schemas.RoundOut:
    """End a phase now; the next one begins at once."""
    contests.close_phase(_phase(request, slug, kind, phase), by=caller(request), reason=body.reason)
    return show.round_document(round_of(request, slug, kind))


_DATA_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "description": "One field 'file-NAME' for each data file of the rule set (for a single one 'file' "
                    "will do); 'team' is the id of a team in rounds with private data.",
                    "properties": {"file": {"type": "string", "format": "binary"}, "team": {"type": "string"}},
                }
            }
        },
    }
}


@post(ROUND + "/data", response={201: DataOut}, openapi_extra=_DATA_FORM)
def put_data(request: HttpRequest, slug: str, kind: str) -> Status[DataOut]:
    """Check files and hand them out in this round; they replace earlier ones as long as nobody used those."""
    round_ = round_of(request, slug, kind)
    files = request.FILES
    if was_cut(request):
        raise RefusedError(_("the upload is too large; compress it (.gz)"), code="too-large")
    specs = find_contest(round_.contest.rule_set).data_files
    sent = {spec.name: files.get(f"{FIELD}-{spec.name}") for spec in specs}
    sent[specs[0].name] = sent[specs[0].name] or files.get(FIELD)
    given = {name: file for name, file in sent.items() if isinstance(file, File)}
    team = None
    if request.POST.get("team"):
        team = get_object_or_404(round_.contest.teams.all(), pk=_number(request.POST["team"]))
    report = contests.put_data(round_, given, by=caller(request), team=team)
    return Status(201, _report(report))


def _number(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise RefusedError(_("“%(text)s” is no id") % {"text": text[:40]}, code="bad-id") from None


def _report(report: DataReport) -> DataOut:
    return DataOut(files=[show.data_file_document(one) for one in report.files], figures=report.figures)


@post(ROUND + "/data/generate", response={201: DataOut})
def generate_data(request: HttpRequest, slug: str, kind: str, body: GenerateIn) -> Status[DataOut]:
    """Hand out data without any real person in it, made by a seeded generator: one file, or one for each team."""
    round_, person = round_of(request, slug, kind), caller(request)
    if round_.private_data:
        served = generate_private(round_, by=person, subjects=body.subjects)
        return Status(201, DataOut(files=[], figures={"teams": len(served)}))
    report = generate_common(round_, by=person, subjects=body.subjects)
    return Status(201, _report(report))


@get("/contests/{slug}/teams", response=list[schemas.TeamOut])
def teams(request: HttpRequest, slug: str) -> list[schemas.TeamOut]:
    """List all teams of a contest, also those that are not approved."""
    contest = contest_of(request, slug)
    access.need_observer(caller(request), contest)
    return [show.team_document(one) for one in contest.teams.all()]


def _team(request: HttpRequest, slug: str, number: UUID) -> Team:
    return get_object_or_404(contest_of(request, slug).teams.select_related("contest"), pk=number)


@post("/contests/{slug}/teams/{uuid:number}/approve", response=schemas.TeamOut)
def approve_team(request: HttpRequest, slug: str, number: UUID) -> schemas.TeamOut:
    """Let a team take part."""
    approve(_team(request, slug, number), caller(request))
    return show.team_document(_team(request, slug, number))


@post("/contests/{slug}/teams/{uuid:number}/disqualify", response=schemas.TeamOut)
def disqualify_team(request: HttpRequest, slug: str, number: UUID, body: ReasonIn) -> schemas.TeamOut:
    """Take a team out of the ranking."""
    disqualify(_team(request, slug, number), caller(request), body.reason)
    return show.team_document(_team(request, slug, number))


@get("/contests/{slug}/queue", response=QueueOut)
def queue(request: HttpRequest, slug: str) -> QueueOut:
    """Say how far the evaluation is."""
    contest = contest_of(request, slug)
    access.need_observer(caller(request), contest)
    listed = [Submission.objects.filter(round__contest=contest), Target.objects.filter(round__contest=contest)]
    counts = [{state: rows.filter(state=state).count() for state in WorkState.values} for rows in listed]
    return QueueOut(submissions=counts[0], targets=counts[1])


@post("/contests/{slug}/announcements", response={201: schemas.AnnouncementOut})
def announce(request: HttpRequest, slug: str, body: AnnouncementIn) -> Status[schemas.AnnouncementOut]:
    """Tell everybody something."""
    made = contests.announce(contest_of(request, slug), body.title, body.body, by=caller(request))
    return Status(201, show.document(schemas.AnnouncementOut, made, at=made.created_at))


@post("/contests/{slug}/questions/{uuid:number}/answer", response=schemas.QuestionOut)
def answer(request: HttpRequest, slug: str, number: UUID, body: AnswerIn) -> schemas.QuestionOut:
    """Answer a question."""
    found = get_object_or_404(contest_of(request, slug).clarifications.all(), pk=number)
    done = contests.answer(found, body.answer, for_everybody=body.for_everybody, by=caller(request))
    (document,) = show.question_documents([done], done.contest, caller(request))
    return document
