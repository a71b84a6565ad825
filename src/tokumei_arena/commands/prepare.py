"""What happens before the first page: tables, cache, static files, and the link for the first referee.

Everything here may run again at every start, and on several machines at once: whoever comes second waits and finds
the work done.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import storages
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from tokumei_arena import environment
from tokumei_arena.models import OneTimeLink, Person
from tokumei_arena.operations import forget_counts
from tokumei_arena.teams import make_referee_link

# Any number that no other part of the arena locks (PostgreSQL's advisory locks are numbered).
PREPARE_LOCK = 7_466_002
# Scripts of django-htmx that no page loads (other versions, extensions): compressing them takes most of a first start.
UNUSED = ("ext", "htmax-*", "htmx-4*", "htmx-2.js")


@contextmanager
def _alone() -> Iterator[None]:
    """Let one process at a time prepare: by a lock of the database, or of a file beside SQLite."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARE_LOCK])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARE_LOCK])
        return
    with (environment.home() / "prepare.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def is_prepared() -> bool:
    """Return whether every table is as this version wants it."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def prepare_database() -> None:
    """Bring the tables up to this version."""
    connection.ensure_connection()
    environment.close_database_file()
    with _alone():
        if not is_prepared():
            # The checks of the code are for its tests; here they would only delay the first page.
            call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
        call_command("createcachetable", verbosity=0)


def prepare_storage() -> None:
    """Make the bucket of a new object store; where there is one, or none is used, nothing happens."""
    make = getattr(storages["uploads"], "make_bucket", None)
    if make is not None:
        make()


def forget_last_run() -> None:
    """Remove what web processes that were killed left behind: their counts, and files they wrote for a moment."""
    forget_counts()
    shutil.rmtree(environment.home() / "tmp", ignore_errors=True)


def _static_state() -> str:
    """Return a digest that changes whenever a static file does."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            digest.update(f"{name}:{storage.size(name)}:{storage.get_modified_time(name).isoformat()}\n".encode())
    return digest.hexdigest()


def prepare_static() -> None:
    """Collect static files unless those that were collected are still right."""
    stamp = settings.STATIC_ROOT / ".state"
    state = _static_state()
    if stamp.is_file() and stamp.read_text(encoding="ascii") == state:
        return
    with _alone():
        call_command("collectstatic", interactive=False, verbosity=0, skip_checks=True, ignore_patterns=list(UNUSED))
        stamp.write_text(state, encoding="ascii")


def first_referee_token() -> str | None:
    """Return the token of a new link for the first referee, whose earlier links end; None if there is a referee."""
    if Person.objects.filter(is_referee=True, is_active=True).exists():
        return None
    with transaction.atomic():
        OneTimeLink.objects.filter(purpose=OneTimeLink.Purpose.REFEREE, made_by=None, used_at=None).delete()
        return make_referee_link()
