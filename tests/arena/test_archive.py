"""A contest in one file, into another arena with identical standings; the whole arena in one file and back."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection
from django.utils import timezone

from tests.arena import log_triggers, world
from tests.arena.pictures import LOGO
from tests.arena.played import played_contest
from tokumei_arena import environment
from tokumei_arena.boards import standings
from tokumei_arena.contests import change_look
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Blob, Contest, LogEntry, Person, Submission, Target, TargetFile
from tokumei_arena.records import archive, archive_rows, backup, logbook
from tokumei_arena.records.storage import TruthClosedError, open_blob, put_bytes
from tokumei_arena.work import rescoring

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def _as_worker(settings: LazySettings) -> None:
    settings.ARENA_ROLE = "worker"


def _full_contest() -> Contest:
    """Return a played contest with something in every table."""
    contest, captains = played_contest()
    referee = world.make_person("Ref", referee=True)
    rescoring.start_rescore(contest.rounds.get(), by=referee, reason="to be sure")
    contest.announcements.create(title="Welcome", body="Be fair.", by=referee)
    contest.clarifications.create(team=contest.teams.get(number=1), question="When?", asked_by=captains[0])
    round_ = contest.rounds.get()
    alpha = Submission.objects.get(team__number=1, kind="release")
    round_.choices.create(team=alpha.team, submission=alpha, by=captains[0])
    target = Target.objects.get(team__number=1)
    # Ground truth of its own, as the rounds of 2021 have it.
    target.files.create(name="EA", blob=put_bytes(Blob.Area.TRUTH, "EA.csv", b"1\n2\n"))
    page = contest.pages.create(slug="rules", title="Rules", body="# Fair", edited_at=timezone.now())
    page.attachments.create(name="a.csv", blob=put_bytes(Blob.Area.PUBLISHED, "a.csv", b"1\n"))
    phase = round_.phases.get(kind="attack")
    phase.extensions.create(team=alpha.team, until=timezone.now(), reason="ill")
    published = target.files.filter(blob__area="published").first()
    assert published is not None
    round_.public_files.create(team=alpha.team, name=published.name, blob=published.blob)
    change_look(contest, by=referee, colour="#27418f", logo=ContentFile(LOGO, name="logo.png"))
    return contest


def _tables(contest: Contest) -> dict[str, Any]:
    """Return all rows and all rankings of a contest."""
    rows = {
        name: [archive_rows.values_of(row) for row in archive_rows.rows_of(name, contest)]
        for name in archive_rows.TABLES
    }
    round_ = contest.rounds.get()
    return {
        "rows": rows,
        "round": standings.round_table(round_),
        "overall": standings.overall_table(contest),
        "matrix": standings.matrix(round_),
        "board": standings.board(round_, world.make_person(f"Viewer {Person.objects.count()}", referee=True)),
    }


def _forget_everything(contest: Contest) -> None:
    """Empty the arena of this contest: referees never can, so it is done below the models."""
    del contest
    with connection.cursor() as cursor:
        log_triggers.take_off()
        cursor.execute("DELETE FROM arena_logentry")
        log_triggers.put_on()
        cursor.execute("UPDATE arena_submission SET evaluation_id = NULL, target_id = NULL, kind = 'release'")
        for table in (
            *("publicfile", "extension", "attachment", "page"),
            *("rescoreitem", "rescore", "choice", "attempt", "evaluation", "targetfile", "target", "submission"),
            *("clarification", "announcement", "datafile", "membership", "team", "phase", "round", "logo", "contest"),
            "blob",
        ):
            cursor.execute(f"DELETE FROM arena_{table}")  # noqa: S608


@pytest.mark.half_second
def test_an_imported_contest_has_identical_rows_and_standings(tmp_path: Path) -> None:
    contest = _full_contest()
    before = _tables(contest)
    assert all(before["rows"].values()), [name for name, rows in before["rows"].items() if not rows]
    files = {blob.pk: open_blob_bytes(blob) for blob in Blob.objects.all()}
    written = archive.export_contest(contest, tmp_path / "cup.zip")
    assert stat.S_IMODE((tmp_path / "cup.zip").stat().st_mode) == 0o600
    assert written.rows == {name: len(rows) for name, rows in before["rows"].items()}
    _forget_everything(contest)
    assert not Contest.objects.exists()
    read = archive.import_contest(tmp_path / "cup.zip")
    assert read == written
    after = _tables(Contest.objects.get())
    assert after["rows"] == before["rows"]
    assert after == before
    assert {blob.pk: open_blob_bytes(blob) for blob in Blob.objects.all()} == files
    assert set(Submission.objects.values_list("person", flat=True)) == {None}
    entry = LogEntry.objects.get(action="contest.import")
    assert entry.detail == {"sha256": written.sha256, "log_entries": written.log_entries}
    assert logbook.verify() is None


@pytest.mark.half_second
def test_an_archive_from_before_a_table_was_added_can_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest = _full_contest()
    with monkeypatch.context() as before:
        known = {name: row for name, row in archive_rows.TABLES.items() if name != "Logo"}
        before.setattr("tokumei_arena.records.archive.TABLES", known)
        archive.export_contest(contest, tmp_path / "old.zip")
    _forget_everything(contest)
    assert archive.import_contest(tmp_path / "old.zip").rows["Logo"] == 0


def open_blob_bytes(blob: Blob) -> bytes:
    """Return stored bytes."""
    with open_blob(blob) as file:
        return file.read()


@pytest.mark.half_second
def test_an_archive_holds_no_person_password_or_token(tmp_path: Path) -> None:
    contest = _full_contest()
    archive.export_contest(contest, tmp_path / "cup.zip")
    with zipfile.ZipFile(tmp_path / "cup.zip") as file:
        everything = b"\n".join(file.read(name) for name in file.namelist()).decode()
        manifest = json.loads(file.read("manifest.json"))
    for person in Person.objects.all():
        assert person.email not in everything
        assert person.password not in everything
    assert "token" not in everything
    assert "password" not in everything.replace(manifest["warning"], "")
    assert manifest["versions"]["rule_set"].startswith("pws2018-")
    assert manifest["contest"]["slug"] == contest.slug
    assert contest.seed in everything


@pytest.mark.django_db(transaction=True)
def test_an_archive_shows_one_moment_while_teams_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # SQLite lets nobody write meanwhile.
    goes_on = connection.vendor == "postgresql"
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    read = archive_rows.rows_of

    def hand_in() -> None:
        world.hand_in(captain, contest.rounds.get())
        connection.close()

    def slowly(name: str, of: Contest) -> Any:
        if name == "Submission" and goes_on:
            # The files were listed before: its own would be missing.
            writer = threading.Thread(target=hand_in)
            writer.start()
            writer.join()
        return read(name, of)

    monkeypatch.setattr(archive, "rows_of", slowly)
    done = archive.export_contest(contest, tmp_path / "cup.zip")
    assert (done.rows["Blob"], done.rows["Submission"], Submission.objects.count()) == (1, 0, int(goes_on))


@pytest.mark.half_second
def test_the_same_contest_is_not_imported_twice(tmp_path: Path) -> None:
    contest = _full_contest()
    archive.export_contest(contest, tmp_path / "cup.zip")
    rows = Submission.objects.count(), Blob.objects.count()
    with pytest.raises(NotNowError, match=f"the contest “{contest.name}” is in this arena already; nothing was imp"):
        archive.import_contest(tmp_path / "cup.zip")
    assert (Submission.objects.count(), Blob.objects.count()) == rows
    _forget_everything(contest)
    other = world.make_contest(slug=contest.slug)
    with pytest.raises(NotNowError, match=f"another contest has the short name “{contest.slug}”"):
        archive.import_contest(tmp_path / "cup.zip")
    assert archive.import_contest(tmp_path / "cup.zip", slug="second").slug == "second"
    assert {one.slug for one in Contest.objects.all()} == {other.slug, "second"}


def _rewrite(path: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)


def _change_score(members: dict[str, bytes]) -> None:
    members["tables/Evaluation.json"] = members["tables/Evaluation.json"].replace(b'"hits": 8', b'"hits": 9')


def _change_file(members: dict[str, bytes]) -> None:
    name = next(name for name in members if name.startswith("files/"))
    members[name] += b"1,2\n"


def _add_file(members: dict[str, bytes]) -> None:
    members["files/../../etc/passwd"] = b"x"


def _later_version(members: dict[str, bytes]) -> None:
    members["manifest.json"] = members["manifest.json"].replace(b'"version": 1', b'"version": 2')


def _seal(members: dict[str, bytes], name: str) -> None:
    """Let the manifest say that a changed member is right."""
    manifest = json.loads(members["manifest.json"])
    manifest["members"][name] = hashlib.sha256(members[name]).hexdigest()
    members["manifest.json"] = json.dumps(manifest).encode()


def _change_log(members: dict[str, bytes]) -> None:
    members["log.json"] = members["log.json"].replace(b'"action": "submit.release"', b'"action": "submit.nothing"', 1)
    _seal(members, "log.json")


def _reach_out(members: dict[str, bytes]) -> None:
    teams = json.loads(members["tables/Team.json"])
    teams[0]["contest_id"] = str(uuid4())
    members["tables/Team.json"] = json.dumps(teams).encode()
    _seal(members, "tables/Team.json")


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_change_score, "“tables/Evaluation.json” was changed"),
        (_change_file, "“files/.*” was changed"),
        (_add_file, "its files are not those its manifest lists"),
        (_later_version, "its format has version 2; this arena reads version 1"),
        (_reach_out, "“Team.contest” refers to what is not in it"),
        (_change_log, "entry [0-9]+ of the log in this archive was changed"),
    ],
)
def test_a_tampered_archive_is_refused_whole(
    tmp_path: Path, change: Callable[[dict[str, bytes]], None], message: str
) -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    submission = world.hand_in(captain, contest.rounds.get())
    submission.evaluations.create(
        rule_set="pws2018", rule_version="1", inputs={}, valid=True, figures={"hits": 8}, fingerprint="0" * 64
    )
    archive.export_contest(contest, tmp_path / "cup.zip")
    _forget_everything(contest)
    _rewrite(tmp_path / "cup.zip", change)
    with pytest.raises(RefusedError, match=message):
        archive.import_contest(tmp_path / "cup.zip")
    assert not Contest.objects.exists()
    assert not Blob.objects.exists()
    assert not LogEntry.objects.exists()


def test_other_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="nothing.zip cannot be used: there is no such file"):
        archive.import_contest(tmp_path / "nothing.zip")
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(RefusedError, match="text.zip cannot be used: it is no zip file, or it is damaged"):
        archive.import_contest(tmp_path / "text.zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as file:
        file.writestr("a", "b")
    with pytest.raises(RefusedError, match="other.zip cannot be used: it has no manifest of the arena"):
        archive.import_contest(tmp_path / "other.zip")


def test_a_web_process_cannot_export_ground_truth(tmp_path: Path, settings: LazySettings) -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha")
    release = world.hand_in(captain, contest.rounds.get())
    target = Target.objects.create(round=contest.rounds.get(), team=team, submission=release, alias="Jade")
    TargetFile.objects.create(target=target, name="EA", blob=put_bytes(Blob.Area.TRUTH, "EA.csv", b"1\n"))
    settings.ARENA_ROLE = "web"
    with pytest.raises(TruthClosedError, match="by workers only"):
        archive.export_contest(contest, tmp_path / "cup.zip")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    contest = world.make_contest()
    blob = Blob.objects.get()
    storages[blob.area].delete(blob.key)
    with pytest.raises(RefusedError, match=f"the stored file “T.csv” \\({blob.key}\\) is missing; restore it from a"):
        archive.export_contest(contest, tmp_path / "cup.zip")
    assert list(tmp_path.iterdir()) == []


def _small_arena() -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha")
    release = world.hand_in(captain, contest.rounds.get())
    target = Target.objects.create(round=contest.rounds.get(), team=team, submission=release, alias="Jade")
    TargetFile.objects.create(target=target, name="EA", blob=put_bytes(Blob.Area.TRUTH, "EA.csv", b"1\n"))


@contextmanager
def _empty_place(home: Path) -> Iterator[dict[str, str]]:
    """Yield the environment of an arena that does not exist yet: another folder, another database."""
    own = {**os.environ, "TOKUMEI_ARENA_HOME": str(home), "DJANGO_SETTINGS_MODULE": "tokumei_arena.settings"}
    del own["TOKUMEI_ARENA_SECRET"]
    if connection.vendor == "sqlite":
        yield own
        return
    with connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE restored")
    before, slash, _name = own["DATABASE_URL"].rpartition("/")
    yield {**own, "DATABASE_URL": f"{before}{slash}restored"}
    with connection.cursor() as cursor:
        cursor.execute("DROP DATABASE restored")


def _tokumei(place: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tokumei", "arena", *words]
    return subprocess.run(command, env=place, capture_output=True, text=True, check=False)


@pytest.mark.half_second
@pytest.mark.django_db(transaction=True)
def test_a_backup_is_restored_to_the_last_row_and_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _small_arena()
    saved, home = tmp_path / "arena.zip", tmp_path / "restored"
    monkeypatch.setenv("TOKUMEI_ARENA_SECRET", "")
    (environment.home() / "secret.key").write_text("the key of this arena")
    done = backup.back_up(saved)
    (environment.home() / "secret.key").unlink()
    assert (done.database, done.files, done.missing) == (connection.vendor, 3, ())
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    with pytest.raises(NotNowError, match="there is an arena here already; restore into an empty folder or database"):
        backup.restore(saved)
    with _empty_place(home) as place:
        ran = _tokumei(place, "restore", str(saved), "--json")
        assert (ran.returncode, json.loads(ran.stdout)["files"]) == (0, 3), ran.stderr
        assert (home / "secret.key").read_text() == "the key of this arena"
        ran = _tokumei(place, "verify-log", "--json")
        told = json.loads(ran.stdout)
        assert (ran.returncode, told["intact"], told["guarded"], told["entries"]) == (0, True, True, 1)
        if connection.vendor == "sqlite":
            with closing(sqlite3.connect(tmp_path / "now.sqlite3")) as now:
                connection.connection.backup(now)
            assert _rows(home / "arena.sqlite3") == _rows(tmp_path / "now.sqlite3")
            _tamper(home / "arena.sqlite3")
            ran = _tokumei(place, "verify-log", "--json")
            assert (ran.returncode, json.loads(ran.stdout)["broken"]["reason"]) == (1, "entry 1 was changed")
            assert "triggers that make the database refuse changes of the log are gone" in ran.stderr
    for blob in Blob.objects.all():
        stored = home / "files" / blob.area / blob.key
        if not os.environ.get("STORAGE_URL"):
            assert hashlib.sha256(stored.read_bytes()).hexdigest() == blob.sha256


def _tamper(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TRIGGER log_no_update")
        database.execute("UPDATE arena_logentry SET action = 'x' WHERE number = 1")
        database.commit()


def _rows(path: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(path)) as database:
        listed = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        names = sorted(row[0] for row in listed)
        return {name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"'))) for name in names}  # noqa: S608


@pytest.mark.django_db(transaction=True)
def test_a_backup_names_files_that_are_gone(tmp_path: Path) -> None:
    _small_arena()
    blob = Blob.objects.get(name="T.csv")
    storages[blob.area].delete(blob.key)
    done = backup.back_up(tmp_path / "arena.zip")
    assert (done.files, done.missing) == (2, (f"data/{blob.key}",))


def test_without_a_client_of_postgresql_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(RefusedError, match="pg_dump is not installed; install the client programs of PostgreSQL"):
        backup._run_postgres("pg_dump")


def test_a_backup_is_no_contest(tmp_path: Path) -> None:
    contest = world.make_contest()
    archive.export_contest(contest, tmp_path / "cup.zip")
    with pytest.raises(RefusedError, match="it is a “tokumei-arena-contest”, not a “tokumei-arena-backup”"):
        backup.restore(tmp_path / "cup.zip")
