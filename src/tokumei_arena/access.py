"""Who may see and do what. Every object that a page or the API shows is fetched through one of these functions.

Nothing is visible unless a function here says so. A viewer who may not see an object learns not even that it exists
(the answer is 404). Roles: everybody; members of a team; captains; of one contest observers, referees and owners;
referees of the arena, who own every contest.
"""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from tokumei_arena import clock
from tokumei_arena.errors import NotAllowedError, NotNowError, RefusedError
from tokumei_arena.models import (
    Blob,
    Contest,
    DataFile,
    Extension,
    Membership,
    Office,
    Person,
    Phase,
    Round,
    Submission,
    Target,
    TargetFile,
    Team,
)

Viewer = Person | AnonymousUser
# What an office allows includes what those before it allow.
OFFICES = (Office.Role.OBSERVER, Office.Role.REFEREE, Office.Role.OWNER)


def is_referee(viewer: Viewer) -> bool:
    """Return whether the viewer runs the whole arena, and comes as somebody who does."""
    return isinstance(viewer, Person) and viewer.is_active and viewer.is_referee and not viewer.as_participant


def _offices(viewer: Viewer) -> dict[UUID, str]:
    """Return the roles of the viewer by contest; they are asked for once in a request."""
    if not isinstance(viewer, Person) or not viewer.is_active or viewer.as_participant:
        return {}
    if viewer.known_offices is None:
        viewer.known_offices = dict(Office.objects.filter(person=viewer).values_list("contest_id", "role"))
    return viewer.known_offices


def office(viewer: Viewer, contest: Contest) -> str:
    """Return what the viewer is in a contest: owner, referee, observer, or nothing."""
    return Office.Role.OWNER if is_referee(viewer) else _offices(viewer).get(contest.pk, "")


def has_office(viewer: Viewer) -> bool:
    """Return whether the viewer has something to do at the desk, in whatever contest."""
    return is_referee(viewer) or bool(_offices(viewer))


def need_office(viewer: Viewer) -> None:
    """Refuse everybody who has nothing to do at the desk."""
    if not has_office(viewer):
        raise NotAllowedError(_("only referees may do this"), code="not-referee")


def _holds(viewer: Viewer, contest: Contest, least: Office.Role) -> bool:
    return office(viewer, contest) in OFFICES[OFFICES.index(least) :]


def sees_all(viewer: Viewer, contest: Contest) -> bool:
    """Return whether the viewer sees everything of a contest: its observers, referees and owners."""
    return _holds(viewer, contest, Office.Role.OBSERVER)


def may_run(viewer: Viewer, contest: Contest) -> bool:
    """Return whether the viewer runs a contest: its referees and owners."""
    return _holds(viewer, contest, Office.Role.REFEREE)


def may_own(viewer: Viewer, contest: Contest) -> bool:
    """Return whether the viewer decides what a contest is and who runs it: its owners."""
    return _holds(viewer, contest, Office.Role.OWNER)


def need_referee(viewer: Viewer, contest: Contest | None = None) -> Person:
    """Return the viewer as a referee, of the arena or of a contest; everybody else is refused."""
    allowed = is_referee(viewer) if contest is None else may_run(viewer, contest)
    if not isinstance(viewer, Person) or not allowed:
        raise NotAllowedError(_("only referees may do this"), code="not-referee")
    return viewer


def need_owner(viewer: Viewer, contest: Contest) -> Person:
    """Return the viewer as an owner of a contest; everybody else is refused."""
    if not isinstance(viewer, Person) or not may_own(viewer, contest):
        raise NotAllowedError(_("only owners of the contest may do this"), code="not-owner")
    return viewer


def need_observer(viewer: Viewer, contest: Contest) -> Person:
    """Return the viewer as somebody who sees everything of a contest; everybody else is refused."""
    if not isinstance(viewer, Person) or not sees_all(viewer, contest):
        raise NotAllowedError(_("only referees may do this"), code="not-referee")
    return viewer


def need_reason(reason: str) -> str:
    """Return the reason, tidied, for something that the log must explain; refuse if there is none."""
    if not reason.strip():
        raise RefusedError(_("say why: the reason is kept in the log"), code="reason-missing")
    return reason.strip()


