"""Run a command with a PostgreSQL and an S3 server of its own: ``python -m tests.arena.backends pytest tests/arena``.

PostgreSQL comes from Debian's package and lives in a temporary folder; the object store is moto's server. Both end with
the command, and the command ends when this program is asked to. Without the packages the command is not run: that is a
failure with CI=true, otherwise said and left at it.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3

__all__ = ["main", "object_store", "postgres"]

SECONDS = 30.0


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(port: int) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    message = f"nothing answers on port {port} after {SECONDS:.0f} s"
    raise TimeoutError(message)


def _postgres_programs() -> Path | None:
    """Return the newest folder of PostgreSQL's server programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


@contextmanager
def postgres() -> Iterator[str]:
    """Run a server; yield its DATABASE_URL."""
    programs = _postgres_programs()
    if programs is None:
        message = "PostgreSQL is not installed: apt-get install postgresql"
        raise FileNotFoundError(message)
    folder = Path(tempfile.mkdtemp(prefix="arena-postgres-"))
    # PostgreSQL refuses to run as root.
    as_owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    if as_owner:
        shutil.chown(folder, "postgres", "postgres")
    data, port = folder / "data", _free_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "cwd": folder}
    subprocess.run(
        [*as_owner, programs / "initdb", "-D", data, "-U", "arena", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=True,
        **quiet,  # type: ignore[call-overload]
    )
    settings = ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"]
    server = subprocess.Popen(
        [*as_owner, programs / "postgres", "-D", data, "-p", str(port), *settings],
        **quiet,  # type: ignore[call-overload]
    )
    try:
        _wait_for(port)
        yield f"postgresql://arena:arena@127.0.0.1:{port}/postgres"
    finally:
        server.terminate()
        server.wait(SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def object_store() -> Iterator[str]:
    """Run an S3 server with an empty bucket; yield its STORAGE_URL."""
    port = _free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        client = boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{port}",
            aws_access_key_id="arena",
            aws_secret_access_key="arena",
            region_name="us-east-1",
        )
        client.create_bucket(Bucket="arena")
        yield f"s3://arena:arena@127.0.0.1:{port}/arena?tls=0"
    finally:
        server.terminate()
        server.wait(SECONDS)


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
