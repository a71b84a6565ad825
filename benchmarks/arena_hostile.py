"""``python -m benchmarks.arena_hostile``: a real server under the hands of somebody who means it harm. Loopback only.

    starvation   a team hands in as fast as it can, 45 files in all, while a rival hands in one: how long the rival
                 waits for its verdict, beside the same without the others; alternating, medians
    half-sent    3,000 connections of one address that begin a request and never end it: how many are left, and how long
                 another visitor waits for a page meanwhile
    slow bodies  200 connections of one address that send a byte of a body now and then, without having signed in: when
                 the server ends them, what they left on the disk, and how long another visitor waits meanwhile

Prints a table and writes bench/arena_hostile.json.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchmarks.arena import Row, running, server, until
from benchmarks.inputs import PROJECT, SEED
from tokumei.synth.writing import write_synthetic

if TYPE_CHECKING:
    from benchmarks.arena_world import Contender

HOSTILE_FILES, MOST_TIMES_IDLE = 45, 3.0
HALF_SENT, SLOW = 3_000, 200
# No address of a proxy: a stranger on the same machine.
STRANGER = "127.0.0.3"
SUBJECTS, ROUNDS, PAGES = 400, 5, 20
BODY_SECONDS = 90.0


def _verdict(one: Contender, path: Path) -> float:
    """Hand a file in and wait for its verdict; return the seconds."""
    from tokumei_arena.models import Submission, WorkState  # noqa: PLC0415

    began = time.monotonic()
    one.client.upload("/contests/load/rounds/final/submissions", [path])
    waiting = Submission.objects.filter(team=one.team, state__in=[WorkState.QUEUED, WorkState.RUNNING])
    while waiting.exists():
        time.sleep(0.02)
    return time.monotonic() - began


def _attack(greedy: Contender, files: list[Path], stop: threading.Event, sent: list[int]) -> None:
    """Hand files in as fast as the server takes them, until all are in."""
    for path in files:
        while not stop.is_set():
            try:
                greedy.client.upload("/contests/load/rounds/final/submissions", [path])
            except Exception:
                sent[1] += 1
                time.sleep(0.02)
            else:
                sent[0] += 1
                break


def starvation(url: str, folder: Path) -> list[Row]:
    """Measure the wait of a rival."""
    from benchmarks.arena_world import make_contest, write_release  # noqa: PLC0415
    from tokumei_arena.models import Round  # noqa: PLC0415

    table = folder / "T.csv"
    write_synthetic("purchases", table, subjects=SUBJECTS, seed=SEED, header=False)
    _round, (greedy, rival) = make_contest(url, table, 2)
    Round.objects.update(release_limit=None)
    path = write_release(table, 1, folder / "A.csv")
    files = [write_release(table, 100 + number, folder / f"G{number}.csv") for number in range(HOSTILE_FILES)]
    idle, attacked, sent = [], [], [0, 0]
    with running("worker"):
        _verdict(rival, path)
        for turn in range(ROUNDS):
            idle.append(_verdict(rival, path))
            share = files[turn * HOSTILE_FILES // ROUNDS : (turn + 1) * HOSTILE_FILES // ROUNDS]
            stop = threading.Event()
            crowd = threading.Thread(target=_attack, args=(greedy, share, stop, sent))
            before = sent[0]
            crowd.start()
            until(lambda before=before: sent[0] >= before + 3, "the hostile team hands nothing in")  # type: ignore[misc]
            attacked.append(_verdict(rival, path))
            crowd.join()
            stop.set()
    times = statistics.median(attacked) / statistics.median(idle)
    return [
        Row(f"verdict of a rival, nobody else there: median of {ROUNDS}", statistics.median(idle), "s"),
        Row(f"verdict of a rival, {sent[0]} hostile files: median of {ROUNDS}", statistics.median(attacked), "s"),
        Row("  that many times the idle one", times, "", MOST_TIMES_IDLE),
        Row("  hostile files refused because three of the team waited", float(sent[1]), ""),
    ]


def _page_ms(url: str) -> list[float]:
    """Return how long another visitor waits for pages."""
    found = []
    for _page in range(PAGES):
        began = time.perf_counter()
        with urllib.request.urlopen(f"{url}/accounts/login/", timeout=60) as answer:  # noqa: S310
            answer.read()
        found.append(1000 * (time.perf_counter() - began))
    return sorted(found)


@contextmanager
def _opened(url: str, count: int, text: bytes) -> Iterator[list[socket.socket]]:
    """Open so many connections of a stranger that each send a text."""
    place = urlsplit(url)
    found = []
    for _number in range(count):
        line = socket.socket()
        line.bind((STRANGER, 0))
        try:
            line.connect((place.hostname, place.port))
            line.sendall(text)
        except OSError:
            line.close()
            continue
        found.append(line)
    try:
        yield found
    finally:
        for line in found:
            line.close()


def _alive(lines: list[socket.socket]) -> list[socket.socket]:
    """Return the connections that the server has not ended."""
    ended = set()
    with closing(selectors.DefaultSelector()) as watched:
        for line in lines:
            watched.register(line, selectors.EVENT_READ)
        for key, _events in watched.select(0.2):
            try:
                gone = key.fileobj.recv(65536) == b""  # type: ignore[union-attr]
            except OSError:
                gone = True
            if gone:
                ended.add(key.fd)
    return [line for line in lines if line.fileno() not in ended]


def half_sent(url: str) -> list[Row]:
    """Measure a flood of requests that never end."""
    calm = _page_ms(url)
    with _opened(url, HALF_SENT, b"GET / HTTP/1.1\r\nHost: localhost\r\n") as lines:
        time.sleep(1.0)
        left = len(_alive(_alive(lines)))
        during = _page_ms(url)
        began = time.monotonic()
        while _alive(lines) and time.monotonic() - began < BODY_SECONDS:
            lines[:] = _alive(lines)
        gone = 1.0 + time.monotonic() - began
    return [
        Row(f"{HALF_SENT} half-sent requests of one address: connections left", float(left), ""),
        Row("  all ended after", gone, "s"),
        Row(f"  page of another visitor before: p95 of {PAGES}", calm[-2], "ms"),
        Row(f"  page of another visitor meanwhile: p95 of {PAGES}", during[-2], "ms"),
    ]


def slow_bodies(url: str, home: Path) -> list[Row]:
    """Measure bodies that drip, of somebody who has not signed in."""

    def kept() -> int:
        return sum(
            path.stat().st_size for name in ("tmp", "files") for path in (home / name).rglob("*") if path.is_file()
        )

    head = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n"
    form = b"Content-Type: multipart/form-data; boundary=x\r\n\r\n--x"
    before, began, ended = kept(), time.monotonic(), 0.0
    with _opened(url, SLOW, head + form) as lines:
        opened = len(_alive(lines))
        during = _page_ms(url)
        most = 0
        while lines and time.monotonic() - began < BODY_SECONDS:
            lines[:] = _alive(lines)
            most = max(most, kept() - before)
            for line in lines:
                try:
                    line.send(b".")
                except OSError:
                    continue
            time.sleep(1.0)
            ended = time.monotonic() - began
        left = len(lines)
    return [
        Row(f"{SLOW} slow bodies of one address: connections taken", float(opened), ""),
        Row("  left after they were ended", float(left), "", 0.0),
        Row("  all ended after", ended, "s"),
        Row("  most bytes on the disk", float(most), "B"),
        Row(f"  page of another visitor meanwhile: p95 of {PAGES}", during[-2], "ms"),
    ]


def measure(folder: Path) -> list[Row]:
    """Run everything in a folder."""
    os.environ["TOKUMEI_ARENA_HOME"] = str(folder / "home")
    os.environ["TOKUMEI_ARENA_HOSTS"] = "127.0.0.1,localhost,testserver"
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * HALF_SENT), hard))
    from tokumei_arena.commands.setup import django_ready  # noqa: PLC0415

    with server() as url:
        django_ready("web")
        looks: list[Callable[[], list[Row]]] = [
            lambda: half_sent(url),
            lambda: slow_bodies(url, folder / "home"),
            lambda: starvation(url, folder),
        ]
        return [row for look in looks for row in look()]


def main() -> int:
    """Measure and print; the status is always 0: figures of a shared machine decide nothing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arena_hostile", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "arena_hostile.json")
    chosen = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="tokumei-arena-hostile-") as name:
        rows = measure(Path(name))
    print(f"{os.cpu_count()} processors, load before the run {load:.1f}\n")
    print("\n".join(row.line() for row in rows))
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    document = {"processors": os.cpu_count(), "load_before": round(load, 1), "rows": [asdict(row) for row in rows]}
    chosen.output.write_text(f"{json.dumps(document, indent=1)}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
