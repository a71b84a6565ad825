"""Who may see and do what. Every object that a page or the API shows is fetched through one of these functions.

Nothing is visible unless a function here says so. A viewer who may not see an object learns not even that it exists
(the answer is 404). Roles: everybody; members of a team; captains; referees.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from tokumei_arena import clock
from tokumei_arena.errors import NotAllowedError, NotNowError, RefusedError
from tokumei_arena.models import (
    Blob,
    Contest,
    DataFile,
    Membership,
    Person,
    Phase,
    Round,
    Submission,
    Target,
    TargetFile,
    Team,
)

Viewer = Person | AnonymousUser


def is_referee(viewer: Viewer) -> bool:
    """Return whether the viewer runs contests, and comes as somebody who does."""
    return isinstance(viewer, Person) and viewer.is_active and viewer.is_referee and not viewer.as_participant


def need_referee(viewer: Viewer) -> Person:
    """Return the viewer as a referee; everybody else is refused."""
    if not isinstance(viewer, Person) or not is_referee(viewer):
        raise NotAllowedError(_("only referees may do this"), code="not-referee")
    return viewer


def need_reason(reason: str) -> str:
    """Return the reason, tidied, for something that the log must explain; refuse if there is none."""
    if not reason.strip():
        raise RefusedError(_("say why: the reason is kept in the log"), code="reason-missing")
    return reason.strip()


def need_phase(round_: Round, kind: str) -> None:
    """Refuse what belongs to a phase that is not on, and say when it is."""
    if round_.is_in(kind):
        return
    phase, label = round_.phase_of(kind), Phase.Kind(kind).label
    if phase is None:
        raise NotNowError(_("this round has no phase “%(phase)s”") % {"phase": label}, code="no-such-phase")
    if phase.starts_at > clock.now():
        raise NotNowError(_("the phase “%(phase)s” has not begun") % {"phase": label}, code="phase-not-begun")
    raise phase_over(kind)


def phase_over(kind: str) -> NotNowError:
    """Return the refusal of what comes after a phase."""
    return NotNowError(_("the phase “%(phase)s” is over") % {"phase": Phase.Kind(kind).label}, code="phase-over")


def contests(viewer: Viewer) -> QuerySet[Contest]:
    """Return the contests this viewer may see: open ones, those of own teams, and for referees all."""
    if is_referee(viewer):
        return Contest.objects.all()
    seen = Q(is_open=True)
    if isinstance(viewer, Person):
        seen |= Q(teams__memberships__person=viewer)
    return Contest.objects.filter(seen).distinct()


def membership(viewer: Viewer, contest: Contest) -> Membership | None:
    """Return the viewer's membership in a team of this contest."""
    if not isinstance(viewer, Person):
        return None
    return Membership.objects.filter(contest=contest, person=viewer).select_related("team").first()


def need_member(viewer: Viewer, contest: Contest, *roles: str) -> Team:
    """Return the viewer's approved team if the viewer has one of these roles in it (without roles: any)."""
    found = membership(viewer, contest)
    if found is None:
        raise NotAllowedError(_("you are in no team of this contest"), code="no-team")
    if found.team.approved_at is None:
        raise NotAllowedError(_("your team is not approved yet"), code="team-not-approved")
    if found.terms_accepted_at is None:
        raise NotAllowedError(_("accept the terms of this contest first"), code="terms-not-accepted")
    if roles and found.role not in roles:
        raise NotAllowedError(_("your role in the team does not allow this"), code="role")
    return found.team


def _own_team(viewer: Viewer, contest: Contest) -> Team | None:
    """Return the viewer's team if it takes part: approved, terms accepted."""
    found = membership(viewer, contest)
    if found is None or found.team.approved_at is None or found.terms_accepted_at is None:
        return None
    return found.team


def submissions(viewer: Viewer, contest: Contest) -> QuerySet[Submission]:
    """Return the submissions this viewer may see: those of the own team, for referees all."""
    everything = Submission.objects.filter(round__contest=contest)
    if is_referee(viewer):
        return everything
    found = membership(viewer, contest)
    return everything.none() if found is None else everything.filter(team=found.team)


def data_files(viewer: Viewer, round_: Round) -> QuerySet[DataFile]:
    """Return the files a round hands out to this viewer: common ones and the own team's, once the data is out.

    Ground truth among the data is handed out to nobody, not even to referees.
    """
    everything = DataFile.objects.filter(round=round_).exclude(blob__area=Blob.Area.TRUTH)
    if is_referee(viewer):
        return everything
    team, began = _own_team(viewer, round_.contest), round_.has_begun(Phase.Kind.ANONYMIZE)
    if team is None or not began:
        return everything.none()
    return everything.filter(Q(team=None) | Q(team=team))


def targets(viewer: Viewer, round_: Round) -> QuerySet[Target]:
    """Return the targets this viewer may attack or look at: those of other teams, once the attack phase has begun."""
    ready = Target.objects.filter(round=round_, state="done")
    if is_referee(viewer):
        return Target.objects.filter(round=round_)
    team = _own_team(viewer, round_.contest)
    if team is None or not round_.has_begun(Phase.Kind.ATTACK):
        return ready.none()
    return ready.exclude(team=team)


def files_of_targets(viewer: Viewer, round_: Round) -> QuerySet[TargetFile]:
    """Return the published files of all targets this viewer may see; never the truth, not even for referees."""
    seen = TargetFile.objects.filter(target__in=targets(viewer, round_)).exclude(blob__area=Blob.Area.TRUTH)
    return seen if is_referee(viewer) else seen.filter(Q(team=None) | Q(team=_own_team(viewer, round_.contest)))


def target_files(viewer: Viewer, target: Target) -> QuerySet[TargetFile]:
    """Return the published files of a target for this viewer."""
    return files_of_targets(viewer, target.round).filter(target=target)
