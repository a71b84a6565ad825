"""The referee desk: making contests, changing them, their phases and their data; every action is logged."""

from __future__ import annotations

import csv
import html
import io
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from unittest import mock

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.arena import world
from tests.arena.desk_world import desk, edit_form, entry_of, referee
from tests.arena.pages import check_page, text_of
from tests.arena.played import in_this_process, played_contest
from tokumei.contests import find_contest
from tokumei.parts import part_names
from tokumei_arena.contests import managing as contests
from tokumei_arena.contests import phases
from tokumei_arena.contests.plan import ContestPlan, default_rounds, free_slug
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Contest, DataFile, LogEntry, Person, Phase
from tokumei_arena.records.storage import open_blob

pytestmark = pytest.mark.django_db

__all__ = ["desk", "referee"]


@pytest.fixture(autouse=True)
def _quick() -> Any:
    """Check data in this process; one test of the worker starts real ones."""
    with mock.patch("tokumei_arena.contests.round_data.run_child", in_this_process):
        yield


def _new_form(**changes: Any) -> dict[str, Any]:
    """Return the form of a new contest as the page fills it, with a name."""
    fields: dict[str, Any] = {"name": "Autumn Cup", "team_size": 10, "needs_approval": "on", "terms": "Be fair."}
    for kind, plan in default_rounds("pws2018", timezone.now()).items():
        if plan.weight:
            fields[f"{kind}-included"] = "on"
        for phase, starts in plan.starts.items():
            fields[f"{kind}-{phase}"] = timezone.localtime(starts).strftime("%Y-%m-%dT%H:%M")
        fields |= {f"{kind}-weight": plan.weight, f"{kind}-attack_limit": plan.attack_limit}
        fields |= {f"{kind}-release_feedback": "exact", f"{kind}-attack_feedback": "delayed"}
        fields |= {f"{kind}-freeze_minutes": 0, f"{kind}-blind": "on"}
    fields |= {"parameter-p": "1/3", "parameter-alpha": "1/2000"}
    return {**fields, **changes}


# Making a contest


def test_a_contest_takes_a_name_and_one_page(desk: Client) -> None:
    assert "Make the contest" in check_page(desk.get("/desk/contests/new/"))
    response = desk.post("/desk/contests/new/", _new_form())
    assert response.status_code == 302, text_of(response.content.decode())
    contest = Contest.objects.get()
    assert response["Location"] == "/desk/c/autumn-cup/"
    assert (contest.slug, contest.rule_set, contest.parameters, contest.is_open) == ("autumn-cup", "pws2018", {}, False)
    assert {one.kind: one.weight for one in contest.rounds.all()} == {
        "preliminary": Decimal("0.1"),
        "final": Decimal("0.9"),
    }
    for round_ in contest.rounds.all():
        rows = list(round_.phases.all())
        assert [row.kind for row in rows] == list(Phase.Kind)
        assert [row.ends_at for row in rows[:-1]] == [row.starts_at for row in rows[1:]]
        assert rows[-1].ends_at is None
    assert entry_of("contest.create")["rule_set"] == "pws2018"
    page = text_of(check_page(desk.get("/desk/c/autumn-cup/")))
    assert "Preliminary round: there is no data yet." in page
    assert "The contest is not visible yet." in page


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "This field is required."),
        ({"final-weight": "0.5"}, "the weights of the rounds must add up to 1; they add up to 0.6"),
        ({"final-attack": "2026-01-01T00:00"}, "the phase “attack” must begin after the phase “anonymization”"),
        ({"parameter-p": "often"}, "p: write a decimal such as 0.0005 or a fraction such as 1/3"),
        ({"slug": "taken"}, "This short name is taken; choose another one."),
        ({"final-attack_limit": "0"}, "Ensure this value is greater than or equal to 1."),
    ],
)
def test_a_wrong_plan_is_refused_with_a_sentence(desk: Client, changes: dict[str, Any], message: str) -> None:
    world.make_contest(slug="taken")
    page = text_of(check_page(desk.post("/desk/contests/new/", _new_form(**changes)), 400))
    assert message in page
    assert Contest.objects.count() == 1
    assert not LogEntry.objects.filter(action="contest.create").exists()


def test_parameters_come_from_the_rule_set_and_only_changes_are_kept(desk: Client) -> None:
    for name, shown in (("pws2016", "parameter-cells"), ("pws2021", "parameter-strict"), ("pws2018", "parameter-p")):
        assert f'name="{shown}"' in check_page(desk.get(f"/desk/contests/new/?rules={name}"))
    assert desk.get("/desk/contests/new/?rules=chess").status_code == 302
    desk.post("/desk/contests/new/", _new_form(**{"parameter-alpha": "0.01", "parameter-strict": "on"}))
    assert Contest.objects.get().parameters == {"alpha": "0.01", "strict": True}


