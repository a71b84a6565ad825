"""A database and an object store without a container engine: PostgreSQL from Debian's package, moto's server as S3.

Both live in temporary folders and end with the block that started them: for tests and for trying a deployment out.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3

__all__ = ["free_port", "object_store", "postgres", "wait_for"]

SECONDS = 30.0


def free_port() -> int:
    """Return a port of this machine that nobody uses."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until somebody answers on a port."""
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
    data, port = folder / "data", free_port()
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
        wait_for(port)
        yield f"postgresql://arena:arena@127.0.0.1:{port}/postgres"
    finally:
        server.terminate()
        server.wait(SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def object_store(*, bucket: bool = True) -> Iterator[str]:
    """Run an S3 server, usually with an empty bucket; yield its STORAGE_URL."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        client = boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{port}",
            aws_access_key_id="arena",
            aws_secret_access_key="arena",  # noqa: S106 - of a server for a moment
            region_name="us-east-1",
        )
        if bucket:
            client.create_bucket(Bucket="arena")
        yield f"s3://arena:arena@127.0.0.1:{port}/arena?tls=0"
    finally:
        server.terminate()
        server.wait(SECONDS)
