"""``python -m benchmarks.arena``: a real server under the load of a contest of thirty teams.

    uploads    30 teams hand in 2.5 MB each at the same moment, while the worker evaluates what came first
    attacks    870 pairs (30 teams, 29 targets each) of 1,000 guesses, scored by one worker
    board      100 viewers: 60 members of teams who are signed in, 40 strangers. Each asks for the board page and then
               for its live part every 10 seconds, as the page itself does; during anonymization and on the results
    worst      the same 100 viewers, each asking for the page again as soon as it has come

Server, worker and load share this machine. DATABASE_URL and STORAGE_URL are used if they are set; otherwise SQLite and
files. Prints a table and writes bench/arena.json.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.inputs import PROJECT, SEED, SHARED, SUBJECTS_2018
from benchmarks.viewers import Times, Viewer, watch
from tokumei.synth.writing import write_synthetic

if TYPE_CHECKING:
    from benchmarks.arena_world import Contender
    from tokumei_arena.models import Round

TEAMS, VIEWERS, MEMBERS = 30, 100, 60
POLL_SECONDS = 10.0
UPLOAD_LIMIT_ERRORS, BOARD_LIMIT_MS, ATTACK_LIMIT_SECONDS = 0, 200.0, 120.0
PATIENCE_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure; ``limit`` is what the project promises, None if nothing is promised."""

    what: str
    figure: float
    unit: str
    limit: float | None = None

    def line(self) -> str:
        """Return the figure as text."""
        promise = ""
        if self.limit is not None:
            promise = f"limit {self.limit:g}: {'met' if self.figure <= self.limit else 'MISSED'}"
        return f"{self.what:<64} {self.figure:>10.2f} {self.unit:<4} {promise}".rstrip()


def _tell(text: str) -> None:
    print(f"measuring {text} ...", file=sys.stderr, flush=True)


def until(look: Callable[[], bool], what: str) -> float:
    """Wait until something holds; return how long that took."""
    began = time.monotonic()
    while not look():
        if time.monotonic() - began > PATIENCE_SECONDS:
            message = f"{what} after {PATIENCE_SECONDS:.0f} s"
            raise TimeoutError(message)
        time.sleep(0.1)
    return time.monotonic() - began


