"""What the API answers: the shape of every document."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Schema


class PhaseOut(Schema):
    """A phase of a round; ``on`` says whether it is on now."""

    kind: str
    starts_at: datetime
    ends_at: datetime | None
    on: bool


class RoundOut(Schema):
    """A round; ``phase`` is the kind of the phase that is on, if any.

    ``commitment`` is the SHA-256 of the secret from which everything is drawn; ``secret`` is empty until the results.
    """

    kind: str
    weight: float
    phase: str | None
    phases: list[PhaseOut]
    private_data: bool
    release_limit: int | None
    attack_limit: int
    release_feedback: str
    attack_feedback: str
    commitment: str
    secret: str


class FileSpecOut(Schema):
    """A file that the rule set knows."""

    name: str
    about: str
    optional: bool


class TeamOut(Schema):
    """A team."""

    id: UUID
    number: int
    name: str
    affiliation: str
    approved: bool
    disqualified: bool


class MembershipOut(Schema):
    """The caller in a team of a contest."""

    contest: str
    team: TeamOut
    role: str
    terms_accepted: bool


class Me(Schema):
    """Who calls, and what the token may do."""

    id: UUID
    name: str
    referee: bool
    scopes: list[str]
    memberships: list[MembershipOut]


class ContestOut(Schema):
    """A contest with its rounds."""

    slug: str
    name: str
    about: str
    rule_set: str
    parameters: dict[str, Any]
    terms: str
    open: bool
    rounds: list[RoundOut]
    release_files: list[FileSpecOut]
    guess_files: list[FileSpecOut]
    membership: MembershipOut | None


class FileOut(Schema):
    """A file to download: its bytes are at ``url``, ``file`` is what the rules call it."""

    id: UUID
    name: str
    file: str
    size: int
    sha256: str
    url: str


class FindingOut(Schema):
    """One thing that is wrong in a submission."""

    code: str
    message: str
    file: str
    line: int | None
    column: int | None
    name: str | None
    value: str | None


class SubmissionOut(Schema):
    """A submission and what is known about it; ``figures`` holds what the feedback policy shows now."""

    id: UUID
    kind: str
    round: str
    team: str
    target: str | None
    file: str
    size: int
    sha256: str
    received_at: datetime
    note: str
    state: str
    verdict: str
    chosen: bool
    failure: str
    figures: dict[str, Any]
    finding_count: int
    findings: list[FindingOut]


class CheckOut(Schema):
    """A file that was checked without being handed in; ``answered`` of ``asked`` where guesses may leave things out."""

    id: UUID
    state: str
    file: str
    target: str | None
    valid: bool | None
    failure: str
    figures: dict[str, Any]
    answered: int | None
    asked: int | None
    finding_count: int
    findings: list[FindingOut]


class AnswerOut(Schema):
    """What became of the answer about one target: the id of its submission, or why it was refused."""

    target: str
    submission: UUID | None
    refused: str


class MetricOut(Schema):
    """What a figure means."""

    key: str
    title: str
    better: str
    meaning: str


class TargetOut(Schema):
    """Published data of another team under its blind alias; ``tries_left`` for the caller's team."""

    id: UUID
    alias: str
    state: str
    tries_left: int | None
    files: list[FileOut]


class AnnouncementOut(Schema):
    """What the referees told everybody."""

    id: UUID
    at: datetime
    title: str
    body: str


class QuestionOut(Schema):
    """A question, and its answer if there is one."""

    id: UUID
    at: datetime
    own: bool
    question: str
    answer: str
    answered_at: datetime | None
