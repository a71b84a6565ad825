"""Fair shares: few files of a team wait, teams take turns, stored bytes have a limit, invalid files make one wait."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from tests.arena import world
from tests.arena.playing import evaluate, sign_in, text_of
from tokumei_arena import clock
from tokumei_arena.errors import TooManyError
from tokumei_arena.models import Contest, Person, Submission, Team
from tokumei_arena.records.storage import open_blob
from tokumei_arena.work import evaluation, intake, leases, leftovers

pytestmark = [pytest.mark.django_db, pytest.mark.database]
INVALID: list[dict[str, Any]] = [{"code": "x", "message": {"en": "wrong", "ja": "wrong"}}]


@pytest.fixture
def contest() -> Contest:
    """Return a contest in anonymization."""
    return world.make_contest()


def captain(contest: Contest, name: str) -> Person:
    """Return the captain of a new team."""
    return world.make_team(contest, name)[1]


def test_few_files_of_a_team_wait_at_once(contest: Contest) -> None:
    greedy, round_ = captain(contest, "Greedy"), contest.rounds.get()
    first, *_others = [world.hand_in(greedy, round_) for _file in range(3)]
    with pytest.raises(TooManyError, match="3 files of your team are still being evaluated; hand in the next one when"):
        world.hand_in(greedy, round_)
    evaluate(first, U=0.5)
    world.hand_in(greedy, round_)
    # A refused file is not kept.
    assert Submission.objects.count() == 4


def test_teams_take_turns_and_one_release_of_each_is_evaluated_at_a_time(
    contest: Contest, settings: LazySettings
) -> None:
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "pending_files": 100}
    round_, greedy, rival = contest.rounds.get(), captain(contest, "Greedy"), captain(contest, "Rival")
    for _file in range(45):
        world.hand_in(greedy, round_)
    (running,) = evaluation.claim_work(2)
    world.hand_in(rival, round_)
    (second,) = evaluation.claim_work(2)
    assert [row.team.name for job in (running, second) for row in job.rows if isinstance(row, Submission)] == [
        "Greedy",
        "Rival",
    ]
    assert evaluation.claim_work(2) == []
    leases.give_back(running.rows, running.lease, uncounted=True)
    leases.give_back(second.rows, second.lease, uncounted=True)
    # Whose turn was longest ago comes first, whoever came first.
    Team.objects.filter(name="Rival").update(served_at=timezone.now() - timedelta(hours=1))
    (third,) = evaluation.claim_work(1)
    assert [row.team.name for row in third.rows if isinstance(row, Submission)] == ["Rival"]


def test_what_a_team_stores_has_a_limit(contest: Contest, settings: LazySettings) -> None:
    round_, greedy = contest.rounds.get(), captain(contest, "Greedy")
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "team_bytes": 2 * len(world.GOOD_A) + 10}
    for _file in range(2):
        evaluate(world.hand_in(greedy, round_), U=0.5)
    with pytest.raises(TooManyError, match="the files of your team have 0 MB in this round, which is the limit"):
        world.hand_in(greedy, round_)
    world.hand_in(captain(contest, "Rival"), round_)


def test_who_hands_in_invalid_files_waits_longer_each_time(contest: Contest, monkeypatch: pytest.MonkeyPatch) -> None:
    round_, hasty, now = contest.rounds.get(), captain(contest, "Hasty"), timezone.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    for _file in range(8):
        evaluate(intake.submit_release(hasty, round_, world.upload(b"1\n"), name="A.csv"), findings=INVALID)
        now += timedelta(seconds=30)
    evaluate(intake.submit_release(hasty, round_, world.upload(b"1\n"), name="A.csv"), findings=INVALID)
    with pytest.raises(TooManyError, match=r"9 files of the last half hour were invalid; try again in 17 seconds"):
        world.hand_in(hasty, round_)
    world.hand_in(captain(contest, "Rival"), round_)
    now += timedelta(seconds=17)
    world.hand_in(hasty, round_)


def test_invalid_files_are_kept_for_some_time_only(contest: Contest) -> None:
    round_, who = contest.rounds.get(), captain(contest, "Alpha")
    wrong, right = world.hand_in(who, round_, b"1\n"), world.hand_in(who, round_)
    evaluate(wrong, findings=INVALID)
    evaluate(right, U=0.5)
    Submission.objects.update(received_at=timezone.now() - timedelta(days=29))
    assert leftovers.remove_old_uploads() == 0
    Submission.objects.update(received_at=timezone.now() - timedelta(days=31))
    key = wrong.blob.key
    assert leftovers.remove_old_uploads() == 1
    assert leftovers.remove_old_uploads() == 0
    wrong.blob.refresh_from_db()
    assert (wrong.blob.size, wrong.blob.key == key) == (0, False)
    with open_blob(right.blob) as file:
        assert file.read() == world.GOOD_A
    client: Client = sign_in(who)
    page = client.get(f"/c/{contest.slug}/submissions/{wrong.pk}/file/", follow=True)
    assert "the file was removed on" in text_of(page), page.status_code
