"""Targets: at the end of anonymization every team's chosen release becomes one, under a blind alias.

Nobody has to press a button and no cron job is needed: whoever looks (a worker on its rounds, a page) makes the rows
that are due. The worker then makes the published files.
"""

from __future__ import annotations

import hashlib
import hmac

from django.db import transaction

from tokumei_arena.core import logbook, phases
from tokumei_arena.games import find_game
from tokumei_arena.models import Choice, Phase, Round, Submission, Target, Team

__all__ = ["chosen_release", "make_due_targets"]

ALIASES = [
    "Agate",
    "Amber",
    "Basalt",
    "Beryl",
    "Cobalt",
    "Coral",
    "Flint",
    "Garnet",
    "Granite",
    "Ivory",
    "Jade",
    "Jasper",
    "Lapis",
    "Marble",
    "Mica",
    "Nickel",
    "Obsidian",
    "Olivine",
    "Onyx",
    "Opal",
    "Pearl",
    "Pyrite",
    "Quartz",
    "Ruby",
    "Sapphire",
    "Silica",
    "Slate",
    "Spinel",
    "Sulfur",
    "Talc",
    "Topaz",
    "Turquoise",
    "Umber",
    "Zircon",
]


def chosen_release(round_: Round, team: Team) -> Submission | None:
    """Return the release with which a team competes: its choice, or its best valid one by the rule set."""
    choice = Choice.objects.filter(round=round_, team=team).select_related("submission__evaluation").first()
    if choice is not None and choice.submission.verdict == Submission.Verdict.VALID:
        return choice.submission
    game = find_game(round_.contest.rule_set)
    valid = Submission.objects.filter(
        round=round_, team=team, kind=Submission.Kind.RELEASE, verdict=Submission.Verdict.VALID
    ).select_related("evaluation")
    ranked = sorted(valid, key=lambda one: (game.release_order(_figures(one)), one.received_at, str(one.pk)))
    return ranked[0] if ranked else None


def _figures(submission: Submission) -> dict[str, float]:
    return {} if submission.evaluation is None else submission.evaluation.figures


def _secret_order(round_: Round, text: str) -> str:
    """Return a key that orders things in a way nobody can foresee or connect between rounds."""
    secret = round_.contest.seed.encode()
    return hmac.new(secret, f"{round_.pk}:{text}".encode(), hashlib.sha256).hexdigest()


def make_due_targets(round_: Round) -> list[Target]:
    """Make the targets of a round whose anonymization is over and fully evaluated; return those that are new."""
    if not phases.has_ended(round_, Phase.Kind.ANONYMIZE):
        return []
    pending = round_.submissions.filter(kind=Submission.Kind.RELEASE, state__in=("queued", "running"))
    if pending.exists() or round_.targets.exists():
        return []
    with transaction.atomic():
        # One maker at a time; whoever comes second finds the work done.
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        if locked.targets.exists():
            return []
        teams = locked.contest.teams.filter(approved_at__isnull=False, disqualified_at__isnull=True)
        entries = [(team, chosen_release(locked, team)) for team in teams]
        made = [(team, release) for team, release in entries if release is not None]
        made.sort(key=lambda entry: _secret_order(locked, f"team:{entry[0].pk}"))
        # Aliases come in another secret order than the targets, so that neither follows from the other.
        names = sorted(ALIASES, key=lambda name: _secret_order(locked, f"name:{name}"))
        found = []
        for position, (team, release) in enumerate(made):
            again = position // len(names)
            alias = names[position % len(names)] + (f" {again + 1}" if again else "")
            found.append(Target.objects.create(round=locked, team=team, submission=release, alias=alias))
        if found:
            logbook.record("targets.make", contest=locked.contest, object_id=locked.pk, count=len(found))
    return found
