"""What referees tell: announcements for everybody, answers to questions, and messages that no mail server sends."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Announcement, Clarification, Contest, Message, Person
from tokumei_arena.records import logbook

__all__ = ["announce", "answer", "hand_over", "waiting_messages", "withdraw"]


def announce(contest: Contest, title: str, body: str, *, by: Person) -> Announcement:
    """Tell everybody something."""
    access.need_referee(by)
    if not title.strip() or not body.strip():
        raise RefusedError(_("an announcement needs a title and a text"), code="empty-announcement")
    with transaction.atomic():
        made = Announcement.objects.create(contest=contest, title=title.strip(), body=body.strip(), by=by)
        logbook.record("announcement.make", actor=by, contest=contest, object_id=made.pk, title=made.title)
    return made


def withdraw(announcement: Announcement, *, by: Person) -> None:
    """Take an announcement back; the log keeps that it was there, with its text."""
    access.need_referee(by)
    with transaction.atomic():
        logbook.record(
            "announcement.withdraw",
            actor=by,
            contest=announcement.contest,
            object_id=announcement.pk,
            title=announcement.title,
            body=announcement.body,
        )
        announcement.delete()


def answer(question: Clarification, text: str, *, for_everybody: bool, by: Person) -> Clarification:
    """Answer a question, for the team that asked or for everybody; an answer may be corrected later."""
    access.need_referee(by)
    if not text.strip():
        raise RefusedError(_("write an answer first"), code="empty-answer")
    with transaction.atomic():
        question = Clarification.objects.select_for_update().get(pk=question.pk)
        again = question.answered_at is not None
        question.answer, question.for_everybody, question.answered_at = text.strip(), for_everybody, clock.now()
        question.save(update_fields=["answer", "for_everybody", "answered_at"])
        logbook.record(
            "question.answer",
            actor=by,
            contest=question.contest,
            object_id=question.pk,
            for_everybody=for_everybody,
            again=again,
        )
    return question


def waiting_messages() -> QuerySet[Message]:
    """Return the messages that a referee still has to pass on, oldest first."""
    return Message.objects.filter(handled_at=None).order_by("created_at")


def hand_over(message: Message, *, by: Person) -> None:
    """Note that a message was passed on; its text, which holds a link that works once, is forgotten."""
    access.need_referee(by)
    with transaction.atomic():
        done = Message.objects.filter(pk=message.pk, handled_at=None).update(handled_at=clock.now(), body="")
        if done:
            logbook.record("message.hand-over", actor=by, object_id=message.pk)
