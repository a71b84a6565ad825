"""Operations that help to take part: the starter kit, checks that cost no try, all targets and answers at once."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Status

from tokumei_arena import contests
from tokumei_arena.addresses import contest_of, round_of, target_of
from tokumei_arena.api import schemas
from tokumei_arena.api.auth import ATTACK, READ, SUBMIT, caller
from tokumei_arena.api.play import ROUND, TARGET, Note, Upload, file_name_of
from tokumei_arena.api.router import operations
from tokumei_arena.contests import figures_of, kit_of
from tokumei_arena.models import SelfCheck
from tokumei_arena.records import sent_file
from tokumei_arena.wording import in_language
from tokumei_arena.work import check_guesses, check_release, checked_figures, failure_text, own_checks, submit_answers

get, post = operations("help in taking part")


@get(ROUND + "/kit", auth=READ, url_name="kit")
def kit(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """Download the starter kit of a round: data, samples, a notebook, the checker, guides in both languages."""
    return sent_file(request, kit_of(caller(request), round_of(request, slug, kind)))


@get(ROUND + "/all-targets", auth=READ)
def all_targets(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """Download the published files of all targets as one zip, a folder for each."""
    packed = contests.all_targets(caller(request), round_of(request, slug, kind))
    if packed is None:
        raise Http404
    return sent_file(request, packed)


@post(ROUND + "/answers", auth=ATTACK, response={201: list[schemas.AnswerOut]})
def answers(
    request: HttpRequest, slug: str, kind: str, *, file: Upload, note: Note = ""
) -> Status[list[schemas.AnswerOut]]:
    """Hand in the answers about all targets as one zip, each file named by the alias of its target."""
    found = submit_answers(caller(request), round_of(request, slug, kind), file, note=note)
    listed = [
        schemas.AnswerOut(
            target=one.target.alias,
            submission=None if one.submission is None else one.submission.pk,
            refused=one.refused,
        )
        for one in found
    ]
    return Status(201, listed)


@post(ROUND + "/check", auth=SUBMIT, response={202: schemas.CheckOut})
def check(request: HttpRequest, slug: str, kind: str, *, file: Upload) -> Status[schemas.CheckOut]:
    """Have anonymized data checked; no try is counted, and the file is removed when it is checked."""
    made = check_release(caller(request), round_of(request, slug, kind), file, name=file_name_of(file))
    return Status(202, _checked(made))


@post(TARGET + "/check", auth=ATTACK, response={202: schemas.CheckOut})
def check_answer(request: HttpRequest, slug: str, kind: str, number: UUID, *, file: Upload) -> Status[schemas.CheckOut]:
    """Have guesses about a target checked; how many are right is not told."""
    made = check_guesses(caller(request), target_of(request, slug, kind, number), file, name=file_name_of(file))
    return Status(202, _checked(made))


@get(ROUND + "/checks/{uuid:number}", auth=READ, response=schemas.CheckOut)
def checked(request: HttpRequest, slug: str, kind: str, number: UUID) -> schemas.CheckOut:
    """Return what the checker said; it is there for half an hour."""
    round_ = round_of(request, slug, kind)
    found = get_object_or_404(own_checks(caller(request), round_), pk=number)
    found.round = round_
    return _checked(found)


def _checked(found: SelfCheck) -> schemas.CheckOut:
    result = found.result
    answered = result.get("answered") or {}
    return schemas.CheckOut(
        id=found.pk,
        state=found.state,
        file=found.name,
        target=None if found.target is None else found.target.alias,
        valid=result.get("valid"),
        failure=failure_text(found),
        figures=checked_figures(found),
        answered=answered.get("given"),
        asked=answered.get("asked"),
        finding_count=result.get("finding_count", 0),
        findings=[
            schemas.FindingOut(**{**one, "message": in_language(one["message"])}) for one in result.get("findings", [])
        ],
    )


@get("/contests/{slug}/metrics", auth=READ, response=list[schemas.MetricOut])
def metrics(request: HttpRequest, slug: str) -> list[schemas.MetricOut]:
    """List every figure of a contest with what it means."""
    found = contest_of(request, slug)
    return [
        schemas.MetricOut(key=one.key, title=in_language(one.title), better=one.better, meaning=in_language(meaning))
        for _group, columns in figures_of(found)
        for one, meaning in columns
    ]
