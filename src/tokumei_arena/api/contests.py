"""Operations that look at contests: who am I, contests, rounds, announcements, questions."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Schema, Status

from tokumei_arena import access
from tokumei_arena.addresses import contest_of
from tokumei_arena.api import schemas, show
from tokumei_arena.api.auth import READ, SUBMIT, caller, token_of
from tokumei_arena.api.router import operations
from tokumei_arena.contests import announcements_of, ask_referees, questions_of
from tokumei_arena.models import Membership

get, post = operations("contests")


class QuestionIn(Schema):
    """A question of the caller's team."""

    question: str


@get("/me", auth=READ, response=schemas.Me)
def me(request: HttpRequest) -> schemas.Me:
    """Return who calls, with which scopes, and in which teams."""
    person = caller(request)
    found = Membership.objects.filter(person=person).select_related("contest", "team").order_by("contest__slug")
    memberships = [show.membership_document(one) for one in found]
    referee, scopes = access.is_referee(person), token_of(request).scopes
    return show.document(schemas.Me, person, referee=referee, scopes=scopes, memberships=memberships)


@get("/contests", auth=READ, response=list[schemas.ContestOut])
def contests(request: HttpRequest) -> list[schemas.ContestOut]:
    """List the contests that the caller may see, newest first."""
    person = caller(request)
    return [show.contest_document(one, person) for one in access.contests(person).order_by("-created_at")]


@get("/contests/{slug}", auth=READ, response=schemas.ContestOut)
def contest(request: HttpRequest, slug: str) -> schemas.ContestOut:
    """Return one contest with its rounds and phases."""
    return show.contest_document(contest_of(request, slug), caller(request))


@get("/contests/{slug}/announcements", auth=READ, response=list[schemas.AnnouncementOut])
def list_announcements(request: HttpRequest, slug: str) -> list[schemas.AnnouncementOut]:
    """List what the referees told everybody, newest first."""
    found = announcements_of(contest_of(request, slug))
    return [show.document(schemas.AnnouncementOut, one, at=one.created_at) for one in found]


@get("/contests/{slug}/questions", auth=READ, response=list[schemas.QuestionOut])
def list_questions(request: HttpRequest, slug: str) -> list[schemas.QuestionOut]:
    """List the questions that the caller may read, newest first."""
    person, contest_ = caller(request), contest_of(request, slug)
    return show.question_documents(questions_of(person, contest_), contest_, person)


@post("/contests/{slug}/questions", auth=SUBMIT, response={201: schemas.QuestionOut})
def ask(request: HttpRequest, slug: str, body: QuestionIn) -> Status[schemas.QuestionOut]:
    """Ask the referees something for the caller's team."""
    person, contest_ = caller(request), contest_of(request, slug)
    made = ask_referees(person, contest_, body.question)
    (document,) = show.question_documents([made], contest_, person)
    return Status(201, document)
