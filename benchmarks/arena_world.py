"""A contest of 2018 for measurements: thirty teams, their files, and viewers that are signed in.

Makes rows beside a running server, in its database; call ``django_ready`` first.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import numpy as np
import polars as pl
from django.test import Client
from django.utils import timezone

from benchmarks.inputs import SEED
from tokumei_arena.client import ArenaClient
from tokumei_arena.models import Blob, Contest, DataFile, Membership, Person, Phase, Round, Submission, Target, Team
from tokumei_arena.records.storage import put_bytes
from tokumei_arena.teams import links

__all__ = ["Contender", "make_contest", "move_to", "pending", "session", "write_guesses", "write_release"]

SCOPES = ("read", "submit", "attack")
KINDS = list(Phase.Kind)


@dataclass(frozen=True, slots=True)
class Contender:
    """A team with its captain and a client with the captain's token."""

    team: Team
    captain: Person
    client: ArenaClient


def make_contest(url: str, table: Path, teams: int) -> tuple[Round, list[Contender]]:
    """Make an open contest with one round on this T, and the teams."""
    contest = Contest.objects.create(slug="load", name="Load Cup", rule_set="pws2018", is_open=True, terms="-")
    round_ = Round.objects.create(contest=contest, kind=Round.Kind.FINAL, position=0, release_limit=3, attack_limit=1)
    DataFile.objects.create(round=round_, name="T", blob=put_bytes(Blob.Area.DATA, "T.csv", table.read_bytes()))
    move_to(round_, Phase.Kind.ANONYMIZE)
    return round_, [_contender(url, contest, number) for number in range(teams)]


def _contender(url: str, contest: Contest, number: int) -> Contender:
    now = timezone.now()
    team = Team.objects.create(contest=contest, name=f"Team {number:02d}", number=number + 1, approved_at=now)
    captain = Person.objects.create_user(f"captain{number}@example.org", None, name=f"Captain {number}")
    Membership.objects.create(
        contest=contest, team=team, person=captain, role=Membership.Role.CAPTAIN, terms_accepted_at=now
    )
    _token, text = links.make_token(captain, name="load", scopes=SCOPES, lasts=timedelta(days=1))
    return Contender(team, captain, ArenaClient(url, text))


def move_to(round_: Round, phase: str) -> None:
    """Set the times of all phases so that this one is on."""
    on, now, hour = KINDS.index(Phase.Kind(phase)), timezone.now(), timedelta(hours=1)
    for position, kind in enumerate(KINDS):
        starts = now + (position - on) * hour - timedelta(seconds=1)
        ends = None if kind == Phase.Kind.PUBLISHED else starts + hour
        Phase.objects.update_or_create(round=round_, kind=kind, defaults={"starts_at": starts, "ends_at": ends})


def _pseudonyms(count: int, number: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.random.default_rng([SEED, number]).permutation(count) + 100_001


def write_release(table: Path, number: int, path: Path) -> Path:
    """Write T with other names for the customers: about as long as T, valid, and the longest to check."""
    frame = pl.read_csv(table, has_header=False, infer_schema=False)
    column = frame.to_series(0)
    customers = column.unique().sort()
    names = pl.Series(_pseudonyms(len(customers), number)).cast(pl.String)
    frame.with_columns(column.replace_strict(customers, names)).write_csv(path, include_header=False)
    return path


def write_guesses(table: Path, owner: int, attacker: int, path: Path) -> Path:
    """Write a guess for every pseudonym of a release, a fifth of them right."""
    customers = pl.read_csv(table, has_header=False, infer_schema=False, columns=[0]).to_series(0).unique().sort()
    rng = np.random.default_rng([SEED, owner, attacker])
    count = len(customers)
    guess = np.where(rng.random(count) < 0.2, np.arange(count), rng.integers(count, size=count))
    pl.DataFrame({"pseudonym": _pseudonyms(count, owner), "customer": customers.gather(guess)}).write_csv(
        path, include_header=False
    )
    return path


def session(person: Person) -> dict[str, str]:
    """Return the cookies of somebody who is signed in."""
    client = Client()
    client.force_login(person, "allauth.account.auth_backends.AuthenticationBackend")
    return {"csrftoken": secrets.token_hex(16), **{name: one.value for name, one in client.cookies.items()}}


def pending(round_: Round) -> int:
    """Return how many rows wait for a worker; what fails or is invalid is an error of the measurement."""
    broken = Submission.objects.filter(round=round_, verdict="invalid").exists()
    if broken or any(kind.objects.filter(round=round_, state="failed").exists() for kind in (Submission, Target)):
        message = "something that was handed in could not be evaluated"
        raise RuntimeError(message)
    waiting = ("queued", "running")
    return sum(kind.objects.filter(round=round_, state__in=waiting).count() for kind in (Submission, Target))
