"""Rows of the database as documents of the API, as far as this caller may see them."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from tokumei_arena.api import schemas
from tokumei_arena.core import access, feedback, intake, phases
from tokumei_arena.core.evaluation import failure_text
from tokumei_arena.core.wording import in_language
from tokumei_arena.games import FileSpec, find_game
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

__all__ = [
    "contest_document",
    "data_file_document",
    "membership_document",
    "question_document",
    "round_document",
    "submission_document",
    "target_document",
    "target_file_document",
    "team_document",
]

NAMESPACE = "api-1"


def round_document(round_: Round) -> schemas.RoundOut:
    """Return a round with its phases."""
    on = phases.current_phase(round_)
    listed = [
        schemas.PhaseOut(
            kind=phase.kind,
            starts_at=phase.starts_at,
            ends_at=phase.ends_at,
            on=on is not None and on.pk == phase.pk,
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
    game = find_game(contest.rule_set)
    return schemas.ContestOut(
        slug=contest.slug,
        name=contest.name,
        about=contest.about,
        rule_set=contest.rule_set,
        parameters=contest.parameters,
        terms=contest.terms,
        open=contest.is_open,
        rounds=[round_document(one) for one in contest.rounds.prefetch_related("phases")],
        release_files=_files(game.release_files),
        guess_files=_files(game.guess_files),
        membership=None if found is None else membership_document(found),
    )


def data_file_document(file: DataFile) -> schemas.FileOut:
    """Return a file that a round hands out."""
    words = [file.round.contest.slug, file.round.kind, file.pk]
    url = reverse(f"{NAMESPACE}:data_file", args=words)
    return schemas.FileOut(id=file.pk, name=f"{file.name}.csv", size=file.blob.size, sha256=file.blob.sha256, url=url)


def target_file_document(file: TargetFile) -> schemas.FileOut:
    """Return a published file of a target."""
    round_ = file.target.round
    url = reverse(f"{NAMESPACE}:target_file", args=[round_.contest.slug, round_.kind, file.target_id, file.pk])
    return schemas.FileOut(id=file.pk, name=f"{file.name}.csv", size=file.blob.size, sha256=file.blob.sha256, url=url)


def target_document(target: Target, person: Person) -> schemas.TargetOut:
    """Return a target with the files this caller may have."""
    found = access.membership(person, target.round.contest)
    files = access.target_files(person, target).select_related("blob", "target__round__contest").order_by("name")
    return schemas.TargetOut(
        id=target.pk,
        alias=target.alias,
        state=target.state,
        tries_left=None if found is None else intake.remaining_tries(target.round, found.team, target),
        files=[target_file_document(file) for file in files],
    )


def submission_document(submission: Submission, person: Person, *, findings: bool = True) -> schemas.SubmissionOut:
    """Return a submission: findings in the caller's language, figures as the feedback policy shows them."""
    evaluation = submission.evaluation
    listed = evaluation.findings if evaluation is not None and findings else []
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
        chosen=Choice.objects.filter(submission=submission).exists(),
        failure=failure_text(submission),
        figures=feedback.shown_figures(person, submission),
        finding_count=0 if evaluation is None else evaluation.finding_count,
        findings=[schemas.FindingOut(**{**finding, "message": in_language(finding["message"])}) for finding in listed],
    )


def question_document(question: Clarification, person: Person) -> schemas.QuestionOut:
    """Return a question and its answer."""
    found = access.membership(person, question.contest)
    return schemas.QuestionOut(
        id=question.pk,
        at=question.created_at,
        own=found is not None and found.team_id == question.team_id,
        question=question.question,
        answer=question.answer,
        answered_at=question.answered_at,
    )
