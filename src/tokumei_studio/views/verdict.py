"""The fifth step: what attackers get out of a release, and what helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from tokumei.audits import Limits, Question
from tokumei.flow import Plan
from tokumei.words import typical_width
from tokumei_studio.jobs import start
from tokumei_studio.project import Project
from tokumei_studio.templatetags.studio import words
from tokumei_studio.views.frame import BADGES, audit_of, needs, newest_release, release_page
from tokumei_studio.views.protect import audit_step

newest = newest_release("verdict")


@needs("verdict")
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show the verdict on a release, or ask for one under the limits of another recipient."""
    return release_page(request, "verdict", name, take=_audit, context=_context)


def _audit(of: Project, name: str, form: Mapping[str, str]) -> None:
    recipient = form.get("recipient", "")
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
        "recipients": Limits.recipients(),
        "recipient": of.state.get("recipient", "") if audit is None else audit["recipient"] or "",
        "summary": summary,
        "losses": [] if summary is None else _losses(summary),
    }
    if audit is not None:
        told = audit["told"][language]
        asked = [question.value for question in Question if question.value in told["answers"]]
        context |= {
            "answers": [_answer(question, audit, told) for question in asked],
            "remedies": list(dict.fromkeys(one["remedy"] for one in _reasons(told) if one["remedy"])),
            "worst": audit["evidence"].get("worst_protected", []),
            "alike": len({row["posterior"] for row in audit["evidence"].get("worst_protected", [])}) == 1,
        }
    return context


def _losses(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for every column: what got lost and in which way; the worst first."""
    parts = summary["utility"]["parts"]
    rows = [
        {**cell, "lost": parts.get(cell["name"]), "typical": typical_width(cell["typical"], words())}
        for cell in summary["cells"]
    ]
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
