"""Every command that was run, and the part of a page that shows how far one is."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from tokumei_studio.jobs import cancel
from tokumei_studio.views.frame import project, show


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    """Show every command, the newest first, and the plan."""
    of = project()
    plan = of.plan
    text = "" if plan is None else plan.to_toml(secret=False)
    return show(request, "commands", {"jobs": of.jobs(), "plan_text": text})


@require_GET
def part(request: HttpRequest, number: int) -> HttpResponse:
    """Return how far a job is; once it has ended the whole page comes anew."""
    job = project().job(number)
    if job is None:
        raise Http404
    if not job.running:
        response = HttpResponse()
        response["HX-Refresh"] = "true"
        return response
    return render(request, "studio/parts/running.html", {"running": job})


@require_POST
def stop(request: HttpRequest, number: int) -> HttpResponse:
    """Ask a job to end, and go back."""
    job = project().job(number)
    if job is None:
        raise Http404
    cancel(job)
    there = request.POST.get("next", "/")
    safe = url_has_allowed_host_and_scheme(there, allowed_hosts=None) and there.startswith("/")
    return redirect(there if safe else "/")
