"""Rounds that are added to a contest or taken out of it, and a contest as the pattern of another one."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime

from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.contests.managing import ROUND_FIELDS, create_contest, make_phases
from tokumei_arena.contests.pages import put_page
from tokumei_arena.contests.plan import KINDS, ContestPlan, RoundPlan, check_kinds, place
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Attachment, Blob, Contest, Page, Person, Phase, Round
from tokumei_arena.records import open_stored, put_file, record

# Beyond every place that a round can have.
ASIDE = 1000


def add_round(contest: Contest, sort: str, *, by: Person, name: str = "") -> Round:
    """Add a round like the last one of its kind, after everything that is planned; it counts nothing until weighted."""
    access.need_owner(by, contest)
    with transaction.atomic():
        Contest.objects.select_for_update().get(pk=contest.pk)
        rounds = list(contest.rounds.prefetch_related("phases"))
        taken = {one.kind for one in rounds}
        numbered = (sort if number == 1 else f"{sort}-{number}" for number in range(1, 100))
        kind = next(kind for kind in numbered if kind not in taken)
        check_kinds([*taken, kind])
        pattern = next((one for one in reversed(rounds) if one.sort == sort), rounds[-1])
        made = Round(contest=contest, kind=kind, position=ASIDE + len(rounds))
        for field in ROUND_FIELDS:
            setattr(made, field, getattr(pattern, field))
        made.weight, made.name, made.parameters = 0, name.strip()[:60], pattern.parameters
        made.save()
        begins = {phase.kind: phase.starts_at for phase in pattern.phases.all()}
        end = max(phase.starts_at for one in rounds for phase in one.phases.all())
        make_phases(made, {kind: start + (end - begins[KINDS[0]]) for kind, start in begins.items()})
        _put_in_order(contest)
        record("round.add", made, actor=by, round=kind, like=pattern.kind)
    return made


def _put_in_order(contest: Contest) -> None:
    """Give every round its place; two never have the same, not even for a moment."""
    rounds = sorted(contest.rounds.all(), key=lambda one: place(one.kind))
    for step in (2 * ASIDE, 0):
        for position, one in enumerate(rounds):
            Round.objects.filter(pk=one.pk).update(position=step + position)


def remove_round(round_: Round, *, by: Person) -> None:
    """Take a round out that counts nothing and in which nothing has happened yet."""
    contest = round_.contest
    access.need_owner(by, contest)
    with transaction.atomic():
        Contest.objects.select_for_update().get(pk=contest.pk)
        if contest.rounds.count() == 1:
            raise RefusedError(_("a contest needs a round"), code="no-rounds")
        if round_.weight:
            raise RefusedError(_("the round counts; give its weight to another one first"), code="weights")
        if round_.has_begun(Phase.Kind.ANONYMIZE) or round_.data_files.exists():
            message = _("the round has begun or has data; it stays")
            raise NotNowError(message, code="round-begun")
        record("round.remove", round_, actor=by, round=round_.kind)
        round_.delete()
        _put_in_order(contest)


def clone_contest(contest: Contest, *, name: str, begins: datetime, by: Person, slug: str = "") -> Contest:
    """Make a new contest, not yet visible, with the settings, rounds and pages of another; its first phase begins then.

    Teams, data, questions and officials are not taken over.
    """
    access.need_referee(by)
    rounds = list(contest.rounds.prefetch_related("phases"))
    shift = begins - min(phase.starts_at for one in rounds for phase in one.phases.all())
    own = {field.name for field in fields(RoundPlan)} - {"kind", "starts"}
    plan = ContestPlan(
        name=name.strip(),
        slug=slug,
        rule_set=contest.rule_set,
        parameters=contest.parameters,
        about=contest.about,
        terms=contest.terms,
        team_size=contest.team_size,
        needs_approval=contest.needs_approval,
        rounds=tuple(
            RoundPlan(
                kind=one.kind,
                starts={phase.kind: phase.starts_at + shift for phase in one.phases.all()},
                **{field: getattr(one, field) for field in own},
            )
            for one in rounds
        ),
    )
    if not plan.name:
        raise RefusedError(_("give the new contest a name"), code="no-name")
    made = create_contest(plan, by=by)
    for page in contest.pages.all():
        copied = put_page(
            made,
            by=by,
            title=page.title,
            body=page.body,
            slug=page.slug,
            is_shown=page.is_shown,
            position=page.position,
        )
        _copy_files(page, copied)
    record("contest.clone", made, actor=by, source=contest.slug)
    return made


def _copy_files(page: Page, copied: Page) -> None:
    for one in page.attachments.select_related("blob"):
        with open_stored(one.blob) as source:
            blob = put_file(Blob.Area.PUBLISHED, one.name, File(source, name=one.name))
        Attachment.objects.create(page=copied, name=one.name, blob=blob)
