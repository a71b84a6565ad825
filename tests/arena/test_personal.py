"""Certificates, the own data of a person, and the log with filters and exports."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from unittest import mock

import pytest
from django.test import Client
from django.urls import reverse

from tests.arena import pages, world
from tests.arena.played import played_contest
from tests.arena.playing import sign_in
from tokumei.errors import ParameterError
from tokumei_arena.contests import ask_referees
from tokumei_arena.models import Contest, LogEntry, Person, Round
from tokumei_arena.records import record
from tokumei_arena.records.logbook import hash_of_values

pytestmark = pytest.mark.django_db


@pytest.fixture
def referee() -> Person:
    person = world.make_person("Referee", referee=True)
    pages.add_second_factor(person)
    return person


@pytest.mark.half_second
def test_a_team_gets_its_certificate_as_pdf_once_results_are_out() -> None:
    pytest.importorskip("weasyprint")
    contest, (ann, _bob, _gus) = played_contest("scoring")
    client, address = sign_in(ann), reverse("own_certificate", args=[contest.slug])
    assert client.get(address).status_code == 302
    world.move_to(contest.rounds.get(), "published")
    got = client.get(address)
    assert got["Content-Type"] == "application/pdf"
    assert got.content.startswith(b"%PDF-")
    assert got["Content-Disposition"] == f'attachment; filename="{contest.slug}-team1.pdf"'
    contest.teams.update(disqualified_at=contest.created_at, disqualified_for="x")
    assert client.get(address).status_code == 302


def test_what_certificates_lack_is_told(referee: Person) -> None:
    contest = world.make_contest("published")
    refusal = ParameterError("no WeasyPrint")
    with mock.patch("tokumei_arena.web.certificates.check_document", side_effect=refusal):
        html = pages.check_page(sign_in(referee).get(reverse("desk_results", args=[contest.slug])))
    assert "pip install" in html
    Round.objects.update(ceremony=True)
    html = pages.check_page(sign_in(referee).get(reverse("desk_results", args=[contest.slug])))
    assert "when the results of all rounds are out" in html


def test_people_get_everything_about_themselves_and_nothing_of_others() -> None:
    contest = world.make_contest("anonymize")
    _alpha, ann = world.make_team(contest, "Alpha")
    _beta, bob = world.make_team(contest, "Beta")
    for person in (ann, bob):
        world.hand_in(person, contest.rounds.get())
        ask_referees(person, contest, f"question of {person.name}")
    client = Client()
    pages.sign_in(client, ann)
    pages.confirm(client)
    got = client.post(reverse("own_data"))
    archive = zipfile.ZipFile(io.BytesIO(got.content))
    documents = {name: json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")}
    assert documents["account.json"]["email"] == ann.email
    assert [one["team"] for one in documents["submissions.json"]] == ["Alpha"]
    assert [one["question"] for one in documents["questions.json"]] == [f"question of {ann.name}"]
    assert {one["action"] for one in documents["log.json"]} == {"submit.release", "question.ask"}
    everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert bob.email not in everything
    assert ann.password not in everything
    assert LogEntry.objects.filter(action="person.export").exists()


@pytest.fixture
def logged(referee: Person) -> Contest:
    contest = world.make_contest("anonymize")
    other = world.make_contest("anonymize")
    for number in range(3):
        record("page.make", contest, actor=referee, title=f"=cmd{number}")
    record("phase.close", contest, actor=referee)
    record("page.make", other, actor=referee)
    record("system.start")
    return contest


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 4),
        ("action=page", 3),
        ("action=page.make", 3),
        ("action=pag", 0),
        ("actor=ref", 4),
        ("actor=nobody", 0),
        ("since=2000-01-01&until=2001-01-01", 0),
        ("since=nonsense", 4),
    ],
)
def test_the_log_is_filtered_and_exported(logged: Contest, referee: Person, query: str, count: int) -> None:
    client = sign_in(referee)
    html = pages.check_page(client.get(reverse("desk_contest_log", args=[logged.slug]) + f"?{query}"))
    assert f"<span>{count} entr" in html
    lines = client.get(reverse("desk_contest_log_export", args=[logged.slug, "jsonl"]) + f"?{query}").getvalue()
    entries = [json.loads(line) for line in lines.decode().splitlines()]
    assert len(entries) == count
    for entry in entries:
        assert hash_of_values({name: value for name, value in entry.items() if name != "hash"}) == entry["hash"]
    table = client.get(reverse("desk_contest_log_export", args=[logged.slug, "csv"]) + f"?{query}").getvalue()
    rows = list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"))))
    assert [int(row["number"]) for row in rows] == [entry["number"] for entry in entries]


def test_the_whole_log_is_for_referees_of_the_arena(logged: Contest, referee: Person) -> None:
    lines = sign_in(referee).get(reverse("desk_log_export", args=["jsonl"])).getvalue().decode().splitlines()
    assert len(lines) == LogEntry.objects.count() == 6
    moved = sign_in(referee).get(reverse("desk_log") + f"?contest={logged.slug}&action=page")
    assert moved["Location"] == reverse("desk_contest_log", args=[logged.slug]) + "?action=page"
