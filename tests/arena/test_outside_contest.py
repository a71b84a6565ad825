"""A contest from outside in the arena: made, played, attacked and ranked through the pages and through the API."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.arena import world
from tests.arena.desk_world import desk, referee
from tests.arena.pages import check_page
from tests.arena.played import evaluate, in_this_process
from tests.arena.playing import give, sign_in, text_of
from tests.arena.test_api import Caller
from tests.outside import outside
from tokumei.contests import Contest as Rules
from tokumei.contests import make_contest
from tokumei_arena.contests.plan import default_rounds
from tokumei_arena.models import Contest, DataFile, Submission, Target
from tokumei_arena.records.storage import open_blob
from tokumei_arena.work.targets import make_due_targets

pytestmark = [pytest.mark.django_db]
__all__ = ["desk", "outside", "referee"]


@pytest.fixture
def rules(outside: str) -> Rules:
    """Return the rules of the contest."""
    return make_contest(outside)


@pytest.fixture
def contest(outside: str, desk: Client) -> Contest:
    """Return the contest as a referee makes it on the pages, with generated data, open for anonymization."""
    assert "Hide the ages" in check_page(desk.get(f"/desk/contests/new/?rules={outside}"))
    fields: dict[str, Any] = {"name": "Village Cup", "team_size": 3, "terms": "Be fair.", "parameter-widest": "55"}
    for kind, plan in default_rounds(outside, timezone.now()).items():
        fields |= {f"{kind}-weight": 1 if kind == "final" else 0, f"{kind}-attack_limit": 1}
        fields |= {f"{kind}-release_feedback": "exact", f"{kind}-attack_feedback": "exact"}
        fields |= {f"{kind}-freeze_minutes": 0}
        for phase, starts in plan.starts.items():
            fields[f"{kind}-{phase}"] = timezone.localtime(starts).strftime("%Y-%m-%dT%H:%M")
    made = desk.post(f"/desk/contests/new/?rules={outside}", {**fields, "final-included": "on"})
    assert made.status_code == 302, text_of(made)
    found = Contest.objects.get()
    assert (found.rule_set, found.parameters) == (outside, {"widest": 55})
    with mock.patch("tokumei_arena.contests.round_data.run_child", in_this_process):
        answer = desk.post(f"/desk/c/{found.slug}/final/data/generate/", {"subjects": 12})
    assert answer.status_code == 302, text_of(answer)
    desk.post(f"/desk/c/{found.slug}/open/")
    world.move_to(found.rounds.get(), "anonymize")
    return Contest.objects.get()


def _data(folder: Path) -> Path:
    folder.mkdir()
    for file in DataFile.objects.all():
        with open_blob(file.blob) as stored:
            (folder / f"{file.name}.csv").write_bytes(stored.read())
    return folder


@pytest.mark.half_second
def test_a_round_is_played_to_the_end(contest: Contest, rules: Rules, tmp_path: Path) -> None:
    round_, data = contest.rounds.get(), _data(tmp_path / "data")
    captains = {name: world.make_team(contest, name)[1] for name in ("Pages", "Programs")}
    browser, program = sign_in(captains["Pages"]), Caller(captains["Programs"])
    address, place = reverse("round", args=[contest.slug, "final"]), f"/contests/{contest.slug}/rounds/final"
    releases = {}
    # Exact ages are named easily, halves of a life hardly: whatever is drawn, one attacker does better.
    for width in (1, 55):
        folder = tmp_path / str(width)
        folder.mkdir()
        rules.anonymize("bands", data, folder, settings={"width": width}, rng=np.random.default_rng(1))
        releases[width] = (folder / "ranges.csv").read_bytes()
    rules_page = check_page(browser.get(reverse("contest", args=[contest.slug])))
    assert "low,high for every person" in rules_page
    # One team plays on the pages, and hands in nonsense first.
    assert give(browser, address, b"young,old\n", "ranges.csv").status_code == 302
    evaluate()
    wrong = Submission.objects.get()
    page = text_of(browser.get(reverse("submission", args=[contest.slug, wrong.pk])))
    assert "there are 1 lines instead of 12" in page
    assert give(browser, address, releases[1], "ranges.csv").status_code == 302
    # The other one is a program.
    assert [file["name"] for file in program.get(f"{place}/data")] == ["people.csv"]
    sent = program.upload(f"{place}/submissions", releases[55], name="ranges.csv")
    evaluate()
    told = program.get(f"/contests/{contest.slug}/submissions/{sent['id']}")
    # The server drew the ages, so that the width is what the file says.
    rows = [[int(cell) for cell in line.split(",")] for line in releases[55].decode().split()]
    mean_width = sum(high - low for low, high in rows) / len(rows)
    assert (told["verdict"], told["figures"]["width"]) == ("valid", pytest.approx(mean_width))
    world.move_to(round_, "attack")
    make_due_targets(round_)
    evaluate()
    _attack(contest, browser, program, data, tmp_path)
    evaluate()
    world.move_to(round_, "published")
    _look_at_the_board(contest, browser, program)


def _attack(contest: Contest, browser: Client, program: Caller, data: Path, folder: Path) -> None:
    # Both attack: the first order of names, and whoever fits.
    own = Target.objects.get(team__name="Programs")
    target = reverse("target", args=[contest.slug, "final", own.pk])
    assert own.alias in check_page(browser.get(target))
    people = [line.partition(",")[0] for line in (data / "people.csv").read_text().splitlines()]
    assert give(browser, target, "\n".join(people).encode(), "names.csv").status_code == 302
    place = f"/contests/{contest.slug}/rounds/final"
    (listed,) = program.get(f"{place}/targets")
    (file,) = listed["files"]
    seen, guesses = folder / "seen", folder / "guesses"
    seen.mkdir()
    guesses.mkdir()
    (seen / file["file"]).write_bytes(program.bytes(file["url"]))
    rules = make_contest(contest.rule_set)
    rules.attack("fit", data, seen, guesses, settings={}, rng=np.random.default_rng(1))
    path = f"{place}/targets/{listed['id']}/guesses"
    program.upload(path, (guesses / "names.csv").read_bytes(), name="names.csv")


def _look_at_the_board(contest: Contest, browser: Client, program: Caller) -> None:
    board = program.get(f"/contests/{contest.slug}/rounds/final/board")
    tables = {table["name"]: {row["team"]: row for row in table["rows"]} for table in board["tables"]}
    attackers = tables["attackers"]
    assert {row["rank"] for row in attackers.values()} == {1, 2}
    assert attackers["Programs"]["figures"]["score"] > attackers["Pages"]["figures"]["score"]
    shown = tables["anonymizers"]["Programs"]["figures"]
    assert shown["score"] == pytest.approx(shown["width"] / 110 + shown["rate"])
    page = text_of(browser.get(reverse("board", args=[contest.slug, "final"])))
    assert "Anonymizers: lowest mean width / 110 + largest rate." in page
    japanese = browser.get(reverse("board", args=[contest.slug, "final"]), headers={"accept-language": "ja"})
    assert "名前を当てた割合" in check_page(japanese)


def test_its_parameters_are_checked_on_the_page(outside: str, desk: Client) -> None:
    page = desk.post(f"/desk/contests/new/?rules={outside}", {"name": "Village Cup", "parameter-widest": "500"})
    assert page.status_code == 400
    assert "Ensure this value is less than or equal to 110." in text_of(page)


def test_an_unknown_or_unplayable_contest_is_not_offered(desk: Client) -> None:
    page = check_page(desk.get("/desk/contests/new/"))
    assert "PWS Cup 2018" in page
    assert "PWS Cup 2017" not in page
    assert desk.get("/desk/contests/new/?rules=pws2017").status_code == 302
