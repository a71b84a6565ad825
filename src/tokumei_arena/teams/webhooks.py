"""News to programs: signed, sent by a worker from the outbox, tried again for some hours, failures told on the desk."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.db import models, transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tokumei_arena import access, clock
from tokumei_arena.errors import RefusedError, TooManyError
from tokumei_arena.models import Contest, Delivery, Person, Webhook
from tokumei_arena.records import record
from tokumei_arena.teams.accounts import cipher
from tokumei_arena.teams.outside import UnsentError, check_address, send_out

logger = logging.getLogger(__name__)
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=15), timedelta(hours=1)
# With waits that double up to an hour, the last try comes after about eight hours.
MOST_TRIES, TOLD_AFTER = 16, 2
AT_ONCE, MOST_WEBHOOKS, KEPT = 20, 10, timedelta(days=30)
PURPOSE = b"webhooks"


class Event(models.TextChoices):
    """What programs and people can be told."""

    ANNOUNCEMENT = "announcement", gettext_lazy("announcements")
    ANSWER = "answer", gettext_lazy("answers")
    PHASE = "phase", gettext_lazy("phases that begin")


TEST = "test"


def add_webhook(contest: Contest, url: str, events: Iterable[str], *, by: Person) -> tuple[Webhook, str]:
    """Return a new address of a program and the secret of its signatures, which is told once."""
    access.need_owner(by, contest)
    asked = set(events)
    wanted = [event for event in Event.values if event in asked]
    if not wanted:
        raise RefusedError(_("choose at least one kind of news"), code="no-events")
    parts = check_address(url.strip())
    if contest.webhooks.count() >= MOST_WEBHOOKS:
        message = _("a contest tells at most %(limit)d programs") % {"limit": MOST_WEBHOOKS}
        raise TooManyError(message, code="too-many-webhooks")
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        sealed = cipher(PURPOSE).encrypt(secret.encode()).decode("ascii")
        made = Webhook.objects.create(contest=contest, url=url.strip(), secret=sealed, events=wanted)
        # The rest of the address may hold a key.
        record("webhook.add", made, actor=by, host=parts.hostname, events=wanted)
    return made, secret


def remove_webhook(webhook: Webhook, *, by: Person) -> None:
    """Tell a program nothing any more."""
    access.need_owner(by, webhook.contest)
    with transaction.atomic():
        record("webhook.remove", webhook, actor=by)
        webhook.delete()


def send_test(webhook: Webhook, *, by: Person) -> None:
    """Queue a message with which the receiving program can be tried."""
    access.need_owner(by, webhook.contest)
    _queue(webhook, TEST, {"message": "This is a test."})


def queue_news(contest: Contest, event: str, news: Mapping[str, Any]) -> int:
    """Put news for all programs that want it into the outbox; return how many."""
    wanting = [one for one in contest.webhooks.all() if event in one.events]
    for webhook in wanting:
        _queue(webhook, event, news)
    return len(wanting)


def _queue(webhook: Webhook, event: str, news: Mapping[str, Any]) -> None:
    told = {"event": event, "contest": webhook.contest.slug, "at": clock.now().isoformat(), **news}
    Delivery.objects.create(webhook=webhook, event=event, body=json.dumps(told, ensure_ascii=False))


def signature(secret: str, moment: str, body: bytes) -> str:
    """Return what proves who sent a body and when: an HMAC over both (as many webhooks do, so that tools know it).

    >>> signature("key", "1700000000", b"{}")[:23]
    'sha256=9d713ed406bb7076'
    """
    return "sha256=" + hmac.new(secret.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest()


def deliver_news() -> int:
    """Send the news whose turn it is; return how many arrived. What did not is tried again later."""
    now, arrived = clock.now(), 0
    due = Delivery.objects.filter(handled_at=None).filter(Q(next_try_at=None) | Q(next_try_at__lte=now))
    for one in due.select_related("webhook__contest").order_by("created_at")[:AT_ONCE]:
        wait = min(FIRST_WAIT * 2**one.tries, LONGEST_WAIT)
        # Taken before it is sent: of two workers one sends it.
        mine = Delivery.objects.filter(pk=one.pk, tries=one.tries, handled_at=None)
        if not mine.update(tries=F("tries") + 1, next_try_at=now + wait):
            continue
        arrived += _deliver(one)
    Delivery.objects.filter(handled_at__lt=now - KEPT).delete()
    return arrived


def _deliver(one: Delivery) -> bool:
    secret = cipher(PURPOSE).decrypt(one.webhook.secret.encode("ascii")).decode()
    body, moment = one.body.encode(), str(int(clock.now().timestamp()))
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "tokumei-arena",
        "X-Tokumei-Event": one.event,
        "X-Tokumei-Delivery": str(one.pk),
        "X-Tokumei-Timestamp": moment,
        "X-Tokumei-Signature": signature(secret, moment, body),
    }
    try:
        send_out(one.webhook.url, body, headers)
    except UnsentError as error:
        gone = one.tries + 1 >= MOST_TRIES
        handled = clock.now() if gone else None
        Delivery.objects.filter(pk=one.pk).update(failure=str(error)[:200], handled_at=handled)
        if gone:
            record("webhook.give-up", one.webhook, event=one.event, failure=str(error)[:200])
        logger.warning("news for a program did not arrive (%s)", error)
        return False
    Delivery.objects.filter(pk=one.pk).update(failure="", handled_at=clock.now())
    return True


def failing_deliveries(contest: Contest) -> QuerySet[Delivery]:
    """Return the news that did not arrive after several tries, newest first; given up ones too."""
    stuck = Delivery.objects.filter(webhook__contest=contest, tries__gte=TOLD_AFTER).exclude(failure="")
    return stuck.select_related("webhook").order_by("-created_at")
