"""Announcements for everybody, and questions of teams with their answers."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Announcement, Clarification, Contest, Person
from tokumei_arena.records import record
from tokumei_arena.teams import HOUR, Event, spend, tell

LONGEST_QUESTION = 4000


def announcements_of(contest: Contest) -> QuerySet[Announcement]:
    """Return what the referee told everybody, newest first; whoever sees the contest may read it."""
    return Announcement.objects.filter(contest=contest).order_by("-created_at")


def questions_of(viewer: access.Viewer, contest: Contest) -> QuerySet[Clarification]:
    """Return the questions this viewer may read, newest first: answered for everybody, own team's, referees all."""
    everything = Clarification.objects.filter(contest=contest).select_related("team").order_by("-created_at")
    if access.sees_all(viewer, contest):
        return everything
    seen = Q(for_everybody=True, answered_at__isnull=False)
    found = access.membership(viewer, contest)
    if found is not None:
        seen |= Q(team=found.team)
    return everything.filter(seen)


def ask_referees(person: Person, contest: Contest, question: str) -> Clarification:
    """Put a question of the person's team to the referees."""
    team = access.need_member(person, contest)
    # PostgreSQL keeps no NUL.
    text = question.replace("\0", "").strip()
    if not text:
        raise RefusedError(_("write a question first"), code="empty-question")
    if len(text) > LONGEST_QUESTION:
        message = _("the question is longer than %(limit)d characters; shorten it") % {"limit": LONGEST_QUESTION}
        raise RefusedError(message, code="long-question")
    spend("ask_referees", team.pk, limit=settings.ARENA_LIMITS["questions_per_hour"], seconds=HOUR)
    with transaction.atomic():
        made = Clarification.objects.create(contest=contest, team=team, question=text, asked_by=person)
        record("question.ask", made, actor=person, team=str(team.pk))
    return made


def announce(contest: Contest, title: str, body: str, *, by: Person) -> Announcement:
    """Tell everybody something."""
    access.need_referee(by, contest)
    if not title.strip() or not body.strip():
        raise RefusedError(_("an announcement needs a title and a text"), code="empty-announcement")
    with transaction.atomic():
        made = Announcement.objects.create(contest=contest, title=title.strip(), body=body.strip(), by=by)
        record("announcement.make", made, actor=by, title=made.title)
        tell(contest, Event.ANNOUNCEMENT, lambda: (made.title, made.body), {"title": made.title, "body": made.body})
    return made


def withdraw(announcement: Announcement, *, by: Person) -> None:
    """Take an announcement back; the log keeps that it was there, with its text."""
    access.need_referee(by, announcement.contest)
    with transaction.atomic():
        record("announcement.withdraw", announcement, actor=by, title=announcement.title, body=announcement.body)
        announcement.delete()


def answer(question: Clarification, text: str, *, for_everybody: bool, by: Person) -> Clarification:
    """Answer a question, for the team that asked or for everybody; an answer may be corrected later."""
    access.need_referee(by, question.contest)
    if not text.strip():
        raise RefusedError(_("write an answer first"), code="empty-answer")
    with transaction.atomic():
        question = Clarification.objects.select_for_update().get(pk=question.pk)
        again = question.answered_at is not None
        question.answer, question.for_everybody, question.answered_at = text.strip(), for_everybody, clock.now()
        question.save(update_fields=["answer", "for_everybody", "answered_at"])
        record("question.answer", question, actor=by, for_everybody=for_everybody, again=again)
        news = {"question": question.question, "answer": question.answer}
        tell(question.contest, Event.ANSWER, _words_of(question), news, team=None if for_everybody else question.team)
    return question


def _words_of(question: Clarification) -> Callable[[], tuple[str, str]]:
    """Return the mail about an answer."""
    return lambda: (_("An answer of the referees"), f"> {question.question}\n\n{question.answer}")