def test_the_final_of_2021_has_private_data_by_default() -> None:
    now = timezone.now()
    assert default_rounds("pws2021", now)["final"].private_data
    assert not default_rounds("pws2021", now)["preliminary"].private_data
    assert not default_rounds("pws2018", now)["final"].private_data


def test_short_names_are_free_and_made_from_any_name() -> None:
    world.make_contest(slug="cup")
    assert free_slug("Cup") == "cup-2"
    assert free_slug("秋の大会") == "contest"
    assert len(free_slug("x" * 120)) <= 40


def test_plans_without_rounds_or_of_unknown_rules_are_refused(referee: Person) -> None:
    rounds = tuple(default_rounds("pws2018", timezone.now()).values())
    world.make_contest(slug="taken")
    with pytest.raises(RefusedError, match="the short name “taken” is taken; choose another one"):
        contests.create_contest(ContestPlan(name="x", slug="taken", rule_set="pws2018", rounds=rounds[1:]), by=referee)
    with pytest.raises(RefusedError, match="choose at least one round"):
        contests.create_contest(ContestPlan(name="x", rule_set="pws2018", rounds=()), by=referee)
    playable = ", ".join(name for name in part_names("contest") if find_contest(name).players)
    with pytest.raises(RefusedError, match=f"there is no rule set “chess”; choose one of {playable}$"):
        contests.create_contest(ContestPlan(name="x", rule_set="chess", rounds=rounds), by=referee)


# Changing it


def test_settings_are_changed_and_the_changes_logged(desk: Client) -> None:
    contest = world.make_contest()
    address = f"/desk/c/{contest.slug}/edit/"
    check_page(desk.get(address))
    changes = {"name": "Winter Cup", "final-attack_limit": 3, "final-release_feedback": "bands", "parameter-p": "1/4"}
    assert desk.post(address, edit_form(contest, **changes)).status_code == 302
    contest.refresh_from_db()
    round_ = contest.rounds.get()
    assert (contest.name, contest.parameters) == ("Winter Cup", {"p": "1/4"})
    assert (round_.attack_limit, round_.release_feedback) == (3, "bands")
    assert entry_of("contest.edit")["changes"] == {"name": ["Cup 1", "Winter Cup"], "parameters": [{}, {"p": "1/4"}]}
    assert entry_of("round.edit")["changes"] == {"attack_limit": [1, 3], "release_feedback": ["exact", "bands"]}
    assert desk.post(address, edit_form(contest, **changes)).status_code == 302
    assert LogEntry.objects.filter(action="contest.edit").count() == 1


def test_a_refused_change_changes_nothing(desk: Client) -> None:
    contest = world.make_contest()
    changes = {"name": "Other", "final-attack_limit": 5, "parameter-p": "2/0"}
    page = text_of(check_page(desk.post(f"/desk/c/{contest.slug}/edit/", edit_form(contest, **changes)), 400))
    assert "p: the fraction '2/0' divides by zero" in html.unescape(page)
    contest.refresh_from_db()
    assert (contest.name, contest.rounds.get().attack_limit) == ("Cup 1", 1)
    assert not LogEntry.objects.filter(action__in=("contest.edit", "round.edit")).exists()
    page = text_of(
        check_page(desk.post(f"/desk/c/{contest.slug}/edit/", edit_form(contest, **{"final-private_data": "on"})), 400)
    )
    assert "the final round has data already; whether it is private can no longer be changed" in page


@pytest.mark.half_second
def test_changed_parameters_ask_for_a_rescoring(desk: Client) -> None:
    contest, _captains = played_contest()
    response = desk.post(f"/desk/c/{contest.slug}/edit/", edit_form(contest, **{"parameter-p": "1/9"}), follow=True)
    assert "start a re-scoring to bring them up to date" in text_of(check_page(response))


def test_a_contest_is_opened_and_hidden(desk: Client, client: Client) -> None:
    contest = world.make_contest(is_open=False)
    address = f"/c/{contest.slug}/"
    assert Client().get(address).status_code == 404
    desk.post(f"/desk{address}open/", {"open": "yes"})
    assert Client().get(address).status_code == 200
    desk.post(f"/desk{address}open/", {"open": "no"})
    assert Client().get(address).status_code == 404
    assert LogEntry.objects.filter(action__in=("contest.open", "contest.hide")).count() == 2


