"""Rows of the database as documents of the API, as far as this caller may see them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.urls import reverse
from ninja import Schema

from tokumei.contests import FileSpec, file_name, find_contest
from tokumei_arena import access
from tokumei_arena.api import schemas
from tokumei_arena.models import (
    Choice,
    Clarification,
    Contest,
    DataFile,
    Membership,
    Person,
    Round,
    Submission,
    Target,
    TargetFile,
    Team,
)
from tokumei_arena.wording import in_language
from tokumei_arena.work import draw_commitment, failure_text, revealed_secret, shown_figures, used_tries

NAMESPACE = "api-1"
Document = TypeVar("Document", bound=Schema)


def document(shape: type[Document], row: object, **computed: Any) -> Document:
    """Return a document: what is computed for it, and for the rest what the row calls by the same name."""
    own = {name: getattr(row, name) for name in shape.model_fields if name not in computed}
    return shape(**own, **computed)


def round_document(round_: Round) -> schemas.RoundOut:
    """Return a round with its phases."""
    on = round_.current_phase()
    listed = [
        document(schemas.PhaseOut, phase, on=on is not None and on.pk == phase.pk)
        for phase in sorted(round_.phases.all(), key=lambda phase: phase.starts_at)
    ]
    phase = None if on is None else on.kind
    return document(
        schemas.RoundOut,
        round_,
        weight=float(round_.weight),
        phase=phase,
        phases=listed,
        commitment=draw_commitment(round_),
        secret=revealed_secret(round_),
    )


def team_document(team: Team) -> schemas.TeamOut:
    """Return a team."""
    approved, disqualified = team.approved_at is not None, team.disqualified_at is not None
    return document(schemas.TeamOut, team, approved=approved, disqualified=disqualified)


def membership_document(found: Membership) -> schemas.MembershipOut:
    """Return a membership."""
    accepted = found.terms_accepted_at is not None
    team = team_document(found.team)
    return document(schemas.MembershipOut, found, contest=found.contest.slug, team=team, terms_accepted=accepted)


def _files(specs: Sequence[FileSpec]) -> list[schemas.FileSpecOut]:
    return [document(schemas.FileSpecOut, spec, about=in_language(spec.about)) for spec in specs]


def contest_document(contest: Contest, person: Person) -> schemas.ContestOut:
    """Return a contest with its rounds and the caller's membership."""
    found = access.membership(person, contest)
    rules = find_contest(contest.rule_set)
    return document(
        schemas.ContestOut,
        contest,
        open=contest.is_open,
        rounds=[round_document(one) for one in contest.rounds.prefetch_related("phases")],
        release_files=_files(rules.release_files),
        guess_files=_files(rules.guess_files),
        membership=None if found is None else membership_document(found),
    )


def data_file_document(file: DataFile) -> schemas.FileOut:
    """Return a file that a round hands out."""
    return _file(file, "data_file", file.round.contest.slug, file.round.kind, file.pk)


def target_file_document(file: TargetFile) -> schemas.FileOut:
    """Return a published file of a target."""
    round_ = file.target.round
    return _file(file, "target_file", round_.contest.slug, round_.kind, file.target_id, file.pk)


def _file(file: DataFile | TargetFile, route: str, *words: object) -> schemas.FileOut:
    url = reverse(f"{NAMESPACE}:{route}", args=words)
    name = file.download_name
    return document(schemas.FileOut, file.blob, id=file.pk, name=name, file=file_name(file.name), url=url)


def target_documents(targets: Iterable[Target], round_: Round, person: Person) -> list[schemas.TargetOut]:
    """Return targets of one round with the files this caller may have, in a few questions to the database."""
    found = access.membership(person, round_.contest)
    used = {} if found is None else used_tries(round_, found.team)
    files = access.files_of_targets(person, round_).select_related("blob", "target__round__contest")
    listed: dict[UUID, list[schemas.FileOut]] = {}
    for file in files.order_by("name", "pk"):
        listed.setdefault(file.target_id, []).append(target_file_document(file))
    return [
        document(
            schemas.TargetOut,
            one,
            tries_left=None if found is None else max(0, round_.attack_limit - used.get(one.pk, 0)),
            files=listed.get(one.pk, []),
        )
        for one in targets
    ]


def submission_document(submission: Submission, person: Person) -> schemas.SubmissionOut:
    """Return a submission: findings in the caller's language, figures as the feedback policy shows them."""
    chosen = Choice.objects.filter(submission=submission).exists()
    evaluation = submission.evaluation
    return _submission(submission, person, chosen=chosen, findings=[] if evaluation is None else evaluation.findings)


def submission_documents(submissions: Iterable[Submission], person: Person) -> list[schemas.SubmissionOut]:
    """Return submissions without their findings."""
    listed = list(submissions)
    chosen = set(Choice.objects.filter(submission__in=listed).values_list("submission_id", flat=True))
    return [_submission(one, person, chosen=one.pk in chosen, findings=[]) for one in listed]


def _submission(
    submission: Submission, person: Person, *, chosen: bool, findings: list[dict[str, Any]]
) -> schemas.SubmissionOut:
    evaluation = submission.evaluation
    return document(
        schemas.SubmissionOut,
        submission,
        round=submission.round.kind,
        team=submission.team.name,
        target=None if submission.target is None else submission.target.alias,
        file=submission.blob.name,
        size=submission.blob.size,
        sha256=submission.blob.sha256,
        chosen=chosen,
        failure=failure_text(submission),
        figures=shown_figures(person, submission),
        finding_count=0 if evaluation is None else evaluation.finding_count,
        findings=[schemas.FindingOut(**{**one, "message": in_language(one["message"])}) for one in findings],
    )


def question_documents(
    questions: Iterable[Clarification], contest: Contest, person: Person
) -> list[schemas.QuestionOut]:
    """Return questions of a contest with their answers."""
    found = access.membership(person, contest)
    own = None if found is None else found.team_id
    return [document(schemas.QuestionOut, one, at=one.created_at, own=one.team_id == own) for one in questions]
