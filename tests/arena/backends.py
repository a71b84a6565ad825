"""Run a command with a PostgreSQL and an S3 server of its own: ``python -m tests.arena.backends pytest tests/arena``.

Both end with the command, and the command ends when this program is asked to. Without the packages the command is not
run: that is a failure with CI=true, otherwise said and left at it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from deploy.servers import object_store, postgres

__all__ = ["main"]


def _run(words: list[str], environment: dict[str, str]) -> int:
    """Run a command and pass SIGTERM on to it, so that it ends what it has started; return its exit status."""
    with subprocess.Popen(words, env=environment) as process:
        signal.signal(signal.SIGTERM, lambda number, _frame: process.send_signal(number))
        return process.wait()


def main(words: list[str]) -> int:
    """Run the words as a command between both servers; return its exit status."""
    try:
        with postgres() as database, object_store() as storage:
            environment = {**os.environ, "DATABASE_URL": database, "STORAGE_URL": storage}
            return _run(words, environment)
    except FileNotFoundError as missing:
        sys.stderr.write(f"skipped the run on PostgreSQL and S3: {missing}\n")
        return int(os.environ.get("CI", "") == "true")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