def need_phase(round_: Round, kind: str, team: Team | None = None) -> None:
    """Refuse what belongs to a phase that is not on, also not for this team alone, and say when it is."""
    if round_.is_in(kind) or (team is not None and longer_for(round_, kind, team) is not None):
        return
    phase, label = round_.phase_of(kind), Phase.Kind(kind).label
    if phase is None:
        raise NotNowError(_("this round has no phase “%(phase)s”") % {"phase": label}, code="no-such-phase")
    if phase.starts_at > clock.now():
        raise NotNowError(_("the phase “%(phase)s” has not begun") % {"phase": label}, code="phase-not-begun")
    raise phase_over(kind)


def longer_for(round_: Round, kind: str, team: Team) -> Extension | None:
    """Return the extension that keeps a phase open for this team now, though it is over for the others.

    What follows from a phase ends it for everybody: data that cannot be attacked any more, results that are out.
    """
    now, anonymize = clock.now(), kind == Phase.Kind.ANONYMIZE
    if round_.has_ended(Phase.Kind.ATTACK) if anonymize else round_.has_begun(Phase.Kind.PUBLISHED):
        return None
    found = Extension.objects.filter(phase__round=round_, phase__kind=kind, team=team, until__gt=now)
    return found.filter(phase__ends_at__lte=now).first()


def phase_over(kind: str) -> NotNowError:
    """Return the refusal of what comes after a phase."""
    return NotNowError(_("the phase “%(phase)s” is over") % {"phase": Phase.Kind(kind).label}, code="phase-over")


def contests(viewer: Viewer) -> QuerySet[Contest]:
    """Return the contests this viewer may see: open ones, those of own teams and offices, for arena referees all."""
    if is_referee(viewer):
        return Contest.objects.all()
    seen = Q(is_open=True)
    if isinstance(viewer, Person):
        seen |= Q(teams__memberships__person=viewer) | Q(pk__in=_offices(viewer))
    return Contest.objects.filter(seen).distinct()


def run_contests(viewer: Viewer) -> QuerySet[Contest]:
    """Return the contests in which this viewer has an office."""
    return Contest.objects.all() if is_referee(viewer) else Contest.objects.filter(pk__in=_offices(viewer))


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
    if sees_all(viewer, contest):
        return everything
    found = membership(viewer, contest)
    return everything.none() if found is None else everything.filter(team=found.team)


def data_files(viewer: Viewer, round_: Round) -> QuerySet[DataFile]:
    """Return the files a round hands out to this viewer: common ones and the own team's, once the data is out.

    Ground truth among the data is handed out to nobody, not even to referees.
    """
    everything = DataFile.objects.filter(round=round_).exclude(blob__area=Blob.Area.TRUTH)
    if sees_all(viewer, round_.contest):
        return everything
    team, began = _own_team(viewer, round_.contest), round_.has_begun(Phase.Kind.ANONYMIZE)
    if team is None or not began:
        return everything.none()
    return everything.filter(Q(team=None) | Q(team=team))


def targets(viewer: Viewer, round_: Round) -> QuerySet[Target]:
    """Return the targets this viewer may attack or look at: those of other teams, once the attack phase has begun.

    Who still anonymizes, because that phase is longer for the own team, does not see what the others made.
    """
    ready = Target.objects.filter(round=round_, state="done")
    if sees_all(viewer, round_.contest):
        return Target.objects.filter(round=round_)
    team = _own_team(viewer, round_.contest)
    if team is None or not round_.has_begun(Phase.Kind.ATTACK):
        return ready.none()
    if longer_for(round_, Phase.Kind.ANONYMIZE, team) is not None:
        return ready.none()
    return ready.exclude(team=team)


def files_of_targets(viewer: Viewer, round_: Round) -> QuerySet[TargetFile]:
    """Return the published files of all targets this viewer may see; never the truth, not even for referees."""
    seen = TargetFile.objects.filter(target__in=targets(viewer, round_)).exclude(blob__area=Blob.Area.TRUTH)
    if sees_all(viewer, round_.contest):
        return seen
    return seen.filter(Q(team=None) | Q(team=_own_team(viewer, round_.contest)))


def target_files(viewer: Viewer, target: Target) -> QuerySet[TargetFile]:
    """Return the published files of a target for this viewer."""
    return files_of_targets(viewer, target.round).filter(target=target)
