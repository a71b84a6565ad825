"""The evaluating process and its leases: limits, deaths, take-over, fencing, batches, and no try lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone, translation

from tests.arena import world
from tests.arena.pending import run_pending
from tests.arena.played import evaluate, in_this_process
from tests.arena.test_leases import two_teams
from tests.arena.test_unpack import zipped
from tests.contests.pws2021.test_table import random_table
from tokumei_arena import access
from tokumei_arena.models import Attempt, Blob, DataFile, Rescore, RescoreItem, Submission, Target, TargetFile, Team
from tokumei_arena.records.storage import open_blob, put_bytes
from tokumei_arena.work import evaluation, intake, leftovers, loop, queue_view, sandbox
from tokumei_arena.work.limits import Limits
from tokumei_arena.work.results import failure_text
from tokumei_arena.work.sandbox import Death, Outcome, run_child

LIMITS = Limits(
    upload_bytes=10_000_000,
    unpacked_bytes=40_000_000,
    zip_ratio=200,
    zip_entries=5,
    rows=100_000,
    columns=100,
    cell_length=1_000,
    memory_bytes=2_000_000_000,
    cpu_seconds=60,
    wall_seconds=60,
)
RELEASE = {"task": "release", "rule_set": "pws2018", "parameters": {"round": "final"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a job about a valid release."""
    (tmp_path / "data").mkdir()
    (tmp_path / "release").mkdir()
    (tmp_path / "data/T.csv").write_bytes(world.T)
    (tmp_path / "release/upload").write_bytes(world.GOOD_A)
    return tmp_path


def test_guesses_that_unpack_to_too_much_together_are_sent_back_to_be_scored_one_by_one(folder: Path) -> None:
    limits = replace(LIMITS, unpacked_bytes=len(world.GOOD_A) + 10)
    count = 2 + limits.unpacked_bytes // len(world.guesses())
    for number in range(count):
        place = folder / "guesses" / str(number)
        place.mkdir(parents=True)
        (place / "upload").write_bytes(world.guesses())
    job = {**RELEASE, "task": "guesses", "count": count}
    assert run_child(folder, job, limits).death == Death.FILE_SIZE
    # Nothing is unpacked any more from there on.
    assert sum(1 for _ in folder.glob("guesses/*/*.csv")) == count - 1


def _children() -> list[int]:
    found = []
    for task in Path("/proc/self/task").iterdir():
        found += [int(pid) for pid in (task / "children").read_text().split()]
    return found


@pytest.mark.half_second
def test_the_child_gives_what_the_contest_gives(folder: Path) -> None:
    outcome = run_child(folder, RELEASE, LIMITS)
    assert outcome.result is not None, outcome.messages
    (result,) = outcome.result["results"]
    assert (result["valid"], result["figures"]["U"], result["findings"]) == (True, 0.0, [])
    assert outcome.result["rule_version"].startswith("pws2018-1 tokumei-")


def test_the_child_knows_no_secret_and_no_django(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "STORAGE_URL", "TOKUMEI_ARENA_SECRET", "AWS_SECRET_ACCESS_KEY", "EMAIL_URL"):
        monkeypatch.setenv(name, "hidden-value")
    passed = sandbox._environment(folder, 1)
    assert "hidden-value" not in passed.values()
    assert passed["HOME"] == str(folder)
    program = "import sys, tokumei_arena.work.child; print('django' in sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("limits", "death"),
    [(replace(LIMITS, memory_bytes=20_000_000), Death.MEMORY), (replace(LIMITS, wall_seconds=0), Death.WALL)],
)
def test_memory_and_time_are_limited(folder: Path, limits: Limits, death: str) -> None:
    # Libraries that other tests of this process called may keep helpers of their own.
    others = _children()
    outcome = run_child(folder, RELEASE, limits)
    assert (outcome.result, outcome.death) == (None, death)
    assert _children() == others


@pytest.mark.half_second
def test_a_child_killed_in_the_middle_is_told_from_one_that_errs(folder: Path) -> None:
    others = _children()

    def kill() -> bool:
        for pid in set(_children()) - set(others):
            os.kill(pid, signal.SIGKILL)
        return True

    assert run_child(folder, RELEASE, LIMITS, keep_on=kill).death == Death.KILLED
    assert run_child(folder, RELEASE, LIMITS, keep_on=lambda: False).death == Death.STOPPED
    erring = run_child(folder, {**RELEASE, "rule_set": "pws1999"}, LIMITS)
    assert erring.death == Death.ERROR
    assert "there is no contest named 'pws1999'" in erring.messages


