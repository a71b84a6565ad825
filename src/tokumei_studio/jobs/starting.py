"""Jobs are started as processes of their own session, and ended when somebody asks for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tokumei.errors import ParameterError
from tokumei_studio.jobs.record import LOCK, Job, Step, all_jobs, locked

# The process has its lock before it loads anything heavy.
LOCK_SECONDS = 10.0


def start(folder: Path, kind: str, steps: Sequence[Step], about: Mapping[str, Any]) -> Job:
    """Start a job in a folder of jobs; its commands run in the folder above.

    Raises ParameterError while another job runs: two of them would take turns on the same cores.
    """
    if any(job.running for job in all_jobs(folder)):
        message = "another job is running; wait for its end, or cancel it"
        raise ParameterError(message, code="busy")
    number = max((int(path.name) for path in folder.iterdir() if path.name.isdecimal()), default=0) + 1
    own = folder / str(number)
    own.mkdir(0o700)
    Job(folder=own, kind=kind, steps=steps, about=about).write()
    # Not -c: the folder it runs in must not be searched for modules. What it computes must not depend on the studio's
    # settings of Django.
    words = [sys.executable, "-P", "-m", "tokumei_studio.jobs.child", str(own)]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO_")}
    with (own / "messages.txt").open("wb") as messages:
        (own / "messages.txt").chmod(0o600)
        child = subprocess.Popen(
            words, cwd=folder.parent, env=variables, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages,
            start_new_session=True,
        )  # fmt: skip
    # Somebody has to take note of its end, so that the system forgets it.
    threading.Thread(target=child.wait, name=f"job {number}", daemon=True).start()
    deadline = time.monotonic() + LOCK_SECONDS
    while child.returncode is None and not locked(own / LOCK) and time.monotonic() < deadline:
        time.sleep(0.01)
    return Job.read(own)


def cancel(job: Job) -> None:
    """Ask a job to end; it leaves no half-written file."""
    if job.running:
        with suppress(ProcessLookupError, ValueError):
            os.kill(int((job.folder / LOCK).read_text(encoding="ascii")), signal.SIGTERM)
