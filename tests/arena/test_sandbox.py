"""What a malicious evaluation tries inside its sandbox: each act is refused, in every plan that this machine offers.

Evaluations run our code on files of participants; here the code itself is hostile, as if such a file had taken it over.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.arena.test_worker import LIMITS
from tokumei_arena.work import boxes, landlock, sandbox, seccomp
from tokumei_arena.work.boxes import Box
from tokumei_arena.work.walls import Wall

pytestmark = pytest.mark.half_second
OFFERED = boxes.plans()
# What the kernel answers; anything else would be a mistake of the test.
REFUSALS = {"PermissionError", "FileNotFoundError", "OSError", "ProcessLookupError", "NotADirectoryError"}
REFUSALS |= {"RuntimeError", "ValueError"}

# Runs in place of an evaluation, with the walls and limits of one; writes what became of every act.
HOSTILE = """
import ctypes, json, os, signal, socket, sys, threading
from pathlib import Path
from tokumei_arena.work import boxed, child

def hostile(folder, job):
    place = {name: Path(text) for name, text in job["places"].items()}
    def link():
        os.symlink(place["key"], folder / "leak")
        return (folder / "leak").read_bytes()
    def bomb():
        for _ in range(1000):
            if os.fork() == 0:
                os._exit(0)
    def threads():
        stop = threading.Event()
        try:
            for _ in range(5000):
                threading.Thread(target=stop.wait, daemon=True).start()
        finally:
            stop.set()
    def unix():
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(place["socket"]))
    def memory():
        with open("/proc/%d/mem" % job["worker"], "rb") as file:
            file.read(1)
    acts = {
        "read the secret key": lambda: place["key"].read_bytes(),
        "read the key of the log": lambda: place["log_key"].read_bytes(),
        "read the database": lambda: place["database"].read_bytes(),
        "read a file of another team": lambda: place["foreign"].read_bytes(),
        "read ground truth in the store": lambda: place["truth"].read_bytes(),
        "read it through a link": link,
        "hard link it": lambda: os.link(place["key"], folder / "hard"),
        "list the folder of the arena": lambda: os.listdir(place["key"].parent),
        "list the jobs of others": lambda: os.listdir(place["foreign"].parent.parent),
        "read the environment of the worker": lambda: Path("/proc/%d/environ" % job["worker"]).read_bytes(),
        "read the memory of the worker": memory,
        "read the passwords of the machine": lambda: Path("/etc/shadow").read_bytes(),
        "write over the database": lambda: place["database"].write_bytes(b"x"),
        "write beside the own folder": lambda: (place["foreign"].parent / "new").write_bytes(b"x"),
        "write a module that others load": lambda: Path(child.__file__).with_name("evil.py").write_text("x"),
        "write into the system": lambda: Path("/usr/evil").write_bytes(b"x"),
        "remove a file of another team": lambda: place["foreign"].unlink(),
        "connect to loopback": lambda: socket.create_connection(("127.0.0.1", job["port"]), 1),
        "connect to the network": lambda: socket.create_connection(("192.0.2.1", 80), 1),
        "connect to a local socket": unix,
        "send a datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
        "listen": lambda: socket.create_server(("127.0.0.1", 0)),
        "start a program": lambda: os.execv("/bin/sh", ["sh", "-c", "exit 0"]),
        "fork without end": bomb,
        "kill the worker": lambda: os.kill(job["worker"], signal.SIGTERM),
        "trace the worker": lambda: boxed.ptrace(job["worker"]),
        "leave by a new namespace": lambda: boxed.unshare(),
        "raise its limits": lambda: boxed.raise_limit(),
        "fill the disk": lambda: (folder / "big").write_bytes(b"x" * (job["limits"]["unpacked_bytes"] + 1)),
    }
    if job["counted"]:
        acts["start threads without end"] = threads
    told = {}
    for name, act in acts.items():
        if job["only"] and name not in job["only"]:
            continue
        try:
            act()
        except BaseException as error:
            told[name] = type(error).__name__
        else:
            told[name] = ""
    (folder / "result.json").write_text(json.dumps({"acts": told, "user": os.getuid()}))

def refused(found):
    if found < 0:
        raise OSError(ctypes.get_errno(), "refused")

library = ctypes.CDLL(None, use_errno=True)
import resource
boxed.ptrace = lambda process: refused(library.ptrace(16, process, None, None))
boxed.unshare = lambda: refused(library.unshare(0x10000000))
boxed.raise_limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (10**6, 10**6))
child.run_and_write = hostile
sys.exit(boxed.main(sys.argv[1:]))
"""


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Return where the things of an arena lie that an evaluation is after, and a socket of its machine."""
    place = {
        "key": "secret.key",
        "log_key": "log.key",
        "database": "arena.sqlite3",
        "foreign": "work/other/release/upload",
        "truth": "files/truth/ab/abcdef",
        "socket": "database.socket",
    }
    found = {name: tmp_path / "home" / path for name, path in place.items()}
    for path in found.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(found["socket"]))
        listener.listen()
        for name, path in found.items():
            if name != "socket":
                path.write_bytes(b"secret")
        yield {name: str(path) for name, path in found.items()}


