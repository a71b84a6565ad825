"""A file checked in the browser before a try is spent on it: no try is counted, and nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from tokumei.contests import FileSpec, find_contest
from tokumei_arena import access
from tokumei_arena.addresses import round_of, target_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Person, Phase, Round, SelfCheck, Target
from tokumei_arena.templatetags.arena import cells
from tokumei_arena.web import uploads
from tokumei_arena.web.frame import either, frame
from tokumei_arena.wording import column_name, in_language
from tokumei_arena.work import MAY_SUBMIT, check_guesses, check_release, checked_figures, failure_text, own_checks

SHOWN_FINDINGS = 100


@either
def release_check(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Check anonymized data."""
    round_ = round_of(request, slug, kind)
    specs = find_contest(round_.contest.rule_set).release_files
    return _page(request, round_, None, specs, partial(check_release, round_=round_))


@either
def guesses_check(request: HttpRequest, slug: str, kind: str, pk: UUID) -> HttpResponse:
    """Check guesses about a target."""
    target = target_of(request, slug, kind, pk)
    specs = find_contest(target.round.contest.rule_set).guess_files
    return _page(request, target.round, target, specs, partial(check_guesses, target=target))


def _page(
    request: HttpRequest,
    round_: Round,
    target: Target | None,
    specs: Sequence[FileSpec],
    check: Callable[..., SelfCheck],
) -> HttpResponse:
    refused: ArenaError | None = None
    if request.method == "POST":
        if not isinstance(request.user, Person):
            return redirect_to_login(request.path)
        try:
            file, name = uploads.received(request, specs)
            with file:
                made = check(request.user, file=file, name=name)
        except ArenaError as error:
            refused = error
        else:
            return redirect("check_result", round_.contest.slug, round_.kind, made.pk)
    why_not = _why_not(request.user, round_, target)
    context = {
        **frame(request, round_.contest, round_.kind),
        "round": round_,
        "target": target,
        "form": None if why_not and not refused else uploads.upload_form(tuple(specs), refused, request),
        "why_not": why_not,
        "checking": True,
    }
    return render(request, "play/check.html", context, status=refused.status if refused else 200)


def _why_not(viewer: access.Viewer, round_: Round, target: Target | None) -> str:
    if access.sees_all(viewer, round_.contest):
        return _("referees hand nothing in")
    if not isinstance(viewer, Person):
        return _("sign in as a member of a team to hand in")
    try:
        team = access.need_member(viewer, round_.contest, *MAY_SUBMIT)
        access.need_phase(round_, Phase.Kind.ANONYMIZE if target is None else Phase.Kind.ATTACK, team)
    except ArenaError as error:
        return error.message
    return ""


@require_GET
def check_result(request: HttpRequest, slug: str, kind: str, pk: UUID) -> HttpResponse:
    """Show what the checker said, as soon as it has; the part that waits asks for itself again."""
    round_ = round_of(request, slug, kind)
    found = get_object_or_404(own_checks(request.user, round_), pk=pk)
    found.round = round_
    words = [slug, kind] if found.target is None else [slug, kind, found.target.pk]
    context = {
        **frame(request, round_.contest, round_.kind),
        "round": round_,
        "check": found,
        "target": found.target,
        "again": reverse("release_check" if found.target is None else "guesses_check", args=words),
        "hand_in": reverse("round" if found.target is None else "target", args=words),
        **_result(found),
    }
    return render(
        request, "play/parts/checked.html" if request.headers.get("HX-Request") else "play/checked.html", context
    )


def _result(found: SelfCheck) -> dict[str, Any]:
    result = found.result
    if not result:
        return {"failure": failure_text(found)}
    rules = find_contest(found.round.contest.rule_set)
    figures = checked_figures(found)
    kept = result["findings"][:SHOWN_FINDINGS]
    return {
        "valid": result["valid"],
        "cells": cells(rules.release_columns, figures) if figures else [],
        "answered": _answered_text(result.get("answered")),
        "count": result["finding_count"],
        "kept": len(kept),
        "with_file": any(finding.get("file") for finding in kept),
        "findings": [
            {**finding, "name": column_name(finding.get("name")), "sentence": in_language(finding["message"])}
            for finding in kept
        ],
    }


def _answered_text(found: dict[str, Any] | None) -> str:
    if not found:
        return ""
    words = {"given": found["given"], "asked": found["asked"], "what": in_language(found["what"])}
    return (
        ngettext(
            "%(given)s of %(asked)s %(what)s is answered.",
            "%(given)s of %(asked)s %(what)s are answered.",
            found["given"],
        )
        % words
    )
