"""Templates of contests: which rounds there are, and how long their phases last, to begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from tokumei_arena.contests.plan import KINDS, RoundPlan, default_rounds
from tokumei_arena.models import Round

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

FEWEST, MOST, USUAL = 2, 12, 3
SMALLEST_WEIGHT = Decimal("0.0001")
# A workshop: hours from the beginning at which registration, anonymization, attack, scoring and results begin.
WORKSHOP_HOURS = (0.0, 1.0, 4.0, 7.0, 7.5)
Plans = dict[str, RoundPlan]


@dataclass(frozen=True)
class Template:
    """A template: what it is called, and its rounds made from those that the rules suggest."""

    key: str
    label: _StrPromise
    make: Callable[[Plans, int], Plans]


def _as_suggested(plans: Plans, _count: int) -> Plans:
    return plans


def _final_of(plans: Plans) -> RoundPlan:
    """Return the round that rules without a final one end with."""
    return plans.get(Round.Kind.FINAL) or max(plans.values(), key=lambda plan: plan.weight)


def _practice_of(plans: Plans) -> Plans:
    return {kind: plan for kind, plan in plans.items() if kind == Round.Kind.PRACTICE}


def _beginning_at(plan: RoundPlan, first: datetime) -> Mapping[str, datetime]:
    """Return when the phases of a round begin if the first of them begins at a moment."""
    shift = first - plan.starts[KINDS[0]]
    return {kind: start + shift for kind, start in plan.starts.items()}


def _single(plans: Plans, _count: int) -> Plans:
    final = _final_of(plans)
    first = min(plan.starts[KINDS[0]] for plan in plans.values())
    only = replace(final, kind=Round.Kind.FINAL, weight=Decimal(1), starts=_beginning_at(final, first))
    return {**_practice_of(plans), Round.Kind.FINAL.value: only}


def _league(plans: Plans, count: int) -> Plans:
    """Return so many rounds, the last of them the final; each begins when the results of the one before are out."""
    usual = plans.get(Round.Kind.PRELIMINARY) or _final_of(plans)
    share = (Decimal(1) / count).quantize(SMALLEST_WEIGHT)
    found, first = dict(_practice_of(plans)), usual.starts[KINDS[0]]
    for number in range(1, count + 1):
        last = number == count
        kind = "final" if last else "preliminary" if number == 1 else f"preliminary-{number}"
        weight = 1 - share * (count - 1) if last else share
        found[kind] = replace(usual, kind=kind, weight=weight, starts=_beginning_at(usual, first))
        first = found[kind].starts[KINDS[-1]]
    return found


def _workshop(plans: Plans, _count: int) -> Plans:
    final = _final_of(plans)
    first = min(plan.starts[KINDS[0]] for plan in plans.values())
    hours = zip(KINDS, WORKSHOP_HOURS, strict=True)
    starts = {str(kind): first + timedelta(hours=hour) for kind, hour in hours}
    return {Round.Kind.FINAL.value: replace(final, kind=Round.Kind.FINAL, weight=Decimal(1), starts=starts)}


TEMPLATES = {
    template.key: template
    for template in (
        Template("rules", gettext_lazy("as the rules suggest"), _as_suggested),
        Template("single", gettext_lazy("one round"), _single),
        Template("league", gettext_lazy("several rounds, one after the other"), _league),
        Template("workshop", gettext_lazy("a workshop of one day"), _workshop),
    )
}


def template_rounds(key: str, rule_set: str, now: datetime, *, count: int = USUAL) -> dict[str, RoundPlan]:
    """Return the rounds of a template under a rule set, by kind; an unknown template gives what the rules suggest."""
    template = TEMPLATES.get(key, TEMPLATES["rules"])
    return template.make(default_rounds(rule_set, now), min(max(count, FEWEST), MOST))