# Phases


def _local(moment: datetime) -> str:
    return timezone.localtime(moment).strftime("%Y-%m-%dT%H:%M")


def test_phases_are_extended_and_closed_with_a_reason(desk: Client) -> None:
    contest = world.make_contest("anonymize")
    round_ = contest.rounds.get()
    phase = round_.phases.get(kind="anonymize")
    attack = round_.phases.get(kind="attack").starts_at
    address = f"/desk/c/{contest.slug}/phases/"
    check_page(desk.get(address))
    assert phase.ends_at is not None
    until = (phase.ends_at + timedelta(hours=2)).replace(second=0, microsecond=0)
    page = desk.post(f"{address}{phase.pk}/extend/", {"until": _local(until), "reason": ""}, follow=True)
    assert "This field is required." in text_of(check_page(page))
    desk.post(f"{address}{phase.pk}/extend/", {"until": _local(until), "reason": "storm"})
    assert round_.phases.get(kind="anonymize").ends_at == until
    assert round_.phases.get(kind="attack").starts_at == attack + (until - phase.ends_at)
    assert entry_of("phase.extend")["reason"] == "storm"
    past = timezone.now() - timedelta(seconds=90)
    page = desk.post(f"{address}{phase.pk}/extend/", {"until": _local(past), "reason": "x"}, follow=True)
    assert "must" in text_of(check_page(page))
    desk.post(f"{address}{phase.pk}/close/", {"reason": "all are ready"})
    assert entry_of("phase.close")["reason"] == "all are ready"
    current = Contest.objects.get().rounds.get().current_phase()
    assert current is not None
    assert current.kind == "attack"


@pytest.mark.half_second
def test_what_others_have_seen_is_not_reopened(referee: Person) -> None:
    contest, _captains = played_contest("attack")
    phase = contest.rounds.get().phases.get(kind="anonymize")
    later = timezone.now() + timedelta(hours=1)
    with pytest.raises(NotNowError, match="published already; anonymization cannot begin again"):
        phases.extend_phase(phase, later, by=referee, reason="one more hour")
    world.move_to(contest.rounds.get(), "published")
    phase = contest.rounds.get().phases.get(kind="attack")
    with pytest.raises(NotNowError, match="the results of this round are out"):
        phases.extend_phase(phase, later, by=referee, reason="one more hour")


def _times(round_: Any, **changes: Any) -> dict[str, str]:
    fields = {}
    for phase in round_.phases.all():
        fields[f"{round_.kind}-{phase.kind}_from"] = _local(phase.starts_at)
        if phase.ends_at is not None:
            fields[f"{round_.kind}-{phase.kind}_to"] = _local(phase.ends_at)
    return {**fields, f"{round_.kind}-reason": "new plan", **changes}


def test_the_timetable_is_moved_but_never_the_past(desk: Client) -> None:
    contest = world.make_contest("anonymize")
    round_ = contest.rounds.get()
    address = f"/desk/c/{contest.slug}/final/times/"
    results = timezone.now().replace(second=0, microsecond=0) + timedelta(days=9)
    changes = {"final-published_from": _local(results), "final-scoring_to": _local(results)}
    assert desk.post(address, _times(round_, **changes)).status_code == 302
    assert round_.phases.get(kind="published").starts_at == results
    moved = LogEntry.objects.filter(action="phase.move").values_list("detail__phase", flat=True)
    assert set(moved) == {"scoring", "published"}
    early = _local(timezone.now() - timedelta(days=3))
    page = text_of(check_page(desk.post(address, _times(round_, **{"final-registration_from": early})), 400))
    assert "the phase “registration”: times in the past cannot be changed or chosen" in page
    wrong = {"final-attack_from": _local(results), "final-attack_to": _local(results + timedelta(hours=1))}
    page = text_of(check_page(desk.post(address, _times(round_, **wrong)), 400))
    assert "the phase “scoring” must not begin before the phase “attack” has ended" in page


# Data


def test_data_is_checked_stored_and_described(desk: Client) -> None:
    contest = world.make_contest("registration")
    DataFile.objects.all().delete()
    address = f"/desk/c/{contest.slug}/final/data/"
    assert "There is no data yet." in check_page(desk.get(address))
    page = text_of(check_page(desk.post(address, {"T": SimpleUploadedFile("T.csv", b"1,2\n")}), 400))
    assert "The data cannot be used" in page
    page = text_of(check_page(desk.post(address, {}), 400))
    assert "The file T (original transactions) is missing; choose it too" in page
    response = desk.post(address, {"T": SimpleUploadedFile("my.csv", world.T)}, follow=True)
    assert "The data is checked and stored (rows 24, customers 8" in text_of(check_page(response))
    file = DataFile.objects.get()
    with open_blob(file.blob) as stored:
        assert (file.name, file.team, stored.read()) == ("T", None, world.T)
    entry = entry_of("data.put")
    assert (entry["sha256"], entry["origin"], entry["figures"]["rows"]) == ({"T": file.blob.sha256}, "upload", 24)


