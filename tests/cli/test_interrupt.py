"""Signals and streams, in real processes: Ctrl-C, SIGTERM, a reader that leaves, a full or closed standard output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tokumei.cli.main import main
from tokumei.methods.grouping import partition
from tokumei.methods.grouping.search import search_groups
from tokumei.progress import is_enough
from tokumei.synth.writing import write_synthetic

pytestmark = pytest.mark.half_second

COMMAND = [sys.executable, "-m", "tokumei"]
DEADLINE_SECONDS = 60.0
# Reading and imports take two CPU seconds.
SEARCHING_CPU_SECONDS = 3.5


def _start(folder: Path, *words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *(str(word) for word in words)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _last_words(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Wait for the end; what does not end is killed, or it would take the time of all tests that follow."""
    try:
        return process.communicate(timeout=DEADLINE_SECONDS)
    finally:
        process.kill()


def _interrupted(process: subprocess.Popen[str], folder: Path, number: int) -> tuple[int, str, str]:
    """Send a signal as soon as the process has begun to write a temporary file."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not list(folder.glob(".*.part*")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = _last_words(process)
    return process.returncode, out, err


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_ctrl_c_leaves_no_file_and_no_traceback(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    target.write_text("what was there before\n", encoding="utf-8")
    process = _start(tmp_path, "synth", "purchases", "--subjects", "1000000", "--seed", "1", "-o", name)
    status, out, err = _interrupted(process, tmp_path, signal.SIGINT)
    assert (status, out) == (130, "")
    assert err == "tokumei: interrupted; no half-written file is left\n"
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_text(encoding="utf-8") == "what was there before\n"


def test_ctrl_c_in_a_flow_leaves_no_release_and_no_secret(tmp_path: Path) -> None:
    """The interrupt hits while the folder of the demo is being filled."""
    process = _start(tmp_path, "demo", "demo", "--subjects", "3000")
    status, out, err = _interrupted(process, tmp_path, signal.SIGINT)
    assert (status, out) == (130, "")
    assert err == "tokumei: interrupted; no half-written file is left\n"
    assert list(tmp_path.iterdir()) == []


def test_the_system_may_end_a_run(tmp_path: Path) -> None:
    process = _start(tmp_path, "synth", "purchases", "--subjects", "1000000", "-o", "t.csv")
    status, out, err = _interrupted(process, tmp_path, signal.SIGTERM)
    assert (status, out) == (143, "")
    assert err == "tokumei: ended by the system; no half-written file is left\n"
    assert list(tmp_path.iterdir()) == []


def test_a_request_to_end_that_a_library_turned_into_an_error_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Polars writes through a file of Python's: what is raised there comes out as an error of polars."""

    def wrapped(*_: object, **__: object) -> int:
        try:
            signal.raise_signal(signal.SIGTERM)
        except BaseException as error:
            raise RuntimeError from error
        return 0

    monkeypatch.setattr("tokumei.cli.main._run", wrapped)
    with pytest.raises(SystemExit) as ended:
        main(["methods"])
    assert ended.value.code == 143
    assert capsys.readouterr().err == "tokumei: ended by the system; no half-written file is left\n"


