"""Commitments: the hash of a round's secret is public before, the secret after, and everything follows from it."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.arena import world
from tokumei.contests import assign_cohorts
from tokumei_arena.api.show import round_document
from tokumei_arena.contests import synthetic_data
from tokumei_arena.contests.round_data import put_folder
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import LogEntry, Submission
from tokumei_arena.web.rules import round_rules
from tokumei_arena.work import cohort_of, draw_commitment, revealed_secret, secret_number, shown_figures

pytestmark = pytest.mark.django_db


def test_the_hash_of_a_secret_is_public_before_and_the_secret_with_the_results() -> None:
    contest = world.make_contest("attack", kinds=("preliminary", "final"))
    first, last = contest.rounds.all()
    promised = draw_commitment(first)
    assert revealed_secret(first) == ""
    told = round_document(first)
    assert (told.commitment, told.secret) == (promised, "")
    assert promised in round_rules(first)[-1]
    world.move_to(first, "published")
    secret = revealed_secret(first)
    assert hashlib.sha256(secret.encode()).hexdigest() == promised
    assert round_document(first).secret == secret
    assert secret in round_rules(first)[-1]
    assert revealed_secret(last) == ""
    assert draw_commitment(last) != promised
    assert secret_number(first, "row:1") != secret_number(last, "row:1")


def test_cohorts_follow_from_names_and_the_secret_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = world.make_contest("registration", rule_set="pws2026")
    contest.rounds.update(private_data=True)
    names = ("Alpha", "ふてねこ", "Gamma")
    teams = [world.make_team(contest, name, approved=name != "Gamma")[0] for name in names]
    round_ = contest.rounds.get()
    seeds: list[int] = []
    rules = SimpleNamespace(
        generate=lambda *_args, **_more: None, generate_private=lambda *_args, seed, **_more: seeds.append(seed)
    )
    monkeypatch.setattr(synthetic_data, "rules_of", lambda _contest: rules)
    put: list[Any] = []
    monkeypatch.setattr(synthetic_data, "put_folder", lambda *_args, **facts: put.append(facts))
    synthetic_data.generate_private(round_, by=world.make_person("Ref", referee=True))
    world.move_to(round_, "published")
    expected = assign_cohorts(list(names), revealed_secret(round_), cohorts=30)
    assert [facts["cohort"] for facts in put] == expected[:2]
    assert [cohort_of(round_, team) for team in teams] == expected
    assert len(set(seeds)) == 2
    teams[2].approved_at = teams[0].approved_at
    teams[2].save()
    assert [cohort_of(round_, team) for team in teams] == expected
    assert cohort_of(world.make_contest().rounds.get(), teams[0]) is None
    monkeypatch.setattr("tokumei.contests.pws2026.contest.Pws2026.cohorts", 2)
    with pytest.raises(RefusedError, match="only 2 cohorts"):
        cohort_of(round_, teams[0])


def test_the_log_says_which_cohort_a_team_got(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    contest = world.make_contest("registration")
    round_ = contest.rounds.get()
    (tmp_path / "data").mkdir()
    (tmp_path / "data/T.csv").write_bytes(world.T)
    monkeypatch.setattr("tokumei_arena.contests.round_data._check", lambda *_: {"rows": 1})
    put_folder(round_, tmp_path, by=world.make_person("Ref", referee=True), cohort=7)
    assert LogEntry.objects.filter(action="data.put").latest("number").detail["cohort"] == 7


def test_bands_of_the_rules_go_before_those_of_the_arena() -> None:
    contest = world.make_contest("attack", rule_set="pws2026")
    contest.rounds.update(attack_feedback="bands")
    figures = {"power": 0.61, "mia": 0.4, "aia": 0.21, "band": 2}
    evaluation, round_ = SimpleNamespace(figures=figures), contest.rounds.get()
    _team, captain = world.make_team(contest, "Alpha")
    guess = cast(
        "Submission", SimpleNamespace(evaluation=evaluation, round=round_, kind=Submission.Kind.GUESSES, team=_team)
    )
    assert shown_figures(captain, guess) == {"aia": 0.21, "band": 2}
    round_.contest.rule_set = "pws2018"
    assert shown_figures(captain, guess) == {
        "power": "0.5 – 0.7",
        "mia": "0.3 – 0.5",
        "aia": "0.2 – 0.3",
        "band": "≥ 1",
    }
