"""The tables of the arena."""

from tokumei_arena.models.base import Leased, WorkState
from tokumei_arena.models.contests import (
    Announcement,
    Blob,
    Clarification,
    Contest,
    DataFile,
    Feedback,
    Logo,
    Membership,
    Phase,
    Round,
    Team,
    check_slug,
)
from tokumei_arena.models.log import LogEntry, LogHead
from tokumei_arena.models.operation import WorkerBeat
from tokumei_arena.models.people import ApiToken, Message, OneTimeLink, Person
from tokumei_arena.models.work import (
    Attempt,
    Choice,
    Evaluation,
    Rescore,
    RescoreItem,
    SelfCheck,
    Submission,
    Target,
    TargetFile,
)

__all__ = [
    "Announcement",
    "ApiToken",
    "Attempt",
    "Blob",
    "Choice",
    "Clarification",
    "Contest",
    "DataFile",
    "Evaluation",
    "Feedback",
    "Leased",
    "LogEntry",
    "LogHead",
    "Logo",
    "Membership",
    "Message",
    "OneTimeLink",
    "Person",
    "Phase",
    "Rescore",
    "RescoreItem",
    "Round",
    "SelfCheck",
    "Submission",
    "Target",
    "TargetFile",
    "Team",
    "WorkState",
    "WorkerBeat",
    "check_slug",
]
