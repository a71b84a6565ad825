"""A process of the server: ``python -m tokumei_arena.commands.child web 3`` serves the socket with that number.

Standard input is the line to the supervisor: one line on it means that everything is prepared, its end means that the
supervisor is gone (even by kill -9), and then so is this process.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading

from tokumei_arena.commands.setup import django_ready

GRACE_SECONDS = 5


def _end_with_supervisor() -> None:
    """End this process in order when the other end of standard input is closed."""

    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="supervisor", daemon=True).start()


def _wait_for_go() -> None:
    """Wait until the supervisor says that everything is prepared; without a supervisor end here."""
    if not os.read(0, 1):
        raise SystemExit(0)


def _web(descriptor: int) -> None:
    # All code is loaded while the supervisor prepares; the application itself lists the static files when it is made.
    import uvicorn
    import uvicorn.lifespan.off
    from django.urls import get_resolver

    from tokumei_arena.web.patience import Counted, FairServer, ImpatientProtocol, raise_file_limit
    from tokumei_arena.work import close_truth

    proxies = [name.strip() for name in os.environ.get("FORWARDED_ALLOW_IPS", "").split(",") if name.strip()]
    ImpatientProtocol.counted = Counted(raise_file_limit(), proxies)
    get_resolver().url_patterns  # noqa: B018
    _wait_for_go()
    # Before there are threads: they would stay outside of the walls.
    close_truth()
    _end_with_supervisor()
    from tokumei_arena.asgi import application

    config = uvicorn.Config(
        application,
        http=ImpatientProtocol,
        backlog=1,
        lifespan="off",
        log_level="warning",
        # Messages of uvicorn go where ours go.
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    FairServer(config).run(sockets=[socket.socket(fileno=descriptor)])


def _worker() -> None:
    from tokumei_arena.work import run_until_signal

    _wait_for_go()
    _end_with_supervisor()
    run_until_signal()


def main() -> None:
    """Run as a web process or as a worker."""
    kind = sys.argv[1]
    # Signals may come while everything is still being loaded.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    django_ready(kind)
    if kind == "web":
        _web(int(sys.argv[2]))
    else:
        _worker()


if __name__ == "__main__":
    main()
