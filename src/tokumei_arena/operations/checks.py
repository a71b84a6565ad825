"""Whether an arena works: each thing it needs, with one sentence about what is and one about what to do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from enum import StrEnum

from django.conf import settings
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tokumei_arena import clock, environment
from tokumei_arena.models import LogHead, Message, Submission, WorkState
from tokumei_arena.records import FolderStorage
from tokumei_arena.work import has_real_sandbox, is_closed, live_workers

LEAST_FREE_BYTES = 5_000_000_000
LONG_WAIT = timedelta(minutes=10)


class State(StrEnum):
    """How something is: as it should be, worth looking at, or not working."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    """Something that was looked at: what it is, how it is, and what to do about it (empty if nothing)."""

    name: str
    state: State
    text: str
    advice: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return plain values for JSON."""
        return asdict(self)


Look = Callable[[], Check]


def _database() -> Check:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        advice = _("Check DATABASE_URL, and that the database server is running.")
        return Check("database", State.BAD, _("The database does not answer."), advice)
    text = _("The database answers (%(kind)s).") % {"kind": connection.display_name}
    return Check("database", State.OK, text)


def _migrations() -> Check:
    try:
        executor = MigrationExecutor(connection)
        missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except DatabaseError:
        return Check("migrations", State.BAD, _("The tables cannot be looked at."), _("Repair the database first."))
    if missing:
        text = ngettext(
            "%(count)d change of the tables is missing.", "%(count)d changes of the tables are missing.", missing
        )
        advice = _("Start “tokumei arena serve” of this version once: it makes them.")
        return Check("migrations", State.BAD, text % {"count": missing}, advice)
    return Check("migrations", State.OK, _("The tables are those of this version."))


def _storage() -> Check:
    """Ask the store of uploads; a folder also needs room."""
    storage = storages["uploads"]
    if not isinstance(storage, FolderStorage):
        return _bucket(storage)
    place = environment.home()
    if not os.access(place, os.W_OK):
        advice = _("Give the folder to the user who runs the arena.")
        return Check("storage", State.BAD, _("Files cannot be written."), advice)
    free = shutil.disk_usage(place).free
    text = _("Files are kept in a folder with %(free)d GB of room.") % {"free": free // 1_000_000_000}
    if free < LEAST_FREE_BYTES:
        return Check("storage", State.WARN, text, _("Make room: an upload may have 200 MB, and much more unpacked."))
    return Check("storage", State.OK, text)


def _bucket(storage: object) -> Check:
    bucket = getattr(storage, "bucket", None)
    try:
        bucket.meta.client.head_bucket(Bucket=bucket.name)  # type: ignore[union-attr]
    except Exception:
        advice = _("Check STORAGE_URL, that the store is running, and that the bucket exists.")
        return Check("storage", State.BAD, _("The object store does not answer."), advice)
    return Check("storage", State.OK, _("The object store answers."))


def _workers() -> Check:
    found = live_workers()
    if not found:
        advice = _("Start “tokumei arena worker”, or “serve” without --no-worker.")
        return Check("worker", State.BAD, _("No worker was seen in the last 30 seconds."), advice)
    slots = sum(worker.slots for worker in found)
    text = ngettext("%(count)d worker is there", "%(count)d workers are there", len(found)) % {"count": len(found)}
    more = ngettext("%(count)d evaluation at a time", "%(count)d evaluations at a time", slots) % {"count": slots}
    told = _("%(workers)s: %(evaluations)s.") % {"workers": text, "evaluations": more}
    return Check("worker", State.OK, told)


def _sandbox() -> Check:
    found = live_workers()
    weak = [worker for worker in found if not has_real_sandbox(worker)]
    named = ", ".join(sorted({worker.sandbox for worker in found}))
    if weak:
        advice = _("Install bubblewrap, or take a kernel with Landlock (Linux 5.13), on the machines of workers.")
        return Check("sandbox", State.BAD, _("Evaluations have limits, but no sandbox."), advice)
    if not found:
        return Check("sandbox", State.WARN, _("Workers tell which sandbox they use."), _("Start a worker."))
    return Check("sandbox", State.OK, _("Evaluations run in a sandbox: %(name)s.") % {"name": named})


def _queue() -> Check:
    waiting = Submission.objects.filter(state__in=[WorkState.QUEUED, WorkState.RUNNING])
    failed = Submission.objects.filter(state=WorkState.FAILED).count()
    oldest = waiting.order_by("received_at").values_list("received_at", flat=True).first()
    if oldest is not None and clock.now() - oldest > LONG_WAIT:
        minutes = int((clock.now() - oldest).total_seconds() // 60)
        text = _("The oldest submission has waited for %(minutes)d minutes.") % {"minutes": minutes}
        return Check("queue", State.WARN, text, _("Start more workers, or look at the log of those that run."))
    if failed:
        text = ngettext("%(count)d evaluation failed.", "%(count)d evaluations failed.", failed) % {"count": failed}
        return Check("queue", State.WARN, text, _("Look at “Failed work” on the desk of the contest."))
    return Check("queue", State.OK, _("Nothing waits for long, nothing failed."))


def _mail() -> Check:
    if not settings.EMAIL_BACKEND.endswith("OutboxBackend"):
        advice = _("Set EMAIL_URL, or pass messages on by hand from the desk.")
        return Check("mail", State.WARN, _("There is no mail server: messages wait on the desk."), advice)
    stuck = Message.objects.filter(by_mail=True, handled_at=None, tries__gt=2).count()
    if stuck:
        text = ngettext("%(count)d mail cannot be sent.", "%(count)d mails cannot be sent.", stuck) % {"count": stuck}
        return Check("mail", State.WARN, text, _("Check EMAIL_URL and the mail server; they are tried again."))
    return Check("mail", State.OK, _("Mail is sent."))


def _heads() -> Check:
    last = LogHead.objects.order_by("-pk").first()
    if last is None:
        return Check("log-heads", State.OK, _("No phase has begun yet: no head of the log is signed."))
    text = _("The log is signed up to entry %(number)d.") % {"number": last.number}
    return Check("log-heads", State.OK, text)


def _web() -> Check:
    """Say whether this web process is kept from ground truth by the kernel."""
    if is_closed():
        return Check("truth", State.OK, _("The kernel keeps web processes from reading ground truth."))
    advice = _("Take a kernel with Landlock (Linux 5.13), or run workers and web on different machines.")
    return Check("truth", State.WARN, _("Only the program keeps web processes from reading ground truth."), advice)


READINESS: tuple[Look, ...] = (_database, _migrations, _storage, _workers)
MORE: tuple[Look, ...] = (_sandbox, _queue, _mail, _heads)


def readiness() -> list[Check]:
    """Look at what the arena needs to serve: each in milliseconds. Without its tables nothing else is asked."""
    return _until_broken(READINESS)


def health(*, in_web: bool = False) -> list[Check]:
    """Look at everything that can be asked quickly, from a web process or from elsewhere."""
    return _until_broken((*READINESS, *MORE, *((_web,) if in_web else ())))


def _until_broken(looks: tuple[Look, ...]) -> list[Check]:
    found: list[Check] = []
    for look in looks:
        found.append(look())
        if found[-1].name in ("database", "migrations") and found[-1].state is State.BAD:
            break
    return found
