"""What a referee should do next in a contest: each thing in one sentence with the page where it is done."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tokumei_arena.contests import phases, round_data
from tokumei_arena.contests.next_step import Step
from tokumei_arena.models import Clarification, Contest, Phase, Rescore, Round, Submission, Target, Team, WorkState

__all__ = ["referee_steps"]


def referee_steps(contest: Contest) -> list[Step]:
    """Return what is left to do, most pressing first; an empty list if nothing is."""
    slug = (contest.slug,)
    steps = [*_failures(contest), *_teams(contest), *_questions(contest)]
    for round_ in contest.rounds.prefetch_related("phases"):
        steps += _data(round_)
    steps += [
        Step(_("A re-scoring waits for your decision."), _("Compare"), "desk_rescore", (contest.slug, str(one.pk)))
        for one in Rescore.objects.filter(round__contest=contest, applied_at=None)
    ]
    if not contest.is_open:
        text = _("The contest is not visible yet. Open it when everything is ready.")
        steps.append(Step(text, _("Settings"), "desk_edit", slug))
    return steps


def _failures(contest: Contest) -> list[Step]:
    submissions = Submission.objects.filter(round__contest=contest, state=WorkState.FAILED).count()
    targets = Target.objects.filter(round__contest=contest, state=WorkState.FAILED).count()
    count = submissions + targets
    if not count:
        return []
    text = ngettext(
        "%(count)d evaluation failed. Look at the reason, then repeat it.",
        "%(count)d evaluations failed. Look at the reasons, then repeat them.",
        count,
    )
    return [Step(text % {"count": count}, _("Failed work"), "desk_failed", (contest.slug,))]


def _teams(contest: Contest) -> list[Step]:
    count = Team.objects.filter(contest=contest, approved_at=None, disqualified_at=None).count()
    if not count:
        return []
    text = ngettext("%(count)d team waits for approval.", "%(count)d teams wait for approval.", count)
    return [Step(text % {"count": count}, _("Teams"), "desk_teams", (contest.slug,))]


def _questions(contest: Contest) -> list[Step]:
    count = Clarification.objects.filter(contest=contest, answered_at=None).count()
    if not count:
        return []
    text = ngettext("%(count)d question waits for an answer.", "%(count)d questions wait for an answer.", count)
    return [Step(text % {"count": count}, _("Questions"), "desk_notices", (contest.slug,))]


def _data(round_: Round) -> list[Step]:
    words, begins = (round_.contest.slug, round_.kind), phases.phase_of(round_, Phase.Kind.ANONYMIZE)
    moment = None if begins is None else begins.starts_at
    if phases.has_ended(round_, Phase.Kind.ANONYMIZE):
        return []
    if round_.private_data:
        count = len(round_data.teams_without_data(round_))
        if not count:
            return []
        text = ngettext(
            "%(round)s: %(count)d team has no data of its own yet. Anonymization begins:",
            "%(round)s: %(count)d teams have no data of their own yet. Anonymization begins:",
            count,
        )
        told = text % {"round": round_.get_kind_display().capitalize(), "count": count}
        return [Step(told, _("Data"), "desk_data", words, moment)]
    if round_.data_files.exists():
        return []
    text = _("%(round)s: there is no data yet. Anonymization begins:")
    return [Step(text % {"round": round_.get_kind_display().capitalize()}, _("Data"), "desk_data", words, moment)]
