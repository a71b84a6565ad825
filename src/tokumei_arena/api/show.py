"""Rows of the database as documents of the API, as far as this caller may see them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.urls import reverse

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
from tokumei_arena.work import failure_text, shown_figures, used_tries

NAMESPACE = "api-1"


def round_document(round_: Round) -> schemas.RoundOut:
    """Return a round with its phases."""
    on = round_.current_phase()
    listed = [
        schemas.PhaseOut(
            kind=phase.kind, starts_at=phase.starts_at, ends_at=phase.ends_at, on=on is not None and on.pk == phase.pk
        )
        for phase in sorted(round_.phases.all(), key=lambda phase: phase.starts_at)
    ]
    return schemas.RoundOut(
        kind=round_.kind,
        weight=float(round_.weight),
        phase=None if on is None else on.kind,
        phases=listed,
        private_data=round_.private_data,
        release_limit=round_.release_limit,
        attack_limit=round_.attack_limit,
        release_feedback=round_.release_feedback,
        attack_feedback=round_.attack_feedback,
    )


def team_document(team: Team) -> schemas.TeamOut:
    """Return a team."""
    return schemas.TeamOut(
        id=team.pk,
        number=team.number,
        name=team.name,
        affiliation=team.affiliation,
        approved=team.approved_at is not None,
        disqualified=team.disqualified_at is not None,
    )


def membership_document(found: Membership) -> schemas.MembershipOut:
    """Return a membership."""
    return schemas.MembershipOut(
        contest=found.contest.slug,
        team=team_document(found.team),
        role=found.role,
        terms_accepted=found.terms_accepted_at is not None,
    )


def _files(specs: Sequence[FileSpec]) -> list[schemas.FileSpecOut]:
    return [
        schemas.FileSpecOut(name=spec.name, about=in_language(spec.about), optional=spec.optional) for spec in specs
    ]


def contest_document(contest: Contest, person: Person) -> schemas.ContestOut:
    """Return a contest with its rounds and the caller's membership."""
    found = access.membership(person, contest)
    rules = find_contest(contest.rule_set)
    return schemas.ContestOut(
        slug=contest.slug,
        name=contest.name,
        about=contest.about,
        rule_set=contest.rule_set,
        parameters=contest.parameters,
        terms=contest.terms,
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
    blob = file.blob
    return schemas.FileOut(
        id=file.pk, name=file.download_name, file=file_name(file.name), size=blob.size, sha256=blob.sha256, url=url
    )


def target_documents(targets: Iterable[Target], round_: Round, person: Person) -> list[schemas.TargetOut]:
    """Return targets of one round with the files this caller may have, in a few questions to the database."""
    found = access.membership(person, round_.contest)
    used = {} if found is None else used_tries(round_, found.team)
    files = access.files_of_targets(person, round_).select_related("blob", "target__round__contest")
    listed: dict[UUID, list[schemas.FileOut]] = {}
    for file in files.order_by("name", "pk"):
        listed.setdefault(file.target_id, []).append(target_file_document(file))
    return [
        schemas.TargetOut(
            id=one.pk,
            alias=one.alias,
            state=one.state,
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
    return schemas.SubmissionOut(
        id=submission.pk,
        kind=submission.kind,
        round=submission.round.kind,
        team=submission.team.name,
        target=None if submission.target is None else submission.target.alias,
        file=submission.blob.name,
        size=submission.blob.size,
        sha256=submission.blob.sha256,
        received_at=submission.received_at,
        note=submission.note,
        state=submission.state,
        verdict=submission.verdict,
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
    return [
        schemas.QuestionOut(
            id=one.pk,
            at=one.created_at,
            own=found is not None and found.team_id == one.team_id,
            question=one.question,
            answer=one.answer,
            answered_at=one.answered_at,
        )
        for one in questions
    ]
