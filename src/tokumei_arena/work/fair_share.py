"""Fair shares of the work: no team keeps the others waiting, whatever it hands in.

Of a team few files wait at once and one release is evaluated at a time; whose turn was longest ago comes first. What a
team stores has a limit, and who hands in one invalid file after the other waits longer each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.db.models import F, QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tokumei_arena import clock
from tokumei_arena.errors import TooManyError
from tokumei_arena.models import Round, SelfCheck, Submission, Target, Team, WorkState

Handed = TypeVar("Handed", Submission, SelfCheck)
WAITING = (WorkState.QUEUED, WorkState.RUNNING)
# So many invalid files are forgiven; after each further one the wait doubles, up to the longest.
FORGIVEN, LONGEST_WAIT, REMEMBERED = 5, timedelta(minutes=5), timedelta(minutes=30)


def in_turn(rows: QuerySet[Handed]) -> QuerySet[Handed]:
    """Return submissions in the order in which teams have their turn."""
    return rows.order_by(F("team__served_at").asc(nulls_first=True), "received_at", "pk")


def of_idle_teams(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    """Return the releases of teams of which none is being evaluated at this moment."""
    busy = Submission.objects.filter(
        kind=Submission.Kind.RELEASE, state=WorkState.RUNNING, leased_until__gte=clock.now()
    )
    return rows.exclude(team__in=busy.values("team"))


def note_turn(rows: Sequence[Submission | SelfCheck]) -> None:
    """Remember that these teams had their turn."""
    Team.objects.filter(pk__in={row.team_id for row in rows}).update(served_at=clock.now())


def refuse_greed(team: Team, round_: Round, target: Target | None, size: int) -> None:
    """Refuse a file of a team that has enough waiting, stores too much, or hands in invalid files too fast."""
    limits = settings.ARENA_LIMITS
    own = Submission.objects.filter(round=round_, team=team)
    if own.filter(target=target, state__in=WAITING).count() >= limits["pending_files"]:
        message = ngettext(
            "%(count)d file of your team is still being evaluated; hand in the next one when it is done",
            "%(count)d files of your team are still being evaluated; hand in the next one when one of them is done",
            limits["pending_files"],
        )
        raise TooManyError(message % {"count": limits["pending_files"]}, code="too-many-pending")
    stored = own.filter(blob__removed_at=None).aggregate(total=Sum("blob__size"))["total"] or 0
    if stored + size > limits["team_bytes"]:
        message = _("the files of your team have %(megabytes)d MB in this round, which is the limit; ask a referee")
        raise TooManyError(message % {"megabytes": stored // 1_000_000}, code="storage-full")
    _refuse_haste(own)


def _refuse_haste(own: QuerySet[Submission]) -> None:
    """Refuse whoever handed in many invalid files of late and did not wait since."""
    now = clock.now()
    recent = own.filter(received_at__gt=now - REMEMBERED).order_by("-received_at").values_list("verdict", "received_at")
    invalid = [received for verdict, received in recent if verdict == Submission.Verdict.INVALID]
    beyond = len(invalid) - FORGIVEN
    if beyond <= 0:
        return
    wait = min(timedelta(seconds=2**beyond), LONGEST_WAIT)
    left = (invalid[0] + wait - now).total_seconds()
    if left > 0:
        message = ngettext(
            "%(count)d files of the last half hour were invalid; try again in %(seconds)d second",
            "%(count)d files of the last half hour were invalid; try again in %(seconds)d seconds",
            int(left) + 1,
        )
        raise TooManyError(message % {"count": len(invalid), "seconds": int(left) + 1}, code="slow-down")
