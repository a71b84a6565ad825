"""Jobs in processes of their own: they tell how far they are, end when asked, and fail with a sentence."""

from __future__ import annotations

import pytest

from tests.arena.real_server import until
from tests.studio.conftest import Browser, purchases, said
from tokumei_studio.jobs import Job, Step, start
from tokumei_studio.project import Project

pytestmark = pytest.mark.slow


def read_again(job: Job) -> Job:
    """Return a job as its files say now."""
    return Job.read(job.folder)


def test_a_job_is_shown_while_it_runs_and_leaves_nothing_when_it_is_cancelled(
    project: Project, browser: Browser
) -> None:
    words = ("synth", "purchases", "--subjects", "1000000", "--seed", "1", "-o", "data/p.csv")
    job = start(project.folder / "jobs", "synth", [Step(name="synth", words=words)], {})
    assert job.running
    shown = said(browser.get(f"/jobs/{job.number}/"))
    assert shown.startswith("Generate data since ")
    until(lambda: read_again(job).progress.get("stages"), "no stage is told")
    assert "HX-Refresh" not in browser.get(f"/jobs/{job.number}/")
    assert "generate purchases" in said(browser.get("/data/"))
    # A studio that is started again finds it.
    again = Project.open(project.folder).running_job()
    assert again is not None
    assert again.number == job.number
    assert browser.post(f"/jobs/{job.number}/cancel/", {"next": "/data/"})["Location"] == "/data/"
    until(lambda: not read_again(job).running, "the job goes on")
    assert read_again(job).state == "stopped"
    assert list((project.folder / "data").iterdir()) == []
    assert browser.get(f"/jobs/{job.number}/")["HX-Refresh"] == "true"


def test_a_fault_of_ours_is_no_silence(project: Project) -> None:
    steps = [Step(name="describe", words=("describe", "--schema"))]
    job = start(project.folder / "jobs", "describe", steps, {})
    until(lambda: not read_again(job).running, "the job does not end")
    failed = read_again(job)
    assert (failed.state, failed.error) == ("failed", "internal error (StopIteration); see 1/messages.txt in jobs")
    assert "Traceback" in (job.folder / "messages.txt").read_text()


def test_a_job_that_fails_says_why_in_a_sentence(project: Project, browser: Browser) -> None:
    (project.folder / "data" / "p.csv").write_text(purchases())
    steps = [
        Step(name="compare", words=("compare", "data/p.csv", "--methods", "magic")),
        Step(name="describe", words=("describe", "data/p.csv")),
    ]
    job = start(project.folder / "jobs", "compare", steps, {})
    until(lambda: not read_again(job).running, "the job does not end")
    failed = read_again(job)
    assert failed.state == "failed"
    assert failed.error.startswith("there is no anonymizer named 'magic'")
    assert failed.result("describe") is None
    page = said(browser.get("/commands/"))
    assert "Try candidates failed" in page
    assert "there is no anonymizer named 'magic'" in page
