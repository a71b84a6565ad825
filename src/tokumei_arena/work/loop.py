"""The worker: takes work and does it until it is told to stop; then it gives back what it has not finished."""

from __future__ import annotations

import logging
import os
import signal
import threading
from types import FrameType

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection
from django.db import close_old_connections, connection

from tokumei_arena import clock
from tokumei_arena.records import sign_due_heads
from tokumei_arena.teams import deliver_news, send_waiting, tell_begun_phases
from tokumei_arena.work import beats, evaluation, leftovers, self_checks

logger = logging.getLogger(__name__)
IDLE_SECONDS = 0.5
AFTER_TROUBLE_SECONDS = 2.0
SWEEP_SECONDS = 6 * 3600.0
MAIL_SECONDS = 1.0
NEWS_SECONDS = 2.0
SMTP = "django.core.mail.backends.smtp.EmailBackend"


def run_worker(stop: threading.Event, *, slots: int | None = None) -> None:
    """Do work in ``slots`` threads (one per processor), each with one process at a time, until ``stop`` is set."""
    if settings.ARENA_ROLE != "worker":
        raise ImproperlyConfigured("a worker needs the role 'worker'; set TOKUMEI_ARENA_ROLE=worker")
    leftovers.sweep_folders()
    count = slots or len(os.sched_getaffinity(0))
    threads = [threading.Thread(target=_work, args=(stop,), name=f"worker-{number}") for number in range(count)]
    threads.append(threading.Thread(target=_sweep_now_and_then, args=(stop,), name="sweeper"))
    threads.append(threading.Thread(target=_tell_and_sign, args=(stop, count), name="notary"))
    threads.append(threading.Thread(target=_send_mail, args=(stop,), name="mailer"))
    threads.append(threading.Thread(target=_tell_news, args=(stop,), name="teller"))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _work(stop: threading.Event) -> None:
    """Take one job after the other; when the database is away, wait and try again."""
    try:
        while not stop.is_set():
            close_old_connections()
            try:
                done = evaluation.work_once(stopped=stop.is_set)
            except Exception:
                logger.exception("the worker has trouble and tries again in a moment")
                connection.close()
                stop.wait(AFTER_TROUBLE_SECONDS)
                continue
            if not done:
                stop.wait(IDLE_SECONDS)
    finally:
        connection.close()


def _send_mail(stop: threading.Event) -> None:
    """Send what waits in the outbox, if there is a mail server."""
    if not settings.EMAIL_BACKEND.endswith("OutboxBackend"):
        return
    while not stop.is_set():
        try:
            send_waiting(lambda: get_connection(SMTP))
        except Exception:
            logger.exception("the outbox cannot be read; it is tried again in a moment")
        finally:
            connection.close()
        stop.wait(MAIL_SECONDS)


def _tell_news(stop: threading.Event) -> None:
    """Tell people and programs about phases that begin, and programs what waits for them."""
    while not stop.is_set():
        try:
            tell_begun_phases()
            deliver_news()
        except Exception:
            logger.exception("news cannot be told; it is tried again in a moment")
        finally:
            connection.close()
        stop.wait(NEWS_SECONDS)


def _tell_and_sign(stop: threading.Event, slots: int) -> None:
    """Tell that this worker is there, and sign the log whenever a phase has begun."""
    started = clock.now()
    while True:
        try:
            if stop.is_set():
                beats.leave()
            else:
                beats.beat(started, slots)
                sign_due_heads()
        except Exception:
            logger.exception("this worker could not tell that it is there, or sign the log; it is tried again")
        finally:
            connection.close()
        if stop.is_set():
            return
        stop.wait(beats.BEAT_SECONDS)


def _sweep_now_and_then(stop: threading.Event) -> None:
    """Remove files that killed processes left behind; what does not work now works next time."""
    while not stop.is_set():
        try:
            leftovers.sweep_files()
            leftovers.remove_old_uploads()
            self_checks.remove_old_checks()
        except Exception:
            logger.exception("files that nothing refers to could not be removed")
        finally:
            connection.close()
        stop.wait(SWEEP_SECONDS)


def run_until_signal(*, slots: int | None = None) -> None:
    """Work until SIGTERM or SIGINT; call in the main thread of a process."""
    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    run_worker(stop, slots=slots)