def test_packed_data_is_unpacked(desk: Client) -> None:
    import gzip

    contest = world.make_contest("registration")
    packed = SimpleUploadedFile("T.csv.gz", gzip.compress(world.T))
    assert desk.post(f"/desk/c/{contest.slug}/final/data/", {"T": packed}).status_code == 302
    with open_blob(DataFile.objects.get().blob) as stored:
        assert stored.read() == world.T


def test_data_stays_once_somebody_used_it(desk: Client) -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    world.hand_in(captain, contest.rounds.get())
    address = f"/desk/c/{contest.slug}/final/data/"
    page = text_of(check_page(desk.post(address, {"T": SimpleUploadedFile("T.csv", world.T)}), 409))
    assert "Teams have handed in results for this data; it can no longer be changed" in page
    response = desk.post(f"{address}remove/", {"team": ""}, follow=True)
    assert "it can no longer be changed" in text_of(check_page(response))
    assert DataFile.objects.count() == 1


def test_data_is_taken_back_before_it_is_used(desk: Client) -> None:
    contest = world.make_contest("registration")
    assert desk.post(f"/desk/c/{contest.slug}/final/data/remove/", {"team": "nobody"}).status_code == 404
    assert desk.post(f"/desk/c/{contest.slug}/final/data/remove/", {"team": ""}).status_code == 302
    assert not DataFile.objects.exists()
    assert entry_of("data.remove")["round"] == "final"


@pytest.mark.half_second
@pytest.mark.parametrize(("rule_set", "names"), [("pws2016", ["M", "T"]), ("pws2018", ["T"]), ("pws2021", ["B"])])
def test_synthetic_data_is_generated_valid_and_secret(desk: Client, rule_set: str, names: list[str]) -> None:
    hashes = set()
    for _again in range(2):
        contest = world.make_contest("registration", rule_set=rule_set)
        subjects = 500 if rule_set == "pws2021" else 20
        response = desk.post(f"/desk/c/{contest.slug}/final/data/generate/", {"subjects": subjects})
        assert response.status_code == 302, text_of(response.content.decode())
        files = DataFile.objects.filter(round__contest=contest).order_by("name")
        assert [file.name for file in files] == names
        hashes.add(files[0].blob.sha256)
    assert len(hashes) == 2, "another contest has another seed"
    assert set(LogEntry.objects.filter(action="data.put").values_list("detail__origin", flat=True)) == {"synthetic"}
    page = desk.post(f"/desk/c/{contest.slug}/final/data/generate/", {"subjects": 3})
    assert "Choose between" in text_of(check_page(page, 400))


@pytest.mark.half_second
def test_every_team_of_a_2021_final_gets_a_table_of_its_own(desk: Client) -> None:
    contest = world.make_contest("registration", rule_set="pws2021", kinds=("preliminary", "final"))
    contest.rounds.filter(kind="final").update(private_data=True)
    teams = [world.make_team(contest, name)[0] for name in ("Alpha", "Beta")]
    world.make_team(contest, "Late", approved=False)
    desk.post(f"/desk/c/{contest.slug}/preliminary/data/generate/", {"subjects": 500})
    address = f"/desk/c/{contest.slug}/final/data/"
    page = text_of(check_page(desk.get(address)))
    assert "Without data: Alpha, Beta" in page
    assert "2 teams got data of their own." in text_of(check_page(desk.post(f"{address}generate/", follow=True)))
    tables = {}
    for file in DataFile.objects.filter(round__kind="final"):
        assert file.team is not None
        with open_blob(file.blob) as stored:
            tables[file.team.name] = list(csv.reader(io.TextIOWrapper(stored, "ascii")))
    assert set(tables) == {team.name for team in teams}
    assert all(len(rows) == 500 and {len(row) for row in rows} == {12} for rows in tables.values())
    assert tables["Alpha"] != tables["Beta"]
    assert "0 teams got data of their own." in text_of(check_page(desk.post(f"{address}generate/", follow=True)))
    page = text_of(check_page(desk.post(address, {"B": SimpleUploadedFile("B.csv", b"1\n")}), 400))
    assert "In this round every team gets data of its own; choose a team" in page
