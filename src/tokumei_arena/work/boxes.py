"""Which sandbox evaluations run in: the strongest plan that works on this machine, found by trying it once.

A plan is tried by a process that does what a hostile evaluation would begin with: it reads a file that lies beside its
folder, it opens a connection, it starts a program. A plan in which one of these works is not taken.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokumei_arena import environment
from tokumei_arena.work import landlock, seccomp
from tokumei_arena.work.limits import Limits
from tokumei_arena.work.walls import Wall, readable

# A plan that is slow on a busy machine is no weaker for it.
TRY_SECONDS = 120
INSIDE = "/job"
# How a plan without walls is called.
LIMITS = "limits"


@dataclass(frozen=True, slots=True)
class Box:
    """A plan: whether bubblewrap makes a system around the process, and which walls the process itself puts up."""

    walls: tuple[Wall, ...] = ()
    bubblewrap: str = ""

    @property
    def name(self) -> str:
        """How the plan is called on the page of operators."""
        names = [*(["bubblewrap"] if self.bubblewrap else []), *self.walls]
        return " + ".join([*names, LIMITS])

    def command(self, folder: Path) -> list[str]:
        """Return the words that run the evaluating process on the folder of a job."""
        program = [sys.executable, "-I", "-B", "-m", "tokumei_arena.work.boxed"]
        if not self.bubblewrap:
            return [*program, str(folder)]
        seen = [str(path) for path in readable() if path.exists() and path.parts[1] not in ("proc", "dev")]
        views = [word for path in dict.fromkeys(seen) for word in ("--ro-bind", path, path)]
        own = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--setenv", "HOME", INSIDE]
        place = ["--setenv", "TMPDIR", INSIDE, "--bind", str(folder), INSIDE, "--chdir", INSIDE]
        return [self.bubblewrap, *own, "--proc", "/proc", "--dev", "/dev", *views, *place, "--", *program, INSIDE]

    def of_job(self) -> dict[str, Any]:
        """Return what the process is told about its box."""
        # Inside bubblewrap nobody knows the number of the parent; bubblewrap ends with it.
        return {"walls": list(self.walls), "parent": 0 if self.bubblewrap else os.getpid()}


LIMITS_ONLY = Box()


def plans() -> list[Box]:
    """Return what this machine might offer, strongest first."""
    if sys.platform != "linux":
        return []
    offered = ((Wall.LANDLOCK, landlock.version() > 0), (Wall.SECCOMP, seccomp.is_known()))
    inner = tuple(wall for wall, there in offered if there)
    found = shutil.which("bwrap")
    listed = [Box(inner, found)] if found else []
    if len(inner) == len(offered):
        listed += [Box((Wall.NAMESPACES, *inner)), Box(inner)]
        if os.geteuid() == 0:
            # Bubblewrap would leave the process to root, who owns everything that its walls should leak.
            listed.insert(0, Box((Wall.OWN_USER, *inner)))
    return listed


def holds(box: Box, place: Path) -> bool:
    """Return whether a plan works here and keeps a process in: it is tried in a new folder below ``place``."""
    with tempfile.TemporaryDirectory(prefix="box.", dir=place) as name, socket.socket() as listener:
        folder = Path(name) / "job"
        folder.mkdir(mode=0o700)
        foreign = Path(name) / "foreign"
        foreign.write_bytes(b"not for you")
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        job = {"task": "attempt", "foreign": str(foreign), "port": listener.getsockname()[1], "limits": _SMALL}
        (folder / "job.json").write_text(json.dumps({**job, **box.of_job()}), encoding="utf-8")
        words = box.command(folder)
        try:
            ran = subprocess.run(words, cwd=folder, env={}, capture_output=True, timeout=TRY_SECONDS, check=False)
            worked = json.loads((folder / "result.json").read_bytes())["worked"] if ran.returncode == 0 else ["nothing"]
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return False
    return worked == []


_SMALL = dict.fromkeys(Limits.__dataclass_fields__, 1_000_000_000) | {"cpu_seconds": 20}
_lock = threading.Lock()
_chosen: list[Box] = []


def chosen_box() -> Box:
    """Return the sandbox of this machine; the first call finds it out."""
    with _lock:
        if not _chosen:
            _chosen.append(_strongest())
        return _chosen[0]


def _strongest() -> Box:
    home = environment.home()
    # Who keeps the arena among the programs shows it to whatever may read them.
    among = any(home.is_relative_to(path) for path in readable())
    if among or os.environ.get("TOKUMEI_ARENA_SANDBOX") == LIMITS:
        return LIMITS_ONLY
    # Where jobs will lie: a plan may work in one place and not in another.
    place = home / "work" if environment.role() == "worker" else Path(tempfile.gettempdir())
    place.mkdir(mode=environment.OWNER_ONLY_FOLDER, exist_ok=True)
    return next((box for box in plans() if holds(box, place)), LIMITS_ONLY)
