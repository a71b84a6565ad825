"""What the frame of every page shows: the steps, the project, the job that runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_GET

from tokumei.errors import TokumeiError
from tokumei_pages.middleware import LANGUAGE_NAMES
from tokumei_studio.project import Project
from tokumei_studio.running import current
from tokumei_studio.templatetags.studio import words

BADGES = {"safe": "ok", "unsafe": "bad", "not-shown-unsafe": "warn", "measured": "info", "not-measured": ""}
STEPS = ("data", "columns", "risk", "protect", "verdict", "handout")


@dataclass(frozen=True)
class StepLink:
    """A step in the list at the top of the pages."""

    name: str
    url: str
    open: bool
    done: bool


def project() -> Project:
    """Return the project of this studio."""
    return current().project


def reached(of: Project) -> dict[str, tuple[bool, bool]]:
    """Return for every step whether it can be opened, and whether it is done."""
    plan, releases = of.plan, of.releases()
    has_schema = plan is not None and plan.schema is not None
    risk = of.newest("describe")
    audited = bool(releases) and audit_of(of, releases[0]) is not None
    return {
        "data": (True, plan is not None),
        "columns": (plan is not None, has_schema),
        "risk": (has_schema, has_schema and risk is not None and risk.state == "done"),
        "protect": (has_schema, bool(releases)),
        "verdict": (bool(releases), audited),
        "handout": (bool(releases), any((of.folder / "reports").iterdir())),
    }


def audit_of(of: Project, name: str) -> dict[str, Any] | None:
    """Return the newest audit of a release."""
    about = (job for job in of.jobs() if job.about.get("release") == name and not job.running)
    return next((found for job in about if (found := job.result("audit")) is not None), None)


def newest_release(step: str) -> Callable[[HttpRequest], HttpResponse]:
    """Return the view that goes to the newest release."""

    @needs(step)
    @require_GET
    def newest(_request: HttpRequest) -> HttpResponse:
        return redirect(f"{step}-of", project().releases()[0])

    return newest


def release_page(
    request: HttpRequest,
    step: str,
    name: str,
    *,
    take: Callable[[Project, str, Mapping[str, str]], None],
    context: Callable[[Project, str], dict[str, Any]],
) -> HttpResponse:
    """Return the page of a step about a release; what its form says is taken first, and the page comes anew."""
    of, error = project(), ""
    if of.release(name) is None:
        raise Http404
    if request.method == "POST":
        try:
            take(of, name, request.POST)
            return redirect(f"{step}-of", name)
        except TokumeiError as refused:
            error = str(refused)
    audit = audit_of(of, name)
    known = {
        "name": name,
        "releases": of.releases(),
        "audit": audit,
        "tone": "" if audit is None else BADGES[audit["verdict"]],
        "told": None if audit is None else audit["told"][words().language],
    }
    return show(request, step, {**known, **context(of, name)}, error=error)


def page_context(_request: HttpRequest) -> dict[str, Any]:
    """Return what the frame of every page shows, found only where it is shown."""

    def steps() -> list[StepLink]:
        return [StepLink(name, reverse(name), *known) for name, known in reached(project()).items()]

    return {
        "steps": SimpleLazyObject(steps),
        "project_folder": SimpleLazyObject(lambda: str(project().folder)),
        "project_name": SimpleLazyObject(lambda: project().folder.name),
        "language_names": LANGUAGE_NAMES,
    }


def show(request: HttpRequest, step: str, context: dict[str, Any], *, error: str = "") -> HttpResponse:
    """Return the page of a step, with the job that runs and what went wrong, if anything did."""
    of = project()
    whole = {"step": step, "running": of.running_job(), "error": of.without_folder(error), **context}
    return render(request, f"studio/{step}.html", whole, status=422 if error else 200)


def needs(step: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Send whoever comes too early to the step that is next."""

    def with_view(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def checked(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
            known = reached(project())
            if not known[step][0]:
                return redirect(next_step(known))
            return view(request, *arguments, **named)

        return checked

    return with_view


def next_step(known: dict[str, tuple[bool, bool]]) -> str:
    """Return the first step that is open and not done, else the last that is open."""
    first = next((name for name in STEPS if known[name][0] and not known[name][1]), None)
    return first or next(name for name in reversed(STEPS) if known[name][0])
