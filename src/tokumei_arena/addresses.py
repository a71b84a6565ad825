"""Objects named in an address of a page or of the API, as far as the viewer may see them; everything else is 404."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from tokumei_arena import access
from tokumei_arena.models import Contest, Person, Round, Submission, Target


def contest_of(request: HttpRequest, slug: str) -> Contest:
    """Return the contest of this address."""
    return get_object_or_404(access.contests(request.user), slug=slug)


def round_of(request: HttpRequest, slug: str, kind: str) -> Round:
    """Return the round of this address, with its phases."""
    contest = contest_of(request, slug)
    return get_object_or_404(contest.rounds.prefetch_related("phases"), kind=kind)


def submission_of(request: HttpRequest, slug: str, pk: UUID) -> Submission:
    """Return the submission of this address."""
    contest = contest_of(request, slug)
    everything = access.submissions(request.user, contest)
    related = ("round", "team", "target", "person", "blob", "evaluation")
    found = get_object_or_404(everything.select_related(*related), pk=pk)
    found.round.contest = contest
    return found


def target_of(request: HttpRequest, slug: str, kind: str, pk: UUID) -> Target:
    """Return the target of this address."""
    round_ = round_of(request, slug, kind)
    found = get_object_or_404(access.targets(request.user, round_), pk=pk)
    found.round = round_
    return found


def person_of(request: HttpRequest) -> Person:
    """Return who is signed in; views behind a sign-in ask this."""
    if not isinstance(request.user, Person):
        raise Http404
    return request.user
