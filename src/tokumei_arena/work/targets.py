"""Targets: at the end of anonymization every team's chosen release becomes one, under a blind alias.

Nobody has to press a button and no cron job is needed: whoever looks (a worker on its rounds, a page) makes the rows
that are due. The worker then makes the published files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import count
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from tokumei_arena import clock
from tokumei_arena.models import Choice, Extension, LogEntry, Phase, Round, Submission, Target, Team
from tokumei_arena.records import record
from tokumei_arena.rules import rules_of
from tokumei_arena.work.draws import secret_number

ALIASES = (
    "Agate Amber Basalt Beryl Cobalt Coral Flint Garnet Granite Ivory Jade Jasper Lapis Marble Mica "
    "Nickel Obsidian Olivine Onyx Opal Pearl Pyrite Quartz Ruby Sapphire Silica Slate Spinel Sulfur Talc "
    "Topaz Turquoise Umber Zircon"
)


def chosen_release(round_: Round, team: Team) -> Submission | None:
    """Return the release with which a team competes: its choice, or its best valid one by the rule set."""
    return chosen_releases(round_).get(team.pk)


def chosen_releases(round_: Round, *, until: datetime | None = None) -> dict[UUID, Submission]:
    """Return the release with which each team competes, by team; ``until``: only what was there at that moment."""
    rules = rules_of(round_.contest)
    valid = Submission.objects.filter(
        round=round_, kind=Submission.Kind.RELEASE, verdict=Submission.Verdict.VALID
    ).select_related("evaluation")
    if until is not None:
        valid = valid.filter(received_at__lt=until)
    wanted = _choices(round_, until)
    best: dict[UUID, tuple[tuple[Any, ...], Submission]] = {}
    for one in valid:
        quality = math.inf if one.evaluation is None else rules.release_order(one.evaluation.figures)
        order = (str(one.pk) not in wanted, quality)
        key = (*order, one.received_at, str(one.pk))
        if one.team_id not in best or key < best[one.team_id][0]:
            best[one.team_id] = (key, one)
    return {team: one for team, (_, one) in best.items()}


def _choices(round_: Round, until: datetime | None) -> set[str]:
    """Return the ids of the releases that teams chose; a choice of an earlier moment stands in the log only."""
    if until is None:
        return {str(pk) for pk in Choice.objects.filter(round=round_).values_list("submission_id", flat=True)}
    own = {str(pk) for pk in round_.submissions.values_list("pk", flat=True)}
    made = LogEntry.objects.filter(contest=round_.contest_id, action="submission.choose", at__lt=until)
    last = {entry.detail["team"]: entry.object_id for entry in made.order_by("number") if entry.object_id in own}
    return set(last.values())


def release_counts(round_: Round, *, until: datetime | None = None) -> dict[UUID, tuple[int, datetime]]:
    """Return how many releases each team handed in, and when the last came."""
    releases = Submission.objects.filter(round=round_, kind=Submission.Kind.RELEASE)
    if until is not None:
        releases = releases.filter(received_at__lt=until)
    counted = releases.order_by().values_list("team_id").annotate(Count("pk"), Max("received_at"))
    return {team: (count, last) for team, count, last in counted}


def due_rounds() -> list[Round]:
    """Return the rounds whose anonymization is over and that have no targets yet, or not yet those of late teams."""
    over = Round.objects.filter(phases__kind=Phase.Kind.ANONYMIZE, phases__ends_at__lte=clock.now())
    late = [one.phase.round_id for one in _late_without_target()]
    return list(over.filter(Q(targets=None) | Q(pk__in=late)).select_related("contest").order_by("pk").distinct())


def _late_without_target() -> QuerySet[Extension]:
    """Return the extensions of anonymization that are over and whose team has a valid release but no target."""
    own = {"round": OuterRef("phase__round"), "team": OuterRef("team")}
    releases = Submission.objects.filter(kind=Submission.Kind.RELEASE, verdict=Submission.Verdict.VALID, **own)
    late = Extension.objects.filter(phase__kind=Phase.Kind.ANONYMIZE, until__lte=clock.now()).select_related("phase")
    return late.filter(Exists(releases)).exclude(Exists(Target.objects.filter(**own)))


def _due_teams(round_: Round) -> QuerySet[Team]:
    """Return the teams whose targets are to be made: at first all whose time is over, later those that had more."""
    everybody = round_.contest.teams.filter(approved_at__isnull=False, disqualified_at__isnull=True)
    due = everybody.exclude(pk__in=_still_at_it(round_))
    if round_.targets.exists():
        longer = Extension.objects.filter(phase__round=round_, phase__kind=Phase.Kind.ANONYMIZE)
        due = due.filter(pk__in=longer.values("team")).exclude(pk__in=round_.targets.values("team"))
    return due


def _still_at_it(round_: Round) -> QuerySet[Team]:
    """Return the teams for which anonymization is not over yet."""
    now = clock.now()
    if round_.has_ended(Phase.Kind.ATTACK):
        return Team.objects.none()
    running = Extension.objects.filter(phase__round=round_, phase__kind=Phase.Kind.ANONYMIZE, until__gt=now)
    return Team.objects.filter(pk__in=running.filter(phase__ends_at__lte=now).values("team"))


def _too_early_or_late(round_: Round) -> bool:
    """Return whether a release still has to be evaluated, or the targets are made already."""
    due = _due_teams(round_)
    releases = round_.submissions.filter(kind=Submission.Kind.RELEASE, team__in=due)
    if not round_.targets.exists():
        # Also of teams that do not take part: they may yet be approved.
        releases = round_.submissions.filter(kind=Submission.Kind.RELEASE).exclude(team__in=_still_at_it(round_))
    return releases.filter(state__in=("queued", "running")).exists() or not due.exists()


def make_due_targets(round_: Round) -> list[Target]:
    """Make the targets of a round whose anonymization is over and fully evaluated; return those that are new."""
    if not round_.has_ended(Phase.Kind.ANONYMIZE):
        return []
    if _too_early_or_late(round_):
        return []
    with transaction.atomic():
        # One maker at a time; whoever comes second finds the work done. A release may have come in since we looked.
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        if _too_early_or_late(locked):
            return []
        chosen = chosen_releases(locked)
        made = [(team, chosen[team.pk]) for team in _due_teams(locked) if team.pk in chosen]
        made.sort(key=lambda entry: secret_number(locked, f"team:{entry[0].pk}"))
        # Aliases come in another secret order than the targets, so that neither follows from the other.
        names = sorted(ALIASES.split(), key=lambda name: secret_number(locked, f"name:{name}"))
        taken = set(locked.targets.values_list("alias", flat=True))
        free = (alias for alias in _endless(names) if alias not in taken)
        found = [
            Target.objects.create(round=locked, team=team, submission=release, alias=alias)
            for (team, release), alias in zip(made, free, strict=False)
        ]
        if found:
            record("targets.make", locked, count=len(found))
    return found


def _endless(names: Sequence[str]) -> Iterator[str]:
    """Yield the names, and then the same with numbers."""
    yield from names
    for number in count(2):
        yield from (f"{name} {number}" for name in names)
