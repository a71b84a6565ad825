"""Blind rounds: until the results are out nobody can tell from boards whose published file is whose.

Figures of a release can be computed from its published file. So an attacker is played who knows the exact figures of
every target, who kept every board of every phase in every form, and who names the teams as well as that allows.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from scipy.stats import poisson

from tests.arena import world
from tests.arena.playing import evaluate, sign_in, text_of
from tests.arena.test_api import Caller
from tests.arena.test_boards import board, rows
from tests.effort import examples
from tokumei_arena.models import Contest, Person, Round, Target
from tokumei_arena.work.targets import make_due_targets

pytestmark = pytest.mark.django_db
TEAMS, PHASES = 30, ("anonymize", "attack", "scoring")
NAMES = [f"Team {letter}{digit}" for letter in "ABCDEFGHIJ" for digit in "123"]


def cup(chance: random.Random, *, blind: bool) -> tuple[Contest, Person, dict[str, float]]:
    """Return a contest of 30 teams in anonymization, one captain, and the true figure of every team."""
    contest = world.make_contest(blind=blind)
    round_ = contest.rounds.get()
    losses = chance.sample(range(1, 10_000), TEAMS)
    truth: dict[str, float] = {}
    for name, loss in zip(chance.sample(NAMES, TEAMS), losses, strict=True):
        _team, captain = world.make_team(contest, name)
        truth[name] = loss / 10_000
        evaluate(world.hand_in(captain, round_), U=truth[name])
    return contest, captain, truth


def seen(contest: Contest, captain: Person) -> list[tuple[str, str]]:
    """Return every (name, figure) that stands in one row, and else names and figures in the order of their lists."""
    address = reverse("board_export", args=[contest.slug, "final", "json"])
    pairs: list[tuple[str, str]] = []
    for client in (Client(), sign_in(captain)):
        pairs += [(row[1], row[2]) for row in rows(board(contest, client), "utility")]
        document = json.loads(client.get(address).content)["tables"]["utility"]
        pairs += [(row["team"], str(row["figures"]["U"])) for row in document["rows"]]
        text = client.get(address.replace("json", "csv") + "?table=utility").content.decode("utf-8-sig")
        pairs += [(row["team"], row["U"]) for row in csv.DictReader(io.StringIO(text))]
    told = Caller(captain, "read").get(f"/contests/{contest.slug}/rounds/final/board")
    ladder = [(row["team"], str(row["figures"]["U"])) for row in told["tables"][0]["rows"]]
    # Lists may be in an order that tells something: names beside figures line by line is the last resort.
    return [*pairs, *ladder, *zip(told["teams"], (figure for _name, figure in ladder), strict=False)]


def named(figures: dict[str, float], kept: list[tuple[str, str]]) -> dict[str, str]:
    """Return the name that the attacker gives to every target: the first name that he saw beside its figure."""
    best: dict[str, str] = {}
    for name, text in kept:
        for alias, figure in figures.items():
            if name in NAMES and text and abs(float(text) - figure) < 1e-9:
                best.setdefault(alias, name)
    return best


def hits(chance: random.Random, *, blind: bool) -> int:
    """Play until the results are due; return how many targets of other teams the attacker names rightly."""
    contest, captain, truth = cup(chance, blind=blind)
    round_ = contest.rounds.get()
    kept: list[tuple[str, str]] = []
    for phase in PHASES:
        world.move_to(round_, phase)
        make_due_targets(round_)
        kept += seen(contest, captain)
    targets = Target.objects.filter(round=round_).exclude(team__memberships__person=captain).select_related("team")
    said = named({one.alias: truth[one.team.name] for one in targets}, kept)
    return sum(said.get(one.alias) == one.team.name for one in targets)


@pytest.mark.half_second
def test_who_keeps_all_boards_names_targets_no_better_than_by_chance(
    record_property: Callable[[str, object], None],
) -> None:
    chance, trials = random.Random(5), examples(1)
    # A random assignment names one of its targets rightly on average, whatever their number.
    right, most = sum(hits(chance, blind=True) for _trial in range(trials)), poisson.ppf(0.95, trials)
    record_property("figure", f"{right} of {trials * (TEAMS - 1)} targets named; by chance at most {most:.0f} (95 %)")
    assert right <= most
    assert hits(chance, blind=False) == TEAMS - 1


def test_a_blind_board_shows_the_own_figures_and_the_names_of_all() -> None:
    contest = world.make_contest()
    _team, alpha = world.make_team(contest, "Alpha")
    _team, beta = world.make_team(contest, "Beta")
    world.make_team(contest, "Idle")
    for captain, loss in ((alpha, 0.5), (beta, 0.25)):
        evaluate(world.hand_in(captain, contest.rounds.get()), U=loss)
    page = board(contest, sign_in(alpha))
    assert [row[:3] for row in rows(page, "utility")] == [
        ["1", "another team", "0.250000"],
        ["2", "Alpha your team", "0.500000"],
    ]
    assert '<ul class="names"><li>Alpha</li><li>Beta</li><li>Idle</li></ul>' in page
    assert "Submissions" not in page.split('id="title-utility"')[1].split("</table>")[0]
    assert [row[1] for row in rows(board(contest), "utility")] == ["another team", "another team"]
    world.move_to(contest.rounds.get(), "published")
    assert [row[1] for row in rows(board(contest, show="utility"), "utility")] == ["Beta", "Alpha", "Idle"]


def answer_to(client: Client, contest: Contest) -> Any:
    """Return the form of a new team, as text."""
    return text_of(client.get(reverse("team_new", args=[contest.slug])))


def test_the_form_of_a_team_says_when_its_name_is_shown() -> None:
    contest = world.make_contest("registration")
    client = sign_in(world.make_person("New"))
    assert "Everybody sees it in the list of teams; beside figures once the results are out." in answer_to(
        client, contest
    )
    Round.objects.update(blind=False)
    assert "Everybody sees it, on the board with its figures too." in answer_to(client, contest)
