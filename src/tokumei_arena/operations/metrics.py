"""Figures for monitoring, in the text format of Prometheus (version 0.0.4): queue, jobs, workers, files, requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version

from django.db.models import Count, Min, Sum

from tokumei_arena import clock
from tokumei_arena.models import (
    Blob,
    LogEntry,
    LogHead,
    Message,
    RescoreItem,
    Submission,
    Target,
    WorkerBeat,
    WorkState,
)
from tokumei_arena.operations.requests import BOUNDS, SEPARATOR, all_requests

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "tokumei_arena_"
WAITING = (WorkState.QUEUED, WorkState.RUNNING)
Labels = Mapping[str, str]
Sample = tuple[Labels, float]


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{PREFIX}{name}{{{inside}}} {value:.10g}" if inside else f"{PREFIX}{name} {value:.10g}"


def _family(name: str, kind: str, about: str, samples: Iterable[Sample]) -> list[str]:
    head = [f"# HELP {PREFIX}{name} {about}", f"# TYPE {PREFIX}{name} {kind}"]
    return [*head, *(_line(name, labels, value) for labels, value in samples)]


def metrics_text() -> str:
    """Return all figures."""
    lines = _family("info", "gauge", "Version of the arena.", [({"version": version("tokumei")}, 1)])
    lines += _queue()
    lines += _jobs()
    lines += _workers()
    lines += _kept()
    lines += _requests()
    return "\n".join(lines) + "\n"


def _queue() -> list[str]:
    """Return how much waits, and since when the oldest does."""
    now, lengths, ages = clock.now(), [], []
    for kind, rows, since in (
        ("release", Submission.objects.filter(kind=Submission.Kind.RELEASE), "received_at"),
        ("guesses", Submission.objects.filter(kind=Submission.Kind.GUESSES), "received_at"),
        ("target", Target.objects.all(), "created_at"),
        ("rescore", RescoreItem.objects.all(), "created_at"),
    ):
        waiting = rows.filter(state__in=WAITING)
        counted = dict(waiting.order_by().values_list("state").annotate(Count("pk")))
        lengths += [({"kind": kind, "state": state.value}, float(counted.get(state, 0))) for state in WAITING]
        oldest = waiting.aggregate(oldest=Min(since))["oldest"]
        ages.append(({"kind": kind}, 0.0 if oldest is None else max(0.0, (now - oldest).total_seconds())))
    return [
        *_family("queue_jobs", "gauge", "Jobs that wait or are being evaluated.", lengths),
        *_family("queue_oldest_seconds", "gauge", "How long the oldest of them has been there.", ages),
    ]


def _jobs() -> list[str]:
    """Return how jobs ended."""
    samples: list[Sample] = []
    ended = Submission.objects.exclude(state__in=WAITING).order_by()
    for kind, state, verdict, count in ended.values_list("kind", "state", "verdict").annotate(Count("pk")):
        outcome = "failed" if state == WorkState.FAILED else verdict
        samples.append(({"kind": kind, "outcome": outcome}, float(count)))
    for kind, rows in (("target", Target.objects.order_by()), ("rescore", RescoreItem.objects.order_by())):
        for state, count in rows.exclude(state__in=WAITING).values_list("state").annotate(Count("pk")):
            samples.append(({"kind": kind, "outcome": state}, float(count)))
    return _family("jobs_total", "counter", "Jobs that ended, by how they ended.", samples)


def _workers() -> list[str]:
    found = list(WorkerBeat.objects.order_by("name"))
    seen = [({"worker": one.name, "sandbox": one.sandbox}, one.seen_at.timestamp()) for one in found]
    slots = [({"worker": one.name}, float(one.slots)) for one in found]
    return [
        *_family("worker_seen_timestamp_seconds", "gauge", "When a worker was seen last.", seen),
        *_family("worker_slots", "gauge", "Evaluations that a worker does at a time.", slots),
    ]


def _kept() -> list[str]:
    sizes = Blob.objects.order_by().values_list("area").annotate(Sum("size"))
    heads, entries = LogHead.objects.count(), LogEntry.objects.count()
    mails = Message.objects.filter(by_mail=True, handled_at=None).count()
    return [
        *_family("stored_bytes", "gauge", "Bytes of stored files.", (({"area": a}, float(b)) for a, b in sizes)),
        *_family("log_entries_total", "counter", "Entries of the audit log.", [({}, float(entries))]),
        *_family("log_heads_total", "counter", "Signed heads of the audit log.", [({}, float(heads))]),
        *_family("mails_waiting", "gauge", "Mails that wait to be sent.", [({}, float(mails))]),
    ]


def _requests() -> list[str]:
    """Return requests by route and status, and a histogram of their times."""
    found = all_requests()
    counts = []
    for key, count in sorted(found.counts.items()):
        method, route, status = key.split(SEPARATOR)
        counts.append(({"method": method, "route": route, "status": status}, float(count)))
    total, buckets = 0, []
    for number, bound in enumerate((*BOUNDS, None)):
        total += found.classes.get(str(number), 0)
        buckets.append(_line("request_seconds_bucket", {"le": "+Inf" if bound is None else f"{bound:g}"}, total))
    return [
        *_family("requests_total", "counter", "Requests by method, route and status.", counts),
        *_family("request_seconds", "histogram", "How long requests took.", []),
        *buckets,
        _line("request_seconds_sum", {}, found.seconds),
        _line("request_seconds_count", {}, total),
    ]
