"""A small world for server tests: persons, contests in any phase, teams, data and files that are valid or not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.core.files.base import ContentFile
from django.utils import timezone

from tokumei_arena.models import Blob, Contest, DataFile, Membership, Person, Phase, Round, Submission, Team
from tokumei_arena.records.storage import put_bytes
from tokumei_arena.work import intake

__all__ = [
    "CUSTOMERS",
    "GOOD_A",
    "PASSWORD",
    "T",
    "guesses",
    "hand_in",
    "make_contest",
    "make_person",
    "make_team",
    "move_to",
    "pseudonym",
    "upload",
]

PASSWORD = "correct horse battery"
# Fewer than seven right guesses never show a 2018 release unsafe.
CUSTOMERS = [str(12345 + 10 * i) for i in range(8)]
_ROWS = [
    (customer, f"2011/{1 + 2 * day}/{3 + position}", f"{20000 + 7 * day}", f"{1 + position}.5", str(1 + day))
    for position, customer in enumerate(CUSTOMERS)
    for day in range(3)
]


def pseudonym(customer: str) -> str:
    """Return the name of a customer in GOOD_A."""
    return str(int(customer) % 997)


T = "".join(",".join(row) + "\n" for row in _ROWS).encode()
# Every customer renamed, everything else unchanged: valid, and easy to re-identify.
GOOD_A = "".join(",".join((pseudonym(row[0]), *row[1:])) + "\n" for row in _ROWS).encode()
ORDER = list(Phase.Kind)
LENGTH = timedelta(hours=1)


def make_person(name: str, *, referee: bool = False, verified: bool = True) -> Person:
    """Return a person with a verified address."""
    email = f"{name.lower().replace(' ', '.')}@example.org"
    person = Person.objects.create_user(email, PASSWORD, name=name, is_referee=referee)
    EmailAddress.objects.create(user=person, email=email, verified=verified, primary=True)
    return person


def move_to(round_: Round, phase: str | None) -> None:
    """Set the times of all phases so that this one is on now; None: nothing has begun."""
    now = timezone.now()
    on = len(ORDER) if phase is None else ORDER.index(Phase.Kind(phase))
    for position, kind in enumerate(ORDER):
        starts = now + (position - on) * LENGTH - timedelta(minutes=1)
        if phase is None:
            starts = now + timedelta(days=1) + position * LENGTH
        ends = None if kind == Phase.Kind.PUBLISHED else starts + LENGTH
        Phase.objects.update_or_create(round=round_, kind=kind, defaults={"starts_at": starts, "ends_at": ends})
    # Phases may have been prefetched.
    getattr(round_, "_prefetched_objects_cache", {}).clear()


def make_contest(
    phase: str | None = "anonymize",
    *,
    rule_set: str = "pws2018",
    kinds: tuple[str, ...] = ("final",),
    blind: bool = True,
    **fields: Any,
) -> Contest:
    """Return an open contest whose rounds are all in this phase, with the small T as common data."""
    number = Contest.objects.count() + 1
    values = {"slug": f"cup-{number}", "name": f"Cup {number}", "is_open": True, "terms": "Be fair.", **fields}
    contest = Contest.objects.create(rule_set=rule_set, **values)
    for position, kind in enumerate(kinds):
        round_ = Round.objects.create(contest=contest, kind=kind, position=position, blind=blind)
        move_to(round_, phase)
        if rule_set == "pws2018":
            DataFile.objects.create(round=round_, name="T", blob=put_bytes(Blob.Area.DATA, "T.csv", T))
    return contest


def make_team(contest: Contest, name: str, *, approved: bool = True) -> tuple[Team, Person]:
    """Return a team with its captain; terms are accepted."""
    now = timezone.now()
    number = contest.teams.count() + 1
    team = Team.objects.create(contest=contest, name=name, number=number, approved_at=now if approved else None)
    captain = make_person(f"{name} Captain {contest.slug}")
    Membership.objects.create(
        contest=contest, team=team, person=captain, role=Membership.Role.CAPTAIN, terms_accepted_at=now
    )
    return team, captain


def upload(data: bytes, name: str = "A.csv") -> ContentFile[bytes]:
    """Return bytes as an uploaded file."""
    return ContentFile(data, name=name)


def hand_in(captain: Person, round_: Round, data: bytes = GOOD_A) -> Submission:
    """Hand in a release."""
    return intake.submit_release(captain, round_, upload(data), name="A.csv")


def guesses(right: int = 8) -> bytes:
    """Return guesses about GOOD_A of which the first ``right`` are right; all eight show it unsafe."""
    count = len(CUSTOMERS)
    named = [CUSTOMERS[i] if i < right else CUSTOMERS[(i + 1) % count] for i in range(count)]
    return "".join(f"{pseudonym(true)},{said}\n" for true, said in zip(CUSTOMERS, named, strict=True)).encode()