def _cpu_seconds() -> float:
    """Return the CPU time of the server's processes so far, with what they started and waited for."""
    mine = f"TOKUMEI_ARENA_HOME={os.environ['TOKUMEI_ARENA_HOME']}".encode()
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            ours = mine in (folder / "environ").read_bytes().split(b"\0")
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(int(field) for field in fields[11:15]) if ours else 0
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(*words: str) -> Iterator[None]:
    """Run a command of the arena; it ends with the block."""
    log = Path(os.environ["TOKUMEI_ARENA_HOME"]).with_name(f"{words[0]}.log")
    with log.open("ab") as messages:
        process = subprocess.Popen([sys.executable, "-m", "tokumei", "arena", *words], stderr=messages)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def server() -> Iterator[str]:
    """Run a server without a worker; yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"{url}/accounts/login/") as response:  # noqa: S310
                return bool(response.status == 200)
        except OSError:
            return False

    with running("serve", "--port", str(port), "--no-worker"):
        until(answers, "the server does not answer")
        yield url


def _at_once(contenders: list[Contender], send: Callable[[Contender, int], Any]) -> tuple[Times, float]:
    """Let all teams send at the same moment; return how long each took, and all."""
    times = Times()

    def one(number: int) -> None:
        began = time.perf_counter()
        try:
            send(contenders[number], number)
        except Exception as error:
            times.errors += 1
            print(f"  team {number}: {error}", file=sys.stderr)
        times.taken.append(1000 * (time.perf_counter() - began))

    began = time.perf_counter()
    with ThreadPoolExecutor(max_workers=len(contenders)) as pool:
        list(pool.map(one, range(len(contenders))))
    return times, time.perf_counter() - began


def _uploads(round_: Round, contenders: list[Contender], table: Path, folder: Path) -> list[Row]:
    from benchmarks.arena_world import pending, write_release  # noqa: PLC0415

    _tell("uploads")
    files = [write_release(table, number, folder / f"A{number}.csv") for number in range(len(contenders))]
    size = sum(path.stat().st_size for path in files) / len(files) / 1e6
    with running("worker"):
        place = "/contests/load/rounds/final/submissions"
        times, whole = _at_once(contenders, lambda one, number: one.client.upload(place, [files[number]]))
        evaluated = whole + until(lambda: pending(round_) == 0, "releases are not evaluated")
    name = f"{len(files)} concurrent uploads of {size:.1f} MB"
    return [
        Row(f"{name}: errors", times.errors, "", UPLOAD_LIMIT_ERRORS),
        Row(f"{name}: slowest", times.percentile(1) / 1000, "s"),
        Row(f"{name}: all stored and evaluated", evaluated, "s"),
    ]


def _attacks(round_: Round, contenders: list[Contender], table: Path, folder: Path) -> list[Row]:
    from benchmarks.arena_world import move_to, pending, write_guesses  # noqa: PLC0415
    from tokumei_arena.models import Target  # noqa: PLC0415

    _tell("attacks")
    move_to(round_, "attack")
    with running("worker"):
        until(lambda: Target.objects.filter(round=round_, state="done").count() == len(contenders), "no targets")
    numbers = {one.team.pk: number for number, one in enumerate(contenders)}
    owners = {str(pk): numbers[team] for pk, team in Target.objects.filter(round=round_).values_list("pk", "team")}

    def send(one: Contender, number: int) -> None:
        for target, owner in owners.items():
            if owner != number:
                path = write_guesses(table, owner, number, folder / f"F{owner}-{number}.csv")
                one.client.upload(f"/contests/load/rounds/final/targets/{target}/guesses", [path])

    times, whole = _at_once(contenders, send)
    count, before = pending(round_), _cpu_seconds()
    with running("worker"):
        scored = until(lambda: pending(round_) == 0, "guesses are not scored")
        cost = _cpu_seconds() - before
    return [
        Row("guesses handed in through the API: errors", times.errors, "", UPLOAD_LIMIT_ERRORS),
        Row(f"{count} files of guesses made and handed in", whole, "s"),
        Row(f"{count} pairs scored (with the start of the worker)", scored, "s", ATTACK_LIMIT_SECONDS),
        Row(f"{count} pairs scored: CPU time", cost, "s"),
    ]


def _board(url: str, contenders: list[Contender], phase: str, seconds: float) -> list[Row]:
    from benchmarks.arena_world import session  # noqa: PLC0415

    _tell(f"board, {phase}")
    signed_in = [session(one.captain) for one in contenders]
    page = "/c/load/final/board/"

    def everybody(pause: float) -> list[Viewer]:
        cookies = [signed_in[number % len(signed_in)] if number < MEMBERS else {} for number in range(VIEWERS)]
        return [Viewer(cookies=one, page=page, part=f"{page}part/", pause=pause) for one in cookies]

    watch(url, everybody(1.0), 3.0)
    calm = watch(url, everybody(POLL_SECONDS), seconds)
    before = _cpu_seconds()
    worst = watch(url, everybody(0.0), seconds / 2)["page"]
    cost = 1000 * (_cpu_seconds() - before) / len(worst.taken)
    rows = [Row(f"board, {phase}: errors", sum(one.errors for one in (*calm.values(), worst)), "", 0)]
    for name, times in calm.items():
        for share, limit in ((0.5, None), (0.95, BOARD_LIMIT_MS)):
            what = f"board {name}, {phase}, {VIEWERS} viewers: p{100 * share:.0f}"
            rows.append(Row(what, times.percentile(share), "ms", limit))
    rows.append(Row(f"board page, {phase}, {VIEWERS} without any pause: p50", worst.percentile(0.5), "ms"))
    rows.append(Row(f"board page, {phase}, {VIEWERS} without any pause: p95", worst.percentile(0.95), "ms"))
    rows.append(Row(f"board page, {phase}: CPU time of the server per page", cost, "ms"))
    rate = len(worst.taken) / (seconds / 2)
    rows.append(Row(f"board page, {phase}, {VIEWERS} without any pause: pages", rate, "/s"))
    return rows


def measure(folder: Path, *, generated: bool, seconds: float, quick: bool) -> list[Row]:
    """Run everything in a folder."""
    table = SHARED / "data" / "pwscup2018_T.csv"
    if generated or not table.is_file():
        table = folder / "T.csv"
        write_synthetic("purchases", table, subjects=SUBJECTS_2018, seed=SEED, header=False)
    os.environ["TOKUMEI_ARENA_HOME"] = str(folder / "home")
    os.environ["TOKUMEI_ARENA_HOSTS"] = "127.0.0.1,localhost,testserver"
    from tokumei_arena.commands.setup import django_ready  # noqa: PLC0415

    with server() as url:
        django_ready("web")
        from benchmarks.arena_world import make_contest, move_to  # noqa: PLC0415

        teams = 4 if quick else TEAMS
        round_, contenders = make_contest(url, table, teams)
        rows = _uploads(round_, contenders, table, folder)
        rows += _board(url, contenders, "anonymization", seconds)
        rows += _attacks(round_, contenders, table, folder)
        move_to(round_, "published")
        return rows + _board(url, contenders, "results", seconds)


def main() -> int:
    """Measure and print; the status is always 0: figures of a shared machine decide nothing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arena", description=__doc__)
    parser.add_argument("--generated", action="store_true", help="use generated data even if the real data is present")
    parser.add_argument("--seconds", type=float, default=40.0, help="how long viewers look")
    parser.add_argument("--quick", action="store_true", help="four teams only: to see that it works")
    parser.add_argument("-o", "--output", type=Path, default=PROJECT / "bench" / "arena.json")
    chosen = parser.parse_args()
    if chosen.seconds < 2 * POLL_SECONDS:
        parser.error(f"viewers ask again after {POLL_SECONDS:g} s: give --seconds {2 * POLL_SECONDS:g} or more")
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="tokumei-arena-bench-") as name:
        rows = measure(Path(name), generated=chosen.generated, seconds=chosen.seconds, quick=chosen.quick)
    where = "PostgreSQL" if os.environ.get("DATABASE_URL") else "SQLite"
    print(f"{os.cpu_count()} processors, load before the run {load:.1f}, {where}\n")
    print("\n".join(row.line() for row in rows))
    document = {"processors": os.cpu_count(), "load_before": round(load, 1), "database": where}
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**document, "rows": [asdict(row) for row in rows]}, indent=1)
    chosen.output.write_text(f"{text}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
