"""Mail, and what happens without a mail server: messages are kept, and the referee desk shows them."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.mail import EmailMessage, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.models import Message, Person, Team
from tokumei_arena.records import record


class DeskBackend(BaseEmailBackend):
    """Keeps every message for the referee, who passes its link on."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Keep the messages; return how many."""
        kept = [
            Message(to=to, subject=str(message.subject)[:300], body=str(message.body))
            for message in email_messages
            for to in message.recipients()
        ]
        Message.objects.bulk_create(kept)
        return len(kept)


def send_invitation(team: Team, email: str, address: str) -> None:
    """Send the link with which somebody joins a team."""
    names = {"team": team.name, "contest": team.contest.name, "address": address}
    subject = _("Invitation to the team “%(team)s”") % names
    body = _(
        "You are invited to the team “%(team)s” of the contest “%(contest)s”.\n\n"
        "Open this link to join; it works once, within seven days:\n%(address)s\n"
    )
    # No line break of a participant gets into the header of the mail.
    send_mail(" ".join(subject.split()), body % names, None, [email])


def waiting_messages() -> QuerySet[Message]:
    """Return the messages that a referee still has to pass on, oldest first."""
    return Message.objects.filter(handled_at=None).order_by("created_at")


def pass_on(message: Message, *, by: Person) -> None:
    """Note that a message was passed on; its text, which holds a link that works once, is forgotten."""
    access.need_referee(by)
    with transaction.atomic():
        done = Message.objects.filter(pk=message.pk, handled_at=None).update(handled_at=clock.now(), body="")
        if done:
            record("message.hand-over", message, actor=by)
