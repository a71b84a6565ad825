"""kill -9 of everything, again and again, while teams upload and workers evaluate: nothing is lost or stuck."""

from __future__ import annotations

import hashlib
import io
import json
import random
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.arena import world
from tests.arena.real_server import RealServer, environment, far_side, own_database, until
from tests.effort import EFFORT
from tokumei_arena.client import ArenaClient

# On PostgreSQL in a campaign, where all server tests run there.
pytestmark = pytest.mark.slow

SEEDS = [8, *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(101, 113))]
TEAMS = ("Alpha", "Beta", "Gamma")
# The second file of each team breaks the rules.
FILES_PER_TEAM = 3 if EFFORT == "campaign" else 2
LIMIT = 4
LEASE_SECONDS = 3
MOST_RUNS = 3
LONGEST_WAIT = 20.0
# What is killed, in this order, each after a pause that the seed decides; in a campaign some of it once more.
MORE = ("web", "evaluation", "worker", "web") if EFFORT == "campaign" else ()
SCHEDULE = ("web", "evaluation", "worker", "supervisor", "web", *MORE)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RealServer]:
    """Run a server with two web processes and a worker, whose leases are short."""
    with own_database() as database:
        variables = environment(tmp_path / "home", TOKUMEI_ARENA_LEASE=str(LEASE_SECONDS), **database)
        found = RealServer(variables, "--processes", "2")
        try:
            yield found
        finally:
            found.end()


def _upload(rng: random.Random, path: Path, *, valid: bool) -> str:
    """Write an upload that takes a while to send and none to check; return its hash."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("A.csv", world.GOOD_A if valid else world.GOOD_A[:-9])
        # What some systems add to archives and nobody looks at.
        archive.writestr("__MACOSX/A.csv", rng.randbytes(1_500_000))
    path.write_bytes(data.getvalue())
    return hashlib.sha256(data.getvalue()).hexdigest()


def _alive(server: RealServer, kind: str) -> list[int]:
    """Wait for a process of this kind: those that were killed are being started again."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not (found := server.processes(kind)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def _kill_everything(server: RealServer, rng: random.Random) -> list[str]:
    """Follow the schedule; return what was killed."""
    killed = []
    for kind in SCHEDULE:
        time.sleep(rng.uniform(0.1, 0.8))
        if kind == "supervisor":
            server.end()
            server.start()
            killed.append(kind)
            continue
        alive = _alive(server, kind)
        if alive and server.kill(rng.choice(alive)):
            killed.append(kind)
    return killed


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_whatever_is_killed(
    server: RealServer, tmp_path: Path, record_property: Callable[[str, object], None], seed: int
) -> None:
    rng = random.Random(seed)
    plan = {"names": list(TEAMS), "release_limit": LIMIT, "attack_limit": 1, "phase": "anonymize"}
    contest = far_side(server.variables, "tests.arena.far_world", "make", json.dumps(plan))
    place = f"/contests/{contest['slug']}"
    clients = {team: ArenaClient(server.url, contest["tokens"][team], patience=80, timeout=20) for team in TEAMS}
    sent: dict[tuple[str, str], tuple[Path, str, bool]] = {}
    for team in TEAMS:
        for number in range(FILES_PER_TEAM):
            path, valid = tmp_path / f"{team}-{number}.zip", number != 1
            sent[team, f"{team}-{number}"] = (path, _upload(rng, path, valid=valid), valid)

    def hand_in(key: tuple[str, str]) -> tuple[tuple[str, str], str]:
        made = clients[key[0]].upload(f"{place}/rounds/final/submissions", [sent[key][0]], key=key[1])
        return key, str(made["id"])

    with ThreadPoolExecutor(max_workers=5) as pool:
        killing = pool.submit(_kill_everything, server, rng)
        acknowledged = dict(pool.map(hand_in, sent))
        killed = killing.result()
    assert {"web", "worker", "evaluation", "supervisor"} <= set(killed)

    def pending() -> list[Any]:
        listed = [one for client in clients.values() for one in client.get(f"{place}/submissions")]
        return [one for one in listed if one["state"] in ("queued", "running")]

    until(lambda: not pending(), "some submissions are stuck")
    until(lambda: not server.processes("evaluation"), "an evaluation went on without its worker")
    until(lambda: not list((server.home / "work").iterdir()), "folders of killed workers are left")
    found = far_side(server.variables, "tests.arena.far_world", "look")
    _check(found, sent, acknowledged)
    record_property("figure", f"kill -9 series {seed}: {len(killed)} processes killed, {len(sent)} files, none lost")


def _check(
    found: dict[str, Any], sent: dict[tuple[str, str], tuple[Path, str, bool]], acknowledged: dict[tuple[str, str], str]
) -> None:
    """Check that each file is there once, whole, evaluated once and counted as it should be."""
    submissions = {(one["team"], one["key"]): one for one in found["submissions"]}
    assert len(found["submissions"]) == len(sent)
    assert {key: one["id"] for key, one in submissions.items()} == acknowledged
    for key, (_path, sha256, valid) in sent.items():
        one = submissions[key]
        assert (one["stored"], one["recorded"]) == (sha256, sha256)
        if one["state"] == "failed":
            # Killed each time it was begun: it says so, and costs no try.
            assert one["runs"] >= MOST_RUNS
            assert "again and again" in one["failure"]
            assert (one["evaluations"], one["counted"]) == (0, 0)
        else:
            assert (one["state"], one["verdict"]) == ("done", "valid" if valid else "invalid")
            assert (one["evaluations"], one["counted"]) == (1, int(valid))
    assert found["attempts"] == sum(one["counted"] for one in found["submissions"])
    assert found["broken"] is None
    for action, ends in (("submit.release", len(sent)), ("evaluation.finish", None)):
        logged = [number for name, number in found["log"] if name == action]
        assert len(logged) == len(set(logged))
        assert ends is None or set(logged) == set(acknowledged.values())
    # After the sweep every row of a file belongs to a submission, and no file is half written.
    assert found["blobs"] == len(sent)
    assert not [name for name in found["uploads"] if name.endswith(".part")]
