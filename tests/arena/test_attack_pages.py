"""Pages of participants: targets, guesses, questions, and fifty submissions at the last try."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.arena import pages, world
from tests.arena.playing import evaluate, give, sign_in, text_of
from tokumei_arena.contests import notices
from tokumei_arena.errors import RefusedError, TooManyError
from tokumei_arena.models import (
    Attempt,
    Blob,
    Clarification,
    Contest,
    LogEntry,
    Person,
    Round,
    Submission,
    Target,
    TargetFile,
)
from tokumei_arena.records.storage import put_bytes
from tokumei_arena.work import intake
from tokumei_arena.work.targets import make_due_targets

pytestmark = pytest.mark.django_db
PLAIN, OF_ROUND = ("contest", "clarifications", "overall"), ("round", "targets", "board")


# Targets


@pytest.fixture
def attack() -> tuple[Contest, Target, Person, Person]:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    captains = [world.make_team(contest, name)[1] for name in ("Alpha", "Beta")]
    for captain in captains:
        evaluate(world.hand_in(captain, round_), U=0.5)
    world.move_to(round_, "attack")
    for one in make_due_targets(round_):
        blob = put_bytes(Blob.Area.PUBLISHED, "A1.csv", world.GOOD_A)
        TargetFile.objects.create(target=one, name="A1", blob=blob)
        TargetFile.objects.create(target=one, name="key", blob=put_bytes(Blob.Area.TRUTH, "key.csv", b"truth\n"))
    Target.objects.update(state="done")
    return contest, Target.objects.get(team__name="Alpha"), captains[0], captains[1]


@pytest.mark.half_second
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("phase", ["anonymize", "attack", "published"])
def test_every_page_keeps_to_the_content_security_policy(
    attack: tuple[Contest, Target, Person, Person], phase: str, language: str
) -> None:
    contest, target, _alpha, beta = attack
    world.move_to(target.round, phase)
    client = Client(headers={"accept-language": language})
    client.force_login(beta)
    own = Submission.objects.get(team__name="Beta")
    seen = [pages.check_page(client.get(reverse(name, args=[contest.slug]))) for name in PLAIN]
    seen += [pages.check_page(client.get(reverse(name, args=[contest.slug, "final"]))) for name in OF_ROUND]
    seen.append(pages.check_page(client.get(reverse("submission", args=[contest.slug, own.pk]))))
    if phase != "anonymize":
        seen.append(pages.check_page(client.get(reverse("target", args=[contest.slug, "final", target.pk]))))
    assert all(f'<html lang="{language}">' in page for page in seen)


def test_targets_show_alias_and_published_files_but_not_whose_they_are(
    attack: tuple[Contest, Target, Person, Person],
) -> None:
    contest, target, alpha, beta = attack
    listed = sign_in(beta).get(reverse("targets", args=[contest.slug, "final"])).content.decode()
    address = reverse("target", args=[contest.slug, "final", target.pk])
    assert target.alias in listed
    assert "1 of 1" in listed
    assert "Alpha" not in listed
    page = sign_in(beta).get(address).content.decode()
    assert "Alpha" not in page
    published, truth = (
        TargetFile.objects.get(target=target, name="A1"),
        TargetFile.objects.get(target=target, name="key"),
    )
    assert str(truth.pk) not in page
    files = [reverse("target_file", args=[contest.slug, "final", target.pk, one.pk]) for one in (published, truth)]
    answer = sign_in(beta).get(files[0])
    assert b"".join(answer.streaming_content) == world.GOOD_A  # type: ignore[attr-defined]
    assert answer["Content-Disposition"] == f'attachment; filename="{target.alias}-A1.csv"'
    assert sign_in(beta).get(files[1]).status_code == 404
    for stranger in (sign_in(alpha), Client(), sign_in(world.make_person("Nobody"))):
        assert stranger.get(address).status_code == 404
        assert stranger.post(address).status_code == 404
        assert stranger.get(files[0]).status_code == 404
    assert target.alias not in sign_in(alpha).get(reverse("targets", args=[contest.slug, "final"])).content.decode()


def test_guesses_are_handed_in_and_tries_counted_per_target(attack: tuple[Contest, Target, Person, Person]) -> None:
    contest, target, _alpha, beta = attack
    client, address = sign_in(beta), reverse("target", args=[contest.slug, "final", target.pk])
    answer = give(client, address, world.guesses(), "F1.csv")
    made = Submission.objects.get(kind="guesses")
    assert answer["Location"] == reverse("submission", args=[contest.slug, made.pk])
    again = give(client, address, b"1,2\n", "F1.csv")
    assert again.status_code == 429
    assert "A submission that may use your last try is still being evaluated; wait for it" in text_of(again)
    evaluate(made, hits=8, n=8, unsafe=True)
    page = client.get(address).content.decode()
    assert "Tries left: <strong>0</strong> of 1" in page
    assert 'type="file"' not in page
    assert "0 of 1" in client.get(reverse("targets", args=[contest.slug, "final"])).content.decode()
    own = client.get(answer["Location"])
    assert "Its figures are not told yet" in text_of(own)
    assert "unsafe" not in own.content.decode()
    world.move_to(target.round, "scoring")
    assert re.search(
        r'<td class="number">8</td>.*<td class="number">yes</td>',
        client.get(answer["Location"]).content.decode(),
        re.DOTALL,
    )


def test_nothing_can_be_attacked_before_its_time(attack: tuple[Contest, Target, Person, Person]) -> None:
    contest, target, _alpha, beta = attack
    world.move_to(target.round, "anonymize")
    assert sign_in(beta).get(reverse("target", args=[contest.slug, "final", target.pk])).status_code == 404
    page = sign_in(beta).get(reverse("targets", args=[contest.slug, "final"]))
    assert "The targets appear when the attack phase begins." in text_of(page)
    world.move_to(target.round, "scoring")
    late = give(sign_in(beta), reverse("target", args=[contest.slug, "final", target.pk]))
    assert late.status_code == 409
    assert "The phase “attack” is over" in text_of(late)


# Questions


def test_questions_are_read_by_the_team_that_asked_and_by_referees() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    _other, rival = world.make_team(contest, "Beta")
    address = reverse("clarifications", args=[contest.slug])
    answer = sign_in(captain).post(address, {"question": "What is <U>?"})
    assert answer["Location"] == address
    assert "What is &lt;U&gt;?" in sign_in(captain).get(address).content.decode()
    for other in (sign_in(rival), Client()):
        assert "What is" not in other.get(address).content.decode()
    Clarification.objects.update(answer="A loss.", answered_at=timezone.now(), for_everybody=True)
    seen = Client().get(address).content.decode()
    assert "A loss." in seen
    assert "Alpha" not in seen
    assert LogEntry.objects.get(action="question.ask").object_id == str(Clarification.objects.get().pk)


def test_a_question_must_be_one() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    address = reverse("clarifications", args=[contest.slug])
    answer = sign_in(captain).post(address, {"question": "  "})
    assert answer.status_code == 400
    assert 'role="alert">Write a question first' in answer.content.decode()
    with pytest.raises(RefusedError, match="longer than 4000 characters"):
        notices.ask_referees(captain, contest, "x" * 4001)
    stranger = sign_in(world.make_person("Stranger")).post(address, {"question": "Hello?"})
    assert stranger.status_code == 403
    assert "You are in no team of this contest" in text_of(stranger)
    assert Client().post(address, {"question": "Hello?"}).status_code == 302


def test_questions_are_limited_per_hour(settings: LazySettings) -> None:
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "questions_per_hour": 1}
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    notices.ask_referees(captain, contest, "One?")
    with pytest.raises(TooManyError, match=r"try again in \d+ second"):
        notices.ask_referees(captain, contest, "Two?")


# Concurrency


@pytest.mark.half_second
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["release", "guesses"])
def test_fifty_submissions_at_the_last_try_leave_exactly_one(kind: str) -> None:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    Round.objects.update(release_limit=1)
    round_.refresh_from_db()
    captains = [world.make_team(contest, name)[1] for name in ("Alpha", "Beta")]
    target = None
    if kind == "guesses":
        evaluate(world.hand_in(captains[0], round_), U=0.5)
        world.move_to(round_, "attack")
        make_due_targets(round_)
        Target.objects.update(state="done")
        target = Target.objects.select_related("round").get()
    before = Submission.objects.count()

    def attempt(number: int) -> str:
        try:
            file = world.upload(f"{number}\n".encode())
            if target is None:
                intake.submit_release(captains[1], Round.objects.get(pk=round_.pk), file, name="A.csv")
            else:
                intake.submit_guesses(captains[1], Target.objects.get(pk=target.pk), file, name="F1.csv")
        except TooManyError as error:
            return error.code
        finally:
            connection.close()
        return "accepted"

    with ThreadPoolExecutor(16) as pool:
        outcomes = list(pool.map(attempt, range(50)))
    assert sorted(set(outcomes)) == ["accepted", "try-pending"]
    assert outcomes.count("accepted") == 1
    assert Submission.objects.count() == before + 1
    assert Attempt.objects.filter(submission__team__name="Beta").count() == 1
    # What was refused leaves nothing behind.
    assert Blob.objects.filter(area=Blob.Area.UPLOADS).count() == Submission.objects.count()
