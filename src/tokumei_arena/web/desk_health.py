"""The page of operators on the referee desk: what works, and which workers are there."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tokumei_arena import clock
from tokumei_arena.models import WorkerBeat
from tokumei_arena.operations import health
from tokumei_arena.web.desk_frame import referee_reads
from tokumei_arena.work import SILENT


@referee_reads
def health_page(request: HttpRequest) -> HttpResponse:
    """Say whether everything that the arena needs works, and which workers are there in which sandbox."""
    context = {"checks": health(in_web=True), "workers": WorkerBeat.objects.all(), "silent": clock.now() - SILENT}
    return render(request, "desk/health.html", context)
