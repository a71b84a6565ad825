"""Leases: who holds one works, also while files are copied; who lost one changes nothing."""

from __future__ import annotations

import time
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from tests.arena import world
from tests.arena.pending import run_pending
from tokumei_arena.models import Blob, Contest, Evaluation, LogEntry, Person, Submission, Target, TargetFile
from tokumei_arena.records import storage
from tokumei_arena.work import evaluation, leases, results
from tokumei_arena.work.sandbox import Outcome

pytestmark = [pytest.mark.django_db, pytest.mark.database]

RESULT: dict[str, Any] = {"valid": True, "figures": {"U": 0.5}, "findings": [], "finding_count": 0}
LEASE_SECONDS = 1


def two_teams(limit: int | None = None) -> tuple[Contest, Person, Person]:
    """Return a contest with the captains of two teams."""
    contest = world.make_contest()
    contest.rounds.update(release_limit=limit)
    alpha, beta = (world.make_team(contest, name)[1] for name in ("Alpha", "Beta"))
    return contest, alpha, beta


def test_an_expired_lease_is_taken_over_and_the_first_worker_is_fenced_off() -> None:
    contest, alpha, _beta = two_teams()
    submission = world.hand_in(alpha, contest.rounds.get())
    (first,) = evaluation.claim_work()
    assert evaluation.claim_work() == []
    assert evaluation.heartbeat(first)
    Submission.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    (second,) = evaluation.claim_work()
    assert second.lease != first.lease
    assert not evaluation.heartbeat(first)
    assert not results.finish(first.rows[0], first.lease, {**RESULT, "valid": False}, {}, "v")
    assert not results.fail(first.rows[0], first.lease, "error")
    assert Evaluation.objects.count() == 0
    assert results.finish(second.rows[0], second.lease, RESULT, {}, "v")
    assert not results.finish(second.rows[0], second.lease, RESULT, {}, "v")
    submission.refresh_from_db()
    assert (submission.state, submission.verdict, submission.runs, submission.lease) == ("done", "valid", 2, None)
    assert LogEntry.objects.filter(action="evaluation.finish").count() == 1


def test_leases_are_given_back_only_by_their_holder() -> None:
    contest, alpha, _beta = two_teams()
    world.hand_in(alpha, contest.rounds.get())
    (job,) = evaluation.claim_work()
    leases.give_back(job.rows, uuid.uuid4(), uncounted=True)
    assert Submission.objects.get().state == "running"
    leases.give_back(job.rows, job.lease, uncounted=True)
    assert Submission.objects.get().state == "queued"


@pytest.fixture
def expired(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Make leases short; return what every heartbeat found: whether another could have come first."""
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "lease_seconds": LEASE_SECONDS}
    extend, found = leases.extend, []

    def looked(model: Any, lease: uuid.UUID) -> bool:
        found.append(leases.available(model.objects.all(), timezone.now()).exists())
        return extend(model, lease)

    monkeypatch.setattr(leases, "extend", looked)
    return found


@pytest.mark.half_second
def test_a_copy_longer_than_the_lease_keeps_the_lease(expired: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    contest, alpha, _beta = two_teams()
    submission = world.hand_in(alpha, contest.rounds.get())

    def slow(blob: Blob, path: Path) -> None:
        if path.name == "upload":
            time.sleep(1.4 * LEASE_SECONDS)
        storage.copy_to(blob, path)

    monkeypatch.setattr(evaluation, "copy_to", slow)
    assert run_pending() == 1
    submission.refresh_from_db()
    assert (submission.state, submission.verdict, submission.runs) == ("done", "valid", 1)
    assert len(expired) >= 3
    assert not any(expired)


@pytest.mark.half_second
def test_the_lease_is_kept_while_published_files_are_stored(
    expired: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    contest, alpha, _beta = two_teams()
    round_ = contest.rounds.get()
    world.hand_in(alpha, round_)
    run_pending()
    world.move_to(round_, "attack")

    def slow(area: Blob.Area, file: Any) -> storage.Stored:
        time.sleep(1.4 * LEASE_SECONDS)
        return storage.store(area, file)

    monkeypatch.setattr(evaluation, "store", slow)
    before = len(expired)
    run_pending()
    assert (Target.objects.get().state, Target.objects.get().runs) == ("done", 1)
    assert len(expired) >= before + 3
    assert not any(expired)


@pytest.mark.half_second
def test_a_lease_that_is_lost_while_copying_starts_no_process(
    expired: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    contest, alpha, _beta = two_teams()
    world.hand_in(alpha, contest.rounds.get())
    (job,) = evaluation.claim_work()
    taken = uuid.uuid4()
    Submission.objects.update(lease=taken)
    monkeypatch.setattr(evaluation, "copy_to", lambda *_: time.sleep(LEASE_SECONDS / 2))
    monkeypatch.setattr(evaluation, "run_child", lambda *_a, **_k: pytest.fail("a process was started"))
    evaluation.run_job(job)
    assert (Submission.objects.get().lease, Submission.objects.get().state) == (taken, "running")
    assert expired == [False]


@pytest.mark.half_second
def test_files_of_a_target_that_another_worker_has_are_not_kept(tmp_path: Path) -> None:
    contest, alpha, _beta = two_teams()
    round_ = contest.rounds.get()
    world.hand_in(alpha, round_)
    run_pending()
    world.move_to(round_, "attack")
    run_pending()
    target = Target.objects.get()
    before = set(Blob.objects.values_list("pk", flat=True))
    (tmp_path / "0").write_bytes(b"x")
    listed = [{"area": "published", "team": "", "name": "A1", "path": "0"}]
    assert not results.open_target(target, uuid.uuid4(), tmp_path, listed)
    assert set(Blob.objects.values_list("pk", flat=True)) == before
    assert TargetFile.objects.get(target=target, name="A1").blob.size == len(world.GOOD_A)


def test_a_worker_that_dies_while_copying_leaves_work_that_another_does(monkeypatch: pytest.MonkeyPatch) -> None:
    contest, alpha, _beta = two_teams()
    submission = world.hand_in(alpha, contest.rounds.get())

    def broken(_blob: Blob, _path: Path) -> None:
        raise ConnectionError

    monkeypatch.setattr(evaluation, "copy_to", broken)
    monkeypatch.setattr(evaluation, "run_child", lambda *_a, **_k: Outcome(None, "crashed"))
    assert evaluation.work_once() == 1
    submission.refresh_from_db()
    assert (submission.state, submission.runs, submission.lease) == ("queued", 1, None)
