"""Mail, and what happens without a mail server: messages are kept, and the referee desk shows them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from smtplib import SMTPException

from django.core.mail import EmailMessage, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.models import Message, Person, Team
from tokumei_arena.records import record

logger = logging.getLogger(__name__)
# After so many tries in vain a referee is shown the message too; between two tries the wait doubles.
PATIENT_TRIES, FIRST_WAIT, LONGEST_WAIT = 4, timedelta(seconds=15), timedelta(hours=1)
AT_ONCE = 20


class DeskBackend(BaseEmailBackend):
    """Keeps every message for the referee, who passes its link on."""

    by_mail = False

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Keep the messages; return how many."""
        kept = [
            Message(to=to, subject=str(message.subject)[:300], body=str(message.body), by_mail=self.by_mail)
            for message in email_messages
            for to in message.recipients()
        ]
        Message.objects.bulk_create(kept)
        return len(kept)


class OutboxBackend(DeskBackend):
    """Keeps every message for a worker to send: a page waits for no mail server, and fails with none."""

    by_mail = True


def send_waiting(connect: Callable[[], BaseEmailBackend]) -> int:
    """Send the messages whose turn it is; return how many went out. What cannot be sent is tried again later."""
    now, sent = clock.now(), 0
    due = Message.objects.filter(by_mail=True, handled_at=None).filter(Q(next_try_at=None) | Q(next_try_at__lte=now))
    for message in due.order_by("created_at")[:AT_ONCE]:
        wait = min(FIRST_WAIT * 2**message.tries, LONGEST_WAIT)
        # Taken before it is sent: of two workers one sends it, and a mail that kills its sender is not sent for ever.
        mine = Message.objects.filter(pk=message.pk, tries=message.tries, handled_at=None)
        if not mine.update(tries=F("tries") + 1, next_try_at=now + wait):
            continue
        try:
            EmailMessage(message.subject, message.body, to=[message.to], connection=connect()).send()
        except (OSError, SMTPException) as error:
            logger.warning("a mail could not be sent (%s); it is tried again in %s", type(error).__name__, wait)
            continue
        # Its text holds a link that works once.
        Message.objects.filter(pk=message.pk).update(handled_at=clock.now(), body="")
        sent += 1
    return sent


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
    stuck = Q(by_mail=False) | Q(tries__gte=PATIENT_TRIES)
    return Message.objects.filter(stuck, handled_at=None).order_by("created_at")


def pass_on(message: Message, *, by: Person) -> None:
    """Note that a message was passed on; its text, which holds a link that works once, is forgotten."""
    access.need_referee(by)
    with transaction.atomic():
        done = Message.objects.filter(pk=message.pk, handled_at=None).update(handled_at=clock.now(), body="")
        if done:
            record("message.hand-over", message, actor=by)