def _confined(program: str, parent: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program in a process that confined itself to 1 s of processor and 64 MB beside the room."""
    values = {**LIMITS.as_dict(), "cpu_seconds": 1, "memory_bytes": 64_000_000, "unpacked_bytes": 1_000}
    text = (
        "import json, os\nfrom tokumei_arena.work.limits import Limits\n"
        "from tokumei_arena.work.limits import confine\n"
        f"confine(Limits.of(json.loads('{json.dumps(values)}')), parent={parent or os.getpid()})\n{program}"
    )
    return subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True, check=False)


@pytest.mark.half_second
def test_a_process_confines_itself(tmp_path: Path) -> None:
    assert _confined("while True: pass").returncode == -signal.SIGXCPU
    assert "MemoryError" in _confined("bytearray(5_000_000_000)").stderr
    written = _confined(f"import pathlib; pathlib.Path({str(tmp_path / 'big')!r}).write_bytes(b'x' * 2_000)")
    assert "File too large" in written.stderr
    opened = _confined("files = [open('/dev/null') for _ in range(300)]")
    assert "Too many open files" in opened.stderr
    raised = _confined("import resource; resource.setrlimit(resource.RLIMIT_CPU, (9, 9))")
    assert raised.returncode != 0
    assert _confined("print('alive')").stdout == "alive\n"
    assert _confined("print('alive')", parent=1).stdout == ""


@pytest.mark.half_second
@pytest.mark.database
@pytest.mark.django_db
def test_what_is_begun_too_often_fails_with_a_reason_and_gives_its_try_back() -> None:
    contest, alpha, _beta = two_teams(limit=1)
    submission = world.hand_in(alpha, contest.rounds.get())
    for run in range(1, 4):
        (job,) = evaluation.claim_work()
        assert job.rows[0].runs == run
        Submission.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert Attempt.objects.count() == 1
    assert evaluation.claim_work() == []
    submission.refresh_from_db()
    assert (submission.state, submission.failure) == (
        "failed",
        "the worker was interrupted again and again; ask the referee to look at it",
    )
    assert Attempt.objects.count() == 0
    with translation.override("en"):
        assert failure_text(submission) == submission.failure
    referee = world.make_person("Ref", referee=True)
    queue_view.evaluate_again(submission, by=referee)
    assert run_pending() == 1
    submission.refresh_from_db()
    assert (submission.state, submission.verdict) == ("done", "valid")


@pytest.mark.django_db
@pytest.mark.parametrize(("death", "runs"), [(Death.MEMORY, 1), (Death.WALL, 1), (Death.KILLED, 3)])
def test_deaths_that_would_repeat_fail_at_once_others_are_tried_again(
    death: str, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest, alpha, _beta = two_teams(limit=1)
    submission = world.hand_in(alpha, contest.rounds.get())
    monkeypatch.setattr(evaluation, "run_child", lambda *_a, **_k: Outcome(None, death, "told"))
    assert run_pending() == runs
    submission.refresh_from_db()
    assert (submission.state, submission.runs, Attempt.objects.count()) == ("failed", runs, 0)
    assert "memory" in submission.failure or "longer" in submission.failure or "killed" in submission.failure


@pytest.mark.half_second
@pytest.mark.database
@pytest.mark.django_db
def test_an_invalid_file_costs_no_try() -> None:
    contest, alpha, _beta = two_teams(limit=1)
    round_ = contest.rounds.get()
    bad = world.hand_in(alpha, round_, b"PK\x03\x04 not a zip")
    run_pending()
    bad.refresh_from_db()
    assert bad.evaluation is not None
    assert (bad.state, bad.verdict, bad.evaluation.findings[0]["code"]) == ("done", "invalid", "zip-damaged")
    good = world.hand_in(alpha, round_)
    run_pending()
    good.refresh_from_db()
    assert (good.verdict, intake.remaining_tries(round_, good.team)) == ("valid", 0)


@pytest.mark.django_db
def test_a_round_without_data_fails_with_that_reason() -> None:
    contest, alpha, _beta = two_teams()
    DataFile.objects.all().delete()
    submission = world.hand_in(alpha, contest.rounds.get())
    run_pending()
    submission.refresh_from_db()
    assert submission.failure == "the round has no data to compare this with; ask the referee"


@pytest.mark.database
@pytest.mark.django_db
def test_a_worker_that_is_stopped_gives_its_work_back() -> None:
    contest, alpha, _beta = two_teams()
    submission = world.hand_in(alpha, contest.rounds.get())
    assert evaluation.work_once(stopped=lambda: True) == 1
    submission.refresh_from_db()
    assert (submission.state, submission.runs, submission.lease) == ("queued", 0, None)


def _attacked(count: int) -> tuple[Target, list[Submission]]:
    """Return a target with guesses of this many teams waiting."""
    contest, alpha, _beta = two_teams()
    round_ = contest.rounds.get()
    others = [world.make_team(contest, f"Attacker {number}")[1] for number in range(count)]
    world.hand_in(alpha, round_)
    evaluate()
    world.move_to(round_, "attack")
    evaluate()
    target = Target.objects.select_related("round__contest").get(team__name="Alpha")
    files = [world.upload(world.guesses(8 - number)) for number in range(count)]
    return target, [
        intake.submit_guesses(captain, target, file, name="F.csv") for captain, file in zip(others, files, strict=True)
    ]


@pytest.mark.half_second
@pytest.mark.database
@pytest.mark.django_db
def test_guesses_about_one_target_are_scored_together_and_one_by_one_if_that_dies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _target, guesses = _attacked(3)
    calls: list[int] = []

    def dying(folder: Path, job: dict[str, Any], limits: Limits, **options: Any) -> Outcome:
        calls.append(job["count"])
        # Whatever holds the second guess dies.
        poison = world.guesses(7)
        held = any(path.read_bytes() == poison for path in folder.glob("guesses/*/upload"))
        return Outcome(None, Death.CPU, "") if held else in_this_process(folder, job, limits, **options)

    monkeypatch.setattr(evaluation, "run_child", dying)
    assert run_pending() == 1
    assert calls == [3, 1, 1, 1]
    found = []
    for guess in guesses:
        guess.refresh_from_db()
        found.append((guess.state, guess.evaluation and guess.evaluation.figures["hits"]))
    assert found == [("done", 8), ("failed", None), ("done", 6)]


@pytest.mark.half_second
@pytest.mark.django_db
def test_evaluations_are_reproducible_bit_for_bit() -> None:
    # A process of their own and this one give the same.
    target, guesses = _attacked(2)
    run_pending()
    rescore = Rescore.objects.create(round=target.round, reason="check")
    everything = [*Submission.objects.filter(kind="release"), *guesses]
    items = [RescoreItem.objects.create(rescore=rescore, submission=one) for one in everything]
    evaluate()
    for item in items:
        item.refresh_from_db()
        item.submission.refresh_from_db()
        assert item.state == "done"
        assert item.evaluation is not None
        assert item.submission.evaluation is not None
        assert item.evaluation.pk != item.submission.evaluation.pk
        assert item.evaluation.fingerprint == item.submission.evaluation.fingerprint
    guesses[0].refresh_from_db()
    inputs = guesses[0].evaluation
    assert inputs is not None
    assert inputs.inputs["submission"] == guesses[0].blob.sha256
    assert set(inputs.inputs) >= {"data", "release", "published", "truth", "parameters"}


@pytest.mark.half_second
@pytest.mark.database
@pytest.mark.django_db
def test_a_2021_final_with_private_data_is_played_to_the_end(settings: LazySettings) -> None:
    contest = world.make_contest(rule_set="pws2021", parameters={"limits_of": "preliminary"})
    round_ = contest.rounds.get()
    captains = {}
    for number, name in enumerate(("Alpha", "Beta")):
        team, captains[name] = world.make_team(contest, name)
        lines = random_table(400, 30 + number).lines()
        text = "".join(f"{line}\n" for line in lines).encode()
        DataFile.objects.create(round=round_, team=team, name="B", blob=put_bytes(Blob.Area.DATA, "B.csv", text))
        kept = "".join(f"{line}\n" for line in lines[60:]).encode()
        rows = "".join(f"{row}\n" for row in range(60)).encode()
        world.hand_in(captains[name], round_, zipped({"D.csv": kept, "X.csv": rows}))
    evaluate()
    # Random tables are too small to keep every limit; the referee lets them in.
    found = list(Submission.objects.all())
    assert {note["code"] for one in found for note in one.evaluation.findings} <= {"limit"}  # type: ignore[union-attr]
    assert all(one.evaluation is not None and one.evaluation.figures["rows"] == 340 for one in found)
    Submission.objects.update(verdict="valid")
    world.move_to(round_, "attack")
    evaluate()
    target = Target.objects.get(team__name="Alpha")
    beta = Team.objects.get(name="Beta")
    assert sorted(file.name for file in access.target_files(captains["Beta"], target)) == ["CT", "D"]
    secret = TargetFile.objects.get(target=target, name="EA")
    assert (secret.team, secret.blob.area) == (beta, "truth")
    settings.ARENA_ROLE = "worker"
    with open_blob(secret.blob) as file:
        answers = file.read().decode().split()
    settings.ARENA_ROLE = "web"
    exact = "".join(f"{row},{row},{row}\n" for row in answers).encode()
    guess = intake.submit_guesses(captains["Beta"], target, world.upload(exact), name="E.csv")
    evaluate()
    guess.refresh_from_db()
    assert guess.evaluation is not None
    assert guess.evaluation.figures == {"recall": 1.0, "prec": 1.0, "topk": 1.0, "risk": 1.0}
    assert guess.evaluation.inputs["own_truth"] == {"EA": secret.blob.sha256}


def test_folders_of_dead_processes_are_swept(settings: LazySettings) -> None:
    with leftovers.work_folder() as own:
        assert own.stat().st_mode & 0o077 == 0
        gone = own.with_name(own.name.replace(f".{os.getpid()}.", ".4999999."))
        (gone / "truth").mkdir(parents=True)
        assert leftovers.sweep_folders() == 1
        assert (own.exists(), gone.exists()) == (True, False)
    assert not own.exists()


def test_a_worker_needs_its_role(settings: LazySettings) -> None:
    settings.ARENA_ROLE = "web"
    with pytest.raises(ImproperlyConfigured, match="needs the role 'worker'"):
        loop.run_worker(threading.Event())


PROGRAM = """
import django, os, sys
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("createcachetable", verbosity=0)
from tests.arena import world
from tests.arena.test_unpack import zipped
contest = world.make_contest()
team, captain = world.make_team(contest, "Alpha")
submission = world.hand_in(captain, contest.rounds.get())
print("ready", flush=True)
from tokumei_arena.work.loop import run_until_signal
run_until_signal(slots=2)
submission.refresh_from_db()
print(submission.state, submission.verdict, submission.runs, flush=True)
"""


@pytest.mark.half_second
def test_a_real_worker_works_and_ends_at_sigterm(tmp_path: Path, wait_for: Callable[..., None]) -> None:
    environment = {
        **os.environ,
        "TOKUMEI_ARENA_HOME": str(tmp_path),
        "TOKUMEI_ARENA_ROLE": "worker",
        "DJANGO_SETTINGS_MODULE": "tests.arena.settings",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    environment.pop("DATABASE_URL", None)
    worker = subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    assert worker.stdout.readline() == "ready\n"
    wait_for(lambda: any((tmp_path / "work").glob("*/result.json")) or _finished(tmp_path))
    wait_for(lambda: not any((tmp_path / "work").iterdir()))
    worker.send_signal(signal.SIGTERM)
    out, _ = worker.communicate(timeout=20)
    assert (worker.returncode, out) == (0, "done valid 1\n")


def _finished(home: Path) -> bool:
    return (home / "work").is_dir() and any((home / "work").iterdir())


@pytest.fixture
def wait_for() -> Callable[..., None]:
    """Return a function that waits until something holds."""

    def wait(condition: Callable[[], bool]) -> None:
        for _ in range(600):
            if condition():
                return
            threading.Event().wait(0.05)
        pytest.fail("waited in vain")

    return wait
