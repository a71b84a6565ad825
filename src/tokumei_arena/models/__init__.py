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
    kind_label,
)
from tokumei_arena.models.event import Attachment, Delivery, Extension, Office, Page, PublicFile, Webhook
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
    "Attachment",
    "Attempt",
    "Blob",
    "Choice",
    "Clarification",
    "Contest",
    "DataFile",
    "Delivery",
    "Evaluation",
    "Extension",
    "Feedback",
    "Leased",
    "LogEntry",
    "LogHead",
    "Logo",
    "Membership",
    "Message",
    "Office",
    "OneTimeLink",
    "Page",
    "Person",
    "Phase",
    "PublicFile",
    "Rescore",
    "RescoreItem",
    "Round",
    "SelfCheck",
    "Submission",
    "Target",
    "TargetFile",
    "Team",
    "Webhook",
    "WorkState",
    "WorkerBeat",
    "check_slug",
    "kind_label",
]
