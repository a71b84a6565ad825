"""Contests as referees make, change and open them; everything is checked, and written to the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.contests.plan import KINDS, ContestPlan, check_weights, free_slug, place
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Contest, Person, Phase, Round
from tokumei_arena.records import record
from tokumei_arena.rules import check_parameters

CONTEST_FIELDS = ("name", "about", "terms", "team_size", "needs_approval", "parameters")
ROUND_FIELDS = (
    "name",
    "weight",
    "private_data",
    "release_limit",
    "attack_limit",
    "release_feedback",
    "attack_feedback",
    "blind",
    "freeze_minutes",
    "ceremony",
)


def create_contest(plan: ContestPlan, *, by: Person) -> Contest:
    """Make a contest, not yet visible, with its rounds and phases."""
    access.need_referee(by)
    plan.check()
    slug = plan.slug or free_slug(plan.name)
    with transaction.atomic():
        if Contest.objects.filter(slug=slug).exists():
            message = _("the short name “%(slug)s” is taken; choose another one")
            raise RefusedError(message % {"slug": slug}, code="slug-taken")
        contest = Contest.objects.create(
            slug=slug, rule_set=plan.rule_set, **{name: getattr(plan, name) for name in CONTEST_FIELDS}
        )
        for wanted in plan.rounds:
            round_ = Round.objects.create(
                contest=contest,
                kind=wanted.kind,
                position=place(wanted.kind),
                **{name: getattr(wanted, name) for name in ROUND_FIELDS},
            )
            make_phases(round_, wanted.starts)
        record(
            "contest.create",
            contest,
            actor=by,
            rule_set=plan.rule_set,
            parameters=dict(plan.parameters),
            rounds=[_plain(asdict(wanted)) for wanted in plan.rounds],
        )
    return contest


def make_phases(round_: Round, starts: Mapping[str, datetime]) -> None:
    """Make the phases of a new round; each ends when the next one begins."""
    for kind, following in zip(KINDS, [*KINDS[1:], None], strict=True):
        ends = None if following is None else starts[following]
        Phase.objects.create(round=round_, kind=kind, starts_at=starts[kind], ends_at=ends)


def _plain(value: Any) -> Any:
    """Return what JSON can hold."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


def _changes(row: Contest | Round, fields: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return what differs: before and after, by field."""
    return {
        name: [_plain(getattr(row, name)), _plain(value)]
        for name, value in fields.items()
        if getattr(row, name) != value
    }


def edit_contest(contest: Contest, fields: Mapping[str, Any], *, by: Person) -> dict[str, list[Any]]:
    """Change what a contest says and its parameters; return what changed. Figures already computed stay as they are."""
    access.need_owner(by, contest)
    check_parameters(contest.rule_set, fields.get("parameters", contest.parameters))
    with transaction.atomic():
        contest = Contest.objects.select_for_update().get(pk=contest.pk)
        changes = _changes(contest, {name: fields[name] for name in CONTEST_FIELDS if name in fields})
        if changes:
            for name in changes:
                setattr(contest, name, fields[name])
            contest.save(update_fields=list(changes))
            # Long texts would fill the log; that they changed is enough.
            told = {name: ["…", "…"] if name in ("about", "terms") else pair for name, pair in changes.items()}
            record("contest.edit", contest, actor=by, changes=told)
    return changes


def edit_rounds(contest: Contest, fields: Mapping[str, Mapping[str, Any]], *, by: Person) -> None:
    """Change the rounds of a contest (by kind) together, because their weights must add up to one."""
    access.need_owner(by, contest)
    with transaction.atomic():
        # The contest before its rounds and before the log, in the order of everybody else who locks them.
        Contest.objects.select_for_update().get(pk=contest.pk)
        rounds = list(contest.rounds.select_for_update())
        check_weights(fields.get(one.kind, {}).get("weight", one.weight) for one in rounds)
        for round_ in rounds:
            wanted = fields.get(round_.kind, {})
            changes = _changes(round_, {name: wanted[name] for name in ROUND_FIELDS if name in wanted})
            if "private_data" in changes and round_.data_files.exists():
                message = _("the %(round)s has data already; whether it is private can no longer be changed")
                raise NotNowError(message % {"round": round_.get_kind_display()}, code="data-exists")
            if "ceremony" in changes and round_.has_begun(Phase.Kind.PUBLISHED):
                message = _(
                    "the results of the %(round)s are due already; a ceremony can no longer be set or cancelled"
                )
                raise NotNowError(message % {"round": round_.get_kind_display()}, code="results-due")
            if changes:
                for name in changes:
                    setattr(round_, name, wanted[name])
                round_.save(update_fields=list(changes))
                record("round.edit", round_, actor=by, round=round_.kind, changes=changes)


def open_contest(contest: Contest, *, by: Person) -> None:
    """Show a contest to everybody."""
    _show(contest, by, is_open=True)


def hide_contest(contest: Contest, *, by: Person) -> None:
    """Hide a contest from everybody but its teams and referees."""
    _show(contest, by, is_open=False)


def _show(contest: Contest, by: Person, *, is_open: bool) -> None:
    access.need_owner(by, contest)
    with transaction.atomic():
        changed = Contest.objects.filter(pk=contest.pk).exclude(is_open=is_open).update(is_open=is_open)
        if changed:
            action = "contest.open" if is_open else "contest.hide"
            record(action, contest, actor=by)
    contest.is_open = is_open
