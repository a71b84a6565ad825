"""Targets: at the end of anonymization every team's chosen release becomes one, under a blind alias.

Nobody has to press a button and no cron job is needed: whoever looks (a worker on its rounds, a page) makes the rows
that are due. The worker then makes the published files.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Max

from tokumei_arena import clock
from tokumei_arena.models import Choice, LogEntry, Phase, Round, Submission, Target, Team
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
    """Return the rounds whose anonymization is over and that have no targets yet."""
    over = Round.objects.filter(phases__kind=Phase.Kind.ANONYMIZE, phases__ends_at__lte=clock.now(), targets=None)
    return list(over.select_related("contest").order_by("pk"))


def _too_early_or_late(round_: Round) -> bool:
    """Return whether a release still has to be evaluated, or the targets are made already."""
    pending = round_.submissions.filter(kind=Submission.Kind.RELEASE, state__in=("queued", "running"))
    return pending.exists() or round_.targets.exists()


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
        teams = locked.contest.teams.filter(approved_at__isnull=False, disqualified_at__isnull=True)
        chosen = chosen_releases(locked)
        made = [(team, chosen[team.pk]) for team in teams if team.pk in chosen]
        made.sort(key=lambda entry: secret_number(locked, f"team:{entry[0].pk}"))
        # Aliases come in another secret order than the targets, so that neither follows from the other.
        names = sorted(ALIASES.split(), key=lambda name: secret_number(locked, f"name:{name}"))
        found = []
        for position, (team, release) in enumerate(made):
            again = position // len(names)
            alias = names[position % len(names)] + (f" {again + 1}" if again else "")
            found.append(Target.objects.create(round=locked, team=team, submission=release, alias=alias))
        if found:
            record("targets.make", locked, count=len(found))
    return found
