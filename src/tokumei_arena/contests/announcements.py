"""What participants read and ask: announcements for everybody, questions of teams and their answers."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Announcement, Clarification, Contest, Person
from tokumei_arena.records import logbook
from tokumei_arena.teams import rate_limits

__all__ = ["announcements", "ask", "clarifications"]

LONGEST_QUESTION = 4000


def announcements(contest: Contest) -> QuerySet[Announcement]:
    """Return what the referee told everybody, newest first; whoever sees the contest may read it."""
    return Announcement.objects.filter(contest=contest).order_by("-created_at")


def clarifications(viewer: access.Viewer, contest: Contest) -> QuerySet[Clarification]:
    """Return the questions this viewer may read, newest first: answered for everybody, own team's, referees all."""
    everything = Clarification.objects.filter(contest=contest).select_related("team").order_by("-created_at")
    if access.is_referee(viewer):
        return everything
    seen = Q(for_everybody=True, answered_at__isnull=False)
    found = access.membership(viewer, contest)
    if found is not None:
        seen |= Q(team=found.team)
    return everything.filter(seen)


def ask(person: Person, contest: Contest, question: str) -> Clarification:
    """Put a question of the person's team to the referees."""
    team = access.need_member(person, contest)
    # PostgreSQL keeps no NUL.
    text = question.replace("\0", "").strip()
    if not text:
        raise RefusedError(_("write a question first"), code="empty-question")
    if len(text) > LONGEST_QUESTION:
        message = _("the question is longer than %(limit)d characters; shorten it") % {"limit": LONGEST_QUESTION}
        raise RefusedError(message, code="long-question")
    rate_limits.spend("ask", team.pk, limit=settings.ARENA_LIMITS["questions_per_hour"], seconds=rate_limits.HOUR)
    with transaction.atomic():
        made = Clarification.objects.create(contest=contest, team=team, question=text, asked_by=person)
        logbook.record("question.ask", actor=person, contest=contest, object_id=made.pk, team=str(team.pk))
    return made
