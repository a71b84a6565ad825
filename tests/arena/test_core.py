"""Phases, submissions, tries, access and the log."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone

from tests.arena import world
from tokumei_arena import access
from tokumei_arena.contests import phases
from tokumei_arena.errors import NotAllowedError, NotNowError, RefusedError, TooManyError
from tokumei_arena.models import Attempt, Blob, DataFile, LogEntry, Person, Phase, Round, Submission, Target
from tokumei_arena.records import logbook
from tokumei_arena.records.storage import TruthClosedError, open_blob, put_bytes, put_file
from tokumei_arena.teams import registration_open
from tokumei_arena.work import intake, targets
from tokumei_arena.work.targets import make_due_targets

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def _on(round_: Round, at: datetime | None = None) -> str | None:
    phase = round_.current_phase(at=at)
    return None if phase is None else phase.kind


def _phase(round_: Round, kind: str) -> Phase:
    found = round_.phase_of(kind)
    assert found is not None
    return found


def test_phase_follows_the_clock() -> None:
    round_ = world.make_contest("attack").rounds.get()
    now = timezone.now()
    assert _on(round_) == "attack"
    assert _on(round_, at=now - timedelta(hours=1)) == "anonymize"
    assert _on(round_, at=now + timedelta(days=9)) == "published"
    assert _on(round_, at=now - timedelta(days=9)) is None


def test_extending_a_phase_pushes_later_ones_back_and_is_logged() -> None:
    round_ = world.make_contest("anonymize").rounds.get()
    referee = world.make_person("Ref", referee=True)
    phase = _phase(round_, "anonymize")
    attack = _phase(round_, "attack").starts_at
    assert phase.ends_at is not None
    phases.extend_phase(phase, phase.ends_at + timedelta(minutes=30), by=referee, reason="power cut")
    round_.refresh_from_db()
    assert _phase(round_, "attack").starts_at == attack + timedelta(minutes=30)
    entry = LogEntry.objects.get(action="phase.extend")
    assert (entry.action, entry.detail["reason"], entry.actor) == ("phase.extend", "power cut", str(referee.pk))
    with pytest.raises(RefusedError, match="say why"):
        phases.close_phase(phase, by=referee, reason=" ")


def test_registration_opened_again_moves_nothing_that_has_begun() -> None:
    contest = world.make_contest("attack")
    round_, referee = contest.rounds.get(), world.make_person("Ref", referee=True)
    before = {one.kind: (one.starts_at, one.ends_at) for one in round_.phases.all()}
    again = _phase(round_, "registration")
    phases.extend_phase(again, timezone.now() + timedelta(minutes=20), by=referee, reason="two more teams")
    round_.refresh_from_db()
    after = {one.kind: (one.starts_at, one.ends_at) for one in round_.phases.all()}
    assert {kind for kind in before if before[kind] != after[kind]} == {"registration"}
    assert _on(round_) == "attack"
    assert registration_open(contest)
    phases.close_phase(_phase(round_, "registration"), by=referee, reason="they are in")
    assert not registration_open(contest)
    assert _on(round_) == "attack"
    world.move_to(round_, "scoring")
    with pytest.raises(NotNowError, match="the phase “scoring” has begun and is never moved"):
        phases.extend_phase(_phase(round_, "attack"), timezone.now() + timedelta(hours=1), by=referee, reason="late")


@pytest.mark.parametrize("following", phases.Following)
def test_a_longer_round_asks_about_the_next(following: phases.Following) -> None:
    contest = world.make_contest("anonymize", kinds=("preliminary", "final"))
    first, final = contest.rounds.order_by("position")
    for one in final.phases.all():
        one.starts_at += timedelta(hours=3)
        one.ends_at = one.ends_at and one.ends_at + timedelta(hours=3)
        one.save()
    phase, attack = _phase(first, "anonymize"), _phase(final, "attack").starts_at
    assert phase.ends_at is not None
    later, who = phase.ends_at + timedelta(minutes=30), world.make_person("Ref", referee=True)
    if following is phases.Following.ASK:
        with pytest.raises(RefusedError, match="the final round would begin before the results are out; say whether"):
            phases.extend_phase(phase, later, by=who, reason="storm")
        assert _phase(first, "anonymize").ends_at == phase.ends_at
        return
    phases.extend_phase(phase, later, by=who, reason="storm", following=following)
    moved = timedelta(minutes=30) if following is phases.Following.MOVE else timedelta(0)
    assert _phase(final, "attack").starts_at == attack + moved


def test_closing_a_phase_begins_the_next() -> None:
    round_ = world.make_contest("anonymize").rounds.get()
    phases.close_phase(_phase(round_, "anonymize"), by=world.make_person("Ref", referee=True), reason="all are ready")
    assert _on(round_) == "attack"


def test_a_submission_is_stored_before_it_is_judged() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    submission = world.hand_in(captain, contest.rounds.get())
    assert (submission.state, submission.verdict) == ("queued", "")
    with open_blob(submission.blob) as file:
        assert file.read() == world.GOOD_A
    assert LogEntry.objects.get(action="submit.release").detail["sha256"] == submission.blob.sha256
    again = intake.submit_release(captain, submission.round, world.upload(b"x,1\n"), name="A.csv", client_key="same")
    assert intake.submit_release(captain, submission.round, world.upload(b"y"), name="A", client_key="same") == again


@pytest.mark.parametrize("phase", [None, "registration", "attack", "scoring", "published"])
def test_releases_are_taken_in_their_phase_only(phase: str | None) -> None:
    contest = world.make_contest(phase)
    _team, captain = world.make_team(contest, "Alpha")
    with pytest.raises(NotNowError, match="the phase “anonymization” (has not begun|is over)"):
        world.hand_in(captain, contest.rounds.get())


def _store_slowly(monkeypatch: pytest.MonkeyPatch, round_: Round) -> None:
    """Let the phase end, and whoever publishes come by, while an upload is being stored."""

    def slow(area: Blob.Area, name: str, file: Any) -> Blob:
        world.move_to(round_, "attack")
        make_due_targets(round_)
        return put_file(area, name, file)

    monkeypatch.setattr(intake, "put_file", slow)


def test_a_release_that_is_stored_after_all_were_published_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    _alpha, early = world.make_team(contest, "Alpha")
    _beta, late = world.make_team(contest, "Beta")
    world.hand_in(early, round_)
    Submission.objects.update(state="done", verdict="valid")
    _store_slowly(monkeypatch, round_)
    blobs = Blob.objects.count()
    with pytest.raises(NotNowError, match="the phase “anonymization” is over"):
        world.hand_in(late, round_)
    assert (Target.objects.count(), Submission.objects.count(), Blob.objects.count()) == (1, 1, blobs)


def test_a_release_that_came_in_time_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    _alpha, captain = world.make_team(contest, "Alpha")
    _beta, other = world.make_team(contest, "Beta")
    _store_slowly(monkeypatch, round_)
    first = world.hand_in(captain, round_)
    assert make_due_targets(round_) == []
    Submission.objects.update(state="done", verdict="valid")
    world.move_to(round_, "anonymize")
    monkeypatch.setattr(intake, "put_file", put_file)

    def begin() -> Any:
        world.hand_in(other, round_)
        return transaction.atomic()

    # It comes in between the first look and the lock.
    world.move_to(round_, "attack")
    monkeypatch.setattr(access, "need_phase", lambda *_: None)
    monkeypatch.setattr(targets, "transaction", SimpleNamespace(atomic=begin))
    assert make_due_targets(round_) == []
    monkeypatch.undo()
    Submission.objects.update(state="done", verdict="valid")
    made = make_due_targets(round_)
    assert {target.submission.team.name for target in made} == {"Alpha", "Beta"}
    assert first.pk in {target.submission_id for target in made}


def test_strangers_and_unapproved_teams_are_refused() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha", approved=False)
    with pytest.raises(NotAllowedError, match="your team is not approved yet"):
        world.hand_in(captain, contest.rounds.get())
    with pytest.raises(NotAllowedError, match="you are in no team of this contest"):
        world.hand_in(world.make_person("Stranger"), contest.rounds.get())


def _attack_world(limit: int = 1) -> tuple[Target, list[Person]]:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    round_.attack_limit = limit
    round_.save()
    captains = [world.make_team(contest, name)[1] for name in ("Alpha", "Beta")]
    for captain in captains:
        submission = world.hand_in(captain, round_)
        Submission.objects.filter(pk=submission.pk).update(state="done", verdict="valid")
    world.move_to(round_, "attack")
    made = make_due_targets(round_)
    assert make_due_targets(round_) == []
    assert len(made) == 2
    Target.objects.update(state="done")
    target = Target.objects.get(team__name="Alpha")
    return target, captains


def test_one_attempt_counts_and_an_uncounted_one_gives_its_try_back() -> None:
    target, (alpha, beta) = _attack_world()
    with pytest.raises(NotAllowedError, match="this is your own data"):
        intake.submit_guesses(alpha, target, world.upload(b"a,b\n"), name="F.csv")
    first = intake.submit_guesses(beta, target, world.upload(world.guesses()), name="F.csv")
    assert intake.remaining_tries(target.round, first.team, target) == 0
    with pytest.raises(TooManyError, match="still being evaluated"):
        intake.submit_guesses(beta, target, world.upload(b"a,b\n"), name="F.csv")
    intake.free_slot(first)
    second = intake.submit_guesses(beta, target, world.upload(b"a,b\n"), name="F.csv")
    Submission.objects.filter(pk=second.pk).update(state="done", verdict="valid")
    with pytest.raises(TooManyError, match="no tries are left"):
        intake.submit_guesses(beta, target, world.upload(b"a,b\n"), name="F.csv")
    assert Attempt.objects.count() == 1


def test_targets_are_seen_by_others_only() -> None:
    target, (alpha, beta) = _attack_world()
    assert not access.targets(alpha, target.round).filter(pk=target.pk).exists()
    assert access.targets(beta, target.round).filter(pk=target.pk).exists()
    assert not access.targets(AnonymousUser(), target.round).exists()


def test_truth_is_closed_to_web_processes(settings: LazySettings) -> None:
    blob = put_bytes(Blob.Area.TRUTH, "EA.csv", b"1\n")
    with pytest.raises(TruthClosedError, match="by workers only"), open_blob(blob):
        pass
    settings.ARENA_ROLE = "worker"
    with open_blob(blob) as file:
        assert file.read() == b"1\n"


def test_truth_among_the_data_of_a_round_is_listed_for_nobody() -> None:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    _team, captain = world.make_team(contest, "Alpha")
    DataFile.objects.create(round=round_, name="X", blob=put_bytes(Blob.Area.TRUTH, "X.csv", b"1\n"))
    for viewer in (captain, world.make_person("Ref", referee=True)):
        assert [file.name for file in access.data_files(viewer, round_)] == ["T"]


def test_a_changed_or_missing_log_entry_is_found() -> None:
    for number in range(3):
        logbook.record("test", n=number)
    assert logbook.verify() is None
    entries = list(LogEntry.objects.all())
    entries[1].detail = {"n": 7}
    assert logbook.verify(entries) == logbook.Broken(2, "entry 2 was changed")
    assert logbook.verify([entries[0], entries[2]]) == logbook.Broken(2, "entry 2 is missing")
    with pytest.raises(TypeError, match="never deleted"):
        entries[0].delete()
