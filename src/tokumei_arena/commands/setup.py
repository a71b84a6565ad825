"""What commands of the server need before they can do anything: the extra, a folder, settings, a database."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tokumei.cli.output import finish
from tokumei.errors import TokumeiError

if TYPE_CHECKING:
    from rich.console import Console

SETTINGS = "tokumei_arena.settings"
EXTRA = ("django", "ninja", "allauth", "django_htmx", "whitenoise", "uvicorn", "argon2")


class CannotStartError(TokumeiError):
    """The server or one of its commands cannot run here; the sentence says what to change."""

    code = "cannot-start"


def need_extra() -> None:
    """Raise one sentence if the packages of the server are not installed."""
    if any(find_spec(name) is None for name in EXTRA):
        message = "the arena needs packages that are not installed; run: pip install 'tokumei[arena]'"
        raise CannotStartError(message, code="extra-missing")
    for variable, package, extra in (("DATABASE_URL", "psycopg", "postgres"), ("STORAGE_URL", "storages", "s3")):
        if os.environ.get(variable) and find_spec(package) is None:
            message = f"{variable} is set but its packages are not installed; run: pip install 'tokumei[{extra}]'"
            raise CannotStartError(message, code="extra-missing")


def _need_home() -> Path:
    """Return the folder of the arena if it can be written."""
    from tokumei_arena import environment

    wanted = os.environ.get("TOKUMEI_ARENA_HOME") or "~/.local/share/tokumei-arena"
    advice = "choose another folder with TOKUMEI_ARENA_HOME"
    try:
        folder = environment.home()
    except OSError as error:
        message = f"{wanted}: the folder of the arena cannot be made ({error.strerror}); {advice}"
        raise CannotStartError(message, code="home", file=wanted) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        message = f"{folder}: the folder of the arena cannot be written; {advice}"
        raise CannotStartError(message, code="home", file=str(folder))
    return folder


def django_ready(role: str = "web") -> None:
    """Load Django with the settings of the arena as a process of this role ('web' or 'worker')."""
    need_extra()
    # Whatever this process writes is for its owner alone.
    os.umask(0o077)
    os.environ["DJANGO_SETTINGS_MODULE"] = os.environ.get("DJANGO_SETTINGS_MODULE", SETTINGS)
    os.environ["TOKUMEI_ARENA_ROLE"] = role
    import django
    from django.core.exceptions import ImproperlyConfigured

    _need_home()
    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise CannotStartError(f"the arena is not set up: {error}", code="settings") from error
    except OSError as error:
        message = f"{error.filename}: the arena cannot use this file ({error.strerror})"
        raise CannotStartError(message, code="home", file=str(error.filename)) from error


@contextmanager
def refusals_as_sentences() -> Iterator[None]:
    """Turn what the arena refuses, and a database that cannot be used, into errors of the command line."""
    from django.db import DatabaseError

    from tokumei_arena.errors import ArenaError

    try:
        yield
    except ArenaError as error:
        raise CannotStartError(error.message, code=error.code) from error
    except DatabaseError as error:
        # The text of the driver names the host, never the password.
        reason = " ".join(str(error).split())
        here = "DATABASE_URL and that the server is running" if os.environ.get("DATABASE_URL") else "the folder's disk"
        raise CannotStartError(f"the database cannot be used ({reason}); check {here}", code="database") from error


def show_now(document: Mapping[str, Any], *, json: bool, show: Callable[[Console], None] | None = None) -> None:
    """Print the result of a command that goes on afterwards."""
    try:
        finish(document, json=json, show=show)
    except typer.Exit:
        return
