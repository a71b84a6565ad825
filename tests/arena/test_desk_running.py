"""The referee desk while a contest runs: teams, queue, re-scoring, answers, accounts, log; for referees only."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.arena import log_triggers, world
from tests.arena.desk_world import desk, edit_form, entry_of, referee
from tests.arena.pages import check_page, text_of
from tests.arena.played import played_contest
from tokumei_arena.contests import managing as contests
from tokumei_arena.contests import notices, phases
from tokumei_arena.errors import NotAllowedError, NotNowError, TooManyError
from tokumei_arena.models import Attempt, Clarification, Contest, LogEntry, Message, Person, Submission, Target, Team
from tokumei_arena.work import queue_view, rescoring

pytestmark = pytest.mark.django_db

__all__ = ["desk", "referee"]


# Teams


def test_teams_are_approved_disqualified_and_reinstated(desk: Client) -> None:
    contest = world.make_contest()
    team, _captain = world.make_team(contest, "Alpha <b>", approved=False)
    address = f"/desk/c/{contest.slug}/teams/"
    assert "Alpha &lt;b&gt;" in check_page(desk.get(address))
    desk.post(f"{address}{team.pk}/approve/")
    page = desk.post(f"{address}{team.pk}/disqualify/", {"reason": " "}, follow=True)
    assert "Say why: the reason is kept in the log" in text_of(check_page(page))
    desk.post(f"{address}{team.pk}/disqualify/", {"reason": "shared data"})
    team.refresh_from_db()
    assert team.approved_at is not None
    assert team.disqualified_for == "shared data"
    desk.post(f"{address}{team.pk}/reinstate/", {"reason": "it was somebody else"})
    team.refresh_from_db()
    assert team.disqualified_at is None
    assert [entry_of(f"team.{name}")["object"] for name in ("approve", "disqualify", "reinstate")] == [str(team.pk)] * 3
    assert desk.post(f"{address}{team.pk}/crown/").status_code == 404


# Live view and failed work


@pytest.mark.half_second
def test_the_live_view_shows_queue_and_submissions(desk: Client) -> None:
    contest, _captains = played_contest()
    assert f'hx-get="/desk/c/{contest.slug}/live/"' in check_page(desk.get(f"/desk/c/{contest.slug}/"))
    part = desk.get(f"/desk/c/{contest.slug}/live/").content.decode()
    assert "<html" not in part
    words = text_of(part)
    assert "0 waiting 0 being evaluated 6 evaluated" in words
    # Beta's files, what was guessed about it, and who handed in the same as Beta.
    assert (words.count("Beta"), words.count("same file as")) == (5, 3)
    assert "guesses → Alpha" in words
    assert "right guesses 8" in words


@pytest.mark.half_second
def test_failed_work_is_repeated_and_counts_again(desk: Client, referee: Person) -> None:
    contest, _captains = played_contest("attack")
    guesses = Submission.objects.get(team__name="Gamma", kind="guesses")
    with pytest.raises(NotNowError, match="only an evaluation that failed can be repeated"):
        queue_view.evaluate_again(guesses, by=referee)
    Submission.objects.filter(pk=guesses.pk).update(state="failed", failure="it crashed", runs=3, verdict="")
    Attempt.objects.filter(submission=guesses).delete()
    target = Target.objects.get(team__name="Beta")
    Target.objects.filter(pk=target.pk).update(state="failed", failure="no disk")
    page = text_of(check_page(desk.get(f"/desk/c/{contest.slug}/failed/")))
    assert "it crashed" in page
    assert "no disk" in page
    assert "2 evaluations failed." in text_of(check_page(desk.get("/desk/")))
    desk.post(f"/desk/c/{contest.slug}/submissions/{guesses.pk}/again/")
    desk.post(f"/desk/c/{contest.slug}/targets/{target.pk}/again/")
    guesses.refresh_from_db()
    target.refresh_from_db()
    assert (guesses.state, guesses.runs, guesses.failure, target.state) == ("queued", 0, "", "queued")
    assert Attempt.objects.filter(submission=guesses).exists()
    assert entry_of("evaluation.again")["object"] == str(guesses.pk)
    assert entry_of("target.again")["object"] == str(target.pk)


@pytest.mark.half_second
def test_a_repeated_evaluation_needs_a_try_that_is_left(referee: Person) -> None:
    _contest, _captains = played_contest("attack")
    counted = Submission.objects.get(team__name="Gamma", kind="guesses")
    other = Submission.objects.get(pk=counted.pk)
    other.pk, other.state, other._state.adding = None, "failed", True
    other.save()
    with pytest.raises(TooManyError, match="no tries are left"):
        queue_view.evaluate_again(other, by=referee)
    other.refresh_from_db()
    assert other.state == "failed"


# Re-scoring


@pytest.mark.half_second
def test_a_rescoring_is_started_compared_and_applied_on_pages(desk: Client) -> None:
    from tests.arena.played import evaluate

    contest, _captains = played_contest()
    desk.post(f"/desk/c/{contest.slug}/edit/", edit_form(contest, **{"parameter-p": "0.001"}))
    page = desk.post(f"/desk/c/{contest.slug}/final/rescore/", {"reason": ""}, follow=True)
    assert "say why" in text_of(check_page(page))
    response = desk.post(f"/desk/c/{contest.slug}/final/rescore/", {"reason": "p was wrong"})
    address = response["Location"]
    assert "0 of 6 computed." in text_of(check_page(desk.get(address)))
    evaluate()
    assert "<html" not in desk.get(f"{address}part/").content.decode()
    words = text_of(check_page(desk.get(address)))
    assert "2 submissions would change." in words
    assert "Gamma guesses → Alpha effective no yes" in words
    assert "A re-scoring waits for your decision." in text_of(check_page(desk.get("/desk/")))
    assert "Applied: 2 submissions changed." in text_of(check_page(desk.post(f"{address}apply/", follow=True)))
    page = desk.post(f"{address}discard/", {"reason": "late"}, follow=True)
    assert "This re-scoring has been applied already" in text_of(check_page(page))


# Announcements and questions


def test_announcements_are_made_and_withdrawn(desk: Client) -> None:
    contest = world.make_contest()
    address = f"/desk/c/{contest.slug}/notices/"
    assert "This field is required." in text_of(check_page(desk.post(f"{address}new/", {"title": "x"}), 400))
    desk.post(f"{address}new/", {"title": "Room", "body": "Hall <2>"})
    made = contest.announcements.get()
    assert "Hall &lt;2&gt;" in check_page(desk.get(address))
    assert "Hall &lt;2&gt;" in Client().get(f"/c/{contest.slug}/").content.decode()
    desk.post(f"{address}{made.pk}/withdraw/")
    assert not contest.announcements.exists()
    assert entry_of("announcement.make")["title"] == "Room"
    assert entry_of("announcement.withdraw")["body"] == "Hall <2>"


def test_questions_are_answered_to_the_team_or_everybody(desk: Client) -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha")
    _other, stranger = world.make_team(contest, "Beta")
    asked = notices.ask_referees(captain, contest, "May we use R?")
    assert "1 question waits for an answer." in text_of(check_page(desk.get("/desk/")))
    address = f"/desk/c/{contest.slug}/questions/{asked.pk}/answer/"
    desk.post(address, {f"{asked.pk}-answer": "Yes."})
    asked.refresh_from_db()
    assert (asked.answer, asked.for_everybody) == ("Yes.", False)
    assert not notices.questions_of(stranger, contest).exists()
    desk.post(address, {f"{asked.pk}-answer": "Yes, and Python.", f"{asked.pk}-for_everybody": "on"})
    assert notices.questions_of(stranger, contest).get().answer == "Yes, and Python."
    told = [entry.detail for entry in LogEntry.objects.filter(action="question.answer")]
    assert told == [{"again": False, "for_everybody": False}, {"again": True, "for_everybody": True}]
    assert team.clarifications.count() == 1


# Messages, referees, accounts, log


def test_messages_without_a_mail_server_are_passed_on_and_forgotten(desk: Client) -> None:
    message = Message.objects.create(to="a@example.org", subject="Confirm", body="open http://x/secret-link")
    assert "1 message to pass on" in check_page(desk.get("/desk/"))
    assert "http://x/secret-link" in check_page(desk.get("/desk/messages/"))
    desk.post(f"/desk/messages/{message.pk}/done/")
    message.refresh_from_db()
    assert message.handled_at is not None
    assert message.body == ""
    assert "secret-link" not in check_page(desk.get("/desk/messages/"))
    entry = entry_of("message.hand-over")
    assert entry == {"object": str(message.pk)}


def test_further_referees_come_by_a_link_that_is_shown_once(desk: Client, referee: Person) -> None:
    assert "http://testserver/referee/" in check_page(desk.post("/desk/referees/link/"))
    assert "/referee/" not in check_page(desk.get("/desk/referees/")).replace("/desk/referees/", "")
    assert LogEntry.objects.filter(action="referee.invite").exists()
    page = desk.post(f"/desk/referees/{referee.pk}/resign/", follow=True)
    assert "This is the last referee; make another one first" in text_of(page.content.decode())
    other = world.make_person("Second", referee=True)
    desk.post(f"/desk/referees/{other.pk}/resign/")
    other.refresh_from_db()
    assert not other.is_referee


def test_an_account_is_erased_on_request(desk: Client) -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    page = desk.post("/desk/accounts/erase/", {"email": "nobody@example.org"}, follow=True)
    assert "No account has this address." in text_of(check_page(page))
    desk.post("/desk/accounts/erase/", {"email": captain.email.upper()})
    captain.refresh_from_db()
    assert captain.erased_at is not None
    assert "example.org" not in captain.email
    assert entry_of("person.erase")["object"] == str(captain.pk)


def test_the_log_page_tells_whether_the_log_is_whole(desk: Client, referee: Person) -> None:
    from django.core.cache import caches
    from django.db import connection

    caches["pages"].clear()
    contest = world.make_contest()
    contests.hide_contest(contest, by=referee)
    contests.open_contest(contest, by=referee)
    words = text_of(check_page(desk.get(f"/desk/log/?contest={contest.slug}", follow=True)))
    assert "The log is whole: 2 entries, each holding the hash of the one before." in words
    assert "contest.hide" in words
    assert "Ref" in words
    caches["pages"].clear()
    log_triggers.take_off()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE arena_logentry SET action = 'x' WHERE number = 1")
    words = text_of(check_page(desk.get("/desk/log/")))
    assert "The log is broken at entry 1" in words
    assert "The triggers that make the database refuse changes of the log are gone." in words
    caches["pages"].clear()


def test_operations_say_that_archives_are_secret(desk: Client) -> None:
    contest = world.make_contest()
    words = text_of(check_page(desk.get("/desk/operations/")))
    assert "keep them like passwords" in words
    assert f"tokumei arena export {contest.slug}" in words


# Who may


def _desk_addresses(contest: Contest, team: Team) -> list[str]:

    from tokumei_arena.web.routes import desk_patterns

    phase = contest.rounds.get().phases.get(kind="anonymize")
    found = []
    for pattern in desk_patterns:
        assert pattern.name is not None
        values = {"slug": contest.slug, "kind": "final", "pk": phase.pk, "decision": "approve"}
        values |= {"ending": "csv", "name": "rules"}
        if pattern.name == "desk_team_decide":
            values["pk"] = team.pk
        names = pattern.pattern.converters
        found.append(reverse(pattern.name, kwargs={name: values[name] for name in names}))
    return found


@pytest.mark.half_second
def test_the_desk_exists_for_referees_only() -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha", approved=False)
    member, nobody = Client(), Client()
    member.force_login(captain)
    addresses = _desk_addresses(contest, team)
    assert len(addresses) > 30
    before = LogEntry.objects.count()
    for address in addresses:
        for method in ("get", "post"):
            assert getattr(member, method)(address).status_code == 404, address
            assert getattr(nobody, method)(address)["Location"].startswith("/accounts/login/"), address
    assert LogEntry.objects.count() == before
    team.refresh_from_db()
    assert team.approved_at is None


def test_services_refuse_everybody_else_too(referee: Person) -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    round_ = contest.rounds.get()
    phase = round_.phases.get(kind="anonymize")
    asked = Clarification.objects.create(contest=contest, team=_team, question="?")
    later = timezone.now() + timedelta(days=1)
    attempts: list[Callable[[Person], object]] = [
        lambda by: contests.open_contest(contest, by=by),
        lambda by: contests.edit_contest(contest, {"name": "x"}, by=by),
        lambda by: contests.edit_rounds(contest, {}, by=by),
        lambda by: phases.extend_phase(phase, later, by=by, reason="x"),
        lambda by: phases.close_phase(phase, by=by, reason="x"),
        lambda by: notices.announce(contest, "a", "b", by=by),
        lambda by: notices.answer(asked, "a", for_everybody=True, by=by),
        lambda by: rescoring.start_rescore(round_, by=by, reason="x"),
    ]
    referee.is_active = False
    for attempt in attempts:
        for by in (captain, referee):
            with pytest.raises(NotAllowedError, match="only (referees|owners of the contest) may do this"):
                attempt(by)
    assert not LogEntry.objects.exists()
