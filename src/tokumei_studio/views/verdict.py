"""The fifth step: what attackers get out of a release, and what helps."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from tokumei.audits import Limits, Question
from tokumei.errors import TokumeiError
from tokumei.flow import Plan
from tokumei_studio.jobs import start
from tokumei_studio.project import Project
from tokumei_studio.templatetags.studio import words
from tokumei_studio.views.frame import audit_of, needs, project, sentence, show
from tokumei_studio.views.protect import audit_step

BADGES = {"safe": "ok", "unsafe": "bad", "not-shown-unsafe": "warn", "measured": "info", "not-measured": ""}


@needs("verdict")
@require_GET
def newest(_request: HttpRequest) -> HttpResponse:
    """Go to the newest release."""
    return redirect("verdict-of", project().releases()[0])


@needs("verdict")
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show the verdict on a release, or ask for one under the limits of another recipient."""
    of = project()
    if of.release(name) is None:
        raise Http404
    error = ""
    if request.method == "POST":
        try:
            _audit(of, name, request.POST.get("recipient", ""))
            return redirect("verdict-of", name)
        except TokumeiError as refused:
            error = sentence(refused)
    return show(request, "verdict", _context(of, name), error=error)


def _audit(of: Project, name: str, recipient: str) -> None:
    if recipient:
        Limits.read(recipient)
    places, plan = of.release(name), of.plan
    assert places is not None
    assert plan is not None
    original = original_of(of, name) or plan.input
    of.note(recipient=recipient)
    about = {"release": name, "recipient": recipient}
    start(of.folder / "jobs", "audit", [audit_step(original, name, recipient)], about)


def original_of(of: Project, name: str) -> str:
    """Return the input that a release was made of, as its own plan names it."""
    places = of.release(name)
    return "" if places is None or not places.plan.exists() else Plan.read(places.plan).input


def _context(of: Project, name: str) -> dict[str, Any]:
    audit, language = audit_of(of, name), words().language
    made = of.newest("release", release=name)
    summary = None if made is None else made.result("anonymize")
    context: dict[str, Any] = {
        "name": name,
        "releases": of.releases(),
        "recipients": Limits.recipients(),
        "recipient": of.state.get("recipient", "") if audit is None else audit["recipient"] or "",
        "summary": summary,
        "losses": [] if summary is None else _losses(summary),
        "audit": audit,
        "job": of.running_job(),
    }
    if audit is not None:
        told = audit["told"][language]
        asked = [question.value for question in Question if question.value in told["answers"]]
        context |= {
            "told": told,
            "tone": BADGES[audit["verdict"]],
            "answers": [_answer(question, audit, told) for question in asked],
            "remedies": list(dict.fromkeys(one["remedy"] for one in _reasons(told) if one["remedy"])),
            "worst": audit["evidence"].get("worst_protected", []),
            "alike": len({row["posterior"] for row in audit["evidence"].get("worst_protected", [])}) == 1,
        }
    return context


def _losses(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for every column: what got lost and in which way; the worst first."""
    parts = summary["utility"]["parts"]
    rows = [{**cell, "lost": parts.get(cell["name"])} for cell in summary["cells"]]
    return sorted(rows, key=lambda row: -(row["lost"] or 0.0))


def _reasons(told: dict[str, Any]) -> list[dict[str, str]]:
    return [*told["reasons"], *(reason for answer in told["answers"].values() for reason in answer["reasons"])]


def _answer(question: str, audit: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with its figure, the same figure without the release, and where its limit stands."""
    found, spoken = audit["questions"][question], told["answers"][question]
    figure = found["figure"]
    return {
        "question": question,
        **spoken,
        "badge": BADGES.get(found["outcome"], ""),
        "value": None if figure is None else figure["value"],
        "interval": None if figure is None else figure.get("interval"),
        "baseline": None if figure is None else figure.get("baseline"),
        "limit": found["limit"],
    }
