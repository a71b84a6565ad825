"""The tables of the arena."""

from tokumei_arena.models.base import Leased, WorkState
from tokumei_arena.models.contests import (
    Announcement,
    Blob,
    Clarification,
    Contest,
    DataFile,
    Feedback,
    Membership,
    Phase,
    Round,
    Team,
    check_slug,
    kind_label,
)
from tokumei_arena.models.event import Attachment, Delivery, Extension, Office, Page, PublicFile, Webhook
from tokumei_arena.models.log import LogEntry
from tokumei_arena.models.people import ApiToken, Message, OneTimeLink, Person
from tokumei_arena.models.work import Attempt, Choice, Evaluation, Rescore, RescoreItem, Submission, Target, TargetFile

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
    "Submission",
    "Target",
    "TargetFile",
    "Team",
    "Webhook",
    "WorkState",
    "check_slug",
    "kind_label",
]
