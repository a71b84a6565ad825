"""Lists of the API ask the database as often for many rows as for a few."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.arena import world
from tests.arena.test_api import Caller
from tokumei_arena.models import Blob, Contest, Evaluation, Person, Submission, Target, TargetFile
from tokumei_arena.records.storage import put_bytes
from tokumei_arena.work import intake

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LISTS = ("/submissions", "/rounds/final/targets", "/questions")


def _played(teams: int) -> tuple[Contest, Person]:
    """Return a contest in which these many teams handed in, asked, and are attacked by the first one."""
    contest = world.make_contest()
    round_ = contest.rounds.get()
    captains = [world.make_team(contest, f"Team {number}")[1] for number in range(teams)]
    releases = [world.hand_in(captain, round_) for captain in captains]
    for _ in releases:
        world.hand_in(captains[0], round_)
        Submission.objects.update(state="done")
        contest.clarifications.create(team=releases[0].team, question="Why?")
    for made in releases:
        alias = f"Stone {made.team.number}"
        target = Target.objects.create(round=round_, team=made.team, submission=made, alias=alias, state="done")
        TargetFile.objects.create(target=target, name="A1", blob=put_bytes(Blob.Area.PUBLISHED, "A1.csv", b"1\n"))
        TargetFile.objects.create(target=target, name="EA", blob=put_bytes(Blob.Area.TRUTH, "EA.csv", b"1\n"))
    for one in Submission.objects.filter(round=round_):
        one.evaluation = Evaluation.objects.create(
            submission=one, rule_set="pws2018", rule_version="1", inputs={}, valid=True, fingerprint="f"
        )
        one.state, one.verdict = "done", "valid"
        one.save()
    world.move_to(round_, "attack")
    return contest, captains[0]


def _queries(caller: Caller, contest: Contest, path: str, teams: int) -> int:
    """Return how often a list asks; of two calls one may meet what is done once a minute (counters of rates)."""
    with CaptureQueriesContext(connection) as asked:
        assert len(caller.get(f"/contests/{contest.slug}{path}")) >= teams - 1
    return len(asked)


@pytest.mark.half_second
def test_long_lists_ask_as_often_as_short_ones() -> None:
    counts = []
    for teams in (2, 6):
        contest, captain = _played(teams)
        caller = Caller(captain)
        caller.get("/me")
        counts += [min(_queries(caller, contest, path, teams) for _ in range(2)) for path in LISTS]
    assert counts[: len(LISTS)] == counts[len(LISTS) :]


def test_targets_are_listed_with_their_own_files_and_tries() -> None:
    contest, captain = _played(3)
    contest.rounds.update(attack_limit=2)
    first, second = Target.objects.exclude(team__memberships__person=captain).order_by("alias")
    intake.submit_guesses(captain, first, world.upload(world.guesses()), name="F.csv")
    place = f"/contests/{contest.slug}/rounds/final/targets"
    listed = Caller(captain).get(place)
    assert [(one["alias"], one["tries_left"]) for one in listed] == [("Stone 2", 1), ("Stone 3", 2)]
    assert [[file["name"] for file in one["files"]] for one in listed] == [["Stone-2-A1.csv"], ["Stone-3-A1.csv"]]
    assert Caller(captain).get(f"{place}/{second.pk}") == listed[1]
    chosen = Submission.objects.filter(team=first.team).get()
    assert [one["chosen"] for one in Caller(captain).get(f"/contests/{contest.slug}/submissions")] == [False] * 5
    contest.rounds.get().choices.create(team=first.team, submission=chosen)
    other = first.team.memberships.get().person
    assert [one["chosen"] for one in Caller(other).get(f"/contests/{contest.slug}/submissions")] == [True]
