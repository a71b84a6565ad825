"""Objects named in an address of the API, as far as the caller may see them; everything else is 404."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from tokumei_arena import access
from tokumei_arena.api.auth import caller
from tokumei_arena.models import Contest, Phase, Round, Submission, Target

__all__ = ["contest_of", "phase_of", "round_of", "submission_of", "target_of"]


def contest_of(request: HttpRequest, slug: str) -> Contest:
    """Return a contest."""
    return get_object_or_404(access.contests(caller(request)), slug=slug)


def round_of(request: HttpRequest, slug: str, kind: str) -> Round:
    """Return a round with its phases."""
    rounds = contest_of(request, slug).rounds.select_related("contest").prefetch_related("phases")
    return get_object_or_404(rounds, kind=kind)


def phase_of(request: HttpRequest, slug: str, kind: str, phase: str) -> Phase:
    """Return a phase of a round."""
    return get_object_or_404(round_of(request, slug, kind).phases.select_related("round__contest"), kind=phase)


def submission_of(request: HttpRequest, slug: str, number: UUID) -> Submission:
    """Return a submission."""
    seen = access.submissions(caller(request), contest_of(request, slug))
    return get_object_or_404(seen.select_related("round__contest", "team", "target", "blob", "evaluation"), pk=number)


def target_of(request: HttpRequest, slug: str, kind: str, number: UUID) -> Target:
    """Return a target."""
    seen = access.targets(caller(request), round_of(request, slug, kind))
    return get_object_or_404(seen.select_related("round__contest"), pk=number)
