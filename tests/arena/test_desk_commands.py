"""``tokumei arena verify-log|export|import|erase|referee-link``: exit statuses, one JSON document, one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.conf import LazySettings

from tests.arena import log_triggers, world
from tests.conftest import Run
from tokumei_arena import environment
from tokumei_arena.contests import managing as contests
from tokumei_arena.models import Blob, Contest, LogEntry, OneTimeLink, Person
from tokumei_arena.records import logbook
from tokumei_arena.teams import links

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def _as_worker(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ARENA_ROLE = "worker"
    # The commands say which role they have; the variable is put back afterwards.
    monkeypatch.setenv("TOKUMEI_ARENA_ROLE", os.environ.get("TOKUMEI_ARENA_ROLE", "web"))


def test_a_whole_log_is_told_with_its_last_hash(run: Run) -> None:
    entry = [logbook.record("test", n=number) for number in range(3)][-1]
    ran = run("arena", "verify-log", "--json")
    assert (ran.status, ran.json) == (
        0,
        {
            "intact": True,
            "entries": 3,
            "head": entry.hash,
            "guarded": True,
            "broken": None,
            "heads": {"compared": 0, "last_entry": 0, "key_known": environment.has_log_key()},
        },
    )
    ran = run("arena", "verify-log", "--head", entry.hash)
    assert (ran.status, ran.out) == (
        0,
        f"the log is whole: 3 entries, the last has the hash {entry.hash}; no head of it is signed yet\n",
    )


def test_a_changed_or_shortened_log_is_a_negative_verdict(run: Run) -> None:
    entry = [logbook.record("test", n=number) for number in range(3)][-1]
    log_triggers.take_off()
    LogEntry.objects.filter(number=3).delete()
    ran = run("arena", "verify-log", "--json")
    assert (ran.status, ran.json["intact"], ran.json["guarded"]) == (0, True, False)
    assert "warning: the triggers that make the database refuse changes of the log are gone" in ran.err
    ran = run("arena", "verify-log", "--head", entry.hash, "--json")
    assert (ran.status, ran.json["broken"]["number"]) == (1, 3)
    LogEntry.objects.filter(number=2).update(action="x")
    ran = run("arena", "verify-log")
    assert (ran.status, ran.out) == (1, "the log is broken: entry 2 was changed\n")


def test_a_contest_is_exported_with_a_warning_and_imported_once(run: Run, tmp_path: Path) -> None:
    contest = world.make_contest()
    target = tmp_path / "cup.zip"
    ran = run("arena", "export", contest.slug, "-o", target, "--json")
    assert (ran.status, ran.json["slug"], ran.json["rows"]["Round"]) == (0, contest.slug, 1)
    assert "holds ground truth: keep it as secret as a password" in ran.err
    entry = LogEntry.objects.get(action="contest.export")
    assert (entry.actor, entry.detail["sha256"]) == ("system", ran.json["sha256"])
    ran = run("arena", "import", target, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "already-imported")
    Contest.objects.all().delete()
    Blob.objects.all().delete()
    ran = run("arena", "import", target, "--slug", "again")
    assert (ran.status, ran.out) == (0, "contest 'again' imported: 0 teams, 0 submissions\n")


def test_unknown_contests_and_files_are_one_sentence(run: Run, tmp_path: Path) -> None:
    world.make_contest(slug="autumn")
    ran = run("arena", "export", "autum", "-o", tmp_path / "x.zip")
    assert (ran.status, ran.err) == (2, "tokumei: there is no contest 'autum' (did you mean 'autumn'?)\n")
    ran = run("arena", "export", "autumn", "-o", tmp_path / "no" / "x.zip")
    assert ran.status == 2
    assert "the folder does not exist; create it first" in ran.err
    ran = run("arena", "import", tmp_path / "x.zip", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "bad-archive")


def test_an_account_is_erased_after_a_question(run: Run) -> None:
    person = world.make_person("Ann")
    ran = run("arena", "erase", "bob@example.org", "--yes", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "no-account")
    ran = run("arena", "erase", "ann@example.org", "--yes", "--json")
    assert (ran.status, ran.json) == (0, {"erased": str(person.pk)})
    person.refresh_from_db()
    assert (person.name, person.is_active) == ("–", False)


def test_a_referee_comes_by_a_link(run: Run) -> None:
    ran = run("arena", "referee-link", "--address", "https://arena.example.org/", "--json")
    assert ran.status == 0
    url = ran.json["url"]
    assert url.startswith("https://arena.example.org/referee/")
    token = url.rstrip("/").rpartition("/")[2]
    assert links.find_link(token, OneTimeLink.Purpose.REFEREE).made_by is None
    assert LogEntry.objects.get(action="referee.invite").actor == "system"


def test_the_last_referee_is_not_erased(run: Run) -> None:
    referee = world.make_person("Ref", referee=True)
    contests.hide_contest(world.make_contest(), by=referee)
    ran = run("arena", "erase", referee.email, "--yes")
    assert (ran.status, ran.err) == (2, "tokumei: this is the last referee; make another one first\n")
    assert Person.objects.get().name == "Ref"
