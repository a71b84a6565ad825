"""Workers tell that they are there: a row for each, written every few seconds."""

from __future__ import annotations

import os
import socket
from datetime import datetime, timedelta
from importlib.metadata import version

from tokumei_arena import clock
from tokumei_arena.models import WorkerBeat
from tokumei_arena.work.boxes import LIMITS, chosen_box

BEAT_SECONDS = 5.0
# A worker that was silent for so long is gone; its row is kept for a day, so that operators see when that was.
SILENT, FORGOTTEN = timedelta(seconds=30), timedelta(days=1)


def beat(started: datetime, slots: int) -> None:
    """Write that this worker is there."""
    now = clock.now()
    WorkerBeat.objects.update_or_create(
        name=f"{socket.gethostname()}.{os.getpid()}",
        defaults={
            "started_at": started,
            "seen_at": now,
            "version": version("tokumei"),
            "slots": slots,
            "sandbox": chosen_box().name,
        },
    )
    WorkerBeat.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def leave() -> None:
    """Take the row away: this worker ends in order."""
    WorkerBeat.objects.filter(name=f"{socket.gethostname()}.{os.getpid()}").delete()


def live_workers() -> list[WorkerBeat]:
    """Return the workers that were seen a moment ago."""
    return list(WorkerBeat.objects.filter(seen_at__gte=clock.now() - SILENT))


def has_real_sandbox(worker: WorkerBeat) -> bool:
    """Return whether a worker keeps evaluations from foreign files and the network."""
    return worker.sandbox != LIMITS
