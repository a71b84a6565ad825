"""Operations of taking part: data, submissions, targets, guesses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import File, Form, Header, Query, Status
from ninja.files import UploadedFile

from tokumei_arena import access, work
from tokumei_arena.addresses import contest_of, round_of, submission_of, target_of
from tokumei_arena.api import schemas, show
from tokumei_arena.api.auth import ATTACK, READ, SUBMIT, caller
from tokumei_arena.api.router import operations
from tokumei_arena.records import attachment
from tokumei_arena.work import submit_guesses, submit_release

get, post = operations("taking part")

Key = Annotated[str, Header(alias="Idempotency-Key", description="The same key gives the same submission again.")]
Note = Annotated[str, Form()]
Upload = Annotated[UploadedFile, File(description="CSV, .gz, or a zip that holds all files of the submission.")]
RELATED = ("round__contest", "team", "target", "blob", "evaluation")
LONGEST_LIST, MOST_SKIPPED = 200, 1_000_000
ROUND = "/contests/{slug}/rounds/{kind}"
SUBMISSION = "/contests/{slug}/submissions/{uuid:number}"
TARGET = ROUND + "/targets/{uuid:number}"


@get(ROUND + "/data", auth=READ, response=list[schemas.FileOut])
def data_files(request: HttpRequest, slug: str, kind: str) -> list[schemas.FileOut]:
    """List the files that the round hands out to the caller."""
    found = access.data_files(caller(request), round_of(request, slug, kind))
    return [
        show.data_file_document(one) for one in found.select_related("blob", "team", "round__contest").order_by("name")
    ]


@get(ROUND + "/data/{uuid:file}", auth=READ, url_name="data_file")
def data_file(request: HttpRequest, slug: str, kind: str, file: UUID) -> HttpResponseBase:
    """Download a file that the round hands out."""
    seen = access.data_files(caller(request), round_of(request, slug, kind)).select_related("blob", "team")
    found = get_object_or_404(seen, pk=file)
    return attachment(request, found.blob, found.download_name)


@get("/contests/{slug}/submissions", auth=READ, response=list[schemas.SubmissionOut])
def submissions(
    request: HttpRequest,
    slug: str,
    round: Annotated[str, Query()] = "",  # noqa: A002
    kind: Annotated[str, Query()] = "",
    after: Annotated[int, Query(description="Leave out so many of the newest.")] = 0,
) -> list[schemas.SubmissionOut]:
    """List up to 200 submissions (of the own team; referees: of all), newest first, without their findings."""
    person = caller(request)
    found = access.submissions(person, contest_of(request, slug)).select_related(*RELATED)
    found = found.prefetch_related("round__phases").defer("evaluation__findings")
    found = found.filter(**{"round__kind": round} if round else {}, **{"kind": kind} if kind else {})
    begin = max(0, min(after, MOST_SKIPPED))
    return show.submission_documents(found[begin : begin + LONGEST_LIST], person)


@post(ROUND + "/submissions", auth=SUBMIT, response={201: schemas.SubmissionOut})
def submit(
    request: HttpRequest, slug: str, kind: str, *, file: Upload, note: Note = "", key: Key = ""
) -> Status[schemas.SubmissionOut]:
    """Hand in anonymized data; it is stored first and checked within seconds."""
    person = caller(request)
    made = submit_release(
        person, round_of(request, slug, kind), file, name=file_name_of(file), note=note, client_key=key
    )
    return Status(201, show.submission_document(made, person))


def file_name_of(file: UploadedFile) -> str:
    """Return what the sender called a file, without folders."""
    return Path(file.name or "file").name


@get(SUBMISSION, auth=READ, response=schemas.SubmissionOut)
def submission(request: HttpRequest, slug: str, number: UUID) -> schemas.SubmissionOut:
    """Return a submission with all that is known about it."""
    return show.submission_document(submission_of(request, slug, number), caller(request))


@get(SUBMISSION + "/file", auth=READ)
def submission_file(request: HttpRequest, slug: str, number: UUID) -> HttpResponseBase:
    """Download what was handed in, byte for byte."""
    found = submission_of(request, slug, number)
    return attachment(request, found.blob, found.blob.name)


@post(SUBMISSION + "/choose", auth=SUBMIT, response=schemas.SubmissionOut)
def choose(request: HttpRequest, slug: str, number: UUID) -> schemas.SubmissionOut:
    """Make a valid release the one with which the team competes."""
    person = caller(request)
    found = submission_of(request, slug, number)
    work.choose(person, found)
    return show.submission_document(found, person)


@get(ROUND + "/targets", auth=READ, response=list[schemas.TargetOut])
def targets(request: HttpRequest, slug: str, kind: str) -> list[schemas.TargetOut]:
    """List the published data of the other teams."""
    person, round_ = caller(request), round_of(request, slug, kind)
    return show.target_documents(access.targets(person, round_).order_by("alias"), round_, person)


@get(TARGET, auth=READ, response=schemas.TargetOut)
def target(request: HttpRequest, slug: str, kind: str, number: UUID) -> schemas.TargetOut:
    """Return one target with its files."""
    found = target_of(request, slug, kind, number)
    (document,) = show.target_documents([found], found.round, caller(request))
    return document


@get(TARGET + "/files/{uuid:file}", auth=READ, url_name="target_file")
def target_file(request: HttpRequest, slug: str, kind: str, number: UUID, file: UUID) -> HttpResponseBase:
    """Download a published file of a target."""
    seen = access.target_files(caller(request), target_of(request, slug, kind, number)).select_related("blob", "target")
    found = get_object_or_404(seen, pk=file)
    return attachment(request, found.blob, found.download_name)


@post(TARGET + "/guesses", auth=ATTACK, response={201: schemas.SubmissionOut})
def guess(
    request: HttpRequest, slug: str, kind: str, number: UUID, *, file: Upload, note: Note = "", key: Key = ""
) -> Status[schemas.SubmissionOut]:
    """Hand in guesses about a target."""
    person = caller(request)
    found = target_of(request, slug, kind, number)
    made = submit_guesses(person, found, file, name=file_name_of(file), note=note, client_key=key)
    return Status(201, show.submission_document(made, person))
