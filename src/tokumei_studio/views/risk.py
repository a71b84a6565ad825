"""The third step: how little knowledge singles a person out in the data as it is."""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from tokumei.errors import TokumeiError
from tokumei.words import percent
from tokumei_studio.jobs import Job, Step, start
from tokumei_studio.project import SCHEMA, Project
from tokumei_studio.templatetags.studio import words
from tokumei_studio.views.frame import needs, project, show


@needs("risk")
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """Show the risk; measure it if it was not measured for this schema."""
    of = project()
    job, error = of.newest("describe", what=_what(of)), ""
    if request.method == "POST" or (job is None and of.running_job() is None):
        try:
            job = _measure(of)
        except TokumeiError as refused:
            error = str(refused)
        if request.method == "POST" and not error:
            return redirect("risk")
    return show(request, "risk", {"job": job, **_told(job)}, error=error)


def _what(of: Project) -> str:
    """Return a short name of input and schema together, so that an old figure is not shown for a new schema."""
    plan = of.plan
    assert plan is not None
    assert plan.schema is not None
    return hashlib.sha256(f"{plan.input}\n{plan.schema.to_toml()}".encode()).hexdigest()[:16]


def _measure(of: Project) -> Job:
    plan = of.plan
    assert plan is not None
    step = Step(name="describe", words=("describe", plan.input, "--schema", SCHEMA))
    return start(of.folder / "jobs", "describe", [step], {"what": _what(of)})


def _told(job: Job | None) -> dict[str, Any]:
    found = None if job is None or job.running else job.result("describe")
    if found is None:
        return {}
    language, risk = words(), found["risk"]
    known = [
        {
            "what": language("risk.records-1" if one["records"] == 1 else "risk.records", number=one["records"]),
            "share": one["share"],
            "interval": one["interval"] if _wide(one["interval"]) else None,
        }
        for one in risk["known_records"]
    ]
    facts = [{"what": _fact(what), "share": share} for what, share in risk["facts"].items()]
    told = found["told"][language.language]
    return {
        "found": found,
        "headline": risk["known_records"][min(3, len(risk["known_records"])) - 1],
        "known": [*known, {"what": language("risk.most-telling"), "share": risk["most_telling_record"]}, *facts],
        "columns": risk["columns"],
        "pairs": [one for one in risk["pairs"][:5] if one["share"] > 0],
        "hints": [one["text"] for one in told["hints"]],
        "identifiers": told["identifiers"],
    }


def _wide(interval: list[float] | None) -> bool:
    """Return whether an interval has two ends that are written differently."""
    return interval is not None and percent(interval[0]) != percent(interval[1])


def _fact(what: str) -> str:
    """Return the name of something that may be known of a whole history, in the language of the reader."""
    language = words()
    if what.startswith("total of "):
        return language("risk.total", column=what.removeprefix("total of "))
    return language.named("risk", what.replace(" ", "-"))
