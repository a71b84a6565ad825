"""``tokumei arena serve``, ``worker`` and ``manage``: the server on this machine."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer

from tokumei.cli.output import JsonFlag, tell, warn
from tokumei_arena.commands.setup import CannotStartError, django_ready, need_extra, refusals_as_sentences, show_now
from tokumei_arena.commands.supervisor import Child, running, stop_on_signals, watch

BACKLOG = 2048
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104
HOSTS = "TOKUMEI_ARENA_HOSTS"

HostOption = Annotated[str, typer.Option("--host", help="Address to listen on; 0.0.0.0 for all of this machine.")]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 for any free one.")]
ProcessesOption = Annotated[int | None, typer.Option("--processes", min=1, help="Web processes (default: 1 per core).")]
NoWorkerFlag = Annotated[bool, typer.Option("--no-worker", help="Evaluate nothing here: workers run elsewhere.")]


def register(app: typer.Typer) -> None:
    """Add the commands of the server."""
    app.command()(serve)
    app.command()(worker)
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []})(
        manage
    )


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            message = f"port {port} of {host} is in use; end the program that uses it or choose another with --port"
            raise CannotStartError(message, code="port-in-use") from error
        if error.errno == errno.EACCES:
            message = f"port {port} is reserved for the system; choose one from 1024 on with --port"
            raise CannotStartError(message, code="port-refused") from error
        message = f"'{host}' is no address of this machine; choose another with --host"
        raise CannotStartError(message, code="bad-host") from error
    return listener


def _public_address(listener: socket.socket) -> str:
    """Return the address under which people reach the server."""
    from tokumei_arena import environment

    host, port = listener.getsockname()[:2]
    if environment.flag("TOKUMEI_ARENA_HTTPS"):
        return f"https://{environment.hosts()[0]}"
    name = "localhost" if host in (*EVERYWHERE, "127.0.0.1") else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"


def _answer_to(host: str) -> None:
    """Let the server answer to the name it listens on; for all names of a machine only its owner knows them."""
    if os.environ.get(HOSTS):
        return
    if host in EVERYWHERE:
        warn(f"the server answers to 'localhost' only; list the names people use in {HOSTS}")
        return
    name = f"[{host}]" if ":" in host else host
    os.environ[HOSTS] = ",".join(dict.fromkeys([name, "localhost", "127.0.0.1", "[::1]"]))


@dataclass(frozen=True)
class Server:
    """A server that runs: where it is, the token of the first referee's link, and its processes."""

    address: str
    referee_token: str | None
    children: list[Child]


@contextmanager
def running_server(host: str, port: int, *, processes: int | None = None, worker: bool = True) -> Iterator[Server]:
    """Prepare and start a server; all its processes end with the block. Somebody has to ``watch`` them."""
    need_extra()
    listener = _listen(host, port)
    _answer_to(host)
    os.environ.setdefault("TOKUMEI_ARENA_URL", _public_address(listener))
    more = (processes or min(4, os.cpu_count() or 1)) - 1
    number = listener.fileno()
    # The first web process loads its code while this one prepares; the others come when the first page is out.
    children = [Child("web", str(number), descriptors=[number])]
    try:
        with running(children):
            token = _prepare()
            children[0].go()
            children += [Child("web", str(number), descriptors=[number]) for _ in range(more)]
            children += [Child("worker")] if worker else []
            for child in children[1:]:
                child.go()
            yield Server(_public_address(listener), token, children)
    finally:
        listener.close()


def serve(
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    processes: ProcessesOption = None,
    no_worker: NoWorkerFlag = False,
    json: JsonFlag = False,
) -> None:
    """Run the arena: web server and worker. The first start prints a link for the first referee."""
    began = time.monotonic()
    with stop_on_signals() as stop, running_server(host, port, processes=processes, worker=not no_worker) as server:
        _announce(server, seconds=time.monotonic() - began, json=json)
        watch(server.children, stop)
        tell("arena: ending")


def _prepare() -> str | None:
    """Prepare everything; return the token of the first referee's link if there is no referee yet."""
    django_ready("web")
    from tokumei_arena.commands.prepare import (
        first_referee_token,
        forget_last_run,
        prepare_database,
        prepare_static,
        prepare_storage,
    )

    with refusals_as_sentences():
        prepare_database()
        prepare_storage()
        prepare_static()
        forget_last_run()
        token = first_referee_token()
    from django.db import connections

    connections.close_all()
    return token


def _announce(server: Server, *, seconds: float, json: bool) -> None:
    """Say where the arena is, and how to become its first referee."""
    from tokumei_arena import environment

    link = None if server.referee_token is None else f"{server.address}/referee/{server.referee_token}/"
    if json:
        show_now({"url": f"{server.address}/", "referee_link": link, "home": str(environment.home())}, json=True)
        return
    tell(f"arena: {server.address}/ is open after {seconds:.1f} s; everything is kept in {environment.home()}")
    if link is not None:
        tell(f"arena: become the first referee here (this link works once, for a day): {link}")
    tell("arena: press Ctrl-C to end")


def worker(json: JsonFlag = False) -> None:
    """Evaluate submissions of an arena that runs elsewhere (same DATABASE_URL, STORAGE_URL and secret)."""
    django_ready("worker")
    from tokumei_arena import environment
    from tokumei_arena.commands.prepare import is_prepared

    with refusals_as_sentences():
        prepared = is_prepared()
    if not prepared:
        message = "the database is not prepared for this version; start 'tokumei arena serve' first"
        raise CannotStartError(message, code="not-prepared")
    children = [Child("worker")]
    with running(children), stop_on_signals() as stop:
        children[0].go()
        if json:
            show_now({"worker": "running", "home": str(environment.home())}, json=True)
        tell("arena: the worker is running; press Ctrl-C to end")
        watch(children, stop)


def manage(context: typer.Context) -> None:
    """Run a management command of Django, for example: tokumei arena manage check --deploy."""
    django_ready("web")
    from django.core.management import ManagementUtility

    with refusals_as_sentences():
        try:
            ManagementUtility(["tokumei arena manage", *context.args]).execute()
        except SystemExit as ended:
            # Django has said why.
            raise typer.Exit(ended.code if isinstance(ended.code, int) else int(ended.code is not None)) from ended
