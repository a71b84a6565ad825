"""Boards: utility while a round is on, rankings and charts after it, each as its viewer may see it."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from allauth.mfa.models import Authenticator
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import settings as limited
from hypothesis import strategies as st

from tests.arena import played, world
from tests.arena.playing import evaluate, give, round_address, sign_in, text_of
from tests.effort import examples
from tokumei_arena.contests import phases
from tokumei_arena.models import Contest, Person, Round, Submission, Target, Team
from tokumei_arena.web import page_cache
from tokumei_arena.work import intake
from tokumei_arena.work.targets import make_due_targets
from tokumei_pages import charts

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert('x')</script>"
FOUND: dict[str, Any] = {"n": 8, "threshold": 7, "sharp_threshold": 7}


def board(
    contest: Contest, client: Client | None = None, kind: str = "final", name: str = "board", show: str = ""
) -> str:
    address = reverse(name, args=[contest.slug, kind])
    return (client or Client()).get(address, {"show": show} if show else {}).content.decode()


def rows(page: str, title: str) -> list[list[str]]:
    """Return the cells of the table under a title."""
    section = page.split(f'id="title-{title}"')[1].split("</table>", maxsplit=1)[0].split("<tbody>")[1]
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in section.split("<tr")[1:]]
    return [[re.sub(r"<[^>]+>", "", cell).strip() for cell in row] for row in cells]


def drawing(page: str, title: str) -> ElementTree.Element:
    """Return the SVG under a title, parsed: a broken or unescaped one does not parse."""
    found = re.search(rf'id="title-{title}".*?(<svg class="chart.*?</svg>)', page, re.DOTALL)
    assert found
    return ElementTree.fromstring(found[1])  # noqa: S314 - our own drawing


SVG = "{http://www.w3.org/2000/svg}"


def attacked(names: tuple[str, ...], hits: dict[tuple[int, int], int]) -> tuple[Contest, list[Person]]:
    """Return a contest in its attack phase: releases with U = 0.1, 0.2, ..., and right guesses by (attacker, owner)."""
    contest = world.make_contest()
    round_ = contest.rounds.get()
    teams, captains = zip(*(world.make_team(contest, name) for name in names), strict=True)
    for place, captain in enumerate(captains):
        evaluate(world.hand_in(captain, round_), U=(place + 1) / 10)
    world.move_to(round_, "attack")
    make_due_targets(round_)
    Target.objects.update(state="done")
    for (attacker, owner), right in hits.items():
        target = Target.objects.select_related("round__contest").get(team=teams[owner])
        made = intake.submit_guesses(captains[attacker], target, world.upload(b"1,2\n"), name="F1.csv")
        evaluate(made, hits=right, unsafe=right >= 7, sharp_unsafe=right >= 7, **FOUND)
    return contest, list(captains)


# While the round is on


def test_the_utility_board_ranks_teams_and_marks_the_own_one() -> None:
    contest = world.make_contest(blind=False)
    for place, name in enumerate(("Alpha", "Beta", HOSTILE)):
        _team, captain = world.make_team(contest, name)
        evaluate(world.hand_in(captain, contest.rounds.get()), U=0.5 - place / 10)
    world.make_team(contest, "Idle")
    Team.objects.filter(name="Beta").update(disqualified_at=timezone.now(), disqualified_for="copied")
    page = board(contest, sign_in(Person.objects.get(name__startswith="Alpha")))
    assert [row[:3] for row in rows(page, "utility")] == [
        ["1", "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;", "0.300000"],
        ["2", "Alpha your team", "0.500000"],
        ["–", "Beta disqualified", "0.400000"],
        ["–", "Idle", "–"],
    ]
    assert "<script>alert" not in page
    assert "copied" not in page
    assert 'id="title-anonymizers"' not in page
    assert 'hx-trigger="every 10s"' in page


def test_the_board_follows_the_feedback_policy() -> None:
    contest = world.make_contest(blind=False)
    _team, captain = world.make_team(contest, "Alpha")
    evaluate(world.hand_in(captain, contest.rounds.get()), U=0.123456)
    shown = []
    for policy in ("exact", "rounded", "bands", "none", "delayed"):
        Round.objects.update(release_feedback=policy)
        shown.append(rows(board(contest), "utility")[0][:3])
    assert shown == [
        ["1", "Alpha", "0.123456"],
        ["1", "Alpha", "0.120000"],
        ["1", "Alpha", "0.1 – 0.2"],
        ["–", "Alpha", "–"],
        ["–", "Alpha", "–"],
    ]


def test_the_board_freezes_before_the_end() -> None:
    contest = world.make_contest()
    round_ = contest.rounds.get()
    _team, captain = world.make_team(contest, "Alpha")
    early = evaluate(world.hand_in(captain, round_), U=0.5)
    Submission.objects.filter(pk=early.pk).update(received_at=timezone.now() - timedelta(minutes=50))
    evaluate(world.hand_in(captain, round_, b"1\n"), U=0.25)
    assert rows(board(contest), "utility")[0][2] == "0.250000"
    phase = round_.phase_of("anonymize")
    assert phase is not None
    phase.ends_at = timezone.now() + timedelta(minutes=20)
    phase.save()
    Round.objects.update(freeze_minutes=30)
    page = board(contest)
    assert rows(page, "utility")[0][2] == "0.500000"
    assert "The board is frozen until anonymization ends." in text_of(
        Client().get(reverse("board", args=[contest.slug, "final"]))
    )


def test_the_live_part_is_sent_once_and_then_only_if_it_changed() -> None:
    contest = world.make_contest()
    world.make_team(contest, "Alpha")
    address = reverse("board_part", args=[contest.slug, "final"])
    first = Client().get(address)
    assert first.content.decode().startswith('<div id="board" hx-get="')
    assert first["Cache-Control"] == "private, no-cache"
    assert "Cookie" in first["Vary"]
    again = Client().get(address, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    world.make_team(contest, "Beta")
    phases.close_phase(  # whatever changes a contest writes to the log, which boards watch
        Round.objects.get().phases.get(kind="anonymize"), by=world.make_person("Ref", referee=True), reason="test"
    )
    assert Client().get(address, headers={"if-none-match": first["ETag"]}).status_code == 200


def test_many_viewers_share_what_was_made_a_moment_ago(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "board_seconds": 3}
    made: list[int] = []
    moment = [0.0]
    monkeypatch.setattr(page_cache, "time", SimpleNamespace(monotonic=lambda: moment[0]))

    def make() -> int:
        time.sleep(0.02)
        made.append(len(made))
        return made[-1]

    state = ["first"]

    def ask(_viewer: int = 0) -> int:
        return page_cache.recent("test:many", make, state=lambda: state[0])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(40))) == [0] * 40
        moment[0], state[0] = 3.5, "second"
        assert set(pool.map(ask, range(40))) <= {0, 1}
    assert ask() == 1
    # As long as it would be made of the same, it is not made again.
    moment[0] = 10.0
    assert ask() == 1
    state[0] = "third"
    assert ask() == 1
    moment[0] = 14.0
    assert ask() == 2


# After it


def test_rankings_are_for_referees_until_they_are_published() -> None:
    contest, captains = attacked(("Alpha", "Beta"), {(0, 1): 8})
    for phase in ("attack", "scoring"):
        world.move_to(contest.rounds.get(), phase)
        for client in (Client(), sign_in(captains[0])):
            assert 'id="title-anonymizers"' not in board(contest, client)
            assert 'id="title-matrix"' not in board(contest, client, name="board_part")
    world.move_to(contest.rounds.get(), "published")
    assert 'id="title-anonymizers"' in board(contest)
    assert "hx-get" not in board(contest)


def test_referees_see_rankings_before_they_are_published_and_every_submission() -> None:
    contest, _captains = attacked(("Alpha", "Beta"), {(0, 1): 8})
    referee = world.make_person("Referee", referee=True)
    Authenticator.objects.create(user=referee, type=Authenticator.Type.TOTP, data={"secret": "x"})
    client = sign_in(referee)
    page = board(contest, client)
    assert "Only referees see the rankings so far." in page
    assert [row[1] for row in rows(page, "anonymizers")] == ["Alpha", "Beta"]
    for one in Submission.objects.all():
        answer = client.get(reverse("submission", args=[contest.slug, one.pk]))
        assert one.team.name in answer.content.decode()
    targets = client.get(reverse("targets", args=[contest.slug, "final"])).content.decode()
    assert ("Alpha" in targets, "Beta" in targets) == (True, True)
    assert "Referees hand nothing in" in text_of(client.get(reverse("round", args=[contest.slug, "final"])))


def test_the_rankings_of_2018_and_their_tie_rules() -> None:
    contest, captains = attacked(("Alpha", "Beta", "Gamma"), {(0, 1): 3, (1, 0): 8, (2, 0): 7, (2, 1): 5})
    world.move_to(contest.rounds.get(), "published")
    page = board(contest, sign_in(captains[1]))
    assert rows(page, "anonymizers") == [
        ["1", "Beta your team", "0.200000", "0", "0", "5", ""],
        ["2", "Gamma", "0.300000", "0", "0", "0", ""],
        ["–", "Alpha", "0.100000", "2", "2", "8", "effectively re-identified"],
    ]
    attackers = board(contest, sign_in(captains[1]), show="attackers")
    assert rows(attackers, "attackers") == [
        ["1", "Beta your team", "1", "1", "8", "1"],
        ["1", "Gamma", "1", "1", "12", "2"],
        ["3", "Alpha", "0", "0", "3", "1"],
    ]
    assert "U within 1e-9 is a tie, broken by fewer effective re-identifications under the sharp test" in page
    assert "teams equal in both share a rank" in attackers


def test_the_attack_matrix_is_a_drawing_and_a_table() -> None:
    contest, _captains = attacked((HOSTILE, "Beta", "Gamma"), {(0, 1): 2, (1, 0): 8})
    world.move_to(contest.rounds.get(), "published")
    page = board(contest, show="matrix")
    svg = drawing(page, "matrix")
    cells = [(group.findtext(f"{SVG}title"), group.find(f"{SVG}rect")) for group in svg.iter(f"{SVG}g")]
    assert len(cells) == 9
    found = {title: rect.attrib for title, rect in cells if title and rect is not None}
    assert found[f"{HOSTILE} → Beta: 2"]["fill-opacity"] == "0.125"
    assert found[f"Beta → {HOSTILE}: 8"] | {"x": "", "y": ""} == {
        "class": "heat marked", "x": "", "y": "", "width": "44", "height": "44", "fill-opacity": "0.500",
    }  # fmt: skip
    assert found["Gamma → Gamma: –"]["class"] == "self"
    assert svg.attrib["role"] == "img"
    assert svg.attrib["aria-labelledby"].split() == [svg[0].attrib["id"], svg[1].attrib["id"]]
    assert "style=" not in page
    assert "<script>alert" not in page
    table = page.split('id="title-matrix"')[1].split("<tbody>")[1].split("</tbody>")[0]
    assert re.findall(r"<td[^>]*>([^<]*)</td>", table) == ["–", "2", "–", "8", "–", "–", "–", "–", "–"]


def test_the_trade_off_is_a_drawing_and_a_table() -> None:
    contest, captains = attacked(("Alpha", "Beta"), {(0, 1): 3, (1, 0): 8})
    world.move_to(contest.rounds.get(), "published")
    page = board(contest, sign_in(captains[0]))
    svg = drawing(page, "chart")
    dots = {group.findtext(f"{SVG}title"): group.find(f"{SVG}circle") for group in svg.iter(f"{SVG}g")}
    assert list(dots) == ["Beta: 0.2, 3", "Alpha: 0.1, 8"]
    assert [dot.attrib["class"] for dot in dots.values() if dot is not None] == ["s1", "s2 own"]
    assert rows(page, "chart") == [["Beta", "0.200000", "3.000000"], ["Alpha", "0.100000", "8.000000"]]


def test_the_overall_ranking_weighs_the_rounds() -> None:
    contest = world.make_contest(kinds=("preliminary", "final"))
    Round.objects.filter(kind="preliminary").update(weight="0.1")
    Round.objects.filter(kind="final").update(weight="0.9")
    figures = {"Alpha": (0.5, 0.1), "Beta": (0.1, 0.2)}
    for name, values in figures.items():
        _team, captain = world.make_team(contest, name)
        for round_, value in zip(contest.rounds.all(), values, strict=True):
            evaluate(world.hand_in(captain, round_), U=value)
    address = reverse("overall", args=[contest.slug])
    assert "The overall ranking is shown when the results of all rounds are out." in text_of(Client().get(address))
    for round_ in contest.rounds.all():
        world.move_to(round_, "published")
    page = Client().get(address).content.decode()
    assert [row[:3] for row in rows(page, "anonymizers")] == [["1", "Alpha", "0.140000"], ["2", "Beta", "0.190000"]]
    assert "preliminary round: weight 0.1" in page
    assert "Lowest sum of weight × U over the rounds" in page


def test_a_closed_contest_has_no_board_for_strangers() -> None:
    contest = world.make_contest(is_open=False)
    _team, captain = world.make_team(contest, "Alpha")
    addresses = [reverse(name, args=[contest.slug, "final"]) for name in ("board", "board_part")]
    addresses += [reverse("overall", args=[contest.slug])]
    addresses += [reverse("board_export", args=[contest.slug, "final", ending]) for ending in ("csv", "json")]
    for address in addresses:
        assert Client().get(address).status_code == 404
        assert sign_in(captain).get(address).status_code == 200
        assert sign_in(captain).post(address).status_code == 405


@pytest.mark.half_second
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_file_handed_in_by_the_page_is_judged_and_appears_on_the_board() -> None:
    contest = world.make_contest(blind=False)
    _team, captain = world.make_team(contest, "Alpha")
    client = sign_in(captain)
    wrong = give(client, round_address(contest), world.GOOD_A.replace(b",1\n", b",<b>\n", 1))
    right = give(client, round_address(contest))
    played.evaluate()
    page = client.get(wrong["Location"]).content.decode()
    assert "&lt;b&gt;" in page
    assert "quantity" in page
    assert "costs no try" in page
    assert "The file is valid." in text_of(client.get(right["Location"]))
    assert [row[:3] for row in rows(board(contest), "utility")] == [["1", "Alpha", "0.000000"]]


# Geometry


@limited(max_examples=examples(25))
@given(st.lists(st.tuples(st.text(max_size=30), st.floats(-1e6, 1e6), st.floats(0, 1e3)), min_size=1, max_size=25))
def test_dots_lie_inside_the_chart_and_labels_do_not_overlap(points: list[tuple[str, float, float]]) -> None:
    made = charts.scatter([(name, x, y, True, False) for name, x, y in points])
    assert made is not None
    for dot in made.dots:
        assert made.left <= dot.x <= made.right
        assert made.top <= dot.y <= made.bottom
    boxes = []
    for label in (dot.label for dot in made.dots):
        if label is not None:
            width = charts._width(label.text)
            left = label.x - {"start": 0, "middle": width / 2, "end": width}[label.anchor]
            boxes.append((left, label.y, left + width))
    for place, (left, base, right) in enumerate(boxes):
        for other_left, other_base, other_right in boxes[:place]:
            assert left >= other_right - 0.2 or other_left >= right - 0.2 or abs(base - other_base) >= 13.8


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9))
def test_ticks_cover_their_range_with_few_round_numbers(low: float, span: float) -> None:
    found = charts.ticks(low, low + span)
    assert 2 <= len(found) <= 8
    assert found[0] <= low + 1e-6 * max(1.0, abs(low), span)
    assert found[-1] >= low + span - 1e-6 * max(1.0, abs(low), span)
    assert found == sorted(found)


def test_charts_of_nothing_are_not_drawn() -> None:
    assert charts.scatter([]) is None
    assert charts.scatter([("a", float("nan"), 1.0, True, False)]) is None
    assert charts.heat_map([], [], {}) is None
    everything: Any = charts.heat_map([("a", "A")], [("b", "B")], {})
    assert everything.cells[0].text == ""


def test_names_stand_in_the_corners_of_a_chart_and_an_axis_of_zeros_goes_up_to_one() -> None:
    drawn = charts.scatter([("Nothing", 1.0, 0.0, True, False), ("Origin", 0.0, 0.0, True, False)])
    assert drawn is not None
    assert {dot.label.text for dot in drawn.dots if dot.label} == {"Nothing", "Origin"}
    assert [drawn.y_ticks[0].text, drawn.y_ticks[-1].text] == ["0", "1"]
