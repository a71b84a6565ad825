"""Boards under every feedback rule, freezing, rankings after scoring, the matrix, and who sees what when."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.arena import world
from tokumei_arena import clock
from tokumei_arena.boards import standings
from tokumei_arena.models import (
    Blob,
    Choice,
    Contest,
    Evaluation,
    Feedback,
    Person,
    Phase,
    Round,
    Submission,
    Target,
    Team,
)
from tokumei_arena.records import logbook
from tokumei_arena.records.storage import put_bytes
from tokumei_arena.work import feedback, intake

pytestmark = [pytest.mark.django_db, pytest.mark.database]
NOBODY = AnonymousUser()


def evaluated(submission: Submission, figures: dict[str, Any]) -> Submission:
    """Let a submission have been found valid with these figures."""
    found = Evaluation.objects.create(
        submission=submission,
        rule_set="pws2018",
        rule_version="v",
        inputs={},
        valid=True,
        figures=figures,
        fingerprint="0" * 64,
    )
    submission.state, submission.verdict, submission.evaluation = "done", "valid", found
    submission.save()
    logbook.record("evaluation.finish", submission)
    return submission


def release(captain: Person, round_: Round, loss: float) -> Submission:
    """Hand in a release of this U."""
    return evaluated(world.hand_in(captain, round_), {"U": loss, "il_date": loss})


def fresh(round_: Round) -> Round:
    """Return the round as another request would read it."""
    return Round.objects.select_related("contest").prefetch_related("phases").get(pk=round_.pk)


def shown(round_: Round, viewer: Any) -> list[tuple[str, int | None, Any, int | None]]:
    """Return names, ranks, U and number of submissions on the board."""
    rows = standings.board(fresh(round_), viewer).rows
    return [(row.name, row.rank, row.figures.get("U"), row.submissions) for row in rows]


@pytest.fixture
def contest() -> Contest:
    """Return a contest of three teams in anonymization, with an open board."""
    made = world.make_contest(blind=False)
    for name in ("Alpha", "Beta", "Gamma"):
        world.make_team(made, name)
    return made


def captain(contest: Contest, name: str) -> Person:
    """Return the captain of a team."""
    return Person.objects.get(memberships__team__name=name, memberships__contest=contest)


def test_the_board_shows_the_best_valid_release_or_the_chosen_one(contest: Contest) -> None:
    round_ = contest.rounds.get()
    alpha, beta = captain(contest, "Alpha"), captain(contest, "Beta")
    worse = release(alpha, round_, 0.5)
    release(alpha, round_, 0.25)
    release(beta, round_, 0.3)
    world.hand_in(beta, round_)
    assert shown(round_, NOBODY) == [("Alpha", 1, 0.25, 2), ("Beta", 2, 0.3, 2), ("Gamma", None, None, 0)]
    Choice.objects.create(round=round_, team=worse.team, submission=worse)
    logbook.record("submission.choose")
    assert shown(round_, NOBODY)[:2] == [("Beta", 1, 0.3, 2), ("Alpha", 2, 0.5, 2)]
    own = [row.name for row in standings.board(fresh(round_), alpha).rows if row.own]
    assert own == ["Alpha"]
    Team.objects.filter(name="Beta").update(disqualified_at=timezone.now())
    logbook.record("team.disqualify")
    rows = standings.board(fresh(round_), NOBODY).rows
    assert [(row.name, row.rank, row.disqualified) for row in rows] == [
        ("Alpha", 1, False),
        ("Beta", None, True),
        ("Gamma", None, False),
    ]


@pytest.mark.parametrize(
    ("rule", "value", "rank"),
    [
        ("exact", 0.23456, 1),
        ("rounded", 0.23, 1),
        ("bands", "0.2 – 0.3", 1),
        ("none", None, None),
        ("delayed", None, None),
    ],
)
def test_the_board_follows_the_feedback_rule(contest: Contest, rule: str, value: Any, rank: int | None) -> None:
    contest.rounds.update(release_feedback=rule)
    round_ = contest.rounds.get()
    submission = release(captain(contest, "Alpha"), round_, 0.23456)
    row = next(row for row in standings.board(fresh(round_), NOBODY).rows if row.name == "Alpha")
    assert (row.figures.get("U"), row.rank) == (value, rank)
    assert feedback.shown_figures(captain(contest, "Alpha"), submission).get("U") == value
    referee = world.make_person("Ref", referee=True)
    assert shown(round_, referee)[0] == ("Alpha", 1, 0.23456, 1)
    world.move_to(round_, "attack")
    ended = shown(round_, NOBODY)[0][2] if rule == "delayed" else value
    assert ended == (0.23456 if rule == "delayed" else value)
    world.move_to(round_, "published")
    assert shown(round_, NOBODY)[0][2] == 0.23456


def test_teams_within_one_band_are_not_ordered_by_what_is_hidden(contest: Contest) -> None:
    contest.rounds.update(release_feedback="bands")
    round_ = contest.rounds.get()
    release(captain(contest, "Beta"), round_, 0.21)
    release(captain(contest, "Alpha"), round_, 0.29)
    release(captain(contest, "Gamma"), round_, 0.12)
    assert shown(round_, NOBODY) == [
        ("Gamma", 1, "0.1 – 0.2", 1),
        ("Alpha", 2, "0.2 – 0.3", 1),
        ("Beta", 2, "0.2 – 0.3", 1),
    ]


@pytest.mark.parametrize("kind", list(Feedback))
def test_scores_of_guesses_are_no_oracle(contest: Contest, kind: Feedback) -> None:
    contest.rounds.update(attack_feedback=kind)
    round_ = contest.rounds.get()
    target, guess = attack(contest, round_, "Alpha", "Beta", hits=3, unsafe=False)
    beta = captain(contest, "Beta")
    guess = Submission.objects.get(pk=guess.pk)
    expected = {
        Feedback.NONE: {},
        Feedback.DELAYED: {},
        Feedback.BANDS: {"hits": "≥ 1", "n": "≥ 1"},
        Feedback.ROUNDED: {"hits": 3.0, "n": 8.0},
        Feedback.EXACT: {"hits": 3, "n": 8, "unsafe": False, "sharp_unsafe": False},
    }
    assert feedback.shown_figures(beta, guess) == expected[kind]
    world.move_to(target.round, "scoring")
    guess = Submission.objects.get(pk=guess.pk)
    after = expected[Feedback.EXACT] if kind in (Feedback.DELAYED, Feedback.EXACT) else expected[kind]
    assert feedback.shown_figures(beta, guess) == after


def test_the_board_stands_still_before_the_end(contest: Contest) -> None:
    contest.rounds.update(freeze_minutes=30)
    round_ = contest.rounds.get()
    early = release(captain(contest, "Alpha"), round_, 0.4)
    late = release(captain(contest, "Alpha"), round_, 0.1)
    Submission.objects.filter(pk=early.pk).update(received_at=timezone.now() - timedelta(minutes=50))
    phase = Phase.objects.get(round=round_, kind="anonymize")
    phase.starts_at = timezone.now() - timedelta(hours=2)
    phase.ends_at = timezone.now() + timedelta(minutes=20)
    phase.save()
    frozen = standings.board(fresh(round_), NOBODY)
    assert frozen.frozen_at == phase.ends_at - timedelta(minutes=30)
    assert shown(round_, NOBODY)[0] == ("Alpha", 1, 0.4, 1)
    assert shown(round_, world.make_person("Ref", referee=True))[0] == ("Alpha", 1, 0.1, 2)
    # The own team sees what it handed in.
    assert feedback.shown_figures(captain(contest, "Alpha"), late)["U"] == 0.1
    world.move_to(round_, "attack")
    assert standings.board(fresh(round_), NOBODY).frozen_at is None
    assert shown(round_, NOBODY)[0] == ("Alpha", 1, 0.1, 2)


def test_a_choice_changed_in_the_last_minutes_does_not_move_the_board(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest.rounds.update(freeze_minutes=30)
    round_ = contest.rounds.get()
    alpha = captain(contest, "Alpha")
    good, better = (release(alpha, round_, loss) for loss in (0.4, 0.2))
    now = timezone.now()
    Submission.objects.update(received_at=now - timedelta(minutes=50))
    begin = now - timedelta(hours=2)
    Phase.objects.filter(round=round_, kind="registration").update(starts_at=begin, ends_at=begin)
    Phase.objects.filter(round=round_, kind="anonymize").update(starts_at=begin, ends_at=now + timedelta(minutes=20))
    good, better = (Submission.objects.get(pk=one.pk) for one in (good, better))
    with monkeypatch.context() as earlier:
        earlier.setattr(clock, "now", lambda: now - timedelta(minutes=40))
        intake.choose(alpha, good)
    assert shown(round_, NOBODY)[0] == ("Alpha", 1, 0.4, 2)
    intake.choose(alpha, better)
    assert shown(round_, NOBODY)[0] == ("Alpha", 1, 0.4, 2)
    world.move_to(round_, "attack")
    assert shown(round_, NOBODY)[0] == ("Alpha", 1, 0.2, 2)


def attack(
    contest: Contest, round_: Round, owner: str, attacker: str, *, hits: int, unsafe: bool
) -> tuple[Target, Submission]:
    """Let a team have attacked another one."""
    world.move_to(round_, "attack")
    team = Team.objects.get(contest=contest, name=owner)
    target = Target.objects.filter(round=round_, team=team).first()
    if target is None:
        # Written as it is kept: nothing can be handed in any more.
        blob, loss = put_bytes(Blob.Area.UPLOADS, "A.csv", world.GOOD_A), 0.2 + 0.1 * len(owner) / 10
        kept = Submission.objects.create(
            kind="release", round=round_, team=team, blob=blob, received_at=timezone.now() - timedelta(hours=1)
        )
        best = evaluated(kept, {"U": loss, "il_date": loss})
        target = Target.objects.create(round=round_, team=team, submission=best, alias=f"Stone {owner}", state="done")
    guess = intake.submit_guesses(captain(contest, attacker), target, world.upload(b"1,2\n"), name="F.csv")
    evaluated(guess, {"hits": hits, "n": 8, "unsafe": unsafe, "sharp_unsafe": unsafe})
    return target, guess


def test_tables_matrix_and_points_are_out_after_scoring(contest: Contest) -> None:
    contest.rounds.update(attack_limit=3)
    round_ = contest.rounds.get()
    attack(contest, round_, "Alpha", "Beta", hits=8, unsafe=True)
    attack(contest, round_, "Gamma", "Beta", hits=2, unsafe=False)
    attack(contest, round_, "Gamma", "Alpha", hits=5, unsafe=False)
    attack(contest, round_, "Gamma", "Alpha", hits=1, unsafe=False)
    alpha, referee = captain(contest, "Alpha"), world.make_person("Ref", referee=True)
    for phase in ("attack", "scoring"):
        world.move_to(round_, phase)
        assert standings.visible_tables(alpha, fresh(round_)) is None
        assert not standings.overall_visible(alpha, contest)
    assert standings.visible_tables(referee, fresh(round_)) is not None
    world.move_to(round_, "published")
    found = standings.visible_tables(NOBODY, fresh(round_))
    assert found is not None
    assert found.complete
    names = found.names
    assert [(names[row.team], row.rank) for row in found.table.anonymizers] == [
        ("Gamma", 1),
        ("Alpha", None),
        ("Beta", None),
    ]
    ids = {name: team for team, name in names.items()}
    # The best of several attempts counts.
    assert found.matrix.cells[ids["Gamma"], ids["Alpha"]]["hits"] == 5
    assert [(one.name, one.alias) for one in found.matrix.owners] == [
        ("Alpha", "Stone Alpha"),
        ("Gamma", "Stone Gamma"),
    ]
    assert [(point.name, point.safety, point.ranked) for point in found.points] == [
        ("Gamma", 5.0, True),
        ("Alpha", 8.0, False),
    ]
    assert standings.matrix(fresh(round_)) == found.matrix
    overall = standings.overall_table(contest)
    assert (names[overall.anonymizers[0].team], overall.anonymizers[0].rank) == ("Gamma", 1)
    assert standings.overall_visible(NOBODY, contest)


def test_practice_does_not_count(contest: Contest) -> None:
    made = world.make_contest("published", kinds=("practice", "final"))
    world.make_team(made, "Delta")
    overall = standings.overall_table(made)
    assert len(overall.anonymizers) == 1
    assert [round_.kind for round_ in standings.counted_rounds(made)] == ["final"]


def test_pages_cost_few_queries_and_see_every_change(contest: Contest) -> None:
    round_ = contest.rounds.get()
    release(captain(contest, "Alpha"), round_, 0.4)
    read = fresh(round_)
    with CaptureQueriesContext(connection) as first:
        standings.board(read, NOBODY)
    assert len(first) <= 5
    with CaptureQueriesContext(connection) as again:
        standings.board(read, NOBODY)
    assert len(again) == 1
    release(captain(contest, "Beta"), round_, 0.1)
    assert shown(round_, NOBODY)[0][0] == "Beta"
    with CaptureQueriesContext(connection) as many:
        standings.tables(read)
    assert len(many) <= 8