def hostile(box: Box, arena: dict[str, str], tmp_path: Path, only: Sequence[str] = ()) -> tuple[dict[str, str], int]:
    """Run the hostile evaluation in a box; return what became of each act, and as which user it ran."""
    folder = tmp_path / "home/work/own"
    folder.mkdir(parents=True)
    counted = bool({Wall.OWN_USER, Wall.NAMESPACES} & set(box.walls))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        job = {"task": "release", "places": arena, "worker": os.getpid(), "port": listener.getsockname()[1]}
        more = {"counted": counted, "only": list(only)}
        limits = {**LIMITS.as_dict(), "unpacked_bytes": 100_000}
        (folder / "job.json").write_text(json.dumps({**job, **box.of_job(), "limits": limits, **more}))
        words = box.command(folder)
        program = words.index("-m")
        ran = subprocess.run(
            [*words[:program], "-c", HOSTILE, words[-1]],
            cwd=folder,
            env=sandbox._environment(folder, 1),
            capture_output=True,
            check=False,
            text=True,
            # As the worker has it.
            umask=0o077,
        )
    assert ran.returncode == 0, ran.stderr
    told = json.loads((folder / "result.json").read_bytes())
    return told["acts"], told["user"]


@pytest.mark.skipif(not OFFERED, reason="this machine offers no sandbox")
@pytest.mark.parametrize("box", OFFERED, ids=lambda box: box.name.replace(" ", ""))
def test_everything_that_a_malicious_evaluation_tries_is_refused(
    box: Box, arena: dict[str, str], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if not boxes.holds(box, tmp_path):
        pytest.skip(f"{box.name} does not work on this machine")
    acts, user = hostile(box, arena, tmp_path)
    assert {name: refusal for name, refusal in acts.items() if refusal not in REFUSALS} == {}
    record_property("figure", f"{len(acts)} hostile acts refused by {box.name}")
    # A process for itself: the worker is alive, nothing was changed, no user of the machine was used.
    assert {path.name for path in (tmp_path / "home/work").iterdir()} == {"other", "own"}
    assert all(Path(path).read_bytes() == b"secret" for name, path in arena.items() if name != "socket")
    assert Wall.OWN_USER not in box.walls or user > 60_000


def test_without_walls_the_same_acts_work(arena: dict[str, str], tmp_path: Path) -> None:
    # The test above would find out a sandbox that does nothing; it is the reason why there is one.
    harmless = ("read the secret key", "read a file of another team", "read it through a link", "connect to loopback")
    acts, _user = hostile(boxes.LIMITS_ONLY, arena, tmp_path, harmless)
    assert acts == dict.fromkeys(harmless, "")
    assert not boxes.holds(boxes.LIMITS_ONLY, tmp_path)


def test_the_strongest_plan_that_holds_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes, "_chosen", [])
    monkeypatch.setattr(boxes, "holds", lambda box, _place: box.walls == (Wall.LANDLOCK, Wall.SECCOMP))
    monkeypatch.setattr(boxes, "plans", lambda: [Box((Wall.NAMESPACES,)), Box((Wall.LANDLOCK, Wall.SECCOMP)), Box()])
    assert boxes.chosen_box().name == "landlock + seccomp + limits"
    monkeypatch.setattr(boxes, "_chosen", [])
    monkeypatch.setenv("TOKUMEI_ARENA_SANDBOX", "limits")
    assert boxes.chosen_box() == boxes.LIMITS_ONLY


def test_what_a_child_left_is_opened_only_if_it_is_a_file_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"key")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "0").write_bytes(b"good")
    (folder / "1").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "2")
    with sandbox.open_left(folder, "0") as file:
        assert file.read() == b"good"
    for name in ("1", "2", "../secret", "..", str(tmp_path / "secret")):
        with pytest.raises(OSError, match=r".+"):
            sandbox.open_left(folder, name)
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(OSError, match=r".+"):
        sandbox.open_left(tmp_path / "link", "0")


def test_the_filter_knows_two_architectures(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = set()
    for machine in ("x86_64", "aarch64"):
        monkeypatch.setattr(seccomp, "MACHINE", machine)
        assert seccomp.is_known()
        lengths.add(len(seccomp.program(7)) // 8)
    assert max(lengths) < 256
    monkeypatch.setattr(seccomp, "MACHINE", "sparc")
    with pytest.raises(OSError, match="system calls of sparc are not known here"):
        seccomp.restrict()


CLOSED = """
import sys
from pathlib import Path
from tokumei_arena.work.web_walls import close_truth, is_closed
home = Path(sys.argv[1])
assert close_truth() and is_closed()
def opened(path):
    try:
        return path.read_bytes().decode()
    except PermissionError:
        return "closed"
import sqlite3, tempfile
(home / "files/truth/new").write_bytes(b"stored")
(home / "files/data/later").write_bytes(b"read")
with sqlite3.connect(home / "arena.sqlite3") as database:
    database.execute("INSERT INTO t VALUES (1)")
with tempfile.NamedTemporaryFile("w+") as file:
    file.write("own")
    file.flush()
    print(opened(Path(file.name)), opened(home / "files/data/later"))
for name in ("files/truth/old", "files/truth/new", "work/job/truth", "log.key", "files/uploads/a", "secret.key"):
    print(opened(home / name))
"""


@pytest.mark.skipif(landlock.version() == 0, reason="this machine has no Landlock")
def test_a_web_process_stores_ground_truth_and_cannot_read_it(tmp_path: Path) -> None:
    for name in ("files/truth/old", "work/job/truth", "log.key", "files/uploads/a", "secret.key"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    with closing(sqlite3.connect(tmp_path / "arena.sqlite3")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE t (x)")
        database.commit()
    ran = subprocess.run(
        [sys.executable, "-c", CLOSED, str(tmp_path)],
        env={**os.environ, "TOKUMEI_ARENA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.split("\n")[:-1] == ["own read", *["closed"] * 4, "files/uploads/a", "secret.key"], ran.stderr
    assert (tmp_path / "files/truth/new").read_bytes() == b"stored"
