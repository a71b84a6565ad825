"""What a contest shall be, before it exists: sensible defaults, and the rules a plan must keep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tokumei.contests import find_contest, playable_contests
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Contest, Feedback, Phase, Round, check_slug
from tokumei_arena.rules import check_parameters

KINDS = list(Phase.Kind)
KIND = re.compile(f"(?:{'|'.join(Round.Kind.values)})(?:-(?:[2-9]|[1-9][0-9]))?")

DEFAULT_TERMS = gettext_lazy(
    "The data is for this contest only: do not pass it on, and delete it when the contest is over. "
    "Nobody tries to learn who the persons in the data are, except by the attacks of this contest. "
    "Attack the data of other teams, never this server or other teams' machines. "
    "Results are published under the team name."
)


@dataclass(frozen=True, kw_only=True)
class RoundPlan:
    """One round: what it counts, what it allows, and when each phase begins (it ends when the next begins)."""

    kind: str
    weight: Decimal
    starts: Mapping[str, datetime]
    private_data: bool = False
    release_limit: int | None = None
    attack_limit: int = 1
    release_feedback: str = Feedback.EXACT
    attack_feedback: str = Feedback.DELAYED
    blind: bool = True
    freeze_minutes: int = 0
    ceremony: bool = False
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class ContestPlan:
    """A contest with its rounds."""

    name: str
    rule_set: str
    rounds: tuple[RoundPlan, ...]
    slug: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    terms: str = ""
    team_size: int = 10
    needs_approval: bool = True

    def check(self) -> None:
        """Raise one sentence if the plan cannot be carried out."""
        known = playable_contests()
        if self.rule_set not in known:
            message = _("there is no rule set “%(name)s”; choose one of %(known)s")
            raise RefusedError(message % {"name": self.rule_set, "known": ", ".join(known)}, code="rule-set")
        if self.slug:
            check_slug(self.slug)
        if not self.rounds:
            raise RefusedError(_("choose at least one round"), code="no-rounds")
        check_kinds([plan.kind for plan in self.rounds])
        check_weights(plan.weight for plan in self.rounds)
        for plan in self.rounds:
            check_starts(plan.starts)
        check_parameters(self.rule_set, self.parameters)


def check_kinds(kinds: Sequence[str]) -> None:
    """Raise one sentence unless every round is of a kind that there is, and none has the name of another."""
    if len(set(kinds)) < len(kinds) or not all(KIND.fullmatch(kind) for kind in kinds):
        message = _(
            "a contest has rounds of these kinds, each once or with numbers from 2 on (“preliminary-2”): %(known)s"
        )
        raise RefusedError(message % {"known": ", ".join(Round.Kind.values)}, code="round-kind")


def place(kind: str) -> int:
    """Return where a round stands among those of its contest: by kind, then by number.

    >>> place("practice") < place("preliminary") < place("preliminary-2") < place("preliminary-10") < place("final")
    True
    """
    sort, _dash, number = kind.partition("-")
    return Round.Kind.values.index(sort) * 100 + int(number or 1)


def check_weights(weights: Iterable[Decimal]) -> None:
    """Raise one sentence unless the weights of all rounds add up to one."""
    listed = list(weights)
    if any(weight < 0 for weight in listed) or sum(listed) != 1:
        message = _("the weights of the rounds must add up to 1; they add up to %(sum)s")
        raise RefusedError(message % {"sum": f"{sum(listed):f}"}, code="weights")


def check_starts(starts: Mapping[str, datetime]) -> None:
    """Raise one sentence unless every phase begins after the one before it."""
    missing = next((kind for kind in KINDS if kind not in starts), None)
    if missing is not None:
        message = _("say when the phase “%(phase)s” begins")
        raise RefusedError(message % {"phase": missing.label}, code="phase-missing")
    for before, after in pairwise(KINDS):
        if starts[after] <= starts[before]:
            message = _("the phase “%(after)s” must begin after the phase “%(before)s”")
            raise RefusedError(message % {"after": after.label, "before": before.label}, code="phase-order")


def default_rounds(rule_set: str, now: datetime) -> dict[str, RoundPlan]:
    """Return what the rules suggest for every kind of round; the first ones begin with the next full hour."""
    first = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    plans = {}
    for kind, preset in find_contest(rule_set).rounds.items():
        if kind not in Round.Kind.values:
            continue
        begin = first + timedelta(days=preset.first_day)
        plans[kind] = RoundPlan(
            kind=kind,
            weight=Decimal(preset.weight),
            starts={
                str(phase): begin + timedelta(days=days) for phase, days in zip(KINDS, preset.phase_days, strict=True)
            },
            private_data=preset.private_data,
            release_limit=preset.release_limit,
            attack_limit=preset.attack_limit,
            attack_feedback=preset.attack_feedback,
        )
    return plans


def free_slug(name: str) -> str:
    """Return a short name for addresses that no contest has yet; names without Latin letters give ``contest``."""
    stem = slugify(name)[:34].strip("-") or "contest"
    taken = set(Contest.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    number = 1
    while (slug := stem if number == 1 else f"{stem}-{number}") in taken:
        number += 1
    return slug
