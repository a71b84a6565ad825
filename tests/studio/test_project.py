"""A project is a folder of its owner's files: what they say survives whatever happens to the studio."""

from __future__ import annotations

import fcntl
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.studio.conftest import purchases
from tokumei.data import Column, Kind, Schema
from tokumei.errors import OutputError, ParameterError
from tokumei.flow import Plan
from tokumei_studio.jobs import Job, Step, start
from tokumei_studio.project import Project

SCHEMA = Schema("customer", (Column(name="price", kind=Kind.NUMBER, step=0.5), Column(name="email", drop=True)))


def test_a_new_project_is_for_its_owner_alone(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "deep" / "project")
    assert project.folder.stat().st_mode & 0o777 == 0o700
    inside = sorted(path.name for path in project.folder.iterdir())
    assert inside == [".scratch", "data", "jobs", "plans", "releases", "reports"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in project.folder.iterdir())
    assert (project.plan, project.schema, project.jobs(), project.releases()) == (None, None, [], [])


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"has other files in it \(thesis.txt\); name a new folder for the project"):
        Project.open(tmp_path)
    with pytest.raises(OutputError, match="a part of the path is a file"):
        Project.open(tmp_path / "thesis.txt" / "project")


def test_what_was_left_half_is_removed_when_it_is_opened_again(project: Project) -> None:
    (project.scratch / "upload.part").write_text("c01")
    again = Project.open(project.folder)
    assert list(again.scratch.iterdir()) == []


def test_the_plan_is_kept_without_its_key_and_can_be_run(project: Project) -> None:
    place = project.folder / "data" / "p.csv"
    place.write_text(purchases())
    project.choose_input(place)
    plan = project.plan
    assert plan is not None
    assert (plan.input, plan.method, plan.parameters, plan.schema) == ("data/p.csv", "k-anonymity", {"k": 3}, None)
    project.choose_schema(SCHEMA)
    project.save_plan(replace(plan, schema=SCHEMA, key="ab" * 32, input_sha256="cd" * 32))
    text = (project.folder / "plan.toml").read_text()
    assert "ab" * 32 not in text
    assert "cd" * 32 not in text
    assert Plan.read(project.folder / "plan.toml").schema == SCHEMA
    assert Schema.read(project.folder / "schema.toml") == SCHEMA
    assert (project.folder / "plan.toml").stat().st_mode & 0o777 == 0o600
    # Another input: what the columns mean is asked again.
    project.choose_input(place)
    assert project.schema is None
    assert not (project.folder / "schema.toml").exists()


def test_a_project_can_be_moved(project: Project, tmp_path: Path) -> None:
    place = project.folder / "data" / "p.csv"
    place.write_text(purchases())
    project.choose_input(place)
    moved = Project.open(project.folder.rename(tmp_path / "moved"))
    path = moved.input_path()
    assert path == tmp_path / "moved" / "data" / "p.csv"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("sales 2024.csv", "sales 2024.csv"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\x.csv", "x.csv"),
        ("購買.csv", "購買.csv"),
        ("a<b>;c.csv", "a_b_c.csv"),
        ("...", "data"),
        ("", "data"),
        ("x" * 300 + ".csv", "x" * 76 + ".csv"),
    ],
)
def test_uploads_get_a_name_inside_the_project(project: Project, given: str, kept: str) -> None:
    assert project.free_place(given) == project.folder / "data" / kept


def test_no_release_gets_the_name_of_one_that_was(project: Project) -> None:
    assert project.free_release("k-anonymity", 3) == "k-anonymity-k3-1"
    releases = project.folder / "releases"
    (releases / "k-anonymity-k3-1.secret").write_text("who is who")
    assert project.free_release("k-anonymity", 3) == "k-anonymity-k3-2"
    assert project.free_release("pseudonymize", None) == "pseudonymize-1"
    (releases / "pseudonymize-1").mkdir()
    assert project.releases() == ["pseudonymize-1"]
    assert project.release("../data") is None


def job(project: Project, number: int, ended: dict[str, object] | None = None) -> Job:
    folder = project.folder / "jobs" / str(number)
    folder.mkdir()
    steps = [Step(name="describe", words=("describe", "data/my file.csv"))]
    Job(folder=folder, kind="describe", steps=steps, about={"what": number}).write()
    if ended is not None:
        (folder / "ended.json").write_text(json.dumps(ended))
    return Job.read(folder)


def test_jobs_say_how_they_stand(project: Project) -> None:
    assert job(project, 1, {"status": 0, "seconds": 2.0, "error": ""}).state == "done"
    assert job(project, 2, {"status": 1, "seconds": 2.0, "error": ""}).state == "done"
    failed = job(project, 3, {"status": 2, "seconds": 2.0, "error": "there is no such file; check the path"})
    assert (failed.state, failed.error) == ("failed", "there is no such file; check the path")
    assert job(project, 4, {"status": 143, "seconds": 2.0, "error": ""}).state == "stopped"
    # Killed, or ended with the machine: no process holds its lock.
    killed = job(project, 10)
    (killed.folder / "lock").write_text("1")
    assert Job.read(killed.folder).state == "stopped"
    assert [one.number for one in project.jobs()] == [10, 4, 3, 2, 1]
    assert killed.steps[0].command == "tokumei describe 'data/my file.csv'"
    newest = project.newest("describe", what=3)
    assert newest is not None
    assert newest.number == 3
    assert project.newest("describe", what=7) is None


def test_one_job_runs_at_a_time(project: Project) -> None:
    running = job(project, 1)
    with (running.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert Job.read(running.folder).state == "running"
        with pytest.raises(ParameterError, match="another job is running; wait for its end, or cancel it"):
            start(project.folder / "jobs", "synth", [], {})
    assert Job.read(running.folder).state == "stopped"


def test_a_half_written_result_is_no_result(project: Project) -> None:
    one = job(project, 1)
    (one.folder / "describe.json").write_text('{"records": 1')
    assert one.result("describe") is None
    assert one.result("audit") is None
