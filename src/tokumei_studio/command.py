"""``tokumei studio``: opens the studio in the browser; found through the entry-point group ``tokumei.commands``.

Nothing heavy is imported here: ``tokumei --help`` loads this module.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.output import JsonFlag, finish, tell
from tokumei.errors import ParameterError, TokumeiError

if TYPE_CHECKING:
    from tokumei_studio.running import Studio

EXTRA = ("django", "django_htmx", "whitenoise", "uvicorn")
GRACE_SECONDS = 2

FolderArgument = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The project: made for you alone if it is not there.")
]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of this machine; 0 for any free one.")]
NoBrowserFlag = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser; print the link only.")]


def studio(
    folder: FolderArgument = Path("tokumei-studio"),
    port: PortOption = 0,
    no_browser: NoBrowserFlag = False,
    json: JsonFlag = False,
) -> None:
    """Take one data set from a file to a release and its dossier, in the browser, on this machine alone.

    All that is done is kept in FOLDER as files: data, schema, plan, jobs, releases. Open it again to go on.
    """
    if any(find_spec(name) is None for name in EXTRA):
        message = "the studio needs packages that are not installed; run: pip install 'tokumei[studio]'"
        raise TokumeiError(message, code="extra-missing")
    from tokumei_studio.project import Project

    project = Project.open(folder)
    listener = _listen(port)
    with listener:
        opened = _prepared(project, listener)
        link = f"{opened.address}/open/?key={opened.keys.new_key()}"
        if json:
            _show_now({"url": link, "folder": str(project.folder)})
        else:
            tell(f"studio: open this link (it works once): {link}")
            tell(f"studio: everything is kept in {project.folder}; press Ctrl-C to end, Enter for another link")
        if not no_browser:
            webbrowser.open(link)
        if sys.stdin is not None and sys.stdin.isatty():
            threading.Thread(target=_more_links, args=(opened,), daemon=True).start()
        _serve(listener)
    if running := project.running_job():
        tell(f"studio: '{running.kind}' goes on without it; open {project.folder} again to see how it ends")


def _listen(port: int) -> socket.socket:
    """Return a socket that only this machine reaches."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()
    except OSError as error:
        listener.close()
        message = f"port {port} cannot be used ({error.strerror}); choose another with --port, or leave it out"
        raise ParameterError(message, code="port-in-use") from error
    return listener


def _prepared(project: object, listener: socket.socket) -> Studio:
    """Make Django ready for this project."""
    import django
    from django.conf import settings

    from tokumei_studio.access import Keys
    from tokumei_studio.project import Project
    from tokumei_studio.running import Studio
    from tokumei_studio.settings import settings_of

    assert isinstance(project, Project)
    opened = Studio(project=project, keys=Keys(), port=int(listener.getsockname()[1]))
    settings.configure(**settings_of(opened))
    django.setup(set_prefix=False)
    # What goes wrong inside may hold data: it is shown to a developer who asks for it, and kept nowhere.
    logging.getLogger("django").propagate = bool(os.environ.get("TOKUMEI_DEBUG"))
    logging.getLogger("django").addHandler(logging.NullHandler())
    return opened


def _serve(listener: socket.socket) -> None:
    """Answer until Ctrl-C."""
    import uvicorn

    from tokumei_pages.threads import ThreadedHandler

    config = uvicorn.Config(
        ThreadedHandler(),
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        tell("studio: ended")


def _more_links(opened: Studio) -> None:
    """Print another link whenever somebody presses Enter."""
    for _line in sys.stdin:
        tell(f"studio: another link (it works once): {opened.address}/open/?key={opened.keys.new_key()}")


def _show_now(document: dict[str, str]) -> None:
    """Print the document although the command goes on."""
    try:
        finish(document, json=True)
    except typer.Exit:
        return
