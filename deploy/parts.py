"""The services of compose.yaml without a container engine: ``python -m deploy.parts [COMMAND ...]``.

PostgreSQL comes from Debian's package, the object store is moto's server, web and worker are started by the commands of
the compose file with the same variables. With a command, that command runs beside them and its exit status is returned;
without one they run until Ctrl-C. For trying out and for tests: everything is in temporary folders and gone afterwards.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from deploy.servers import free_port, object_store, postgres

__all__ = ["SERVICES", "main", "parts"]

SERVICES = ("database", "store", "web", "worker")
# As in the compose file; the web service listens where others on this machine find it.
COMMANDS = {
    "web": ("tokumei", "arena", "serve", "--no-worker", "--host", "127.0.0.1", "--port", "8000"),
    "worker": ("tokumei", "arena", "worker"),
}
# Which variables a service gets beside its folder; what is not given is empty, as in the compose file.
VARIABLES = {
    "web": (
        *("DATABASE_URL", "STORAGE_URL", "EMAIL_URL", "FORWARDED_ALLOW_IPS"),
        *("TOKUMEI_ARENA_HOSTS", "TOKUMEI_ARENA_HTTPS", "TOKUMEI_ARENA_LOG", "TOKUMEI_ARENA_METRICS_TOKEN"),
        *("TOKUMEI_ARENA_SECRET", "TOKUMEI_ARENA_URL"),
    ),
    "worker": (
        *("DATABASE_URL", "STORAGE_URL", "EMAIL_URL"),
        *("TOKUMEI_ARENA_LOG", "TOKUMEI_ARENA_LOG_KEY", "TOKUMEI_ARENA_SECRET"),
    ),
}
READY_SECONDS = 90.0
GRACE_SECONDS = 20.0


def environment(service: str, home: Path, values: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a service: those of the machine without any of an arena, and its own."""
    names = {name for listed in VARIABLES.values() for name in listed}
    kept = {name: value for name, value in os.environ.items() if name not in names and "TOKUMEI_ARENA" not in name}
    own = {name: values.get(name, "") for name in VARIABLES[service]}
    return {**kept, **own, "TOKUMEI_ARENA_HOME": str(home / service)}


def _words(service: str, port: int) -> list[str]:
    program = [sys.executable, "-m", "tokumei", *COMMANDS[service][1:]]
    return [str(port) if word == "8000" else word for word in program]


@contextmanager
def _running(service: str, home: Path, values: Mapping[str, str], port: int) -> Iterator[None]:
    """Run web or worker; it ends in order with the block."""
    with (home / f"{service}.log").open("wb") as log:
        process = subprocess.Popen(
            _words(service, port), env=environment(service, home, values), stdout=log, stderr=subprocess.STDOUT
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(GRACE_SECONDS)


def _wait(address: str, path: str) -> None:
    """Wait until the server says yes."""
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{address}{path}", timeout=5):  # noqa: S310
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    message = f"{address}{path} does not answer after {READY_SECONDS:.0f} s"
    raise TimeoutError(message)


@contextmanager
def parts() -> Iterator[dict[str, str]]:
    """Run all services; yield the variables with which commands on this machine reach the same arena."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-parts-")))
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        values = {
            "DATABASE_URL": stack.enter_context(postgres()),
            "STORAGE_URL": stack.enter_context(object_store(bucket=False)),
            "TOKUMEI_ARENA_HOSTS": "localhost,127.0.0.1",
            "TOKUMEI_ARENA_LOG": "json",
            "TOKUMEI_ARENA_SECRET": secrets.token_urlsafe(48),
            "TOKUMEI_ARENA_LOG_KEY": secrets.token_hex(32),
            "TOKUMEI_ARENA_URL": address,
        }
        stack.enter_context(_running("web", home, values, port))
        _wait(address, "/healthz")
        stack.enter_context(_running("worker", home, values, port))
        _wait(address, "/readyz")
        yield {**environment("web", home, values), "TOKUMEI_ARENA_URL": address}


def main(words: list[str]) -> int:
    """Run the services, and a command beside them if there is one; return its exit status."""
    with parts() as variables:
        sys.stderr.write(f"arena: {variables['TOKUMEI_ARENA_URL']}/ with {', '.join(SERVICES)}\n")
        sys.stderr.flush()
        if words:
            return subprocess.run(words, env=variables, check=False).returncode
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
    return 0


if __name__ == "__main__":
    # Both are waited for, so that everything ends in order.
    if not sys.argv[1:]:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    sys.exit(main(sys.argv[1:]))