def _cpu_seconds(process: subprocess.Popen[str]) -> float:
    """Return the CPU time that a running process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the CPU time of a process is read from /proc")
@pytest.mark.parametrize(("number", "status", "threads"), [(signal.SIGINT, 130, 2), (signal.SIGTERM, 143, 1)])
def test_a_search_ends_at_once(tmp_path: Path, number: int, status: int, threads: int) -> None:
    """The search of groups would go on for minutes, until it is killed; kernels cannot be asked to stop."""
    t = tmp_path / "T.csv"
    write_synthetic("purchases", t, subjects=800, seed=1, header=False)
    words = ("pws2018", "anonymize", "k-anonymity", t, "-o", "A.csv", "--k", "3", "--set", "effort=best")
    process = _start(tmp_path, *words, "--set", f"threads={threads}")
    deadline = time.monotonic() + DEADLINE_SECONDS
    while _cpu_seconds(process) < SEARCHING_CPU_SECONDS and time.monotonic() < deadline:
        time.sleep(0.05)
    assert process.poll() is None
    process.send_signal(number)
    out, err = _last_words(process)
    assert (process.returncode, out) == (status, "")
    assert err.endswith("; no half-written file is left\n")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [t]


def test_ctrl_c_takes_the_best_found_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The search of a release ends early with a whole release, and the command says so."""
    write_synthetic("purchases", tmp_path / "shop.csv", subjects=20, seed=1)

    def interrupted(*given: Any, **named: Any) -> Any:
        if not is_enough():
            os.kill(os.getpid(), signal.SIGINT)
        while not is_enough():
            time.sleep(0.01)
        return search_groups(*given, **named)

    monkeypatch.setattr(partition, "search_groups", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(["anonymize", str(tmp_path / "shop.csv"), "--skip-audit", "-o", str(tmp_path / "release")])
    assert ended.value.code == 0
    err = capsys.readouterr().err
    assert "ending the search with the best found so far; press Ctrl-C again to stop without a result\n" in err
    assert "warning: the search was ended by hand: this is the best found until then" in err
    assert (tmp_path / "release" / "data.csv").exists()


def _run(folder: Path, redirection: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command under a redirection of the shell."""
    quoted = " ".join(f"'{word}'" for word in [*COMMAND, *words])
    return subprocess.run(
        ["/bin/bash", "-c", f"{quoted} {redirection}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )


@pytest.mark.parametrize("words", [("metrics", "--json"), ("metrics",), ("--help",)])
def test_a_reader_that_leaves_is_no_failure(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = _run(tmp_path, "| true; echo ${PIPESTATUS[0]}", *words)
    assert done.stdout == "0\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_negative_verdict_is_kept_when_the_reader_leaves(tmp_path: Path) -> None:
    (tmp_path / "T").write_text("1,2011/1/5,A,2.5,1\n", encoding="utf-8")
    (tmp_path / "A").write_text("9,2011/1/5,A,2.5\n", encoding="utf-8")
    done = _run(tmp_path, "| true; echo ${PIPESTATUS[0]}", "pws2018", "check", "T", "A")
    assert done.stdout == "1\n"
    assert done.stderr == ""


@pytest.mark.parametrize("words", [("metrics",), ("metrics", "--json"), ("describe", "missing", "--json")])
def test_a_full_standard_output_is_told(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = _run(tmp_path, "> /dev/full", *words)
    assert done.returncode == 2
    assert done.stderr == (
        "tokumei: standard output cannot be written: No space left on device; send it to another place\n"
    )


def test_closed_streams_do_no_harm(tmp_path: Path) -> None:
    assert _run(tmp_path, ">&-", "metrics").returncode == 0
    done = _run(tmp_path, "2>&-", "describe", "missing")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_a_terminal_that_cannot_show_a_character_gets_its_number(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("顧客,品\nあ,い\nあ,う\nえ,い\n", encoding="utf-8")
    done = _run(tmp_path, "", "describe", "data.csv", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\u54c1" in done.stdout
    answer = _run(tmp_path, "", "describe", "data.csv", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(answer.stdout)["columns"][0]["name"] == "品"


def test_no_color_is_respected(tmp_path: Path) -> None:
    """Colours appear on a terminal (or if forced) only, and never under NO_COLOR."""
    (tmp_path / "T").write_text("1,2011/1/5,A,2.5,1\n", encoding="utf-8")
    (tmp_path / "A").write_text("9,2011/1/5,A,2.5,1\n", encoding="utf-8")
    forced = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    for variables, coloured in ((forced, True), ({**forced, "NO_COLOR": "1"}, False)):
        done = _run(tmp_path, "", "pws2018", "check", "T", "A", **variables)
        assert ("\x1b[32m" in done.stdout) is coloured
    assert _run(tmp_path, "", "pws2018", "check", "T", "A").stdout == "valid\n"
