"""What participants and referees should do next in a contest: each thing in one sentence with the page for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tokumei_arena import access, clock
from tokumei_arena.contests.round_data import teams_without_data
from tokumei_arena.models import (
    Clarification,
    Contest,
    Membership,
    Phase,
    Rescore,
    Round,
    Submission,
    Target,
    Team,
    WorkState,
)
from tokumei_arena.teams import failing_deliveries, registration_open


@dataclass(frozen=True)
class Step:
    """A sentence, the page to go to (route and its words), and the moment it speaks of."""

    text: str
    link: str = ""
    route: str = ""
    words: tuple[str, ...] = ()
    moment: datetime | None = None


def active_round(contest: Contest) -> Round | None:
    """Return the round that matters now: the first whose results are not out, else the last."""
    rounds = list(contest.rounds.prefetch_related("phases"))
    waiting = [one for one in rounds if not one.has_begun(Phase.Kind.PUBLISHED) or one.at_ceremony()]
    return next(iter(waiting), rounds[-1] if rounds else None)


def next_step(viewer: access.Viewer, contest: Contest) -> Step:
    """Return what this viewer should do next."""
    slug, round_ = (contest.slug,), active_round(contest)
    found = access.membership(viewer, contest)
    if access.sees_all(viewer, contest):
        return Step(_("You are a referee: run this contest from the desk."), _("Referee desk"), "desk")
    if found is None and round_ is not None and round_.has_begun(Phase.Kind.PUBLISHED):
        return _results(contest, round_)
    if viewer.is_anonymous:
        return Step(_("Sign in to take part."), _("Sign in"), "account_login")
    if found is None and not registration_open(contest):
        return Step(_("Registration is closed. With the invitation link of a team you can still join it."))
    if found is None:
        text = _("You are in no team yet: create one, or open the invitation link of a team.")
        return Step(text, _("Create a team"), "team_new", slug)
    return _step_of_member(found, contest, round_)


def _step_of_member(found: Membership, contest: Contest, round_: Round | None) -> Step:
    slug = (contest.slug,)
    if found.terms_accepted_at is None:
        return Step(_("Accept the terms of participation."), _("Terms"), "terms", slug)
    if found.team.approved_at is None:
        return Step(_("Your team waits for the referee's approval."), _("Your team"), "team", slug)
    if found.team.disqualified_at is not None:
        return Step(_("Your team is disqualified; the page of your team says why."), _("Your team"), "team", slug)
    if round_ is None:
        return Step(_("The rounds of this contest are not set up yet."))
    return _step_in_round(found.team, contest, round_)


def _step_in_round(team: Team, contest: Contest, round_: Round) -> Step:
    words = (contest.slug, round_.kind)
    phase = round_.current_phase()
    longer = _longer(team, round_, words)
    if longer is not None:
        return longer
    if phase is None or phase.kind == Phase.Kind.REGISTRATION:
        return _wait(round_)
    if phase.kind == Phase.Kind.ANONYMIZE:
        handed_in = Submission.objects.filter(round=round_, team=team, verdict=Submission.Verdict.VALID).exists()
        text = (
            _("Your team has a valid submission. Improve it, or choose the one that counts, until:")
            if handed_in
            else _("Download the data, anonymize it and hand it in until:")
        )
        return Step(text, round_.get_kind_display(), "round", words, phase.ends_at)
    if phase.kind == Phase.Kind.ATTACK:
        return _attack(team, round_, words, phase.ends_at)
    if phase.kind == Phase.Kind.SCORING:
        return Step(_("The referees check the scores. Nothing is left to do."), _("Board"), "board", words)
    return _results(contest, round_)


def _longer(team: Team, round_: Round, words: tuple[str, ...]) -> Step | None:
    """Return what a team does in a phase that lasts longer for it alone."""
    longer = access.longer_for(round_, Phase.Kind.ANONYMIZE, team)
    if longer is not None:
        text = _("Your team still anonymizes: the phase lasts longer for it, until:")
        return Step(text, round_.get_kind_display(), "round", words, longer.until)
    longer = access.longer_for(round_, Phase.Kind.ATTACK, team)
    return None if longer is None else _attack(team, round_, words, longer.until)


def _attack(team: Team, round_: Round, words: tuple[str, ...], until: datetime | None) -> Step:
    others = round_.targets.exclude(team=team)
    tried = round_.submissions.filter(team=team, kind="guesses").exclude(verdict=Submission.Verdict.INVALID)
    left = others.count() - tried.values("target").distinct().count()
    if left <= 0:
        text = _("Your team has attacked every target. The attack phase ends:")
    else:
        text = ngettext(
            "Attack the data of the other teams; %(count)d target is left, until:",
            "Attack the data of the other teams; %(count)d targets are left, until:",
            left,
        ) % {"count": left}
    return Step(text, _("Targets"), "targets", words, until)


def _wait(round_: Round) -> Step:
    coming = sorted((one for one in round_.phases.all() if one.starts_at > clock.now()), key=lambda one: one.starts_at)
    if not coming:
        return Step(_("Nothing is going on at the moment."))
    first = coming[0]
    text = _("Nothing to do yet. The phase “%(phase)s” begins:") % {"phase": first.get_kind_display()}
    return Step(text, moment=first.starts_at)


def _results(contest: Contest, round_: Round) -> Step:
    if round_.at_ceremony():
        text = _("The results are revealed at a ceremony.")
        return Step(text, _("Ceremony"), "ceremony", (contest.slug, round_.kind))
    if contest.rounds.count() > 1:
        return Step(_("The results are out."), _("Overall ranking"), "overall", (contest.slug,))
    return Step(_("The results are out."), _("Board"), "board", (contest.slug, round_.kind))


def referee_steps(contest: Contest) -> list[Step]:
    """Return what is left to do, most pressing first; an empty list if nothing is."""
    slug = (contest.slug,)
    steps = [*_failures(contest), *_ceremonies(contest), *_teams(contest), *_questions(contest), *_news(contest)]
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


def _ceremonies(contest: Contest) -> list[Step]:
    waiting = [one for one in contest.rounds.prefetch_related("phases") if one.at_ceremony()]
    text = _("%(round)s: the results wait for the ceremony.")
    return [
        Step(text % {"round": _capital(one.get_kind_display())}, _("Results"), "desk_results", (contest.slug,))
        for one in waiting
    ]


def _news(contest: Contest) -> list[Step]:
    count = failing_deliveries(contest).filter(handled_at=None).count()
    if not count:
        return []
    text = ngettext(
        "%(count)d message to a program does not arrive.", "%(count)d messages to programs do not arrive.", count
    )
    return [Step(text % {"count": count}, _("News"), "desk_news", (contest.slug,))]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _data(round_: Round) -> list[Step]:
    words, begins = (round_.contest.slug, round_.kind), round_.phase_of(Phase.Kind.ANONYMIZE)
    moment = None if begins is None else begins.starts_at
    if round_.has_ended(Phase.Kind.ANONYMIZE):
        return []
    if round_.private_data:
        count = len(teams_without_data(round_))
        if not count:
            return []
        text = ngettext(
            "%(round)s: %(count)d team has no data of its own yet. Anonymization begins:",
            "%(round)s: %(count)d teams have no data of their own yet. Anonymization begins:",
            count,
        )
        told = text % {"round": _capital(round_.get_kind_display()), "count": count}
        return [Step(told, _("Data"), "desk_data", words, moment)]
    if round_.data_files.exists():
        return []
    text = _("%(round)s: there is no data yet. Anonymization begins:")
    return [Step(text % {"round": _capital(round_.get_kind_display())}, _("Data"), "desk_data", words, moment)]
