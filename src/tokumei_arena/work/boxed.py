"""The evaluating process from its first moment: ``python -m tokumei_arena.work.boxed FOLDER``.

It reads FOLDER/job.json, puts up the walls that stand in it, limits itself, and only then loads what evaluates. Walls
have to stand before libraries start threads: a thread that is there already would stay outside.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

from tokumei_arena.work.limits import Limits, confine
from tokumei_arena.work.walls import Wall, put_up


def _attempt(job: dict[str, Any]) -> dict[str, Any]:
    """Try what a hostile evaluation would begin with; return what worked."""
    worked = []
    for name, action in (
        ("read", lambda: Path(job["foreign"]).read_bytes()),
        ("write", lambda: Path(job["foreign"]).write_bytes(b"")),
        ("connect", lambda: socket.create_connection(("127.0.0.1", job["port"]), timeout=1).close()),
        ("fork", os.fork),
    ):
        own = os.getpid()
        try:
            action()
        except OSError:
            continue
        if os.getpid() != own:
            os._exit(0)
        worked.append(name)
    return {"worked": worked}


def main(arguments: list[str]) -> int:
    """Run the job of a folder inside its walls."""
    folder = Path(arguments[0])
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    folder = put_up(job["walls"], folder)
    alone = Wall.OWN_USER in job["walls"] or Wall.NAMESPACES in job["walls"]
    confine(Limits.of(job["limits"]), parent=int(job["parent"]), own_processes=alone)
    if job["task"] == "attempt":
        (folder / "result.json").write_text(json.dumps(_attempt(job)), encoding="utf-8")
        return 0
    from tokumei_arena.work.child import run_and_write  # noqa: PLC0415 - heavy, and after the walls

    run_and_write(folder, job)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
