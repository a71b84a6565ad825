"""What programs send: texts that fit, moments with a zone, plans that can be carried out; and who may be in a team."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.cache import caches
from django.utils import timezone

from tests.arena import world
from tests.arena.test_api import Caller
from tokumei_arena import teams
from tokumei_arena.contests import notices
from tokumei_arena.errors import NotAllowedError, RefusedError
from tokumei_arena.models import Contest, Message, OneTimeLink, Phase, Team
from tokumei_arena.records import archive
from tokumei_arena.work import intake

pytestmark = pytest.mark.django_db
KINDS = list(Phase.Kind)


@pytest.fixture(autouse=True)
def _nothing_counted_before() -> None:
    for name in ("default", "pages"):
        caches[name].clear()


def _error(document: dict[str, Any]) -> tuple[str, str]:
    return document["error"]["code"], document["error"]["message"]


@pytest.mark.database
def test_names_of_teams_fit_whoever_sends_them() -> None:
    contest = world.make_contest("registration", terms="")
    ann = Caller(world.make_person("Ann"))
    path = f"/contests/{contest.slug}/teams"
    long = _error(ann.post(path, {"name": "x" * 61}, 400))
    assert long == ("long-name", "the name is longer than 60 characters; shorten it")
    long = _error(ann.post(path, {"name": "Alpha", "affiliation": "x" * 121}, 400))
    assert long == ("long-affiliation", "the affiliation is longer than 120 characters; shorten it")
    assert ann.post(path, {"name": "x" * 60, "affiliation": "y" * 120}, 201)["team"]["name"] == "x" * 60
    team = Team.objects.get()
    captain = team.memberships.get().person
    with pytest.raises(RefusedError, match="the name is longer than 60 characters"):
        teams.edit_team(team, by=captain, name="z" * 61, affiliation="")


def test_a_captain_cannot_flood_others_with_mail(settings: LazySettings) -> None:
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "invitations_per_hour": 3}
    contest = world.make_contest("registration")
    team, captain = world.make_team(contest, "Alpha")
    caller = Caller(captain)
    path = f"/contests/{contest.slug}/team/invitations"
    assert _error(caller.post(path, {"email": "nobody"}, 400)) == ("bad-address", "write a complete e-mail address")
    for number in range(3):
        teams.invite(team, captain, email=f"v{number}@example.org")
        teams.revoke_invitation(OneTimeLink.objects.get(), by=captain)
    assert _error(caller.post(path, {"email": "v@example.org"}, 429))[0] == "rate-limit"
    assert Message.objects.count() == 0
    # Links that nobody is sent are free.
    assert caller.post(path, {}, 201)["token"]


def test_who_was_a_referee_of_a_contest_cannot_play_in_it() -> None:
    ann, bob = (world.make_person(name, referee=True) for name in ("Ann", "Bob"))
    contest = world.make_contest("registration", terms="")
    team, captain = world.make_team(contest, "Alpha")
    teams.resign_as_referee(ann, by=bob)
    refused = "you were a referee of this contest and could see everything, so you cannot be in a team of it"
    with pytest.raises(NotAllowedError, match=refused):
        teams.create_team(ann, contest, name="Beta")
    with pytest.raises(NotAllowedError, match=refused):
        teams.accept_invitation(teams.invite(team, captain), ann)
    later = world.make_contest("registration", terms="")
    assert teams.create_team(ann, later, name="Beta").memberships.get().person == ann


def _plan(**fields: Any) -> dict[str, Any]:
    starts = {kind: (timezone.now() + timedelta(days=day)).isoformat() for day, kind in enumerate(KINDS)}
    rounds = [{"kind": "final", "weight": "1", "starts": starts, **fields.pop("round", {})}]
    return {"name": "Spring Cup", "rule_set": "pws2018", "rounds": fields.pop("rounds", rounds), **fields}


@pytest.mark.parametrize(
    ("wrong", "status", "code", "message"),
    [
        (
            {"slug": "a/b"},
            400,
            "bad-slug",
            "the short name “a/b” cannot be used; write letters, digits and hyphens, at most 40",
        ),
        ({"slug": "x" * 41}, 400, "bad-slug", ""),
        (
            {"round": {"kind": "semifinal"}},
            400,
            "round-kind",
            (
                "a contest has rounds of these kinds, each once or with numbers from 2 on (“preliminary-2”): "
                "practice, preliminary, final"
            ),
        ),
        ({"round": {"starts": {}}}, 400, "phase-missing", "say when the phase “registration” begins"),
        ({"round": {"starts": {"attack": "2026-11-16T12:00:00"}}}, 422, "bad-field", ""),
        ({"round": {"attack_limit": -1}}, 422, "bad-field", ""),
        ({"team_size": 10**9}, 422, "bad-field", ""),
        ({"name": "x" * 121}, 422, "bad-field", ""),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(
    wrong: dict[str, Any], status: int, code: str, message: str
) -> None:
    referee = Caller(world.make_person("Ref", referee=True))
    found = _error(referee.post("/contests", _plan(**wrong), status))
    assert found[0] == code
    assert found[1] == message or not message
    assert not Contest.objects.exists()


def test_a_moment_without_a_zone_is_refused() -> None:
    contest = world.make_contest()
    referee = Caller(world.make_person("Ref", referee=True))
    body = {"until": "2099-01-01T00:00:00", "reason": "power cut"}
    path = f"/contests/{contest.slug}/rounds/final/phases/anonymize/extend"
    code, message = _error(referee.post(path, body, 422))
    assert code == "bad-field"
    assert "timezone" in message
    body["until"] += "+09:00"
    phases = referee.post(path, body)["phases"]
    assert next(one["ends_at"] for one in phases if one["kind"] == "anonymize") == "2098-12-31T15:00:00Z"


@pytest.mark.database
def test_an_archive_is_not_imported_under_a_name_that_no_address_takes(tmp_path: Path, settings: LazySettings) -> None:
    settings.ARENA_ROLE = "worker"
    contest = world.make_contest()
    archive.export_contest(contest, tmp_path / "cup.zip")
    Contest.objects.all().delete()
    with pytest.raises(RefusedError, match="the short name “spring cup” cannot be used"):
        archive.import_contest(tmp_path / "cup.zip", slug="spring cup")
    assert not Contest.objects.exists()


@pytest.mark.database
def test_texts_are_kept_without_nul() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    assert notices.ask_referees(captain, contest, "Why\0?\0").question == "Why?"
    round_ = contest.rounds.get()
    made = intake.submit_release(captain, round_, world.upload(world.GOOD_A), name="A.csv", note="a\0b")
    assert made.note == "ab"
