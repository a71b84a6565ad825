"""News of a contest: by mail to the members of its teams, each in their language, and to programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from tokumei_arena import clock
from tokumei_arena.models import Contest, Person, Phase, Team
from tokumei_arena.records import record
from tokumei_arena.teams.webhooks import Event, queue_news

# What began longer ago is no news: an arena that was switched off tells nobody about last month.
NEWS_FOR = timedelta(hours=12)


def tell(
    contest: Contest,
    event: Event,
    words: Callable[[], tuple[str, str]],
    news: Mapping[str, Any],
    *,
    team: Team | None = None,
) -> None:
    """Tell the members of all teams (or of one), and programs; ``words`` gives subject and text in each language.

    Call it in the transaction of what it tells. What is for one team goes to no program.
    """
    mails = _mails(contest, words, team) if mail_goes_out() else []
    if mails:
        get_connection().send_messages(mails)
    programs = queue_news(contest, event, news) if team is None else 0
    if mails or programs:
        record("news.tell", contest, event=str(event), mails=len(mails), programs=programs)


def mail_goes_out() -> bool:
    """Return whether mail is sent; without a mail server referees would have to pass every piece of news on."""
    return not settings.EMAIL_BACKEND.endswith("DeskBackend")


def _mails(contest: Contest, words: Callable[[], tuple[str, str]], team: Team | None) -> list[EmailMessage]:
    members = Person.objects.filter(memberships__contest=contest, is_active=True, news_by_mail=True)
    if team is not None:
        members = members.filter(memberships__team=team)
    made = {}
    found = []
    for person in members.order_by("pk").distinct():
        language = person.language or settings.LANGUAGE_CODE
        if language not in made:
            with translation.override(language):
                made[language] = _written(contest, *words())
        subject, body = made[language]
        found.append(EmailMessage(subject, body, to=[person.email]))
    return found


def _written(contest: Contest, subject: str, text: str) -> tuple[str, str]:
    """Return a mail with the name of its contest, where to read more, and how to get no more."""
    lines = [text, ""]
    if settings.ARENA_URL:
        lines += [f"{settings.ARENA_URL}{reverse('contest', args=[contest.slug])}", ""]
    lines.append(_("You get this mail because you are in a team of this contest; your preferences switch it off."))
    # No line break of a writer gets into the header of the mail.
    return " ".join(f"[{contest.name}] {subject}".split())[:300], "\n".join(lines)


def tell_begun_phases() -> int:
    """Tell about phases that have begun and of which nobody was told yet; return how many."""
    now = clock.now()
    begun = Phase.objects.filter(told_at=None, starts_at__lte=now, starts_at__gt=now - NEWS_FOR)
    count = 0
    for phase in begun.filter(round__contest__is_open=True).select_related("round__contest").order_by("starts_at"):
        # Of two workers one tells it.
        if not Phase.objects.filter(pk=phase.pk, told_at=None).update(told_at=now):
            continue
        _tell_phase(phase)
        count += 1
    return count


def _tell_phase(phase: Phase) -> None:
    round_ = phase.round

    def words() -> tuple[str, str]:
        names = {"round": round_.get_kind_display(), "phase": phase.get_kind_display()}
        subject = _("%(round)s: the phase “%(phase)s” has begun") % names
        text = f"{subject[:1].upper()}{subject[1:]}."
        if phase.ends_at is not None:
            text += "\n" + _("It ends: %(moment)s") % {"moment": f"{phase.ends_at:%Y-%m-%d %H:%M} UTC"}
        return subject, text

    news = {
        "round": round_.kind,
        "phase": phase.kind,
        "starts_at": phase.starts_at.isoformat(),
        "ends_at": None if phase.ends_at is None else phase.ends_at.isoformat(),
    }
    tell(round_.contest, Event.PHASE, words, news)
